"""Are the tasks of one process told apart by the daemon: their parents, ends, signals, output and accounts?

The watcher is a client of the task protocol; it spawns several.c, whose threads are tasks, and says what they do.
"""
import collections
import os
import signal

import pytest
from support import programs, tasks, wire
from support.machine import VirtualMachine
from support.places import OURS, STOCK
from support.task import wait_until

DAEMONS = pytest.mark.parametrize("daemon", [OURS, STOCK], ids=str)
TASKS = 8
HERE, ANSWER, OVER, ORDER, FORKED, GONE = 1, 2, 3, 4, 5, 6
TELL, END, AWAIT_SIGNAL, KILL_SELF, LEAVE, CRASH, PRINT, FORK = range(8)
SM_EXECACK, SM_TASKX = 0x80040003, 0x8004000B
OK, SYSTEM_ERROR, NO_TASK, NO_PARENT = 0, -14, -31, -23
CHILD = 2               # a flag in the task table


class Watcher(wire.Client):
    """Watches one process with several tasks; self.tids are theirs, the first task's in front."""

    def __init__(self, daemon):
        self.daemon = daemon
        library = tasks.library()
        programs.build("several", library)
        self.vm = VirtualMachine(daemon, library)
        self.vm.__enter__()
        super().__init__(self.vm)
        self.seen = collections.defaultdict(list)
        self.enrol()

    def __exit__(self, *error):
        super().__exit__(*error)
        self.vm.__exit__(*error)

    def spawn(self, how):
        """Start the process. Its tasks are there afterwards, and their ends will be told."""
        words = [str(TASKS), how, str(self.tid)]
        self.parents = {}
        reply = self.request(wire.TM_SPAWN, wire.string("several") + wire.integers(0)
                             + wire.string("") + wire.integers(1, len(words)) + b"".join(map(wire.string, words))
                             + wire.integers(*[0] * 7))
        assert reply.integer() == 1
        self.tids = [reply.integer()] + [None] * TASKS
        for _ in range(TASKS + (how != "none")):
            number, parent, self.tids[number] = self.next(HERE)
            self.parents[number] = parent
        assert len(set(self.tids)) == TASKS + 1
        self.ask(wire.TM_NOTIFY, wire.integers(wire.TASK_EXIT, 0, GONE, TASKS + 1, *self.tids))
        return self

    def _keep(self, message):
        """What came, by its tag: the integers in it, and behind them who sent it."""
        self.seen[message.tag].append((*message.rest(), message.source))

    def next(self, tag):
        """The integers of the next message with the tag, and its sender."""
        while not self.seen[tag]:
            self._keep(self.message())
        return self.seen[tag].pop(0)

    def request(self, tag, body=b""):
        wait = self.ask(tag, body)
        while (reply := self.message()).tag != tag or reply.wait != wait:
            self._keep(reply)
        return reply

    def order(self, number, what):
        self.send(self.tids[number], ORDER, wire.integers(what))

    def kill(self, *numbers, by=signal.SIGTERM):
        for number in numbers:
            self.request(wire.TM_SENDSIG, wire.integers(self.tids[number], by))

    def expect_alive(self, *numbers):
        """They answer, each for itself, and the daemon knows them."""
        for number in numbers:
            self.order(number, TELL)
            assert self.next(ANSWER) == (number, self.tids[number], self.tids[number])
            assert self.request(wire.TM_PSTAT, wire.integers(self.tids[number])).integer() == OK

    def expect_gone(self, *numbers):
        """The ends of those tasks are told, each once, and no others."""
        told = sorted(self.next(GONE)[0] for _ in numbers)
        assert told == sorted(self.tids[number] for number in numbers)
        for number in numbers:
            assert self.request(wire.TM_PSTAT, wire.integers(self.tids[number])).integer() == NO_TASK
        assert not self.seen[GONE]

    def table(self):
        """The task table of the process: by tid, parent, flags and process id."""
        return {tid: (parent, flags, pid) for tid, parent, _, flags, _, pid in self.tasks() if tid in self.tids}


def everybody_but(*numbers):
    return [number for number in range(TASKS + 1) if number not in numbers]


@pytest.mark.parametrize("how", ["first", "late", "none"])
@DAEMONS
def test_parents(daemon, how):
    """The first task is the one that was spawned; those beside it have it for their parent if they say so."""
    with Watcher(daemon).spawn(how) as watcher:
        told = watcher.tids[0] if how == "first" and daemon is OURS else NO_PARENT
        beside = dict.fromkeys(range(1, TASKS + 1), told)
        assert watcher.parents == (beside if how == "none" else {0: watcher.tid, **beside})
        table = watcher.table()
        (parent, flags, process), *others = (table[tid] for tid in watcher.tids)
        assert parent == watcher.tid and flags & CHILD
        assert {other[0] for other in others} == {max(told, 0)}
        assert {other[2] for other in others} == {process}
        assert not any(flags & CHILD for _, flags, _ in others)
        watcher.expect_alive(*range(how == "none", TASKS + 1))


