"""What does TPL do at its edges: wrong arguments, letters of strangers, deaths and ends in the wrong moment?

The checks are in tpl_edges.c, tpl_leave.c and tpl_judge.c.
"""
import re
import signal
import subprocess

import pytest
from support.machine import VirtualMachine
from support.places import OURS, STOCK, TOP
from support.task import wait_until

GROUNDS = [(OURS, "safe"), (OURS, "interrupt"), (OURS, "getfds"), (STOCK, "getfds")]
grounds = pytest.mark.parametrize("library, ground", GROUNDS, ids=lambda value: str(value))


def machine(library, ground):
    return VirtualMachine(OURS, library, variables={"TPL_GROUND": ground})


def said_by_nodes(vm, count):
    """What so many nodes that were spawned printed last, or complained of; the pvmd may log it after their ends."""
    def said():
        return re.findall(r"\] (good|.*tpl_\w+\.c.*)$", vm.log(), re.MULTILINE)
    wait_until(lambda: len(said()) >= count, f"{count} nodes have said something")
    return said()


EDGES = ("arguments", "null", "second", "self", "unseen", "retire", "stop", "start", "ends", "waits")


@grounds
@pytest.mark.parametrize("case", EDGES)
def test_edge(library, ground, case):
    with machine(library, ground) as vm:
        assert vm.run("tpl_edges", case).ok().out == "good\n"


@pytest.mark.parametrize("library, found", [(OURS, "1 2 3"), (STOCK, "3")], ids=str)
def test_a_program_chooses_the_ground(library, found):
    with VirtualMachine(OURS, library) as vm:
        assert vm.run("tpl_edges", "grounds").ok().out == f"{found} good\n"


def test_a_program_linked_statically_chooses_the_ground(tmp_path):
    program = tmp_path / "tpl_edges"
    source = TOP / "test" / "tpl" / "tpl_edges.c"
    subprocess.run(["cc", "-pthread", *OURS.flags, f"-I{OURS.include}", source, "-o", program,
                    OURS.libraries / "libtpl.a", OURS.libraries / "libpvm3.a", "-ldl"], check=True)
    with VirtualMachine(OURS, OURS) as vm:
        assert vm.run(program, "grounds").ok().out == "1 2 3 good\n"


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
        assert said_by_nodes(vm, 2) == ["good"] * 2


@grounds
@pytest.mark.parametrize("case", ("some", "leave"))
def test_node_0_dies_when_it_has_found_that_all_is_over(library, ground, case):
    """Those that it has told tell the others before they leave, so that nobody takes them for dead."""
    with machine(library, ground) as vm:
        assert vm.start("tpl_judge", case).ended().status == -signal.SIGKILL
        vm.settle()
        assert said_by_nodes(vm, 3) == ["good"] * 3


@grounds
def test_a_node_is_stopped_when_all_is_over(library, ground):
    """It confirms nothing any more; nobody waits for that."""
    with machine(library, ground) as vm:
        assert vm.run("tpl_judge", "stop").ok().out == "good\n"
        vm.settle()
        assert said_by_nodes(vm, 1) == ["good"]


@grounds
def test_what_is_unanswered_when_a_node_ends(library, ground):
    """Fails at the callers at once, though the process lives on, which may become a node again."""
    with machine(library, ground) as vm:
        server = vm.start("tpl_leave", "serve", keep_input=True)
        server.until("serving")
        asker = vm.start("tpl_leave", "ask", keep_input=True)
        asker.until("all is stopped")
        server.until("left")
        asker.say("go on\n")
        asker.until("nobody serves")
        server.say("go on\n")
        server.until("serving")
        asker.say("go on\n")
        assert asker.ended().ok().out.endswith("good\n")
        server.say("go on\n")
        assert server.ended().ok().out == "serving\nleft\nserving\ngood\n"
