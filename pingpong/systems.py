"""How is each system built, started and stopped?"""

import contextlib
import ctypes
import filecmp
import functools
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent
SOURCE = TOP / "pingpong"
BUILD = TOP / "build" / "pingpong"
OURS = TOP / "build" / "plain" / "prefix"
STOCK = TOP / "build" / "stock" / "usr"
SHARED = "exchange serve version options payload measure fail".split()
CFLAGS = "-std=gnu17 -O2 -pthread -D_GNU_SOURCE".split()
PATIENCE = 10  # seconds that a daemon may take to start or to stop


class Unavailable(Exception):
    """A system that cannot be measured on this machine; the text says why."""


def adopt_orphans():
    """Make processes whose parents die children of this one, so that none can get away."""
    pr_set_child_subreaper = 36
    ctypes.CDLL(None).prctl(pr_set_child_subreaper, 1, 0, 0, 0)


def kill_orphans():
    """End every child that is left; call it when none is wanted any more."""
    while True:
        children = [int(child) for task in pathlib.Path("/proc/self/task").iterdir()
                    for child in (task / "children").read_text().split()]
        if not children:
            return
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child, 0)


def clean_environment(**additions):
    """The environment without what belongs to another virtual machine."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PVM")}
    environment.update({name: str(value) for name, value in additions.items()})
    if os.geteuid() == 0:
        environment["PVM_ALLOW_ROOT"] = "1"
    return environment


def stop_group(process, patience):
    """End a process that leads its own group, and the group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        print(f"{process.args[0]} did not stop in {patience} s and was killed", file=sys.stderr)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def run_limited(command, environment, limit):
    """Run a command. Returns its exit status (None: it did not end in time), output and errors."""
    process = subprocess.Popen([str(word) for word in command], env=environment, text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True)
    status = None
    try:
        output, errors = process.communicate(timeout=limit)
        status = process.returncode
    except subprocess.TimeoutExpired:
        stop_group(process, PATIENCE)
        output, errors = process.communicate()
    finally:
        stop_group(process, PATIENCE)
    return status, output, errors


def set_up(script, *arguments):
    """Run one of the scripts in conf/, which say themselves what they do."""
    if subprocess.run([TOP / "conf" / script, *arguments], stdin=subprocess.DEVNULL).returncode:
        raise Unavailable(f"conf/{script} failed")


def sources_of(main):
    """The sources of one of the programs."""
    return [SOURCE / f"{part}.c" for part in [main, *SHARED]]


