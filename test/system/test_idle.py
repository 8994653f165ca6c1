"""Does an idle process do nothing at all?

Waiting processes are watched for ten seconds in two ways: by the kernel's counters of each of their
threads (context switches, time on a processor), and, for others that wait alike, by strace, which writes
a line for each system call. A process that polls is watched too: there both ways must see something.
"""
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from support.machine import VirtualMachine
from support.places import OURS
from support.puppet import Puppet
from support.task import sleeps, wait_until

SECONDS, LONG_SECONDS = 10, 120
WAITERS = {"recv": ("recv",), "five threads in recv": ("recv", "5"), "trecv": ("trecv",), "poll": ("poll",)}
# Looks in a row, 5 ms apart, at which all must have slept and nothing may have changed before the watch begins.
STILL = 30


def counters(pid):
    """Of each thread of the process: what it did so far."""
    seen = {}
    for thread in Path(f"/proc/{pid}/task").iterdir():
        switches = [line.split()[1] for line in (thread / "status").read_text().splitlines()
                    if "ctxt_switches" in line]
        times = (thread / "stat").read_text().rpartition(")")[2].split()[11:13]
        seen[thread.name] = (*switches, *times, *(thread / "schedstat").read_text().split()[:1])
    return seen


def settled(pids, look):
    """A condition: for STILL calls the processes have slept, and what look() gives has not changed."""
    history = []

    def still():
        history.append(look() if all(map(sleeps, pids)) else None)
        return history[-1] is not None and history[-STILL:] == STILL * history[-1:]
    return still


@dataclass
class Watched:
    """What was seen of one process before and after the watch, and the lines that strace wrote between."""
    before: dict = field(default_factory=dict)
    after: dict = field(default_factory=dict)
    calls: list = field(default_factory=list)


class Traced:
    """The file in which strace records a process of the machine, and the words that make it do so."""

    def __init__(self, vm, name):
        self.file = vm.folder / f"{name}.strace"
        self.wrapper = ["strace", "-D", "-f", "-qq", "-o", str(self.file)]

    def lines(self):
        return self.file.read_text().splitlines()


def trace_pvmd():
    """A machine whose pvmd is recorded."""
    vm = VirtualMachine(OURS, OURS)
    traced = Traced(vm, "pvmd")
    vm.wrapper = traced.wrapper
    return vm, traced


@pytest.fixture(scope="module")
def watched(long_run):
    """The Watched of each process by its name; all are watched at once."""
    assert shutil.which("strace"), "strace is needed to count system calls: install it (conf/bootstrap does)"
    result = {}
    traced_vm, traced_pvmd = trace_pvmd()
    with traced_vm, VirtualMachine(OURS, OURS) as vm:
        traces = {"pvmd": traced_pvmd, **{name: Traced(vm, name) for name in WAITERS}}
        tasks = {name: vm.start("idle", *words) for name, words in WAITERS.items()}
        recorded = {name: vm.start("idle", *words, wrapper=traces[name].wrapper)
                    for name, words in WAITERS.items()}
        receivers = {task: task.until("tid ").split()[1] for task in (*tasks.values(), *recorded.values())}
        guest = traced_vm.start("idle", "recv")     # the recorded pvmd has a task, too
        guest_tid = guest.until("tid ").split()[1]
        pids = {"pvmd": vm.pvmd.pid, **{name: task.pid for name, task in tasks.items()}}
        names = [name for name in pids if name != "poll"]
        waiting = [pids[name] for name in names]
        traced = [traced_vm.pvmd.pid, guest.pid, *(recorded[name].pid for name in recorded if name != "poll")]
        wait_until(settled(waiting + traced, lambda: ([counters(pid) for pid in waiting],
                                                      [len(traces[name].lines()) for name in names])), "all wait")
        for name, pid in pids.items():
            result[name] = Watched(before=counters(pid), calls=traces[name].lines())
        time.sleep(LONG_SECONDS if long_run else SECONDS)
        for name, pid in pids.items():
            result[name].after = counters(pid)
            result[name].calls = traces[name].lines()[len(result[name].calls):]
        for machine, tids in ((vm, receivers.values()), (traced_vm, [guest_tid])):
            waker = Puppet(machine)
            for tid in tids:
                for tag in range(100, 105):
                    assert waker.do("send", tid, tag, 1) == "0"
            waker.leave()
        for task in (*receivers, guest):
            assert "woken" in task.ended().ok().out
        vm.settle()
        traced_vm.stop()
        for trace in traces.values():
            trace.file.unlink()
    return result


@pytest.mark.parametrize("name", ["pvmd", *(name for name in WAITERS if name != "poll")])
def test_idle_takes_no_time(watched, name):
    assert watched[name].before == watched[name].after


@pytest.mark.parametrize("name", ["pvmd", *(name for name in WAITERS if name != "poll")])
def test_idle_makes_no_system_call(watched, name):
    assert watched[name].calls == []


def test_polling_is_seen(watched):
    """The test itself: both ways of watching see a process that polls."""
    assert watched["poll"].before != watched["poll"].after
    assert len(watched["poll"].calls) > 100
