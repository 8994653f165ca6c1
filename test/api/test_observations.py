"""Does a program see the same of our PVM as of stock 3.4.6?

Each C program here prints what it observes of one area of behaviour, one line each, the library's own
diagnostics among them. It runs on stock (daemon and library) and on ours; the lines must be equal but
for the deliberate differences in differences.txt, and each of those must really be there.
"""
import difflib
import functools
import re
from pathlib import Path

import pytest
from support import programs
from support.machine import VirtualMachine
from support.places import OURS, STOCK

HERE = Path(__file__).parent
PROGRAMS = sorted(path.stem for path in HERE.glob("*.c") if path.stem != "child")
VARIABLE = [(re.compile(r"\[pid\d+\]"), "[pid]")]


@functools.lru_cache(maxsize=None)
def observations(program, system):
    """What the program prints on a fresh virtual machine of the system."""
    programs.build("child", system)
    with VirtualMachine(system, system) as vm:
        text = vm.run(program, merge=True).ok().out.replace(str(vm.folder), "<folder>")
    for pattern, name in VARIABLE:
        text = pattern.sub(name, text)
    return text.splitlines()


def expected_differences(program):
    """The blocks of differences.txt for a program: (reason, stock's lines, our lines)."""
    found = []
    for block in (HERE / "differences.txt").read_text().split("\n\n"):
        lines = [line for line in block.splitlines() if line]
        if lines and lines[0] == f"[{program}]":
            found.append((" ".join(line[2:] for line in lines if line.startswith("# ")),
                          [line[2:] for line in lines if line.startswith("- ")],
                          [line[2:] for line in lines if line.startswith("+ ")]))
    return found


def apply_differences(program, lines):
    """Stock's lines with the deliberate differences put in."""
    for reason, stock, ours in expected_differences(program):
        assert reason, f"a difference of {program} has no reason"
        places = [i for i in range(len(lines)) if lines[i:i + len(stock)] == stock]
        assert places, f"stock does not print what differences.txt says: {stock}"
        lines = lines[:places[0]] + ours + lines[places[0] + len(stock):]
    return lines


@pytest.mark.parametrize("program", PROGRAMS)
def test_stock_repeats(program):
    """The test itself: on stock a program observes the same a second time."""
    first = observations(program, STOCK)
    observations.cache_clear()
    assert observations(program, STOCK) == first
    assert len(first) > 5


@pytest.mark.parametrize("program", PROGRAMS)
def test_same_as_stock(program):
    expected = apply_differences(program, observations(program, STOCK))
    seen = observations(program, OURS)
    assert seen == expected, "\n".join(difflib.unified_diff(expected, seen, "stock", "ours", lineterm=""))


def test_differences_have_programs():
    """Every block of differences.txt belongs to a program."""
    named = re.findall(r"(?m)^\[(\w+)\]$", (HERE / "differences.txt").read_text())
    assert set(named) <= set(PROGRAMS)
