"""Does a pvmd know its tasks: who they are, what they are sent, and when they end?

Each test runs on stock 3.4.6 too, which shows that the test asks for what 3.4.6 does.
"""
import os
import signal
import subprocess

import pytest
from support import programs, wire
from support.machine import CONNECTED, VirtualMachine
from support.places import OURS, STOCK, TESTS
from support.puppet import Puppet
from support.task import process_state, wait_until

CHILD_OF_PVMD = 2
PVM_ROUTE = 1
systems = pytest.mark.parametrize("system", [OURS, STOCK], ids=str)


@systems
def test_task_table(system):
    programs.build("child", system)
    with VirtualMachine(system, system) as vm:
        puppet = Puppet(vm)
        assert puppet.tid == "40001"
        count, *tids = puppet.do("spawn", 2, "child", "wait").split()
        assert (count, tids) == ("2", ["40002", "40003"])
        vm.until_enrolled(3)
        tasks = vm.tasks()
        assert [task[:3] for task in tasks] == [(0x40001, 0, 0x40000), (0x40002, 0x40001, 0x40000),
                                                (0x40003, 0x40001, 0x40000)]
        assert [task[3] for task in tasks] == [CONNECTED] + 2 * [CONNECTED | CHILD_OF_PVMD]
        assert [task[4] for task in tasks] == ["", "child", "child"]
        assert {task[5] for task in tasks} == vm.processes() - {vm.pvmd.pid}
        assert puppet.do("notify", 9, tids[0]) == puppet.do("notify", 9, tids[1]) == "0"
        assert puppet.do("mcast", 1, 1, *tids) == "0"
        ended = {puppet.do("recv", -1, 9).split()[3] for _ in tids}
        assert ended == {str(0x40002), str(0x40003)}
        assert [task[0] for task in vm.tasks()] == [0x40001]


@systems
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_death_of_a_started_task_is_told(system, number):
    with VirtualMachine(system, system) as vm:
        watcher, victim = Puppet(vm), Puppet(vm)
        assert watcher.do("notify", 7, victim.tid) == "0"
        watcher.tell("recv", -1, 7)
        victim.task.signal(number)
        assert watcher.answer() == f"80000000 7 4 {int(victim.tid, 16)}"
        assert victim.task.ended().status == -number
        assert watcher.do("poll", -1, -1) == "0 nothing"
        assert [task[0] for task in vm.tasks()] == [0x40001]
        watcher.leave()


@systems
def test_death_of_a_spawned_task_is_told(system):
    programs.build("child", system)
    with VirtualMachine(system, system) as vm:
        watcher = Puppet(vm)
        tid = watcher.do("spawn", 1, "child", "wait").split()[1]
        vm.until_enrolled(2)
        assert watcher.do("notify", 7, tid) == "0"
        watcher.tell("recv", -1, 7)
        pid, = vm.processes() - {vm.pvmd.pid, watcher.pid}
        os.kill(pid, signal.SIGKILL)
        assert watcher.answer() == f"80000000 7 4 {int(tid, 16)}"
        watcher.leave()


@systems
def test_exit_status_does_not_matter_to_a_notice(system):
    programs.build("child", system)
    with VirtualMachine(system, system) as vm:
        watcher = Puppet(vm)
        tid = watcher.do("spawn", 1, "child", "exit", "3").split()[1]
        assert watcher.do("notify", 7, tid) == "0"
        assert watcher.do("recv", -1, 7) == f"80000000 7 4 {int(tid, 16)}"
        watcher.leave()


