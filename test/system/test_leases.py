"""Does a pvmd know tasks that share one connection: their births, messages, ends and signals?

Processes are played here: they say what the library does that lets threads be tasks (support/lease.py).
"""
import contextlib
import os
import signal
from types import SimpleNamespace

import pytest
from support import attacks, wire
from support.hosts import HostsMachine
from support.lease import Lease
from support.machine import CONNECTED, VirtualMachine
from support.places import OURS, STOCK, TESTS
from support.task import process_state, wait_until
from support.wire import integers, string

OK, BAD_PARAM, OUT_OF_RESOURCES, NO_TASK, NO_PARENT = 0, -2, -27, -31, -35
MOST, SPARE = 4096, 4095        # tids of a lease; a 64th of all
TAG, GONE = 7, 9
NATIVE = 0x408C41       # an encoding whose long frames may be cut
SM_EXECACK, SM_TASKX = 0x80040003, 0x8004000B
OUTPUT_END, OUTPUT_SPAWNED, OUTPUT_STARTED = 0, -1, -2
TRACED_BEGIN, TRACED_END, TRACED_SPAWN = 75, 76, 77
SECOND = "127.0.0.3"
LEASER = str(TESTS / "system" / "leaser.py")


@contextlib.contextmanager
def scene(needed=8, wished=None, **options):
    """A process with leased tids, and a task that watches it."""
    with VirtualMachine(OURS, OURS, **options) as vm, Lease(vm, needed, wished) as lease, \
            wire.Client(vm) as watcher:
        watcher.enrol()
        yield vm, lease, watcher


def state(client, tid):
    return client.request(wire.TM_PSTAT, integers(tid)).integer()


def watch(client, *tids):
    client.ask(wire.TM_NOTIFY, integers(wire.TASK_EXIT, 0, GONE, len(tids), *tids))


def told_gone(client, count):
    """The tids of the next ends that are told."""
    return [told(client, GONE)[0] for _ in range(count)]


def told(client, tag):
    """The integers of the next message, which has that tag."""
    message = client.message()
    assert message.tag == tag
    return message.rest()


def test_lives():
    """Who has a leased tid is seen from its birth to its death, and no longer."""
    with scene() as (_, lease, watcher):
        first, second, third = lease.tids[:3]
        before = watcher.tasks()
        assert [task[0] for task in before] == [lease.tid, watcher.tid]
        assert state(watcher, first) == NO_TASK
        lease.bear(first, second, parent=lease.tid)
        lease.bear(third, parent=NO_PARENT, name="", source=second)
        assert watcher.tasks() == sorted(before + [
            (first, lease.tid, 0x40000, CONNECTED, "thread", wire.NO_PROCESS),
            (second, lease.tid, 0x40000, CONNECTED, "thread", wire.NO_PROCESS),
            (third, NO_PARENT, 0x40000, CONNECTED, "", wire.NO_PROCESS)])
        assert [state(watcher, tid) for tid in lease.tids[:4]] == [OK, OK, OK, NO_TASK]
        watch(watcher, *lease.tids[:4])
        assert told_gone(watcher, 1) == [lease.tids[3]]
        lease.bury(first, third, source=third)
        assert told_gone(watcher, 2) == [first, third]
        lease.bury(lease.tid, source=second)
        assert [task[0] for task in watcher.tasks()] == [second, watcher.tid]
        watch(watcher, first)
        assert told_gone(watcher, 1) == [first]


def test_parents_are_there():
    """A parent is a task that lives, or one of another host that there is, or nobody."""
    with scene() as (_, lease, watcher):
        first, second, third = lease.bear(*lease.tids[:1], parent=watcher.tid) + tuple(lease.tids[1:3])
        lease.bear(second, parent=third)
        lease.bear(third, parent=first)
        strange = lease.tids[3:7]
        for tid, parent in zip(strange, (wire.PVMD, 0x80000 | 1, -1, wire.NOBODY)):
            lease.bear(tid, parent=parent)
        assert [task[1] for task in watcher.tasks() if task[0] in strange] == [0, 0, 0, 0]
        lease.bury(*strange)
        assert [task[1] for task in watcher.tasks() if task[0] in lease.tids] == [watcher.tid, 0, first]


