#!/usr/bin/python3
"""Measures messages between tasks on two hosts, which are network namespaces: by UCX (PVM_NETWORK=ucx), over direct
routes, through the pvmds, and 3.4.6 both ways; beside them, between the same hosts and without PVM, UCX (ucx_perftest,
which sleeps as ours does: -E sleep) and TCP. UCX has TCP alone here, unless the machine has an adapter.

usage: test/bench/network.py [--quick] [--rounds N] [--folder FOLDER]      run it by hand on an idle machine

Prints microseconds one way by size, and MB/s of many messages one way, each least or most (median), and writes
network.csv. Each host has one half of the processors. Compare within one run only."""

import argparse
import collections
import csv
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from apart import ApartMachine, on_processors  # noqa: E402
from between import figures, halves  # noqa: E402
from support import programs  # noqa: E402
from support.places import OURS, STOCK  # noqa: E402

SIZES = (8, 1000, 10000, 100000, 1000000)
# Name, system, PVM_NETWORK, whether a direct route is asked for.
SIDES = (("ours by UCX", OURS, "ucx", ()), ("ours direct", OURS, "tcp", ("direct",)),
         ("ours by daemons", OURS, "tcp", ()), ("3.4.6 direct", STOCK, "tcp", ("direct",)),
         ("3.4.6 by daemons", STOCK, "tcp", ()))
LIMIT = 300


def counted(size, quick):
    """How many messages of a size are measured."""
    return max(20, min(5000, 20000000 // size) // (20 if quick else 1))


def raw_ucx(vm, test, size, count):
    """The last line of ucx_perftest: the median latency, or the overall rate."""
    variables = {"UCX_TLS": "tcp", **os.environ}
    words = ["-t", test, "-s", str(size), "-n", str(count), "-E", "sleep"]
    with on_processors(vm.processors["node2"]):
        server = subprocess.Popen([*vm.network.enter("node2"), "ucx_perftest", *words], env=variables,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with server, on_processors(vm.processors["node1"]):
        time.sleep(1)
        lines = subprocess.run([*vm.network.enter("node1"), "ucx_perftest", "10.0.0.2", *words], env=variables,
                               text=True, capture_output=True, timeout=LIMIT, check=True).stdout.splitlines()
        found = lines[-1].split()
        server.wait(LIMIT)
    return float(found[2] if test.endswith("lat") else found[6])


def measure_raw(vm, program, arguments, found):
    for size in SIZES:
        count = counted(size, arguments.quick)
        found["latency", "UCX", size].append(raw_ucx(vm, "ucp_am_lat", size, count))
        found["rate", "UCX", size].append(raw_ucx(vm, "ucp_am_bw", size, count) * (1 << 20) / 1e6)
        listener = vm.start(program, "listen", host="node2")
        times = figures(vm.start(program, "tcp-ask", "10.0.0.2", listener.line(), count, size, host="node1"))
        listener.ended().ok()
        found["latency", "TCP", size] += [ns / 2000 for ns in times]


def measure_side(name, system, network, how, arguments, found):
    with ApartMachine(system, halves(False), {"PVM_NETWORK": network}) as vm:
        vm.add()
        program = programs.build("network", system)
        other = vm.start(program, "answer", *how, host="node2")
        peer = other.line()
        for size in SIZES:
            count = counted(size, arguments.quick)
            asked = figures(vm.start(program, "ask", peer, count + 20, size, *how, host="node1"))[20:]
            found["latency", name, size] += [ns / 2000 for ns in asked]
            poured = figures(vm.start(program, "pour", peer, 4, count, size, *how, host="node1"))[1:]
            found["rate", name, size] += [size * count * 1e3 / ns for ns in poured]
        vm.start(program, "end", peer, host="node1").ended().ok()
        other.ended().ok()
        if network == "ucx":
            measure_raw(vm, program, arguments, found)


def print_found(found):
    names = list(dict.fromkeys(name for _, name, _ in found))
    for kind, title, best in (("latency", "microseconds one way", min), ("rate", "MB/s one way", max)):
        print(f"{title:18}" + "".join(f"{size:>22}" for size in SIZES))
        for name in names:
            cells = [found.get((kind, name, size)) for size in SIZES]
            print(f"{name:18}" + "".join(f"{best(cell):10.1f} ({statistics.median(cell):9.1f})" if cell else
                                         f"{'-':>22}" for cell in cells))


def write_csv(path, found):
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["kind", "side", "bytes", "value"])
        rows.writerows([*key, value] for key, values in found.items() for value in values)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path("build/bench"))
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    found = collections.defaultdict(list)
    for _ in range(arguments.rounds):
        for side in SIDES:
            measure_side(*side, arguments, found)
    print_found(found)
    write_csv(arguments.folder / "network.csv", found)


if __name__ == "__main__":
    main()
