"""Do the group examples of the distribution run with each group library on each group server?

As in test_examples.py, stock with stock on stock's libpvm3 and pvmd is the truth; here libgpvm3 and pvmgs
vary, on our libpvm3 and pvmd and on stock's.
"""
import difflib
import functools
import re
import subprocess

import pytest
from scenarios import ALL
from support.groups import PAIRINGS, machine
from support.places import EXAMPLES, OURS, STOCK

NAMES = ("tst", "tjf", "tjl", "joinleave", "gexamp", "ge", "gs.pvm", "thb", "trsg", "frsg", "trsg, asked",
         "gexample", "gexample, four", "fgexample", "pvm_gstat", "dbwtest", "ibwtest", "pbwtest", "rbwtest", "tnb")
ELSEWHERE = {"pvmgroups"}       # in system/test_group_tools.py


def needs_groups(program):
    """Is a binary linked to libgpvm3?"""
    shown = subprocess.run(["readelf", "-d", program], capture_output=True, text=True).stdout
    return "[libgpvm3.so.3]" in shown


def test_every_group_example_is_played():
    shipped = {path.name for path in EXAMPLES.iterdir() if needs_groups(path)}
    assert len(shipped) > 15 and shipped - {name.split(",")[0] for name in NAMES} == ELSEWHERE


def play(name, groups, server, base):
    """The transcript of a scenario, free of the names of this run's folder."""
    with machine(groups, server, base) as vm:
        return ALL[name][0](vm).replace(str(vm.folder), "<folder>")


@functools.lru_cache(maxsize=None)
def reference(name):
    """The transcript of stock alone."""
    transcript = play(name, STOCK, STOCK, STOCK)
    for pattern in ALL[name][1]:
        assert re.search(pattern, transcript), f"{pattern!r} is not in stock's own transcript:\n{transcript}"
    return transcript


@pytest.mark.parametrize("base", [OURS, STOCK], ids=str)
@pytest.mark.parametrize("pairing", PAIRINGS)
@pytest.mark.parametrize("name", NAMES)
def test_group_example(name, pairing, base):
    expected = reference(name)
    seen = play(name, *PAIRINGS[pairing], base)
    difference = "\n".join(difflib.unified_diff(expected.splitlines(), seen.splitlines(),
                                                "stock alone", f"{pairing} on {base}", lineterm=""))
    assert not difference, difference
