#!/usr/bin/python3
"""Measures tasks as threads of one process: four programs on PVM 3.4.6, on ours, with processes and with threads, and
on the MPI libraries that are here, by turns. They are those of C. M. P. Santos and J. S. Aude, "PM-PVM: A Portable
Multithreaded PVM", 1999, and so are the tables that it prints, with the figures of the paper as ratios.

usage: test/bench/pmpvm.py [--quick] [--rounds N] [--tasks N...] [--programs NAME...] [--folder FOLDER]
       run it by hand on an idle machine; all rounds take about 20 minutes

The programs are in test/bench/pmpvm; ../crew.h says what a task is. Each checks its result. Prints tables and writes
pmpvm.csv (a line for each run), pmpvm.svg and pmpvm.png. Compare within one run only."""

import argparse
import collections
import copy
import csv
import dataclasses
import functools
import re
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "test"), str(TOP / "pingpong")]
import pmpvm_report  # noqa: E402
import report  # noqa: E402
import systems  # noqa: E402
from support.machine import Machines  # noqa: E402
from support.places import OURS, STOCK  # noqa: E402

SOURCES = TOP / "test" / "bench" / "pmpvm"
BUILD = TOP / "build" / "pmpvm"
TASKS = (2, 4, 8, 12, 16)
WAYS = ("shared", "copied", "auto")     # in which thread tasks pass messages, as in the paper (PVM_THREAD_MESSAGES)
LIMIT = 600     # seconds for one run


@dataclasses.dataclass(frozen=True)
class Work:
    """A program with its numbers."""

    name: str
    program: str
    numbers: tuple


def works(sor, bubble, gauss, genes):
    """With so many iterations, numbers, rows, and individuals and generations."""
    return [Work("SOR", "sor", (192, sor)), Work("bubble sort", "bubble", (bubble,)), Work("Gauss", "gauss", (gauss,)),
            *(Work(f"genes, circuit {number}", "genes", (genes[0], modules, nets, genes[1]))
              for number, (modules, nets) in enumerate(((80, 30), (100, 300)), 1))]


@dataclasses.dataclass
class Scale:
    """How much is measured. Where one run of an MPI library takes longer than its limit, more tasks are left out."""

    works: list
    rounds: int
    tasks: tuple
    mpi_limit: int      # seconds
    spawned: int        # tasks
    messages: int
    packs: int


QUICK = Scale(works(60, 24000, 480, (512, 100)), rounds=1, tasks=(2, 4, 8, 16), mpi_limit=4, spawned=20, messages=100,
              packs=1000000)
FULL = Scale(works(238, 96000, 960, (1024, 400)), rounds=10, tasks=TASKS, mpi_limit=10, spawned=100, messages=200,
             packs=1000000)


@dataclasses.dataclass(frozen=True)
class PvmSide:
    """How the programs run on a PVM."""

    name: str
    system: object
    how: str    # what a task is, in a word of crew.h
    way: str = "auto"   # one of WAYS
    tasks: str = "processes"    # or ulp, of an unmodified program (PVM_TASKS)

    def output(self, machines, program, tasks, numbers, _limit):
        variables = {"PVM_THREAD_MESSAGES": self.way, "PVM_TASKS": self.tasks, "PVM_PATH": str(OURS.pvmd.parent)}
        return machines.output(self.system, variables, program, tasks, self.how, *numbers, limit=LIMIT)


class MpiSide:
    """How the programs run on an MPI library: the calls of PVM are made of those of MPI."""

    how = "processes"

    def __init__(self, name, system):
        self.name, self._system = name, system

    @functools.cache
    def system(self, program):
        """The library with one of the programs."""
        one = copy.copy(self._system)
        sources = [SOURCES / f"{program}.c", SOURCES.parent / "crew.c", SOURCES / "on_mpi" / "pvm3.c"]
        one.program = one.compile(BUILD / f"{program}-{one.name}", sources, f"-I{SOURCES / 'on_mpi'}", "-lm")
        return one

    def output(self, _machines, program, tasks, numbers, limit):
        """None if the limit was not enough."""
        system = self.system(program)
        with system.machine() as environment:
            command = system.command([tasks, self.how, *numbers], tasks + 1)
            status, output, errors = systems.run_limited(command, environment, limit)
        if status:
            raise SystemExit(f"{self.name}: {program} ended with status {status}: {output}{errors}")
        return output if status == 0 else None


def make_sides():
    """PVM 3.4.6 as it is comes first: all are compared with it."""
    pvm = [PvmSide(name, system, how) for name, system, how in (
        (pmpvm_report.BASE, STOCK, "processes"), (f"{pmpvm_report.BASE}, direct", STOCK, "direct"),
        ("processes", OURS, "processes"))]
    mpi = []
    for name, make in (("MPICH", systems.make_mpich), ("Open MPI", systems.make_openmpi)):
        try:
            mpi.append(MpiSide(name, make(SOURCES)))    # each program takes its place
        except systems.Unavailable as reason:
            print(f"not measured: {reason}", file=sys.stderr)
    threads = [PvmSide(f"{how}, {way}", OURS, how, way) for how in ("threads", "hybrid") for way in WAYS]
    ulps = PvmSide("user-level processes", OURS, "processes", tasks="ulp")
    return [*pvm, *threads, ulps, *mpi]


