"""Does a pvmd go on when it cannot write its log, and say what is missing there?"""
import re
import resource

from support import wire
from support.machine import VirtualMachine
from support.places import OURS

DEBUG_MESSAGES = "-d0x2"        # a line for each request


def ask(client, count):
    """Requests to the pvmd, each of which it writes a line about before it answers."""
    for _ in range(count):
        client.tasks()


def test_a_disk_without_room():
    """Lines are lost, nothing else; when there is room again the log says how many."""
    with VirtualMachine(OURS, OURS, arguments=[DEBUG_MESSAGES]) as vm, wire.Client(vm) as client:
        client.enrol()
        ask(client, 1)
        whole = vm.log()
        full = len(whole) + 30
        unlimited = resource.prlimit(vm.pvmd.pid, resource.RLIMIT_FSIZE, (full, resource.RLIM_INFINITY))
        ask(client, 20)
        assert len(vm.log()) == full
        resource.prlimit(vm.pvmd.pid, resource.RLIMIT_FSIZE, unlimited)
        ask(client, 2)
        cut, told, *lines = vm.log()[len(whole):].splitlines()
        assert len(cut) == 30
        assert re.fullmatch(r"\*\*\* 20 lines are missing here: .*", told)
        assert len(lines) == 2 and all("TM_TASK" in line for line in lines)


def test_nobody_reads_the_standard_error():
    """In the foreground lines go there, too; a pipe has room for some 64 KB of them."""
    with VirtualMachine(OURS, OURS, arguments=[DEBUG_MESSAGES, "--foreground"]) as vm, wire.Client(vm) as client:
        client.enrol()
        ask(client, 2000)
        assert vm.log().count("TM_TASK") == 2000
