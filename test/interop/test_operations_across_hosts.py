"""Does every operation of a virtual machine work across hosts, whichever pvmd runs on which of them?

across.c does them all, section by section, from a task on the master's host and from one on another host, with hands
on four hosts. What it prints on stock 3.4.6 alone is the truth for all four combinations of our pvmd and stock's, with
programs on either library: those on the master's host and the leaders on the one that the test names, hands on other
hosts on that of their pvmd. What was found to be alike is told at the end of the session.
"""
import functools
import re

import pytest
from support import programs
from support.console import Console
from support.hosts import MASTER, HostsMachine
from support.places import OURS, STOCK
from support.task import wait_until

SECOND = "127.0.0.3"
COMBINATIONS = [(OURS, OURS), (OURS, STOCK), (STOCK, OURS), (STOCK, STOCK)]     # master, the others
SECTIONS = ["addhosts", "config mstat hostsync", "notify of hosts", "spawn", "spawn environment", "tasks pstat",
            "signals", "notify of tasks", "messages", "multicast", "mailboxes", "output", "trace", "tracer", "tasker",
            "hoster", "manager", "tickle", "reset", "delhosts"]
LAST = ["giving up a host", "halt"]         # by the leader on the second host alone
LOST = "output of a lost host"              # likewise; stock's library waits for ever
LOST_LINES = ["pvm_addhosts(fifth, 1, &status): 1", "status > 0: 1", "  [nowhere] BEGIN", "  [nowhere] EOF",
              "  [nowhere] before", "  deleted: 1 0", "lost 127.0.0.6: exit 0"]
DEBUGGER = """#!/bin/sh
DEBUGGED=yes
export DEBUGGED
exec "$@"
"""


class Machine(HostsMachine):
    """Two hosts, with what across.c needs to know."""

    def __init__(self, master, slave, library):
        super().__init__(master, library, slave=slave)
        self.debugger = self.folder / "debugger"
        self.variables |= {"ACROSS_FOLDER": str(self.folder), "PVM_DEBUGGER": str(self.debugger)}

    def boot(self):
        self.debugger.write_text(DEBUGGER)
        self.debugger.chmod(0o700)
        return super().boot()

    def add_second(self):
        console = Console(self, STOCK)
        assert console.do(f"add {SECOND}")[0] == "1 successful"
        console.quit().ok()

    def lead(self, host, *sections):
        """Start a leader on the library of the machine."""
        return self.start("across", "lead", *sections, host=host, merge=True,
                          variables={"LD_LIBRARY_PATH": str(self.library.libraries)})

    def observe(self, host, *sections):
        """What the sections print, each by its name, without what is different each time."""
        text = self.lead(host, *sections).ended().ok().out.replace(str(self.folder), "<folder>")
        parts = re.split(r"(?m)^== (.*)\n", re.sub(r"\[t[0-9a-f]+\]", "[t]", text))
        return {name: lines.splitlines() for name, lines in zip(parts[1::2], parts[2::2])}


@functools.lru_cache(maxsize=None)
def play(master, slave, library):
    """What each section prints, by where the leader is and the name of the section."""
    for system in (OURS, STOCK):
        programs.build("across", system)
    seen = {}
    with Machine(master, slave, library) as vm:
        vm.add_second()
        for host in (MASTER, SECOND):
            sections = SECTIONS + ([LOST] * (library is OURS) + LAST[:-1]) * (host == SECOND)
            seen |= {(host, name): lines for name, lines in vm.observe(host, *sections).items()}
        leader = vm.lead(SECOND, LAST[-1])
        vm.pvmd.ended()
        leader.ended()
        wait_until(lambda: not vm.processes(), "the virtual machine has ended")
        seen[SECOND, LAST[-1]] = ["all has ended"]
        vm.debugger.unlink()
    return seen


def expected(library):
    """What it must print, by the same keys."""
    lines = dict(play(STOCK, STOCK, STOCK))
    if library is OURS:
        lines[SECOND, LOST] = LOST_LINES
    return lines


@pytest.mark.parametrize("library", [OURS, STOCK], ids=lambda system: f"programs-{system}")
@pytest.mark.parametrize("master,slave", COMBINATIONS, ids=lambda system: system.name)
def test_operations(master, slave, library, record_property):
    seen, wanted = play(master, slave, library), expected(library)
    for key in wanted:
        assert seen[key] == wanted[key], f"{key}"
    assert seen.keys() == wanted.keys()
    operations = [name for name in [*SECTIONS, *LAST] if (SECOND, name) in seen]
    record_property(f"{master} master, {slave} on the other hosts, programs on {library}: as on 3.4.6 alone",
                    ", ".join(operations))