def test_tids_are_not_leased_twice():
    with scene(needed=3) as (vm, lease, watcher):
        more = lease.lease(2)
        lease.bear(*lease.tids, *more)
        lease.bury(*lease.tids, *more)
        with Lease(vm, 5) as other:
            tids = [lease.tid, watcher.tid, other.tid, *lease.tids, *more, *other.tids]
        assert len(set(tids)) == len(tids) == 13


def test_messages():
    """Between tasks of the process and others, and among themselves, of any length."""
    with scene() as (_, lease, watcher):
        one, other = lease.bear(*lease.tids[:2])
        for body in (b"", integers(42), bytes(range(256)) * 1000):
            watcher.send(one, TAG, body)
            lease.send(other, TAG, body, source=one)
            lease.send(watcher.tid, TAG, body, source=other)
            assert lease.next(one, TAG).body == body
            message = lease.next(other, TAG)
            assert (message.source, message.body) == (one, body)
            message = watcher.message()
            assert (message.source, message.tag, message.body) == (other, TAG, body)
        assert lease.request(wire.TM_CONTEXT, integers(0), source=other).integer() > 0


def test_long_frames():
    """The pvmd passes on a long frame in pieces, and each piece has the source of the frame."""
    with scene() as (_, lease, watcher):
        one, other = lease.bear(*lease.tids[:2])
        body = os.urandom(1 << 20)
        for source in (one, other):
            lease.write(wire.frame(watcher.tid, wire.header(TAG, encoding=NATIVE) + body, source=source))
            message = watcher.message()
            assert (message.source, message.encoding, message.body) == (source, NATIVE, body)


def test_messages_before_a_birth():
    """Who learns of a tid may be quicker than its process."""
    with scene() as (_, lease, watcher):
        tid = lease.tids[0]
        watcher.send(tid, TAG, integers(1))
        assert lease.next(tid, TAG).rest() == [1]
        lease.bear(tid)
        watcher.send(tid, TAG, integers(2))
        assert lease.next(tid, TAG).rest() == [2]


def test_frames_of_several_tasks_alternate():
    """Each goes on with what its own task has begun, for the pvmd and for others."""
    with scene() as (_, lease, watcher):
        one, other = lease.bear(*lease.tids[:2])
        pieces = {tid: (wire.header(TAG), integers(tid), integers(tid + 1)) for tid in (one, other)}
        requests = {tid: (wire.header(wire.TM_PSTAT, wire.REQUEST_CONTEXT, tid), integers(tid)) for tid in (one, other)}
        for i, flags in enumerate((wire.SOM, 0, wire.EOM)):
            for tid in (one, other):
                lease.write(wire.frame(watcher.tid, pieces[tid][i], flags, source=tid))
        for i, flags in enumerate((wire.SOM, wire.EOM)):
            for tid in (one, other):
                lease.write(wire.frame(wire.PVMD, requests[tid][i], flags, source=tid))
        for tid in (one, other):
            message = watcher.message()
            assert (message.source, message.rest()) == (tid, [tid, tid + 1])
            answer = lease.next(tid, wire.TM_PSTAT)
            assert (answer.wait, answer.integer()) == (tid, OK)


def send_in_pieces(sender, source, body):
    """A multicast, whose receivers have been announced, as libraries of 3.4.6 send it."""
    for i in range(0, len(body), 4000):
        flags = wire.SOM * (i == 0) | wire.EOM * (i + 4000 >= len(body))
        piece = (wire.header(TAG) if i == 0 else b"") + body[i:i + 4000]
        sender.write(wire.frame(source | 1 << 30, piece, flags, source=source))


def test_multicasts():
    """A long message for many tasks of one connection: each gets the whole."""
    with scene() as (_, lease, watcher):
        lease.bear(*lease.tids)
        for sender, source in ((watcher, watcher.tid), (lease, lease.tids[2])):
            tids = [tid for tid in lease.tids if tid != source]
            sender.ask(wire.TM_MCA, integers(len(tids), *tids), source=source)
            body = bytes(range(250)) * 100
            send_in_pieces(sender, source, body)
            for tid in tids:
                message = lease.next(tid, TAG)
                assert (message.source, message.body) == (source, body)
        assert not lease.kept


