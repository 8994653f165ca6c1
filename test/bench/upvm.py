#!/usr/bin/python3
"""Measures programs as user-level processes: switches between contexts, messages, rings, a solver and the training of a
net, on PVM 3.4.6, on ours, as processes, as thread tasks and as user-level processes, by turns. They are those of
R. B. Konuru, S. W. Otto and J. Walpole, "A Migratable User-Level Process Package for PVM", 1997, and so are the tables
that it prints, with the figures of the paper beside ours.

usage: test/bench/upvm.py [--quick] [--rounds N] [--tables TABLE...] [--together] [--switch PROGRAM] [--folder FOLDER]
       run it by hand on an idle machine; all rounds take about 20 minutes

The PVM programs are in test/bench/upvm: plain programs of PVM 3.4, the same ones on all sides. crew.h says what a task
is. Each checks its result. The two hosts are network namespaces. As those of the paper, each has one processor for all
that runs on it; with --together both use all. Table IX has switches without PVM, and, if table X is taken, messages of
0 bytes beside them. Prints tables and writes upvm.csv (a line for each value), upvm.svg and upvm.png. Compare within
one run only."""

import argparse
import collections
import contextlib
import csv
import dataclasses
import os
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "test"), str(TOP / "pingpong")]
import report  # noqa: E402
import systems  # noqa: E402
import upvm_report  # noqa: E402
from apart import ApartMachine, on_processors  # noqa: E402
from goals import say  # noqa: E402
from support import programs  # noqa: E402
from support.places import OURS, STOCK  # noqa: E402

SOURCES = TOP / "test" / "bench" / "upvm"
BUILD = TOP / "build" / "upvm"
KERNEL = TOP / "build" / "plain"     # where the program is made that links the kernel
LIMIT = 600     # seconds for one run
GRID = 128      # points on a side
OPERATIONS = 4  # for a point in a sweep: three sums and a product


@dataclasses.dataclass(frozen=True)
class Side:
    """How the programs run."""

    name: str
    system: object
    how: str        # what a task is, in a word of crew.h
    variables: tuple = ()   # more environment, in pairs

    def output(self, machines, program, tasks, hosts, numbers):
        how = f"{self.how}@{','.join(hosts)}" if hosts else self.how
        return machines[self.system].run(programs.build(program, self.system), tasks, how, *numbers, limit=LIMIT,
                                         variables=dict(self.variables)).ok().out


DIRECT = Side(f"{upvm_report.BASE}, direct", STOCK, "direct")
SIDES = (Side(upvm_report.BASE, STOCK, "processes"), Side("processes", OURS, "processes"),
         Side("thread tasks", OURS, "threads"),
         Side(upvm_report.ULPS, OURS, "processes", (("PVM_TASKS", "ulp"),)), DIRECT)
# What of a move takes so long.
MOVES = (Side(upvm_report.TCP, OURS, "tcp"), Side(upvm_report.STILL, OURS, "still"), Side("pvm_migrate", OURS, "cost"))
# Of the solver, in as many parts as there are tasks.
SEQUENTIAL = Side(upvm_report.SEQUENTIAL, OURS, "alone")


@dataclasses.dataclass
class Scale:
    """How much is measured. What has a part is less often done in a batch than it would be."""

    rounds: int
    batches: int
    part: float
    sizes: tuple        # bytes of messages
    members: tuple      # of rings
    sweeps: int
    solvers: tuple      # tasks
    bytes: tuple        # of examples
    passes: int

    def times(self, count):
        return max(2, round(count * self.part))


QUICK = Scale(rounds=3, batches=3, part=0.2, sizes=(0, 8, 1000, 100000), members=(2, 8, 24), sweeps=5000,
              solvers=(2, 3, 11), bytes=(300000, 2900000), passes=10)
FULL = Scale(rounds=10, batches=5, part=1, sizes=(0, 1, 8, 512, 1000, 10000, 100000),
             members=(2, 4, 6, 8, 10, 14, 20, 24), sweeps=5000, solvers=tuple(range(2, 12)),
             bytes=(300000, 500000, 1000000, 1600000, 2100000, 2900000, 64000000), passes=20)


# ---- on which hosts tasks are


def on_first(tasks):
    return ["node1"] * tasks


def interleaved(tasks):
    return [f"node{1 + task % 2}" for task in range(tasks)]


def by_blocks(tasks):
    return [f"node{1 + 2 * task // tasks}" for task in range(tasks)]


