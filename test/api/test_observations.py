"""Does a program see the same of our PVM as of stock 3.4.6?

Each C or Fortran program here prints what it observes of one area of behaviour, one line each, the library's own
diagnostics among them. It runs on stock (daemon and library), on ours, and on both mixtures; the lines
must be equal but for the deliberate differences in differences.txt, and each of those must really be
there: those of the library wherever our library runs, those of the daemon wherever our daemon runs, those of the daemon
alone where it does so under the library of 3.4.6.
"""
import difflib
import functools
import re
import subprocess
from pathlib import Path

import pytest
from support import programs
from support.machine import VirtualMachine
from support.places import EXAMPLES, OURS, STOCK, group_library, library_path

HERE = Path(__file__).parent
CHILDREN = {"child"}
ENDING = {"lost", "halting", "fortran_halt"}       # these end their machine themselves
# Hosts can only be added where the own one has another address than 127.0.0.1.
ARGUMENTS = {"hoster": ["-n127.0.0.2"], "hostcalls": ["-n127.0.0.2"], "hosts": ["-n127.0.0.2"], "manager": ["-n127.0.0.2"]}
PROGRAMS = sorted(path.stem for path in HERE.glob("*.[cf]") if path.stem not in CHILDREN)
PAIRINGS = [(OURS, OURS), (STOCK, OURS), (OURS, STOCK)]     # daemon, library
ENOUGH = 9000
# Functions that 3.4.6 lacks, and those by which libgpvm3 tells that its calls are traced.
OURS_ALONE = {"pvm_allgather", "pvm_allreduce", "pvm_alltoall", "pvm_interrupt_recv", "pvm_migrate", "pvm_register",
              "pvm_resume_recv", "pvm_share", "pvm_shared", "pvm_spawnt", "pvm_threadsafe",
              "tev_begin", "tev_fin", "tev_enter", "tev_leave", "own_program_error",
              "stand_in_deliver", "stand_in_has_handler"}
# They change the environment of a task before it begins, which a user-level process has already done.
OF_A_PROCESS = {"surroundings"}
VARIABLE = [(re.compile(r"\[pid\d+\]"), "[pid]")]
# Told by a task that leaves, if children whose output it catches have not ended yet; test_output.py awaits it.
UNSTEADY = "child task(s) still running.  waiting..."
# Seconds after which a call that never returns on stock is taken to be one; ours must return.
HANGING = {STOCK: "1", OURS: "60"}


@functools.lru_cache(maxsize=None)
def observations(program, daemon, library, wrapper=()):
    """What the program prints on a fresh virtual machine. `wrapper`: words that run it."""
    for child in CHILDREN:
        programs.build(child, library)
    variables = {"OBSERVE_HANGING": HANGING[library],
                 # the group server is that of the daemon's system
                 "PVM_PATH": f"{daemon.pvmd.parent}:{programs.folder(library)}:{EXAMPLES}",
                 "LD_LIBRARY_PATH": f"{group_library(library)}:{library_path(library)}"}
    with VirtualMachine(daemon, library, variables=variables, arguments=ARGUMENTS.get(program, ())) as vm:
        text = vm.run(program, merge=True, wrapper=wrapper).ok().out.replace(str(vm.folder), "<folder>")
        if program in ENDING:
            vm.pvmd.ended()
        text = text.replace(vm.vmid, "<machine>")
    for pattern, name in VARIABLE:
        text = pattern.sub(name, text)
    return [line for line in text.splitlines() if UNSTEADY not in line]


def expected_differences(program, side):
    """The blocks of differences.txt for a program on a side: (reason, stock's lines, our lines)."""
    found = []
    for block in re.split(r"(?m)^(?=\[)", (HERE / "differences.txt").read_text()):
        lines = block.splitlines()
        if lines[0] == f"[{program} {side}]":
            found.append((" ".join(line[2:] for line in lines if line.startswith("# ")),
                          [line[2:] for line in lines if line.startswith("- ")],
                          [line[2:] for line in lines if line.startswith("+ ")]))
    return found