@contextlib.contextmanager
def stopped(vm):
    """What is written meanwhile is read in the order in which it was begun, by connections."""
    vm.pvmd.signal(signal.SIGSTOP)
    wait_until(lambda: process_state(vm.pvmd.pid) == "T", "the pvmd has stopped")
    yield
    vm.pvmd.signal(signal.SIGCONT)


@pytest.mark.parametrize("question", ["state", "table", "entry"])
def test_a_question_does_not_overtake_a_birth(question):
    tag, what = {"state": (wire.TM_PSTAT, None), "table": (wire.TM_TASK, 0), "entry": (wire.TM_TASK, None)}[question]
    with scene() as (vm, lease, watcher):
        tid = lease.tids[0]
        with stopped(vm):
            watcher.ask(tag, integers(tid if what is None else what))
            lease.bear(tid, name="")
        answer = watcher.message()
        assert answer.integer() == OK
        assert tag == wire.TM_PSTAT or tid in answer.rest()


def test_a_signal_does_not_overtake_a_birth():
    with scene() as (vm, lease, watcher):
        tid = lease.tids[0]
        with stopped(vm):
            watcher.ask(wire.TM_SENDSIG, integers(tid, signal.SIGTERM))
            lease.bear(tid)
        assert lease.next(tid, wire.ENDED).source == wire.PVMD


def test_a_notice_does_not_overtake_a_birth_or_a_death():
    with scene() as (vm, lease, watcher):
        tid, dies = lease.tids[0], lease.bear(lease.tids[1])[0]
        lease.settle()
        with stopped(vm):
            watch(watcher, tid, dies)
            lease.bear(tid)
            lease.bury(dies)
        assert told_gone(watcher, 1) == [dies]
        assert state(watcher, tid) == OK
        lease.bury(tid)
        assert told_gone(watcher, 1) == [tid]


def test_questions_that_cross():
    """Each of two processes asks about a task of the other that is not born yet, as far as the pvmd has read."""
    with scene() as (vm, lease, _), Lease(vm) as other:
        one, another = lease.tids[0], other.tids[0]
        with stopped(vm):
            lease.ask(wire.TM_PSTAT, integers(another))
            other.ask(wire.TM_PSTAT, integers(one))
            lease.bear(one)
            other.bear(another)
        assert lease.next(lease.tid, wire.TM_PSTAT).integer() == OK
        assert other.next(other.tid, wire.TM_PSTAT).integer() == OK


def flood(vm, lease, reader):
    """The process sends to one who does not read, until the pvmd does not read from it any more."""
    whole = wire.frame(reader.tid, wire.header(TAG) + bytes(8 << 10), source=lease.tid)
    lease.socket.setblocking(False)
    while "wait for t" not in vm.log():
        with contextlib.suppress(BlockingIOError):
            assert lease.socket.send(whole) == len(whole)
    lease.socket.setblocking(True)


def test_a_birth_behind_what_waits():
    """A process that is held, since a task does not read what it sends, can still tell who its tasks are."""
    with scene(variables={"PVM_QUEUE_LIMIT": "1"}) as (vm, lease, watcher), wire.Client(vm) as reader:
        reader.enrol()
        flood(vm, lease, reader)
        lease.bear(lease.tids[0])
        assert state(watcher, lease.tids[0]) == OK
        assert reader.message().source == lease.tid


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGKILL])
def test_one_is_killed(by):
    """Its process is told, once, and says when it is over. Until then it is there, and says nothing more."""
    with scene() as (_, lease, watcher):
        watcher.request(wire.TM_SCHED)
        one, other = lease.bear(*lease.tids[:2])
        watch(watcher, one)
        lease.send(watcher.tid, TAG, integers(1), source=one)
        for _ in range(2):
            watcher.ask(wire.TM_SENDSIG, integers(one, by))
        assert sorted(watcher.message().tag for _ in range(5)) == [TAG, *2 * [wire.TM_SENDSIG], *2 * [SM_EXECACK]]
        ended = lease.next(one, wire.ENDED)
        assert (ended.source, ended.context, ended.body) == (wire.PVMD, 0x7FFFF, b"")
        lease.send(watcher.tid, TAG, integers(2), source=one)
        lease.ask(wire.TM_CONFIG, source=one)
        lease.send(watcher.tid, TAG, integers(3), source=other)
        assert told(watcher, TAG) == [3]
        assert state(watcher, one) == OK
        assert len(lease.lease(1, source=one)) == 1
        lease.bear(lease.tids[2], source=one)
        assert told(watcher, SM_EXECACK) == [1, lease.tids[2]]
        lease.bury(one, source=one)
        assert told(watcher, SM_TASKX)[:2] == [one, by]
        assert told_gone(watcher, 1) == [one]
        lease.settle()
        assert not lease.kept


