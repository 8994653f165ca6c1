"""Do the calls of groups end, with what the manual says, over a network that loses, and when a host dies amid them?"""
import pytest
from support import programs
from support.groups import Member, serve
from support.network import NetworkMachine
from support.places import OURS, STOCK
from support.task import process_state, wait_until

JUMBO = 9000    # bytes: a packet of a pvmd travels in one frame, and is lost as often as a frame
IMPAIRED = {"loss": 0.3, "duplicate": 0.1, "reorder": 0.2}
NO_DATA, NO_GROUP, NO_INSTANCE, NO_TASK = "-5", "-19", "-21", "-31"
TAG = 7


def machine(hosts):
    """Tasks have our library on each host, whatever its pvmd is."""
    return NetworkMachine(hosts, OURS, mtu=JUMBO, variables={
        "LD_LIBRARY_PATH": str(OURS.libraries), "PVM_EXPORT": "LD_LIBRARY_PATH", "PVM_HOST_PATIENCE": "10",
        "PVM_PATH": f"{OURS.pvmd.parent}:{programs.folder(OURS)}"})


def members(vm, group, *hosts):
    """One on each of these hosts, instance by instance."""
    tasks = [Member(vm, host=host, variables={"LD_LIBRARY_PATH": str(OURS.libraries)}) for host in hosts]
    for instance, member in enumerate(tasks):
        assert member.do("join", group) == str(instance)
        assert member.do("quiet") == "0"
    return tasks


def check_all_calls(tasks):
    """Each call once, by four members of the group g."""
    first, *others = tasks
    assert first.all_do(others, "barrier", "g", 4) == 4 * ["0"]
    assert first.do("bcast", "g", TAG, 1) == "0"
    assert [member.do("recv", TAG) for member in others] == 3 * [f"{first.tid} 1"]
    assert first.all_do(others, "reduce", "g", "sum", "int", 0, 3)[0] == "0 12"
    assert first.all_do(others, "gather", "g", "int", 0, 5) == ["0 5 5 5 5", "0", "0", "0"]
    assert first.all_do(others, "scatter", "g", "int", 0, 1, 2, 3, 4) == ["0 1", "0 2", "0 3", "0 4"]
    assert first.all_do(others, "allreduce", "g", 3) == 4 * ["0 12"]
    assert first.all_do(others, "allgather", "g", 5) == 4 * ["0 5 5 5 5"]
    assert first.all_do(others, "alltoall", "g", 1, 2, 3, 4) == [f"0 {4 * f'{i} '}".strip() for i in range(1, 5)]


@pytest.mark.parametrize("hosts", [[OURS] * 3, [OURS, STOCK, OURS], [STOCK, OURS, OURS]],
                         ids=lambda hosts: "-".join(map(str, hosts)))
def test_calls_over_a_network_that_loses(hosts):
    """A member is on each host, and a second one on the last."""
    with machine(hosts) as vm:
        vm.add()
        server = serve(vm, OURS)
        tasks = members(vm, "g", *vm.names, vm.names[-1])
        check_all_calls(tasks)      # all know who is a member, and the pvmds how long the way is
        vm.network.impair(**IMPAIRED)
        check_all_calls(tasks)
        lost = vm.network.counts()[1]
        vm.network.mend()
        assert lost > 0
        for member in tasks:
            member.task.discard()
        server.discard()


# What a member may get from a call amid which another one's host dies: the dead one may have sent what was needed of it,
# and who is late may see a group without it, and then a hole.
CALLS = {
    "barrier": (["barrier", "g", -1], {"0", NO_GROUP}),
    "reduce": (["reduce", "g", "sum", "int", 0, 3], {"0", NO_TASK, NO_DATA}),
    "gather": (["gather", "g", "int", 0, 5], {"0", NO_TASK, NO_INSTANCE}),
    "scatter": (["scatter", "g", "int", 0, 1, 2, 3, 4], {"0", NO_TASK, NO_INSTANCE}),
    "allreduce": (["allreduce", "g", 3], {"0", NO_TASK, NO_INSTANCE}),
    "allgather": (["allgather", "g", 5], {"0", NO_TASK, NO_INSTANCE}),
    "alltoall": (["alltoall", "g", 1, 2, 3, 4], {"0", NO_TASK, NO_INSTANCE}),
}


@pytest.mark.parametrize("group", ["moving", "frozen"])
@pytest.mark.parametrize("call", CALLS)
def test_host_that_dies_amid_a_call(call, group):
    """All but one have begun when it dies, and that one begins after it. Then those who live meet in a new group."""
    words, allowed = CALLS[call]
    with machine([OURS] * 3) as vm:
        vm.add()
        server = serve(vm, OURS)
        late, *early, dead = tasks = members(vm, "g", "node1", "node1", "node2", "node3")
        if group == "frozen":
            assert late.all_do(tasks[1:], "freeze", "g", 4) == 4 * ["4"]
        for member in (*early, dead):
            member.tell(*words)
        wait_until(lambda: all(process_state(member.pid) == "S" for member in (*early, dead)), "they wait")
        vm.kill("node3")
        vm.until_hosts("node1", "node2")
        results = {member.split()[0] for member in (late.do(*words), *(member.answer() for member in early))}
        assert results <= allowed
        for instance, member in enumerate((late, *early)):
            assert member.do("join", "h") == str(instance)
        another = "allgather" if call == "allreduce" else "allreduce"       # with another tag, as the manual says
        expected = "0 3 3 3" if another == "allgather" else "0 9"
        assert late.all_do(early, another, "h", 3) == 3 * [expected]
        for member in tasks:
            member.task.discard()
        server.discard()
        vm.remove_files("node3")


def test_broadcast_amid_which_a_host_dies():
    with machine([OURS] * 3) as vm:
        vm.add()
        server = serve(vm, OURS)
        sender, *others, dead = tasks = members(vm, "g", "node1", "node1", "node2", "node3")
        sender.tell("stream", "g", TAG, 0, 3000)
        assert others[1].do("recv", TAG) == f"{sender.tid} 0"
        vm.kill("node3")
        assert sender.answer() == "0"
        assert sender.do("bcast", "g", TAG, -1) == "0"
        for first, member in enumerate(others):
            assert [int(word) for word in member.do("take", TAG).split()] == list(range(first, 3000))
        for member in tasks:
            member.task.discard()
        server.discard()
        vm.remove_files("node3")
