"""Do tasks of two hosts speak by UCX where they are told to, and by TCP where one of them cannot?

While the daemons are stopped nothing but UCX brings messages. UCX has TCP here, which is all that it needs to show
order, ends and waiting.
"""
import os
import signal
import time
from pathlib import Path

import pytest
from support.network import NetworkMachine
from support.places import OURS, STOCK
from support.puppet import Puppet
from support.task import wait_until

UCX, TCP = {"PVM_NETWORK": "ucx"}, {"PVM_NETWORK": "tcp"}
ADAPTERS = Path("/sys/class/infiniband")
MESSAGES, INTS = 400, 300
END_OF_PEER = 900
STILL_SECONDS = 5


def on(vm, host, variables, library=OURS):
    return Puppet(vm, host=host, library=library,
                  variables={"LD_LIBRARY_PATH": str(library.libraries), **variables})


def has_ucx(puppet):
    """Whether the task has loaded UCX."""
    return "libucp" in Path(f"/proc/{puppet.pid}/maps").read_text()


def exchange(first, second, tag):
    """One message there and one back, to a task that waits: a direct route needs its answer."""
    for one, other in ((first, second), (second, first)):
        other.tell("recv", one.tid, tag)
        assert one.do("send", other.tid, tag, tag) == "0"
        assert other.answer() == f"{one.tid} {tag} 4 {tag}"


def meet(first, second):
    """Enough messages for both to know how they reach each other."""
    for tag in range(12):
        exchange(first, second, tag)


def stop_daemons(vm, number=signal.SIGSTOP):
    for host in vm.names:
        os.kill(vm.host_pvmd(host), number)


def flood(first, second, tag):
    """Many messages arrive whole and in order."""
    second.tell("gather", first.tid, tag, MESSAGES)
    assert first.do("flood", second.tid, tag, MESSAGES, INTS) == "0"
    assert second.answer() == str(MESSAGES)


@pytest.fixture
def vm():
    with NetworkMachine([OURS, OURS], OURS) as machine:
        machine.add()
        yield machine


@pytest.fixture
def pair(vm):
    """Two tasks that speak by UCX."""
    tasks = on(vm, "node1", UCX), on(vm, "node2", UCX)
    meet(*tasks)
    return tasks


def test_messages_pass_by_no_daemon(vm, pair):
    stop_daemons(vm)
    for tag in range(10, 20):
        exchange(*pair, tag)
    flood(*pair, 30)
    flood(*reversed(pair), 31)
    stop_daemons(vm, signal.SIGCONT)
    for task in pair:
        task.leave()


def test_order_from_the_first_message_on(vm):
    first, second = on(vm, "node1", UCX), on(vm, "node2", UCX)
    first.tell("flood", second.tid, 1, MESSAGES, INTS)
    second.tell("flood", first.tid, 1, MESSAGES, INTS)
    for task in (first, second):
        assert task.answer() == "0"
    for one, other in ((first, second), (second, first)):
        assert one.do("gather", other.tid, 1, MESSAGES) == str(MESSAGES)
    flood(first, second, 2)
    assert has_ucx(first) and has_ucx(second)


@pytest.mark.parametrize("direct", [False, True])
@pytest.mark.parametrize("variables, library", [(TCP, OURS), ({}, STOCK)])
def test_a_peer_without_ucx(vm, variables, library, direct):
    """It is reached as ever, and a direct route is made when one was asked for."""
    first, second = on(vm, "node1", UCX), on(vm, "node2", variables, library)
    if direct:
        assert first.do("option", 1, 3) == "2"     # PvmRoute, PvmRouteDirect
    for tag in range(100):
        exchange(first, second, tag)
    flood(first, second, 200)
    flood(second, first, 201)
    assert not has_ucx(second)
    assert first.do("routes") == ("1" if direct else "0")


def test_a_daemon_without_words_for_it():
    with NetworkMachine([STOCK, OURS], OURS) as vm:
        vm.add()
        tasks = on(vm, "node1", UCX), on(vm, "node2", UCX)
        meet(*tasks)
        stop_daemons(vm)
        flood(*tasks, 10)
        stop_daemons(vm, signal.SIGCONT)


