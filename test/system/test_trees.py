"""Does a long multicast go along a tree of hosts, and come once and in order whatever else is sent or happens?

Tasks that pour send messages of all lengths to all others, to some of them, or straight to one (trees.c). Tasks that
take look at each of these messages.
"""
import signal

import pytest
from support.network import NetworkMachine
from support.places import OURS, STOCK
from support.task import LIMIT, wait_until

HOSTS = 8
LONG = 1 << 23
PATIENCE = {"PVM_HOST_PATIENCE": "20"}


class Sender:
    """A task of trees.c on a host."""

    def __init__(self, vm, host, library=OURS):
        self.task = vm.start("trees", host=host, library=library, keep_input=True,
                             variables={"LD_LIBRARY_PATH": str(library.libraries)})
        self.tid = self.answer()

    def tell(self, *words):
        self.task.say(" ".join(map(str, words)) + "\n")

    def answer(self):
        return self.task.line(LIMIT)

    def do(self, *words):
        self.tell(*words)
        return self.answer()

    def leave(self):
        assert self.do("leave") == "0"
        self.task.ended().ok()


def tids(tasks):
    return [task.tid for task in tasks]


def take(takers, pourers):
    for taker in takers:
        taker.tell("take", *tids(pourers))


def pour(pourers, takers, count):
    for seed, pourer in enumerate(pourers):
        pourer.tell("pour", count, seed, *tids(takers))


def answers(tasks):
    return [task.answer() for task in tasks]


def cast(sender, takers, size):
    """One multicast, which all get."""
    assert sender.do("cast", size, *tids(takers)) == "0"
    for taker in takers:
        assert taker.do("swallow", 1) == "0"


def pour_all(vm, count, libraries=None):
    """A task on each host pours to one on each host, and all come."""
    libraries = libraries or {}
    pourers, takers = ([Sender(vm, host, libraries.get(host, OURS)) for host in vm.names] for _ in range(2))
    take(takers, pourers)
    pour(pourers, takers, count)
    assert answers(pourers) + answers(takers) == ["0"] * 2 * len(vm.names)
    for task in (*pourers, *takers):
        task.leave()


@pytest.fixture
def vm():
    with NetworkMachine([OURS] * HOSTS, OURS) as machine:
        machine.add()
        yield machine


def sent_bytes(vm, host):
    """What a host has sent to others, with all headers."""
    lines = vm.network.run(host, "cat", "/proc/net/dev").splitlines()[2:]
    return sum(int(line.split(":")[1].split()[8]) for line in lines if line.split(":")[0].strip() != "lo")


def test_each_host_has_one_copy(vm):
    """The sender's host sends three copies to seven others, and all hosts together send seven."""
    sender = Sender(vm, "node1")
    takers = [Sender(vm, host) for host in vm.others]
    cast(sender, takers, 100)     # the pvmds get to know each other
    before = {host: sent_bytes(vm, host) for host in vm.names}
    cast(sender, takers, LONG)
    copies = [(sent_bytes(vm, host) - before[host]) / LONG for host in vm.names]
    assert list(map(round, copies)) == [3, 0, 1, 0, 2, 0, 1, 0], copies


def test_order_among_many_senders(vm):
    pour_all(vm, 40)


@pytest.mark.parametrize("daemons", [[OURS, OURS, STOCK, OURS, OURS, STOCK, OURS], [STOCK, OURS, OURS, OURS, OURS, STOCK]])
def test_a_machine_with_daemons_of_3_4_6(daemons):
    """Those have their copies straight from the sender's host."""
    with NetworkMachine(daemons, OURS) as vm:
        vm.add()
        pour_all(vm, 20, {host: system for host, system in zip(vm.names, daemons, strict=True)})


def test_loss():
    with NetworkMachine([OURS] * 4, OURS) as vm:
        vm.add()
        sender = Sender(vm, "node1")
        takers = [Sender(vm, host) for host in vm.others]
        take(takers, [sender])
        vm.network.impair(loss=0.1, duplicate=0.1, reorder=0.1)
        pour([sender], takers, 5)
        assert answers([sender, *takers]) == ["0"] * 4
        vm.network.mend()


def test_a_host_dies_that_hands_on():
    """Who has had a body by way of it gets the rest once."""
    with NetworkMachine([OURS] * HOSTS, OURS, PATIENCE) as vm:
        vm.add()
        dying = "node5"
        pourers = [Sender(vm, host) for host in vm.names]
        takers = [Sender(vm, host) for host in vm.names]
        living = [host != dying for host in vm.names]
        alive = [task for task, lives in zip(takers, living, strict=True) if lives]
        pouring = [task for task, lives in zip(pourers, living, strict=True) if lives]
        take(takers, pourers)
        before = sent_bytes(vm, dying)
        pour(pouring, takers, 60)
        wait_until(lambda: sent_bytes(vm, dying) > before + 2 * LONG, "it hands on")
        vm.kill(dying)
        vm.remove_files(dying)
        assert answers(pouring) == ["0"] * (HOSTS - 1)
        assert answers(alive) == ["1"] * (HOSTS - 1)


def test_a_sender_dies_amid_its_message(vm):
    """Nobody waits for the rest, and others of its host are not held up."""
    takers = [Sender(vm, host) for host in vm.others]
    dying, next_one = Sender(vm, "node1"), Sender(vm, "node1")
    take(takers, [dying])
    before = sent_bytes(vm, "node1")
    pour([dying], takers, 10000)
    wait_until(lambda: sent_bytes(vm, "node1") > before + LONG, "it sends")
    dying.task.signal(signal.SIGKILL)
    assert answers(takers) == ["1"] * len(takers)
    take(takers, [next_one])
    pour([next_one], takers, 20)
    assert answers([next_one, *takers]) == ["0"] * HOSTS
