"""Do the installed examples compile where they were installed, and do what they say on two hosts?"""
import contextlib
import fcntl
import os
import re
import shutil
import signal
import subprocess

import pytest
from support.console import Console
from support.hosts import MASTER, HostsMachine
from support.machine import VirtualMachine
from support.places import OURS, PREFIX, PROGRAMS
from support.task import process_state, wait_until

SECOND, THIRD, SILENT = "127.0.0.3", "127.0.0.4", "127.0.0.5"
INSTALLED = PREFIX / "share" / "doc" / "pvm3" / "examples"
NAMES = ("hello", "ring", "workers", "heat", "server", "tasker", "hoster", "manager")
COMMON = f"CFLAGS={' '.join(('-O2', '-g', '-Wall', '-Wextra', '-Werror', *OURS.flags))}"


def make(folder, *words, command="make", **variables):
    """Run make, or a command like it, in a copy of the installed folder."""
    shutil.copytree(INSTALLED, folder)
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "CC") if name in os.environ}
    done = subprocess.run([command, *words], cwd=folder, env={**environment, **variables},
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(name="folder", scope="module")
def folder_fixture():
    """The programs, which the first of the processes that run tests makes for all of them."""
    PROGRAMS.mkdir(parents=True, exist_ok=True)
    folder = PROGRAMS / "examples"
    with open(PROGRAMS / "examples.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = folder / NAMES[-1]
        sources = [*INSTALLED.iterdir(), *OURS.include.iterdir()]
        if not made.exists() or made.stat().st_mtime < max(path.stat().st_mtime for path in sources):
            shutil.rmtree(folder, ignore_errors=True)
            make(folder, f"PVM={PREFIX}", COMMON)
    return folder


class Machine(HostsMachine):
    """A machine whose hosts find the examples."""

    def __init__(self, folder, **variables):
        self.examples = folder
        super().__init__(OURS, OURS, variables={"LD_LIBRARY_PATH": str(OURS.libraries), **variables})
        self.variables["PVM_PATH"] = f"{self.folder}/held:{folder}"

    def example(self, name, *arguments, **options):
        return self.start(self.examples / name, *arguments, **options)

    def said(self, name, *arguments):
        """What an example prints on its way to success."""
        ended = self.example(name, *arguments).ended().ok()
        assert ended.err == ""
        return ended.out

    def console(self, *commands):
        """What the console says to each command."""
        console = Console(self, OURS)
        said = [console.do(command) for command in commands]
        console.quit().ok()
        return said

    @contextlib.contextmanager
    def held_workers(self, limit, count):
        """A master and (tid, host, pid) of each of its workers, who have begun only when the master stood still.

        At the end of the block the master goes on, and ends.
        """
        gate, script = self.folder / "gate", self.folder / "held" / "workers"
        script.parent.mkdir()
        script.write_text(f'#!/bin/sh\nflock --shared {gate} true\nexec {self.examples}/workers "$@"\n')
        script.chmod(0o700)
        with open(gate, "w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            master = self.example("workers", limit, count)
            self.workers("workers", count, connected=False)
            master.signal(signal.SIGSTOP)
            wait_until(lambda: process_state(master.pid) == "T", "the master stands still")
        yield master, self.workers("workers", count)
        master.signal(signal.SIGCONT)
        master.ended()
        shutil.rmtree(script.parent)    # not before: those that take the place of the lost ones are started from it
        gate.unlink()

    def two(self):
        assert self.console(f"add {SECOND}")[0][0] == "1 successful"
        return self

    def workers(self, name, count, connected=True):
        """(tid, host, pid) of each task of an example when there are so many, all of which are connected."""
        def there():
            found = [(tid, host, pid) for tid, _, host, flags, task, pid in self.tasks()
                     if task == name and (flags & 4 or not connected)]
            return found if len(found) == count else None
        return wait_until(there, f"{count} tasks {name} are there")

    def settle_but(self, *left):
        """Wait until nothing runs but the pvmds and these."""
        wait_until(lambda: {task[5] for task in self.tasks()} == {task.pid for task in left}, "the others have ended")

    def finish(self, service):
        """End a service; gives the lines that it printed."""
        service.signal(signal.SIGTERM)
        return service.ended().out.splitlines()


def without_tids(lines):
    return [re.sub(r"\bt[0-9a-f]{5,}\b", "<tid>", line) for line in lines]


def primes_below(limit):
    sieve = bytearray([1]) * limit
    sieve[:2] = b"\0\0"
    for number in range(2, int(limit ** 0.5) + 1):
        if sieve[number]:
            sieve[number * number::number] = bytes(len(range(number * number, limit, number)))
    return sum(sieve)


def test_all_are_installed(folder):
    listed = re.search(r"^PROGRAMS = (.*)$", (INSTALLED / "Makefile").read_text(), re.MULTILINE)[1].split()
    assert tuple(listed) == NAMES
    assert {path.stem for path in INSTALLED.glob("*.c")} == set(NAMES)
    assert (PREFIX / "lib" / "pvm3" / "examples" / "README").samefile(INSTALLED / "README")
    readme = (INSTALLED / "README").read_text()
    assert all(f"    {path.name} " in readme for path in INSTALLED.glob("*.[ch]"))


WAYS = {
    "where the compiler finds it": (["make", COMMON], {"PKG_CONFIG_LIBDIR": "/nowhere", "CPATH": str(OURS.include),
                                                       "LIBRARY_PATH": str(OURS.libraries)}),
    "pkg-config": (["make", COMMON], {"PKG_CONFIG_PATH": str(OURS.libraries / "pkgconfig")}),
    "aimk": ([OURS.pvmd.parent / "aimk", f"CC={' '.join((os.environ.get('CC', 'cc'), *OURS.flags))}"],
             {"PVM_ROOT": str(OURS.root)}),
}


@pytest.mark.parametrize("way", WAYS)
def test_ways_to_make(way, tmp_path):
    """make install takes programs to where a pvmd looks."""
    (command, *words), variables = WAYS[way]
    make(tmp_path / "examples", "install", *words, "PROGRAMS=hello server", command=command, HOME=str(tmp_path),
         **variables)
    made = tmp_path / "pvm3" / "bin" / "LINUX64"
    assert {path.name for path in made.iterdir()} == {"hello", "server"}
    with Machine(made) as vm:
        assert without_tids([vm.said("hello")]) == [f"<tid>: hello from {MASTER}\n"]


def test_hello(folder):
    with Machine(folder) as vm:
        vm.two()
        assert without_tids(vm.said("hello").splitlines()) == [f"<tid>: hello from {host}" for host in (MASTER, SECOND)]


def test_hello_that_is_not_found(folder, tmp_path):
    with Machine(tmp_path) as vm:
        ended = vm.start(folder / "hello").ended().ok(1)
        assert ended.out == ""
        assert ended.err == (f"hello: no copy could be started on {MASTER}, error -7: "
                             "the program is not where that host looks for it\n")


def test_ring_heat_and_server(folder):
    with Machine(folder) as vm:
        vm.two()
        assert vm.said("ring", 7, 50) == "50 rounds through 7 tasks: the token is 350\n"
        assert vm.said("ring", 1, 3) == "3 rounds through 1 tasks: the token is 3\n"
        for size, steps, tasks in ((100, 50, 5), (7, 20, 7), (20, 10, 1)):
            assert vm.said("heat", size, steps, tasks).startswith(
                f"{size} by {size} points, {steps} steps, {tasks} tasks: equal to the computation of one task, ")
        for tasks in (3, 1):
            assert vm.said("server", 400, tasks) == \
                f"the numbers below 400 in {tasks} tasks: 0 of 1000 counters are wrong\n"
        for name in ("ring", "heat", "server"):
            assert vm.example(name, 0).ended().ok(1).err.startswith(f"usage: {name} [")


def test_workers(folder):
    with Machine(folder) as vm:
        vm.two()
        assert vm.said("workers") == f"{primes_below(2000000)} primes below 2000000, 0 workers were lost\n"
        assert vm.said("workers", 300000, 3, 5) == f"{primes_below(300000)} primes below 300000, 5 workers were lost\n"
        assert vm.example("workers", 0).ended().ok(1).err.startswith("usage: workers [")


@pytest.mark.parametrize("loss", ["a task", "a host"])
def test_workers_that_others_end(folder, loss):
    limit = 300000
    with Machine(folder) as vm:
        vm.two()
        with vm.held_workers(limit, 4) as (master, tasks):
            there = [tid for tid, host, _ in tasks if host != 0x40000]
            lost = len(there) if loss == "a host" else 1
            assert len(there) == 2
            if loss == "a host":
                assert vm.console(f"delete {SECOND}")[0][0] == "1 successful"
            else:
                os.kill(next(pid for tid, _, pid in tasks if tid == there[0]), signal.SIGKILL)
            wait_until(lambda: len(set(there) & {task[0] for task in vm.tasks()}) == len(there) - lost,
                       "they are gone")
        assert master.ended().ok().out == f"{primes_below(limit)} primes below {limit}, {lost} workers were lost\n"


def test_tasker(folder):
    """One on each host starts all tasks, and knows how they ended."""
    with Machine(folder) as vm:
        vm.two()
        taskers = [vm.example("tasker", host=host, merge=True) for host in (MASTER, SECOND)]
        for tasker in taskers:
            assert re.fullmatch(r"tasker t\w+ is ready", tasker.line())
        assert vm.example("tasker").ended().ok(1).err.endswith("tasker: this host has a tasker already\n")
        assert without_tids(vm.said("hello").splitlines()) == [f"<tid>: hello from {host}" for host in (MASTER, SECOND)]
        expected = re.compile(rf"t\w+ {folder}/hello: status 0, \d+\.\d{{6}} s of processor time, [1-9]\d* KB")
        for tasker in taskers:
            assert expected.fullmatch(tasker.line())

        with vm.held_workers(300000, 2) as (master, tasks):
            os.kill(tasks[0][2], signal.SIGKILL)
            wait_until(lambda: tasks[0][0] not in [other[0] for other in vm.tasks()], "the task is over")
        assert master.ended().ok().out.endswith(" 1 workers were lost\n")
        # A task may be gone for the pvmd while the thread that waits for its process has still to say so.
        wait_until(lambda: all(len(os.listdir(f"/proc/{tasker.pid}/task")) == 1 for tasker in taskers),
                   "each account is given")
        ends = sorted(line.split()[2:4] for tasker in taskers for line in vm.finish(tasker) if "/workers:" in line)
        assert ends == [["signal", "15,"]] * 2 + [["signal", "9,"]]


def test_last_words_of_tasks_of_a_tasker(folder):
    """The tasker says that a task is over when the pvmd may not have read yet what the task has sent."""
    variables = {"PVM_TASKER": str(folder / "tasker"), "PVM_SHARED_MEMORY": "0"}
    with VirtualMachine(OURS, OURS, variables) as vm:
        for end in ["returns", "killed"] * 10:
            done = vm.run("last_words", ".", 12, 5, 100, end, 1)
            assert done.ok().out == "heard 60 of 60, 0 behind the end\n"


def test_hoster(folder):
    with Machine(folder) as vm:
        hoster = vm.example("hoster", merge=True)
        assert re.fullmatch(r"hoster t\w+ is ready", hoster.line())
        assert vm.example("hoster").ended().ok(1).err.endswith("hoster: there is one already\n")
        (vm.folder / f"{SILENT}.line").touch()
        lines = vm.console(f"add {SECOND} {SILENT} {THIRD}")[0]
        assert [line.split() for line in lines[:5]] == [
            ["2", "successful"], ["HOST", "DTID"], [SECOND, "80000"], [SILENT, "Can't", "start", "pvmd"],
            [THIRD, "100000"]]
        assert len(vm.said("hello").splitlines()) == 3
        told = vm.finish(hoster)
        (vm.folder / f"{SILENT}.line").unlink()
        assert told[2] == f"{SILENT}: did not start"
        for line, host in ((told[1], SECOND), (told[3], THIRD)):
            assert line.startswith(f"{host}: ddpro<2316> arch<LINUX64> ip<7f")


def test_manager(folder):
    with Machine(folder) as vm:
        manager = vm.example("manager", merge=True)
        assert re.fullmatch(r"manager t\w+ is ready", manager.line())
        vm.two()
        assert vm.example("manager").ended().ok(1).err.endswith("manager: there is one already\n")
        vm.settle_but(manager)
        # manager and ring run here, so that two more make it even with the four there
        assert vm.said("ring", 7) == "100 rounds through 7 tasks: the token is 700\n"
        assert vm.said("workers", 300000, 3, 5).endswith(" 5 workers were lost\n")
        there, = vm.console(f"spawn -> --host={SECOND}:/ hello")
        assert "1 successful" in there
        nowhere, nothing = vm.console("spawn --host=nosuch hello", "spawn nosuchprogram")   # where hello prints nothing
        assert nowhere == ["0 successful", "No such host"] and nothing == ["0 successful", "No such file"]
        told = [line.rpartition(" for ")[0] for line in vm.finish(manager)]
        assert told[1:3] == [f"2 of ring on {MASTER}", f"4 of ring on {SECOND}"]
        assert f"1 of hello on {SECOND}" in told


def test_services_from_the_start(folder):
    """The pvmd starts what its environment names."""
    services = {"PVM_TASKER": "tasker", "PVM_HOSTER": "hoster", "PVM_RM": "manager"}
    vm = Machine(folder, **{variable: str(folder / name) for variable, name in services.items()})
    # A remote shell does not pass the environment on; that of the tests does.
    vm.variables["PVM_DPATH"] = f"env {' '.join(f'-u {variable}' for variable in services)} {OURS.pvmd}"
    with vm:
        wait_until(lambda: {"tasker", "hoster", "manager"} <= {
            line.split()[0] for _, line in vm.task_log() if "is ready" in line}, "all are ready")
        vm.two()
        assert vm.said("ring", 7) == "100 rounds through 7 tasks: the token is 700\n"
