#!/usr/bin/python3
"""Measures what a call of all members of a group costs: barrier, reduce, gather and allreduce of one int, by processes
of this host, with ours and with 3.4.6, in a group that may change and in a frozen one. For 3.4.6 an allreduce is a
pvm_reduce and a pvm_bcast.

usage: test/bench/members.py [--quick] [--members N] [--rounds N] [--folder FOLDER]
       run it by hand on an idle machine

Prints microseconds of a call at the first member, which gets the result, least (median), and writes members.csv,
members.svg and members.png. In reduce and gather the others may run ahead: there it is the rate that counts. Compare
within one run only."""

import argparse
import collections
import csv
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
from support.places import OURS, STOCK  # noqa: E402

# Name, system, group.
SIDES = (("ours", OURS, "moving"), ("ours, frozen", OURS, "frozen"),
         ("3.4.6", STOCK, "moving"), ("3.4.6, frozen", STOCK, "frozen"))
# Call, calls of a batch.
CALLS = (("barrier", 500), ("reduce", 1000), ("gather", 1000), ("allreduce", 500))
PLOT = """
set terminal {terminal} size 900,500 background rgb "white"
set output "{path}"
set grid
set key outside right top
set ylabel "microseconds"
set logscale y
set style data histograms
set style histogram clustered
set style fill solid
set title "TITLE (best of all)"
plot for [i=2:LAST] $members using i:xtic(1) title columnheader(i)
"""


def measure(system, group, words):
    """Microseconds of a call in each batch."""
    variables = {"LD_LIBRARY_PATH": str(system.libraries), "PVM_PATH": str(system.pvmd.parent)}
    with VirtualMachine(system, system, variables=variables) as vm:
        ended = vm.run("members", *map(str, words), group, limit=600).ok()
    return [float(re.search(r"ns=(\S+)", line)[1]) / 1000 for line in ended.out.splitlines() if "@batch" in line]


def print_found(found):
    print("".ljust(20) + "".join(f"{call:>14}        " for call, _ in CALLS))
    for name, *_ in SIDES:
        cells = [found[name, call] for call, _ in CALLS]
        print(f"{name:20}" + "".join(f"{min(cell):11.2f} ({statistics.median(cell):7.2f}) " for cell in cells))


def write_csv(path, found):
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["side", "call", "microseconds"])
        rows.writerows([*key, value] for key, values in found.items() for value in values)


def plot_data(found):
    """A block for gnuplot: a line for each call, with a column for each side."""
    lines = ["$members << END", " ".join(["call", *(f'"{name}"' for name, *_ in SIDES)])]
    for call, _ in CALLS:
        lines.append(" ".join([call, *(str(min(found[name, call])) for name, *_ in SIDES)]))
    return "\n".join([*lines, "END"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few calls: only see whether it works")
    parser.add_argument("--members", type=int, default=8, help="processes (8)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--batches", type=int, default=10, help="of each call in a round (10)")
    parser.add_argument("--folder", type=Path, default=TOP / "build" / "bench")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for system in (OURS, STOCK):
        programs.build("members", system)
    found = collections.defaultdict(list)
    for _ in range(1 if arguments.quick else arguments.rounds):
        for call, calls in CALLS:
            for name, system, group in SIDES:
                words = (call, arguments.members, 10 if arguments.quick else calls,
                         2 if arguments.quick else arguments.batches)
                found[name, call] += measure(system, group, words)
    print(f"{report.machine_words()}\n{arguments.members} members: microseconds of a call\n")
    print_found(found)
    write_csv(arguments.folder / "members.csv", found)
    if not arguments.quick:
        report.draw(plot_data(found), PLOT.replace("LAST", str(len(SIDES) + 1))
                    .replace("TITLE", f"{arguments.members} members"), arguments.folder / "members")


if __name__ == "__main__":
    main()
