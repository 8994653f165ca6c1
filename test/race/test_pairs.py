"""Does ThreadSanitizer find anything when two threads make any two public calls at once?

The pair matrix: one process for each function, a row, in which it meets itself and every function behind
it in the table of pairs_calls.c. Then the same function against the start and the end of a pvmd.
"""
import re

import pytest
from measure import manual
from support.machine import VirtualMachine
from support.places import OURS, TESTS, TOP
from support.tools import thread_sanitizer

LIMIT = 400
ROWS = re.findall(r'^    \{"(\w+)", call_', (TESTS / "race" / "pairs_calls.c").read_text(), re.MULTILINE)


def test_table_is_complete():
    assert set(ROWS) == {name for name in manual.declared(TOP) if name.startswith("pvm")}
    assert len(ROWS) == len(set(ROWS))


def libraries():
    """libgpvm3 of the same build."""
    return {"LD_LIBRARY_PATH": str(thread_sanitizer().system.libraries)}


def run(vm, *arguments, variables=None):
    out = thread_sanitizer().run(vm, "pairs", *arguments, limit=LIMIT, variables={**libraries(), **(variables or {})})
    return out.splitlines()


@pytest.mark.parametrize("row", ROWS[:ROWS.index("pvm_halt")])
def test_row(row, long_run):
    with VirtualMachine(OURS, OURS) as vm:
        vm.start(OURS.pvmd.parent / "pvmgs")
        tool = thread_sanitizer()
        peer = tool.start(vm, "pairs", "-p", variables=libraries())
        out = run(vm, row, 200 if long_run else 10, peer.line())
        tool.check(peer.ended())
    columns = ROWS[ROWS.index(row):ROWS.index("pvm_halt")]
    assert out == [*(f"{row} {column}" for column in columns), "done"]


@pytest.mark.parametrize("row", ROWS)
def test_start_and_halt(row, long_run):
    """The pvmds are those of another virtual machine, and may leave a log. No group server is found there."""
    rounds = 50 if long_run else 5
    with VirtualMachine(OURS, OURS) as vm:
        out = run(vm, "-n", row, rounds, variables={"PVM_VMID": f"{vm.vmid}n"})
        vm.log_file.with_name(f"{vm.log_file.name}n").unlink(missing_ok=True)
    assert out == [f"{row} pvm_start_pvmd", f"{row} pvm_halt"] * rounds + ["done"]
