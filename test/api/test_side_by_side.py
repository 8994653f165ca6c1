"""Does a program see the same when it runs eight times at once in one process, each time as a task of its own?

These are the programs of test_observations.py that concern one task: they start nothing, and tell nothing that belongs
to the process, as pvm_errno does, or to the virtual machine. What they print must be what they print alone, and so must
what the library says of each task.
"""
import collections
import re

import pytest
from support import programs, tasks
from support.machine import VirtualMachine
from support.places import OURS, STOCK
from test_observations import observations

DAEMONS = pytest.mark.parametrize("daemon", [OURS, STOCK], ids=str)
TASKS = 8
PROGRAMS = ["couples", "extents", "formats", "handlers", "mhf", "mistaken", "order", "pack", "packf", "protocol", "receive",
            "strides", "types"]
FORKING = ["crashes", "failures", "signs"]
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


def see_the_same(program, daemon):
    alone, said_alone = sorted_out(observations(program, daemon, OURS))
    library = tasks.library()
    with VirtualMachine(daemon, library, variables={"LD_LIBRARY_PATH": str(library.libraries)}) as vm:
        output = vm.run("many", TASKS, programs.build(program, library, loaded=True), merge=True).ok().out
    said, *runs = _RUN.split(output)
    assert [run.splitlines() for run in runs] == [alone] * TASKS
    seen, said = sorted_out(said.splitlines())
    assert not seen
    assert said == {lines: TASKS * count for lines, count in said_alone.items()}


@DAEMONS
@pytest.mark.parametrize("program", PROGRAMS)
def test_same_as_alone(program, daemon):
    see_the_same(program, daemon)


@DAEMONS
@pytest.mark.parametrize("program", FORKING)
def test_children_see_the_same(program, daemon):
    """A child is made by one of the tasks while the others go on."""
    see_the_same(program, daemon)