@DAEMONS
def test_one_ends(daemon):
    with Watcher(daemon).spawn("first") as watcher:
        watcher.order(2, END)
        watcher.expect_gone(2)
        assert watcher.next(OVER) == (2, OK, watcher.tids[0])
        watcher.expect_alive(*everybody_but(2))


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGKILL])
def test_one_is_killed(by):
    """It ends alone, and its thread learns of it."""
    with Watcher(OURS).spawn("first") as watcher:
        watcher.kill(3, by=by)
        watcher.expect_gone(3)
        assert watcher.next(OVER) == (3, SYSTEM_ERROR, watcher.tids[0])
        watcher.order(5, KILL_SELF)
        watcher.expect_gone(5)
        assert watcher.next(OVER) == (5, SYSTEM_ERROR, watcher.tids[0])
        watcher.expect_alive(*everybody_but(3, 5))


def test_the_process_ends_but_not_its_child():
    """A child that has copies of the connections does not keep the tasks alive."""
    with Watcher(OURS).spawn("first") as watcher:
        watcher.order(1, FORK)
        _, child, _ = watcher.next(FORKED)
        watcher.order(1, CRASH)
        watcher.expect_gone(*everybody_but())
        os.kill(child, signal.SIGKILL)


@DAEMONS
def test_other_signals_are_the_process_s(daemon):
    with Watcher(daemon).spawn("first") as watcher:
        for number in (4, 0):
            watcher.kill(number, by=signal.SIGUSR1)
            watcher.order(number, AWAIT_SIGNAL)
            assert watcher.next(ANSWER)[0] == number
        watcher.expect_alive(*everybody_but())


@DAEMONS
@pytest.mark.parametrize("order", [LEAVE, CRASH])
def test_the_process_ends(daemon, order):
    with Watcher(daemon).spawn("first") as watcher:
        watcher.order(6, order)
        watcher.expect_gone(*everybody_but())


@DAEMONS
def test_the_first_is_killed(daemon):
    """It stands for the process."""
    with Watcher(daemon).spawn("late") as watcher:
        watcher.kill(0)
        watcher.expect_gone(*everybody_but())


@DAEMONS
def test_all_are_killed(daemon):
    """The process goes with the last of its tasks."""
    with Watcher(daemon).spawn("none") as watcher:
        watcher.kill(*range(1, TASKS + 1))
        watcher.expect_gone(*everybody_but())


@DAEMONS
def test_output(daemon):
    """What the process prints is its first task's, whoever prints it, and whatever becomes of the others."""
    with Watcher(daemon).spawn("first") as watcher:
        for number in (1, 0, 2):
            watcher.order(number, PRINT)
            assert watcher.next(ANSWER)[0] == number
            watcher.order(TASKS - number, END)
            watcher.expect_gone(TASKS - number)
        wait_until(lambda: len(watcher.vm.task_log()) == 3, "the log has all lines")
        assert watcher.vm.task_log() == [(f"{watcher.tids[0]:x}", f"this is {number}") for number in (1, 0, 2)]


def test_accounts():
    """A resource manager is told of each task once; how the process ended is told of the first."""
    with Watcher(OURS) as watcher:
        watcher.request(wire.TM_SCHED)
        watcher.spawn("first")
        assert sorted(watcher.next(SM_EXECACK)[1] for _ in range(TASKS)) == sorted(watcher.tids[1:])
        watcher.order(1, END)
        watcher.expect_gone(1)
        watcher.kill(2)
        watcher.expect_gone(2)
        watcher.order(3, LEAVE)
        watcher.expect_gone(*everybody_but(1, 2))
        ends = [watcher.next(SM_TASKX) for _ in watcher.tids]
        assert not watcher.seen[SM_TASKX]
        assert {end[0]: end[1] for end in ends} == {
            tid: {0: 3 << 8, 2: signal.SIGTERM}.get(number, 0) for number, tid in enumerate(watcher.tids)}
        used = {end[0]: any(end[2:6]) for end in ends}
        assert [tid for tid in watcher.tids if used[tid]] == watcher.tids[:1]


@DAEMONS
def test_parents_agree(daemon):
    """A parent must be a task of the same process."""
    with Watcher(daemon).spawn("first") as watcher, wire.Client(watcher.vm) as friend, \
            wire.Client(watcher.vm) as child, wire.Client(watcher.vm) as liar, wire.Client(watcher.vm) as orphan:
        friend.enrol()
        child.enrol(cookie=-friend.tid)
        liar.enrol(cookie=-watcher.tids[0])
        orphan.enrol(cookie=-child.tid - 1000)
        parents = {tid: parent for tid, parent, *_ in watcher.tasks()}
        assert parents[child.tid] == (friend.tid if daemon is OURS else 0)
        assert parents[liar.tid] == parents[orphan.tid] == parents[friend.tid] == 0
