"""Do messages of every size arrive whole and in order, between tasks of both libraries?

Two tasks with our library and two with stock's, in one virtual machine, send each other every size from
nothing to 64 MB in every way, through the pvmd and over direct routes. So each run has all pairings: ours
to ours, ours to stock, stock to ours and stock to stock. What is sent, and checked, is in sizes.c.
"""
import pytest
from support.machine import VirtualMachine
from support.places import OURS, STOCK

MEGABYTE = 1 << 20
ROUTES = {"pvmd": 1, "direct": 3}
FRAGMENTS = {56: 2048, 100: 8192, 4079: 65536, 8192: 65536, 65536: MEGABYTE, MEGABYTE: 8 * MEGABYTE}


def exchange(daemon, route, fragment, largest, least):
    """All tasks agree on what they verified, and that is at least so many messages."""
    with VirtualMachine(daemon, OURS) as vm:
        tasks = [vm.start("sizes", ROUTES[route], fragment, largest, library=library, keep_input=True,
                          merge=True) for library in (OURS, STOCK, OURS, STOCK)]
        tids = [task.until("tid ").split()[1] for task in tasks]
        for task in tasks:
            task.say(" ".join(tids) + "\n")
        for task in tasks:
            line = task.ended().ok().out.splitlines()[-1]
            assert line.startswith("verified ") and int(line.split()[1]) >= least, line


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("daemon", [OURS, STOCK], ids="daemon-{}".format)
def test_every_size(daemon, route):
    exchange(daemon, route, 0, 64 * MEGABYTE, 3000)


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_every_fragment_size(fragment, route):
    exchange(OURS, route, fragment, FRAGMENTS[fragment], 1000)
