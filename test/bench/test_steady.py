"""What do messages between tasks of one host, and within a task, cost when they go on and on? Counts only.

Both sides are awake when each looks for as long as it must; then, or when one of them sleeps, strace tells of every
system call.
"""
import re
import statistics
from collections import defaultdict

import pytest
from support.machine import VirtualMachine
from support.places import OURS

AWAKE, ASLEEP, AS_USUAL = {"PVM_SPIN": "1000000"}, {"PVM_SPIN": "0"}, {}
MARK = re.compile(r"^(\d+) +close\(-1(\d\d\d)\b")
CALL = re.compile(r"^(\d+) +(\w+)\(")
SIDES = ("first", "second")
# Within a task a long body is the allocator's, which gets another one while the receiver still has the one before.
ALLOCATING = (("ask", 8), ("ask", 10000), ("ask", 1000000), ("threads", 8))
RUNS = 20           # at most, until one is as it should be
WARM_UP = 4         # batches after which everything is as it stays


def run(variables, *arguments, wrapper=()):
    """The dictionaries of the program's batches, after the warm-up, by side."""
    with VirtualMachine(OURS, OURS, variables=variables) as vm:
        lines = vm.run("steady", *arguments, wrapper=wrapper).ok().out.splitlines()
    batches = defaultdict(list)
    for line in lines:
        words = dict(word.split("=") for word in line.split()[1:])
        side = words.pop("side")
        batches[side].append({name: int(value) for name, value in words.items()})
    assert sorted(batches) == list(SIDES)
    return {side: some[WARM_UP:] for side, some in batches.items()}


def trace(folder, variables, *arguments):
    """The system calls of each batch after the warm-up, a list for each thread of the program that has batches."""
    file = folder / "strace"
    wrapper = ["strace", "-f", "-qq", "-e", "signal=none", "-o", str(file)]
    run(variables, *arguments, wrapper=wrapper)
    batches, inside = defaultdict(list), set()
    for line in file.read_text().splitlines():
        mark, call = MARK.match(line), CALL.match(line)
        if mark and int(mark.group(2)) % 2 == 0:
            inside.add(mark.group(1))
            batches[mark.group(1)].append([])
        elif mark:
            inside.discard(mark.group(1))
        elif call and call.group(1) in inside:
            batches[call.group(1)][-1].append(call.group(2))
    assert len(batches) == 2
    return [some[WARM_UP:] for some in batches.values()]


@pytest.fixture(scope="module")
def counted():
    """The batches of each work and size."""
    return {(work, size): run(AS_USUAL, work, size, 50, 20 + WARM_UP) for work, size in ALLOCATING}


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("work, size", ALLOCATING)
def test_nothing_is_allocated(counted, work, size, side):
    """But now and then for what is kept from then on: when a body comes back later than any before, or two threads are
    at the same pool."""
    assert statistics.median(batch["allocations"] for batch in counted[work, size][side]) == 0


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("size", [10000, 1000000])
def test_data_is_copied_when_packed_and_when_unpacked(counted, size, side):
    """Each task packs the messages that it sends and unpacks those that it gets."""
    for batch in counted["ask", size][side]:
        assert 2 <= batch["copied"] / batch["messages"] / size < 2.1


@pytest.mark.parametrize("work, size", [("ask", 8), ("ask", 10000), ("threads", 8)])
def test_awake_sides_make_no_system_call(tmp_path, work, size):
    """A system that lends the processor to others meanwhile leaves one side time to look: so not in each short batch, and
    on a busy system perhaps in no batch of a run."""
    assert any(max(min(map(len, batches)) for batches in trace(tmp_path, AWAKE, work, size, 100, 100)) <= 100 / 10
               for _ in range(RUNS))


@pytest.mark.parametrize("size", [8, 10000])
def test_one_system_call_wakes_a_sleeper_who_makes_one(tmp_path, size):
    sender, sleeper = sorted(trace(tmp_path, ASLEEP, "asleep", size, 1, 30), key=lambda some: "write" not in some[-1])
    assert sender == [["write"]] * len(sender)
    assert sleeper == [["epoll_wait"]] * len(sleeper)
