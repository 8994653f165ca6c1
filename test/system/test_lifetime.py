"""Does a pvmd start, refuse to start, and end as it should, and leave nothing behind?"""
import os
import re
import signal

import pytest
from support import programs, wire
from support.machine import VirtualMachine, command_of, wait_gone
from support.places import OURS, STOCK
from support.puppet import Puppet
from support.task import Task, sleeps, wait_until


def start_another(vm, *arguments, variables=None):
    """Run a second pvmd with the machine's environment to its end."""
    return Task([OURS.pvmd, *arguments], {**vm.environment(), **(variables or {})}, cwd=vm.home).ended()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_it_and_nothing_is_left(number):
    with VirtualMachine(OURS, OURS) as vm:
        assert vm.address_file.read_text() == vm.socket
        assert vm.address_file.stat().st_mode & 0o777 == 0o600
        assert "hello, world" in vm.run("hello.pvm").ok().out
        vm.pvmd.signal(number)
        ended = vm.pvmd.ended()
        assert ended.status == number, "the exit status is the number of the signal, as with 3.4.6"
        assert ended.out == vm.socket + "\n", "one line of output: the address"
        assert vm.files() == [], "not even a log, for nothing happened"


def test_halt_ends_it_and_nothing_is_left():
    with VirtualMachine(OURS, OURS) as vm:
        with wire.Client(vm) as client:
            client.enrol()
            client.ask(wire.TM_HALT)
            client.wait_closed()
        assert vm.pvmd.ended().status == 0
        assert vm.files() == []


def test_hangup_is_ignored():
    with VirtualMachine(OURS, OURS) as vm:
        vm.pvmd.signal(signal.SIGHUP)
        vm.pvmd.signal(signal.SIGPIPE)
        assert "hello, world" in vm.run("hello.pvm").ok().out


def test_log_with_something_in_it_stays():
    with VirtualMachine(OURS, OURS) as vm:
        assert vm.run("hitc").ok()
        wait_until(lambda: any("received no-more-work flag" in line for _, line in vm.task_log()), "the log has it")
        vm.stop()
        assert vm.files() == [vm.log_file.name]
        assert any("received no-more-work flag" in line for _, line in vm.task_log())


def test_second_pvmd_is_refused():
    with VirtualMachine(OURS, OURS) as vm:
        second = start_another(vm)
        assert second.status != 0 and second.out == ""
        assert str(vm.pvmd.pid) in second.err or vm.socket in second.err, f"which pvmd runs? {second}"
        assert vm.address_file.read_text() == vm.socket
        assert "hello, world" in vm.run("hello.pvm").ok().out


def test_stale_address_file_is_taken_over():
    with VirtualMachine(OURS, OURS) as vm:
        vm.pvmd.signal(signal.SIGKILL)
        vm.pvmd.ended()
        old = vm.socket
        assert vm.address_file.read_text() == old
        vm.boot()
        assert vm.socket != old and vm.address_file.read_text() == vm.socket
        assert "hello, world" in vm.run("hello.pvm").ok().out


@pytest.mark.parametrize("content", ["", "/no/such/socket", "\0" * 300], ids=["empty", "nowhere", "zeros"])
def test_empty_address_file_is_taken_over(content):
    with VirtualMachine(OURS, OURS) as vm:
        vm.stop()
        vm.address_file.write_text(content)
        vm.boot()
        assert vm.address_file.read_text() == vm.socket
        assert "hello, world" in vm.run("hello.pvm").ok().out


@pytest.mark.parametrize("content", ["nonsense", "x" * 5000], ids=["word", "long"])
def test_address_file_of_unknown_form_is_left_alone(content):
    """It may belong to a daemon of another kind: the refusal names the file, and nothing is changed."""
    with VirtualMachine(OURS, OURS) as vm:
        vm.stop()
        vm.address_file.write_text(content)
        refused = start_another(vm)
        assert refused.status != 0 and refused.out == ""
        assert str(vm.address_file) in refused.err, refused
        assert vm.address_file.read_text() == content
        vm.address_file.unlink()
        assert vm.files() == []


@pytest.mark.parametrize("daemon", [OURS, STOCK], ids=str)
def test_its_end_ends_the_tasks(daemon):
    """Spawned and started tasks get SIGTERM when the pvmd ends."""
    with VirtualMachine(daemon, daemon) as vm:
        puppet = Puppet(vm)
        count, *tids = puppet.do("spawn", 3, "slave1").split()
        assert count == "3" and len(tids) == 3
        vm.until_enrolled(4)
        running = vm.processes() - {vm.pvmd.pid}
        assert len(running) == 4
        vm.stop()
        assert puppet.task.ended().status == -signal.SIGTERM
        assert not wait_gone(running)


