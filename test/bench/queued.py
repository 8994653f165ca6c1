#!/usr/bin/python3
"""Measures what a receive costs beside messages that nobody has asked for, on our PVM and on PVM 3.4.6 by turns.

usage: test/bench/queued.py [--quick] [--rounds N] [--queued N...]          run it by hand on an idle machine

Compare within one run only."""

import argparse
import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import programs  # noqa: E402
from support.machine import VirtualMachine  # noqa: E402
from support.places import OURS, STOCK  # noqa: E402

SYSTEMS = (OURS, STOCK)
CLASSES = ("both", "source", "tag", "neither")


def measure(system, queued, rounds):
    """Nanoseconds of each receive, by what it names."""
    with VirtualMachine(system, system) as vm:
        ended = vm.run(programs.folder(system) / "queued", queued, rounds, limit=600).ok()
    times = {name: [] for name in CLASSES}
    for line in ended.out.splitlines():
        words = dict(word.split("=") for word in line.split()[1:])
        times[words["class"]].append(int(words["ns"]))
    return times


def main():
    parser = argparse.ArgumentParser(prog="test/bench/queued.py", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="only see whether it works")
    parser.add_argument("--rounds", type=int, default=200, help="receives of each kind (200)")
    parser.add_argument("--queued", type=int, nargs="+", default=[0, 10, 1000, 100000],
                        help="messages that are left (0 10 1000 100000)")
    arguments = parser.parse_args()
    for system in SYSTEMS:
        programs.build("queued", system)
    print("microseconds of a receive, least (median), by what it names, beside so many messages that are left")
    for queued in [100] if arguments.quick else arguments.queued:
        print(f"  {queued} messages")
        for system in SYSTEMS:
            times = measure(system, queued, 5 if arguments.quick else arguments.rounds)
            print(f"    {system.name:6}" + "".join(
                f" {name} {min(found) / 1000:8.2f} ({statistics.median(found) / 1000:8.2f})"
                for name, found in times.items()), flush=True)


if __name__ == "__main__":
    main()
