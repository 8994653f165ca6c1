"""Do our pvmd and that of 3.4.6 make one virtual machine, whichever of them is the master?

Each test runs on all four combinations of the two, three hosts each; where a console is asked, its lines must be
those that it prints on stock alone.
"""
import functools
import os
import signal

import pytest
from support import programs
from support.console import Console
from support.hosts import MASTER, HostsMachine
from support.places import OURS, STOCK
from support.puppet import Puppet
from support.task import wait_until

THIRD, FOURTH = "127.0.0.3", "127.0.0.4"
HOSTS = (MASTER, THIRD, FOURTH)
LARGE = 100000      # integers: more than 90 packets
UNTIL_DELETED = "until two hosts are left"      # the console answers before that

machines = pytest.mark.parametrize(
    "master,slave", [(OURS, OURS), (OURS, STOCK), (STOCK, OURS), (STOCK, STOCK)],
    ids=lambda system: system.name)

SCRIPT = [
    f"add {THIRD} nosuch. '{THIRD} sp=5' {MASTER}", f"add '{FOURTH} sp=500' '127.0.0.5 bogus=1'", "conf",
    "spawn -3 /bin/sleep 1000", "spawn -7 /bin/sleep 1000", f"spawn -2 --host={FOURTH} /bin/sleep 1000",
    "spawn -2 --host=nosuch /bin/sleep 1000", "spawn -2 /no/such/program", "ps -a", f"ps -n{FOURTH}", "ps -h80000",
    f"mstat {THIRD} {MASTER} 127.0.0.9", f"delete {FOURTH} {MASTER} nosuch", UNTIL_DELETED, "conf", "ps -a",
    f"add {FOURTH}", "conf",
]


def step(vm, console, command):
    """What is printed for a command; tasks in the order of tids, since hosts answer in any order."""
    if command == UNTIL_DELETED:
        wait_until(lambda: console.do("conf")[0].startswith("2 hosts"), command)
        # A pvmd of 3.4.6 does not start where one is still ending.
        wait_until(lambda: not (vm.folder / FOURTH / vm.address_file.name).exists(), f"{FOURTH} has ended")
        return []
    lines = console.do(command)
    return sorted(lines) if command.startswith("ps") else lines


@functools.lru_cache(maxsize=None)
def play(master, slave):
    with HostsMachine(master, STOCK, slave=slave) as vm:
        console = Console(vm, STOCK)
        lines = [(command, step(vm, console, command)) for command in SCRIPT]
        console.quit().ok()
        return lines


@machines
def test_console_sees_the_same(master, slave):
    assert play(master, slave) == play(STOCK, STOCK)


class Machine(HostsMachine):
    """Three hosts and a puppet on each, with the libraries taking turns."""

    def __enter__(self):
        super().__enter__()
        console = Console(self, STOCK)
        assert console.do(f"add {THIRD} {FOURTH}")[0] == "2 successful"
        console.quit().ok()
        self.puppets = [self.puppet(host, (OURS, STOCK)[i % 2]) for i, host in enumerate(HOSTS)]
        return self

    def puppet(self, host, library=OURS):
        return Puppet(self, host=host, variables={"LD_LIBRARY_PATH": str(library.libraries)})

    def leave(self):
        for puppet in self.puppets:
            puppet.leave()


@machines
def test_messages_between_hosts(master, slave):
    with Machine(master, OURS, slave=slave) as vm:
        pairs = [(a, b) for a in vm.puppets for b in vm.puppets if a is not b]
        for number, (sender, receiver) in enumerate(pairs):
            for place, count in enumerate((0, 1, 1007, 1008, 1009, 2016, LARGE)):
                assert sender.do("grow", place, receiver.tid, count).startswith("0 0")
            for place, count in enumerate((0, 1, 1007, 1008, 1009, 2016, LARGE)):
                assert receiver.do("recv", sender.tid, -1) == f"{sender.tid} {place} {4 * count} {1 if count else 0}"
            assert sender.do("send", receiver.tid, 50, number) == "0"
            assert receiver.do("recv", -1, 50) == f"{sender.tid} 50 4 {number}"
        first, *others = vm.puppets
        for value in range(5):
            assert first.do("mcast", 60, value, *(puppet.tid for puppet in others)) == "0"
        for puppet in others:
            for value in range(5):
                assert puppet.do("recv", -1, 60) == f"{first.tid} 60 4 {value}"
        vm.leave()


@machines
def test_word_of_ends_between_hosts(master, slave):
    """Each task hears of the end of one on each host: left, killed by signal, or never there."""
    with Machine(master, OURS, slave=slave) as vm:
        for host in HOSTS:
            leaves, killed = vm.puppet(host), vm.puppet(host)
            for watcher in vm.puppets:
                watcher.do("notify", 10, leaves.tid)
                watcher.do("notify", 11, killed.tid)
                watcher.do("notify", 12, f"{int(killed.tid, 16) + 1000:x}")
                assert watcher.do("recv", -1, 12).endswith(f"12 4 {int(killed.tid, 16) + 1000}")
            leaves.leave()
            os.kill(killed.pid, signal.SIGKILL)
            for watcher in vm.puppets:
                assert watcher.do("recv", -1, 10).endswith(f"10 4 {int(leaves.tid, 16)}")
                assert watcher.do("recv", -1, 11).endswith(f"11 4 {int(killed.tid, 16)}")
        vm.leave()


@machines
def test_tasks_start_on_other_hosts(master, slave):
    """What a task on each host spawns runs, has that parent, and what it sends comes back."""
    programs.build("child", OURS)
    with Machine(master, OURS, slave=slave) as vm:
        for puppet in vm.puppets:
            count, *tids = puppet.do("spawn", 5, "child", "report", 7).split()
            assert count == "5"
            assert {int(tid, 16) >> 18 for tid in tids} == {1, 2, 3}
            children = {int(puppet.do("recv", -1, 7).split()[3]) for _ in range(5)}
            assert children == {int(tid, 16) for tid in tids}
        vm.leave()


@machines
def test_halt_from_any_host(master, slave):
    for host in HOSTS:
        with Machine(master, OURS, slave=slave) as vm:
            console = Console(vm, STOCK, host=host) if host != MASTER else Console(vm, STOCK)
            console.task.say("halt\n")
            vm.pvmd.ended()
            wait_until(lambda vm=vm: not vm.processes(), "the virtual machine has ended")


def test_host_file():
    """Hosts of the file are started with the machine, but for those marked &; what it says of a host counts later."""
    lines = ["# a comment", "* sp=77", f"{THIRD} sp=33", f"&{FOURTH}", f"{MASTER} sp=11", "127.0.0.5", "x bogus=1"]
    vm = HostsMachine(OURS, STOCK)
    path = vm.home / "hosts"
    path.write_text("\n".join(lines) + "\n")
    vm.arguments.append(str(path))
    with vm:
        console = Console(vm, STOCK)
        wait_until(lambda: console.do("conf")[0].startswith("3 hosts"), "the hosts are there")
        # until all hosts have said that they know of them, the next hosts are refused (PvmAlready)
        wait_until(lambda: console.do(f"add {FOURTH}")[:1] == ["1 successful"], "the next host is added")
        hosts = sorted(line.split() for line in console.do("conf")[2:])
        assert [(host[0], host[3]) for host in hosts] == \
            [(MASTER, "11"), (THIRD, "33"), (FOURTH, "77"), ("127.0.0.5", "77")]
        console.quit().ok()
        assert f"{path}, line 7: 'bogus=1' is no option of a host: skipped" in vm.log()
        path.unlink()
