"""Does a task that moves to another host stay the same for all others: its messages, its end, and all that is asked?

Processes and tasks are played here. They say what the library says of a task that leaves one process, and arrives in
another one (pvm3/daemon/requests/moves.h).
"""
import contextlib
import os
import random
import shutil
import signal
import threading
from types import SimpleNamespace

import pytest
from support import wire
from support.hosts import HostsMachine
from support.lease import Lease
from support.places import OURS, STOCK
from support.task import wait_until
from support.wire import integers, string

OK, BAD_PARAM, NO_HOST, NOT_IMPLEMENTED, NO_TASK = 0, -2, -6, -24, -31
STAYS, ARRIVED = 0, 1
TAG, GONE, DELETED, ADDED = 7, 9, 11, 12
HOST_DELETE, HOST_ADD, CANCEL = 2, 3, 256
SECOND, THIRD, FOURTH = "127.0.0.3", "127.0.0.4", "127.0.0.5"
PART = 1 << 18
SIGTERM = 15
LONG = 70000    # bytes of a multicast that goes along a tree


class Host:
    """A host of the machine: its part, a process that can hold tasks, and a task with a connection of its own."""

    def __init__(self, vm, number, name=None, ours=True):
        folder = vm.folder / name if name else vm.folder
        address = vm.socket
        if name:
            address, = (folder / vm.address_file.name).read_text().split()
        self.name = name
        self.at = SimpleNamespace(socket=address, folder=folder)
        self.part = number * PART
        self.process = Lease(self.at) if ours else wire.Client(self.at)
        self.task = wire.Client(self.at).enrol()
        self.events = []

    def close(self):
        self.process.socket.close()
        self.task.socket.close()

    def state(self, tid):
        return self.ask(wire.TM_PSTAT, integers(tid)).integer()

    def ask(self, tag, body):
        """Ask as the task, and keep what comes meanwhile."""
        wait = self.task.ask(tag, body)
        while (reply := self.task.message()).tag != tag or reply.wait != wait:
            self.events.append(reply)
        return reply

    def watch(self, tid):
        self.task.ask(wire.TM_NOTIFY, integers(wire.TASK_EXIT, 0, GONE, 1, tid))
        self.ask(wire.TM_CONFIG, b"")

    def told(self, tag=GONE):
        """The integers of the next event with the tag."""
        while not (found := [event for event in self.events if event.tag == tag]):
            self.events.append(self.task.message())
        self.events.remove(found[0])
        return found[0].rest()

    def was_told(self, tag=GONE):
        """What has come with the tag until now and was not taken."""
        self.ask(wire.TM_CONFIG, b"")
        return [event.rest() for event in self.events if event.tag == tag]


class Mover:
    """A task that moves; what has come for it in its processes is in `messages`, in order."""

    def __init__(self, host, region=-1):
        self.host, self.region = host, region
        self.tid, = host.process.bear(host.process.tids.pop(0), name="mover")
        self.messages = []

    @property
    def process(self):
        return self.host.process

    def gather(self):
        """Take what has come for the task, and has been read."""
        self.messages += [(message.source, message.rest()) for message in self.process.kept
                          if message.to == self.tid and message.tag in (TAG, GONE)]
        self.process.kept = [message for message in self.process.kept
                             if message.to != self.tid or message.tag not in (TAG, GONE)]

    def leave(self, host, holder=0):
        """holder: the tid of the task that is to say that the task has arrived."""
        code = self.process.request(wire.LEAVE, integers(holder or host.part, self.region), self.tid).integer()
        self.gather()
        return code

    def has_left(self, wait):
        """Whether the answer to the wish to leave has come."""
        self.process.settle()
        return any((message.to, message.tag, message.wait) == (self.tid, wire.LEAVE, wait)
                   for message in self.process.kept)

    def arrive(self, host):
        code = host.process.request(wire.ARRIVE, integers(self.tid)).integer()
        if code == OK:
            self.host = host
        return code

    def move(self, host):
        assert self.leave(host) == OK
        assert self.arrive(host) == OK

    def stay(self):
        return self.process.request(wire.STAY, b"", self.tid).integer()

    def read(self, count):
        """So many messages and events for the task, in all, as (source, integers)."""
        self.gather()
        while len(self.messages) < count:
            self.process.kept.append(self.process.message())
            self.gather()
        return self.messages[:count]

    def say(self, to, *numbers):
        self.process.send(to, TAG, integers(*numbers), source=self.tid)


