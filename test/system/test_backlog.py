"""Does a pvmd that has much to pass on to some who do not read stay small, and serve all others?

PVM_QUEUE_LIMIT is set to far less than what is sent here; the default is half of the memory.
"""
import contextlib
import os
import re
import signal

import pytest
from support import wire
from support.console import Console
from support.hosts import HostsMachine
from support.machine import VirtualMachine
from support.places import OURS, STOCK
from support.puppet import Puppet
from support.task import MEASURED, memory, wait_until

SMALL = {**MEASURED, "PVM_QUEUE_LIMIT": "4"}
LIMIT = 4 << 20
INTS = 4000
PVM_OUTPUT_TID, PVM_OUTPUT_CODE = 4, 5
COUNT = 2000            # messages of INTS ints: 32 MB


def talk(one, other):
    """The pvmd serves the two, whatever it does for others."""
    for i in range(100):
        assert one.do("send", other.tid, 2, i) == "0"
        assert other.do("recv", one.tid, 2) == f"{one.tid} 2 4 {i}"


def until_held(vm, tid):
    """Wait until the pvmd does not read from the task, as it says when it is asked for its tasks (tickle 2)."""
    with wire.Client(vm) as client:
        client.enrol()

        def held():
            before = len(vm.log())
            client.request(wire.TM_TICKLE, wire.integers(1, 2))
            return re.search(f"task t{tid} .*held", vm.log()[before:])
        wait_until(held, f"the pvmd holds t{tid}")


def flood(vm, flooder, reader):
    """Let the flooder send to the reader, which is stopped, until the pvmd holds it."""
    reader.stop()
    flooder.tell("flood", reader.tid, 1, COUNT, INTS)
    until_held(vm, flooder.tid)

@pytest.mark.parametrize("library", [OURS, STOCK], ids=str)
def test_a_task_that_stops_reading(library):
    with VirtualMachine(OURS, library, SMALL) as vm:
        before = memory(vm.pvmd.pid)
        reader, flooder, one, other = (Puppet(vm) for _ in range(4))
        flood(vm, flooder, reader)
        talk(one, other)
        assert memory(vm.pvmd.pid) < before + 2 * LIMIT
        reader.go_on()
        assert reader.do("gather", flooder.tid, 1, COUNT) == str(COUNT)
        assert flooder.answer() == "0"
        assert vm.log().count("wait for t") == 1
        for puppet in (reader, flooder, one, other):
            puppet.leave()


def test_the_end_of_a_task_that_does_not_read():
    """Whoever sent to it goes on."""
    with VirtualMachine(OURS, OURS, SMALL) as vm:
        reader, flooder = Puppet(vm), Puppet(vm)
        flood(vm, flooder, reader)
        reader.task.signal(signal.SIGKILL)
        assert flooder.answer() == "0"
        flooder.leave()
        assert vm.tasks() == []


def test_the_end_of_a_task_that_is_held():
    """It is seen though nobody reads what the task has sent, and that is not lost."""
    with VirtualMachine(OURS, OURS, SMALL) as vm:
        reader, flooder, one, other = (Puppet(vm) for _ in range(4))
        flood(vm, flooder, reader)
        assert one.do("notify", 3, flooder.tid) == "0"
        flooder.task.signal(signal.SIGKILL)
        assert one.do("recv", -1, 3) == f"80000000 3 4 {int(flooder.tid, 16)}"
        talk(one, other)
        reader.go_on()
        assert reader.do("gather", flooder.tid, 1, 100) == "100"
        for puppet in (reader, one, other):
            puppet.leave()


def test_messages_for_a_task_that_never_connects():
    """They are bounded too, and dropped with the task."""
    with VirtualMachine(OURS, OURS, {**SMALL, "PVM_PATH": "/bin:/usr/bin"}) as vm:
        flooder, one, other = (Puppet(vm) for _ in range(3))
        started, tid = flooder.do("spawn", 1, "sleep", 1000).split()
        assert started == "1"
        flooder.tell("flood", tid, 1, COUNT, INTS)
        until_held(vm, flooder.tid)
        talk(one, other)
        os.kill(next(task[5] for task in vm.tasks() if task[0] == int(tid, 16)), signal.SIGKILL)
        assert flooder.answer() == "0"
        for puppet in (flooder, one, other):
            puppet.leave()


def test_output_for_a_collector_that_stops_reading():
    """Who prints is held by its pipe, and all of it comes in the end."""
    last = 600_000
    printed = sum(len(str(number)) + 1 for number in range(1, last + 1))
    with VirtualMachine(OURS, OURS, {**SMALL, "PVM_PATH": "/bin:/usr/bin"}) as vm:
        before = memory(vm.pvmd.pid)
        collector, one, other = (Puppet(vm) for _ in range(3))
        collector.do("option", PVM_OUTPUT_TID, int(collector.tid, 16))
        collector.do("option", PVM_OUTPUT_CODE, 9)
        started, tid = collector.do("spawn", 1, "seq", 1, last).split()
        assert started == "1"       # from here on it is in no call, and reads nothing
        until_held(vm, tid)
        talk(one, other)
        assert memory(vm.pvmd.pid) < before + 2 * LIMIT
        sizes = [0]
        while sizes[-1] != 8:       # tid and word of the end; that of its start has one integer more
            sizes.append(int(collector.do("recv", -1, 9).split()[2]))
        padded = sum(size - 8 for size in sizes if size > 12)
        assert 0 <= padded - printed < 4 * len(sizes)
        for puppet in (collector, one, other):
            puppet.leave()


