"""Are thread tasks started on other hosts, and those of other programs, in one process a program and host?"""
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from support import programs
from support.caught import by_task
from support.console import Console
from support.network import NetworkMachine
from support.places import OURS, STOCK, TESTS
from support.task import send_signal, wait_until

OTHERS = THIRD, FOURTH = "node2", "node3"
CHILD = 2   # flag in the task table
DAEMONS = pytest.mark.parametrize("daemon", [OURS, STOCK], ids=str)


class Machine(NetworkMachine):
    """Three hosts."""

    def __init__(self, daemon, variables=None):
        for name in "thread_hosts", "thread_tasks":
            programs.build(name, OURS)
        # What the daemons of 3.4.6 start has our library, too.
        super().__init__([daemon] * 3, OURS, {"PVM_EXPORT": "LD_LIBRARY_PATH", **(variables or {})})

    def __enter__(self):
        super().__enter__()
        self.add()
        return self

    def scene(self, *words):
        return self.run("thread_hosts", *words, merge=True).ok().out

    def placed(self, *words, program="thread_hosts"):
        """A spawner, its task, and the process that this is in."""
        spawner = self.start(program, *words, keep_input=True)
        tid, pid = spawner.line().split()
        return spawner, tid, int(pid)

    def until_alone(self):
        """Until no task is left."""
        wait_until(lambda: not self.tasks(), "no task is left")


@DAEMONS
@pytest.mark.parametrize("scene", ["spread", "own", "program", "killed", "crash", "beside"])
def test_scene(daemon, scene):
    with Machine(daemon) as vm:
        assert vm.scene(scene) == "ok\n"
        vm.until_alone()


def test_one_is_killed():
    """The daemon of 3.4.6 ends the process."""
    with Machine(OURS) as vm:
        assert vm.scene("ended") == "ok\n"


@DAEMONS
def test_what_cannot_be_started(daemon):
    with Machine(daemon) as vm:
        script = vm.folder / "script"
        script.write_text("#!/bin/sh\nexec sleep 1000\n")
        script.chmod(0o700)
        assert vm.scene("wrong", script) == "ok\n"
        vm.until_alone()
        script.unlink()


def test_parents_are_known_to_the_daemons():
    """Those of 3.4.6 are told none."""
    with Machine(OURS) as vm:
        assert vm.scene("parents") == "ok\n"


def test_limit_of_a_process():
    with Machine(OURS, variables={"PVM_THREAD_LIMIT": "3"}) as vm:
        assert vm.scene("limit") == "ok\n"


@DAEMONS
def test_output(daemon):
    with Machine(daemon) as vm:
        *lines, last = vm.run("thread_hosts", "printed").ok().out.splitlines()
    assert last == "ok"
    said = by_task(lines)
    assert len(said) == 4
    for tid, texts in said.items():
        assert texts == ["BEGIN", f"I am {tid}", "EOF"]


@DAEMONS
def test_spawners_at_once_share_the_process(daemon):
    """Whoever comes first; by another name of the program, too. It ends when it has no task and no user."""
    with Machine(daemon) as vm:
        started = [vm.start("thread_hosts", "one", THIRD, keep_input=True) for _ in range(6)]
        processes = {spawner.line().split()[1] for spawner in started}
        assert len(processes) == 1
        wait_until(lambda: len([task for task in vm.tasks() if task[3] & CHILD]) == 1, "others have ended")
        for spawner in started:
            spawner.process.stdin.close()
            assert spawner.ended().ok().out.endswith("ok\n")
        vm.until_alone()
        wait_until(lambda: not Path("/proc", *processes).exists(), "the process has ended")


def test_task_outlives_its_spawner():
    with Machine(OURS) as vm:
        spawner, tid, pid = vm.placed("leave", THIRD)
        spawner.ended().ok()
        vm.placed("leave", FOURTH)[0].ended().ok()
        other, another, same = vm.placed("one", THIRD)
        assert same == pid and another != tid
        other.process.stdin.close()
        other.ended().ok()
        assert Path(f"/proc/{pid}").exists()
        vm.scene("tell", tid)
        wait_until(lambda: not Path(f"/proc/{pid}").exists(), "the process has ended")


