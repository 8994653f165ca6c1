#!/usr/bin/python3
"""Measures a virtual machine of many hosts, on our PVM and on PVM 3.4.6 by turns: the time to add the hosts, to spawn
tasks over them and hear of each, to halt, and the memory of a daemon. All hosts are addresses of this machine.

Prints a table with minimum and median of each. Compare within one run only."""
import argparse
import collections
import statistics
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "pingpong")]
import report  # noqa: E402
from support import programs  # noqa: E402
from support.hosts import HostsMachine  # noqa: E402
from support.machine import wait_gone  # noqa: E402
from support.places import OURS, STOCK  # noqa: E402
from support.task import text_of  # noqa: E402

SYSTEMS = {"ours": OURS, "stock": STOCK}
STEPS = {"add": "add the hosts", "spawn": "spawn the tasks", "answer": "... until each has answered", "halt": "halt"}
MEMORY = {"Rss": "memory of a daemon", "Pss": "... its share of it", "Private": "... of it, its own alone"}


def addresses(count):
    """Of the hosts beside the master, which is 127.0.0.2."""
    return [f"127.0.{number // 250}.{number % 250 + 1}" for number in range(2, count + 1)]


def memory_of(pid):
    """Kilobytes of a process: all that it has there, its share, and what nobody shares with it."""
    sizes = collections.Counter()
    for line in text_of(Path(f"/proc/{pid}/smaps_rollup")).splitlines()[1:]:
        name, size = line.split()[:2]
        sizes[name.rstrip(":").split("_")[0]] += int(size)
    return {name: sizes[name] for name in MEMORY}


def daemons_of(machine):
    """Process ids of the machine's pvmds."""
    for pid in machine.processes():
        words = text_of(Path(f"/proc/{pid}/cmdline")).split("\0")
        if any(word.endswith("/pvmd") for word in words[:4]):
            yield pid


class Round:
    """What one machine did: seconds and counts of the steps, kilobytes of the daemons, or why not."""

    def __init__(self):
        self.seconds, self.counts, self.memory, self.trouble = {}, {}, [], None

    def take(self, line):
        step, seconds, count = line.lstrip("@").split()
        self.seconds[step], self.counts[step] = float(seconds), int(count)

    def run(self, machine, hosts, tasks, limit):
        program = programs.find("many_hosts", machine.library)
        task = machine.start(program, tasks, *addresses(hosts), keep_input=True)
        for _ in range(3):
            self.take(task.line(limit))
        self.memory = [sizes for pid in daemons_of(machine) if any((sizes := memory_of(pid)).values())]
        running = machine.processes()
        start = time.monotonic()
        task.process.stdin.close()
        left = wait_gone(running, limit)
        self.seconds["halt"], self.counts["halt"] = time.monotonic() - start, len(running) - len(left)
        assert not left, f"{len(left)} processes outlive the machine"


def measure(system, arguments):
    """A machine's Round; what goes wrong, the limit for a step passed say, is in it."""
    done = Round()
    machine = HostsMachine(system, system)
    machine.shell.write_text(machine.shell.read_text().replace("\nexec ", f"\nsleep {arguments.delay}\nexec "))
    try:
        done.run(machine.boot(), arguments.hosts, arguments.tasks, arguments.limit)
    except (AssertionError, OSError) as problem:
        done.trouble = str(problem).splitlines()[0]
    finally:
        machine.clean_up()
    return done


def figures(values, form):
    return [form.format(min(values)), form.format(statistics.median(values))] if values else ["-", "-"]


def rows(rounds):
    """Lines of the table: of each system minimum and median, and the ratio of the medians."""
    def line(title, form, of_round):
        values = {name: [value for one in rounds[name] for value in of_round(one)] for name in rounds}
        ratio = "-"
        if all(values.values()) and len(values) == 2:
            ours, stock = (statistics.median(values[name]) for name in SYSTEMS)
            ratio = f"{ours / stock:.2f}"
        return [title, *(word for name in rounds for word in figures(values[name], form)), ratio]

    for step, title in STEPS.items():
        yield line(f"{title}, s", "{:.3f}", lambda one, step=step: [one.seconds[step]] if step in one.seconds else [])
    for kind, title in MEMORY.items():
        yield line(f"{title}, KB", "{:.0f}", lambda one, kind=kind: [sizes[kind] for sizes in one.memory])


def arguments_read(words):
    parser = argparse.ArgumentParser(prog="test/bench/many_hosts.py", description=__doc__.split("\n\n")[0])
    parser.add_argument("--hosts", type=int, default=64, help="with the master's (64)")
    parser.add_argument("--tasks", type=int, default=256, help="to be spawned (256)")
    parser.add_argument("--rounds", type=int, default=7, help="machines of each system (7)")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds that a remote shell takes to connect (0)")
    parser.add_argument("--limit", type=float, default=120, help="seconds for each step (120)")
    parser.add_argument("--system", choices=SYSTEMS, help="this one alone")
    return parser.parse_args(words)


def main(words=None):
    arguments = arguments_read(words)
    names = [arguments.system] if arguments.system else list(SYSTEMS)
    rounds = {name: [] for name in names}
    for _ in range(arguments.rounds):
        for name in names:
            rounds[name].append(measure(SYSTEMS[name], arguments))
    print(f"{report.machine_words()}\n{arguments.hosts} hosts, {arguments.tasks} tasks, {arguments.rounds} machines each, "
          f"remote shells that take {arguments.delay} s to connect\n")
    report.print_table(["", *(f"{name} {figure}" for name in names for figure in ("min", "median")), "ratio"],
                       list(rows(rounds)))
    good = True
    for name in names:
        counts = {tuple(one.counts.get(step) for step in ("add", "spawn", "answer")) for one in rounds[name]}
        print(f"{name}: hosts added, tasks spawned and heard of: {sorted(counts, key=str)}")
        for trouble in {one.trouble for one in rounds[name]} - {None}:
            print(f"{name}: {trouble}")
        good = good and (name == "stock" or counts == {(arguments.hosts - 1, arguments.tasks, arguments.tasks)})
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
