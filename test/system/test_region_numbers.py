"""Does every number of a region have one holder in the whole virtual machine, and does it come back when that is gone?

The numbers are for user-level processes (pvm3/daemon/requests/region_requests.h). A pvmd gives the lowest number that
is free on its host, so what comes back is given again.
"""
import contextlib
import os
import signal

import pytest
from support import peer as dd
from support import wire
from support.console import Console
from support.hosts import HostsMachine
from support.lease import Lease
from support.machine import VirtualMachine
from support.network import NetworkMachine
from support.peer import Peer
from support.places import OURS, STOCK
from support.task import LIMIT, wait_until
from support.wire import integers

OK, BAD_PARAM, SYSTEM, NOT_IMPLEMENTED, OUT_OF_RESOURCES = 0, -2, -14, -24, -27
BLOCK = 256
BLOCKS = (1 << 18) // BLOCK
PEER = "127.0.0.9"
# Of two hosts, the master first; one of them is of 3.4.6.
MIXED = pytest.mark.parametrize("master, slave", [(STOCK, OURS), (OURS, STOCK)], ids=str)


class Asker:
    """A task that asks for numbers as it is told (regions.c)."""

    def __init__(self, machine, **options):
        self.task = machine.start("regions", keep_input=True, **options)
        assert self.do("mytid")[0] > 0

    def do(self, *words):
        self.task.say(" ".join(map(str, words)) + "\n")
        return [int(word) for word in self.task.line().split()]

    def ask(self, needed, wished=None):
        return self.do("ask", needed, wished or needed)

    def give(self, *numbers):
        assert self.do("give", *numbers) == [OK]

    def gets(self, *numbers):
        """Ask for as many, look whether they are these, and give them back."""
        got = self.ask(len(numbers))
        self.give(*got)
        return got == list(numbers)

    def until_free(self, *numbers):
        wait_until(lambda: self.gets(*numbers), f"{numbers[0]} is free again")

    def end(self):
        """Without leaving."""
        return self.task.ended().ok()

    def kill(self):
        self.task.signal(signal.SIGKILL)
        self.task.process.wait()


@contextlib.contextmanager
def three_hosts():
    """A machine and an asker on each host."""
    with NetworkMachine([OURS] * 3, OURS) as vm:
        vm.add()
        askers = [Asker(vm, host=name) for name in vm.names]
        yield vm, askers
        for asker in askers:
            if asker.task.process.returncode is None:
                asker.end()


def distinct(lists):
    numbers = [number for numbers in lists for number in numbers]
    assert all(0 <= number < BLOCK * BLOCKS for number in numbers)
    return len(numbers) == len(set(numbers))


