"""Do the example binaries of the distribution run on every pairing of library and daemon?

Each scenario is played on stock 3.4.6 first: that transcript is the truth of this machine. A pairing
passes when its transcript is the same, to the letter. Stock against stock is among the pairings, it
proves that the scenario is one that can be repeated.
"""
import difflib
import functools
import re
import signal

import pytest
from scenarios import ALL, with_ranks
from support import programs
from support.machine import VirtualMachine
from support.network import NetworkMachine
from support.places import EXAMPLES, OURS, STOCK, group_library

PAIRINGS = {"stock-on-stock": (STOCK, STOCK), "stock-on-ours": (STOCK, OURS),
            "ours-on-ours": (OURS, OURS), "ours-on-stock": (OURS, STOCK)}

OF_OTHER_PACKAGES = {"aimk", "pvm", "pvm_gstat", "pvmd", "pvmgetarch", "pvmgroups", "pvmgs", "tracer", "trcsort"}
ELSEWHERE = {"srm.pvm"}         # in test_manager_example.py
ULPS = {"PVM_TASKS": "ulp", "PVM_PATH": f"{EXAMPLES}:{OURS.pvmd.parent}",
        "LD_LIBRARY_PATH": f"{group_library(OURS)}:{OURS.libraries}"}
# What these print does not depend on the order in which tasks of several hosts print.
MOVING = ("gs.pvm", "thb", "timing")


def test_every_example_is_played():
    played = {word for name in ALL for word in re.split("[ ,]+", name)}
    shipped = {path.name for path in EXAMPLES.iterdir()} - OF_OTHER_PACKAGES
    assert len(shipped) > 40 and shipped - played == ELSEWHERE


def play(name, library, daemon, variables=None):
    """The transcript of a scenario, free of the names of this run's folder."""
    with VirtualMachine(daemon, library, variables) as vm:
        return ALL[name][0](vm).replace(str(vm.folder), "<folder>")


@functools.lru_cache(maxsize=None)
def reference(name):
    """The transcript of stock on stock."""
    transcript = play(name, STOCK, STOCK)
    for pattern in ALL[name][1]:
        assert re.search(pattern, transcript), f"{pattern!r} is not in stock's own transcript:\n{transcript}"
    return transcript


def expect_the_same(expected, seen, pairing):
    difference = "\n".join(difflib.unified_diff(expected.splitlines(), seen.splitlines(),
                                                "stock-on-stock", pairing, lineterm=""))
    assert not difference, difference


@pytest.mark.parametrize("pairing", PAIRINGS)
@pytest.mark.parametrize("name", ALL)
def test_example(name, pairing):
    expect_the_same(reference(name), play(name, *PAIRINGS[pairing]), pairing)


@pytest.mark.parametrize("name", ALL)
def test_example_as_user_level_processes(name):
    """What the examples spawn runs in one process, which has a tid, too. They share libgpvm3: ours, that is."""
    seen = play(name, OURS, OURS, ULPS)
    expect_the_same(with_ranks(reference(name)), with_ranks(seen), "user-level processes")


def play_on_hosts(name, moving):
    """The transcript on three hosts; if `moving`, all that is spawned moves from host to host all the time."""
    with NetworkMachine([OURS] * 3, OURS, ULPS) as vm:
        vm.add()
        if not moving:
            return ALL[name][0](vm)
        mover = vm.start(programs.build("mover", OURS), variables={"PVM_TASKS": ""})
        mover.until("moving")
        seen = ALL[name][0](vm)
        mover.signal(signal.SIGTERM)
        assert int(mover.ended().ok().out.split()[-1]) > 0
        return seen


def without_processes(text):
    """The text without the tids of the processes that print: two may begin at once on a host, of which one stays."""
    return with_ranks(re.sub(r"^t[0-9a-f]+ ", "<process> ", text, flags=re.MULTILINE))


@pytest.mark.parametrize("name", MOVING)
def test_example_that_moves(name):
    expected, seen = (without_processes(play_on_hosts(name, moving)) for moving in (False, True))
    expect_the_same(expected, seen, "moving")
