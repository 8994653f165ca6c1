"""Runs the pingpong and compute-and-serve in every version on every system that is here, and
prints what they took, side by side. Does all the set-up itself; see pingpong/README."""

import argparse
import dataclasses
import pathlib
import signal
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import load  # noqa: E402
import report  # noqa: E402
import systems  # noqa: E402


@dataclasses.dataclass
class Scale:
    """How much is measured."""

    count: int  # messages in a repetition of the pingpong
    repeat: int
    steps: int  # the work of compute-and-serve
    serve_repeat: int
    limit: int  # seconds for a cell of a PVM, which has to finish on a busy machine, too
    yardstick_limit: int  # for one of the others
    thorough: bool  # the direct route too, and POLL at every period where it is not the baseline


QUICK = Scale(count=500, repeat=3, steps=100_000_000, serve_repeat=2, limit=30, yardstick_limit=4,
              thorough=False)
FULL = Scale(count=3000, repeat=5, steps=250_000_000, serve_repeat=3, limit=60, yardstick_limit=30,
             thorough=True)
REQUEST_SIZE = 100
STOPPING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def arguments_read():
    parser = argparse.ArgumentParser(
        prog="pingpong/run",
        description="POLL, GETFDS, QTS, TS and TPL on our PVM, on PVM 3.4.6 and on what else is here.")
    parser.add_argument("--quick", action="store_true", help="fewer messages: about a minute")
    parser.add_argument("--system", nargs="+", action="extend", choices=systems.MAKERS,
                        metavar="NAME", help="only these of: " + " ".join(systems.MAKERS))
    parser.add_argument("--mpi", type=pathlib.Path, metavar="PREFIX",
                        help="another MPI of the standard ABI, beside ours-mpi")
    for name, meaning in (("count", "messages in a repetition"), ("repeat", "repetitions"),
                          ("limit", "seconds that one cell may take")):
        parser.add_argument(f"--{name}", type=positive, metavar="N", help=meaning)
    parser.add_argument("--folder", type=pathlib.Path, default=systems.BUILD,
                        help="where the data and the plots go (build/pingpong)")
    return parser.parse_args()


def positive(text):
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number above 0")
    return int(text)


def scale_of(arguments):
    scale = QUICK if arguments.quick else FULL
    given = {name: value for name, value in vars(arguments).items()
             if name in ("count", "repeat", "limit") and value}
    if "repeat" in given:
        given["serve_repeat"] = given["repeat"]
    if "limit" in given:
        given["yardstick_limit"] = given["limit"]
    return dataclasses.replace(scale, **given)


def make_systems(names, other_mpi):
    """Those of the systems that are here; says which are not."""
    made = []
    makers = systems.MAKERS | {"ours-mpi": lambda: systems.measure_our_mpi(other_mpi)}
    for name in names:
        print(f"setting up: {name}", file=sys.stderr, flush=True)
        try:
            made += makers[name]()
        except systems.Unavailable as why:
            print(f"left out: {name}: {why}", file=sys.stderr)
    return made


def plan_cells(system, thorough, routes):
    """Every version of a system by every route; POLL at its periods, or at the shortest."""
    for route in routes:
        every = route == "default" and (thorough or system.name == "stock")
        for version in system.versions:
            periods = [None]
            if version == "POLL":
                periods = system.periods if every else [min(system.periods)]
            for period in periods:
                yield report.Cell(system.name, version, period, route)


def cell_arguments(cell, work, scale):
    words = [cell.version]
    if cell.period_us is not None:
        words += ["--period", cell.period_us]
    if cell.route != "default":
        words += ["--route", cell.route]
    if work == "serve":
        return [*words, "--serve", "--one-core", "--steps", scale.steps, "--size", REQUEST_SIZE,
                "--repeat", scale.serve_repeat]
    return [*words, "--count", scale.count, "--repeat", scale.repeat]


def run_cell(system, cell, work, scale):
    """Fills the cell in, whatever happens."""
    limit = scale.limit if system.name in systems.REQUIRED else scale.yardstick_limit
    try:
        with system.machine() as environment:
            status, output, errors = systems.run_limited(
                system.command(cell_arguments(cell, work, scale)), environment, limit)
    except systems.Unavailable as why:
        cell.trouble = str(why)
        return
    finally:
        systems.kill_orphans()
    cell.take_output(output, work)
    if status is None:
        cell.trouble = f"did not finish in {limit} s"
    elif status != 0:
        last_words = (errors.strip() or "it said nothing").splitlines()[-1]
        cell.trouble = f"failed with status {status}: {last_words}"


def run_plan(plan, scale):
    """Runs all the cells, one after the other, with a line about the progress."""
    live = sys.stderr.isatty()
    for number, (system, cell, work) in enumerate(plan, 1):
        line = f"[{number:2}/{len(plan)}] {work}: {cell.system} {cell.label}"
        print(f"\r\033[K{line}" if live else line, end="" if live else "\n", file=sys.stderr,
              flush=True)
        run_cell(system, cell, work, scale)
    if live:
        print("\r\033[K", end="", file=sys.stderr)


def measure(arguments):
    scale = scale_of(arguments)
    made = make_systems(arguments.system or systems.MAKERS, arguments.mpi)
    before = load.warning(load.others_now(), "before the start")
    if before:
        print(before, file=sys.stderr)
    start = time.monotonic()
    others = load.Others()
    plan = [(system, cell, "pingpong") for system in made for cell in plan_cells(
        system, scale.thorough, system.routes if scale.thorough else ["default"])]
    plan += [(system, cell, "serve") for system in made
             for cell in plan_cells(system, scale.thorough, ["default"])]
    run_plan(plan, scale)

    cells = {work: [cell for _, cell, its_work in plan if its_work == work]
             for work in ("pingpong", "serve")}
    warning = load.warning(others.share(), "meanwhile") or before
    report.print_tables(cells, scale, REQUEST_SIZE, warning)
    report.write_files(cells, arguments.folder, [
        report.machine_words(), f"Pingpong: {scale.count} messages of 10000 bytes, window 64, {scale.repeat} repetitions. "
        f"Compute and serve: a request of {REQUEST_SIZE} bytes every millisecond, {scale.serve_repeat} repetitions.",
        *filter(None, [warning])])
    print(f"measured in {time.monotonic() - start:.0f} s")
    return verdict([cell for _, cell, _ in plan], made, arguments.system or ["ours"])


def verdict(cells, made, required):
    """The exit status: 1 if a required system is missing, or a PVM failed; the others may fail."""
    missing = set(required) - {system.name for system in made}
    failed = [cell for cell in cells if cell.trouble and cell.system in systems.REQUIRED]
    return 1 if missing or failed else 0


def stop(number, _frame):
    for later in STOPPING_SIGNALS:
        signal.signal(later, signal.SIG_IGN)  # the cleaning is under way
    raise SystemExit(128 + number)


def main():
    arguments = arguments_read()
    for number in STOPPING_SIGNALS:
        signal.signal(number, stop)
    systems.adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="pingpong-") as tempfile.tempdir:
        try:
            return measure(arguments)
        finally:
            systems.kill_orphans()


if __name__ == "__main__":
    sys.exit(main())
