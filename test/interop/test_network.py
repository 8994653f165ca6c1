"""Do several real hosts make one virtual machine, also over a network that does everything wrong?

The hosts have addresses and names of their own. 30 in 100 of the packets that each of them sends are lost, others
come twice or overtake each other.
"""
import itertools
import os
import signal

import pytest
from support.network import NetworkMachine
from support.places import OURS, STOCK
from support.task import LIMIT

JUMBO = 9000    # bytes: a packet of a pvmd travels in one frame, and is lost as often as a frame
IMPAIRED = {"loss": 0.3, "duplicate": 0.1, "reorder": 0.2}


@pytest.mark.parametrize("daemons", [[OURS, STOCK, OURS], [STOCK, OURS, OURS]], ids=["our-master", "stock-master"])
def test_hosts_with_addresses_and_names(daemons):
    """The master is named by -n, the second as its system says, the third otherwise than the network says."""
    with NetworkMachine(daemons, OURS, arguments=["-n10.0.0.1"]) as vm:
        vm.add("node2", "'third ip=node3'")
        assert vm.hosts() == ["10.0.0.1", "node2", "third"]
        for number, name in enumerate(vm.names, 1):
            assert vm.network.run(name, "hostname") == f"{name}\n"
            assert f"(10.0.0.{number}:" in vm.host_log(name)
        puppets = vm.puppets()
        assert [puppets[0].do("mstat", host) for host in ("10.0.0.1", "node2", "third", "node3")] == 3 * ["0"] + ["-6"]
        assert puppets[1].do("spawnat", "third", "/bin/true")[0] == "1"
        vm.network.impair(reorder=0.2, duplicate=0.2)
        for a, b in itertools.permutations(puppets, 2):
            assert a.do("grow", 5, b.tid, 10000).startswith("0 0")
            assert b.do("recv", -1, 5) == f"{a.tid} 5 40000 1"
        taken, lost, doubled, overtaken = vm.network.counts()
        assert taken > 0 and lost == 0 and 0 not in (doubled, overtaken)
        for puppet in puppets:
            puppet.leave()


class Streams:
    """A task on each host that sends streams of messages to the others and checks what comes from them."""

    def __init__(self, vm, *hosts):
        self.tasks = [vm.start("streams", host=name, keep_input=True) for name in hosts]
        self.tids = [task.line() for task in self.tasks]

    def check(self, count):
        for task, own in zip(self.tasks, self.tids):
            task.say(f"{count} {' '.join(tid for tid in self.tids if tid != own)}\n")
        everything = f"good {2 * count * (len(self.tids) - 1)}"
        assert [task.line(limit=5 * LIMIT) for task in self.tasks] == [everything] * len(self.tids)

    def end(self):
        for task in self.tasks:
            task.ended().ok()


def check_requests(vm, *hosts):
    """A task on each host starts another one on the next host, of whose end each is told."""
    puppets = [vm.puppet(host) for host in hosts]
    for number, (puppet, host) in enumerate(zip(puppets, [*hosts[1:], hosts[0]])):
        count, child = puppet.do("spawnat", host, "/bin/sleep", 1000).split()
        assert count == "1"
        for watcher in puppets:
            assert watcher.do("notify", number, child) == "0"
        process, = (task[5] for task in vm.tasks() if task[0] == int(child, 16))
        os.kill(process, signal.SIGKILL)
        for watcher in puppets:
            assert watcher.do("recv", -1, number).endswith(f"{number} 4 {int(child, 16)}")
    for puppet in puppets:
        puppet.leave()


@pytest.mark.parametrize("daemons", [4 * [OURS], [OURS, STOCK, OURS], [STOCK, OURS, STOCK]],
                         ids=lambda daemons: "-".join(map(str, daemons)))
def test_everything_arrives_once_and_in_order(daemons):
    """No host is given up, though patience is a third of the default. A fourth one is added under loss."""
    with NetworkMachine(daemons, OURS, variables={"PVM_HOST_PATIENCE": "10"}, mtu=JUMBO) as vm:
        vm.add("node2", "node3")
        streams = Streams(vm, "node1", "node2", "node3")
        streams.check(20)       # the pvmds learn how long the way is
        vm.network.impair(**IMPAIRED)
        streams.check(15 if STOCK in daemons else 40)   # 3.4.6 waits up to 18 s between two tries
        streams.end()
        check_requests(vm, "node1", "node2", "node3")
        for host in vm.names[3:]:
            vm.add(host)
        taken, lost, doubled, overtaken = vm.network.counts()
        assert lost > taken / 5 and 0 not in (doubled, overtaken)
        assert sorted(vm.hosts()) == vm.names
        vm.network.mend()
