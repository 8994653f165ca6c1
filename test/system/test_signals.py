"""Do signals leave the calls that they interrupt as they were, and reach tasks with threads?"""
import pytest
from support import programs
from support.machine import VirtualMachine
from support.places import OURS, STOCK

PARTS = {"receive": (200, 5000), "send": (10, 200), "task": (60, 2000)}


@pytest.mark.parametrize("daemon", [OURS, STOCK], ids=str)
@pytest.mark.parametrize("part", PARTS)
def test_signals(part, daemon, long_run):
    programs.build("signals", OURS)
    with VirtualMachine(daemon, OURS) as vm:
        assert vm.run("signals", part, PARTS[part][long_run], merge=True).ok().out == "ok\n"
