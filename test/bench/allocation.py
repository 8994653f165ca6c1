#!/usr/bin/python3
"""Measures malloc and free of a program as a process, by the C library, and as a user-level process, in its region.

usage: test/bench/allocation.py [--quick]          run it by hand on an idle machine

Prints nanoseconds for a malloc and its free: of the one block that there is, and of one of 1000 blocks of many sizes.
Compare within one run only."""

import argparse
import collections
import re
import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True
TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "test"), str(TOP / "pingpong")]
import report  # noqa: E402
from support import programs  # noqa: E402
from support.machine import VirtualMachine  # noqa: E402
from support.places import OURS  # noqa: E402

KINDS = {"process": {}, "user-level": {"PVM_TASKS": "ulp"}}
LINE = re.compile(r"@allocation size=(\d+) calls=(\d+) alone=(\d+) among=(\d+)")


def run_program(vm, kind, rounds):
    """(size, work, nanoseconds) of each measurement."""
    program = programs.folder(OURS) / "allocation"
    ended = vm.run("collect", 1, program, rounds, variables=KINDS[kind], limit=600).ok()
    for size, calls, *times in LINE.findall(ended.out):
        for work, time in zip(("alone", "among"), times):
            yield int(size), work, int(time) / int(calls)


def print_times(times):
    rows = []
    for (size, work), found in sorted(times.items()):
        measured = [figure(found[kind]) for kind in KINDS for figure in (min, statistics.median)]
        rows.append([str(size), work, *(f"{time:.1f}" for time in measured),
                     f"{measured[2] / measured[0]:.2f}", f"{measured[3] / measured[1]:.2f}"])
    report.print_table(["bytes", "", *(f"{kind} {figure}" for kind in KINDS for figure in ("min ns", "median")),
                        "ratio min", "median"], rows)


def main():
    parser = argparse.ArgumentParser(prog="test/bench/allocation.py", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer calls: only see whether it works")
    turns, rounds = (1, 1) if parser.parse_args().quick else (5, 5)
    times = collections.defaultdict(lambda: collections.defaultdict(list))
    for name in ("allocation", "collect"):
        programs.build(name, OURS)
    with VirtualMachine(OURS, OURS, {"PVM_PATH": f"{OURS.pvmd.parent}"}) as vm:
        for kind in turns * [*KINDS]:
            for size, work, time in run_program(vm, kind, rounds):
                times[size, work][kind].append(time)
    print_times(times)


if __name__ == "__main__":
    main()
