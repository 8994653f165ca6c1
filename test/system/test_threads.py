"""May any thread call anything at any time, and does the interruptible receive do what it promises?

The checks of contents and order are in threads.c.
"""
import pytest
from support.machine import VirtualMachine
from support.places import OURS, STOCK

daemons = pytest.mark.parametrize("daemon", [OURS, STOCK], ids="daemon-{}".format)


def rounds(usual, long_run):
    return usual * 50 if long_run else usual


def checked(vm, *arguments):
    """Run the program; gives how many messages or rounds it checked."""
    return int(vm.run("threads", *arguments, merge=True).ok().out.splitlines()[-1].split()[1])


@daemons
@pytest.mark.parametrize("threads", [1, 2, 8])
def test_exchange_in_a_task(daemon, threads, long_run):
    count = rounds(20, long_run)
    with VirtualMachine(daemon, OURS) as vm:
        assert checked(vm, "exchange", threads, count) == threads * threads * count


@daemons
@pytest.mark.parametrize("threads", [1, 6])
def test_exchange_between_tasks(daemon, threads, long_run):
    count = rounds(30, long_run)
    with VirtualMachine(daemon, OURS) as vm:
        receiver = vm.start("threads", "receive", threads, count, merge=True)
        tid = receiver.until("tid ").split()[1]
        assert checked(vm, "peers", tid, threads, count) == 0
        ended = receiver.ended().ok().out.splitlines()
        assert ended[-1] == f"checked {threads * threads * count}"


@daemons
@pytest.mark.parametrize("threads", [1, 8])
def test_interrupt(daemon, threads, long_run):
    count = rounds(100, long_run)
    with VirtualMachine(daemon, OURS) as vm:
        assert checked(vm, "interrupt", threads, count) == threads * count


@daemons
@pytest.mark.parametrize("area", ["standing", "early"])
def test_interrupted_receiver(daemon, area, long_run):
    count = rounds(100, long_run)
    with VirtualMachine(daemon, OURS) as vm:
        assert checked(vm, area, 1, count) == count


@daemons
def test_select_beside_other_threads(daemon, long_run):
    """What pvm_getfds gives is readable when another thread has taken in the message, too."""
    count = rounds(100, long_run)
    with VirtualMachine(daemon, OURS) as vm:
        assert checked(vm, "select", 2, count) == count


@daemons
def test_buffers_of_threads(daemon, long_run):
    count = rounds(50, long_run)
    with VirtualMachine(daemon, OURS) as vm:
        assert checked(vm, "pack", 8, count) == 8 * count


def test_a_message_is_freed_while_its_thread_waits_for_the_next():
    with VirtualMachine(OURS, OURS) as vm:
        assert vm.run("emptied").ok().out == ""


@daemons
def test_messages_begun_anew(daemon):
    """In a process of threads, too, the id of the last message is good for nothing."""
    with VirtualMachine(daemon, OURS) as vm:
        assert vm.run("renewed").ok().out == ""
