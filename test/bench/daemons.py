#!/usr/bin/python3
"""Measures the pvmd, ours and that of 3.4.6 by turns: its memory with idle tasks, and how many messages it
passes on. Tasks run on the library of 3.4.6 each time, so that only the pvmd differs.

usage: test/bench/daemons.py [--quick] [--rounds N] [--tasks N]          run it by hand on an idle machine

Compare within one run only."""

import argparse
import os
import resource
import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import programs, wire  # noqa: E402
from support.machine import VirtualMachine  # noqa: E402
from support.places import OURS, STOCK  # noqa: E402

SYSTEMS = (OURS, STOCK)
# Pairs of tasks, messages of each pair, bytes of a message.
WORKS = ((1, 20000, 16), (4, 10000, 16), (16, 2500, 16), (4, 10000, 1000), (4, 2500, 16000), (4, 200, 500000))


def memory(pid):
    """Kilobytes of the process: resident, and its share of what it has in common with others."""
    rows = [line.split() for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]]
    sizes = {row[0]: int(row[1]) for row in rows}
    return sizes["Rss:"], sizes["Pss:"]


def processor_seconds(pid):
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def measure_idle(daemon, count):
    """Kilobytes (resident, share) without tasks, and with `count` that wait for a message."""
    with VirtualMachine(daemon, STOCK) as vm:
        with wire.Client(vm) as asker:
            asker.enrol()
            before = memory(vm.pvmd.pid)
            clients = [wire.Client(vm).enrol() for _ in range(count)]
            assert len(asker.tasks()) == count + 1
            after = memory(vm.pvmd.pid)
            for client in clients:
                client.socket.close()
    return before, after


def measure_rate(daemon, work):
    """Messages a second, and microseconds of the pvmd's processor time for each."""
    with VirtualMachine(daemon, STOCK) as vm:
        before = processor_seconds(vm.pvmd.pid)
        ended = vm.run(programs.folder(STOCK) / "rate", *work, limit=600).ok()
        spent = processor_seconds(vm.pvmd.pid) - before
    words = dict(word.split("=") for word in ended.out.split()[1:])
    count = int(words["messages"])
    return count / int(words["ns"]) * 1e9, spent / count * 1e6


def print_idle(count):
    print(f"memory of the pvmd, KB resident (share), without tasks and with {count} idle ones")
    for daemon in SYSTEMS:
        (rss, pss), (more_rss, more_pss) = measure_idle(daemon, count)
        print(f"    {daemon.name:6} {rss:7} ({pss})   {more_rss:7} ({more_pss})   "
              f"{(more_pss - pss) * 1024 / count:7.0f} bytes a task")


def print_rates(rounds, works):
    print("messages passed on in a second, most (median), and microseconds of the pvmd's processor time for each")
    for work in works:
        found = {daemon: [] for daemon in SYSTEMS}
        for _ in range(rounds):
            for daemon in SYSTEMS:
                found[daemon].append(measure_rate(daemon, work))
        print(f"  {work[0]} pairs, {work[2]} bytes")
        for daemon, results in found.items():
            rates, costs = zip(*results)
            print(f"    {daemon.name:6} {max(rates):9.0f} ({statistics.median(rates):9.0f})   "
                  f"{min(costs):7.2f} ({statistics.median(costs):7.2f})", flush=True)


def main():
    parser = argparse.ArgumentParser(prog="test/bench/daemons.py", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="only see whether it works")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each work (5)")
    parser.add_argument("--tasks", type=int, default=1000, help="idle tasks (1000)")
    arguments = parser.parse_args()
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    programs.build("rate", STOCK)
    print_idle(arguments.tasks)
    print_rates(arguments.rounds, [(2, 10, 1000)] if arguments.quick else WORKS)


if __name__ == "__main__":
    main()