def run_leaser(vm, watcher, *words, spawned=True):
    """A process of its own: its tids, its child, and its process id."""
    words = [str(watcher.tid), *map(str, words)]
    if spawned:
        watcher.request(wire.TM_SPAWN, string(LEASER) + integers(0) + string("") + integers(1, len(words))
                        + b"".join(map(string, words)) + integers(*[0] * 7))
    else:
        vm.start(LEASER, *words, variables={"PVMSOCK": vm.socket})
    *tids, child = told(watcher, 1)
    return tids, child, next(task[5] for task in watcher.tasks() if task[0] == tids[0])


@pytest.mark.parametrize("how", [[], ["own"]], ids=["connection of another", "connection of the first"])
def test_the_last_takes_the_process_with_it(how):
    """Other signals are the process's, whoever gets them."""
    with VirtualMachine(OURS, OURS) as vm, wire.Client(vm) as watcher:
        watcher.enrol()
        tids, _, process = run_leaser(vm, watcher, 3, "leave", *how)
        watch(watcher, *tids)
        for by, state_then in ((signal.SIGSTOP, "T"), (signal.SIGCONT, "S")):
            watcher.request(wire.TM_SENDSIG, integers(tids[2], by))
            wait_until(lambda: process_state(process) == state_then, "the process has got the signal")
        for tid in tids[1:-1]:
            watcher.request(wire.TM_SENDSIG, integers(tid, signal.SIGTERM))
            assert [state(watcher, tid) for tid in tids] == [OK] * len(tids)
        watcher.request(wire.TM_SENDSIG, integers(tids[-1], signal.SIGTERM))
        assert sorted(told_gone(watcher, len(tids))) == sorted(tids)


@pytest.mark.parametrize("slave", [OURS, STOCK], ids=str)
def test_tasks_of_another_host(slave):
    """They send to the tasks of a lease, ask about them and end them, as if each had a connection of its own."""
    with HostsMachine(OURS, OURS, slave=slave) as vm, Lease(vm) as lease:
        lease.request(wire.TM_ADDHOST, integers(1) + string(SECOND))
        folder = vm.folder / SECOND
        address, = (folder / vm.address_file.name).read_text().split()
        with wire.Client(SimpleNamespace(socket=address, folder=folder)) as far:
            far.enrol()
            one, other = lease.bear(*lease.tids[:2])
            lease.send(far.tid, TAG, integers(1), source=one)
            assert told(far, TAG) == [1]
            body = bytes(range(250)) * 100
            far.ask(wire.TM_MCA, integers(2, one, other))
            send_in_pieces(far, far.tid, body)
            for tid in (one, other):
                message = lease.next(tid, TAG)
                assert (message.source, message.body) == (far.tid, body)
            assert [state(far, tid) for tid in lease.tids[:3]] == [OK, OK, NO_TASK]
            assert one in [task[0] for task in far.tasks()]
            watch(far, one, other)
            far.request(wire.TM_SENDSIG, integers(other, signal.SIGTERM))
            assert lease.next(other, wire.ENDED)
            lease.bury(other, one)
            assert sorted(told_gone(far, 2)) == [one, other]


def test_exit():
    """A task that leaves gets its answer; the others stay."""
    with scene() as (_, lease, watcher):
        one, other = lease.bear(*lease.tids[:2])
        watch(watcher, one, lease.tid)
        lease.request(wire.TM_EXIT, source=one)
        lease.request(wire.TM_EXIT)
        assert told_gone(watcher, 2) == [one, lease.tid]
        lease.tid = other
        lease.settle()
        assert [task[0] for task in watcher.tasks()] == [other, watcher.tid]


