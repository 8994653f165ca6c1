#!/usr/bin/python3
"""Measures a message and its answer over the Communication Kernel alone and through the PVM calls, by turns.

usage: test/bench/kernel.py [--quick] [--rounds N] [--sizes N...]          run it by hand on an idle machine

The answer is the received buffer, sent back as it is. What is compared with: G. J. Overeinder, J. J. J. Vesseur, F. van
der Linden and P. M. A. Sloot, "A Communication Kernel for Parallel Programming Support on a Massively Parallel Processor
System", 1995, table 1. Compare within one run only."""

import argparse
import statistics
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import programs  # noqa: E402
from support.machine import VirtualMachine  # noqa: E402
from support.places import OURS, TOP  # noqa: E402

BUILD = TOP / "build" / "plain"
ALONE = BUILD / "test" / "kernel" / "echo"
BATCHES = 5


def times(text):
    """Nanoseconds, of the batches behind the first one."""
    return [float(line.split("=")[1]) for line in text.splitlines() if line.startswith("@echo")][1:]


def alone(*arguments):
    return times(subprocess.run([ALONE, *map(str, arguments)], check=True, capture_output=True, text=True).stdout)


def through_pvm(*arguments):
    with VirtualMachine(OURS, OURS) as vm:
        return times(vm.run(programs.build("echo", OURS), *arguments, limit=600).ok().out)


def main():
    parser = argparse.ArgumentParser(prog="test/bench/kernel.py", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="only see whether it works")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each side (5)")
    parser.add_argument("--sizes", type=int, nargs="+", default=[8, 10000, 200000], help="bytes (8 10000 200000)")
    arguments = parser.parse_args()
    subprocess.run(["make", "--silent", f"-C{BUILD}", "test/kernel/echo"], stdout=subprocess.DEVNULL, check=True)
    print("nanoseconds of a message and its answer, least (median)")
    for size in arguments.sizes:
        messages = 20 if arguments.quick else max(100, 20000000 // (size + 200))
        found = {"kernel": [], "PVM": []}
        for _ in range(1 if arguments.quick else arguments.rounds):
            found["kernel"] += alone(size, messages, BATCHES)
            found["PVM"] += through_pvm(size, messages, BATCHES)
        least, median = ({name: take(values) for name, values in found.items()} for take in (min, statistics.median))
        print(f"{size:8} bytes" + "".join(f"   {name} {least[name]:10.1f} ({median[name]:10.1f})" for name in found)
              + f"   PVM takes {least['PVM'] - least['kernel']:.0f} ns, {100 * (least['PVM'] / least['kernel'] - 1):.1f} % more",
              flush=True)


if __name__ == "__main__":
    main()
