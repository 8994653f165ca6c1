"""Does the virtual machine go on when its master dies, and is nothing lost or done twice?

The hosts are network namespaces. What happens to the master's host is real: kill -9, SIGSTOP to all that runs there, a
link that is down.
"""
import os
import random
import re
import signal

import pytest
from support.console import Console
from support.network import NetworkMachine
from support.places import OURS, STOCK
from support.task import wait_until

PERSISTENT, MULTI_INSTANCE, OVERWRITABLE, FIRST_AVAILABLE, READ_AND_DELETE, WAIT = 1, 2, 4, 8, 16, 32
PUT = MULTI_INSTANCE | OVERWRITABLE
TAKE = FIRST_AVAILABLE | READ_AND_DELETE | WAIT
NO_SUCH_ENTRY = -32
SYSTEM, HOST_PART = 0x80000000, 0xFFFC0000
ENTRIES = 40
MASTER = re.compile(r"host (node\d) is the master now")
SEEDS = range(2)


class Machine(NetworkMachine):
    """So many hosts, of which the first is the master, and a task on each; `later` others are not added yet."""

    def __init__(self, count, later=0, systems=None, **variables):
        super().__init__(systems or [OURS] * (count + later), OURS, variables={"PVM_HOST_PATIENCE": "3"} | variables)
        self.members = count

    def boot(self):
        super().boot()
        self.add(*self.others[:self.members - 1])
        self.tasks_of_hosts = {name: self.puppet(name) for name in self.names[:self.members]}
        return self

    def __exit__(self, kind, value, trace):
        if kind:
            for name in self.others:
                print(f"log of {name}:\n{self.host_log(name)}")
        super().__exit__(kind, value, trace)

    def until_deputies(self):
        wait_until(lambda: "is deputy 2" in self.log(), "there are deputies")

    def kill_master(self):
        """Kill all that runs on its host; its pvmd may just be starting a process, and then cannot be stopped first."""
        self.signal("node1", signal.SIGKILL)
        self.pvmd.ended()
        self.until_empty("node1")
        self.remove_files("node1")
        self.tasks_of_hosts.pop("node1").task.discard()

    def until_master(self, *hosts):
        """Wait until one of these hosts is the master, and all of them know it. On a busy machine the second deputy may
        have more votes first."""
        def masters():
            return {tuple(MASTER.findall(self.host_log(name))[-1:]) for name in hosts}
        wait_until(lambda: len(known := masters()) == 1 and known <= {(name,) for name in hosts},
                   f"{hosts} have a master")
        self.master, = masters().pop()

    def check_alive(self, *hosts):
        """Tasks on these hosts, and new ones, speak with each other; the console knows the hosts."""
        tasks = [self.tasks_of_hosts[name] for name in hosts]
        converse(tasks)
        for task in tasks:
            for name in hosts:
                assert task.do("spawnat", name, "/bin/true")[0] == "1"
        for name in hosts:
            self.master = name      # where the console runs
            assert self.hosts() == list(hosts)
        new = [self.puppet(name) for name in hosts]
        converse([*tasks, *new])
        for task in new:
            task.leave()

    def halt_from(self, host):
        """`halt` in a console there ends all that runs on any host."""
        console = Console(self, STOCK, host=host)
        console.task.say("halt\n")
        console.task.ended()
        self.discard_tasks()
        for name in self.names:
            self.until_empty(name)

    def discard_tasks(self):
        for task in self.tasks_of_hosts.values():
            task.task.discard()


def converse(tasks):
    """A message from each to each."""
    for a in tasks:
        for b in tasks:
            assert a.do("send", b.tid, 99, 7) == "0"
            assert b.do("recv", a.tid, 99) == f"{a.tid} 99 4 7"


def signed(tid):
    return tid - (tid >> 31 << 32)


