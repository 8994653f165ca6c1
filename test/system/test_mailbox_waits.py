"""Does an entry of a mailbox that is to be read once wait for somebody who is there?"""
from types import SimpleNamespace

import pytest
from support import wire
from support.hosts import HostsMachine
from support.places import OURS, STOCK

DAEMONS = pytest.mark.parametrize("daemon", [OURS, STOCK], ids=str)
SECOND = "127.0.0.3"
PUT, GET = 1, 3
REPLACEABLE, READ_ONCE, WAIT = 4, 16, 32
EMPTY = wire.integers(*[0] * 8)     # a message packed in another
NOT_FOUND, GONE = -32, 5


def ask(client, operation, name, flags=0, rest=b""):
    index = -1 if operation == PUT else 0
    return client.ask(wire.TM_DB, wire.integers(operation, client.tid) + wire.string(name)
                      + wire.integers(index, flags) + rest)


def answer(client, *arguments):
    wait = ask(client, *arguments)
    while (reply := client.message()).tag != wire.TM_DB or reply.wait != wait:
        pass
    return reply.integer()


@DAEMONS
def test_a_task_that_has_ended_waits_no_more(daemon):
    """Of a task on a host other than the master 3.4.6 does not learn that it has ended: the entry is lost."""
    with HostsMachine(daemon, OURS) as vm, wire.Client(vm) as near:
        near.enrol()
        near.request(wire.TM_ADDHOST, wire.integers(1) + wire.string(SECOND))
        second = vm.folder / SECOND
        address, = (second / vm.address_file.name).read_text().split()
        with wire.Client(SimpleNamespace(socket=address, folder=second)) as far:
            far.enrol()
            ask(far, GET, "box", WAIT | READ_ONCE)
            assert answer(far, GET, "another box") == NOT_FOUND
            near.ask(wire.TM_NOTIFY, wire.integers(wire.TASK_EXIT, 0, GONE, 1, far.tid))
        while near.message().tag != GONE:
            pass
        assert answer(near, PUT, "box", REPLACEABLE, EMPTY) == 0
        assert answer(near, GET, "box") == (0 if daemon is OURS else NOT_FOUND)
