"""Is it seen and told when a host fails, do the others go on, and is a host that was only slow kept?

The hosts are network namespaces. What fails is real: kill -9, SIGSTOP to all that runs on a host, a link that is down.
"""
import os
import signal

import pytest
from support.network import NetworkMachine
from support.places import OURS, STOCK
from support.task import wait_until

PATIENCE = {"PVM_HOST_PATIENCE": "3"}
NO_FAILOVER = PATIENCE | {"PVM_FAILOVER": "off"}
NO_HOST, HOST_FAIL, NO_TASK, SYSTEM_ERROR = -6, -22, -31, -14
ROUTE, ROUTE_DIRECT = 1, 3


class Watch:
    """What tasks want to be told of, and are told of by the system."""

    def __init__(self, watchers, failing):
        self.wanted = []
        for number, (watcher, subject) in enumerate((w, f) for w in watchers for f in failing):
            for tag, kind, tid in ((2 * number, "notify", subject.tid), (2 * number + 1, "hostend", subject.daemon)):
                assert watcher.do(kind, tag, tid) == "0"
                self.wanted.append((watcher, tag, tid))

    def check_told(self):
        for watcher, tag, tid in self.wanted:
            watcher.is_told(tag, tid)


def converse(puppets):
    """A message from each to each."""
    for a in puppets:
        for b in puppets:
            assert a.do("send", b.tid, 99, 7) == "0"
            assert b.do("recv", a.tid, 99) == f"{a.tid} 99 4 7"


def test_failed_hosts_are_noticed_and_others_go_on():
    """node2 is killed, node3 unplugged, node4 frozen; node1, node5 and node6 survive. Some are of 3.4.6."""
    with NetworkMachine([OURS, OURS, OURS, STOCK, OURS, STOCK], OURS, variables=PATIENCE) as vm:
        vm.add()
        puppets = dict(zip(vm.names, vm.puppets()))
        failing = [puppets[name] for name in ("node2", "node3", "node4")]
        survivors = first, fifth, sixth = [puppets[name] for name in ("node1", "node5", "node6")]
        watch = Watch(survivors, failing)
        sender = vm.puppet("node5")
        sender.do("option", ROUTE, ROUTE_DIRECT)
        failing[1].tell("recv", -1, -1)
        assert sender.do("send", failing[1].tid, 1, 1) == "0" and sender.do("routes") == "1"
        assert failing[1].answer() == f"{sender.tid} 1 4 1"
        assert [fifth.do("spawnat", name, "/bin/sleep", 1000)[0] for name in ("node2", "node3", "node4")] == 3 * ["1"]

        # each is asked, and sent something over a direct route, as soon as it has failed: nobody knows yet, but that
        # a killed pvmd of ours is gone may be known at once
        os.kill(vm.host_pvmd("node2"), signal.SIGKILL)
        first.tell("spawnat", "node2", "/bin/true")
        vm.network.unplug("node3")
        sender.tell("flood", failing[1].tid, 1, 100, 60000)
        fifth.tell("mstat", "node3")
        vm.freeze("node4")
        sixth.tell("pstat", failing[2].tid)
        assert first.answer() in (f"0 {HOST_FAIL}", f"0 {NO_HOST}")
        assert [task.answer() for task in survivors[1:]] == 2 * [str(HOST_FAIL)]
        watch.check_told()
        assert sender.answer() == "0"
        sender.leave()
        assert vm.hosts() == ["node1", "node5", "node6"]
        assert [task.do("tasks", 0) for task in survivors] == 3 * ["0 3"]
        for task in survivors:
            assert task.do("mstat", "node3") == str(NO_HOST)
            assert task.do("pstat", failing[2].tid) == str(NO_TASK)
            assert task.do("spawn", 3, "/bin/true")[0] == "3"
        converse(survivors)

        # Tasks of the killed pvmd are over, or learn of it; nothing is left but the puppet itself.
        assert failing[0].do("poll", -1, -1).split()[0] == str(SYSTEM_ERROR)
        failing[0].task.discard()
        vm.until_empty("node2")

        # Who is without the master ends, and its tasks with it; who comes back is not listened to, but told to end.
        vm.until_empty("node3")
        vm.network.plug("node3")
        failing[2].tell("send", first.tid, 1, 1)    # while it is frozen: it may end as soon as it goes on
        vm.thaw("node4")
        vm.until_empty("node4")
        assert first.do("poll", -1, -1) == "0 nothing"
        converse(survivors)

        vm.add("node2", "node3", "node4")
        again = [vm.puppet(name) for name in ("node2", "node3", "node4")]
        converse([*survivors, *again])
        for puppet in [*survivors, *again]:
            puppet.leave()
        for puppet in failing:
            puppet.task.discard()


