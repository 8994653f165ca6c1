#!/usr/bin/python3
"""Measures packing and unpacking of arrays in each encoding, ours and that of PVM 3.4.6 by turns, against memcpy.

usage: test/bench/packing.py [--quick] [--largest N] [--folder FOLDER]          run it by hand on an idle machine

Prints a table of nanoseconds a call and writes packing.csv (a line for each message). Compare within one run only."""

import argparse
import collections
import csv
import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True
TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "test"), str(TOP / "pingpong")]
import report  # noqa: E402
from support import programs  # noqa: E402
from support.machine import VirtualMachine  # noqa: E402
from support.places import OURS, STOCK  # noqa: E402

SYSTEMS = (OURS, STOCK)
SIDES = ("pack", "unpack")
NAMES = ("items", "type", "encoding", "calls", *SIDES, "memcpy")


def run_program(system, rounds, largest):
    """The values of NAMES in each line of the program."""
    with VirtualMachine(system, system) as vm:
        ended = vm.run(programs.folder(system) / "packing", rounds, largest, limit=600).ok()
    lines = [line.split()[1:] for line in ended.out.splitlines() if line.startswith("@packing ")]
    return [tuple(dict(word.split("=") for word in line)[name] for name in NAMES) for line in lines]


class Times:
    """Nanoseconds a call: of each (items, type, encoding) and of each (system, side), memcpy being a system, too."""

    def __init__(self):
        self.works = collections.defaultdict(lambda: collections.defaultdict(list))

    def take(self, system, rows):
        for *work, calls, pack, unpack, memcpy in rows:
            times = self.works[tuple(work)]
            for side, time in zip(SIDES, (pack, unpack)):
                times[system.name, side].append(int(time) / int(calls))
            times["memcpy"].append(int(memcpy) / int(calls))


def print_times(times):
    rows = []
    for (items, name, encoding), found in times.works.items():
        for side in SIDES:
            measured = [found["memcpy"], *(found[system.name, side] for system in SYSTEMS)]
            least = [min(values) for values in measured]
            middle = [statistics.median(values) for values in measured]
            rows.append([f"{items} {name}{'s' * (items != '1')}, {encoding.replace('_', ' ')}", side,
                         *(f"{time:.0f}" for pair in zip(least, middle) for time in pair),
                         *(f"{values[1] / values[0]:.2f}" for values in (least, middle)),
                         *(f"{values[1] / values[2]:.2f}" for values in (least, middle))])
    report.print_table(["array", "", *(f"{name} {figure}" for name in ("memcpy", "ours", "stock")
                                       for figure in ("min ns", "median")),
                        "ours/memcpy min", "median", "ours/stock min", "median"], rows)


def main():
    parser = argparse.ArgumentParser(prog="test/bench/packing.py", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer messages: only see whether it works")
    parser.add_argument("--largest", type=int, default=1000000, help="leave out arrays of more items (1000000)")
    parser.add_argument("--folder", type=Path, default=TOP / "build" / "bench", help="where it goes (build/bench)")
    arguments = parser.parse_args()
    turns, rounds = (1, 2) if arguments.quick else (8, 25)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    times = Times()
    for system in SYSTEMS:
        programs.build("packing", system)
    with open(arguments.folder / "packing.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["system", *NAMES])
        for system in turns * SYSTEMS:
            rows = run_program(system, rounds, arguments.largest)
            writer.writerows([system.name, *row] for row in rows)
            times.take(system, rows)
    print(f"{report.machine_words()}\nNanoseconds a call; ours and stock (3.4.6) by turns, memcpy in both.\n")
    print_times(times)


if __name__ == "__main__":
    main()
