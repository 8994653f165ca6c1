"""Do all messages arrive of tasks that end without pvm_exit?

3.4.6 loses what stands in the socket of a task when its pvmd hears of the end of the process.
"""
import re

import pytest
from support.console import Console
from support.hosts import HostsMachine
from support.machine import VirtualMachine
from support.places import OURS, STOCK

ROUNDS = 20
CHILDREN = 12
THIRD = "127.0.0.3"
ROUTES = {"daemon": 1, "default": 2, "direct": 3}
# messages, ints in each
WORDS = {"one": (1, 1), "several": (30, 100), "large": (3, 100000)}


def hear_all(vm, host, words, end, route):
    """How many messages came behind the word of the end of their sender, of all, which must come."""
    messages, size = WORDS[words]
    behind = 0
    for _ in range(ROUNDS if words == "one" else 2):
        done = vm.run("last_words", host, CHILDREN, messages, size, end, ROUTES[route], merge=True, limit=120)
        heard, of_all, late = map(int, re.findall(r"\d+", done.ok().out))
        assert heard == of_all == CHILDREN * messages
        behind += late
    return behind


@pytest.mark.parametrize("end", ["returns", "killed"])
@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("words", WORDS)
def test_last_words_are_heard(words, route, end):
    with VirtualMachine(OURS, OURS) as vm:
        assert hear_all(vm, ".", words, end, route) == 0


@pytest.mark.parametrize("words", WORDS)
def test_last_words_with_the_library_of_3_4_6(words):
    with VirtualMachine(OURS, STOCK) as vm:
        assert hear_all(vm, ".", words, "returns", "default") == 0


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("words", WORDS)
def test_last_words_on_another_host(words, route):
    with HostsMachine(OURS, OURS) as vm:
        console = Console(vm, STOCK)
        assert console.do(f"add {THIRD}")[0] == "1 successful"
        behind = hear_all(vm, THIRD, words, "returns", route)
        assert behind == 0 or route == "direct"  # another connection than that of the pvmds
        console.quit()