@systems
def test_routing(system):
    """Messages reach the task they are for and no other, in the order in which they were sent."""
    with VirtualMachine(system, system) as vm:
        puppets = [Puppet(vm) for _ in range(4)]
        for sender in puppets:
            for i, receiver in enumerate(puppets):
                for value in range(3):
                    assert sender.do("send", receiver.tid, value, 100 * i + value) == "0"
        for i, receiver in enumerate(puppets):
            for sender in puppets:
                for value in range(3):
                    assert receiver.do("recv", sender.tid, -1) == f"{sender.tid} {value} 4 {100 * i + value}"
            assert receiver.do("poll", -1, -1) == "0 nothing"
        assert puppets[0].do("mcast", 8, 5, *(puppet.tid for puppet in puppets)) == "0"
        for receiver in puppets[1:]:
            assert receiver.do("recv", -1, -1) == f"{puppets[0].tid} 8 4 5"
        assert puppets[0].do("poll", -1, -1) == "0 nothing"
        for puppet in puppets:
            puppet.leave()


@pytest.mark.parametrize("route", [1, 2, 3], ids=["pvmd", "default", "direct"])
def test_no_message_overtakes_another(route):
    """Whichever calls send them and whatever their sizes, messages of a pair keep their order (ours promises)."""
    with VirtualMachine(OURS, OURS) as vm:
        sender, receiver = Puppet(vm), Puppet(vm)
        sender.do("option", PVM_ROUTE, route)
        for _ in range(60):     # it must be in a call to be asked for a direct route
            receiver.tell("recv", -1, -1)
        for i in range(0, 60, 3):
            assert sender.do("grow", i, receiver.tid, 100 * i).startswith("0 0")
            assert sender.do("mcast", i + 1, i, receiver.tid) == "0"
            assert sender.do("send", receiver.tid, i + 2, i) == "0"
        assert [int(receiver.answer().split()[1]) for _ in range(60)] == list(range(60))
        sender.leave()
        receiver.leave()


@systems
def test_two_large_messages_against_each_other(system):
    """Two tasks that send to each other before either receives do not wait for ever."""
    count = 5 << 20
    with VirtualMachine(system, system) as vm:
        one, other = Puppet(vm), Puppet(vm)
        one.tell("grow", 1, other.tid, count)
        other.tell("grow", 2, one.tid, count)
        for puppet in (one, other):
            assert puppet.answer().startswith("0 0")
        assert one.do("recv", -1, -1) == f"{other.tid} 2 {4 * count} 1"
        assert other.do("recv", -1, -1) == f"{one.tid} 1 {4 * count} 1"
        one.leave()
        other.leave()


@systems
def test_stopped_and_continued(system):
    """Neither a task nor the pvmd minds being stopped while it waits."""
    with VirtualMachine(system, system) as vm:
        sender, receiver = Puppet(vm), Puppet(vm)
        for i in range(20):
            receiver.tell("recv", sender.tid, i)
            for pid in (receiver.pid, vm.pvmd.pid):
                os.kill(pid, signal.SIGSTOP)
                wait_until(lambda pid=pid: process_state(pid) == "T", "it is stopped")
            sender.tell("send", receiver.tid, i, i)
            for pid in (vm.pvmd.pid, receiver.pid):
                os.kill(pid, signal.SIGCONT)
            assert sender.answer() == "0"
            assert receiver.answer() == f"{sender.tid} {i} 4 {i}"
        sender.leave()
        receiver.leave()


@systems
def test_nothing_grows(system):
    """After many lives and deaths the pvmd has the descriptors and files that it had before."""
    programs.build("child", system)
    with VirtualMachine(system, system) as vm:
        watcher = Puppet(vm)

        def live_and_die():
            for _ in range(10):
                tid = watcher.do("spawn", 1, "child", "exit", 0).split()[1]
                assert watcher.do("notify", 7, tid) == "0"
                assert watcher.do("recv", -1, 7).startswith("80000000 7")
                guest = Puppet(vm)
                assert watcher.do("notify", 8, guest.tid) == "0"
                guest.leave()
                assert watcher.do("recv", -1, 8).startswith("80000000 8")

        def there():
            return len(os.listdir(f"/proc/{vm.pvmd.pid}/fd")), vm.files()

        live_and_die()
        descriptors, files = there()
        for _ in range(3):      # 3.4.6 may close the pipe of a task's output after it has told of the end
            live_and_die()
            wait_until(lambda: there()[0] <= descriptors and there()[1] == files, "all is as it was before")
        watcher.leave()


