"""What becomes of group calls when members come, leave and die meanwhile?

The rules stand in pvm3/README, and in CHANGES where 3.4.6 has others: there, who died in a barrier is counted,
and those who wait for all members wait for as many as there were when the first one came.
"""
import pytest
from support.console import Console
from support.groups import PAIRINGS, Member, joined, machine, members, until_waiting
from support.hosts import HostsMachine
from support.places import OURS, STOCK
from support.task import wait_until

NO_GROUP, NOT_IN_GROUP, MISMATCH = "-19", "-20", "-3"
LAST = -1
SECOND = "127.0.0.3"

pairings = pytest.mark.parametrize("pairing", PAIRINGS.values(), ids=PAIRINGS)
own_server = pytest.mark.parametrize("groups", [OURS, STOCK], ids=str)
losses = pytest.mark.parametrize("loss", ["leaves", "dies"])


def lose(member, witness, loss, group, size):
    """A member leaves or dies; so many are left."""
    if loss == "leaves":
        assert member.do("leave", group) == "0"
    else:
        member.task.discard()
    wait_until(lambda: witness.do("size", group) == str(size), "the group is smaller")


@pairings
def test_instance_of_nobody_is_the_lowest_free_one(pairing):
    """Of a group that changes and of a frozen one, by members and strangers; none while the table is full."""
    with machine(*pairing) as vm:
        stranger = Member(vm)
        assert stranger.do("instance", "g", -1) == NO_GROUP
        tasks = members(vm, 11)
        free = []
        for member in tasks:
            member.do("join", "g")
            free.append(stranger.do("instance", "g", -1))
        assert free == [*map(str, range(1, 10)), NOT_IN_GROUP, "11"]
        assert tasks[3].do("leave", "g") == "0"
        assert stranger.do("instance", "g", -1) == tasks[0].do("instance", "g", -1) == "3"
        first, *others = tasks[:3] + tasks[4:]
        assert first.all_do(others, "freeze", "g", 10) == ["10"] * 10
        assert stranger.do("instance", "g", -1) == first.do("instance", "g", -1) == "3"
        first, *others = tasks[:10]
        for member in (first, *others):
            member.do("join", "full")
        assert first.all_do(others, "freeze", "full", 10) == ["10"] * 10
        assert stranger.do("instance", "full", -1) == first.do("instance", "full", -1) == NOT_IN_GROUP


@own_server
def test_barrier_of_a_number_waits_for_living_members(groups):
    """Who dies in it does not count; one who comes later does."""
    with machine(groups, OURS) as vm:
        first, second, third = joined(vm, 3, "g")
        first.tell("barrier", "g", 3)
        until_waiting(vm, "g", 1)
        lose(first, second, "dies", "g", 2)
        second.tell("barrier", "g", 3)
        third.tell("barrier", "g", 3)
        until_waiting(vm, "g", 2)
        fourth = Member(vm)
        assert fourth.do("join", "g") == "0"
        assert fourth.do("barrier", "g", 3) == second.answer() == third.answer() == "0"


@losses
@own_server
def test_barrier_of_all_goes_on_without_who_is_gone(groups, loss):
    with machine(groups, OURS) as vm:
        witness = Member(vm)
        first, second, third, fourth = joined(vm, 4, "g")
        for member in (first, second):
            member.tell("barrier", "g", -1)
        until_waiting(vm, "g", 2)
        if loss == "dies":          # in the barrier
            lose(second, witness, loss, "g", 3)
            until_waiting(vm, "g", 1)
            third.tell("barrier", "g", -1)
        else:
            third.tell("barrier", "g", -1)
        lose(fourth, witness, loss, "g", 2 if loss == "dies" else 3)
        assert first.answer() == third.answer() == "0"
        assert loss == "dies" or second.answer() == "0"


def test_loss_of_a_host_is_the_end_of_its_members():
    with HostsMachine(OURS, OURS, variables={"PVM_PATH": str(OURS.pvmd.parent),
                                             "LD_LIBRARY_PATH": str(OURS.libraries)}) as vm:
        vm.start(OURS.pvmd.parent / "pvmgs")        # on the first host, or else all groups may be lost
        wait_until(lambda: "gmbi: 1 mbox entries" in vm.run("gmbi", "pvmgs").out, "the group server is known")
        console = Console(vm, OURS)
        assert console.do(f"add {SECOND}")[0] == "1 successful"
        first, second = joined(vm, 2, "g")
        third = Member(vm, host=SECOND)
        assert third.do("join", "g") == "2"
        first.tell("barrier", "g", -1)
        third.tell("barrier", "g", -1)
        until_waiting(vm, "g", 2)
        assert console.do(f"delete {SECOND}")[0] == "1 successful"
        wait_until(lambda: second.do("size", "g") == "2", "the loss is known")
        assert second.do("barrier", "g", -1) == first.answer() == "0"
        third.task.discard()
        console.quit().ok()