def blocks_of(numbers):
    return {number // BLOCK for number in numbers}


def test_no_number_twice():
    """Many tasks of three hosts ask in turns, for one and for many."""
    with three_hosts() as (vm, askers):
        more = [Asker(vm, host=name) for name in vm.names]
        got = [asker.ask(1, wished) for wished in (1, 7, 100, BLOCK) for asker in askers + more]
        got += [asker.ask(BLOCK) for asker in askers]
        assert [len(numbers) for numbers in got[:12]] == 6 * [1] + 6 * [7]
        assert [len(numbers) for numbers in got[-3:]] == 3 * [BLOCK]
        assert distinct(got)
        for asker in more:
            asker.end()


def test_hosts_have_blocks():
    """Each host has its own, and asks for another one only when it needs to."""
    with three_hosts() as (_, askers):
        for round_ in range(2):
            assert [asker.ask(BLOCK // 2)[0] for asker in askers] == [
                place * BLOCK + round_ * BLOCK // 2 for place in range(3)]
        assert askers[1].ask(1) == [3 * BLOCK]


def test_numbers_come_back():
    """When their task leaves, when its process ends, and when it is killed."""
    with three_hosts() as (vm, askers):
        for asker, host in zip(askers[:2], vm.names):
            first = asker.ask(1)[0]
            for part in (lambda task: task.do("leave"), Asker.end, Asker.kill):
                other = Asker(vm, host=host)
                assert other.ask(3) == [first + 1, first + 2, first + 3]
                assert asker.ask(1) == [first + 4]
                asker.give(first + 4)
                part(other)
                asker.until_free(first + 1, first + 2, first + 3)
                if other.task.process.returncode is None:
                    other.end()


def test_numbers_are_given_back():
    """Only those that the process has."""
    with VirtualMachine(OURS, OURS) as vm:
        one, other = Asker(vm), Asker(vm)
        assert one.ask(2, 4) == [0, 1, 2, 3]
        other.give(0, 1)
        assert other.ask(1) == [4]
        one.give(1, 2, 2, -1, 9999999)
        other.until_free(1, 2, 5)
        one.end(), other.end()
        assert "gives back the region 0, which its process does not hold: ignored" in vm.log()


def test_deleted_host():
    """Its blocks are free, whether it is deleted or dies."""
    with three_hosts() as (vm, askers):
        first, second, third = (asker.ask(BLOCK) for asker in askers)
        assert distinct([first, second, third])
        console = Console(vm, OURS)
        assert console.do("delete node2")[0] == "1 successful"
        console.quit().ok()
        vm.until_empty("node2")
        askers[1].task.ended(LIMIT).ok(-signal.SIGTERM)
        wait_until(lambda: askers[0].gets(*second), "the block of the deleted host is free")
        os.kill(vm.host_pvmd("node3"), signal.SIGKILL)
        askers[2].kill()
        vm.until_hosts("node1")
        assert [askers[0].ask(BLOCK) for _ in range(2)] == [second, third]
        vm.remove_files("node3")


def test_spare_blocks_go_back():
    """A host keeps one block that it does not use."""
    with three_hosts() as (_, askers):
        first = [askers[1].ask(BLOCK) for _ in range(3)]
        assert [blocks_of(numbers) for numbers in first] == [{0}, {1}, {2}]
        for numbers in first:
            askers[1].give(*numbers)
        assert askers[1].ask(1) == [0]      # the words before this have been taken
        wait_until(lambda: askers[2].gets(*first[1]), "spare blocks are the master's again")
        assert askers[2].ask(BLOCK) == first[1]
        assert blocks_of(askers[1].ask(BLOCK)) == {0, 2}


def test_threads():
    """Threads of one task at once; tasks that are threads, which may be over; threads of no task."""
    with VirtualMachine(OURS, OURS) as vm:
        asker = Asker(vm)
        assert sorted(asker.do("threads", 8, 100)) == list(range(800))
        assert asker.do("mute", 1) == [SYSTEM]
        assert asker.do("spawned", 3) == [800, 801, 802]
        assert asker.ask(1) == [803]
        other = Asker(vm)
        assert other.ask(1) == [804]
        asker.end()
        other.until_free(0, 1, 2)
        assert other.ask(BLOCK) == list(range(BLOCK))
        other.end()


def test_connections_of_a_process():
    """Whichever of its tasks asks, the process has the numbers, until its last connection ends."""
    with VirtualMachine(OURS, OURS) as vm:
        other = Asker(vm)
        with Lease(vm, 2) as lease, wire.Client(vm) as last:
            last.enrol()
            one, two = lease.bear(*lease.tids)
            assert lease.request(wire.REGIONS, integers(2, 2), one).rest() == [2, 0, 1]
            lease.bury(one)
            lease.tell(wire.REGIONS_BACK, integers(1, 1), two)
            assert lease.request(wire.REGIONS, integers(1, 2), two).rest() == [2, 1, 2]
            lease.socket.close()
            wait_until(lambda: len(last.tasks()) == 2, "the tasks of the lease are over")
            assert other.ask(1) == [3]
            last.send(wire.PVMD, wire.REGIONS_BACK, integers(1, 2), wire.REQUEST_CONTEXT)
            assert last.request(wire.REGIONS, integers(1, 1)).rest() == [1, 2]
        other.until_free(0, 1, 2)
        other.end()


def test_bad_requests():
    """Each gets an error, and nothing is lost."""
    with VirtualMachine(OURS, OURS) as vm, wire.Client(vm) as client:
        client.enrol()
        for body in (b"", integers(1), integers(0, 0), integers(0, 1), integers(-1, 1), integers(2, 1), b"\0" * 7,
                     integers(1, BLOCK + 1), integers(BLOCK + 1, BLOCK + 1), integers(1, -1), integers(1, 0x7FFFFFFF)):
            assert client.request(wire.REGIONS, body).rest() == [BAD_PARAM]
        assert client.request(wire.REGIONS, integers(1, 2)).rest() == [2, 0, 1]
        for body in (b"", integers(-1), integers(2, 0), integers(1 << 30, 0, 1)):
            client.send(wire.PVMD, wire.REGIONS_BACK, body, wire.REQUEST_CONTEXT)
        for number in (2, -1, BLOCK, BLOCK * BLOCKS, 0x7FFFFFFF):
            client.send(wire.PVMD, wire.REGIONS_BACK, integers(1, number), wire.REQUEST_CONTEXT)
        assert client.request(wire.REGIONS, integers(1, 1)).rest() == [1, 2]


class PeerMachine(HostsMachine):
    """A master, and a host that the test plays: a pvmd of ours."""

    def boot(self):
        super().boot()
        self.peer = Peer(PEER, ours=True)
        (self.folder / f"{PEER}.line").write_text(self.peer.line() + "\n")
        console = Console(self, OURS)
        assert console.do(f"add {PEER}")[0] == "1 successful"
        console.quit().ok()
        (self.folder / f"{PEER}.line").unlink()
        self.master = next(name for name in self.peer.hosts if name != PEER)
        return self

    def __exit__(self, *error):
        self.peer.close()
        return super().__exit__(*error)

    def block(self, wait):
        return self.peer.ask(self.master, dd.BLOCK, b"", wait).rest()

    def back(self, *words):
        self.peer.send(self.master, dd.BLOCK_BACK, integers(*words))


def test_exhaustion():
    """One host has all; then it gives some back, and what it does not have it cannot give."""
    with PeerMachine(OURS, OURS) as vm:
        asker = Asker(vm)
        assert asker.ask(1) == [0]
        assert [vm.block(wait)[0] for wait in range(1, BLOCKS)] == list(range(1, BLOCKS))
        assert vm.block(BLOCKS) == [OUT_OF_RESOURCES]
        assert asker.ask(1, BLOCK) == list(range(1, BLOCK))
        assert asker.ask(1) == [OUT_OF_RESOURCES]
        for words in ((), (0,), (-1,), (BLOCKS,), (0x7FFFFFFF,)):
            vm.back(*words)
        assert vm.block(BLOCKS + 1) == [OUT_OF_RESOURCES]
        vm.back(77)
        assert vm.block(BLOCKS + 2) == [77]
        vm.back(77)
        vm.peer.until_acknowledged()
        wait_until(lambda: asker.gets(77 * BLOCK), "the block is the master's again")
        asker.end()
        assert "gives back the block 0 of the numbers of regions, which it does not have: ignored" in vm.log()


@MIXED
def test_pvmds_of_both(master, slave):
    """A pvmd of 3.4.6 has no numbers, and a slave of one has none either; all else works."""
    with NetworkMachine([master, slave], OURS) as vm:
        vm.add()
        for host, daemon in zip(vm.names, (master, slave)):
            asker = Asker(vm, host=host)
            has = daemon is OURS and master is OURS
            assert asker.ask(1) == ([0] if has else [NOT_IMPLEMENTED])
            assert len(asker.do("threads", 4, 2)) == (8 if has else 4)
            assert len(asker.do("spawned", 2)) == (2 if has else 1)
            asker.give(*([0] if has else []))
            asker.end()
        one, other = vm.puppets()
        assert one.do("send", other.tid, 7, 42) == "0"
        assert other.do("recv", one.tid, 7) == f"{one.tid} 7 4 42"
        for puppet in (one, other):
            puppet.leave()
        assert "0x80021" not in vm.host_log(vm.names[0]) + vm.host_log(vm.names[1])
