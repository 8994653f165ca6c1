#!/usr/bin/python3
"""Measures what messages between tasks of one host are to reach, each goal in one run with what it is compared with.

    1   8 bytes one way, both awake: against a flag in shared memory, and UCX where it is
    2   8 bytes one way, the receiver asleep: against an eventfd
    3   10,000 bytes, one thread sends while another one receives (pingpong): against stock and ZeroMQ
    4   1 MB: against copying into shared memory and out of it; and arrays of 64 KB to 16 MB copied once and twice
    5   8 bytes between two threads of a process
    6   a multicast of 1 MB to 1, 2, 4 and 8 tasks: against a copy and as many eventfds
    7   compute and serve (pingpong): against stock, and against a pair of sockets without a library
    8   packing and unpacking (packing.py): against memcpy
    9   a receive beside 100,000 messages that nobody asks for (queued.py): against none
    10  NetPIPE (netpipe.py), without a goal

usage: test/bench/goals.py [--quick] [--real-time] [--folder FOLDER] [GOAL...]      run it by hand on an idle machine

Prints the figures of all sides, and which part of what a goal allows is used. Writes goals.csv with all values,
goals.svg and goals.png. Ours is measured as it is, with PVM_SPIN, PVM_SHARED_MEMORY and PVM_ONE_COPY of the
environment where they are set; "ours, off" is without shared memory. Compare within one run only."""

import argparse
import copy
import dataclasses
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "test"), str(TOP / "pingpong")]
import compare  # noqa: E402
import goals_report  # noqa: E402
import netpipe  # noqa: E402
import packing  # noqa: E402
import queued  # noqa: E402
import report  # noqa: E402
import systems  # noqa: E402
from goals_report import Bound, Curves, Figure, Turn  # noqa: E402
from support import programs  # noqa: E402
from support.machine import Machines  # noqa: E402
from support.places import OURS, STOCK  # noqa: E402

AS_SET = {name: os.environ[name] for name in ("PVM_SPIN", "PVM_SHARED_MEMORY", "PVM_ONE_COPY") if name in os.environ}
OFF = {**AS_SET, "PVM_SHARED_MEMORY": "0"}
LARGE = 1000000     # bytes
LIMIT = 600         # seconds for one program
CORES = sorted(os.sched_getaffinity(0))
FIRST, SECOND = CORES[0], CORES[-1]
APART, AS_ONE = f"cores={FIRST},{SECOND}", f"cores={FIRST},{FIRST}"


@dataclasses.dataclass
class Scale:
    """How much is measured."""

    part: float     # of the messages
    batches: int    # of them in a turn of a side
    turns: int
    long_turns: int     # where a turn takes a second or more
    pingpong: compare.Scale
    packing: int    # rounds
    largest: int    # items
    queued: tuple   # messages, rounds
    netpipe: tuple  # options
    netpipe_turns: int


QUICK = Scale(part=0.01, batches=2, turns=1, long_turns=1, packing=2, largest=10000, queued=(100, 5),
              netpipe=("-u", "2000", "-n", "3"), netpipe_turns=1,
              pingpong=dataclasses.replace(compare.QUICK, count=100, repeat=1, steps=20_000_000, serve_repeat=1,
                                           limit=60, yardstick_limit=60))
FULL = Scale(part=1, batches=4, turns=12, long_turns=4, packing=10, largest=1000000, queued=(100000, 100),
             netpipe=("-u", "4200000"), netpipe_turns=2,
             pingpong=dataclasses.replace(compare.FULL, count=2000, repeat=3, steps=150_000_000, serve_repeat=2,
                                          yardstick_limit=60))


@dataclasses.dataclass
class Found:
    """What a goal gives."""

    figures: list
    bounds: list = dataclasses.field(default_factory=list)
    panels: list = dataclasses.field(default_factory=list)      # Curves
    tables: list = dataclasses.field(default_factory=list)      # functions that print further ones


def say(text):
    live = sys.stderr.isatty()
    print(f"\r\033[K{text}" if live else text, end="" if live else "\n", file=sys.stderr, flush=True)