@own_server
def test_barrier_of_all_waits_for_who_joins(groups):
    with machine(groups, OURS) as vm:
        first, second = joined(vm, 2, "g")
        first.tell("barrier", "g", -1)
        until_waiting(vm, "g", 1)
        third = Member(vm)
        assert third.do("join", "g") == "2"
        second.tell("barrier", "g", -1)
        until_waiting(vm, "g", 2)
        assert third.do("barrier", "g", 2) == MISMATCH
        assert third.do("barrier", "g", 3) == first.answer() == second.answer() == "0"


@losses
@own_server
def test_freezing_goes_on_without_who_is_gone(groups, loss):
    with machine(groups, OURS) as vm:
        first, second, third = joined(vm, 3, "g")
        witness = Member(vm)
        first.tell("freeze", "g", -1)
        second.tell("freeze", "g", -1)
        lose(third, witness, loss, "g", 2)
        assert first.answer() == second.answer() == "2"
        assert witness.do("join", "g") == "-20", "it is static"


@own_server
def test_death_in_a_static_group_ends_its_barrier(groups):
    """The server of 3.4.6 tries to tell, and cannot."""
    with machine(groups, OURS) as vm:
        first, second, third = joined(vm, 3, "g")
        assert first.all_do([second, third], "freeze", "g", 3) == 3 * ["3"]
        first.tell("barrier", "g", 3)
        second.tell("barrier", "g", 3)
        until_waiting(vm, "g", 2)
        third.task.discard()
        assert first.answer() == second.answer() == NO_GROUP


@pairings
def test_death_in_barriers_of_several_groups(pairing):
    """Each group is on its own: one goes on without the dead, the others never notice."""
    with machine(*pairing) as vm:
        first, second, third = joined(vm, 3, "g")
        for member in (first, second):
            member.do("join", "h")
        third.do("join", "i")
        first.tell("barrier", "g", 2)
        until_waiting(vm, "g", 1)
        second.tell("barrier", "h", 2)
        until_waiting(vm, "h", 1)
        second.task.discard()
        wait_until(lambda: third.do("size", "h") == "1", "the death is known in h")
        wait_until(lambda: third.do("size", "g") == "2", "the death is known in g")
        assert third.do("barrier", "i", 1) == "0"
        assert third.do("barrier", "g", 2) == first.answer() == "0"


@pairings
def test_joins_during_broadcasts(pairing):
    """Who has joined gets every broadcast that begins later; nobody gets one twice, or misses one in between."""
    rounds, joiners = 60, 4
    with machine(*pairing) as vm:
        sender, first = joined(vm, 2, "g")
        others = [Member(vm) for _ in range(joiners)]
        for number, member in enumerate(others):
            member.tell("join", "g")
            sender.tell("stream", "g", 7, rounds * number, rounds * (number + 1))
            assert sender.answer() == "0" and int(member.answer()) == 2 + number
        assert sender.do("stream", "g", 7, rounds * joiners, rounds * (joiners + 1)) == "0"
        assert sender.do("bcast", "g", 7, LAST) == "0"
        end = rounds * (joiners + 1)
        assert [int(word) for word in first.do("take", 7).split()] == list(range(end))
        for number, member in enumerate(others):
            taken = [int(word) for word in member.do("take", 7).split()]
            assert taken == list(range(end - len(taken), end))
            assert rounds * number <= taken[0] <= rounds * (number + 1)


@pairings
def test_leaving_during_broadcasts(pairing):
    """Who has left gets no broadcast that begins later, and what it got before has no gap."""
    with machine(*pairing) as vm:
        sender, first, second = joined(vm, 3, "g")
        sender.tell("stream", "g", 7, 0, 60)
        assert second.do("leave", "g") == "0"
        assert sender.answer() == "0"
        assert sender.do("stream", "g", 7, 60, 120) == "0"
        assert sender.do("bcast", "g", 7, LAST) == "0"
        assert [int(word) for word in first.do("take", 7).split()] == list(range(120))
        assert first.do("join", "only") == "0" and second.do("join", "only") == "1"
        assert first.do("bcast", "only", 7, LAST) == "0"
        taken = [int(word) for word in second.do("take", 7).split()]
        assert taken == list(range(len(taken))) and len(taken) <= 60
