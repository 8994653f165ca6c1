#!/usr/bin/python3
"""Measures how well tpl/servers/balance.c uses the processors: the work of all jobs, in processor time, as a part of
the time that the program takes times its nodes, of which there are as many as processors.

usage: test/bench/balancing.py [--quick] [--rounds N] [--nodes N] [--queens N]      run it by hand on an idle machine

What else runs on the machine takes processors away and counts as waste: compare with one node, in the same run."""

import argparse
import os
import re
import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from stores import GROUNDS  # noqa: E402
from support.machine import VirtualMachine  # noqa: E402
from support.places import OURS  # noqa: E402

LIMIT = 600


def measure(ground, nodes, queens):
    """Percent."""
    library, variables = GROUNDS[ground]
    with VirtualMachine(OURS, library, variables) as vm:
        ended = vm.run("balance", nodes, queens, limit=LIMIT).ok()
    return int(re.search(r"efficiency (\d+) %", ended.out)[1])


def main():
    parser = argparse.ArgumentParser(prog="test/bench/balancing.py", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="only see whether it works")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each, by turns (5)")
    parser.add_argument("--nodes", type=int, default=len(os.sched_getaffinity(0)), help="one for each processor")
    parser.add_argument("--queens", type=int, default=15, help="size of the board (15)")
    arguments = parser.parse_args()
    queens = 10 if arguments.quick else arguments.queens
    found = {}
    for _ in range(1 if arguments.quick else arguments.rounds):
        for ground in GROUNDS:
            for nodes in sorted({1, arguments.nodes}):
                found.setdefault((ground, nodes), []).append(measure(ground, nodes, queens))
    print("efficiency of the balanced computation, most (median), percent of so many nodes")
    for (ground, nodes), percents in found.items():
        print(f"    {ground:13} {nodes:3} {max(percents):5} ({statistics.median(percents):5.1f})")


if __name__ == "__main__":
    main()