# ---- what is measured: functions that give the tasks, their hosts, and the numbers of a program


def message(hosts):
    return lambda scale, size: (2, hosts(2), (size, scale.times(1000 if size < 10000 else 10000000 // size),
                                              scale.batches))


def ring(hosts):
    return lambda scale, members: (members, hosts(members), (4, scale.times(1000 // members), scale.batches))


def solver(hosts):
    return lambda scale, tasks: (tasks, hosts(tasks), (GRID, scale.sweeps))


def training(scale, size):
    return 2, by_blocks(2), (size, max(2, scale.passes // (1 + size // 10000000)))


def moving(scale, size):
    return 1, ["node1", "node2"], (size, max(4, 2 * scale.passes // (1 + size // 10000000)))


def one_way(_scale, seconds):
    return seconds * 1e6 / 2


def microseconds(_scale, seconds):
    return seconds * 1e6


def milliseconds(_scale, seconds):
    return seconds * 1e3


def rate(scale, seconds):
    """Millions of operations in a second."""
    return OPERATIONS * GRID ** 2 * scale.sweeps / seconds / 1e6


@dataclasses.dataclass(frozen=True)
class Table:
    """What gives a table with a row for each of some numbers, and in it a figure of each side."""

    name: str
    title: str
    program: str
    rows: str       # which numbers of Scale
    what: str       # they are
    unit: str
    run: object     # of the functions above, for a scale and a row
    figure: object  # for a scale and seconds


TABLES = (
    Table("X", "messages on one host, one way", "round", "sizes", "bytes", "us", message(on_first), one_way),
    Table("XI", "messages between two hosts, one way", "round", "sizes", "bytes", "us", message(by_blocks), one_way),
    Table("XII", "once around a ring on one host", "round", "members", "tasks", "us", ring(on_first), microseconds),
    Table("XIII-interleaved", "once around a ring on two hosts, neighbours apart", "round", "members", "tasks", "us",
          ring(interleaved), microseconds),
    Table("XIII-blocks", "once around a ring on two hosts, by blocks", "round", "members", "tasks", "us",
          ring(by_blocks), microseconds),
    Table("XIV", "Laplace on one host", "laplace", "solvers", "tasks", "Mflops", solver(on_first), rate),
    Table("XV", "Laplace on two hosts, by blocks", "laplace", "solvers", "tasks", "Mflops", solver(by_blocks), rate),
    Table("Opt", "a pass of training a net, the program of table XVII", "opt", "bytes", "bytes", "ms", training,
          milliseconds),
    Table("XVII", "a process with so many bytes moves; the ratio is of TCP to how long it stands still", "move", "bytes", "bytes", "ms", moving,
          milliseconds))


def sides_of(table):
    """The solver is often wrong on direct routes of 3.4.6, whose first messages overtake others (CHANGES)."""
    if table.program == "move":
        return MOVES
    if table.program != "laplace":
        return SIDES
    return *(side for side in SIDES if side is not DIRECT), SEQUENTIAL


def seconds_of(output):
    """The times that a program has taken of its own accord, or else that of all of its work."""
    return [float(value) for value in re.findall(r"^@time seconds=(\S+)$", output, re.MULTILINE)
            or re.findall(r"^@crew .*seconds=(\S+)$", output, re.MULTILINE)]


def compiled(name, *flags):
    """A program without PVM."""
    return systems.compile_program(BUILD / name, [SOURCES / f"{name}.c"], os.environ.get("CC", "gcc"), *flags)


def make_own():
    """What measures switches between our fibers."""
    subprocess.run(["make", "--silent", f"-C{KERNEL}", "test/kernel/switch"], check=True)
    return KERNEL / "test" / "kernel" / "switch"


def make_switches(more):
    """{name: (words of a command, rounds in a batch)}. more: a further program, or None."""
    system, own, ways = compiled("switch_system"), make_own(), {}
    ways[upvm_report.CALL] = [system, "call"], 1000000
    ways |= {name: ([own, way], 100000) for name, way in upvm_report.OWN.items()}
    for name, program, library, *words in ((upvm_report.JUMP, "switch_boost", "-lboost_context", "alike"),
                                           (f"{upvm_report.JUMP}, other flags", "switch_boost", "-lboost_context",
                                            "differ"),
                                           ("Argobots, yield", "switch_argobots", "-labt")):
        try:
            ways[name] = [compiled(program, library, "-lm"), *words], 100000
        except systems.Unavailable as reason:
            why = next(line for line in f"{reason}\n".split("\n") if "error" in line or not line)
            print(f"not measured: {name}: {why}", file=sys.stderr)
    ways |= {"swapcontext": ([system, "swapcontext"], 100000), "threads, by futex": ([system, "futex"], 20000),
             "processes, by pipes": ([system, "pipes"], 20000)}
    return ways | ({more.name: ([more.resolve()], 100000)} if more else {})


def switch_times(words, processors):
    with on_processors(processors):
        done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=LIMIT)
    if done.returncode or not seconds_of(done.stdout):
        raise SystemExit(f"{words} fails: {done.stdout}{done.stderr}")
    return [seconds * 1e9 for seconds in seconds_of(done.stdout)]


class Measurement:
    """What is found. values: {(name of a table, row, name of a side): in its unit}; switches: {name: nanoseconds}."""

    def __init__(self, scale, names, together=False, switch=None):
        cores = sorted(os.sched_getaffinity(0))
        self.scale = scale
        self.processors = [cores] * 2 if together else [cores[:1], cores[-1:]]
        self.tables = [table for table in TABLES if table.name in names]
        self.ways = make_switches(switch) if "IX" in names else {}
        self.values, self.switches = collections.defaultdict(list), collections.defaultdict(list)

    def take(self):
        """All rounds."""
        with contextlib.ExitStack() as stack:
            paths = {"PVM_PATH": f"{programs.folder(OURS)}:{OURS.pvmd.parent}"}
            machines = {system: stack.enter_context(ApartMachine(system, self.processors, paths))
                        for system in (STOCK, OURS)}
            for machine in machines.values():
                machine.add()
            for number in range(self.scale.rounds):
                self.take_round(machines, f"round {number + 1} of {self.scale.rounds}")

    def take_round(self, machines, where):
        for name, (words, times) in self.ways.items():
            say(f"{where}, table IX: {name}")
            self.switches[name] += switch_times([*words, self.scale.times(times), self.scale.batches],
                                                self.processors[0])
        for table in self.tables:
            for row in self.rows(table):
                say(f"{where}, table {table.name}: {row} {table.what}")
                self.take_row(machines, table, row)
            if SEQUENTIAL in sides_of(table):
                self.take_figure(machines, table, 1, SEQUENTIAL)

    def rows(self, table):
        return getattr(self.scale, table.rows)

    def take_row(self, machines, table, row):
        for side in sides_of(table):
            self.take_figure(machines, table, row, side)

    def take_figure(self, machines, table, row, side):
        output = side.output(machines, table.program, *table.run(self.scale, row))
        self.values[table.name, row, side.name] += (table.figure(self.scale, seconds) for seconds in seconds_of(output))


def write_csv(found, path):
    units = {table.name: table.unit for table in found.tables}
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["table", "row", "side", "unit", "value"])
        writer.writerows(["IX", "", name, "ns", value] for name, values in found.switches.items() for value in values)
        writer.writerows([table, row, side, units[table], value] for (table, row, side), values in found.values.items()
                         for value in values)


def arguments_read():
    parser = argparse.ArgumentParser(prog="test/bench/upvm.py", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="less of all: half a minute")
    parser.add_argument("--rounds", type=int, help="runs of each program on each side (10)")
    names = ["IX", *(table.name for table in TABLES)]
    parser.add_argument("--tables", nargs="+", choices=names, default=names, help="only these (all)")
    parser.add_argument("--together", action="store_true", help="both hosts use all processors")
    parser.add_argument("--switch", type=Path, metavar="PROGRAM",
                        help="one more in table IX, which is called and answers as those of test/bench/upvm/switch.h")
    parser.add_argument("--folder", type=Path, default=TOP / "build" / "bench", help="where files go (build/bench)")
    return parser.parse_args()


def main():
    arguments = arguments_read()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    scale = dataclasses.replace(QUICK if arguments.quick else FULL)
    scale.rounds = arguments.rounds or scale.rounds
    found = Measurement(scale, arguments.tables, arguments.together, arguments.switch)
    found.take()
    say("")
    print(f"{report.machine_words()}\n")
    upvm_report.print_tables(found)
    write_csv(found, arguments.folder / "upvm.csv")
    upvm_report.draw(found, arguments.folder / "upvm")


if __name__ == "__main__":
    main()