@pytest.mark.parametrize("master", [OURS, STOCK], ids=lambda system: f"{system}-master")
def test_hosts_end_with_their_master(master):
    """The master is killed: pvmds of ours end, and their tasks with them. The first host can start anew."""
    with NetworkMachine([master, OURS, OURS], master, variables=NO_FAILOVER) as vm:
        vm.add()
        puppets = vm.puppets()
        assert puppets[0].do("spawnat", "node3", "/bin/sleep", 1000)[0] == "1"
        vm.pvmd.signal(signal.SIGKILL)
        vm.pvmd.ended()
        for name in vm.others:
            vm.until_empty(name)
        for puppet in puppets:
            puppet.task.discard()
        vm.until_empty("node1")
        vm.remove_files("node1")


def test_master_that_was_frozen():
    """Its hosts are gone when it goes on, and it finds that out; then it can add them again."""
    with NetworkMachine([OURS, OURS, OURS], OURS, variables=NO_FAILOVER) as vm:
        vm.add()
        puppets = vm.puppets()
        watch = Watch(puppets[:1], puppets[1:])
        vm.freeze("node1")
        for name in vm.others:
            vm.until_empty(name)
        vm.thaw("node1")
        watch.check_told()
        vm.until_hosts("node1")
        vm.add()
        converse([puppets[0], *map(vm.puppet, vm.others)])
        for puppet in puppets[1:]:
            puppet.task.discard()


def until_sent(vm, host, frames):
    """Wait until a host, whose cable is impaired, has sent so many frames more."""
    taken = vm.network.counts(host)[0]
    wait_until(lambda: vm.network.counts(host)[0] >= taken + frames, f"{host} has sent {frames} frames")


@pytest.mark.parametrize("slave", [OURS, STOCK], ids=lambda system: f"{system}-slave")
def test_slow_host_is_kept(slave):
    """A host that stands still while it is asked again and again is kept, and nothing is lost."""
    with NetworkMachine([OURS, slave], OURS) as vm:
        vm.add()
        first, second = vm.puppets()
        vm.network.impair("node1")
        vm.freeze("node2")
        for value in range(3):
            assert first.do("send", second.tid, 1, value) == "0"
        until_sent(vm, "node1", 6)
        vm.thaw("node2")
        for value in range(3):
            assert second.do("recv", -1, 1) == f"{first.tid} 1 4 {value}"
        converse([first, second])
        assert vm.hosts() == ["node1", "node2"]
        for puppet in (first, second):
            puppet.leave()


def test_daemon_that_stood_still_accuses_nobody():
    """The master is frozen for longer than its patience, while the others have more of it."""
    with NetworkMachine([OURS, OURS], OURS, variables=PATIENCE,
                        host_variables={"node2": {"PVM_HOST_PATIENCE": "30"}}) as vm:
        vm.add()
        first, second = vm.puppets()
        vm.network.impair("node2")
        vm.freeze("node1")
        assert second.do("send", first.tid, 1, 1) == "0"
        until_sent(vm, "node2", 5)
        vm.thaw("node1")
        converse([first, second])
        assert vm.hosts() == ["node1", "node2"]
        for puppet in (first, second):
            puppet.leave()