def test_nobody_left():
    """The connection stays while its process does, and so do the tids."""
    with scene() as (_, lease, watcher):
        lease.bury(lease.tid)
        assert [task[0] for task in watcher.tasks()] == [watcher.tid]
        watcher.send(lease.tids[0], TAG, integers(1))
        assert lease.next(lease.tids[0], TAG).rest() == [1]


def test_the_connection_ends():
    """All its tasks are over, each once, and what waited for any of them is forgotten."""
    with scene(needed=100) as (_, lease, watcher):
        born = lease.bear(*lease.tids[::2])
        lease.send(wire.PVMD, wire.TM_NOTIFY, integers(wire.TASK_EXIT, 0, GONE, 2, born[1], watcher.tid), source=born[0])
        lease.settle()
        watch(watcher, lease.tid, *born)
        lease.socket.close()
        assert sorted(told_gone(watcher, 51)) == [lease.tid, *born]
        assert [state(watcher, tid) for tid in lease.tids] == [NO_TASK] * 100
        watcher.request(wire.TM_EXIT)


@pytest.mark.parametrize("how", [[], ["own"]], ids=["connection of another", "connection of the first"])
@pytest.mark.parametrize("spawned, forks", [(True, []), (True, ["fork"]), (False, [])],
                         ids=["spawned", "spawned and forked", "started"])
def test_a_process_is_killed(spawned, forks, how):
    """The ends of all its tasks are told, even if a child of it has the connections."""
    with VirtualMachine(OURS, OURS) as vm, wire.Client(vm) as watcher:
        watcher.enrol()
        tids, child, process = run_leaser(vm, watcher, 100, *how, *forks, spawned=spawned)
        watch(watcher, *tids)
        os.kill(process, signal.SIGKILL)
        assert sorted(told_gone(watcher, len(tids))) == sorted(tids)
        assert [task[0] for task in watcher.tasks()] == [watcher.tid]
        if child:
            os.kill(child, signal.SIGKILL)


def test_sinks():
    """Where the output and the trace of a task go is told with its birth, as if it had asked for it then."""
    with scene() as (_, lease, watcher):
        tid, = lease.bear(lease.tids[0], parent=lease.tid, output=(watcher.tid, 0, 5), trace=(watcher.tid, 0, 6))
        assert told(watcher, 5) == [tid, OUTPUT_SPAWNED, lease.tid]
        assert told(watcher, 5) == [tid, OUTPUT_STARTED, lease.tid]
        told(watcher, 6)        # what the fields mean
        assert [kind_of(watcher.message()) for _ in range(2)] == [TRACED_SPAWN, TRACED_BEGIN]
        lease.bury(tid)
        assert told(watcher, 5) == [tid, OUTPUT_END]
        assert kind_of(watcher.message()) == TRACED_END


def kind_of(event):
    """What a record of a trace tells of."""
    assert event.tag == 6
    event.integer()
    return event.integer()


def test_services():
    """A resource manager and a tracer are told of each task."""
    with scene() as (_, lease, watcher):
        watcher.request(wire.TM_SCHED)
        tid, = lease.bear(lease.tids[0])
        assert told(watcher, SM_EXECACK) == [1, tid]
        lease.bury(tid)
        assert told(watcher, SM_TASKX) == [tid, 0, 0, 0, 0, 0]


def test_what_is_wished_is_a_favour():
    """One gets it while there are many tids left, and no limit on tasks."""
    with VirtualMachine(OURS, OURS) as vm, Lease(vm, 3, MOST) as greedy, Lease(vm, MOST) as needy:
        assert len(greedy.tids) == SPARE
        assert len(needy.tids) == MOST
    with VirtualMachine(OURS, OURS, variables={"PVM_MAX_TASKS": "10"}) as vm, Lease(vm, 3, MOST) as modest:
        assert len(modest.tids) == 3


