"""Do groups do what 3.4.6 documents, with each group library on each group server?

The pairing of stock with stock shows that a test asks for what 3.4.6 does. What only ours does (a wrong
count that spoils nothing, threads) is asked of ours alone.
"""
import os
import signal

import pytest
from support import programs
from support.groups import PAIRINGS, Member, joined, machine, members, until_waiting
from support.machine import VirtualMachine
from support.places import OURS, STOCK, group_library
from support.task import wait_until

BAD_PARAMETER, MISMATCH, SYSTEM_ERROR, NO_BUFFER = "-2", "-3", "-14", "-15"
NOT_IMPLEMENTED = "-24"
NULL_GROUP, IN_GROUP, NO_GROUP, NOT_IN_GROUP, NO_INSTANCE = "-17", "-18", "-19", "-20", "-21"
BARRIER, SIZE = 3, 7        # tags of requests

pairings = pytest.mark.parametrize("pairing", PAIRINGS.values(), ids=PAIRINGS)
bases = pytest.mark.parametrize("base", [OURS, STOCK], ids=str)
own_server = pytest.mark.parametrize("groups", [OURS, STOCK], ids=str)


@bases
@pairings
def test_members_come_and_go(pairing, base):
    with machine(*pairing, base) as vm:
        first, second, third = joined(vm, 3, "g")
        assert first.do("size", "g") == "3"
        assert second.do("gettid", "g", 2) == str(int(third.tid, 16))
        assert third.do("instance", "g", first.tid) == "0"
        assert second.do("leave", "g") == "0"
        assert first.do("gettid", "g", 1) == NO_INSTANCE
        assert first.do("instance", "g", second.tid) == NOT_IN_GROUP
        assert second.do("join", "other") == "0"
        assert second.do("join", "g") == "1"
        for member in (first, second, third):
            assert member.do("leave", "g") == "0"
        assert first.do("size", "g") == NO_GROUP
        assert first.do("join", "g") == "0"


@pairings
def test_errors(pairing):
    with machine(*pairing) as vm:
        member, stranger = Member(vm), Member(vm)
        assert member.do("join", "-") == NULL_GROUP
        assert member.do("errno") == NULL_GROUP
        for command in ("size g", "instance g 40001", "gettid g 0", "leave g", "barrier g 1", "bcast g 5 1"):
            assert member.do(command) == NO_GROUP, command
        assert member.do("join", "g") == "0"
        assert member.do("join", "g") == IN_GROUP
        assert member.do("errno") == IN_GROUP
        assert member.do("gettid", "g", -1) == NO_INSTANCE
        assert member.do("gettid", "g", 5) == NO_INSTANCE
        assert stranger.do("instance", "g", stranger.tid) == NOT_IN_GROUP
        assert stranger.do("leave", "g") == NOT_IN_GROUP
        assert stranger.do("barrier", "g", 1) == NOT_IN_GROUP
        assert stranger.do("freeze", "g", 1) == NOT_IN_GROUP
        assert member.do("reduce", "g", "sum", "ushort", 0, 1) == "-2 1"
        assert member.do("reduce", "g", "sum", "int", 3, 1) == "-21 1"
        assert member.do("gather", "g", "int", 1, 1) == NO_INSTANCE
        assert stranger.do("gather", "g", "int", 0, 1) == NOT_IN_GROUP
        assert member.task.ended().err == "".join(
            f"libpvm [t{member.tid}]: {text}\n" for text in
            ("pvm_reduce(): Bad parameter", "pvm_reduce(): No such instance", "pvm_gather(): No such instance"))


@pairings
def test_without_a_server_there_is_an_error(pairing):
    groups, _ = pairing
    with VirtualMachine(OURS, OURS, variables={
            "LD_LIBRARY_PATH": f"{group_library(groups)}:{OURS.libraries}", "PVM_PATH": "/nowhere"}) as vm:
        member = Member(vm)
        assert member.do("join", "g") == SYSTEM_ERROR
        assert member.do("join", "g") == SYSTEM_ERROR
        assert member.task.ended().err.count("No such file\n") == 2


@pairings
def test_barrier_waits_for_all(pairing):
    with machine(*pairing) as vm:
        first, second, third = joined(vm, 3, "g")
        for _ in range(3):
            first.tell("barrier", "g", 3)
            second.tell("barrier", "g", -1)
            assert third.do("size", "g") == "3"
            assert third.do("barrier", "g", 3) == "0"
            assert first.answer() == second.answer() == "0"


