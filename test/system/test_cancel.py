"""Does a task go on whose threads are cancelled inside calls, or that leaves a receive by siglongjmp?

The checks are in cancel.c and jump.c.
"""
import signal

import pytest
from support.machine import VirtualMachine
from support.places import OURS
from support.task import sleeps, wait_until


@pytest.mark.parametrize("area", ["recv", "trecv", "precv", "recvf", "barrier"])
def test_a_thread_is_cancelled_while_it_waits(area, long_run):
    rounds = 1000 if long_run else 20
    with VirtualMachine(OURS, OURS) as vm:
        if area == "barrier":
            vm.start(OURS.pvmd.parent / "pvmgs")
        ended = vm.run("cancel", area, rounds, merge=True).ok()
        assert ended.out.splitlines()[-1] == f"checked {2 * rounds}"


def test_calls_hold_off_a_cancellation():
    with VirtualMachine(OURS, OURS) as vm:
        assert vm.run("cancel", "held", merge=True).ok().out.endswith("checked 11\n")


def test_messages_find_those_that_are_left(long_run):
    rounds = 2000 if long_run else 100
    with VirtualMachine(OURS, OURS) as vm:
        assert vm.run("cancel", "load", rounds, merge=True).ok().out == f"checked {rounds * 50}\n"


def test_a_handler_is_not_cancelled():
    with VirtualMachine(OURS, OURS) as vm:
        assert vm.run("cancel", "handler", merge=True).ok().out == "checked 2\n"


def test_a_signal_handler_leaves_a_receive(long_run):
    """Afterwards 3.4.6 refuses calls that wait with PvmNotImpl; here all go on."""
    rounds = 200 if long_run else 12
    with VirtualMachine(OURS, OURS) as vm:
        task = vm.start("jump", rounds, merge=True)
        for _ in range(rounds + 1):
            assert task.line() == "asleep soon"
            wait_until(lambda: sleeps(task.process.pid), "it sleeps in its receive")
            task.signal(signal.SIGUSR1)
        assert task.ended().ok().out.splitlines()[-1] == f"checked {rounds}"