def test_limit():
    """Tids that are leased count as tasks until their connection ends."""
    with VirtualMachine(OURS, OURS, variables={"PVM_MAX_TASKS": "10"}) as vm, wire.Client(vm) as watcher:
        watcher.enrol()
        with Lease(vm, 5) as lease:
            assert lease.lease(4) == OUT_OF_RESOURCES
            assert len(lease.lease(3)) == 3
            assert lease.lease(1) == OUT_OF_RESOURCES
            watch(watcher, lease.tid)
            with wire.Client(vm) as late, pytest.raises(wire.Closed):
                late.enrol()
            lease.bear(lease.tids[0])
            lease.bury(lease.tids[0])
            assert len(lease.lease(1)) == 1
        assert told_gone(watcher, 1) == [lease.tid]
        with Lease(vm, 8) as lease:
            assert len(lease.tids) == 8


def test_leased_tids_take_no_descriptors():
    """What a pvmd may open is for tasks that have something to open."""
    with scene(needed=1000, wrapper=["prlimit", "--nofile=100:100"]) as (_, lease, watcher):
        lease.bear(*lease.tids[:500])
        watcher.ask(wire.TM_SPAWN, string("/bin/sleep") + integers(0) + string("") + integers(1, 1) + string("1000")
                    + integers(*[0] * 7))
        count, tid = watcher.message().rest()
        assert count == 1 and tid > 0


NOBODY = integers(wire.NOBODY)


# What makes no sense ------------------------------------------------------------------------------

def entry(tid, name=string("x"), sinks=6):
    return integers(tid, 0) + name + integers(*[0] * sinks)


BAD_LEASES = {"nothing": b"", "half": integers(1), "less than nothing": integers(-1, 5), "too little": integers(5, 4),
              "too much": integers(5, MOST + 1), "far too much": integers(attacks.MOST, attacks.MOST)}
BAD_BIRTHS = {"nothing": b"", "giant count": integers(attacks.MOST), "negative count": integers(-1),
              "count without tasks": integers(2) + entry(0x40001)[:8], "half": integers(1) + entry(0x40001, sinks=5),
              "giant name": integers(1) + entry(0x40001, integers(attacks.MOST) + b"name"),
              "long name": integers(1) + entry(0x40001, string("x" * 2000)),
              "endless name": integers(1) + entry(0x40001, integers(4) + b"name")}
BAD_DEATHS = {"nothing": b"", "giant count": integers(attacks.MOST, 0x40001), "negative count": integers(-1),
              "too few": integers(3, 0x40001, 0x40001)}
BAD = [(tag, name, body) for tag, bodies in ((wire.BIRTHS, BAD_BIRTHS), (wire.DEATHS, BAD_DEATHS))
       for name, body in bodies.items()]


@pytest.mark.parametrize("body", BAD_LEASES.values(), ids=list(BAD_LEASES))
def test_bad_leases(body):
    with scene() as (_, lease, watcher):
        for client in (lease, watcher):
            assert client.request(wire.LEASE, body).rest() == [BAD_PARAM]
        assert len(lease.lease(1)) == 1


@contextlib.contextmanager
def complaint(vm, text):
    """One line is written meanwhile, and says that."""
    before = vm.log().splitlines()
    yield
    new = vm.log().splitlines()[len(before):]
    assert len(new) == 1 and text in new[0], new


@pytest.mark.parametrize("tag, body", [(tag, body) for tag, _, body in BAD], ids=[f"{tag:x} {name}" for tag, name, _ in BAD])
def test_bad_bodies(tag, body):
    """Of a body that makes no sense nothing is done."""
    with scene() as (vm, lease, watcher):
        with complaint(vm, "makes no sense"):
            lease.tell(tag, body)
            lease.settle()
        lease.bear(lease.tids[0])
        assert [state(watcher, tid) for tid in (lease.tid, *lease.tids[:2])] == [OK, OK, NO_TASK]


@pytest.mark.parametrize("half", range(40, 80, 4))
def test_births_are_read_whole(half):
    with scene() as (_, lease, watcher):
        lease.tell(wire.BIRTHS, (integers(2) + entry(lease.tids[0]) + entry(lease.tids[1]))[:half + 4])
        lease.settle()
        assert state(watcher, lease.tids[0]) == NO_TASK