@pairings
def test_barrier_of_some(pairing):
    with machine(*pairing) as vm:
        first, second, _ = joined(vm, 3, "g")
        assert first.do("barrier", "g", 1) == "0"
        first.tell("barrier", "g", 2)
        assert second.do("barrier", "g", 2) == "0"
        assert first.answer() == "0"


@own_server
def test_wrong_count_spoils_nothing(groups):
    with machine(groups, OURS) as vm:
        first, second, third = joined(vm, 3, "g")
        assert first.do("barrier", "g", 0) == MISMATCH
        assert first.do("barrier", "g", -5) == MISMATCH
        first.tell("barrier", "g", 2)
        until_waiting(vm, "g", 1)
        assert third.do("barrier", "g", 3) == MISMATCH
        assert second.do("barrier", "g", 2) == "0"
        assert first.answer() == "0"


@pairings
def test_death_leaves_all_groups(pairing):
    with machine(*pairing) as vm:
        first, second = joined(vm, 2, "g")
        assert second.do("join", "h") == "0"
        second.task.discard()
        wait_until(lambda: first.do("size", "h") == NO_GROUP, "group h is gone")
        wait_until(lambda: first.do("size", "g") == "1", "group g has one member")
        assert first.do("instance", "g", first.tid) == "0"


@pairings
def test_broadcast_goes_to_all_others(pairing):
    with machine(*pairing) as vm:
        first, second, third = joined(vm, 3, "g")
        stranger = Member(vm)
        assert first.do("bcast", "g", 7, 99) == "0"
        assert second.do("recv", 7) == third.do("recv", 7) == f"{first.tid} 99"
        assert first.do("poll", 7) == "nothing"
        assert stranger.do("bcast", "g", 8, 5) == "0"
        for member in (first, second, third):
            assert member.do("recv", 8) == f"{stranger.tid} 5"
        assert first.do("bcast", "g", -4, 5) == BAD_PARAMETER
        assert stranger.do("join", "alone") == "0"
        assert stranger.do("bcast", "alone", 7, 1) == NO_INSTANCE


@pairings
def test_calls_leave_buffers_and_context_alone(pairing):
    with machine(*pairing) as vm:
        first, second = joined(vm, 2, "g")
        assert first.do("bcast", "g", 7, 99) == "0"
        assert second.do("recv", 7) == f"{first.tid} 99"
        before = second.do("state")
        assert before.split()[1] != "0" and before.split()[2] == "0"
        second.tell("barrier", "g", 2)
        assert first.do("barrier", "g", 2) == "0"
        assert second.answer() == "0"
        for command in ("size g", "instance g -1", "gettid g 9", "join g", "leave h"):
            second.do(command)
        assert second.do("state") == before


@pairings
def test_static_group(pairing):
    with machine(*pairing) as vm:
        first, second = joined(vm, 2, "g")
        stranger = Member(vm)
        assert first.all_do([second], "freeze", "g", 2) == ["2", "2"]
        assert first.do("freeze", "g", 2) == IN_GROUP
        assert stranger.do("join", "g") == NOT_IN_GROUP
        assert first.all_do([second, stranger], "size", "g") == 3 * ["2"]
        assert stranger.do("gettid", "g", 1) == str(int(second.tid, 16))
        assert stranger.do("gettid", "g", 2) == NO_INSTANCE
        assert stranger.do("instance", "g", stranger.tid) == NOT_IN_GROUP
        assert first.all_do([second], "barrier", "g", -1) == ["0", "0"]
        assert first.all_do([second], "reduce", "g", "sum", "int", 1, 5)[1] == "0 10"
        assert stranger.do("bcast", "g", 3, 8) == "0"
        assert first.do("recv", 3) == second.do("recv", 3) == f"{stranger.tid} 8"
        second.tell("barrier", "g", 2)
        assert first.do("leave", "g") == "0"
        assert second.answer() == NO_GROUP
        assert second.do("size", "g") == "2"        # it remembers
        assert second.do("leave", "g") == "0"
        assert second.do("size", "g") == NO_GROUP
        assert second.do("join", "g") == "0"
        assert second.do("gettid", "g", 0) == str(int(second.tid, 16))


NUMBERS = {"short": 1, "int": 1, "long": 1, "float": 1, "double": 1, "cplx": 2, "dcplx": 2}


