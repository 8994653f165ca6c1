"""Does PVM_SPIN decide how often a waiting task looks before it sleeps? strace writes down each look and each sleep.

A look at the connection to the pvmd is a recv, which fails when nothing is there; a sleep is an epoll_wait.
"""
import re

import pytest
from support.machine import VirtualMachine
from support.places import OURS
from support.puppet import Puppet
from support.task import wait_until

LOOK = re.compile(r"\brecvfrom\(\d+, .* EAGAIN ")
SLEEP = re.compile(r"\bepoll_wait\(")
WAITS = 12
MOST_TRUST, TRUST_LOST = 8, 2       # of core/spin.c: the most that there is, and what a look in vain costs of it


class Watched:
    """A task of the machine with that setting, and what strace tells of it."""

    def __init__(self, vm, setting, folder):
        self.file = folder / "strace"
        strace = ["strace", "-D", "-f", "-qq", "-e", "trace=recvfrom,epoll_wait", "-e", "signal=none", "-o", self.file]
        self.puppet = Puppet(vm, wrapper=[str(word) for word in strace], variables={"PVM_SPIN": setting})
        self.begin = len(self.lines())

    def lines(self):
        return self.file.read_text().splitlines()

    def looks(self):
        """How many looks in vain there were before each sleep, and after the last one."""
        counts = [0]
        for line in self.lines()[self.begin:]:
            if SLEEP.search(line):
                counts.append(0)
            elif LOOK.search(line):
                counts[-1] += 1
        return counts

    def sleeps(self):
        return len(self.looks()) - 1

    def is_asleep(self):
        """Whether it is in a sleep, of which strace has not told the end."""
        last = self.lines()[-1]
        return bool(SLEEP.search(last)) and ") = " not in last


def exchange(vm, folder, setting, is_waiting):
    """A task with that setting gets WAITS messages, each of which is sent when is_waiting(task, number)."""
    watched, sender = Watched(vm, setting, folder), Puppet(vm)
    for number in range(WAITS):
        watched.puppet.tell("recv", sender.tid, number)
        wait_until(lambda number=number: is_waiting(watched, number), f"it waits for message {number}")
        assert sender.do("send", watched.puppet.tid, number, 1) == "0"
        watched.puppet.answer()
    watched.puppet.leave()
    sender.leave()
    return watched


def has_slept(watched, number):
    return watched.sleeps() > number


def has_looked(watched, number):
    """It has looked often, unless its time passed without that, as when the system had no processor for it."""
    return sum(watched.looks()) > 5 * (number + 1) or watched.is_asleep()


@pytest.fixture(params=["0", "64"], ids=["through the pvmd", "through memory"])
def vm(request):
    with VirtualMachine(OURS, OURS, variables={"PVM_SHARED_MEMORY": request.param}) as machine:
        yield machine


def test_zero_looks_once_before_a_sleep(vm, tmp_path):
    watched = exchange(vm, tmp_path, "0", has_slept)
    assert max(watched.looks()) == 1


def test_number_looks_on_before_a_sleep(vm, tmp_path):
    watched = exchange(vm, tmp_path, "1000000", has_looked)
    assert watched.sleeps() < sum(watched.looks()) / 5


def test_auto_does_not_look_on_when_waits_are_long(vm, tmp_path):
    """Trust that the start may have given is used up, and none comes."""
    watched = exchange(vm, tmp_path, "auto", has_slept)
    assert len([count for count in watched.looks() if count > 1]) <= MOST_TRUST / TRUST_LOST + 1


@pytest.mark.parametrize("value", ["fast", "-1", "1000001", "10us"])
def test_wrong_value_is_told_and_auto_taken(vm, value):
    puppet = Puppet(vm, variables={"PVM_SPIN": value})
    assert f"PVM_SPIN is {value}: taking auto, as it must be auto or microseconds, 0 to 1000000\n" in puppet.leave().err


@pytest.mark.parametrize("value", ["", "auto", "0", "1000000"])
def test_right_value_is_not_told(vm, value):
    assert Puppet(vm, variables={"PVM_SPIN": value}).leave().err == ""
