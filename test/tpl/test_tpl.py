"""Does TPL keep its promises, on each of its grounds?

Each test runs on our library in three ways, and on that of 3.4.6 as it is. The checks are in the programs.
"""
import re

import pytest
from support.machine import VirtualMachine
from support.places import OURS, STOCK

GROUNDS = [(OURS, "safe"), (OURS, "interrupt"), (OURS, "getfds"), (STOCK, "getfds")]
CASES = ("calls", "later", "window", "pool", "prompt", "order", "cancel", "messages", "names", "death", "stop", "signal")

grounds = pytest.mark.parametrize("library, ground", GROUNDS, ids=lambda value: str(value))


@grounds
@pytest.mark.parametrize("case", CASES)
def test_promise(library, ground, case):
    with VirtualMachine(OURS, library, variables={"TPL_GROUND": ground}) as vm:
        ended = vm.run("tpl_calls", case).ok()
        assert ended.out == "good\n", f"{ended}"
        vm.settle()
        assert "[t4000" not in vm.log()     # where the other node would complain


@grounds
@pytest.mark.parametrize("nodes, depth", [(1, 6), (3, 9), (6, 8)])
def test_everything_is_over(library, ground, nodes, depth):
    """All requests and messages have come when tpl_finish returns."""
    with VirtualMachine(OURS, library, variables={"TPL_GROUND": ground}) as vm:
        ended = vm.run("tpl_mix", nodes, depth).ok()
        counts = [tuple(map(int, found)) for found in re.findall(r"spread (\d+) sent (\d+) received (\d+)", ended.out)]
        assert len(counts) == nodes, f"{ended}"
        spread, sent, received = map(sum, zip(*counts))
        assert spread == 2 ** depth - 1 and sent == received == spread - 1
        vm.settle()


@grounds
@pytest.mark.parametrize("case", ("bound", "clients", "compute"))
def test_pool(library, ground, case):
    with VirtualMachine(OURS, library, variables={"TPL_GROUND": ground}) as vm:
        assert vm.run("tpl_pool", case).ok().out == "good\n"


@grounds
def test_a_receive_of_the_program_takes_nothing_of_tpl(library, ground):
    with VirtualMachine(OURS, library, variables={"TPL_GROUND": ground}) as vm:
        assert vm.run("tpl_context").ok().out == "good\n"
        vm.settle()


@grounds
@pytest.mark.parametrize("case", ("descriptor", "death", "farewell"))
def test_a_thread_is_told(library, ground, case):
    """Of messages by a descriptor, and of the death of the process from which it receives."""
    with VirtualMachine(OURS, library, variables={"TPL_GROUND": ground}) as vm:
        assert vm.run("tpl_events", case).ok().out == "good\n"
        vm.settle()


@grounds
@pytest.mark.parametrize("case", ("multicast", "packed"))
def test_parcels_come_whole_and_in_order(library, ground, case):
    with VirtualMachine(OURS, library, variables={"TPL_GROUND": ground}) as vm:
        assert vm.run("tpl_parcels", case).ok().out == "good\n"
        vm.settle()
        assert [line for _, line in vm.task_log()] == ["good"] * 2


MANY = 72


@grounds
def test_many_connections(library, ground):
    """Each node has a direct route to the first, which waits on all their descriptors if there is no better ground."""
    with VirtualMachine(OURS, library, variables={"TPL_GROUND": ground}) as vm:
        descriptors = int(vm.run("tpl_routes", MANY).ok().out)
        assert descriptors > 64 if library is STOCK else descriptors > 0
        vm.settle()
