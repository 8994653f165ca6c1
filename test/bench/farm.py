#!/usr/bin/python3
"""Measures a farm of short Python functions: the executor of the package pvm, with workers on four hosts, which are
network namespaces, beside concurrent.futures.ProcessPoolExecutor, which has one host; both with four workers. Each is
run undisturbed, and once more with a worker killed amid it.

usage: test/bench/farm.py [--quick] [--rounds N] [--calls N] [--folder FOLDER]
       run it by hand on an idle machine

Prints seconds from the first call to the last result, least (median), how many results came, and the processor time of
idle workers in a second; writes farm.csv. Compare within one run only."""
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
from support.network import NetworkMachine  # noqa: E402
from support.places import OURS  # noqa: E402

HOSTS = 4
KINDS = {"pvm": "ours, four hosts", "processes": "ProcessPoolExecutor, one host"}
VARIABLES = {"PYTHONPATH": str(OURS.root / "python"), "PYTHONDONTWRITEBYTECODE": "1",
             "PVM_EXPORT": "PYTHONPATH:PYTHONDONTWRITEBYTECODE:LD_LIBRARY_PATH"}
PROGRAM = TOP / "test" / "bench" / "farmed.py"


def measure(vm, kind, calls, kill):
    """(Seconds, results, seconds of idle workers)."""
    words = vm.start("/usr/bin/python3", PROGRAM, kind, calls, int(kill), host=vm.master).ended().ok().out.split()
    return float(words[0]), int(words[1]), float(words[2])


def print_found(found, calls):
    print(f"{report.machine_words()}\nfarm: {calls} calls of half a millisecond, four workers\n")
    print(f"{'':32}{'seconds':>16}{'results':>10}{'idle s/s':>10}")
    for (kind, kill), rows in found.items():
        times = [row[0] for row in rows]
        name = KINDS[kind] + (", one killed" if kill else "")
        idle = "" if kill else f"{max(row[2] for row in rows):10.4f}"     # a worker that is new still begins
        print(f"{name:42}{min(times):6.3f} ({statistics.median(times):5.3f}){min(row[1] for row in rows):8}{idle}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few calls: only see whether it works")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--folder", type=Path, default=TOP / "build" / "bench")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    calls, rounds = (100, 1) if arguments.quick else (arguments.calls, arguments.rounds)
    found = collections.defaultdict(list)
    with NetworkMachine([OURS] * HOSTS, OURS, VARIABLES) as vm:
        vm.add()
        for _ in range(rounds):
            for kind in KINDS:
                for kill in (False, True):
                    found[kind, kill].append(measure(vm, kind, calls, kill))
    print_found(found, calls)
    with (arguments.folder / "farm.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["kind", "killed", "seconds", "results", "idle"])
        rows.writerows([kind, int(kill), *row] for (kind, kill), several in found.items() for row in several)


if __name__ == "__main__":
    main()
