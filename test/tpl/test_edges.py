"""What does TPL do at its edges: wrong arguments, letters of strangers, deaths and ends in the wrong moment?

The checks are in tpl_edges.c.
"""
import re
import signal

import pytest
from support.machine import VirtualMachine
from support.places import OURS, STOCK

GROUNDS = [(OURS, "safe"), (OURS, "interrupt"), (OURS, "getfds"), (STOCK, "getfds")]
grounds = pytest.mark.parametrize("library, ground", GROUNDS, ids=lambda value: str(value))


def machine(library, ground):
    return VirtualMachine(OURS, library, variables={"TPL_GROUND": ground})


@grounds
@pytest.mark.parametrize("case", ("arguments", "self", "unseen", "retire", "stop", "start"))
def test_edge(library, ground, case):
    with machine(library, ground) as vm:
        assert vm.run("tpl_edges", case).ok().out == "good\n"


@grounds
def test_strangers_do_no_harm(library, ground):
    with machine(library, ground) as vm:
        victim = vm.start("tpl_edges", "victim")
        victim.until("victim")
        assert vm.run("tpl_edges", "stranger").ok().out == "good\n"
        assert vm.run("tpl_edges", "customer").ok().out == "good\n"
        victim.signal(signal.SIGTERM)
        assert victim.ended().ok().out == "victim\nthe program was stopped\ngood\n"


@grounds
def test_a_lost_pvmd_ends_a_node(library, ground):
    with machine(library, ground) as vm:
        victim = vm.start("tpl_edges", "victim")
        victim.until("victim")
        vm.pvmd.signal(signal.SIGKILL)
        assert victim.ended().ok().out == "victim\nno pvmd, or it is lost\ngood\n"
        vm.pvmd.ended()
        for path in [*vm.folder.glob("pvmd.*"), *vm.folder.glob("pvmtmp*")]:
            path.unlink()


@grounds
def test_the_others_end_without_node_0(library, ground):
    """They find out among themselves that all is over."""
    with machine(library, ground) as vm:
        first = vm.start("tpl_edges", "death0")
        assert first.ended().status == -signal.SIGKILL
        vm.settle()
        assert re.findall(r"\] (good|.*tpl_edges.c.*)$", vm.log(), re.MULTILINE) == ["good"] * 2