def test_requests_without_reading_the_answers():
    """The pvmd takes no more of them until some have been read; all are answered, in order."""
    count = 10_000
    with VirtualMachine(OURS, OURS, MEASURED) as vm, wire.Client(vm) as client:
        before = memory(vm.pvmd.pid)
        one, other = Puppet(vm), Puppet(vm)
        others = [wire.Client(vm).enrol() for _ in range(10)]
        client.enrol()
        frames = b"".join(wire.frame(wire.PVMD, wire.header(wire.TM_TASK, wire.REQUEST_CONTEXT, i) + wire.integers(0))
                          for i in range(count))
        client.socket.setblocking(False)
        taken = progress = 0
        while progress < 3:
            try:
                taken += client.socket.send(frames[taken:])
                progress = 0
            except BlockingIOError:
                talk(one, other)
                progress += 1
        assert taken < len(frames)
        assert memory(vm.pvmd.pid) < before + (8 << 20)
        for i in range(count):
            if taken < len(frames):
                with contextlib.suppress(BlockingIOError):
                    taken += client.socket.send(frames[taken:])
            assert client.message().wait == i
        for task in others:
            task.socket.close()
        one.leave()
        other.leave()


@pytest.mark.parametrize("library", [OURS, STOCK], ids=str)
def test_two_tasks_flood_each_other(library):
    """Whoever is held takes in messages meanwhile: neither waits for ever."""
    with VirtualMachine(OURS, library, SMALL) as vm:
        one, other = Puppet(vm), Puppet(vm)
        for puppet, peer in ((one, other), (other, one)):
            puppet.tell("flood", peer.tid, 1, COUNT, INTS)
            puppet.tell("gather", peer.tid, 1, COUNT)
        for puppet in (one, other):
            assert [puppet.answer(), puppet.answer()] == ["0", str(COUNT)]
            puppet.leave()


def test_a_host_that_stands_still():
    """Who sends to its tasks waits, all others go on, with other hosts too; nothing is lost when it goes on."""
    with HostsMachine(OURS, OURS, {**SMALL, "PVM_HOST_PATIENCE": "600"}) as vm:
        console, adder = Console(vm, OURS), Console(vm, OURS)
        console.do("add 127.0.0.3 127.0.0.4")
        before = memory(vm.pvmd.pid)
        reader, far = Puppet(vm, host="127.0.0.3"), Puppet(vm, host="127.0.0.4")
        flooder, one, other = (Puppet(vm) for _ in range(3))
        frozen = vm.host_pvmd("127.0.0.3")
        os.kill(frozen, signal.SIGSTOP)
        flooder.tell("flood", reader.tid, 1, COUNT, INTS)
        until_held(vm, flooder.tid)
        adder.task.say("add 127.0.0.5\n")       # which all hosts have to hear of
        talk(one, other)
        talk(one, far)
        assert "               127.0.0.4  ok" in console.do("mstat 127.0.0.4")
        assert "1 successful" in console.do("spawn --host=127.0.0.4 /bin/sleep 1000")
        assert memory(vm.pvmd.pid) < before + 2 * LIMIT
        os.kill(frozen, signal.SIGCONT)
        assert reader.do("gather", flooder.tid, 1, COUNT) == str(COUNT)
        assert flooder.answer() == "0"
        adder.task.until("1 successful")
        for puppet in (reader, far, flooder, one, other):
            puppet.leave()
        console.quit().ok()
        adder.quit().ok()


def test_a_task_of_another_host_that_stops_reading():
    """The pvmd there stays small, too, and others of both hosts go on; whoever sends to it is held where it runs."""
    with HostsMachine(OURS, OURS, SMALL) as vm:
        console = Console(vm, OURS)
        console.do("add 127.0.0.3")
        console.quit().ok()
        wait_until(lambda: "connected with the host" in vm.log(), "the hosts are connected")
        there = vm.host_pvmd("127.0.0.3")
        before = memory(there), memory(vm.pvmd.pid)
        reader, far = (Puppet(vm, host="127.0.0.3") for _ in range(2))
        flooder, one = (Puppet(vm) for _ in range(2))
        flood(vm, flooder, reader)
        talk(one, far)
        talk(far, one)
        assert memory(there) < before[0] + 3 * LIMIT and memory(vm.pvmd.pid) < before[1] + 3 * LIMIT
        reader.go_on()
        assert reader.do("gather", flooder.tid, 1, COUNT) == str(COUNT)
        assert flooder.answer() == "0"
        flood(vm, flooder, reader)
        reader.task.signal(signal.SIGKILL)
        assert flooder.answer() == "0"
        for puppet in (far, flooder, one):
            puppet.leave()
