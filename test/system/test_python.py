"""Does the package pvm let Python programs do what programs in C do, and does its executor get all results?"""
import signal
import time
from pathlib import Path

import pytest
from support.machine import VirtualMachine
from support.network import NetworkMachine
from support.places import OURS, TESTS
from support.task import sleeps, wait_until

PROGRAMS = TESTS / "system" / "python"
INTERPRETER = "/usr/bin/python3"
STILL = 30      # looks in a row at which nothing may have changed before idle processes are watched
VARIABLES = {"PYTHONPATH": str(OURS.root / "python"), "PYTHONDONTWRITEBYTECODE": "1",
             "PVM_EXPORT": "PYTHONPATH:PYTHONDONTWRITEBYTECODE:LD_LIBRARY_PATH"}


def machine():
    return VirtualMachine(OURS, OURS, variables=VARIABLES)


def start(vm, program, *words, **how):
    return vm.start(INTERPRETER, PROGRAMS / program, *words, **how)


@pytest.mark.parametrize("program", ["messages.py", "serves.py", "arrays.py"])
def test_program(program):
    with machine() as vm:
        assert start(vm, program).ended().ok().out == "all is well\n"


@pytest.mark.parametrize("what", ["calls", "deaths", "stillborn"])
def test_executor(what):
    with machine() as vm:
        assert start(vm, "farm.py", what).ended().ok().out == "all is well\n"
        vm.settle()


def switches(pid):
    """How often each thread of the process has given up its processor."""
    return {thread.name: [line for line in (thread / "status").read_text().splitlines() if "ctxt_switches" in line]
            for thread in Path(f"/proc/{pid}/task").iterdir()}


def at_rest(pids):
    """A condition: for STILL calls all have slept, and no thread of theirs has given up its processor."""
    history = []

    def still():
        history.append({pid: switches(pid) for pid in pids} if all(map(sleeps, pids)) else None)
        return history[-1] is not None and history[-STILL:] == STILL * history[-1:]
    return still


def test_workers_that_wait_do_nothing():
    with machine() as vm:
        farm = start(vm, "farm.py", "idle", keep_input=True)
        pids = [farm.pid, *map(int, farm.line().split())]
        wait_until(at_rest(pids), "all wait")
        before = {pid: switches(pid) for pid in pids}
        time.sleep(2)
        assert {pid: switches(pid) for pid in pids} == before
        farm.say("end\n")
        assert farm.ended().ok().out.endswith("all is well\n")


def test_hosts_come_and_die():
    """Workers are on each host, on one that is added later, and what was done on one that dies is done elsewhere."""
    with NetworkMachine([OURS, OURS, OURS], OURS, VARIABLES) as vm:
        vm.add("node2")
        farm = start(vm, "farm.py", "hosts", keep_input=True)
        assert farm.line() == "ready"
        farm.say("2\n")
        assert farm.line() == "40000 80000"
        vm.add("node3")
        farm.say("3\n")
        assert farm.line() == "40000 80000 c0000"
        vm.kill("node3")
        vm.remove_files("node3")
        farm.say("2\n")
        assert {"40000", "80000"} <= set(farm.line().split())
        farm.say("\n")
        assert farm.ended().ok().out.endswith("all is well\n")


def test_interrupted_receive():
    with machine() as vm:
        waits = vm.start(INTERPRETER, "-c", "import pvm\npvm.mytid()\nprint('waits', flush=True)\n"
                                            "try:\n    pvm.recv()\nexcept KeyboardInterrupt:\n    print('interrupted')")
        assert waits.line() == "waits"
        wait_until(lambda: sleeps(waits.pid), "it waits")
        waits.signal(signal.SIGINT)
        assert waits.ended().ok().out == "waits\ninterrupted\n"


def test_no_machine():
    """Without a pvmd the exception says so; the package can be used before and after."""
    with machine() as vm:
        said = vm.run(INTERPRETER, "-c", "import pvm\ntry:\n    pvm.mytid()\nexcept pvm.NoMachine as error:\n"
                                         "    print(error)", variables={"PVM_VMID": "of nobody"}).ok()
        assert "no pvmd runs here" in said.out