@pytest.mark.parametrize("daemon", [OURS, STOCK], ids=str)
@pytest.mark.parametrize("library", [OURS, STOCK], ids="library-{}".format)
def test_blocked_task_is_told_of_a_killed_pvmd(library, daemon):
    with VirtualMachine(daemon, library) as vm:
        puppet = Puppet(vm)
        puppet.tell("recv", -1, -1)
        vm.pvmd.signal(signal.SIGKILL)
        vm.pvmd.ended()
        assert puppet.answer() == "-14 Can't contact local daemon"
        assert puppet.do("send", puppet.tid, 1, 1) == "-14"
        puppet.task.ended()
        for path in (vm.address_file, *vm.folder.glob("pvmtmp*")):
            path.unlink(missing_ok=True)


@pytest.mark.parametrize("most", range(4, 10))
def test_few_descriptors(most):
    """A task that cannot enrol for want of descriptors says that and what to do, and blames nobody."""
    few = ["prlimit", f"--nofile={most}"]
    programs.build("puppet", OURS)
    with VirtualMachine(OURS, OURS) as vm:
        ended = vm.run("puppet", input="tid\n", wrapper=few)
        lines = ended.err.splitlines()
        assert not lines or "Too many open files (raise 'ulimit -n')" in lines[0]
        assert not re.search("same user|start one|left over|did not take", ended.err)
        if most < 8:
            second = Task([*few, *command_of(OURS)], {**vm.environment(), "PVM_VMID": "second"}, cwd=vm.home).ended()
            assert second.status == 1 and "Too many open files (raise 'ulimit -n')" in second.err


def test_file_of_a_task_killed_while_it_enrolled():
    """Nobody but the pvmd is left to remove the file by which the two were to know each other."""
    with VirtualMachine(OURS, OURS) as vm:
        left = vm.folder / f"pvmtmp{os.getpid():06}.0"
        left.touch(0o600)
        with wire.Client(vm) as client:
            client.request(wire.TM_CONNECT, wire.integers(wire.PROTOCOL) + wire.string(str(left)))
        wait_until(lambda: not left.exists(), "the file is removed")


PVM_ROUTE, ROUTE_DIRECT = 1, 3
libraries = pytest.mark.parametrize("library", [OURS, STOCK], ids=str)


def sockets_of_routes(vm):
    return {path for path in vm.folder.glob("pvmtmp*") if path.is_socket() and str(path) != vm.socket}


@libraries
def test_sockets_of_tasks_killed_while_a_route_is_made(library):
    """One has asked, and one has granted: each has a socket whose name is there until the other one has connected."""
    with VirtualMachine(OURS, library, variables={"PVM_SHARED_MEMORY": "0"}) as vm:
        asks, grants = Puppet(vm), Puppet(vm)
        for puppet in (asks, grants):
            puppet.do("option", PVM_ROUTE, ROUTE_DIRECT)
        asks.tell("send", grants.tid, 1, 1)
        wait_until(lambda: len(sockets_of_routes(vm)) == 1, "one asks")
        wait_until(lambda: sleeps(asks.pid), "it waits for the answer")     # its question is behind the socket
        asks.stop()
        grants.tell("poll", -1, 1)
        wait_until(lambda: len(sockets_of_routes(vm)) == 2, "the other one grants")
        grants.answer()     # the pvmd has been sent what it granted
        for puppet, left in ((grants, 1), (asks, 0)):
            puppet.task.signal(signal.SIGKILL)
            wait_until(lambda left=left: len(sockets_of_routes(vm)) == left, "the socket is removed")


@libraries
def test_socket_of_a_child_killed_while_it_asks_for_a_route(library):
    """The pvmd may not have read yet what the child asked when it hears of its end."""
    with VirtualMachine(OURS, library) as vm:
        program, words = vm.folder / "obeys", vm.folder / "words"
        os.mkfifo(words)
        program.write_text(f"#!/bin/sh\nexec {programs.build('puppet', library)} < {words}\n")
        program.chmod(0o700)
        for _ in range(10):
            parent = Puppet(vm)
            child = int(parent.do("spawn", 1, program).split()[1], 16)
            words.write_text(f"option {PVM_ROUTE} {ROUTE_DIRECT}\nsend {parent.tid} 1 1\n")
            wait_until(lambda: sockets_of_routes(vm), "the child asks")
            pid, = [task[5] for task in vm.tasks() if task[0] == child]
            os.kill(pid, signal.SIGKILL)
            wait_until(lambda: not sockets_of_routes(vm), "the socket is removed")
            parent.leave()
        program.unlink()
        words.unlink()


def test_files_of_tasks_that_enrol_when_the_pvmd_ends():
    """It tells them to end, which they do amid enrolling. One that does not hear is not waited for."""
    with VirtualMachine(OURS, OURS) as vm:
        enrols = vm.folder / "enrols"
        enrols.write_text("#!/bin/sh\n"
                          "[ $1 = hears ] || trap '' TERM\n"
                          "umask 077; : > $PVM_TMP/pvmtmp`printf %06d $$`.0\n"
                          "exec sleep 1000\n")
        enrols.chmod(0o700)
        puppet = Puppet(vm)
        for kind, count in (("hears", "2"), ("deaf", "1")):
            assert puppet.do("spawn", count, enrols, kind).split()[0] == count
        wait_until(lambda: len([*vm.folder.glob("pvmtmp*.0")]) == 4, "three have their files, and the pvmd its socket")
        vm.pvmd.signal(signal.SIGTERM)
        vm.pvmd.ended()
        left, = vm.folder.glob("pvmtmp*")
        deaf = int(left.name[len("pvmtmp"):-len(".0")])
        os.kill(deaf, signal.SIGKILL)
        left.unlink()
        enrols.unlink()
        puppet.task.ended()