def values_of(output, mark):
    """{name: value} of the line with a mark."""
    line = re.search(rf"^@{mark} (.*)$", output, re.MULTILINE)[1]
    return {name: float(value) for name, value in (word.split("=") for word in line.split())}


def say(text):
    print(text, file=sys.stderr, flush=True)


class Measurement:
    """What is found: {(side, work, tasks): the seconds of each run}; without tasks, of the sequential program.

    seconds are those of the work, starts those before, until all tasks were there. micro has microseconds."""

    def __init__(self, sides, scale):
        self.sides, self.scale = sides, scale
        self.seconds, self.starts = collections.defaultdict(list), collections.defaultdict(list)
        self.micro = {what: collections.defaultdict(list) for what in pmpvm_report.MICRO}
        self.too_many = {}      # (side, work) to the number of tasks that took longer than the limit

    def take_work(self, machines, work):
        """Each side with each number of tasks, once."""
        self.take(machines, PvmSide(pmpvm_report.SEQUENTIAL, OURS, "processes"), work, 0)
        for tasks in self.scale.tasks:
            for side in self.sides:
                if tasks < self.too_many.get((side.name, work.name), tasks + 1):
                    self.take(machines, side, work, tasks)

    def take(self, machines, side, work, tasks):
        output = side.output(machines, work.program, tasks, work.numbers, self.scale.mpi_limit)
        if output is None:
            say(f"{side.name}, {work.name}, {tasks} tasks: longer than {self.scale.mpi_limit} s")
            self.too_many[side.name, work.name] = tasks
        else:
            values = values_of(output, "crew")
            self.seconds[side.name, work.name, tasks].append(values["seconds"])
            self.starts[side.name, work.name, tasks].append(values["start"])

    def take_micro(self, machines):
        """What tasks and messages cost. MPI libraries and direct routes are left out, since they do not take many
        messages while the receiver sleeps."""
        for side in self.sides:
            if side.how in ("processes", "threads") and isinstance(side, PvmSide):
                for what, value in self.micro_values(machines, side):
                    self.micro[what][side.name].append(value)

    def micro_values(self, machines, side):
        """Pairs of a name and microseconds."""
        scale = self.scale

        def output(tasks, *numbers):
            return side.output(machines, "micro", tasks, numbers, None)
        crew = values_of(output(scale.spawned, 0, 0, 0), "crew")
        empty, ints = (values_of(output(1, scale.messages, count, scale.packs), "micro") for count in (0, 10000))
        found = (crew["spawn"] / scale.spawned, crew["start"] / scale.spawned, empty["send"], empty["receive"],
                 ints["send"], ints["receive"], empty["packs"] / scale.packs)
        return [(what, seconds * 1e6) for what, seconds in zip(pmpvm_report.MICRO, found)]


def write_csv(found, path):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["side", "work", "tasks", "seconds", "start"])
        writer.writerows([*key, *pair] for key, values in found.seconds.items()
                         for pair in zip(values, found.starts[key]))
        writer.writerows([side, what, "", value * 1e-6, ""] for what, sides in found.micro.items()
                         for side, values in sides.items() for value in values)


def arguments_read():
    parser = argparse.ArgumentParser(prog="test/bench/pmpvm.py", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="smaller problems, one run: a minute or two")
    parser.add_argument("--rounds", type=int, help="runs of each program on each side (10)")
    parser.add_argument("--tasks", type=int, nargs="+", help="numbers of tasks (2 4 8 12 16)")
    names = ("micro", "sor", "bubble", "gauss", "genes")
    parser.add_argument("--programs", nargs="+", choices=names, default=names, help="only these (all)")
    parser.add_argument("--folder", type=Path, default=TOP / "build" / "bench", help="where files go (build/bench)")
    return parser.parse_args()


def main():
    arguments = arguments_read()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    systems.adopt_orphans()
    scale = dataclasses.replace(QUICK if arguments.quick else FULL)
    scale.rounds = arguments.rounds or scale.rounds
    scale.tasks = tuple(arguments.tasks or scale.tasks)
    scale.works = [work for work in scale.works if work.program in arguments.programs]
    found = Measurement(make_sides(), scale)
    with tempfile.TemporaryDirectory(prefix="pmpvm-") as tempfile.tempdir, Machines() as machines:
        for number in range(scale.rounds):
            for work in scale.works:
                say(f"round {number + 1} of {scale.rounds}: {work.name}")
                found.take_work(machines, work)
            if "micro" in arguments.programs:
                found.take_micro(machines)
    print(f"{report.machine_words()}\n")
    pmpvm_report.print_tables(found)
    write_csv(found, arguments.folder / "pmpvm.csv")
    pmpvm_report.draw(found, arguments.folder / "pmpvm")


if __name__ == "__main__":
    main()