def watch(watcher, subject):
    """Ask for the end of a task, and of its host."""
    daemon = int(subject.tid, 16) & HOST_PART | SYSTEM
    assert watcher.do("notify", 1, subject.tid) == "0"
    assert watcher.do("hostend", 2, f"{daemon:x}") == "0"
    return [(1, signed(int(subject.tid, 16))), (2, signed(daemon))]


def unplug(vm):
    vm.network.unplug("node1")


def plug(vm):
    vm.network.plug("node1")


def freeze(vm):
    vm.freeze("node1")


def thaw(vm):
    vm.thaw("node1")


def check_survivors(vm):
    """A deputy is the master, and has what only the old one had; told is what is to be told."""
    second, third, fourth = (vm.tasks_of_hosts[name] for name in vm.names[1:4])
    assert fourth.do("take", "of-second", FIRST_AVAILABLE) == "0 2"
    assert fourth.do("take", "of-first", FIRST_AVAILABLE) == f"{NO_SUCH_ENTRY} 0"
    assert fourth.do("take", "kept", FIRST_AVAILABLE) == "0 3"
    assert second.do("put", "after", 0, 4) == "0"
    assert third.do("take", "after", FIRST_AVAILABLE) == "0 4"
    second.leave()      # its entries go with it
    for name in ("of-second", "after"):
        wait_until(lambda: third.do("take", name, FIRST_AVAILABLE) == f"{NO_SUCH_ENTRY} 0", f"{name} is gone")
    vm.tasks_of_hosts["node2"] = vm.puppet("node2")


@pytest.mark.parametrize("fault, mend", [(Machine.kill_master, None), (freeze, thaw), (unplug, plug)],
                         ids=["killed", "frozen", "unplugged"])
def test_survivors_go_on(fault, mend):
    """A task that waits in a receive when the master fails gets its message; the old master ends when it comes back."""
    with Machine(4, later=1) as vm:
        first, second, third, fourth = vm.tasks_of_hosts.values()
        vm.until_deputies()
        assert second.do("put", "of-second", 0, 2) == first.do("put", "of-first", 0, 1) == "0"
        assert first.do("put", "kept", PERSISTENT, 3) == "0"
        told = [(task, *what) for task in (second, third, fourth) for what in watch(task, first)]
        third.tell("recv", second.tid, 5)
        fault(vm)
        vm.until_master("node2", "node3", "node4")
        assert second.do("send", third.tid, 5, 6) == "0" and third.answer() == f"{second.tid} 5 4 6"
        for task, tag, value in told:
            assert task.do("recv", -1, tag) == f"{SYSTEM:x} {tag} 4 {value}"
        check_survivors(vm)
        vm.check_alive("node2", "node3", "node4")
        vm.master = "node3"
        vm.add("node5")
        vm.tasks_of_hosts["node5"] = vm.puppet("node5")
        if mend:
            mend(vm)
            vm.until_empty("node1")
            assert "has become the master while this one was silent" in vm.log()
            vm.pvmd.ended().ok()
        vm.check_alive("node2", "node3", "node4", "node5")
        vm.halt_from("node4")


@pytest.mark.parametrize("seed", SEEDS)
def test_changes_under_way_are_made_once(seed):
    """Entries that two tasks put while a third one takes them, and messages: each comes once, in its order."""
    chance = random.Random(seed)
    with Machine(4) as vm:
        vm.until_deputies()
        _, second, third, fourth = vm.tasks_of_hosts.values()
        for value in range(ENTRIES):
            second.tell("put", "numbers", PUT, value)
            third.tell("put", "numbers", PUT, ENTRIES + value)
            third.tell("send", second.tid, 5, value)
        for _ in range(2 * ENTRIES):
            fourth.tell("take", "numbers", TAKE)
        before = chance.randrange(ENTRIES)
        indices = [second.answer() for _ in range(before)]
        os.kill(vm.host_pvmd("node1"), signal.SIGKILL)
        indices += [second.answer() for _ in range(ENTRIES - before)]
        assert all(int(index) >= 0 for index in indices), indices
        answers = [third.answer() for _ in range(2 * ENTRIES)]
        assert all(int(index) >= 0 for index in answers), answers
        taken = [fourth.answer().split() for _ in range(2 * ENTRIES)]
        assert sorted(int(value) for _, value in taken) == list(range(2 * ENTRIES)), f"seed {seed}: {taken}"
        assert [second.do("recv", -1, 5).split()[-1] for _ in range(ENTRIES)] == list(map(str, range(ENTRIES)))
        assert second.do("poll", -1, -1) == "0 nothing"
        vm.kill_master()
        vm.until_master("node2", "node3", "node4")
        vm.check_alive("node2", "node3", "node4")
        vm.halt_from("node3")


