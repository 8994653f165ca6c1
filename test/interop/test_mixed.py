"""Do tasks with our library and tasks with stock's understand each other in one virtual machine?

One talker sends every type in every encoding, in sizes from nothing to 1 MB with those around the
fragment boundary of 4032 bytes, by send, psend and mcast, to two listeners; all contents are checked in
both directions, and that no message overtakes another. The order of the checks is in converse.c.
"""
import pytest
from support.machine import VirtualMachine
from support.places import OURS, STOCK

MEGABYTE = 1 << 20
THROUGH_PVMD, DIRECT = 1, 3


def converse(daemon, talker, listeners, route=THROUGH_PVMD, fragment=0, largest=MEGABYTE):
    with VirtualMachine(daemon, talker) as vm:
        tasks = [vm.start("converse", "listen", route, fragment, library=library, merge=True)
                 for library in listeners]
        tids = [task.until("tid ").split()[1] for task in tasks]
        talking = vm.run("converse", "talk", route, fragment, largest, *tids, merge=True)
        verified = talking.ok().out.splitlines()[-1]
        assert verified.startswith("verified ") and int(verified.split()[1]) > 100, talking
        for task in tasks:
            assert task.ended().ok().out.splitlines()[-1] == verified


def test_stock_alone():
    """The test itself: stock understands stock."""
    converse(STOCK, STOCK, [STOCK, STOCK])


@pytest.mark.parametrize("route", [THROUGH_PVMD, DIRECT], ids=["pvmd", "direct"])
@pytest.mark.parametrize("talker", [OURS, STOCK], ids="talker-{}".format)
@pytest.mark.parametrize("daemon", [OURS, STOCK], ids="daemon-{}".format)
def test_mixed(daemon, talker, route):
    converse(daemon, talker, [OURS, STOCK], route)


@pytest.mark.parametrize("talker", [OURS, STOCK], ids="talker-{}".format)
@pytest.mark.parametrize("fragment", [56, 100, 65536])
def test_fragment_sizes(fragment, talker):
    """Any fragment size that holds a double is understood by the other library."""
    converse(OURS, talker, [OURS, STOCK], fragment=fragment, largest=65536 if fragment > 100 else 8080)
