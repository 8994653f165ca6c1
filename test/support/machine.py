"""How is a private virtual machine started, used and shown to be gone afterwards?

A VirtualMachine lives in a temporary folder of its own (PVM_TMP and HOME) under a virtual machine
id of its own, so any number of them run side by side. On leaving the `with` block it is stopped by
SIGTERM and must leave nothing behind: no process, no socket, no file but a pvmd's log.
"""
import contextlib
import itertools
import os
import re
import select
import shutil
import signal
import tempfile
import time
from pathlib import Path

from support import programs, wire
from support.places import EXAMPLES, OURS, STOCK, WRAPPER, library_path
from support.task import LIMIT, Task, send_signal, text_of, wait_until

LOADER = "/lib64/ld-linux-x86-64.so.2"
# What processes of a virtual machine see of the environment of the tests.
KEPT = ("PATH", "LANG", "LC_ALL", "ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS")
CONNECTED = 4           # flag in the task table
SECONDS_TO_AWAKE = 10
_numbers = itertools.count()
_ROUTE_SOCKET = re.compile(r"pvmtmp\d+\.[1-9]\d*")
_LOG_TASK_LINE = re.compile(r"^\[t[0-9a-f]+\] (?:\d\d/\d\d \d\d:\d\d:\d\d )?\[t([0-9a-f]+)\] (.*)$")


def command_of(daemon):
    """The words that run a pvmd on libraries of its own, whatever its environment gives to its tasks.

    A stock pvmd is linked to its libpvm3 and to symbols that no other libpvm3 has.
    """
    if daemon is STOCK:
        return [LOADER, "--library-path", daemon.libraries, daemon.pvmd]
    return [daemon.pvmd]


