"""Do bash and zsh complete the words of our commands when a user presses the tabulator?"""
import os

import pytest
from support.machine import VirtualMachine
from support.places import OURS, PREFIX
from support.terminal import Terminal

BASH = PREFIX / "share" / "bash-completion" / "completions"
ZSH = PREFIX / "share" / "zsh" / "site-functions"
CTRL_U = "\x15"
# For each shell how it is called, and what it is told first; # is its prompt in both.
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], f"complete -D -F load; load() {{ . {BASH}/$1 && return 124; }}"),
    "zsh": (["zsh", "-f", "-i"], f"fpath=({ZSH} $fpath); autoload -U compinit && compinit -u -D"),
}
# What is typed, and what the line is then.
BOTH = {
    "pvmtop --prom": "pvmtop --prometheus=",
    "pvmtop --sort=m": "pvmtop --sort=memory",
    "pvmrun --no-p": "pvmrun --no-parent",
    "pvmd --fore": "pvmd --foreground",
    "pvmview --no-": "pvmview --no-browser",
    "pvm --log-level=w": "pvm --log-level=warning",
    "pvm hosts_": "pvm hosts_of_this_room",
}
CASES = [*((shell, typed, line) for shell in SHELLS for typed, line in BOTH.items()),
         ("bash", "pvmrun --bind pa", "pvmrun --bind package"),
         ("bash", "pvmrun -n 2 --tasks ul", "pvmrun -n 2 --tasks ulp")]


@pytest.fixture(name="shells", scope="module")
def shells_fixture():
    """A terminal of each shell, which knows our completions."""
    with VirtualMachine(OURS, OURS, {"PATH": f"{OURS.pvmd.parent}:{os.environ['PATH']}"}) as vm:
        hosts = vm.home / "hosts_of_this_room"
        hosts.touch()
        variables = {"PS1": "# ", "HISTFILE": "", "INPUTRC": "/dev/null"}
        with Terminal(vm, *SHELLS["bash"][0], variables=variables) as bash, \
                Terminal(vm, *SHELLS["zsh"][0], variables=variables) as zsh:
            terminals = {"bash": bash, "zsh": zsh}
            for shell, terminal in terminals.items():
                terminal.until(lambda: terminal.shown()[-1:] == ["#"], "the prompt")
                terminal.type(f"{SHELLS[shell][1]}\n")
                terminal.until(lambda: terminal.shown()[-1:] == ["#"], "the prompt again")
            yield terminals
        hosts.unlink()


@pytest.mark.parametrize("shell, typed, line", CASES)
def test_word_is_completed(shells, shell, typed, line):
    terminal = shells[shell]
    terminal.type(f"{typed}\t")
    terminal.until(lambda: terminal.shown()[-1] == f"# {line}", line)
    terminal.type(CTRL_U)
    terminal.until(lambda: terminal.shown()[-1] == "#", "the prompt")