def apply_differences(program, side, lines):
    """Stock's lines with the deliberate differences of a side put in."""
    for reason, stock, ours in expected_differences(program, side):
        assert reason, f"a difference of {program} has no reason"
        places = [i for i in range(len(lines)) if lines[i:i + len(stock)] == stock]
        assert places, f"stock does not print what differences.txt says: {stock}"
        lines = lines[:places[0]] + ours + lines[places[0] + len(stock):]
    return lines


def expected(program, daemon, library):
    """What the program must print there."""
    lines = observations(program, STOCK, STOCK)
    if library is OURS:
        lines = apply_differences(program, "library", lines)
    if daemon is OURS:
        lines = apply_differences(program, "daemon", lines)
        if library is STOCK:
            lines = apply_differences(program, "daemon alone", lines)
    if daemon is library is OURS:
        lines = apply_differences(program, "both", lines)
    return lines


def is_observation(line):
    """Whether a line tells what was seen; headings do not."""
    return line.strip() != "" and not line.startswith("== ")


@pytest.mark.parametrize("program", PROGRAMS)
def test_stock_repeats(program):
    """The test itself: on stock a program observes the same a second time."""
    first = observations(program, STOCK, STOCK)
    assert observations.__wrapped__(program, STOCK, STOCK) == first
    assert len(first) > 5


@pytest.mark.parametrize("daemon,library", PAIRINGS, ids=lambda system: system.name)
@pytest.mark.parametrize("program", PROGRAMS)
def test_same_as_stock(program, daemon, library):
    wanted = expected(program, daemon, library)
    seen = observations(program, daemon, library)
    assert seen == wanted, "\n".join(difflib.unified_diff(wanted, seen, "wanted", "seen", lineterm=""))


@pytest.mark.parametrize("program", [name for name in PROGRAMS if name not in OF_A_PROCESS])
def test_same_as_a_user_level_process(program):
    wanted, seen = (observations(program, OURS, OURS, wrapper) for wrapper in ((), (OURS.pvmd.parent / "pvmulp",)))
    assert seen == wanted, "\n".join(difflib.unified_diff(wanted, seen, "wanted", "seen", lineterm=""))


def test_differences_have_programs():
    """Every block of differences.txt belongs to a program and a side."""
    named = re.findall(r"(?m)^\[(.*)\]$", (HERE / "differences.txt").read_text())
    known = {f"{program} {side}" for program in PROGRAMS for side in ("library", "daemon", "daemon alone", "both")}
    assert set(named) <= known


def symbols(path, *options):
    """The (kind, name) pairs of a binary's dynamic symbols."""
    listed = subprocess.run(["nm", "-D", *options, str(path)], capture_output=True, text=True, check=True)
    return {tuple(line.split()[-2:]) for line in listed.stdout.splitlines()}


def test_every_function_is_called():
    """No function that the library exports is left out by the programs, but what 3.4.6 lacks."""
    exported = {name.split("@")[0] for kind, name in symbols(OURS.libraries / "libpvm3.so.3", "--defined-only")
                if kind == "T" and not name.endswith("PVM_PRIVATE")}
    called = {name.split("@")[0] for program in PROGRAMS
              for _, name in symbols(programs.build(program, OURS), "--undefined-only")}
    assert exported - called <= OURS_ALONE
    assert len(exported) > 100


def test_there_are_enough(record_property):
    """The number of observations made on ours and on stock, told at the end of the session."""
    counts = {program: sum(map(is_observation, observations(program, OURS, OURS)))
              for program in PROGRAMS}
    record_property(f"{sum(counts.values())} observations",
                    ", ".join(f"{program} {count}" for program, count in counts.items()))
    assert sum(counts.values()) >= ENOUGH
