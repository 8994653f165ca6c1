"""What becomes of those who ask a resource manager that is gone?

test/api compares hosters, taskers and resource managers that work with those of 3.4.6; there, nobody
is let go who waits for one that does not.
"""
import pytest
from support import programs
from support.machine import VirtualMachine
from support.places import OURS, STOCK

GONE = "libpvm [t{}]: the resource manager t{} is gone: asking the pvmd from now on"
FAILED = "libpvm [t{}]: pvm_tasks(): Pvmd system error"
LATER = "  tasks: 0, then 0, hosts: 0 and 1, left: 0"
WAITED = "  tasks: -25, then 0, hosts: 0 and 1, left: 0"
LATER_LINES = ["registers: 1, left: 0", LATER, "registers: 1, hands over to 0: 0, left: 0", LATER,
               "registers: 1, hands over to 7ffff: 0, left: 0", LATER]


def waiting(way, asking, manager):
    return [f"{way}: 1", GONE.format(asking, manager), FAILED.format(asking), WAITED]


@pytest.mark.parametrize("daemon", [OURS, STOCK], ids=str)
def test_a_resource_manager_that_is_gone(daemon):
    """Whoever comes later asks the pvmd; whoever waits is told, and asks the pvmd next time."""
    # A pvmd of 3.4.6 tells of the end of a process alone, not that its task has left.
    ways = ["ends", "is killed"] + ["leaves"] * (daemon is OURS)
    with VirtualMachine(daemon, OURS) as vm:
        lines = vm.run("orphans", *[f"--{way}" for way in ways], merge=True).ok().out.splitlines()
    expected = list(LATER_LINES)
    for number, way in enumerate(ways):
        expected += waiting(way, f"{0x40009 + 4 * number:x}", f"{0x40008 + 4 * number:x}")
    assert lines == expected


PLUG_INS = {"PVM_TASKER": "plug_in tasker", "PVM_HOSTER": "plug_in hoster and 2  more",
            "PVM_RM": "plug_in manager"}
ROLES = [("TASKER", "406"), ("HOSTER", "206"), ("RM", "106")]


@pytest.mark.parametrize("daemon", [OURS, STOCK], ids=str)
def test_plug_ins(daemon):
    """A pvmd starts the services that its environment names before anyone else comes."""
    programs.build("plug_in", OURS)
    with VirtualMachine(daemon, OURS, variables=PLUG_INS) as vm:
        lines = vm.run("plug_in").ok().out.splitlines()
        vm.settle()
    assert lines == [f"###_PVM_{role}_### {0x40001 + number:x}: parent -35, flags {flags}, name plug_in"
                     for number, (role, flags) in enumerate(ROLES)]
