"""Do all messages arrive of tasks that end without pvm_exit?

3.4.6 loses what stands in the socket of a task when its pvmd hears of the end of the process.
"""
import re
import signal

import pytest
from support.console import Console
from support.hosts import HostsMachine
from support.machine import VirtualMachine
from support.places import OURS, STOCK
from support.puppet import Puppet
from support.task import wait_until

CHILDREN = 12
THIRD = "127.0.0.3"
ROUTES = {"daemon": 1, "default": 2, "direct": 3}
ROUTE, WORD, ENDED, FLOOD = 1, 5, 9, 60
# messages, ints in each
WORDS = {"one": (1, 1), "several": (30, 100), "large": (3, 100000)}


def hear_all(vm, host, words, end, route, long):
    """How many messages came behind the word of the end of their sender, of all, which must come."""
    messages, size = WORDS[words]
    behind = 0
    for _ in range((20 if long else 6) if words == "one" else 2):
        done = vm.run("last_words", host, CHILDREN, messages, size, end, ROUTES[route], merge=True, limit=120)
        heard, of_all, late = map(int, re.findall(r"\d+", done.ok().out))
        assert heard == of_all == CHILDREN * messages
        behind += late
    return behind


@pytest.mark.parametrize("end", ["returns", "killed"])
@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("words", WORDS)
def test_last_words_are_heard(words, route, end, long_run):
    with VirtualMachine(OURS, OURS) as vm:
        assert hear_all(vm, ".", words, end, route, long_run) == 0


@pytest.mark.parametrize("words", WORDS)
def test_last_words_with_the_library_of_3_4_6(words, long_run):
    with VirtualMachine(OURS, STOCK) as vm:
        assert hear_all(vm, ".", words, "returns", "default", long_run) == 0


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("end", ["returns", "killed"])
@pytest.mark.parametrize("words", WORDS)
def test_last_words_on_another_host(words, end, route, long_run):
    with HostsMachine(OURS, OURS) as vm:
        console = Console(vm, STOCK)
        assert console.do(f"add {THIRD}")[0] == "1 successful"
        assert hear_all(vm, THIRD, words, end, route, long_run) == 0
        console.quit()


@pytest.mark.parametrize("asked", ["first", "last"])
def test_the_word_of_an_end_waits_for_what_is_underway_on_a_direct_route(asked):
    """The reader is in no call while the writer sends more than the system takes for it, and dies."""
    with HostsMachine(OURS, OURS) as vm:
        console = Console(vm, STOCK)
        assert console.do(f"add {THIRD}")[0] == "1 successful"
        reader, writer = Puppet(vm), Puppet(vm, host=THIRD)
        if asked == "first":
            assert reader.do("notify", ENDED, writer.tid) == "0"
        writer.do("option", ROUTE, ROUTES["direct"])
        writer.tell("send", reader.tid, WORD, 1)    # asks for the route, which the reader must grant
        assert reader.do("recv", writer.tid, WORD).split()[1] == str(WORD)
        assert writer.answer() == "0"
        if asked == "last":
            assert reader.do("notify", ENDED, writer.tid) == "0"
        assert writer.do("flood", reader.tid, WORD, FLOOD, 2000) == "0"
        writer.task.signal(signal.SIGKILL)
        wait_until(lambda: int(writer.tid, 16) not in [task[0] for task in vm.tasks()], "its pvmd knows of the end")
        heard = [reader.do("recv", -1, -1).split()[1] for _ in range(FLOOD + 1)]
        assert heard == FLOOD * [str(WORD)] + [str(ENDED)]
        reader.leave()
        console.quit()
