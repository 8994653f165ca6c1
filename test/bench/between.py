#!/usr/bin/python3
"""Measures what goes between tasks on two hosts, through the pvmds: bulk data, and short messages while bulk data of
other tasks is underway. Ours and 3.4.6 by turns, each with the library of its own; the hosts are network namespaces.
Beside bulk data, in the same run and between the same hosts, without PVM:

    TCP       one process to another one over a TCP connection
    copied    four processes, as with two pvmds, that do nothing but read and write what comes
    spliced   the same four, of which those in the middle splice: no bytes of theirs are copied

usage: test/bench/between.py [--quick] [--rounds N] [--rate MBITS] [--together] [--congestion NAME]
                                                                        run it by hand on an idle machine

Without --rate the network is as fast as the processors copy; with it (needs tc and the tbf of the kernel) both hosts
send at most so many megabits a second. Each host has one half of the processors to itself, where there are two;
--together lets both use all, as real hosts never do. How fast TCP is depends on its congestion control, too: --congestion
is another one than that of the system. Compare within one run only."""

import argparse
import os
import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from apart import ApartMachine  # noqa: E402
from support import programs  # noqa: E402
from support.places import OURS, STOCK  # noqa: E402

MEGABYTE = 1 << 20
SYSTEMS = {"ours": OURS, "stock": STOCK}
LIMIT = 600


def figures(task):
    """Nanoseconds of each round that a program printed."""
    return [int(line.split()[1]) for line in task.ended(LIMIT).ok().out.splitlines() if line.startswith("@")]


CONGESTION = "/proc/sys/net/ipv4/tcp_congestion_control"
ALLOWED = Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")     # in network namespaces, too


def halves(together):
    """The processors of the first host, and those of the second."""
    processors = sorted(os.sched_getaffinity(0))
    half = len(processors) // 2
    return [processors] * 2 if together or not half else [processors[:half], processors[half:]]


class Pair(ApartMachine):
    """Two hosts, with a task on the second that takes everything."""

    def __init__(self, system, rate, together, congestion):
        super().__init__(system, halves(together))
        self.rate = rate
        self.congestion = congestion
        self.program = programs.build("between", system)

    def describe(self):
        control = self.network.run("node1", "cat", CONGESTION).strip()
        return f"TCP by {control}, processors {' and '.join(map(str, self.processors.values()))}"

    def __enter__(self):
        super().__enter__()
        for name in self.names if self.congestion else []:
            self.network.run(name, "sh", "-c", f"echo {self.congestion} >{CONGESTION}")
        for name in self.names if self.rate else []:
            self.network.run(name, "tc", "qdisc", "add", "dev", "eth0", "root", "tbf", "rate", f"{self.rate}mbit",
                             "burst", "256kb", "latency", "20ms")
        self.add()
        self.sink, self.sink_tid = self.new_sink()
        return self

    def new_sink(self):
        task = self.start(self.program, "sink", host="node2")
        return task, task.line()

    def do(self, *words):
        """A program on the first host."""
        return self.start(self.program, *words, host="node1")

    def leave(self, task, tid):
        self.do("end", tid).ended().ok()
        task.ended().ok()

    def tcp(self, rounds, count, size, *how):
        listener = self.start(self.program, "listen", *how, host="node2")
        found = figures(self.do("pour", "10.0.0.2", listener.line(), rounds, count, size, *how))
        listener.ended().ok()
        return found

    def bulk(self, how, rounds, count, size):
        return figures(self.do(how, self.sink_tid, rounds, count, size))

    def asked(self, how, questions):
        """While another pair is busy."""
        task, tid = self.new_sink()
        found = figures(self.do(how, tid, questions))
        self.leave(task, tid)
        return found

    def asked_beside_bulk(self, how, questions, size):
        busy = self.do("send", self.sink_tid, 1000000, 20, size)    # 20 messages at a time, then an answer
        found = self.asked(how, questions)
        busy.discard()
        return found


def measure(system, arguments, found):
    """Adds to the lists in found, by work and system."""
    count, questions = (20, 5) if arguments.quick else (200, 100)
    if system is STOCK and not arguments.rate:
        count, questions = count // 10, questions // 5      # it is that much slower
    with Pair(system, arguments.rate, arguments.together, arguments.congestion) as vm:
        found["network"] = vm.describe()
        vm.bulk("send", 1, 2, MEGABYTE)     # so that all is set up
        works = {"TCP": vm.tcp(3, count, MEGABYTE), "copied": vm.tcp(3, count, MEGABYTE, "copy"),
                 "spliced": vm.tcp(3, count, MEGABYTE, "splice"), "send": vm.bulk("send", 3, count, MEGABYTE),
                 "psend": vm.bulk("psend", 3, count, MEGABYTE)}
        for work, times in works.items():
            found.setdefault((work, system.name), []).extend(count * MEGABYTE / 1e6 / (ns / 1e9) for ns in times)
        for how in ("ask", "state"):
            found.setdefault((how, system.name), []).extend(ns / 1e3 for ns in vm.asked(how, questions))
            found.setdefault((f"{how} beside bulk", system.name), []).extend(
                ns / 1e3 for ns in vm.asked_beside_bulk(how, questions, MEGABYTE))
        vm.sink.discard()


def print_found(found):
    print(found["network"])
    print("bulk data, MB/s of 1000000 bytes: most (median), and part of TCP in the same machine")
    for work in ("TCP", "copied", "spliced", "send", "psend"):
        for name in SYSTEMS:
            rates, plain = found[work, name], found["TCP", name]
            print(f"    {work:7} {name:6} {max(rates):8.0f} ({statistics.median(rates):8.0f})   "
                  f"{max(rates) / max(plain):5.2f} ({statistics.median(rates) / statistics.median(plain):5.2f})")
    print("short messages there and back, microseconds: least (median), most")
    for work in ("ask", "ask beside bulk", "state", "state beside bulk"):
        for name in SYSTEMS:
            times = found[work, name]
            print(f"    {work:17} {name:6} {min(times):8.0f} ({statistics.median(times):8.0f}) {max(times):10.0f}")


def main():
    parser = argparse.ArgumentParser(prog="test/bench/between.py", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="only see whether it works")
    parser.add_argument("--rounds", type=int, default=3, help="machines of each system, by turns (3)")
    parser.add_argument("--rate", type=int, help="megabits a second that each host sends")
    parser.add_argument("--together", action="store_true", help="both hosts use all processors")
    parser.add_argument("--congestion", metavar="NAME", help="congestion control of TCP")
    arguments = parser.parse_args()
    if arguments.congestion and arguments.congestion not in ALLOWED.read_text().split():
        parser.error(f"--congestion {arguments.congestion}: the system does not allow that (write all that it is to "
                     f"allow to {ALLOWED})")
    found = {}
    for _ in range(1 if arguments.quick else arguments.rounds):
        for system in SYSTEMS.values():
            measure(system, arguments, found)
    print_found(found)


if __name__ == "__main__":
    main()
