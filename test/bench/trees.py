#!/usr/bin/python3
"""Measures multicasts to tasks on 2, 4 and 8 hosts, which are network namespaces: by pvm_mcast, along a tree of the
hosts, beside pvm_send to one after the other, which is what a star does, and pvm_mcast of 3.4.6.

usage: test/bench/trees.py [--quick] [--rounds N] [--rate MBIT] [--bytes N...] [--folder FOLDER]
       run it by hand on an idle machine

The cable of each host carries RATE Mbit/s (1000); 0: as much as it can. Prints milliseconds from pvm_initsend until the
last of the answers, least (median), and writes trees.csv, trees.svg and trees.png. Compare within one run only."""

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
from between import figures  # noqa: E402
from support import programs  # noqa: E402
from support.network import NetworkMachine  # noqa: E402
from support.places import OURS, STOCK  # noqa: E402

HOSTS = (2, 4, 8)
WARM_UP = 3
# Name, system, how it is sent.
SIDES = (("ours, tree", OURS, "mcast"), ("ours, one by one", OURS, "send"), ("3.4.6, multicast", STOCK, "mcast"))
PLOT = """
set terminal {terminal} size 900,500 background rgb "white"
set output "{path}"
set grid
set key outside right top
set xlabel "hosts with receivers"
set ylabel "milliseconds"
set yrange [0:*]
set title "TITLE (best of all)"
plot for [i=0:LAST] $trees index i using 1:2 with linespoints pt 7 lw 2 title columnheader(1)
"""


def limit_cables(vm, rate):
    for host in vm.names if rate else ():
        vm.network.run(host, "tc", "qdisc", "replace", "dev", "eth0", "root", "tbf", "rate", f"{rate}mbit",
                       "burst", "64kb", "limit", "64mb")


def measure(system, arguments, found):
    """Each side of the system, to the first 2, 4 and 8 of the other hosts."""
    with NetworkMachine([system] * (max(HOSTS) + 1), system) as vm:
        vm.add()
        program = programs.build("spread", system)
        answering = [vm.start(program, "answer", host=host) for host in vm.others]
        tids = [task.line() for task in answering]
        limit_cables(vm, arguments.rate)
        times = 2 if arguments.quick else arguments.times
        for hosts in HOSTS:
            for name, its_system, how in SIDES:
                for size in arguments.bytes if its_system is system else ():
                    spread = vm.start(program, how, size, WARM_UP + times, *tids[:hosts], host=vm.master)
                    found[name, size, hosts] += [ns / 1e6 for ns in figures(spread)[WARM_UP:]]
        vm.start(program, "end", *tids, host=vm.master).ended().ok()
        for task in answering:
            task.ended().ok()


def print_found(found, sizes):
    for size in sizes:
        print(f"{size} bytes".ljust(20) + "".join(f"{hosts:>14} hosts   " for hosts in HOSTS))
        for name, *_ in SIDES:
            cells = [found[name, size, hosts] for hosts in HOSTS]
            print(f"{name:20}" + "".join(f"{min(cell):11.3f} ({statistics.median(cell):7.3f}) " for cell in cells))


def write_csv(path, found):
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["side", "bytes", "hosts", "milliseconds"])
        rows.writerows([*key, value] for key, values in found.items() for value in values)


def plot_data(found, size):
    """A block for gnuplot for each side: HOSTS MILLISECONDS."""
    lines = ["$trees << END"]
    for name, *_ in SIDES:
        lines += [f'"{name}"', *(f"{hosts} {min(found[name, size, hosts])}" for hosts in HOSTS), "", ""]
    return "\n".join([*lines, "END"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few messages: only see whether it works")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--times", type=int, default=20, help="multicasts of a round")
    parser.add_argument("--rate", type=int, default=1000, help="Mbit/s of the cable of each host; 0: no limit")
    parser.add_argument("--bytes", type=int, nargs="+", default=[1000000])
    parser.add_argument("--folder", type=Path, default=TOP / "build" / "bench")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    found = collections.defaultdict(list)
    for _ in range(1 if arguments.quick else arguments.rounds):
        for system in (OURS, STOCK):
            measure(system, arguments, found)
    print(f"{report.machine_words()}\nmulticast: milliseconds until all have answered, cables of {arguments.rate} Mbit/s\n")
    print_found(found, arguments.bytes)
    write_csv(arguments.folder / "trees.csv", found)
    if not arguments.quick:
        size = max(arguments.bytes)
        title = f"{size} bytes to one task on each host, {arguments.rate} Mbit/s"
        report.draw(plot_data(found, size), PLOT.replace("LAST", str(len(SIDES) - 1)).replace("TITLE", title),
                    arguments.folder / "trees")


if __name__ == "__main__":
    main()