@pairings
@pytest.mark.parametrize("kind", NUMBERS)
def test_sum_at_each_root(pairing, kind):
    with machine(*pairing) as vm:
        tasks = joined(vm, 3, "g")
        for root in range(3):
            for weight, member in enumerate(tasks, 1):
                member.tell("reduce", "g", "sum", kind, root, *(weight * value for value in (1, 2, 3, 4)))
            assert [member.answer() for member in tasks][root] == "0 6 12 18 24"


OPERATIONS = {"max": "3 7", "min": "2 5", "sum": "5 12", "product": "6 35"}
PAIRS = {"max": "3 4 0 7", "min": "1 2 2 5", "sum": "4 6 2 12", "product": "-5 10 -35 14"}    # complex numbers


@pairings
@pytest.mark.parametrize("operation", OPERATIONS)
def test_operations_on_every_type(pairing, operation):
    with machine(*pairing) as vm:
        first, second = joined(vm, 2, "g")
        for kind, numbers in NUMBERS.items():
            values, expected = (((3, 5), (2, 7)), OPERATIONS[operation]) if numbers == 1 else \
                (((3, 4, 2, 5), (1, 2, 0, 7)), PAIRS[operation])
            first.tell("reduce", "g", operation, kind, 0, *values[0])
            second.tell("reduce", "g", operation, kind, 0, *values[1])
            assert first.answer() == f"0 {expected}", kind
            assert second.answer().startswith("0 ")
        first.tell("reduce", "g", operation, "byte", 0, 3, 5)
        second.tell("reduce", "g", operation, "byte", 0, 2, 7)
        allowed = operation in ("max", "min")
        assert first.answer() == (f"0 {OPERATIONS[operation]}" if allowed else f"{BAD_PARAMETER} 3 5")
        assert second.answer().startswith("0 ")


@pairings
def test_function_of_the_user(pairing):
    """It combines integers and refuses the rest, which is told where it was called."""
    with machine(*pairing) as vm:
        tasks = joined(vm, 3, "g")
        for root in range(3):
            for bit, member in enumerate(tasks):
                member.tell("reduce", "g", "bits", "int", root, 1 << bit, 16)
            assert [member.answer() for member in tasks][root] == "0 7 16"
        tasks[0].do("quiet")
        for member in tasks:
            member.tell("reduce", "g", "bits", "short", 0, 1)
        assert tasks[0].answer() == f"{NOT_IMPLEMENTED} 1"
        assert tasks[1].answer().startswith("0 ") and tasks[2].answer().startswith("0 ")


@pairings
@pytest.mark.parametrize("kind", ["byte", *NUMBERS])
def test_gather_and_scatter(pairing, kind):
    parts = NUMBERS.get(kind, 1)
    with machine(*pairing) as vm:
        tasks = joined(vm, 3, "g")
        for root in range(3):
            for place, member in enumerate(tasks):
                member.tell("gather", "g", kind, root, *range(10 * place, 10 * place + parts))
            gathered = [member.answer() for member in tasks]
            expected = [str(10 * place + part) for place in range(3) for part in range(parts)]
            assert gathered == [f"0 {' '.join(expected)}" if place == root else "0" for place in range(3)]
            for member in tasks:
                assert member.do("count", 2) == "2"
                member.tell("scatter", "g", kind, root, *range(6 * parts))
            scattered = [member.answer() for member in tasks]
            assert scattered == [" ".join(map(str, [0, *range(2 * parts * place, 2 * parts * (place + 1))]))
                                 for place in range(3)]


@pairings
def test_gather_text(pairing):
    with machine(*pairing) as vm:
        first, second = joined(vm, 2, "g")
        second.tell("gather", "g", "str", 0, "second")
        assert first.do("gather", "g", "str", 0, "first!") == "0 first! second"
        assert second.answer() == "0"


@pairings
def test_gather_needs_instances_without_holes(pairing):
    with machine(*pairing) as vm:
        first, second, third = joined(vm, 3, "g")
        assert second.do("leave", "g") == "0"
        assert third.do("gather", "g", "int", 2, 1).startswith(NO_INSTANCE)
        first.tell("reduce", "g", "sum", "int", 2, 4)
        assert third.do("reduce", "g", "sum", "int", 2, 1) == "0 5"
        assert first.answer().startswith("0 ")


def test_fast_member_is_not_counted_twice():
    """Reduce after reduce with one tag, the last member late: members of ours await each other by tid."""
    with machine(OURS, OURS) as vm:
        first, second, third = joined(vm, 3, "g")
        for value in (1, 100):
            second.tell("reduce", "g", "sum", "int", 0, value)
        assert second.answer() == "0 1" and second.answer() == "0 100"
        first.tell("reduce", "g", "sum", "int", 0, 0)
        first.tell("reduce", "g", "sum", "int", 0, 0)
        assert third.do("reduce", "g", "sum", "int", 0, 10) == "0 10"
        assert first.answer() == "0 11"
        assert third.do("reduce", "g", "sum", "int", 0, 1000) == "0 1000"
        assert first.answer() == "0 1100"