@contextlib.contextmanager
def machine(count=3, slave=None, **options):
    """The machine, and its hosts."""
    names = [SECOND, THIRD, FOURTH][:count - 1]
    with HostsMachine(OURS, OURS, slave=slave, **options) as vm:
        hosts = [Host(vm, 1)]
        for number, name in enumerate(names, start=2):
            hosts.append(add(vm, hosts[0], number, name))
        with contextlib.ExitStack() as stack:
            for host in hosts:
                stack.callback(host.close)
            yield vm, hosts


def add(vm, master, number, name, system=OURS):
    """Add a host with a pvmd of that system."""
    starter = vm.folder / "starter"
    starter.write_text(f"#!/bin/sh\nexport LD_LIBRARY_PATH='{system.libraries}'\nexec '{system.pvmd}' \"$@\"\n")
    starter.chmod(0o700)
    assert master.ask(wire.TM_ADDHOST, integers(1) + string(f"{name} dx={starter}")).integer() == 1
    starter.unlink()
    return Host(vm, number, name, system is OURS)


def numbered(found, source):
    return [numbers[0] for who, numbers in found if who == source]


@pytest.mark.parametrize("variables", [{}, {"PVM_NO_STREAM": "1"}], ids=["streams", "datagrams"])
def test_messages(variables):
    """To the task and from it, across moves: all come, once, in order, from tasks of three hosts."""
    with machine(variables=variables) as (_, hosts):
        first = hosts[0]
        mover = Mover(first)
        number = 0
        for host in (*hosts[1:], first, hosts[2], hosts[1], first):
            for sender in hosts:
                sender.task.send(mover.tid, TAG, integers(number))
                mover.say(sender.task.tid, number)
            assert mover.leave(host) == OK
            for sender in hosts:
                sender.task.send(mover.tid, TAG, integers(number + 1))
            assert mover.arrive(host) == OK
            for sender in hosts:
                mover.say(sender.task.tid, number + 1)
                sender.task.send(mover.tid, TAG, integers(number + 2))
            number += 3
        found = mover.read(3 * number)
        for sender in hosts:
            assert numbered(found, sender.task.tid) == list(range(number))
            told = [sender.told(TAG)[0] for _ in range(number * 2 // 3)]
            assert told == [i for i in range(number) if i % 3 != 2]


def test_steady_streams():
    """Senders of three hosts never pause, their messages are of all lengths, and the task moves there and back."""
    with machine() as (_, hosts):
        mover = Mover(hosts[0])
        count = 400

        def stream(host):
            for i in range(count):
                size = random.Random(i).choice((0, 0, 10, 500, 5000))
                body = integers(i, size, *range(size))
                for at in range(0, len(body), 4000):
                    flags = wire.SOM * (at == 0) | wire.EOM * (at + 4000 >= len(body))
                    payload = (wire.header(TAG) if at == 0 else b"") + body[at:at + 4000]
                    host.task.write(wire.frame(mover.tid, payload, flags, source=host.task.tid))

        threads = [threading.Thread(target=stream, args=(host,)) for host in hosts]
        for thread in threads:
            thread.start()
        for host in (*hosts[1:], *hosts, *reversed(hosts[:2])):
            if host is not mover.host:
                mover.move(host)
        found = mover.read(3 * count)
        for thread in threads:
            thread.join()
        for host in hosts:
            assert numbered(found, host.task.tid) == list(range(count))
        for _, numbers in found:
            assert numbers[1:] == [len(numbers) - 2, *range(len(numbers) - 2)]


def test_several_move_at_once():
    """They send to each other all the time, and each moves while others move. One waits for others if these have yet
    to get what it has sent."""
    with machine() as (_, hosts):
        movers = [Mover(host) for host in hosts for _ in range(2)]
        chance = random.Random(1)
        sent = 0
        for _ in range(12):
            for one in movers:
                for other in movers:
                    one.say(other.tid, sent, *range(chance.choice((0, 0, 10, 1000, 20000))))
            sent += 1
            going = chance.sample(movers, 3)
            to = [chance.choice([host for host in hosts if host is not mover.host]) for mover in going]
            waits = [(mover, host, mover.process.ask(wire.LEAVE, integers(host.part, -1), mover.tid))
                     for mover, host in zip(going, to)]
            while waits:
                wait_until(lambda: any(mover.has_left(wait) for mover, _, wait in waits), "one may go")
                for entry in [entry for entry in waits if entry[0].has_left(entry[2])]:
                    waits.remove(entry)
                    mover, host, _ = entry
                    assert mover.process.next(mover.tid, wire.LEAVE).integer() == OK
                    mover.gather()
                    assert mover.arrive(host) == OK
        for mover in movers:
            found = mover.read(sent * len(movers))
            for other in movers:
                assert numbered(found, other.tid) == list(range(sent))
            assert all(numbers[1:] == list(range(len(numbers) - 1)) for _, numbers in found)


def test_multicasts():
    """From tasks of all hosts, for the task and others, before, amid and after a move."""
    with machine() as (_, hosts):
        mover, other = Mover(hosts[0]), Mover(hosts[1])
        count = 0

        def cast(number):
            for sender in hosts:
                sender.task.ask(wire.TM_MCA, integers(2, mover.tid, other.tid))
                sender.task.write(wire.frame(sender.task.tid | 1 << 30, wire.header(TAG) + integers(number),
                                             source=sender.task.tid))
                sender.ask(wire.TM_CONFIG, b"")

        for host in (hosts[1], hosts[2], hosts[0]):
            cast(count)
            assert mover.leave(host) == OK
            cast(count + 1)
            assert mover.arrive(host) == OK
            cast(count + 2)
            count += 3
        for receiver in (mover, other):
            found = receiver.read(3 * count)
            for sender in hosts:
                assert numbered(found, sender.task.tid) == list(range(count))
        mover.move(hosts[2])
        mover.process.ask(wire.TM_MCA, integers(2, other.tid, hosts[0].task.tid), mover.tid)
        mover.process.write(wire.frame(mover.tid | 1 << 30, wire.header(TAG) + integers(count), source=mover.tid))
        assert other.read(3 * count + 1)[-1] == (mover.tid, [count])
        assert hosts[0].told(TAG) == [count]


def test_long_multicasts():
    """Along trees of hosts, to tasks of all hosts, of which one moves."""
    with machine(4) as (_, hosts):
        mover, *others = receivers = [Mover(host) for host in (hosts[0], *hosts)]
        count, tids = 0, integers(len(receivers), *(receiver.tid for receiver in receivers))

        def cast():
            nonlocal count
            for sender in hosts:
                sender.task.ask(wire.TM_MCA, tids)
                body = wire.header(TAG) + integers(count) + bytes(LONG)
                sender.task.write(wire.frame(sender.task.tid | 1 << 30, body, source=sender.task.tid))
                sender.task.send(mover.tid, TAG, integers(count + 1))
            count += 2

        for host in (hosts[1], hosts[3], hosts[2], hosts[0]):
            cast()
            assert mover.leave(host) == OK
            cast()
            assert mover.arrive(host) == OK
            cast()
        for receiver in others:
            found = receiver.read(count // 2 * len(hosts))
            for sender in hosts:
                assert numbered(found, sender.task.tid) == list(range(0, count, 2))
        found = mover.read(count * len(hosts))
        for sender in hosts:
            assert numbered(found, sender.task.tid) == list(range(count))


@pytest.mark.parametrize("moves", [1, 2, 3])
def test_the_end_is_told_once(moves):
    """To those who have asked before, between moves, and afterwards, on all hosts."""
    with machine() as (_, hosts):
        mover = Mover(hosts[0])
        for host in hosts:
            host.watch(mover.tid)
        for i in range(moves):
            mover.move(hosts[(i + 1) % 3])
            for host in hosts:
                assert host.state(mover.tid) == OK
                host.watch(mover.tid)
        assert [host.was_told() for host in hosts] == [[], [], []]
        mover.process.bury(mover.tid)
        for host in hosts:
            for _ in range(moves + 1):
                assert host.told() == [mover.tid]
            wait_until(lambda: host.state(mover.tid) == NO_TASK, "it is over everywhere")
            assert host.was_told() == []


def test_what_it_watches_goes_along():
    """It is told of ends of tasks of all hosts, once each, whether they end before, amid or after its move."""
    with machine() as (_, hosts):
        mover = Mover(hosts[0])
        ends = {when: [Mover(host) for host in hosts] for when in ("before", "amid", "after")}
        tids = [other.tid for others in ends.values() for other in others]
        mover.process.ask(wire.TM_NOTIFY, integers(wire.TASK_EXIT, 0, GONE, len(tids), *tids), mover.tid)
        mover.process.request(wire.TM_CONFIG, b"", mover.tid)

        def end(when):
            for other in ends[when]:
                other.process.bury(other.tid)
                other.process.settle()

        end("before")
        assert mover.leave(hosts[1]) == OK
        end("amid")
        assert mover.arrive(hosts[1]) == OK
        end("after")
        assert sorted(numbers[0] for _, numbers in mover.read(9)) == sorted(tids)
        mover.process.settle()
        mover.gather()
        assert len(mover.messages) == 9


def test_what_it_watches_ends_amid_a_move_that_fails():
    """It is told once, though two hosts have known of its wish."""
    with machine() as (_, hosts):
        mover, others = Mover(hosts[0]), [Mover(host) for host in hosts]
        tids = [other.tid for other in others]
        mover.process.ask(wire.TM_NOTIFY, integers(wire.TASK_EXIT, 0, GONE, len(tids), *tids), mover.tid)
        assert mover.leave(hosts[1]) == OK
        for other in others:
            other.process.bury(other.tid)
            other.process.settle()
        assert mover.stay() == STAYS
        assert sorted(numbers[0] for _, numbers in mover.read(3)) == sorted(tids)
        hosts[1].process.settle()
        hosts[0].ask(wire.TM_CONFIG, b"")
        mover.process.settle()
        mover.gather()
        assert len(mover.messages) == 3


def test_questions():
    """Its state, its entry in lists, and its parent are the same wherever they are asked for; it can be killed."""
    with machine() as (_, hosts):
        mover = Mover(hosts[0])
        for place in (hosts[1], hosts[2], hosts[0], hosts[1]):
            mover.move(place)
            for host in hosts:
                assert host.state(mover.tid) == OK
                for where in (0, mover.tid, place.part):
                    reply = host.ask(wire.TM_TASK, integers(where))
                    assert reply.integer() == OK
                    entries = [task for task in tasks_of(reply) if task[0] == mover.tid]
                    assert [(task[2], task[4]) for task in entries] == [(place.part, "mover")]
        for host in hosts:
            host.ask(wire.TM_SENDSIG, integers(mover.tid, SIGTERM))
            assert mover.process.next(mover.tid, wire.ENDED).body == b""
            break


def tasks_of(reply):
    found = []
    while reply._at < len(reply.body):
        found.append((*(reply.integer() for _ in range(4)), reply.string(), reply.integer()))
    return found


def test_kill_amid_a_move():
    """The task is ended where it arrives, or where it stays."""
    with machine() as (_, hosts):
        for arrives in (True, False):
            mover = Mover(hosts[0])
            assert mover.leave(hosts[1]) == OK
            hosts[2].ask(wire.TM_SENDSIG, integers(mover.tid, SIGTERM))
            assert hosts[2].state(mover.tid) == OK
            if arrives:
                assert mover.arrive(hosts[1]) == OK
            else:
                assert mover.stay() == STAYS
            mover.process.next(mover.tid, wire.ENDED)
            mover.process.bury(mover.tid)


def test_mailbox_entries_go_along():
    """An entry of the task stays while it lives, wherever that is."""
    def names(host):
        reply = host.ask(wire.TM_DB, integers(4, host.task.tid) + string("*") + integers(0, 0))
        assert reply.integer() == OK
        return reply.integer()

    with machine() as (_, hosts):
        mover = Mover(hosts[0])
        body = integers(1, mover.tid) + string("entry") + integers(-1, 0) + packed()
        assert mover.process.request(wire.TM_DB, body, mover.tid).integer() == 0
        for place in (hosts[1], hosts[2], hosts[0], hosts[1]):
            mover.move(place)
            assert [names(host) for host in hosts] == [1, 1, 1]
        mover.process.bury(mover.tid)
        wait_until(lambda: names(hosts[2]) == 0, "the entry is gone with its owner")


def packed():
    """A message of no bytes, as it is packed."""
    return integers(*[0] * 8)


def test_contexts():
    """Those that it has been given on several hosts are its own, until it gives them back."""
    with machine() as (_, hosts):
        mover = Mover(hosts[0])
        contexts = []
        for place in (hosts[1], hosts[2], hosts[0]):
            contexts.append(mover.process.request(wire.TM_CONTEXT, integers(0), mover.tid).integer())
            mover.move(place)
        for context in contexts:
            assert mover.process.request(wire.TM_CONTEXT, integers(context), mover.tid).integer() == OK
            assert mover.process.request(wire.TM_CONTEXT, integers(context), mover.tid).integer() < 0


def test_staying():
    """A task that was let go and does not arrive lives on, has lost nothing, and can move again."""
    with machine() as (_, hosts):
        mover = Mover(hosts[0])
        for host in hosts:
            host.watch(mover.tid)
        for i in range(3):
            assert mover.leave(hosts[1]) == OK
            for host in hosts:
                host.task.send(mover.tid, TAG, integers(i))
                assert host.state(mover.tid) == OK
            assert mover.stay() == STAYS
            assert mover.arrive(hosts[1]) == NO_TASK
            mover.read(3 * (i + 1))
        mover.move(hosts[1])
        found = mover.read(9)
        for host in hosts:
            assert numbered(found, host.task.tid) == [0, 1, 2]
        assert hosts[0].process.request(wire.STAY, b"", mover.tid).integer() == ARRIVED
        assert [host.was_told() for host in hosts] == [[], [], []]


def order(host, mover, where):
    """Ask that a task move."""
    return host.task.ask(wire.MIGRATE, integers(mover.tid, where.part))


def ordered(mover):
    """The next order that the task gets: its number, and the host."""
    return mover.process.next(mover.tid, wire.MOVE).rest()


def result(host, wait):
    """What became of an order."""
    while not (found := [event for event in host.events if event.tag == wire.MIGRATE]):
        host.events.append(host.task.message())
    host.events.remove(found[0])
    assert found[0].wait == wait
    return found[0].integer(), found[0].string()


def test_orders():
    """Asked from any host; answered when the task has moved, says why not, or is over; one after the other."""
    with machine() as (_, hosts):
        first, second, third = hosts
        mover = Mover(first)
        for host in hosts:
            wait = order(host, mover, mover.host)
            assert result(host, wait) == (OK, "")
            number, where = ordered_after(host, mover, second)
            assert where == second.part
            mover.process.tell(wire.MIGRATED, integers(number, BAD_PARAM) + string("no wish"), mover.tid)
            assert result(host, host.wait) == (BAD_PARAM, "no wish")
        waits = [order(first, mover, second)]
        assert ordered(mover)[1] == second.part
        waits.append(order(third, mover, third))
        mover.move(second)
        assert result(first, waits[0]) == (OK, "")
        assert ordered(mover)[1] == third.part
        mover.move(third)
        assert result(third, waits[1]) == (OK, "")
        wait = order(first, mover, second)
        ordered(mover)
        mover.process.bury(mover.tid)
        assert result(first, wait)[0] == NO_TASK
        assert result(first, order(first, mover, second))[0] == NO_TASK


def ordered_after(host, mover, where):
    host.wait = order(host, mover, where)
    return ordered(mover)


def test_what_cannot_move():
    """Tasks with a connection of their own, to hosts that there are not."""
    with machine(2) as (_, (first, second)):
        mover = Mover(first)
        assert first.ask(wire.MIGRATE, integers(second.task.tid, first.part)).integer() == NOT_IMPLEMENTED
        assert first.ask(wire.MIGRATE, integers(mover.tid, 77 * PART)).integer() == NO_HOST
        assert mover.process.request(wire.LEAVE, integers(77 * PART, -1), mover.tid).integer() == NO_HOST
        assert first.ask(wire.LEAVE, integers(second.part, -1)).integer() == NOT_IMPLEMENTED
        mover.move(second)


def test_a_region_comes_back():
    """Its number is in use wherever the task is, and free when it is over."""
    with machine() as (_, hosts):
        home = hosts[0].process

        def numbers(count):
            return home.request(wire.REGIONS, integers(count, count)).rest()[1:]

        region, = numbers(1)
        mover = Mover(hosts[0], region)
        mover.move(hosts[1])
        mover.move(hosts[2])
        following, = numbers(1)
        assert following == region + 1
        mover.process.bury(mover.tid)
        wait_until(lambda: hosts[0].state(mover.tid) == NO_TASK, "it is over")
        assert numbers(1) == [region]


def test_the_region_of_a_task_whose_home_is_gone():
    """Nobody gets a number of its block before it is over."""
    with machine() as (vm, hosts):
        def block(host, count=256):
            numbers = host.process.request(wire.REGIONS, integers(count, count)).rest()[1:]
            return {number // 256 for number in numbers}

        assert block(hosts[0]) == {0}
        region, = hosts[1].process.request(wire.REGIONS, integers(1, 1)).rest()[1:]
        assert region == 256
        mover = Mover(hosts[1], region)
        mover.move(hosts[2])
        kill(vm, hosts[1])
        gone(vm, hosts[1])
        assert block(hosts[2]) == {2}
        mover.process.bury(mover.tid)
        wait_until(lambda: hosts[0].state(mover.tid) == NO_TASK, "it is over")
        assert block(hosts[2]) == {1}


def test_a_host_that_is_added_later():
    """Its tasks reach a task that has moved before, in order, and are reached, while it moves on."""
    with machine(2) as (vm, hosts):
        mover = Mover(hosts[0])
        mover.move(hosts[1])
        third = add(vm, hosts[0], 3, THIRD)
        try:
            third.watch(mover.tid)
            for i in range(3):
                third.task.send(mover.tid, TAG, integers(i))
                mover.say(third.task.tid, i)
            mover.move(third)
            third.task.send(mover.tid, TAG, integers(3))
            mover.move(hosts[0])
            third.task.send(mover.tid, TAG, integers(4))
            assert numbered(mover.read(5), third.task.tid) == [0, 1, 2, 3, 4]
            assert [third.told(TAG)[0] for _ in range(3)] == [0, 1, 2]
            mover.process.bury(mover.tid)
            assert third.told() == [mover.tid]
        finally:
            third.close()


def test_a_host_that_is_added_when_home_is_gone():
    """It knows where the task lives before the task's host has said anything."""
    with machine() as (vm, hosts):
        mover = Mover(hosts[1])
        mover.move(hosts[2])
        kill(vm, hosts[1])
        gone(vm, hosts[1])
        os.kill(vm.host_pvmd(THIRD), signal.SIGSTOP)
        fourth = add(vm, hosts[0], 4, FOURTH)
        try:
            fourth.watch(mover.tid)
            assert fourth.was_told() == []
            fourth.task.send(mover.tid, TAG, integers(1))
            os.kill(vm.host_pvmd(THIRD), signal.SIGCONT)
            assert mover.read(1) == [(fourth.task.tid, [1])]
            mover.process.bury(mover.tid)
            assert fourth.told() == [mover.tid]
        finally:
            fourth.close()


def test_a_host_of_3_4_6():
    """It knows nothing of moves. What its tasks send and ask goes by way of the host where the task was born."""
    with machine(2) as (vm, hosts):
        old = add(vm, hosts[0], 3, THIRD, STOCK)
        try:
            mover = Mover(hosts[0])
            old.watch(mover.tid)
            number = 0
            for host in (hosts[1], hosts[0], hosts[1]):
                old.task.send(mover.tid, TAG, integers(number))
                mover.say(old.task.tid, number)
                assert mover.leave(host) == OK
                old.task.send(mover.tid, TAG, integers(number + 1))
                assert old.state(mover.tid) == OK
                assert mover.arrive(host) == OK
                mover.say(old.task.tid, number + 1)
                assert old.state(mover.tid) == OK
                number += 2
            assert numbered(mover.read(number), old.task.tid) == list(range(number))
            assert [old.told(TAG)[0] for _ in range(number)] == list(range(number))
            assert mover.leave(old) == NOT_IMPLEMENTED
            old.watch(mover.tid)
            old.task.ask(wire.TM_MCA, integers(2, mover.tid, hosts[0].task.tid))
            old.task.write(wire.frame(old.task.tid | 1 << 30, wire.header(TAG) + integers(number),
                                      source=old.task.tid))
            assert mover.read(number + 1)[-1] == (old.task.tid, [number])
            old.ask(wire.TM_SENDSIG, integers(mover.tid, SIGTERM))
            assert mover.process.next(mover.tid, wire.ENDED).body == b""
            mover.process.bury(mover.tid)
            assert [old.told(), old.told()] == [[mover.tid]] * 2
        finally:
            old.close()


# Ends. A task of `host` watches; the task moves from the second host to the third one.

def kill(vm, host):
    """And nobody cleans up there."""
    os.kill(vm.host_pvmd(host.name), signal.SIGKILL)
    shutil.rmtree(vm.folder / host.name)


@contextlib.contextmanager
def watched():
    with machine() as (vm, hosts):
        mover = Mover(hosts[1])
        hosts[0].watch(mover.tid)
        hosts[2].watch(mover.tid)
        yield vm, hosts, mover


def test_the_old_process_ends():
    """Before the task has arrived it is over; afterwards it lives on."""
    with watched() as (_, hosts, mover):
        other = Mover(hosts[1])
        hosts[0].watch(other.tid)
        assert mover.leave(hosts[2]) == OK
        assert other.leave(hosts[2]) == OK
        assert other.arrive(hosts[2]) == OK
        hosts[1].process.socket.close()
        assert hosts[0].told() == [mover.tid]
        assert hosts[2].told() == [mover.tid]
        assert mover.arrive(hosts[2]) == NO_TASK
        assert [host.state(other.tid) for host in hosts] == [OK] * 3
        assert hosts[0].was_told() == []


def test_the_new_process_ends():
    """The task has arrived there, and is over; or it has not, and stays."""
    with watched() as (_, hosts, mover):
        other = Mover(hosts[1])
        assert other.leave(hosts[2]) == OK
        mover.move(hosts[2])
        hosts[2].process.socket.close()
        assert hosts[0].told() == [mover.tid]
        assert hosts[2].told() == [mover.tid]
        assert other.stay() == STAYS
        assert [host.state(other.tid) for host in hosts] == [OK] * 3
        assert hosts[0].was_told() == []


@pytest.mark.parametrize("then", ["it arrives", "it does not", "it did not", "its holder ends"])
def test_the_old_host_ends(then):
    """The task lives on if it arrives; if its holder cannot take it in, or could not before, or ends, it is over. The
    holder is asked."""
    with watched() as (vm, hosts, mover):
        holder = hosts[2].process
        assert mover.leave(hosts[2], holder.tid) == OK
        hosts[0].task.send(mover.tid, TAG, integers(1))
        if then == "it did not":
            holder.tell(wire.ARRIVE_NOT, integers(mover.tid))
            holder.settle()
            assert hosts[0].was_told() == []
        kill(vm, hosts[1])
        gone(vm, hosts[1])
        if then != "it did not":
            assert holder.next(holder.tid, wire.HOLD).rest() == [mover.tid, 1]
        for host in hosts[0], hosts[2]:
            host.watch(mover.tid)
            if then != "it did not":
                assert host.was_told() == []
        if then == "it arrives":
            assert mover.arrive(hosts[2]) == OK
            hosts[0].task.send(mover.tid, TAG, integers(2))
            assert numbered(mover.read(2), hosts[0].task.tid) == [1, 2]
            assert [host.state(mover.tid) for host in (hosts[0], hosts[2])] == [OK, OK]
            mover.process.bury(mover.tid)
        elif then == "it does not":
            holder.tell(wire.ARRIVE_NOT, integers(mover.tid))
        elif then == "its holder ends":
            holder.socket.close()
        for host in hosts[0], hosts[2]:
            assert [host.told(), host.told()] == [[mover.tid]] * 2
            assert host.was_told() == []


def gone(vm, host):
    """Wait until the others know that a host is gone."""
    for name in {"127.0.0.2", SECOND, THIRD} - {host.name}:
        wait_until(lambda: f"host {host.name} is gone" in vm.host_log(name), f"{name} knows")


@pytest.mark.parametrize("arrives", [True, False])
def test_the_new_host_ends(arrives):
    """With the task, if it has arrived there. Otherwise it stays, and is not told to be over."""
    with watched() as (vm, hosts, mover):
        assert mover.leave(hosts[2]) == OK
        if arrives:
            assert mover.arrive(hosts[2]) == OK
            assert hosts[0].state(mover.tid) == OK
        kill(vm, hosts[2])
        gone(vm, hosts[2])
        if arrives:
            assert hosts[0].told() == [mover.tid]
        else:
            hosts[0].task.send(mover.tid, TAG, integers(1))
            assert mover.stay() == STAYS
            assert numbered(mover.read(1), hosts[0].task.tid) == [1]
            mover.process.bury(mover.tid)
            assert hosts[0].told() == [mover.tid]
        assert hosts[0].was_told() == []


def test_home_ends_while_the_task_is_away():
    """It lives on, and is reached from the others."""
    with watched() as (vm, hosts, mover):
        mover.move(hosts[2])
        kill(vm, hosts[1])
        gone(vm, hosts[1])
        hosts[0].task.send(mover.tid, TAG, integers(1))
        assert numbered(mover.read(1), hosts[0].task.tid) == [1]
        assert [host.state(mover.tid) for host in (hosts[0], hosts[2])] == [OK, OK]
        mover.move(hosts[0])
        mover.process.bury(mover.tid)
        assert hosts[0].told() == [mover.tid]
        assert hosts[2].told() == [mover.tid]
