"""Does a program see the same when it runs eight times at once in one process, each time as a task of its own?

What the programs of test_observations.py print must be what they print alone, and so must what the library says of each
task; tids count by the order in which they come. Left out are programs that cannot be equal:
- those that see each other on 3.4.6, too, run as eight processes: by mailboxes, global names and groups (ends, entries,
  fortran_groups, fortran_texts, gangs, longs, mailbox, matcher, nested, numbers), by roles that one task alone can have
  (hoster, manager, tasker, tracing), by the tables of tasks and hosts (fortran_lists, hostcalls, hosts, lives, notices,
  oddities, tasks), by reset or the end of the machine (fortran_halt, halting, lost, reset), by numbers that the pvmd
  gives (enrol, options, roles), and by how far a child has come (letting, spawning);
- those that tell what belongs to the process: pvm_errno (inner), children of any task (errors), the environment
  (first, helpers, spawn, surroundings), and what Fortran prints (fortran_messages, fortran_pack).
"""
import collections
import re

import pytest
from support import programs, tasks
from support.machine import VirtualMachine
from support.places import OURS, STOCK
from test_observations import CHILDREN, PROGRAMS as ALL, UNSTEADY, observations

DAEMONS = pytest.mark.parametrize("daemon", [OURS, STOCK], ids=str)
TASKS = 8
PROGRAMS = ["arrays", "buffers", "couples", "extents", "formats", "handlers", "mhf", "mistaken", "order", "pack", "packf",
            "protocol", "receive", "strides", "types"]
SPAWNING = ["catchout", "exchange", "notify", "outputs", "routes"]
FORKING = ["crashes", "failures", "leaving", "signs"]
_TID = re.compile(r"(?<![0-9a-f])(?:4[0-9a-f]{4}|26[2-6]\d{3})(?![0-9a-f])")
_RUN = re.compile(r"(?m)^run \d+\n")
_SAID = re.compile(r"libpvm \[(t[0-9a-f]+|pid\d*)\]: (.*)")


def sorted_out(lines):
    """What a program has printed, and what the library has said of each task, how often."""
    seen, said = [], collections.defaultdict(list)
    for line in lines:
        found = _SAID.fullmatch(line)
        if found:
            said[found[1]].append(found[2])
        else:
            seen.append(line)
    return seen, collections.Counter(map(tuple, said.values()))


def without_tids(lines):
    """The lines with a number for each tid, hexadecimal or decimal, in the order of their first mention."""
    numbers = collections.defaultdict(lambda: len(numbers))
    return [_TID.sub(lambda found: f"task {numbers[int(found[0], 16 if len(found[0]) == 5 else 10)]}", line)
            for line in lines]


def see_the_same(program, daemon):
    alone, said_alone = sorted_out(observations(program, daemon, OURS))
    library = tasks.library()
    for name in (program, *CHILDREN):
        programs.build(name, library)
    with VirtualMachine(daemon, library, variables={"LD_LIBRARY_PATH": str(library.libraries)}) as vm:
        output = vm.run("many", TASKS, programs.build(program, library, loaded=True), merge=True).ok().out
        output = output.replace(str(vm.folder), "<folder>").replace(vm.vmid, "<machine>")
    said, *runs = _RUN.split(output)
    assert [without_tids(run.splitlines()) for run in runs] == [without_tids(alone)] * TASKS
    seen, said = sorted_out(line for line in said.splitlines() if UNSTEADY not in line)
    assert not seen
    assert said == {lines: TASKS * count for lines, count in said_alone.items()}


def test_the_others_are_left_out():
    left_out = re.findall(r"\w+", " ".join(re.findall(r"\(([\w\s,]+)\)", __doc__)))
    assert sorted([*PROGRAMS, *SPAWNING, *FORKING, *left_out]) == ALL


@DAEMONS
@pytest.mark.parametrize("program", [*PROGRAMS, *SPAWNING])
def test_same_as_alone(program, daemon):
    see_the_same(program, daemon)


@DAEMONS
@pytest.mark.parametrize("program", FORKING)
def test_children_see_the_same(program, daemon):
    """A child is made by one of the tasks while the others go on."""
    see_the_same(program, daemon)
