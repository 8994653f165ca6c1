"""Does a pvmd go on when it cannot write its log, and say what is missing there?"""
import re
import resource

from support.machine import VirtualMachine
from support.places import OURS
from support.puppet import Puppet

DEBUG_MESSAGES = "-d0x2"        # a line for each request


def ask(puppet, count):
    """Requests to the pvmd, each of which it writes a line about."""
    for i in range(count):
        assert puppet.do("notify", 1, puppet.tid) == "0"


def test_a_disk_without_room():
    """Lines are lost, nothing else; when there is room again the log says how many."""
    with VirtualMachine(OURS, OURS, arguments=[DEBUG_MESSAGES]) as vm:
        puppet = Puppet(vm)
        ask(puppet, 1)
        whole = vm.log()
        full = len(whole) + 30
        unlimited = resource.prlimit(vm.pvmd.pid, resource.RLIMIT_FSIZE, (full, resource.RLIM_INFINITY))
        ask(puppet, 20)
        assert len(vm.log()) == full
        resource.prlimit(vm.pvmd.pid, resource.RLIMIT_FSIZE, unlimited)
        ask(puppet, 2)
        puppet.leave()
        cut, told, *lines = vm.log()[len(whole):].splitlines()
        assert len(cut) == 30
        assert re.fullmatch(r"\*\*\* 20 lines are missing here: .*", told)
        assert len([line for line in lines if "TM_NOTIFY" in line]) == 2


def test_nobody_reads_the_standard_error():
    """It is where lines go when the log cannot be opened; a pipe has room for some 64 KB of them."""
    with VirtualMachine(OURS, OURS, {"PVM_LOG_LEVEL": "debug"}, arguments=[DEBUG_MESSAGES, "--foreground"]) as vm:
        puppet = Puppet(vm)
        ask(puppet, 2000)
        puppet.leave()
        assert len(vm.log()) > 1 << 17