class Run(Machines):
    """The measuring of one goal."""

    def __init__(self, goal, scale):
        super().__init__()
        self.goal, self.scale = goal, scale

    def count(self, messages):
        """The words that say how many messages and batches."""
        return max(2, round(messages * self.scale.part)), self.scale.batches

    def figure(self, name, unit="us", values=()):
        """Of values that stand for themselves."""
        return Figure(self.goal, name, unit, [Turn(0, list(values), [])])

    def say(self, text):
        say(f"goal {self.goal}: {text}")

    def probe(self):
        """How far the processors are apart just now: microseconds for a flag one way."""
        return min(value for value, _ in bare("flag", (2000, 3), 0)(self))

    def by_turns(self, sides, parts=None, turns=None):
        """A Figure for each side: {name: a function of this that gives values, or pairs of a value and sleeps}.

        With parts, {name: unit}, the functions give so many lists of values, and there is a Figure for each side and
        part. Of a virtual machine, processors may share a cache at one time and not at another: only those turns of a
        side count in which they were about as near as all sides have had them in a third of theirs."""
        figures = {(side, part): Figure(self.goal, f"{side}, {part}" if parts else side, unit)
                   for side in sides for part, unit in (parts or {None: "us"}).items()}
        turns = turns or self.scale.turns
        for turn in range(turns):
            for side, measure in sides.items():
                self.say(f"turn {turn + 1} of {turns}, {side}")
                before, measured = self.probe(), measure(self)
                far = max(before, self.probe())
                for part, values in zip(parts or [None], measured if parts else [measured]):
                    figures[side, part].take(far, values)
        goals_report.choose_turns(figures.values())
        return figures if parts else {side: figure for (side, _), figure in figures.items()}


def best(figures):
    """The one whose median is least."""
    return min(figures, key=lambda figure: statistics.median(figure.values))


# ---- sides


def batches_of(output):
    """(microseconds, sleeps) of a message in each batch."""
    return [(float(nanoseconds) / 1000, float(sleeps))
            for nanoseconds, sleeps in re.findall(r"^@batch ns=(\S+) sleeps=(\S+)$", output, re.MULTILINE)]


def output_of(program, *words):
    """What a program prints that uses no library."""
    done = subprocess.run([str(word) for word in (programs.build(program, OURS), *words)],
                          capture_output=True, text=True, timeout=LIMIT)
    if done.returncode:
        raise SystemExit(f"{program} {words[0]} fails: {done.stderr}")
    return done.stdout


def bare(work, count, *words, cores=(FIRST, SECOND)):
    """Two processes without a library."""
    return lambda _run: batches_of(output_of("bare", work, *cores, *count, *words))


def together(system, settings, *words):
    return lambda run: batches_of(run.output(system, settings, "together", *words, limit=LIMIT))


def ours(*words, **variables):
    return together(OURS, {**AS_SET, **variables}, *words)


def off(*words):
    return together(OURS, OFF, *words)


