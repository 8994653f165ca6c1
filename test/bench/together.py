#!/usr/bin/python3
"""Measures messages between two tasks of one host: ours through shared memory, ours through the pvmd alone, and
3.4.6, each also with direct routes.

usage: test/bench/together.py [--quick]          run it by hand on an idle machine

Compare within one run only."""

import argparse
import re
import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import programs  # noqa: E402
from support.machine import VirtualMachine  # noqa: E402
from support.places import OURS, STOCK  # noqa: E402

# Name, system, its environment, further arguments of the program.
NO_MEMORY = {"PVM_SHARED_MEMORY": "0"}
SYSTEMS = (("ours", OURS, {}, ()),
           ("ours, no memory", OURS, NO_MEMORY, ()),
           ("ours, direct, no memory", OURS, NO_MEMORY, ("direct",)),
           ("stock", STOCK, {}, ()),
           ("stock, direct", STOCK, {}, ("direct",)))
# Work, bytes, messages of a batch.
WORKS = (("ask", 8, 5000), ("ask", 10000, 2000), ("ask", 1000000, 50),
         ("stream", 8, 20000), ("stream", 10000, 10000), ("stream", 1000000, 100),
         ("ahead", 0, 20000))


def measure(system, variables, arguments):
    """Microseconds of a message in each batch."""
    with VirtualMachine(system, system, variables=variables) as vm:
        ended = vm.run("together", *arguments, limit=600).ok()
    return [float(re.search(r"ns=(\S+)", line)[1]) / 1000 for line in ended.out.splitlines()]


def main():
    parser = argparse.ArgumentParser(prog="test/bench/together.py", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="only see whether it works")
    parser.add_argument("--batches", type=int, default=20, help="of each work (20)")
    arguments = parser.parse_args()
    for system in (OURS, STOCK):
        programs.build("together", system)
    for work, size, messages in WORKS:
        print(f"{work}, {size} bytes: microseconds of a message, least (median)")
        for name, system, variables, further in SYSTEMS:
            if work == "ahead" and "direct" in further:     # a direct route takes as much as a socket holds
                continue
            times = measure(system, variables, [work, size, 10 if arguments.quick else messages,
                                                2 if arguments.quick else arguments.batches, *further])
            print(f"    {name:24} {min(times):9.2f} ({statistics.median(times):9.2f})", flush=True)


if __name__ == "__main__":
    main()
