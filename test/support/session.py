"""Is a session that a manual page shows what a user sees?

What stands behind the prompts of the page is typed at a terminal of node1, in a shell whose remote shell enters the
namespaces of the hosts; the screen must be what the page shows.
"""
import contextlib
import shutil

from support.network import NetworkMachine
from support.places import OURS, PREFIX
from support.terminal import Terminal

PROMPTS = ("$", "pvm>")
# What ssh is on the hosts: its options say how to get to a host, which is a matter of namespaces here. A host may be
# named by its address.
SSH = """#!/bin/sh
while [ "$1" = -o ]; do shift 2; done
host=$1
shift
exec {shell} "$(echo "$host" | sed 's/^10.0.0./node/')" "$@"
"""


@contextlib.contextmanager
def hosts_without_machine(count):
    """Hosts node1 and so on, between which ssh works; all that ran there must be gone in the end."""
    vm = NetworkMachine([OURS] * count, OURS)
    try:
        vm.lay_network()
        commands = vm.folder / "bin"
        commands.mkdir()
        (commands / "ssh").write_text(SSH.format(shell=vm.folder / "shell"))
        (commands / "ssh").chmod(0o700)
        yield vm
        shutil.rmtree(commands)
        shutil.rmtree(vm.home)
        vm.check_nothing_left()
    finally:
        vm.clean_up()


def shell(vm, lines):
    """An interactive shell on node1, with nothing set that an ordinary user would not have."""
    unset = [word for name in ("PVM_PATH", "PVM_ROOT", "PVM_RSH", "PVM_DPATH") for word in ("-u", name)]
    environment = vm.environment()
    variables = {"PATH": f"{vm.folder / 'bin'}:{PREFIX / 'bin'}:{environment['PATH']}", "PS1": "$ ",
                 "LD_LIBRARY_PATH": str(OURS.libraries), "CPATH": str(OURS.include),
                 "LIBRARY_PATH": str(OURS.libraries)}
    return Terminal(vm, *vm.network.enter("node1"), "env", *unset, "bash", "--norc", "--noprofile", "-i",
                    lines=lines, variables=variables)


def prompt_of(line):
    """The prompt that a line begins with, or None."""
    first = line.partition(" ")[0]
    return first if first in PROMPTS else None


def replay(vm, session):
    """Type what stands behind the prompts of a session, each when the screen is what the page shows up to there."""
    starts = [number for number, line in enumerate(session) if prompt_of(line)]
    with shell(vm, len(session) + 2) as terminal:
        for start in starts:
            terminal.until(lambda: terminal.shown() == [*session[:start], prompt_of(session[start])],
                           "the screen is as in the page:\n" + "\n".join(session[:start]))
            terminal.type(session[start].partition(" ")[2] + "\n")
        terminal.until(lambda: terminal.shown() == [*session, "$"], "the screen is as in the page")
        terminal.type("exit\n")
        terminal.until_end()