def processes_with(text):
    """Process ids whose environment at their start contained text."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if text.encode() in (folder / "environ").read_bytes():
                found.add(int(folder.name))
        except OSError:
            continue
    return found


def whole_lines(text):
    """The lines of a text that is still being written, without one that has no end yet."""
    return text.split("\n")[:-1]


def wait_gone(pids, limit=LIMIT):
    """Wait until the processes have ended; gives the set of those that have not at the limit."""
    deadline = time.monotonic() + limit
    left = set()
    for pid in pids:
        try:
            fd = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        poll = select.poll()
        poll.register(fd, select.POLLIN)
        if not poll.poll(max(0, (deadline - time.monotonic()) * 1000)):
            left.add(pid)
        os.close(fd)
    return left


def only_pvmd(look, host):
    """The process id of the pvmd among the processes of a host, which look() gives. One that has just started is two:
    that which was started lives on until it is left alone."""
    def found():
        pids = [pid for pid in look() if text_of(Path(f"/proc/{pid}/comm")).startswith("pvmd")]
        return pids[0] if len(pids) == 1 else None
    return wait_until(found, f"one pvmd runs on {host}")


class VirtualMachine:
    """One pvmd in the foreground and the tasks of one test.

    daemon: the System whose pvmd runs; library: the System whose libpvm3 tasks use (also those that
    are spawned; start() can choose another one for a single task); variables: more environment.
    """

    def __init__(self, daemon, library, variables=None, arguments=(), wrapper=()):
        daemon.require()
        library.require()
        self.daemon = daemon
        self.library = library
        self.folder = Path(tempfile.mkdtemp(prefix="pv", dir="/tmp"))
        self.home = self.folder / "home"
        self.home.mkdir()
        self.vmid = f"t{os.getpid()}.{next(_numbers)}"
        self.variables = dict(variables or {})
        self.arguments = list(arguments)
        self.wrapper = list(wrapper)
        self.pvmd = None
        self.socket = None
        self.libraries = {library}
        self.started = []
        self.log_after = ""

    def __str__(self):
        return f"{self.library} library on {self.daemon} daemon"

    # files of the machine

    @property
    def address_file(self):
        return self.folder / f"pvmd.{os.getuid()}.{self.vmid}"

    @property
    def log_file(self):
        return self.folder / f"pvml.{os.getuid()}.{self.vmid}"

    def log(self):
        """The text of the pvmd's log, also after its end."""
        try:
            return self.log_file.read_text(errors="replace")
        except FileNotFoundError:
            return self.log_after

    def task_log(self):
        """What tasks without a collector printed: (tid as hexadecimal text, line) pairs in order."""
        return [match.groups() for match in map(_LOG_TASK_LINE.match, whole_lines(self.log())) if match]

    def files(self):
        """Names of all files of the machine but the empty home folder."""
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*")
                      if path != self.home)

    def processes(self):
        """Ids of all processes that belong to the machine, its pvmd included."""
        return processes_with(f"PVM_TMP={self.folder}\0")

    def sockets(self):
        """The machine's local sockets, as the system lists them."""
        return [line for line in Path("/proc/net/unix").read_text().splitlines() if str(self.folder) in line]

    # running

    def environment(self, library=None):
        library = library or self.library
        keep = {name: os.environ[name] for name in KEPT if name in os.environ}
        return {**keep, "PVM_TMP": str(self.folder), "PVM_VMID": self.vmid, "PVM_ALLOW_ROOT": "1",
                "PVM_ROOT": str(self.daemon.root), "HOME": str(self.home),
                "LD_LIBRARY_PATH": library_path(library),
                "PVM_PATH": f"{programs.folder(library)}:{EXAMPLES}", **self.variables}

    def boot(self):
        """Start a pvmd and wait for its address line; it must be a socket of this machine."""
        wrapper = self.wrapper or (WRAPPER if self.daemon is OURS else [])
        self.pvmd = Task([*wrapper, *command_of(self.daemon), *self.arguments], self.environment(),
                         cwd=self.home)
        self.socket = self.pvmd.line()
        assert self.socket.startswith(str(self.folder)), f"not an address: {self.socket!r} {self.pvmd}"
        return self

    def start(self, program, *arguments, library=None, keep_input=False, merge=False, variables=None,
              wrapper=()):
        """Start a program (a path, one of test's own by name, or an example of the packages)."""
        library = library or self.library
        if "/" not in str(program):
            program = programs.find(program, library)
        if not wrapper and library is OURS:
            wrapper = WRAPPER
        task = Task([*wrapper, program, *arguments],
                    {**self.environment(library), **(variables or {})}, cwd=self.home,
                    keep_input=keep_input, merge=merge)
        self.started.append(task)
        self.libraries.add(library)
        return task

    def run(self, program, *arguments, input="", limit=LIMIT, **options):
        """Run a program to its end."""
        task = self.start(program, *arguments, keep_input=bool(input), **options)
        if input:
            task.say(input)
        return task.ended(limit)

    def tasks(self):
        """The pvmd's task table: (tid, parent, host, flags, name, pid) of each task but the asker."""
        with wire.Client(self) as client:
            client.enrol()
            return [task for task in client.tasks() if task[0] != client.tid]

    def _enrolled(self):
        """Process ids of the connected tasks."""
        return {task[5] for task in self.tasks() if task[3] & CONNECTED}

    def until_enrolled(self, count, limit=LIMIT):
        """Wait until count tasks are connected to the pvmd."""
        wait_until(lambda: len(self._enrolled()) >= count, f"{count} tasks are enrolled", limit)

    def until_all_enrolled(self, limit=LIMIT):
        """Wait until every process of the machine is connected to the pvmd, or gone."""
        wait_until(lambda: self.processes() - {self.pvmd.pid} <= self._enrolled(),
                   "all processes are enrolled", limit)

    def settle(self, limit=LIMIT):
        """Wait until no process of the machine runs but its pvmd."""
        started = [task for task in self.started if task.process.poll() is None]
        others = self.processes() - {self.pvmd.pid} - {task.pid for task in started}
        left = wait_gone(others, limit)
        assert not left, f"tasks still run after {limit} s: {left}"

    # the end

    def _terminate(self, limit):
        """SIGTERM to the pvmd.

        One of 3.4.6 misses a signal that comes just when it goes to sleep; and the process in which it starts hosts
        waits for minutes for its last word to be acknowledged, when the pvmd ends before it has done that. So what
        there is of it gets more of them.
        """
        deadline = time.monotonic() + limit
        self.pvmd.signal(signal.SIGTERM)
        while True:
            left = deadline - time.monotonic()
            try:
                return self.pvmd.ended(min(left, SECONDS_TO_AWAKE) if self.daemon is STOCK else left)
            except AssertionError:
                if self.daemon is not STOCK or left < SECONDS_TO_AWAKE:
                    raise
            self._terminate_forks()

    def _terminate_forks(self):
        """SIGTERM to the pvmd and to those of its children that run the same."""
        command = "".join(f"{word}\0" for word in (*command_of(self.daemon), *self.arguments))
        for pid in self.processes():
            if text_of(Path(f"/proc/{pid}/cmdline")) == command:
                send_signal(pid, signal.SIGTERM)

    def stop(self, limit=LIMIT):
        """SIGTERM to the pvmd; all processes of the machine must end. Gives the pvmd's result."""
        running = self.processes()
        ended = self._terminate(limit)
        self.log_after = self.log()
        left = wait_gone(running, limit)
        assert not left, f"processes outlive their pvmd: {left}"
        return ended

    def check_nothing_left(self, limit=LIMIT):
        """No process, no socket, and no file but the log."""
        left = wait_gone(self.processes(), limit)
        assert not left, f"processes left behind: {left}"
        # Of a process that ends the environment, by which it is known, goes before its sockets.
        wait_until(lambda: not self.sockets(), f"no sockets are left in {self.folder}", limit)
        files = [name for name in self.files() if name != self.log_file.name]
        if STOCK in self.libraries:     # its tasks leave the sockets of direct routes when they are killed
            files = [name for name in files if not _ROUTE_SOCKET.fullmatch(name)]
        assert not files, f"files left behind: {files}"

    def __enter__(self):
        try:
            return self.boot()
        except BaseException:
            self.clean_up()
            raise

    def __exit__(self, kind, value, trace):
        try:
            if kind is None:
                if self.pvmd.process.returncode is None:
                    ended = self.stop()
                    assert ended.status in (signal.SIGTERM, -signal.SIGTERM), f"{ended}\n{self.log_after}"
                for task in self.started:
                    if task.process.returncode is None:
                        task.ended()
                self.check_nothing_left()
            elif self.log():
                value.add_note(f"pvmd log:\n{self.log()}") if hasattr(value, "add_note") else \
                    print(f"pvmd log:\n{self.log()}")
        finally:
            self.clean_up()

    def clean_up(self):
        """Remove whatever is left, after a failure too."""
        for task in self.started + [self.pvmd] * (self.pvmd is not None):
            task.discard()
        for pid in self.processes():
            send_signal(pid, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)


class Machines:
    """The virtual machines of a measurement. They stay until its end, and cost nothing while they are not used."""

    def __init__(self):
        self._machines = {}
        self._open = contextlib.ExitStack()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return self._open.__exit__(*error)

    def output(self, system, settings, program, *words, limit):
        """What a program prints, as a task in a machine of system with more environment."""
        key = system, *settings.items()
        if key not in self._machines:
            self._machines[key] = self._open.enter_context(VirtualMachine(system, system, variables=settings))
        return self._machines[key].run(programs.build(program, system), *words, limit=limit).ok().out