def test_program_that_is_built_anew():
    """Its tasks are in a new process, while the old ones go on."""
    with Machine(OURS) as vm:
        program, new = vm.folder / "program", vm.folder / "new"
        shutil.copy(programs.build("thread_hosts", OURS), program)
        old, _, pid = vm.placed("one", THIRD, program=program)
        again, _, same = vm.placed("one", THIRD, program=program)
        assert same == pid
        shutil.copy(program, new)
        new.rename(program)
        young, _, other = vm.placed("one", THIRD, program=program)
        younger, _, same = vm.placed("one", THIRD, program=program)
        assert pid != other == same
        for spawner in old, again, young, younger:
            spawner.process.stdin.close()
            spawner.ended().ok()
        vm.until_alone()
        program.unlink()


def test_spawner_that_waits_for_a_stopped_process():
    """Killed while it is asked, it is replaced."""
    with Machine(OURS) as vm:
        first, _, pid = vm.placed("one", THIRD)
        os.kill(pid, signal.SIGSTOP)
        second = vm.start("thread_hosts", "one", THIRD, keep_input=True)
        wait_until(lambda: len(vm.tasks()) == 4, "the second spawner is there")
        os.kill(pid, signal.SIGKILL)
        assert int(second.line().split()[1]) != pid
        for spawner in first, second:
            send_signal(spawner.pid, signal.SIGKILL)
            spawner.ended()
        wait_until(lambda: len(vm.tasks()) == 2, "the task is left, and who holds it")


def kill_some(vm, spawners):
    """Kill processes that hold tasks until the spawners have ended; which were killed."""
    killed, turn = [], 0
    while any(spawner.process.poll() is None for spawner in spawners):
        holders = [task[5] for task in vm.tasks() if task[4].endswith("thread_hosts") and task[5] > 0]
        turn += 1
        if holders and turn % 3 == 0:
            killed.append(holders[turn % len(holders)])
            send_signal(killed[-1], signal.SIGKILL)
    return killed


@DAEMONS
def test_kills_amid_spawns(daemon, long_run):
    """No spawner waits in vain, and in the end each gets what it asks for."""
    with Machine(daemon) as vm:
        spawners = [vm.start("thread_hosts", "storm", 200 if long_run else 20, merge=True) for _ in range(4)]
        killed = kill_some(vm, spawners)
        assert [spawner.ended().ok().out for spawner in spawners] == ["ok\n"] * 4 and killed
        assert vm.scene("spread") == "ok\n"
        vm.until_alone()
        for process in killed:  # amid enrolling, some
            for path in vm.folder.glob(f"*/pvmtmp{process:06}.*"):
                path.unlink()


def test_lost_host():
    with Machine(OURS) as vm:
        spawner = vm.start("thread_hosts", "lost", keep_input=True)
        assert spawner.line() == "standing"
        vm.kill(THIRD)
        vm.until_hosts(vm.master, FOURTH)
        vm.remove_files(THIRD)
        spawner.say("x")
        assert spawner.ended().ok().out.endswith("ok\n")


def test_statically_linked_program(tmp_path):
    program = tmp_path / "program"
    subprocess.run(["gcc", "-std=gnu17", "-rdynamic", *OURS.flags, f"-I{OURS.include}", f"-I{TESTS / 'support'}",
                    TESTS / "system" / "thread_hosts.c", "-o", program, OURS.libraries / "libpvm3.a", "-pthread"],
                   check=True)
    with Machine(OURS) as vm:
        assert vm.run(program, "spread", merge=True).ok().out == "ok\n"


def test_console_lists_them_and_halts():
    with Machine(OURS) as vm:
        spawner, tid, _ = vm.placed("one", THIRD)
        console = Console(vm, OURS)
        rows = [row.split(" (thread of ")[0].split() for row in console.do("ps -a") if THIRD in row]
        assert sorted(row[-1].split("/")[-1] for row in rows) == ["stay", "thread_hosts"]
        assert tid in {row[1] for row in rows}
        console.task.say("halt\n")
        console.task.ended()
        spawner.ended()
        vm.pvmd.ended().ok()
        for host in OTHERS:
            vm.until_empty(host)