MOMENTS = {
    "asked": lambda vm: True,
    "started": lambda vm: vm.network.processes("node4"),
    "known": lambda vm: "connected with the host" in vm.host_log("node4"),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_addition_under_way_has_an_end(moment):
    """The host is in the table, or nothing runs there any more; who has asked is told, and can ask again."""
    with Machine(3, later=1) as vm:
        vm.until_deputies()
        console = Console(vm, STOCK, host="node3")
        console.task.say("add node4\n")
        wait_until(lambda: MOMENTS[moment](vm), f"the addition is {moment}")
        vm.kill_master()
        vm.until_master("node2", "node3")
        wait_until(lambda: "node4" in vm.hosts() or not vm.network.processes("node4"), "the addition has an end")
        console.quit()
        if "node4" not in vm.hosts():
            vm.remove_files("node4")
            vm.add("node4")
        vm.tasks_of_hosts["node4"] = vm.puppet("node4")
        vm.check_alive("node2", "node3", "node4")
        vm.halt_from("node4")


def test_second_deputy_and_the_next():
    """Master and first deputy die together; then the new master, too."""
    with Machine(6) as vm:
        vm.until_deputies()
        *_, fifth, sixth = vm.tasks_of_hosts.values()
        assert sixth.do("put", "kept", 0, 1) == "0"
        for name in ("node1", "node2"):
            os.kill(vm.host_pvmd(name), signal.SIGKILL)
        vm.pvmd.ended()
        vm.until_master("node3", "node4", "node5", "node6")
        wait_until(lambda: "host node5 is deputy 2" in vm.host_log("node3"), "node3 has deputies")
        vm.kill("node3")
        vm.until_master("node4", "node5", "node6")
        assert fifth.do("take", "kept", FIRST_AVAILABLE) == "0 1"
        vm.check_alive("node4", "node5", "node6")
        for name in ("node1", "node2", "node3"):
            vm.remove_files(name)
        vm.halt_from("node6")


@pytest.mark.parametrize("systems, variables, says", [
    ([OURS] * 3, {"PVM_FAILOVER": "off"}, None),
    ([OURS, OURS, STOCK], {}, "one of 3.4.6: as long as there is such a host"),
    ([OURS] * 2, {}, None)], ids=["off", "with-3.4.6", "two-hosts"])
def test_without_deputies_all_end_with_the_master(systems, variables, says):
    with Machine(len(systems), systems=systems, **variables) as vm:
        if says:
            assert vm.log().count(says) == 1
        assert "is deputy" not in vm.log()
        vm.kill_master()
        vm.until_empty("node2")
        assert "the master node1 is gone: this daemon ends" in vm.host_log("node2")
        if STOCK in systems:        # it has more patience
            vm.kill("node3")
            vm.remove_files("node3")
        vm.discard_tasks()


def test_an_ordered_end_is_the_end_of_all():
    """No deputy takes the place of a master that was told to end."""
    with Machine(3) as vm:
        vm.until_deputies()
        vm.pvmd.signal(signal.SIGTERM)
        vm.pvmd.ended()
        for name in vm.others:
            vm.until_empty(name)
            assert "is the master now" not in vm.host_log(name)
        vm.discard_tasks()