@systems
def test_messages_for_a_task_that_has_not_enrolled_yet_wait(system):
    """A spawned task gets what was sent to it before it connected."""
    programs.build("child", system)
    with VirtualMachine(system, system) as vm:
        watcher = Puppet(vm)
        for _ in range(5):
            tid = watcher.do("spawn", 1, "child", "wait").split()[1]
            assert watcher.do("send", tid, 1, 1) == "0"
            assert watcher.do("notify", 7, tid) == "0"
            assert watcher.do("recv", -1, 7) == f"80000000 7 4 {int(tid, 16)}"
        watcher.leave()


@systems
def test_spawn_of_many(system, long_run):
    programs.build("child", system)
    count = 30
    with VirtualMachine(system, system) as vm:
        watcher = Puppet(vm)
        for _ in range(20 if long_run else 2):
            started, *tids = watcher.do("spawn", count, "child", "wait").split()
            assert started == str(count) and len(set(tids)) == count
            for tid in tids:
                assert watcher.do("notify", 7, tid) == "0"
            for tid in tids:
                assert watcher.do("send", tid, 1, 1) == "0"
            ended = {int(watcher.do("recv", -1, 7).split()[3]) for _ in tids}
            assert ended == {int(tid, 16) for tid in tids}
        watcher.leave()


def test_a_folder_that_does_not_answer(tmp_path):
    """Who wants a program from it waits, and nobody else; what has a path is not looked for there."""
    library = tmp_path / "stall.so"
    subprocess.run(["gcc", "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", library, TESTS / "system" / "stall.c", "-ldl"],
                   check=True)
    child = programs.build("child", OURS)
    with VirtualMachine(OURS, OURS, {"LD_PRELOAD": str(library), "PVM_PATH": f"/stalled:{child.parent}"}) as vm:
        one, other = Puppet(vm), Puppet(vm)
        one.tell("spawn", 1, "child", "wait")
        started, tid = other.do("spawn", 1, child, "wait").split()
        assert started == "1"
        assert other.do("send", tid, 1, 1) == "0"
        other.leave()
        assert one.tid in [f"{task[0]:x}" for task in vm.tasks()]


@systems
def test_raw_enrolment(system):
    """The first steps of the protocol, byte for byte."""
    with VirtualMachine(system, system) as vm:
        with wire.Client(vm) as client:
            version, accepted, theirs, written = client.connect()
            assert (version, accepted, len(written)) == (wire.PROTOCOL, 1, 1)
            with open(theirs, "wb") as file:
                file.write(b"x")
            reply = client.request(wire.TM_CONN2, wire.integers(wire.NO_PROCESS, 0))
            assert reply.to == 0x40001 and reply.source == wire.PVMD and reply.encoding == wire.XDR
            assert reply.context == wire.REQUEST_CONTEXT
            assert [reply.integer() for _ in range(11)] == [1, 0x40001, 0, 0, 0, 0, 0, 0, 0, 4080, 0x408c41]
            address, port = reply.string().split(":")
            assert len(address) == 8 and len(port) == 4 and int(address, 16) and int(port, 16)
            # Ours says that it knows leases where libraries of 3.4.6 do not read.
            assert reply.rest() == ([0, 1] if system is OURS else [0])
            client.tid = 0x40001
            config = client.request(wire.TM_CONFIG)
            assert [config.integer() for _ in range(3)] == [1, 1, 0x40000]
            assert config.string() and config.string() == "LINUX64" and config.rest() == [1000, 0x408c41]
            left = client.request(wire.TM_EXIT)
            assert left.body == b""
            client.wait_closed()


@systems
def test_refused_protocol_version(system):
    with VirtualMachine(system, system) as vm:
        with wire.Client(vm) as client:
            version, accepted, theirs, _ = client.connect(version=1317)
            assert (version, accepted, theirs) == (wire.PROTOCOL, 0, "")
            client.wait_closed()
        Puppet(vm).leave()
