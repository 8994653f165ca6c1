"""Programs of MPI, run by mpiexec in a virtual machine, or alone where none runs."""
import time
from pathlib import Path

from support import programs
from support.machine import VirtualMachine, processes_with
from support.places import OURS
from support.task import sleeps, wait_until

MPIEXEC = OURS.pvmd.with_name("mpiexec")
# Looks in a row, 5 ms apart, at which a process must have slept and done nothing before the watch begins.
STILL = 30


class NoMachine(VirtualMachine):
    """The surroundings of a virtual machine in which none runs."""

    def __init__(self, **variables):
        super().__init__(OURS, OURS, variables)

    def processes(self):
        return processes_with(f"PVM_TMP={self.folder}")

    def files(self):
        return [name for name in super().files() if not name.startswith("home/")]

    def boot(self):
        return self

    def __exit__(self, kind, value, trace):
        try:
            if kind is None:
                self.check_nothing_left()
        finally:
            self.clean_up()


def mpi_program(name):
    """The path of the program NAME.c of the tests."""
    return programs.build(name, OURS)


def mpiexec(vm, ranks, name, *words, status=0, **options):
    """Runs NAME on so many ranks, and gives what it was; it must end with the status."""
    return vm.run(MPIEXEC, "-n", ranks, mpi_program(name), *words, **options).ok(status)


def start_mpiexec(vm, ranks, name, *words, **options):
    """Likewise, and gives the running task of mpiexec."""
    return vm.start(MPIEXEC, "-n", ranks, mpi_program(name), *words, **options)


def counters(pid):
    """Of the first and the last thread of the process: how often it was switched to, and its time on a processor. A
    sanitizer may have a thread of its own between them, which wakes up now and then."""
    threads = sorted(Path(f"/proc/{pid}/task").iterdir(), key=lambda thread: int(thread.name))
    return {thread.name: (thread / "schedstat").read_text() for thread in (threads[0], threads[-1])}


def still(pid):
    """A condition: for STILL calls the process has slept, and none of its threads has run."""
    history = []

    def look():
        history.append(counters(pid) if sleeps(pid) else None)
        return history[-1] is not None and history[-STILL:] == STILL * history[-1:]
    return look


def assert_idle(pids, seconds, limit):
    """Once the processes are still, no thread of theirs runs for so long, and so none makes a system call."""
    for pid in pids:
        wait_until(still(pid), f"{pid} waits", limit)
    before = [counters(pid) for pid in pids]
    time.sleep(seconds)
    assert [counters(pid) for pid in pids] == before