@pairings
def test_many_start_one_server(pairing):
    with machine(*pairing) as vm:
        tasks = members(vm, 6)
        for member in tasks:
            member.tell("join", "g")
        assert sorted(member.answer() for member in tasks) == list("012345")
        wait_until(lambda: sum(task[4] == "pvmgs" for task in vm.tasks()) == 1, "one server is left")


def test_threads_wait_in_two_groups():
    """Two tasks enter two barriers in opposite order; each does it with a thread for each group."""
    with machine(OURS, OURS) as vm:
        first, second = joined(vm, 2, "g")
        assert first.do("join", "h") == "0" and second.do("join", "h") == "1"
        for _ in range(20):
            first.tell("twice", "g", 2, "h", 2)
            second.tell("twice", "h", 2, "g", 2)
            assert first.answer() == second.answer() == "0 0"


@pairings
def test_server_stands_bad_requests(pairing):
    groups, server = pairing
    with machine(groups, server) as vm:
        member = Member(vm)
        assert member.do("join", "g") == "0"
        assert member.do("raw", 8, "g") == "0"      # RESET is nothing
        assert member.do("raw", 99, "g") == "0"
        if server is OURS:
            assert member.do("raw", SIZE, "-") == "0"
            assert member.do("answer", SIZE) == BAD_PARAMETER
            assert member.do("raw", BARRIER, "g") == "0"
            assert member.do("answer", BARRIER) == BAD_PARAMETER
            assert member.do("raw", 11, "-", int(member.tid, 16)) == "0"     # only a pvmd knows who is dead
        assert member.do("raw", 16, "g", 1) == "0"  # for all members of the host
        assert member.do("answer", BARRIER) == "1"
        assert member.do("size", "g") == "1"


def test_second_server_leaves():
    with machine(OURS, OURS) as vm:
        assert Member(vm).do("join", "g") == "0"
        second = vm.run(OURS.pvmd.parent / "pvmgs").ok()
        assert second.err.endswith("Group Server already running?: Permission denied\n")


def test_members_of_both_libraries_in_one_group():
    """Ours and stock's in one reduce, gather, scatter and barrier; each is root once."""
    programs.build("member", OURS)
    with machine(OURS, OURS) as vm:
        ours = Member(vm)
        vm.variables["LD_LIBRARY_PATH"] = f"{group_library(STOCK)}:{OURS.libraries}"
        stock = Member(vm)
        assert ours.do("join", "g") == "0" and stock.do("join", "g") == "1"
        for root, member in enumerate((ours, stock)):
            answers = ours.all_do([stock], "reduce", "g", "sum", "double", root, 1.5, 2)
            assert answers[root] == "0 3 4"
            answers = ours.all_do([stock], "gather", "g", "int", root, 3, 4)
            assert answers[root] == "0 3 4 3 4"
            assert ours.all_do([stock], "scatter", "g", "int", root, 6, 7) == ["0 6", "0 7"]
            assert ours.all_do([stock], "barrier", "g", 2) == ["0", "0"]
            assert member.do("bcast", "g", 5, root) == "0"
            assert (stock, ours)[root].do("recv", 5) == f"{member.tid} {root}"
        assert ours.all_do([stock], "freeze", "g", 2) == ["2", "2"]
        assert ours.all_do([stock], "size", "g") == ["2", "2"]


@bases
def test_end_of_the_server_is_told(base):
    """Whoever waits for an answer gets an error at once; the next call starts a new server."""
    with machine(OURS, OURS, base) as vm:
        first, second = joined(vm, 2, "g")
        first.tell("barrier", "g", 2)
        until_waiting(vm, "g", 1)
        [server] = [task[5] for task in vm.tasks() if task[4] == "pvmgs"]
        os.kill(server, signal.SIGKILL)
        assert first.answer() == SYSTEM_ERROR
        wait_until(lambda: first.do("size", "g") == NO_GROUP, "a new server answers")
        assert first.do("join", "g") == "0"
        wait_until(lambda: second.do("join", "g") == "1", "the other one knows too")
        assert first.all_do([second], "barrier", "g", 2) == ["0", "0"]