def test_births_and_deaths_of_others():
    """What is wrong of some is told, and of the others done."""
    with scene() as (vm, lease, watcher), Lease(vm) as other:
        mine, late, unborn = lease.tids[:3]
        theirs, free = other.tids[:2]
        other.bear(theirs)
        other.settle()
        foreign = [theirs, free, watcher.tid, 0, -1, wire.PVMD, 0x80001, 0x4FFFF]
        with complaint(vm, f"t{lease.tid:x} tells of the birth of t{theirs:x}, which is no free tid of its lease"):
            lease.bear(*foreign, mine, lease.tid, mine, late)
            lease.settle()
        with complaint(vm, f"t{lease.tid:x} tells of the death of t{theirs:x}, which is no task of its lease"):
            lease.bury(*foreign, late, unborn, late)
            lease.bear(late, unborn)
            lease.settle()
        assert [task[0] for task in watcher.tasks()] == [lease.tid, mine, unborn, watcher.tid, other.tid, theirs]


def test_births_when_nobody_lives():
    """A task may tell of its own birth, and says nothing else before."""
    with scene() as (_, lease, watcher):
        lease.bury(lease.tid)
        one, two = lease.tids[:2]
        lease.send(wire.PVMD, wire.TM_EXIT, b"", wire.REQUEST_CONTEXT, 1, source=one)
        lease.bear(one, two, source=two)
        lease.send(watcher.tid, TAG, integers(1), source=one)
        assert told(watcher, TAG) == [1]
        assert [task[0] for task in watcher.tasks()] == [one, two, watcher.tid]


def test_births_and_deaths_without_a_lease():
    with scene() as (vm, lease, watcher):
        lease.bear(lease.tids[0])
        lease.settle()
        for tag, body in ((wire.BIRTHS, integers(1) + entry(lease.tids[1])), (wire.DEATHS, integers(1, lease.tids[0]))):
            assert watcher.request(tag, body).rest() == [BAD_PARAM]
        assert [state(watcher, tid) for tid in lease.tids[:2]] == [OK, NO_TASK]


def test_frames_of_nobody():
    """What does not come from a living task of the process is dropped, and told once."""
    with scene() as (vm, lease, watcher):
        one, dead, unborn = lease.tids[:3]
        lease.bear(one, dead)
        lease.bury(dead)
        lease.settle()
        with complaint(vm, f"the connection of t{lease.tid:x} brought a frame of t{dead:x}, which is no task of it"):
            for source in (dead, unborn, watcher.tid, wire.NOBODY, 0, wire.PVMD):
                lease.send(watcher.tid, TAG, integers(1), source=source)
                lease.send(wire.PVMD, wire.TM_EXIT, b"", wire.REQUEST_CONTEXT, 1, source=source)
            lease.send(watcher.tid, TAG, integers(2), source=one)
            assert told(watcher, TAG) == [2]
        assert state(watcher, lease.tid) == OK


def test_a_beginning_whose_task_dies():
    """What a task has begun to say to the pvmd ends with it."""
    with scene() as (_, lease, watcher):
        one, other = lease.bear(*lease.tids[:2])
        lease.write(wire.frame(wire.PVMD, wire.header(wire.TM_CONFIG) + b"x" * 100, wire.SOM, source=one))
        lease.write(wire.frame(watcher.tid, wire.header(TAG) + integers(1), wire.SOM, source=other))
        lease.bury(one, other)
        lease.settle()
        assert [task[0] for task in watcher.tasks()] == [lease.tid, watcher.tid]


def test_attacks():
    """Whatever comes over the connection, others are served."""
    with VirtualMachine(OURS, OURS) as vm, wire.Client(vm) as watcher:
        watcher.enrol()
        for name, attack in attacks.ATTACKS.items():
            with Lease(vm, 4) as lease:
                lease.bear(*lease.tids[:2])
                lease.settle()
                watch(watcher, lease.tid)
                whole = lease.write
                lease.write = lambda data, write=whole, tid=lease.tids[0]: write(data.replace(NOBODY, integers(tid)))
                with contextlib.suppress(wire.Closed):
                    attack(lease, vm)
            assert told_gone(watcher, 1) == [lease.tid], name
