"""Do threads that take turns find the active buffers of 3.4.6, and threads that do not their own?

The checks are in turns.c and group_call.c, the rule in pvm_threads(7).
"""
import pytest
from support.groups import joined, machine
from support.machine import VirtualMachine
from support.places import OURS, STOCK


def checked(vm, *arguments, **options):
    ended = vm.run("turns", *arguments, merge=True, **options).ok()
    return int(ended.out.splitlines()[-1].split()[1])


@pytest.mark.parametrize("threads", [2, 3, 8])
@pytest.mark.parametrize("stay", [0, 4, 40])
def test_calls_hop_from_thread_to_thread(threads, stay, long_run):
    """What the program checks is what 3.4.6 does: it runs there, too."""
    rounds = 3000 if long_run else 200
    seeds = range(50 if long_run else 3)
    with VirtualMachine(OURS, OURS) as ours, VirtualMachine(STOCK, STOCK) as stock:
        for seed in seeds:
            arguments = ("hop", threads, rounds, stay * 1000 + seed)
            assert checked(ours, *arguments) == checked(stock, *arguments)


@pytest.mark.parametrize("area", ["queued", "packing"])
@pytest.mark.parametrize("threads", [2, 4, 16])
def test_threads_have_buffers_of_their_own_from_the_first_message_on(area, threads, long_run):
    with VirtualMachine(OURS, OURS) as vm:
        for _ in range(500 if long_run else 10):
            assert checked(vm, area, threads, 20, 1) == threads * 20 * 8


def test_a_program_that_asks_has_buffers_for_each_thread():
    with VirtualMachine(OURS, OURS) as vm:
        assert checked(vm, "asked", 1, 1, 1) == 1


def test_what_a_thread_left_is_there_for_the_next():
    with VirtualMachine(OURS, OURS) as vm:
        assert checked(vm, "ended", 1, 100, 1) == 100


@pytest.mark.parametrize("base", [OURS, STOCK], ids=str)
def test_what_one_thread_packs_another_one_broadcasts(base):
    with machine(base, base, base) as vm:
        member, = joined(vm, 1, "g")
        assert checked(vm, "bcast", 2, 3, 1) == 3
        assert [member.do("recv", 7).split()[1] for _ in range(3)] == ["0", "1", "2"]


@pytest.mark.parametrize("area", ["kept", "own", "context"])
@pytest.mark.parametrize("groups", [OURS, STOCK], ids=str)
def test_a_group_call_is_one_call(area, groups):
    with machine(groups, OURS) as vm:
        joined(vm, 1, "g")
        assert vm.run("group_call", area, merge=True).ok().out == "done\n"
