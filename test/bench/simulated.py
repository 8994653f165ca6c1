#!/usr/bin/python3
"""Measures what a virtual machine costs by its number of hosts, on virtual time and a virtual network: the code of the
pvmds runs there, many of them in one process (test/simulation).

usage: test/bench/simulated.py [--quick] [--hosts N...] [--folder FOLDER]

All hosts are added by one request; then the machine is left alone for a minute; a task is spawned on each host, and
gets a multicast of 1000 bytes from one sender; the sender asks for word of the end of each, and all end; the machine is
halted. A way takes about 100 us of virtual time. Prints for each step packets and bytes of datagrams, bytes of
connections, virtual milliseconds, milliseconds of this machine's processor, and the megabytes that all daemons together
take; writes simulated.csv, simulated.svg and simulated.png. A tid has 12 bits for the host, so 4095 hosts are the most.
Each daemon has a record of each other one: memory grows with the square."""

import argparse
import collections
import csv
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "pingpong")]
import report  # noqa: E402

BUILD, PROGRAM = TOP / "build" / "plain", "test/simulation/simulation"
STEPS = ("add", "rest", "spawn", "multicast", "notify", "halt")
VALUES = {"packets": "packets", "packet_bytes": "their bytes", "stream_bytes": "stream bytes",
          "virtual_ms": "virtual ms", "processor_ms": "processor ms", "memory_kb": "memory KB"}
PLOT = """
set terminal {terminal} size 1100,500 background rgb "white"
set output "{path}"
set grid
set logscale xy
set key left top
set xlabel "hosts"
set multiplot layout 1,2
set title "packets, and bytes of connections / 1000"
plot for [i=0:LAST] $steps index i using 1:2 with linespoints pt 7 lw 2 title columnheader(1)
set title "processor time of all daemons, ms"
plot for [i=0:LAST] $steps index i using 1:3 with linespoints pt 7 lw 2 title columnheader(1)
unset multiplot
"""


def measure(hosts):
    """The rows of a machine of so many hosts."""
    done = subprocess.run([BUILD / PROGRAM, "--costs", str(hosts)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{PROGRAM}: {done.stdout}{done.stderr}")
    return list(csv.DictReader(done.stdout.splitlines()))


def print_rows(rows):
    for step in STEPS:
        print(f"\n{step:8}" + "".join(f"{title:>16}" for title in VALUES.values()))
        for row in rows:
            if row["step"] == step:
                print(f"{row['hosts']:>8}" + "".join(f"{row[value]:>16}" for value in VALUES))


def write_csv(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, ["hosts", "step", *VALUES])
        out.writeheader()
        out.writerows(rows)


def plot_data(rows):
    """A block for gnuplot for each step: HOSTS SENT PROCESSOR."""
    blocks = collections.defaultdict(list)
    for row in rows:
        sent = int(row["packets"]) + int(row["stream_bytes"]) / 1000
        blocks[row["step"]].append(f"{row['hosts']} {max(sent, 0.1)} {max(float(row['processor_ms']), 0.01)}")
    lines = ["$steps << END"]
    for step in STEPS:
        lines += [f'"{step}"', *blocks[step], "", ""]
    return "\n".join([*lines, "END"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few hosts: only see whether it works")
    parser.add_argument("--hosts", type=int, nargs="+", default=[10, 30, 100, 300, 1000])
    parser.add_argument("--folder", type=Path, default=TOP / "build" / "bench")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["make", "--silent", "-C", BUILD, PROGRAM], check=True)
    rows = [row for hosts in ([3, 10] if arguments.quick else arguments.hosts) for row in measure(hosts)]
    print(report.machine_words())
    print_rows(rows)
    write_csv(arguments.folder / "simulated.csv", rows)
    if not arguments.quick:
        report.draw(plot_data(rows), PLOT.replace("LAST", str(len(STEPS) - 1)), arguments.folder / "simulated")


if __name__ == "__main__":
    main()
