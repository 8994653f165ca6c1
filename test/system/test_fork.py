"""Do a task and the processes that it forks leave each other alone?"""
import pytest
from support.machine import VirtualMachine
from support.places import OURS, STOCK


@pytest.mark.parametrize("daemon", [OURS, STOCK], ids=str)
def test_children_of_a_task_with_threads(daemon, long_run):
    with VirtualMachine(daemon, OURS) as vm:
        assert vm.run("fork", "children", 5000 if long_run else 200, merge=True).ok().out == "ok\n"


def test_fork_within_a_call():
    with VirtualMachine(OURS, OURS) as vm:
        assert vm.run("fork", "handler", merge=True).ok().out == "ok\n"
