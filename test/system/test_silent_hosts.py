"""Is a silent host given up when others hear nothing of it either, and kept while one of them reaches it?

The hosts are network namespaces, and the patience is the default one.
"""
import os
import signal

import pytest
from support.network import NetworkMachine
from support.places import OURS, STOCK
from support.task import wait_until

HOSTS = 0x10    # class of debugging
ROUNDS = 2      # of questions to others about a host, in which it would have been given up


class Machine(NetworkMachine):
    def __init__(self, *daemons):
        super().__init__(list(daemons), OURS, arguments=[f"-d{HOSTS:#x}"])

    def boot(self):
        super().boot()
        self.add()
        return self

    def rounds(self, host, others):
        """How often the master has asked so many others about a host."""
        return self.log().count(f"the host {host} does not answer: {others} others are asked")

    def until_rounds(self, host, others, rounds):
        most = self.rounds(host, others) + rounds
        wait_until(lambda: self.rounds(host, others) >= most, f"{others} others are asked about {host} {rounds} times")

    def given_up(self):
        return self.log().count("it is given up")


@pytest.fixture
def vm():
    with Machine(OURS, OURS, OURS, OURS) as machine:
        yield machine


def test_a_host_that_nobody_reaches(vm):
    """It is given up early, and told of once."""
    first, third = vm.puppet("node1"), vm.puppet("node3")
    assert first.do("hostend", 5, third.daemon) == "0"
    vm.network.unplug("node3")
    first.is_told(5, third.daemon)
    assert vm.log().count("seconds, nor does it answer others: it is given up") == vm.given_up() == 1
    assert first.do("poll", -1, -1) == "0 nothing"
    assert vm.hosts() == ["node1", "node2", "node4"]
    first.leave()
    vm.kill("node3")
    third.task.discard()
    vm.remove_files("node3")


def test_a_host_that_another_one_reaches(vm):
    """It is kept, and what was sent to it comes as soon as the way is there again."""
    first, third = vm.puppet("node1"), vm.puppet("node3")
    vm.network.part("node1", "node3")
    assert first.do("send", third.tid, 1, 7) == "0"
    vm.until_rounds("node3", 2, ROUNDS)
    vm.network.join("node1", "node3")
    assert third.do("recv", -1, 1) == f"{first.tid} 1 4 7"
    assert vm.given_up() == 0
    assert vm.hosts() == vm.names
    for puppet in (first, third):
        puppet.leave()


def test_a_host_that_stands_still_for_a_moment(vm):
    """Others are asked about it, and it goes on before they can say anything."""
    frozen = vm.host_pvmd("node4")
    os.kill(frozen, signal.SIGSTOP)
    vm.until_rounds("node4", 2, 1)
    os.kill(frozen, signal.SIGCONT)
    assert vm.puppet("node4").leave().ok()
    assert vm.given_up() == 0


def test_without_others_nobody_is_given_up_early():
    """Of two hosts of ours one alone is left to ask, and a daemon of 3.4.6 is no witness."""
    with Machine(OURS, OURS, STOCK) as vm:
        vm.network.unplug("node2")
        vm.until_rounds("node2", 0, ROUNDS)
        assert vm.given_up() == 0
        vm.network.plug("node2")
        assert vm.puppet("node2").leave().ok()
        assert vm.hosts() == vm.names
