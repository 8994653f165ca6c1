"""Do pvm_gstat and pvmgroups, ours and stock's, show of each group server what stock's show of stock's?"""
import functools
import os
import re
import signal

import pytest
from support.groups import Member, joined, machine, until_waiting
from support.machine import VirtualMachine
from support.places import EXAMPLES, OURS, STOCK
from support.task import wait_until

TOOLS = {OURS: OURS.pvmd.parent, STOCK: EXAMPLES}
FAILED = 255
tools = pytest.mark.parametrize("tools", TOOLS, ids=str)
servers = pytest.mark.parametrize("server", [OURS, STOCK], ids=str)


def groups_of(shown, named):
    """What pvm_gstat printed of each group; tids are known by their places in `named`."""
    text = re.sub(r"0x(4000[0-9a-f])\b", lambda tid: f"<{named.index(tid[1])}>", shown)
    head, *groups = re.split(r"(?m)^(?=group: )", text)
    return [head, *sorted(groups)]


@functools.lru_cache(maxsize=None)
def show(tools, server):
    """What pvm_gstat shows of no group, of two with one who waits, and of one with a hole."""
    shown = []
    with machine(STOCK, server) as vm:
        def look():
            shown.append(groups_of(vm.run(TOOLS[tools] / "pvm_gstat").ok().out, named))
        named = []
        look()
        members = joined(vm, 3, "g")
        named = [member.tid for member in members]
        assert members[0].do("join", "h") == "0"
        members[0].tell("barrier", "g", 2)
        until_waiting(vm, "g", 1)
        look()
        assert members[1].do("barrier", "g", 2) == members[0].answer() == "0"
        for member in members[:2]:
            assert member.do("leave", "g") == "0"
        assert members[0].do("join", "i") == "0"
        look()
    return shown


@tools
@servers
def test_gstat(tools, server):
    expected, seen = show(STOCK, STOCK), show(tools, server)
    assert expected[0] == ["no groups exist\n"]
    assert expected[1][1] == ("group: g, size: 3,  barrier_count 2, barrier_reached 1\ntids:\n"
                              "0 <0>\t1 <1>\t2 <2>\t\ntids waiting on barrier:\n<0>\t\n")
    assert seen[:2] == expected[:2]
    if server is OURS:      # stock goes on showing who waited in the barrier that is over
        expected = [[re.sub(r"barrier_reached 2\n(tids:\n.*\n)tids waiting.*\n.*\n", r"barrier_reached 0\n\1", group)
                     for group in groups] for groups in expected]
    assert seen[2] == expected[2]
    assert seen[2][1].startswith("group: g, size: 1,  barrier_count -1") and "\n2 <2>\t\n" in seen[2][1]


@tools
@servers
def test_pvmgroups(tools, server):
    """The table comes to the log, which has it in lines when it was written in one piece, as ours does."""
    with machine(STOCK, server) as vm:
        first, second = joined(vm, 2, "g")
        first.tell("barrier", "g", 2)
        until_waiting(vm, "g", 1)
        ended = vm.run(TOOLS[tools] / "pvmgroups").ok()
        assert ended.out == ended.err == ""
        expected = {"group: g  size: 2 barrier_count: 2 barrier_reached 1", "tids waiting on barrier:",
                    f"(0,  0x{first.tid}) (1,  0x{second.tid}) ", f"0x{first.tid}  ",
                    f"host 40000 - 2 procs, {first.tid} coord "}
        if server is OURS:
            wait_until(lambda: expected <= {line for _, line in vm.task_log()}, "the table is in the log")
        assert second.do("barrier", "g", 2) == first.answer() == "0"


@pytest.mark.parametrize("tool", ["pvm_gstat", "pvmgroups"])
def test_without_a_virtual_machine(tool):
    """Stock's pvmgroups ends with status 0 here; both of ours tell that they failed."""
    vm = VirtualMachine(OURS, OURS)
    try:
        ended = vm.run(TOOLS[OURS] / tool)
        assert (ended.status, ended.out) == (FAILED, "")
        assert ended.err.endswith(f"{TOOLS[OURS] / tool}: no groups server\n")
    finally:
        vm.clean_up()


def test_server_that_is_gone():
    """gstat looks for another one, and starts it."""
    with machine(OURS, OURS) as vm:
        assert Member(vm).do("join", "g") == "0"
        [server] = [task[5] for task in vm.tasks() if task[4] == "pvmgs"]
        os.kill(server, signal.SIGKILL)
        wait_until(lambda: "pvmgs" not in [task[4] for task in vm.tasks()], "the server is gone")
        assert vm.run(TOOLS[OURS] / "pvm_gstat").ok().out == "no groups exist\n"