def stock(*words):
    return together(STOCK, {}, *words)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def ucx(messages):
    """Matching of tags through shared memory: one value, of all messages together."""
    environment = {**os.environ, "UCX_TLS": "posix,self"}
    command = ["ucx_perftest", "-t", "tag_lat", "-s", "8", "-n", str(messages), "-p", str(free_port()), "-f", "-v"]
    with subprocess.Popen([*command, "-c", str(SECOND)], env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        while True:     # it does not say when it listens
            done = subprocess.run([*command, "-c", str(FIRST), "localhost"], env=environment, capture_output=True,
                                  text=True, timeout=LIMIT)
            if done.returncode == 0:
                return [float(dict(zip(*(line.split(",") for line in done.stdout.split()[-2:])))["overall_lat"])]
            if server.poll() is not None:
                raise SystemExit(f"ucx_perftest fails: {done.stdout}{done.stderr}")
            time.sleep(0.05)


def cell_of(system, settings, work, run, version="TS", period=None, route="default"):
    """A cell of pingpong, which has finished."""
    cell = report.Cell(system.name, version, period, route)
    if settings:
        system = copy.copy(system)
        system.environment = {**system.environment, **settings}
    compare.run_cell(system, cell, work, run.scale.pingpong)
    if cell.trouble:
        raise SystemExit(f"pingpong: {cell.system} {cell.label} {cell.trouble}")
    return cell


# ---- goals: what is measured, and what it is to reach


def awake(run):
    count, few = run.count(10000), run.count(1000)
    sides = {"bare flag": bare("flag", run.count(20000), 0), "ours": ours("ask", 8, *count, APART),
             "ours, PVM_SPIN=100": ours("ask", 8, *count, APART, PVM_SPIN="100"),
             "ours, anywhere": ours("ask", 8, *few),
             "ours, off, direct": off("ask", 8, *few, "direct", APART),
             "stock, direct": stock("ask", 8, *few, "direct", APART)}
    if shutil.which("ucx_perftest"):
        sides["UCX tag_lat"] = lambda run: ucx(run.count(100000)[0])
    else:
        print("not measured: ucx_perftest is not installed (Debian: ucx-utils)", file=sys.stderr)
    found = run.by_turns(sides)
    bases = [(2, "bare flag"), *([(1, "UCX tag_lat")] if "UCX tag_lat" in found else [])]
    return Found([*found.values()], [Bound(found["ours"], factor, found[name]) for factor, name in bases])


def asleep(run):
    few, once = run.count(1000), (1, run.count(100)[0])
    sides, cases = {}, []
    for place, cores, where in (("one core", (FIRST, FIRST), AS_ONE), ("two cores", (FIRST, SECOND), APART)):
        sides |= {f"eventfd, read, {place}": bare("read", few, 0, cores=cores),
                  f"eventfd, epoll, {place}": bare("epoll", few, 0, cores=cores),
                  f"ours, {place}": ours("ask", 8, *few, where, PVM_SPIN="0"),
                  f"eventfd, read, after 1 ms, {place}": bare("read", once, 1000, cores=cores),
                  f"eventfd, epoll, after 1 ms, {place}": bare("epoll", once, 1000, cores=cores),
                  f"ours, after 1 ms, {place}": ours("wake", 8, *once, where),
                  f"stock, after 1 ms, {place}": stock("wake", 8, *once, where)}
        cases += [place, f"after 1 ms, {place}"]
    found = run.by_turns(sides)
    return Found([*found.values()], [Bound(found[f"ours, {case}"], 1.25, found[f"eventfd, read, {case}"])
                                     for case in cases])


def send_while_receiving(run):
    ours_there, stock_there, zeromq = systems.make_ours(), systems.make_stock(), systems.make_zeromq()

    def side(system, settings, **choice):
        return lambda run: [seconds / run.scale.pingpong.count * 1e6
                            for seconds in cell_of(system, settings, "pingpong", run, **choice).column("seconds")]
    ways = {f"{version}, {route}": {"version": version.split()[0], "period": period, "route": route}
            for version, period in (("POLL 1 ms", 1000), ("POLL 1 us", 1), ("GETFDS", None))
            for route in ("default", "direct")}
    of_stock = {f"stock, {name}": side(stock_there, {}, **way) for name, way in ways.items()}
    found = run.by_turns({"ours, TS": side(ours_there, AS_SET), "ours, off, TS": side(ours_there, OFF),
                                   **of_stock, "ZeroMQ, TS": side(zeromq, {})}, turns=run.scale.long_turns)
    its = found["ours, TS"]
    return Found([*found.values()], [Bound(its, 5), Bound(its, 1 / 4, best([found[name] for name in of_stock])),
                                     Bound(its, 1 / 2.5, found["ZeroMQ, TS"])])


def large(run):
    """Streams are compared at their best: how many messages may be on the way is up to the program."""
    some = run.count(50)
    copied = {f"bare copies, {slots} places of {chunk} bytes": bare("stream", some, LARGE, chunk, slots)
              for chunk, slots in ((LARGE, 2), (LARGE, 4), (250000, 8), (62500, 16))}
    sent = {f"ours, {window} on the way": ours("stream", LARGE, *some, f"window={window}", APART)
            for window in (2, 4, 8, 16)}
    whole = {f"ours, psend, {window} on the way": ours("stream", LARGE, *some, "psend", f"window={window}", APART)
             for window in (2, 4, 8)}
    asked = {"bare copies, there and back": bare("ask", some, LARGE, LARGE, 1),
             "bare copies, there and back, in parts": bare("ask", some, LARGE, 62500, 16),
             "process_vm_readv": bare("fetch", some, LARGE, LARGE, 1),
             "ours, there and back": ours("ask", LARGE, *some, APART),
             "ours, psend, there and back": ours("ask", LARGE, *some, "psend", APART),
             "ours, in place, there and back": ours("ask", LARGE, *some, "in_place", APART)}
    few = run.count(10)
    others = {"ours, off, direct, 4 on the way": off("stream", LARGE, *few, "direct", "window=4", APART),
              "stock, direct, 4 on the way": stock("stream", LARGE, *few, "direct", "window=4", APART),
              "ours, off, direct, there and back": off("ask", LARGE, *few, "direct", APART),
              "stock, direct, there and back": stock("ask", LARGE, *few, "direct", APART)}
    ways = {name: {size: (f"ours, psend of {size} bytes, there and back, {name}",
                          ours("ask", size, *run.count(max(10, 50 * LARGE // size)), "psend", APART,
                               PVM_ONE_COPY=setting)) for size in SIZES}
            for name, setting in (("one copy", "1"), ("two copies", "0"), ("auto", "auto"))}
    found = run.by_turns({**copied, **sent, **whole, **asked, **others,
                          **dict(side for sides in ways.values() for side in sides.values())})
    of_way = {name: {size: found[side] for size, (side, _) in sides.items()} for name, sides in ways.items()}
    base, mine, one_copy = (best([found[name] for name in names]) for names in (copied, sent, whole))
    return Found([*found.values()], [
        Bound(mine, 1 / 0.8, base), Bound(one_copy, 1 / 1.5, base),
        Bound(found["ours, psend, there and back"], 1 / 1.5, found["bare copies, there and back"]),
        *(Bound(of_way["auto"][size], 1.1, best([of_way["one copy"][size], of_way["two copies"][size]]))
          for size in SIZES)])


def between_threads(run):
    count = run.count(10000)
    found = run.by_turns({
        "bare flag, two processes": bare("flag", run.count(20000), 0),
        "ours, two threads":
            lambda run: batches_of(run.output(OURS, AS_SET, "within", 8, *count, FIRST, SECOND, limit=LIMIT))})
    return Found([*found.values()], [Bound(found["ours, two threads"], 0.3)])


def multicast(run):
    """The sender's time and its CPU time, from pvm_initsend to pvm_mcast."""
    times = run.count(100)[0]
    of_systems = {"ours": (OURS, AS_SET), "ours, off": (OURS, OFF), "stock": (STOCK, {})}
    sides = ["bare", *of_systems]

    def side(name, receivers):
        def measure(run):
            words = LARGE, times, receivers, FIRST, SECOND
            output = (run.output(*of_systems[name], "multicast", *words, limit=LIMIT) if name in of_systems
                      else output_of("many_woken", *words))
            pairs = re.findall(r"^@multicast ns=(\d+) cpu_ns=(\d+)$", output, re.MULTILINE)
            return [[int(value) / 1000 for value in values] for values in zip(*pairs)]
        return measure
    figures = run.by_turns({f"{name}, to {receivers}": side(name, receivers)
                            for name in sides for receivers in RECEIVERS}, {"time": "us", "CPU": "us"})
    curves = {f"{name}, {what}": [(receivers, statistics.median(figures[f"{name}, to {receivers}", what].values))
                                  for receivers in RECEIVERS]
              for name in sides for what in ("time", "CPU")}
    last = f"to {RECEIVERS[-1]}"
    return Found([*figures.values()],
                 [Bound(figures[f"ours, {last}", what], most, figures[base, what])
                  for most, base in ((1.1, f"ours, to {RECEIVERS[0]}"), (1.25, f"bare, {last}"))
                  for what in ("time", "CPU")],
                 [Curves("Multicast of 1 MB: what it costs its sender (median)", "receivers", "microseconds", curves, 2,
                         "set logscale y")])


def compute_and_serve(run):
    """In per cent of the time of the work: how much longer it takes than alone at best, CPU time beside it."""
    def side(system, settings, version):
        def measure(run):
            cell = cell_of(system, settings, "serve", run, version)
            seconds, alone = cell.column("seconds"), min(cell.column("alone_seconds"))
            beside = zip(cell.column("cpu_beside_seconds"), seconds)
            return [[(value / alone - 1) * 100 for value in seconds], [cpu / value * 100 for cpu, value in beside],
                    cell.column("p50_us"), cell.column("p99_us")]
        return measure
    mine = systems.make_ours()
    figures = run.by_turns({"ours, TS": side(mine, AS_SET, "TS"), "ours, off, TS": side(mine, OFF, "TS"),
                            "stock, GETFDS": side(systems.make_stock(), {}, "GETFDS"),
                            "sockets, TS": side(systems.make_sockets(), {}, "TS")},
                           {"longer": "%", "CPU beside": "%", "p50": "us", "p99": "us"})
    return Found([*figures.values()], [
        Bound(figures["ours, TS", "longer"], 2), Bound(figures["ours, TS", "CPU beside"], 4),
        *(Bound(figures["ours, TS", what], 0.5, figures["stock, GETFDS", what]) for what in ("p50", "p99"))])


def packed(run):
    """All arrays stand in a table of their own; large ones are held against memcpy."""
    times = packing.Times()
    for system in packing.SYSTEMS:
        programs.build("packing", system)
    of_name = {system.name: system for system in packing.SYSTEMS}
    for name in run.scale.long_turns * [*of_name]:
        run.say(name)
        times.take(of_name[name], packing.run_program(of_name[name], run.scale.packing, run.scale.largest))
    figures, bounds = [], []
    for kind in ("int", "double"):
        for encoding in ("default", "raw"):
            found = times.works[str(run.scale.largest), kind, encoding]
            what = f"{run.scale.largest} {kind}s, {encoding}"
            base, *its = (run.figure(f"{name}, {what}", "us", [value / 1000 for value in found[key]])
                          for name, key in (("memcpy", "memcpy"), ("ours, pack", ("ours", "pack")),
                                            ("ours, unpack", ("ours", "unpack"))))
            figures += [base, *its]
            bounds += [Bound(one, 1.5, base) for one in its]
    return Found(figures, bounds, tables=[lambda: packing.print_times(times)])


def beside_queued(run):
    most, rounds = run.scale.queued
    for system in queued.SYSTEMS:
        programs.build("queued", system)

    def side(system, count):
        def measure(run):
            times = queued.measure(system, count, rounds)
            return [[value / 1000 for value in times[kind]] for kind in queued.CLASSES]
        return measure
    figures = run.by_turns({f"{system.name}, beside {count}": side(system, count)
                            for system in queued.SYSTEMS for count in (0, most)},
                           {kind: "us" for kind in queued.CLASSES}, run.scale.long_turns)
    mine = OURS.name
    return Found([*figures.values()], [Bound(figures[f"{mine}, beside {most}", kind], 1.25,
                                             figures[f"{mine}, beside 0", kind])
                                       for kind in ("both", "source", "tag")])


def net_pipe(run):
    """Curves of the least time for each size."""
    times = {}
    sides = {"ours": (OURS, AS_SET), "stock": (STOCK, {}), "ours, off": (OURS, OFF)}
    for turn in range(run.scale.netpipe_turns):
        for name, (system, settings) in sides.items():
            run.say(f"turn {turn + 1} of {run.scale.netpipe_turns}, {name}")
            for size, seconds in netpipe.over_pvm(system, ["-p", 0, *run.scale.netpipe], settings):
                times.setdefault((name, size), []).append(seconds * 1e6)

    def curves(value):
        return {name: [(size, value(size, min(values))) for (owner, size), values in times.items() if owner == name]
                for name in sides}
    return Found([run.figure(f"{name}, {size} bytes", "us", values) for (name, size), values in times.items()
                  if size in netpipe.TABLE], panels=[
        Curves("NetPIPE", "bytes", "Gbit/s", curves(lambda size, micros: size * 8 / micros / 1000)),
        Curves("NetPIPE, one way", "bytes", "microseconds", curves(lambda size, micros: micros), 10, "set logscale y")])


RECEIVERS = (1, 2, 4, 8)
SIZES = tuple(1 << bits for bits in range(16, 25, 2))   # bytes of arrays that may be copied once or twice
GOALS = {1: awake, 2: asleep, 3: send_while_receiving, 4: large, 5: between_threads, 6: multicast, 7: compute_and_serve,
         8: packed, 9: beside_queued, 10: net_pipe}
# Here threads of one processor have to take turns, which those of real-time priority do not.
TAKE_TURNS = (compute_and_serve,)


def arguments_read():
    parser = argparse.ArgumentParser(prog="test/bench/goals.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("goals", nargs="*", type=int, metavar="GOAL", help="only these (all)")
    parser.add_argument("--quick", action="store_true", help="few messages: only see whether it works")
    parser.add_argument("--real-time", action="store_true",
                        help="go before all other programs, where there are some, but for goal 7")
    parser.add_argument("--folder", type=Path, default=TOP / "build" / "bench", help="where files go (build/bench)")
    arguments = parser.parse_args()
    if unknown := set(arguments.goals) - set(GOALS):
        parser.error(f"there is no goal {min(unknown)}")
    return arguments


def set_priority(real_time):
    """Of this process and of what it starts."""
    policy, priority = (os.SCHED_FIFO, 20) if real_time else (os.SCHED_OTHER, 0)
    os.sched_setscheduler(0, policy, os.sched_param(priority))


def main():
    arguments = arguments_read()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    systems.adopt_orphans()
    start = time.monotonic()
    found = []
    with tempfile.TemporaryDirectory(prefix="goals-") as tempfile.tempdir:
        try:
            for goal in arguments.goals or GOALS:
                set_priority(arguments.real_time and GOALS[goal] not in TAKE_TURNS)
                with Run(goal, QUICK if arguments.quick else FULL) as run:
                    found.append(GOALS[goal](run))
        finally:
            systems.kill_orphans()
    say("")
    figures, bounds, panels, tables = (sum((getattr(one, part) for one in found), [])
                                       for part in ("figures", "bounds", "panels", "tables"))
    for print_one in tables:
        print_one()
    goals_report.print_figures(figures)
    goals_report.print_bounds(bounds)
    goals_report.write_csv(figures, arguments.folder / "goals.csv")
    goals_report.draw(bounds, panels, arguments.folder / "goals")
    print(f"measured in {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
