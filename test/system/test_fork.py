"""Do a task and the processes that it forks leave each other alone?"""
import pytest
from support import programs
from support.machine import VirtualMachine
from support.places import OURS, STOCK


@pytest.mark.parametrize("daemon", [OURS, STOCK], ids=str)
@pytest.mark.parametrize("ways", ["children", "routed"])
def test_children_of_a_task_with_threads(ways, daemon, long_run):
    programs.build("fork", OURS)
    with VirtualMachine(daemon, OURS) as vm:
        assert vm.run("fork", ways, 5000 if long_run else 120, merge=True).ok().out == "ok\n"


def test_fork_within_a_call():
    with VirtualMachine(OURS, OURS) as vm:
        assert vm.run("fork", "handler", merge=True).ok().out == "ok\n"