def test_connection_that_only_asks_whether_somebody_answers():
    """A thread asks so while another one of its process enrols: that one's file stays."""
    with VirtualMachine(OURS, OURS) as vm:
        used = vm.folder / f"pvmtmp{os.getpid():06}.0"
        used.touch(0o600)
        with wire.Client(vm):
            pass
        with wire.Client(vm) as client:  # answered after the pvmd has seen that the first one is gone
            client.request(wire.TM_CONNECT, wire.integers(wire.PROTOCOL) + wire.string(str(used)))
            assert used.read_bytes() == b"/"
        wait_until(lambda: not used.exists(), "the file is removed")


@pytest.mark.parametrize("option", ["--nonsense", "-z", "-x5"])
def test_unknown_option(option):
    with VirtualMachine(OURS, OURS) as vm:
        vm.stop()
        refused = start_another(vm, option)
        assert refused.status != 0 and refused.out == ""
        assert option in refused.err or "usage" in refused.err.lower(), refused
        assert vm.files() == []


def test_two_host_files():
    with VirtualMachine(OURS, OURS) as vm:
        vm.stop()
        refused = start_another(vm, "one", "two")
        assert refused.status == 1 and "more than one host file" in refused.err
        assert vm.files() == []


def test_missing_temporary_folder():
    with VirtualMachine(OURS, OURS) as vm:
        vm.stop()
        refused = start_another(vm, variables={"PVM_TMP": "/no/such/folder"})
        assert refused.status != 0 and refused.out == ""
        assert "/no/such/folder" in refused.err, refused


def test_temporary_folder_with_too_long_a_name():
    with VirtualMachine(OURS, OURS) as vm:
        vm.stop()
        folder = vm.folder / ("long" * 40)
        folder.mkdir()
        refused = start_another(vm, variables={"PVM_TMP": str(folder)})
        assert refused.status != 0 and refused.out == ""
        assert "long" in refused.err, refused
        assert list(folder.iterdir()) == []
        folder.rmdir()


def without_permission(vm):
    """The machine's environment without the permission to run as root."""
    return {name: value for name, value in vm.environment().items() if name != "PVM_ALLOW_ROOT"}


def test_pvmd_of_root_needs_permission():
    with VirtualMachine(OURS, OURS) as vm:
        vm.stop()
        pvmd = Task([OURS.pvmd], without_permission(vm), cwd=vm.home)
        if os.getuid() != 0:
            vm.pvmd, vm.socket = pvmd, pvmd.line()
            assert "hello, world" in vm.run("hello.pvm").ok().out
            return
        refused = pvmd.ended()
        assert refused.status == 1
        assert "root" in (refused.out + refused.err).lower()
        assert vm.files() == []


def test_task_of_root_needs_permission():
    with VirtualMachine(OURS, OURS) as vm:
        task = Task([programs.build("puppet", OURS)], without_permission(vm), keep_input=True)
        task.say("tid\n")
        ended = task.ended()
        if os.getuid() != 0:
            assert ended.ok().out == "40001\n"
        else:
            assert ended.status == 1
            assert "root" in (ended.out + ended.err).lower()


@pytest.mark.parametrize("library", [OURS, STOCK], ids=str)
def test_task_without_a_pvmd(library):
    with VirtualMachine(library, library) as vm:
        vm.stop()
        puppet = Puppet(vm, enrol=False)
        assert puppet.do("tid") == "-14"
        assert puppet.do("spawn", 1, "slave1").startswith("-14")
        ended = puppet.task.ended().ok()
        assert "Can't contact local daemon" in ended.err and str(vm.address_file) in ended.err, ended


def test_two_virtual_machines_at_once():
    """Machines of one user do not see each other, and one ends without the other."""
    with VirtualMachine(OURS, OURS) as one, VirtualMachine(OURS, OURS) as other:
        first, second = Puppet(one), Puppet(other)
        assert first.tid == second.tid == "40001"
        extra = Puppet(one)
        assert first.do("send", extra.tid, 5, 55) == "0"
        assert second.do("send", extra.tid, 5, 66) == "0"
        assert extra.do("recv", -1, -1) == f"{first.tid} 5 4 55"
        assert extra.do("poll", -1, -1) == "0 nothing"
        assert len(one.tasks()) == 2 and len(other.tasks()) == 1
        one.stop()
        assert second.do("send", second.tid, 6, 77) == "0"
        assert second.do("recv", -1, -1) == f"{second.tid} 6 4 77"
        second.leave()
