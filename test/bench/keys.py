#!/usr/bin/python3
"""Measures what the key of a virtual machine costs: messages between tasks on two hosts, which are network namespaces,
through pvmds that hold the key, with and without secrecy, and through pvmds that do not. All send them over connections
and in datagrams.

usage: test/bench/keys.py [--quick] [--rounds N]            run it by hand on an idle machine

Prints microseconds one way, least (median), by size. Compare within one run only."""

import argparse
import collections
import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from apart import ApartMachine  # noqa: E402
from between import figures, halves  # noqa: E402
from support import programs  # noqa: E402
from support.network import SHELL  # noqa: E402
from support.places import OURS  # noqa: E402

SIZES = {8: 2000, 10000: 1000, 1000000: 50}     # bytes, and how many messages of a round
WARM_UP = 20
WAYS = {"connections": {}, "datagrams": {"PVM_NO_STREAM": "1"}}
KINDS = {"secrecy": {"PVM_SECRECY": "on"}, "key": {}, "no key": {}}


class Pair(ApartMachine):
    """Two hosts. Without a key the remote shell gives the daemon nothing on its standard input."""

    def __init__(self, keyed, variables):
        super().__init__(OURS, halves(False), variables)
        self.keyed = keyed

    def lay_network(self):
        super().lay_network()
        if not self.keyed:
            self._write("shell", SHELL.replace('"$*"', '"$*" < /dev/null').format(folder=self.folder))


def measure(kind, way, quick, found):
    keyed = kind != "no key"
    with Pair(keyed, WAYS[way] | KINDS[kind]) as vm:
        vm.add()
        assert ("holds no key" in vm.log()) != keyed
        program = programs.build("network", OURS)
        other = vm.start(program, "answer", host="node2")
        peer = other.line()
        for size, count in SIZES.items():
            asked = vm.start(program, "ask", peer, WARM_UP + (5 if quick else count), size, host="node1")
            found[way, kind, size] += [ns / 2000 for ns in figures(asked)[WARM_UP:]]
        vm.start(program, "end", peer, host="node1").ended().ok()
        other.ended().ok()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few messages: only see whether it works")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    found = collections.defaultdict(list)
    for _ in range(1 if arguments.quick else arguments.rounds):
        for way in WAYS:
            for kind in KINDS:
                measure(kind, way, arguments.quick, found)
    print("microseconds one way".ljust(24) + "".join(f"{size:>16} bytes" for size in SIZES))
    for way in WAYS:
        for kind in KINDS:
            cells = [found[way, kind, size] for size in SIZES]
            print(f"{way}, {kind}".ljust(24)
                  + "".join(f"{min(cell):11.1f} ({statistics.median(cell):8.1f})" for cell in cells))


if __name__ == "__main__":
    main()
