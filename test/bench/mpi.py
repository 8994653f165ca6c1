#!/usr/bin/python3
"""Measures what calls of MPI cost between processes of this host: a message one way by its size, by MPI_Send and
MPI_Recv and by their posted forms, barrier, bcast and allreduce by the number of ranks, and put, get and fetch_and_op
with a flush, in memory of MPI_Win_allocate and in the program's own; with --other beside another MPI of the standard
ABI, which runs the same binary.

usage: test/bench/mpi.py [--quick] [--other PREFIX] [--rounds N] [--batches N] [--folder FOLDER]
       run it by hand on an idle machine

Prints microseconds of a message or a call, least (median), and writes mpi.csv, mpi.svg and mpi.png. Compare within one
run only. An MPI whose ranks poll needs a processor for each rank: there more ranks take milliseconds."""

import argparse
import collections
import csv
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "test"), str(TOP / "pingpong")]
import report  # noqa: E402
from support import mpi  # noqa: E402
from support.machine import VirtualMachine  # noqa: E402
from support.places import OURS  # noqa: E402

# Call, ranks, bytes, calls of a batch.
CASES = (("pingpong", 2, 8, 10000), ("posted", 2, 8, 10000), ("pingpong", 2, 10000, 2000),
         ("pingpong", 2, 65536, 1000), ("pingpong", 2, 262144, 300), ("pingpong", 2, 1000000, 100),
         ("posted", 2, 1000000, 100), ("pingpong", 2, 4194304, 20),
         *((call, ranks, 8, calls) for ranks, calls in ((2, 2000), (4, 200), (8, 50))
           for call in ("barrier", "bcast", "allreduce")),
         *((call, 2, 8, 2000) for call in ("put", "get", "fetch", "own_put", "own_get", "own_fetch")))
PLOT = """
set terminal {terminal} size 1200,500 background rgb "white"
set output "{path}"
set grid
set key outside right top
set ylabel "microseconds"
set logscale y
set xtics rotate by -40
set style data histograms
set style histogram clustered
set style fill solid
set title "Calls of MPI: ranks, bytes (best of all)"
plot for [i=2:LAST] $mpi using i:xtic(1) title columnheader(i)
"""


def ours(ranks, words):
    with VirtualMachine(OURS, OURS, variables={"LD_LIBRARY_PATH": str(OURS.libraries)}) as vm:
        return mpi.mpiexec(vm, ranks, "mpi", *words, limit=600).out


def another(prefix):
    def run(ranks, words):
        command = [prefix / "bin" / "mpiexec", "-n", str(ranks), mpi.mpi_program("mpi"), *words]
        done = subprocess.run(command, env={**os.environ, "LD_LIBRARY_PATH": str(prefix / "lib")},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout
    return run


def microseconds(output):
    """Of a call in each batch."""
    return [float(time) / 1000 for time in re.findall(r"@batch ns=(\S+)", output)]


def title(case):
    call, ranks, size, _ = case
    return f"{call} {ranks}, {size}"


def print_found(found, sides):
    print("call ranks, bytes".ljust(24) + "".join(f"{side:>24}" for side in sides))
    for case in CASES:
        cells = [found[side, case] for side in sides]
        print(title(case).ljust(24) + "".join(f"{min(cell):12.2f} ({statistics.median(cell):9.2f})" for cell in cells))


def write_csv(path, found):
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["side", "call", "ranks", "bytes", "microseconds"])
        rows.writerows([side, *case[:3], value] for (side, case), values in found.items() for value in values)


def plot_data(found, sides):
    """A block for gnuplot: a line for each case, with a column for each side."""
    lines = ["$mpi << END", " ".join(["case", *(f'"{side}"' for side in sides)])]
    for case in CASES:
        lines.append(" ".join([f'"{title(case)}"', *(str(min(found[side, case])) for side in sides)]))
    return "\n".join([*lines, "END"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few calls: only see whether it works")
    parser.add_argument("--other", type=Path, metavar="PREFIX", help="another MPI of the standard ABI")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--batches", type=int, default=10, help="of each call in a round (10)")
    parser.add_argument("--folder", type=Path, default=TOP / "build" / "bench")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    sides = {"ours": ours} | ({arguments.other.name: another(arguments.other)} if arguments.other else {})
    found = collections.defaultdict(list)
    for _ in range(1 if arguments.quick else arguments.rounds):
        for case in CASES:
            call, ranks, size, calls = case
            words = (call, str(size), *(("2", "2") if arguments.quick else (str(calls), str(arguments.batches))))
            for side, run in sides.items():
                found[side, case] += microseconds(run(ranks, words))
    print(f"{report.machine_words()}\nmicroseconds of a message one way, or of a call\n")
    print_found(found, sides)
    write_csv(arguments.folder / "mpi.csv", found)
    if not arguments.quick:
        report.draw(plot_data(found, sides), PLOT.replace("LAST", str(len(sides) + 1)), arguments.folder / "mpi")


if __name__ == "__main__":
    main()
