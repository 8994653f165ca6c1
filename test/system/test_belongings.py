"""Does a task that goes on elsewhere have there what the library has kept of it?"""
from support import tasks
from support.machine import VirtualMachine
from support.places import OURS


def test_all_is_as_it_was():
    with VirtualMachine(OURS, tasks.library()) as vm:
        assert vm.run("belongings").ok().out == "same\n"
