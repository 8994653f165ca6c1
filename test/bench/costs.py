"""Measures what a message costs its sender and its receiver, on our PVM and on PVM 3.4.6 by turns: time,
allocations of memory, copies, system calls. The same program (cost.c), each time with the daemon of its library.

Prints a table and writes costs.csv (a line for each batch), calls.csv (system calls by name), costs.svg
and costs.png. Compare within one run only."""

import argparse
import collections
import csv
import math
import pathlib
import re
import statistics
import sys
import tempfile
import time

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "pingpong"))
import report  # noqa: E402
import systems  # noqa: E402

NAMES = ("ours", "stock")
# Of the works of cost.c stock leaves out the last: in place, it writes beyond a table of its own from the
# 14th packing of a message on.
WORKS = {"ours": (), "stock": (12,)}
ROUTES = {"pvmd": 1, "direct": 3}
SIDES = ("send", "receive")
BATCH = ("messages", "body", "ns", "allocations", "copied")     # what is told of each
LIMIT = 60  # seconds for one run of the program
TRACED_BATCHES = 8
MARK = re.compile(r"^\d+ +close\(-1(\d\d\d)\b")
CALL = re.compile(r"^\d+ +(\w+)\(")


def arguments_read():
    parser = argparse.ArgumentParser(prog="test/bench/run", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer messages: under a minute")
    parser.add_argument("--counts", action="store_true",
                        help="no times: count allocations and system calls only")
    parser.add_argument("--route", choices=ROUTES, default="pvmd", help="of the messages (pvmd)")
    parser.add_argument("--folder", type=pathlib.Path, default=TOP / "build" / "bench",
                        help="where the files go (build/bench)")
    return parser.parse_args()


def run_program(system, route, batches, wrapper=()):
    """The program's lines for programs: (kind, dictionary) of each."""
    with system.machine() as environment:
        command = [*wrapper, *system.command([ROUTES[route], batches, *WORKS[system.name]])]
        status, output, errors = systems.run_limited(command, environment, LIMIT)
    systems.kill_orphans()
    if status != 0:
        raise SystemExit(f"{system.name}: the program ended with status {status}: {errors.strip()}")
    lines = [line.split() for line in output.splitlines() if line.startswith("@")]
    return [(line[0], dict(word.split("=", 1) for word in line[1:])) for line in lines]


class Costs:
    """What was measured: of each (system, work, side) the batches, and the system calls by name."""

    def __init__(self):
        self.batches = collections.defaultdict(list)
        self.calls = collections.defaultdict(collections.Counter)
        self.traced = collections.Counter()
        self.trouble = {}
        self.works = []

    def take(self, system, lines):
        for kind, words in lines:
            work = words["work"]
            if work not in self.works:
                self.works.append(work)
            if kind == "@trouble":
                self.trouble[system, work] = (
                    f"sending gives {words['sent']}, receiving {words['received']}, "
                    f"the messages {'came' if int(words['came']) else 'did not come'}")
            else:
                self.batches[system, work, words["side"]].append(
                    {name: int(words[name]) for name in BATCH})

    def take_trace(self, system, text, lines):
        """Count the system calls between the marks, warm-up batches too. Works in the order of cost.c."""
        sizes = {words["work"]: int(words["messages"]) for kind, words in lines if kind == "@cost"}
        order = [words["work"] for _, words in lines]
        order = list(dict.fromkeys(order))
        inside = {}
        for line in text.splitlines():
            pid, call, mark = line.split(" ", 1)[0], CALL.match(line), MARK.match(line)
            if mark:
                number = int(mark.group(1))
                work, side, end = order[number // 4], SIDES[number // 2 % 2], number % 2
                inside[pid] = None if end else (system, work, side)
                self.traced[system, work, side] += sizes.get(work, 0) * end
            elif call and inside.get(pid):
                self.calls[inside[pid]][call.group(1)] += 1

    def micros(self, key, figure):
        """Microseconds a message."""
        return figure(batch["ns"] / batch["messages"] for batch in self.batches[key]) / 1000

    def allocations(self, key):
        return statistics.median(batch["allocations"] / batch["messages"] for batch in self.batches[key])

    def copies(self, key):
        """How often each byte was copied, but for what the system does, and what the default encoding converts."""
        return statistics.median(batch["copied"] / (batch["messages"] * batch["body"]) if batch["body"] else 0
                                 for batch in self.batches[key])

    def system_calls(self, key):
        return sum(self.calls[key].values()) / self.traced[key] if self.traced[key] else math.nan

    def good(self, system, work):
        return (system, work) not in self.trouble and (system, work, "send") in self.batches


def measure(made, arguments):
    """Count first, then time by turns, so that what disturbs the machine disturbs both."""
    costs = Costs()
    for system in made:
        with tempfile.NamedTemporaryFile("r", prefix="strace-") as trace:
            lines = run_program(system, arguments.route, TRACED_BATCHES,
                                ["strace", "-f", "-qq", "-e", "signal=none", "-o", trace.name])
            costs.take_trace(system.name, trace.read(), lines)
    rounds, batches = (1, 24) if arguments.counts else (3, 40) if arguments.quick else (10, 150)
    for _ in range(rounds):
        for system in made:
            costs.take(system.name, run_program(system, arguments.route, batches))
    return costs


def figures(costs, system, work, side, timed):
    if not costs.good(system, work):
        return ["-"] * (5 if timed else 3)
    key = (system, work, side)
    counts = [f"{costs.allocations(key):.2f}", f"{costs.copies(key):.2f}", f"{costs.system_calls(key):.2f}"]
    return ([f"{costs.micros(key, min):.2f}", f"{costs.micros(key, statistics.median):.2f}"] if timed
            else []) + counts


def ratio(costs, work, side, figure):
    if not all(costs.good(name, work) for name in NAMES):
        return "-"
    ours, stock = (costs.micros((name, work, side), figure) for name in NAMES)
    return f"{ours / stock:.2f}"


def print_costs(costs, timed):
    titles = ["min us", "median"] * timed + ["allocs", "copies", "calls"]
    rows = []
    for work in costs.works:
        for side in SIDES:
            rows.append([work.replace("_", " ").replace(",", ", "), side]
                        + [word for name in NAMES for word in figures(costs, name, work, side, timed)]
                        + [ratio(costs, work, side, figure) for figure in (min, statistics.median)
                           if timed])
    report.print_table(["message", "side"] + [f"{name} {title}" for name in NAMES for title in titles]
                       + ["ratio of min", "of median"] * timed, rows)
    for (system, work), trouble in costs.trouble.items():
        print(f"{system} does not do '{work}': {trouble}")
    print("\nStock is not asked for 10000 packings in place: from the 14th on it writes beyond a table of its own.")


def write_csv(costs, folder):
    with open(folder / "costs.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["system", "work", "side", *BATCH])
        for key, batches in costs.batches.items():
            writer.writerows([*key, *batch.values()] for batch in batches)
    with open(folder / "calls.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["system", "work", "side", "system_call", "per_message"])
        for key, calls in costs.calls.items():
            writer.writerows([*key, name, count / costs.traced[key]] for name, count in calls.items()
                             if costs.traced[key])


PLOT = """
set terminal {terminal} size 1400,700 background rgb "white"
set output "{path}"
set style fill solid 0.6 border
set style data histograms
set style histogram clustered gap 1
set xtics rotate by 35 right nomirror
set grid ytics
set bmargin 12
set lmargin 14
set logscale y
set ylabel "microseconds"
set key outside top center horizontal
set title "Time for a message (median)"
plot $costs using 2:xtic(1) title "ours", "" using 3 title "PVM 3.4.6"
"""


def plot_data(costs):
    lines = ["$costs << END"]
    for work in costs.works:
        if all(costs.good(name, work) for name in NAMES):
            for side in SIDES:
                medians = (costs.micros((name, work, side), statistics.median) for name in NAMES)
                lines.append(f'"{work.replace("_", " ")} {side}" ' + " ".join(map(str, medians)))
    return "\n".join([*lines, "END"])


def main():
    arguments = arguments_read()
    systems.adopt_orphans()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    program = arguments.folder / "cost", [TOP / "test" / "bench" / "cost.c"]
    with tempfile.TemporaryDirectory(prefix="bench-") as tempfile.tempdir:
        try:
            costs = measure([make(*program) for make in (systems.make_ours, systems.make_stock)], arguments)
        finally:
            systems.kill_orphans()
    print(f"\n{report.machine_words()}; route: {arguments.route}\n"
          "Of each message: time, calls that allocate memory, copies outside of the system, system calls.\n")
    print_costs(costs, not arguments.counts)
    write_csv(costs, arguments.folder)
    if not arguments.counts:
        report.draw(plot_data(costs), PLOT, arguments.folder / "costs")
    print(f"measured in {time.monotonic() - start:.0f} s")
    return 1 if any(system == "ours" for system, _ in costs.trouble) else 0


if __name__ == "__main__":
    sys.exit(main())
