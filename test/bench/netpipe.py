#!/usr/bin/python3
"""Runs NetPIPE of the distribution over our PVM, PVM 3.4.6 and the MPI libraries that are here, by turns: messages of
growing size there and back between two processes of this host.

usage: test/bench/netpipe.py [--quick] [--rounds N] [--largest N] [--folder FOLDER]   run it by hand on an idle machine

Prints a table and writes netpipe.csv (a line for each size and round), netpipe.svg and netpipe.png. Compare within
one run only."""

import argparse
import collections
import csv
import statistics
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "test"), str(TOP / "pingpong")]
import report  # noqa: E402
import systems  # noqa: E402
from support import netpipe  # noqa: E402
from support.machine import VirtualMachine  # noqa: E402
from support.places import OURS, STOCK  # noqa: E402

TABLE = (2, 64, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304)
LIMIT = 1200  # seconds for one run


def over_pvm(system, options, variables=None):
    """(bytes, seconds) of each size; variables: more environment."""
    with VirtualMachine(system, system, variables=variables) as vm:
        return netpipe.points(netpipe.over_pvm(vm, *options, limit=LIMIT)[0])


def over_mpi(system, options):
    with system.machine() as environment, tempfile.NamedTemporaryFile("r", prefix="netpipe-") as file:
        status, output, errors = systems.run_limited(system.command([*options, "-o", file.name]), environment, LIMIT)
        if status != 0:
            raise SystemExit(f"{system.name}: NetPIPE ended with status {status}: {output}{errors}")
        return netpipe.points(file.read())


def make_peers():
    """The MPI libraries that are here."""
    peers = []
    for maker, name in ((systems.make_mpich, "NPmpich2"), (systems.make_openmpi, "NPopenmpi")):
        try:
            peers.append(maker(netpipe.program(name)))
        except systems.Unavailable as reason:
            print(f"not measured: {reason}", file=sys.stderr)
    return peers


def measure(peers, rounds, options):
    """(system, bytes) to the microseconds of each round."""
    times = collections.defaultdict(list)
    for _ in range(rounds):
        for run, system in [*((over_pvm, system) for system in (OURS, STOCK)), *((over_mpi, peer) for peer in peers)]:
            for size, seconds in run(system, options):
                times[system.name, size].append(seconds * 1e6)
    return times


def names_of(times):
    return list(dict.fromkeys(name for name, _ in times))


def print_times(times):
    names = names_of(times)
    rows = []
    for size in TABLE:
        found = [times[name, size] for name in names if (name, size) in times]
        if len(found) < len(names):
            continue
        least, middle = ([figure(values) for values in found] for figure in (min, statistics.median))
        rows.append([str(size), "", *(f"{time:.2f}" for pair in zip(least, middle) for time in pair),
                     *(f"{values[0] / values[1]:.2f}" for values in (least, middle))])
    report.print_table(["bytes", "", *(f"{name} {figure}" for name in names for figure in ("min us", "median")),
                       "ours/stock min", "median"], rows)


def write_csv(times, folder):
    with open(folder / "netpipe.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["system", "bytes", "microseconds"])
        writer.writerows([*key, value] for key, values in times.items() for value in values)


PLOT = """
set terminal {terminal} size 1000,1000 background rgb "white"
set output "{path}"
set multiplot layout 2,1
set logscale x
set grid
set key outside right top
set xlabel "bytes"
set ylabel "Gbit/s"
set title "NetPIPE between two processes of one host (best round)"
plot for [i=0:{last}] $netpipe index i using 1:($1*8/$2/1000) with lines lw 2 title columnheader(1)
set logscale y
set ylabel "microseconds one way"
unset title
plot for [i=0:{last}] $netpipe index i using 1:2 with lines lw 2 title columnheader(1)
unset multiplot
"""


def plot_data(times):
    """A block for gnuplot for each system: BYTES MICROSECONDS."""
    lines = ["$netpipe << END"]
    for name in names_of(times):
        lines += [name, *(f"{size} {min(values)}" for (owner, size), values in sorted(times.items()) if owner == name),
                  "", ""]
    return "\n".join([*lines, "END"])


def main():
    parser = argparse.ArgumentParser(prog="test/bench/netpipe.py", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="few messages: only see whether it works")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each system (3)")
    parser.add_argument("--largest", type=int, default=4200000, help="bytes of the largest message (4200000)")
    parser.add_argument("--folder", type=Path, default=TOP / "build" / "bench", help="where files go (build/bench)")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    systems.adopt_orphans()
    options = ["-u", arguments.largest, *(["-n", 3] if arguments.quick else [])]
    times = measure(make_peers(), 1 if arguments.quick else arguments.rounds, options)
    print(f"{report.machine_words()}\nNetPIPE: microseconds one way\n")
    print_times(times)
    write_csv(times, arguments.folder)
    if not arguments.quick:
        plot = PLOT.replace("{last}", str(len(names_of(times)) - 1))
        report.draw(plot_data(times), plot, arguments.folder / "netpipe")


if __name__ == "__main__":
    main()