@pytest.mark.skipif(ADAPTERS.is_dir() and any(ADAPTERS.iterdir()), reason="this machine has an adapter")
def test_without_an_adapter_nothing_is_loaded(vm):
    tasks = on(vm, "node1", {}), on(vm, "node2", {})
    meet(*tasks)
    assert not any(map(has_ucx, tasks))


def test_a_network_that_ucx_does_not_find(vm):
    first, second = on(vm, "node1", {**UCX, "UCX_NET_DEVICES": "nowhere"}), on(vm, "node2", UCX)
    meet(first, second)
    flood(first, second, 10)
    assert first.leave().err.count("UCX finds no network") == 1


def test_a_setting_that_makes_no_sense(vm):
    assert "PVM_NETWORK is wire: taking tcp" in on(vm, "node1", {"PVM_NETWORK": "wire"}).leave().err


def test_what_a_task_sends_before_it_leaves(pair):
    first, second = pair
    assert first.do("notify", END_OF_PEER, second.tid) == "0"
    first.stop()
    second.tell("flood", first.tid, 1, 20, INTS)
    assert second.answer() == "0"
    second.leave()
    first.go_on()
    assert first.do("gather", second.tid, 1, 20) == "20"
    assert first.do("recv", -1, END_OF_PEER).split()[1] == str(END_OF_PEER)


def test_what_a_killed_task_has_sent(pair):
    first, second = pair
    assert first.do("notify", END_OF_PEER, second.tid) == "0"
    first.stop()
    assert second.do("flood", first.tid, 1, 20, INTS) == "0"
    second.task.signal(signal.SIGKILL)
    second.task.discard()
    first.go_on()
    assert first.do("recv", -1, -1).split()[1] == "1"       # before the word of its end
    assert first.do("recv", -1, END_OF_PEER).split()[1] == str(END_OF_PEER)
    assert first.do("send", second.tid, 1, 1) == "0"


def test_a_host_that_is_gone():
    with NetworkMachine([OURS, OURS], OURS, variables={"PVM_HOST_PATIENCE": "3"}) as vm:
        vm.add()
        first, second = on(vm, "node1", UCX), on(vm, "node2", UCX)
        meet(first, second)
        assert first.do("notify", END_OF_PEER, second.tid) == "0"
        vm.network.unplug("node2")
        first.tell("flood", second.tid, 1, 20000, INTS)     # more than the network takes
        assert first.answer(120) == "0"
        assert first.do("recv", -1, END_OF_PEER, limit=120).split()[1] == str(END_OF_PEER)
        first.leave()
        vm.kill("node2")
        second.task.discard()


def switches(pid):
    """What each thread of a process has done."""
    return {thread.name: [line for line in (thread / "status").read_text().splitlines() if "ctxt_switches" in line]
            for thread in Path(f"/proc/{pid}/task").iterdir()}


def test_an_idle_task_makes_no_system_call(vm):
    trace = vm.folder / "idle.strace"
    first = on(vm, "node1", UCX)
    second = Puppet(vm, host="node2", library=OURS, variables=UCX,
                    wrapper=["strace", "-D", "-f", "-qq", "-o", str(trace)])
    meet(first, second)
    second.tell("recv", first.tid, 99)
    history = []

    def still():
        history.append(trace.read_text())
        return history[-20:] == 20 * history[-1:]
    wait_until(still, "it waits")
    time.sleep(STILL_SECONDS)
    assert trace.read_text() == history[-1]
    stop_daemons(vm)
    assert first.do("send", second.tid, 99, 1) == "0"
    assert second.answer() == f"{first.tid} 99 4 1"
    stop_daemons(vm, signal.SIGCONT)
    second.leave()
    trace.unlink()


def test_children_go_by_tcp(vm, pair):
    """A program whose parent speaks by UCX forks: both reach the other host."""
    peer = pair[1]
    task = vm.start("far_child", peer.tid, host="node1", variables=UCX)
    for _ in range(8):
        assert peer.do("recv", -1, 7).split()[1] == "7"
        answered = peer.do("send", task.line(), 8, 1)
        assert answered == "0"
    ended = task.ended().ok()
    assert ended.err.count("its process is a child of one that uses it") == 1
