"""Where does the output of spawned tasks go, and what do they find in their environment?

Any program can be spawned, whether or not it knows of PVM. Each test runs on stock 3.4.6 too.
"""
import os
import re
import signal

import pytest
from support.machine import VirtualMachine
from support.places import OURS, STOCK
from support.puppet import Puppet
from support.task import wait_until

systems = pytest.mark.parametrize("system", [OURS, STOCK], ids=str)


def collected(vm, *words):
    """Lines that spawned tasks print, by tid, as interop/collect.c receives them."""
    lines = vm.run("collect", *words).ok().out.splitlines()
    tids = lines.pop(0).split()[1:]
    found = {tid: [] for tid in tids}
    for line in lines:
        tid, text = re.fullmatch(r"\[(\w+)\] (.*)", line).groups()
        found[tid].append(text)
    return found


@systems
def test_all_lines_arrive_in_order(system, long_run):
    count = 500000 if long_run else 20000
    with VirtualMachine(system, system) as vm:
        found = collected(vm, 3, "/usr/bin/seq", 1, count)
        assert len(found) == 3
        for lines in found.values():
            assert lines == [str(i) for i in range(1, count + 1)]


@systems
def test_errors_are_output_too_and_a_last_line_needs_no_end(system):
    with VirtualMachine(system, system) as vm:
        lines, = collected(vm, 1, "/bin/sh", "-c", "echo one; echo two >&2; printf three").values()
        assert lines == ["one", "two", "three"]


@systems
def test_without_collector_it_goes_to_the_log(system):
    with VirtualMachine(system, system) as vm:
        puppet = Puppet(vm)
        tid = puppet.do("spawn", 1, "/usr/bin/seq", 1, 50).split()[1]
        wait_until(lambda: len(vm.task_log()) >= 50, "all lines are in the log")
        assert vm.task_log() == [(tid, str(i)) for i in range(1, 51)]
        puppet.leave()


@systems
def test_output_of_a_task_that_was_killed(system):
    """What it wrote before is not lost, and then comes the end."""
    with VirtualMachine(system, system) as vm:
        lines, = collected(vm, 1, "/bin/sh", "-c", "echo before; kill -9 $$").values()
        assert lines == ["before"]


def environment_seen(system):
    """What a spawned program finds: names and values, but those that belong to one run."""
    with VirtualMachine(system, system, variables={"GIVEN": "to the pvmd"}) as vm:
        lines, = collected(vm, 1, "/usr/bin/env").values()
    found = dict(line.split("=", 1) for line in lines)
    assert found["GIVEN"] == "to the pvmd"
    assert found["PVMSOCK"] == vm.socket
    assert int(found["PVMEPID"]) > 1
    return {name: value for name, value in found.items()
            if name not in ("PVM_TMP", "PVM_VMID", "PVMSOCK", "PVMEPID", "HOME", "PVM_ROOT", "PVM_PATH",
                            "LD_LIBRARY_PATH")}


def test_environment_is_that_of_stock():
    assert environment_seen(OURS) == environment_seen(STOCK)


@systems
def test_limit_of_tasks(system):
    """PVM_MAX_TASKS bounds the tasks of the host; the rest of a spawn fails with PvmOutOfRes."""
    with VirtualMachine(system, system, variables={"PVM_MAX_TASKS": "4"}) as vm:
        puppet = Puppet(vm)
        started, *tids = puppet.do("spawn", 6, "/bin/sleep", 1000).split()
        assert (started, tids[3:]) == ("3", ["-27", "-27", "-27"])


@systems
def test_address_in_the_environment(system):
    """PVMSOCK leads to the pvmd where no address file does."""
    with VirtualMachine(system, system) as vm:
        puppet = Puppet(vm, variables={"PVMSOCK": vm.socket, "PVM_VMID": "another"})
        assert puppet.tid == "40001"
        puppet.leave()


@systems
def test_who_leaves_waits_for_output_that_it_catches(system):
    with VirtualMachine(system, system) as vm:
        puppet = Puppet(vm, merge=True)
        assert puppet.do("catch") == "0"
        puppet.tell("spawn", 1, "/bin/sleep", 1000)
        puppet.task.until("1 40002")
        puppet.tell("leave")
        puppet.task.until("child task(s) still running.  waiting...")
        child, = (task[5] for task in vm.tasks() if task[0] == 0x40002)
        os.kill(child, signal.SIGKILL)
        puppet.task.until("EOF")
        assert puppet.answer() == "0"
        puppet.task.ended().ok()
