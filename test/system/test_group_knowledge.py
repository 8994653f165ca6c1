"""Do members ask the group server who is in a group only when the group has changed?

Where the server is of ours and on the same host: it counts changes in memory that both share (pvm3/README).
"""
import signal

import pytest
from support.groups import Member, joined, machine, serve
from support.places import OURS
from support.task import process_state, wait_until

NO_GROUP = "-19"


def number(member):
    """Its tid as gettid tells it."""
    return str(int(member.tid, 16))


class Stopped:
    """While the server does not answer."""

    def __init__(self, server):
        self.server = server

    def __enter__(self):
        self.server.signal(signal.SIGSTOP)
        wait_until(lambda: process_state(self.server.pid) == "T", "the server is stopped")

    def __exit__(self, *_):
        self.server.signal(signal.SIGCONT)


def do_all(tasks, *words):
    """What each of the members answers."""
    first, *others = tasks
    return first.all_do(others, *words)


def know_all(tasks):
    """Each member has asked about the group, and knows that its server is there, before it changes no more."""
    for member in tasks:
        assert [member.do("gettid", "g", instance) for instance in range(len(tasks))] == \
            [number(task) for task in tasks]


def use(tasks):
    """All calls of the members but the barrier do what they are to do."""
    count = len(tasks)
    assert do_all(tasks, "reduce", "g", "sum", "int", 0, 2)[0] == f"0 {2 * count}"
    assert do_all(tasks, "gather", "g", "int", 0, 7)[0] == "0" + " 7" * count
    assert do_all(tasks, "scatter", "g", "int", 0, *range(count)) == [f"0 {instance}" for instance in range(count)]
    assert tasks[0].do("bcast", "g", 5, 11) == "0"
    assert {member.do("recv", 5) for member in tasks[1:]} == {f"{tasks[0].tid} 11"}
    for member in tasks:
        assert member.do("size", "g") == str(count)
        assert member.do("gettid", "g", count - 1) == number(tasks[-1])
        assert member.do("instance", "g", tasks[-1].tid) == str(count - 1)


def test_server_is_not_asked_between_changes():
    with machine(OURS, OURS) as vm:
        server = serve(vm, OURS)
        tasks = joined(vm, 3, "g")
        know_all(tasks)
        with Stopped(server):
            use(tasks)
        tasks.append(Member(vm))
        assert tasks[-1].do("join", "g") == "3"
        know_all(tasks)
        with Stopped(server):
            use(tasks)


@pytest.mark.parametrize("loss", ["leaves", "dies"])
def test_change_is_seen_at_once(loss):
    """A member that is gone is not in the group any more as soon as anybody can know of it."""
    with machine(OURS, OURS) as vm:
        serve(vm, OURS)
        first, second, third = tasks = joined(vm, 3, "g")
        know_all(tasks)
        if loss == "leaves":
            assert third.do("leave", "g") == "0"
        else:
            third.task.discard()
            wait_until(lambda: first.do("size", "g") == "2", "the group is smaller")
        assert second.do("size", "g") == first.do("size", "g") == "2"
        assert do_all([first, second], "gather", "g", "int", 0, 1)[0] == "0 1 1"


def test_many_groups_are_known():
    """More than a task keeps: those that it has forgotten it asks about again."""
    with machine(OURS, OURS) as vm:
        serve(vm, OURS)
        member = Member(vm)
        for place in range(100):
            assert member.do("join", f"g{place}") == "0"
        for place in 2 * list(range(100)):
            assert member.do("gettid", f"g{place}", 0) == number(member)


def test_groups_of_a_server_that_has_ended_are_forgotten():
    with machine(OURS, OURS) as vm:
        server = serve(vm, OURS)
        tasks = joined(vm, 2, "g")
        know_all(tasks)
        server.discard()
        wait_until(lambda: tasks[0].do("size", "g") == NO_GROUP, "the groups of the server are forgotten")