def compile_program(target, sources, compiler, *arguments):
    """Compile sources, the first of which names the program, into the file target.

    Another run may have the same target at work, which is there at any moment, and is not replaced by its like."""
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f"{target.name}.{os.getpid()}")
    result = subprocess.run([compiler, *CFLAGS, "-o", fresh, *sources, *arguments],
                            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if result.returncode:
        name = sources[0].relative_to(TOP)
        raise Unavailable(f"{compiler} cannot compile {name}:\n{result.stderr}")
    if target.exists() and filecmp.cmp(fresh, target, shallow=False):
        fresh.unlink()
    else:
        fresh.replace(target)
    return target


def offered_versions(program):
    """The versions that a program has, as its usage tells."""
    usage = subprocess.run([program, "--help"], stdin=subprocess.DEVNULL, capture_output=True,
                           text=True, check=True).stdout
    return usage.splitlines()[0].split()[-1].split("|")


class Pvm:
    """A libpvm3 with its daemon, in a private virtual machine, and a program compiled for it.

    `versions` are those of the program that are measured (all), `flags` what stands before the library."""

    routes = ("default", "direct")
    periods = (50000, 1000, 1)

    def __init__(self, name, root, target, sources, versions=None, flags=()):
        library = next(iter(sorted(root.rglob("libpvm3.so"))), None)
        if not library:
            raise Unavailable(f"there is no libpvm3.so in {root}")
        self.name = name
        self.daemon = root / "bin" / "pvmd"
        self.program = self.compile(target.with_name(f"{target.name}-{name}"), sources,
                                    f"-I{root / 'include'}", f"-L{library.parent}",
                                    f"-Wl,-rpath,{library.parent}", *flags, "-lpvm3")
        self.chosen = versions
        self.environment = {"PVM_ROOT": root / "lib" / "pvm3", "PVM_VMID": target.name,
                            "LD_LIBRARY_PATH": library.parent}

    def compile(self, target, sources, *flags):
        return compile_program(target, sources, os.environ.get("CC", "gcc"), *flags)

    @functools.cached_property
    def versions(self):
        return self.chosen or offered_versions(self.program)

    @contextlib.contextmanager
    def machine(self):
        """A running virtual machine; yields the environment in which its tasks run."""
        folder = tempfile.mkdtemp(prefix="machine-")
        environment = clean_environment(**self.environment, PVM_TMP=folder, TMPDIR=folder)
        errors = open(os.path.join(folder, "errors"), "w+", encoding="utf-8", errors="replace")
        daemon = subprocess.Popen([str(self.daemon)], env=environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=errors, start_new_session=True)
        try:
            self.await_daemon(daemon, errors)
            yield environment
        finally:
            stop_group(daemon, PATIENCE)
            daemon.stdout.close()
            errors.close()
            shutil.rmtree(folder)

    def await_daemon(self, daemon, errors):
        """The daemon prints its address as soon as tasks can reach it."""
        ready, _, _ = select.select([daemon.stdout], [], [], PATIENCE)
        if not ready or not daemon.stdout.readline():
            errors.seek(0)
            raise Unavailable(f"{self.daemon} did not start: {errors.read().strip()}")

    def command(self, arguments):
        return [self.program, *arguments]


class Mpi:
    """One of the MPI libraries."""

    routes = ("default",)
    periods = (50000, 1)
    # Where Open MPI 4 and 5 keep their shared memory, which they leave behind when killed.
    FOLDER_SETTINGS = ("TMPDIR", "OMPI_MCA_btl_vader_backing_directory",
                       "OMPI_MCA_btl_sm_backing_directory")

    def __init__(self, name, program=None, launch_options=()):
        """`program` is the pingpong when there is none."""
        self.name = name
        self.program = program or self.compile(BUILD / f"pingpong-{name}", sources_of("pingpong_mpi"))
        self.launcher = [self.find("mpirun"), *launch_options]
        self.versions = ("POLL", "TS")

    def find(self, tool):
        """Debian tells the two libraries by the name of the tool, Fedora by its folder."""
        path = shutil.which(f"{tool}.{self.name}") or shutil.which(
            tool, path=f"/usr/lib64/{self.name}/bin")
        if not path:
            raise Unavailable(f"{tool} of {self.name} is not installed")
        return path

    def compile(self, target, sources, *arguments):
        return compile_program(target, sources, self.find("mpicc"), *arguments)

    @contextlib.contextmanager
    def machine(self):
        shared_memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
        with tempfile.TemporaryDirectory(prefix="pingpong-", dir=shared_memory) as folder:
            yield clean_environment(**{name: folder for name in self.FOLDER_SETTINGS})

    def command(self, arguments, processes=2):
        return [*self.launcher, "-n", str(processes), self.program, *arguments]


class OurMpi(Pvm):
    """Our MPI: its ranks are tasks of a private virtual machine."""

    routes = Mpi.routes
    periods = Mpi.periods

    def __init__(self, name, root):
        self.tools = root / "bin"
        super().__init__(name, root, BUILD / "pingpong", sources_of("pingpong_mpi"))

    def compile(self, target, sources, *_):
        return compile_program(target, sources, self.tools / "mpicc")

    def command(self, arguments):
        return [self.tools / "mpiexec", "-n", "2", self.program, *arguments]


class SameMpi:
    """Another MPI of the standard ABI, which runs the program of ours."""

    routes = Mpi.routes
    periods = Mpi.periods

    def __init__(self, prefix, program):
        self.name = prefix.name
        self.prefix = prefix
        self.program = program
        self.versions = offered_versions(program)

    @contextlib.contextmanager
    def machine(self):
        yield clean_environment(LD_LIBRARY_PATH=self.prefix / "lib")

    def command(self, arguments):
        return [self.prefix / "bin" / "mpiexec", "-n", "2", self.program, *arguments]


class Alone:
    """A program that needs no launcher and no daemon: on ZeroMQ, or on what the system gives without a library."""

    routes = ("default",)
    periods = ()
    versions = ("TS",)

    def __init__(self, name, source, *flags):
        self.name = name
        self.program = compile_program(BUILD / f"pingpong-{name}", sources_of(source),
                                       os.environ.get("CC", "gcc"), *flags)

    @contextlib.contextmanager
    def machine(self):
        yield clean_environment()

    def command(self, arguments):
        return [self.program, *arguments]


def make_ours(target=BUILD / "pingpong", sources=tuple(sources_of("pingpong"))):
    set_up("build", "plain")
    return Pvm("ours", OURS, target, sources)


def make_stock(target=BUILD / "pingpong", sources=tuple(sources_of("pingpong"))):
    set_up("unpack-stock")
    return Pvm("stock", STOCK, target, sources)


# What of ours programs for stock are linked with: searched behind stock's own.
BESIDE = (f"-I{OURS / 'include'}", f"-L{OURS / 'lib'}", f"-Wl,-rpath,{OURS / 'lib'}")
PRELOAD = (*BESIDE, "-include", "pvm3threads.h", "-Wl,--no-as-needed", "-lpvm3threads")


def make_tpl(name, root, grounds, flags=()):
    """The program on TPL, on some of TPL's grounds."""
    return Pvm(name, root, BUILD / "pingpong_tpl", sources_of("pingpong_tpl"),
               [f"TPL/{ground}" for ground in grounds], (*BESIDE, "-ltpl", *flags))


def measure_ours():
    return [make_ours(), make_tpl("ours", OURS, ["safe"])]


def make_our_mpi():
    set_up("build", "plain")
    return OurMpi("ours-mpi", OURS)


def measure_our_mpi(other=None):
    """With `other`, the prefix of another MPI of the standard ABI, that one beside it."""
    mine = make_our_mpi()
    return [mine, SameMpi(other, mine.program)] if other else [mine]


def measure_stock():
    set_up("build", "plain")  # for TPL
    return [make_stock(), make_tpl("stock", STOCK, ["getfds"])]


def measure_preload():
    """3.4.6 with patches/preload."""
    set_up("build", "plain")
    set_up("unpack-stock")
    name = "stock+preload"
    return [Pvm(name, STOCK, BUILD / "pingpong", sources_of("pingpong"), ["QTS", "TS"], PRELOAD),
            make_tpl(name, STOCK, ["safe", "interrupt"], PRELOAD)]


def make_mpich(program=None):
    return Mpi("mpich", program)


def make_openmpi(program=None):
    as_root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return Mpi("openmpi", program, [*as_root, "--oversubscribe", "--bind-to", "none"])


def make_zeromq():
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "libzmq"], text=True,
                           stdin=subprocess.DEVNULL, capture_output=True)
    if flags.returncode:
        raise Unavailable("libzmq is not installed")
    return Alone("zeromq", "pingpong_zmq", *flags.stdout.split())


def make_sockets():
    return Alone("sockets", "pingpong_sockets")


REQUIRED = ("ours", "ours-mpi", "stock", "stock+preload")  # to finish; the others are yardsticks

# The programs that are measured of each system.
MAKERS = {"ours": measure_ours, "ours-mpi": measure_our_mpi, "stock": measure_stock, "stock+preload": measure_preload,
          "mpich": lambda: [make_mpich()], "openmpi": lambda: [make_openmpi()],
          "zeromq": lambda: [make_zeromq()], "sockets": lambda: [make_sockets()]}
