"""Which group library and which group server does a test use, and how is a member told what to do?

A pairing is (System of libgpvm3, System of pvmgs); both stand on one libpvm3 and one pvmd. The commands
of a Member are in system/member.c.
"""
import re

from support import programs
from support.machine import VirtualMachine
from support.places import EXAMPLES, OURS, STOCK, group_library
from support.puppet import Puppet
from support.task import wait_until

PAIRINGS = {"ours-with-ours": (OURS, OURS), "ours-with-stock": (OURS, STOCK),
            "stock-with-ours": (STOCK, OURS), "stock-with-stock": (STOCK, STOCK)}


def machine(groups, server, base=OURS):
    """A virtual machine of base whose tasks use the libgpvm3 of groups and spawn the pvmgs of server."""
    search = f"{server.pvmd.parent}:{programs.folder(base)}:{EXAMPLES}"
    return VirtualMachine(base, base, variables={
        "LD_LIBRARY_PATH": f"{group_library(groups)}:{base.libraries}", "PVM_PATH": search})


class Member(Puppet):
    """A task that joins groups; its tid is hexadecimal text."""

    def __init__(self, vm, program="member", **options):
        self.task = vm.start(program, keep_input=True, **options)
        self.tid = self.do("tid")

    def all_do(self, others, *words):
        """The same command for this one and the others at the same time; their answers, this one's first."""
        everybody = [self, *others]
        for member in everybody:
            member.tell(*words)
        return [member.answer() for member in everybody]


def serve(vm, server):
    """The group server of a System, started and known to all."""
    task = vm.start(server.pvmd.parent / "pvmgs")
    wait_until(lambda: "gmbi: 1 mbox entries" in vm.run("gmbi", "pvmgs").out, "the group server is known")
    return task


def until_served(vm):
    """Wait until nobody is left but one of the servers that tasks have started at once."""
    wait_until(lambda: [name for *_, name, _ in vm.tasks()] == ["pvmgs"], "one group server is left")


def until_waiting(vm, group, count):
    """Wait until so many callers are in the barrier of a group."""
    seen = re.compile(rf"group: {group},.*barrier_reached {count}$", re.MULTILINE)
    wait_until(lambda: seen.search(vm.run("pvm_gstat").out), f"{count} wait in {group}")


def members(vm, count):
    """So many tasks, started one after the other."""
    return [Member(vm) for _ in range(count)]


def joined(vm, count, group):
    """So many members of a group, instance by instance."""
    tasks = members(vm, count)
    for instance, member in enumerate(tasks):
        assert member.do("join", group) == str(instance)
    return tasks
