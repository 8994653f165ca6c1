"""Does a virtual machine go on while hosts, daemons, tasks and links of it fail again and again?

The hosts are network namespaces. Two of them, the master and another one, never fail: tasks there want to be told of
all ends. In a long run there are 64 hosts, and failures for ten minutes. Otherwise each kind of failure comes once.
"""
import itertools
import os
import random
import signal
import time

from support.network import NetworkMachine
from support.places import OURS
from support.task import MEASURED, memory, wait_until

HOSTS, MANY_HOSTS, LONG_SECONDS = 6, 64, 600
SEED = 1
MESSAGES, INTS = 50, 3000
WORDS = 10                  # sent while a host is away
TAG_OF_ENDS = 1000          # the first one
GROWTH = 4 << 20            # what the memory of a daemon may have more in the end: pools and tables, and no more


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


class Watched:
    """A task on a host that may fail, and the tags by which the watchers are told of both ends."""

    def __init__(self, vm, host, watchers, tags):
        self.puppet = vm.puppet(host)
        self.watchers = watchers
        self.task_tag, self.host_tag = next(tags), next(tags)
        for watcher in watchers:
            assert watcher.do("notify", self.task_tag, self.puppet.tid) == "0"
            assert watcher.do("hostend", self.host_tag, self.puppet.daemon) == "0"

    def is_over(self, host_too):
        for watcher in self.watchers:
            watcher.is_told(self.task_tag, self.puppet.tid)
            if host_too:
                watcher.is_told(self.host_tag, self.puppet.daemon)
        self.puppet.task.discard()


class Soak:
    def __init__(self, vm, rng):
        self.vm = vm
        self.rng = rng
        self.tags = itertools.count(TAG_OF_ENDS)
        self.watchers = [vm.puppet(name) for name in vm.names[:2]]
        self.watched = {}
        self.tags_of_hosts = []     # of hosts that live on, though a task there has ended
        for name in vm.names[2:]:
            self.watch(name)
        self.failures = [self.task_dies, self.daemon_dies, self.host_is_cut_off, self.link_is_down_for_a_moment,
                         self.two_hosts_are_parted_for_a_moment, self.daemon_stands_still_for_a_moment]

    def watch(self, host):
        self.watched[host] = Watched(self.vm, host, self.watchers, self.tags)

    def victim(self):
        return self.rng.choice(list(self.watched))

    def comes_back(self, host):
        """Nothing runs on the host any more. It is added again, and has a task again."""
        self.vm.until_empty(host)
        self.vm.remove_files(host)
        self.vm.add(host)
        self.watch(host)

    # failures

    def task_dies(self):
        host = self.victim()
        watched = self.watched[host]
        self.tags_of_hosts.append((watched.host_tag, watched.puppet.daemon, host))
        watched.puppet.task.signal(signal.SIGKILL)
        watched.is_over(host_too=False)
        self.watch(host)

    def host_is_over(self, host):
        """Also those words come that were asked for beside an earlier task of the host."""
        self.watched[host].is_over(host_too=True)
        for tag, tid, _ in [entry for entry in self.tags_of_hosts if entry[2] == host]:
            for watcher in self.watchers:
                watcher.is_told(tag, tid)
        self.tags_of_hosts = [entry for entry in self.tags_of_hosts if entry[2] != host]

    def daemon_dies(self):
        """With all that runs on its host."""
        host = self.victim()
        self.vm.kill(host)
        self.host_is_over(host)
        self.comes_back(host)

    def host_is_cut_off(self):
        host = self.victim()
        self.vm.network.unplug(host)
        self.host_is_over(host)
        self.vm.kill(host)
        self.vm.network.plug(host)
        self.comes_back(host)

    def words_come(self, sender, host, begin, end):
        """What is sent to a host between two moments comes once, and in order."""
        puppet = self.watched[host].puppet
        begin()
        for value in range(WORDS):
            assert sender.do("send", puppet.tid, 1, value) == "0"
        end()
        for value in range(WORDS):
            assert puppet.do("recv", -1, 1) == f"{sender.tid} 1 4 {value}"

    def link_is_down_for_a_moment(self):
        host = self.victim()
        self.words_come(self.watchers[0], host, lambda: self.vm.network.unplug(host),
                        lambda: self.vm.network.plug(host))

    def two_hosts_are_parted_for_a_moment(self):
        host = self.victim()
        self.words_come(self.watchers[1], host, lambda: self.vm.network.part(self.vm.names[1], host),
                        lambda: self.vm.network.join(self.vm.names[1], host))

    def daemon_stands_still_for_a_moment(self):
        host = self.victim()
        pid = self.vm.host_pvmd(host)
        self.words_come(self.watchers[1], host, lambda: os.kill(pid, signal.SIGSTOP),
                        lambda: os.kill(pid, signal.SIGCONT))

    # and all go on

    def check(self):
        """All hosts are there and start tasks. Two tasks anywhere exchange messages, whole and in order."""
        one, other = self.rng.sample([*self.watchers, *(watched.puppet for watched in self.watched.values())], 2)
        one.tell("gather", other.tid, 2, MESSAGES)
        assert other.do("flood", one.tid, 2, MESSAGES, INTS) == "0"
        assert one.answer() == str(MESSAGES)
        host = self.rng.choice(self.vm.names)
        assert one.do("spawnat", host, "/bin/true").split()[0] == "1"
        assert other.do("mstat", host) == "0"

    def finish(self):
        """Nobody was told of anything more often than once."""
        assert sorted(self.vm.hosts()) == sorted(self.vm.names)
        for watched in self.watched.values():
            watched.puppet.leave()
            for watcher in self.watchers:
                watcher.is_told(watched.task_tag, watched.puppet.tid)
        for watcher in self.watchers:
            assert watcher.do("poll", -1, -1) == "0 nothing"
            watcher.leave()


def failures_of(soak, long_run):
    if not long_run:
        yield from soak.rng.sample(soak.failures, len(soak.failures))
        return
    end = time.monotonic() + LONG_SECONDS
    while time.monotonic() < end:
        yield soak.rng.choice(soak.failures)


def test_a_machine_of_which_parts_fail(long_run):
    hosts = MANY_HOSTS if long_run else HOSTS
    with NetworkMachine(hosts * [OURS], OURS, variables=MEASURED) as vm:
        vm.add()
        soak = Soak(vm, random.Random(SEED))
        lasting = [vm.host_pvmd(name) for name in vm.names[:2]]
        soak.check()
        before = [(memory(pid), descriptors(pid)) for pid in lasting]
        for failure in failures_of(soak, long_run):
            print(failure.__name__)
            failure()
            soak.check()
        for pid, (bytes_before, descriptors_before) in zip(lasting, before):
            wait_until(lambda: descriptors(pid) <= descriptors_before, f"process {pid} has few descriptors again")
            assert memory(pid) < bytes_before + GROWTH
        soak.finish()
