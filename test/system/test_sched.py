"""Does the global scheduler see what is wanted on each host, decide by it, and leave nothing behind?"""
import contextlib
import os
import re
import signal
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from support import programs
from support.console import Console
from support.machine import VirtualMachine
from support.network import NetworkMachine
from support.places import OURS
from support.task import send_signal, text_of, wait_until

PVMSCHED = OURS.pvmd.parent / "pvmsched"
NAMES = {number << 18: f"node{number}" for number in (1, 2, 3)}
EACH, BURNING = 4, 8
COPIES = EACH * len(NAMES)
# A computing process of somebody who has nothing to do with the virtual machine.
BURN = ["sh", "-c", "while :; do :; done"]


def machine():
    path = f"{programs.folder(OURS)}:{OURS.pvmd.parent}"
    return NetworkMachine([OURS] * len(NAMES), OURS, {"PVM_PATH": path, "PVM_EXPORT": "LD_LIBRARY_PATH"})


def without_times(text):
    return [re.sub(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d ", "", line) for line in text.splitlines()]


def decide(vm, *options, **more):
    """What one look at the machine says, a line for each host and decision."""
    return without_times(vm.run(PVMSCHED, "--once", "--every=1", *options, **more).ok().out)


def seen(vm, holds, *options):
    """What the first look says of which that holds: on a busy machine programs take their time to begin."""
    return wait_until(lambda: (lines := decide(vm, "--dry-run", *options)) and holds(lines) and lines,
                      "the scheduler sees what is wanted")


def wanted_by_others(lines, name):
    said, = (re.match(rf"host {name}: .* wanted: (\d+\.\d\d) by others", line) for line in lines
             if line.startswith(f"host {name}:"))
    return float(said[1])


def moves(lines, verb="would move", program="burns"):
    """(from, to, policy and reason) of each decision."""
    pattern = re.compile(rf"{verb} t[0-9a-f]+ {program} from (\w+) to (\w+): (.*)")
    return [match.groups() for match in map(pattern.fullmatch, lines) if match]


def agents(vm, host=None):
    return [pid for pid in vm.network.processes(host)
            if "--agent" in text_of(Path(f"/proc/{pid}/cmdline")).split("\0")]


def until_agents(vm, count):
    wait_until(lambda: len(agents(vm)) == count, f"there are {count} agents")


@contextlib.contextmanager
def computing_beside(vm, host, count):
    """So many computing processes on a host, which are none of the virtual machine."""
    started = [subprocess.Popen([*vm.network.enter(host), *BURN], env={}) for _ in range(count)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


@contextlib.contextmanager
def tasks_of(vm, program, *words):
    """What the program starts, until it hears that it is enough."""
    starter = vm.start(program, *words, keep_input=True)
    starter.until("ready")
    try:
        yield
    finally:
        starter.say("\n")
        starter.ended().ok()


def computing_tasks(vm):
    """Some computing user-level processes, as many on each host."""
    return tasks_of(vm, "burns", COPIES)


def places(vm, program="burns"):
    """How many of the tasks of a program are on each host."""
    return Counter(NAMES[task[2]] for task in vm.tasks() if task[4] == program and task[1])


def talking_tasks(vm, pairs, *how):
    """Some pairs of user-level processes that talk, one on the second host, and one on the third."""
    return tasks_of(vm, "talkers", pairs, "node2", "node3", *how)


def test_user_level_processes_leave_hosts_that_others_use():
    """By load, and by the owner; nothing moves in a dry run."""
    with machine() as vm:
        vm.add()
        with computing_tasks(vm):
            seen(vm, lambda lines: all(
                re.fullmatch(rf"host {name}: \d+ processors; wanted: \d.\d\d by others, \d.\d\d by tasks that stay, "
                             rf"{EACH}.00 by tasks that can move; load \d.\d\d", line)
                for line, name in zip(lines[:3], NAMES.values(), strict=True)))
            with computing_beside(vm, "node2", BURNING):
                lines = seen(vm, lambda lines: abs(wanted_by_others(lines, "node2") - BURNING) <= 1)
                left = seen(vm, lambda lines: len(moves(lines)) == EACH, "--policy=owner,balance", "--idle=0")
            assert places(vm) == {name: EACH for name in NAMES.values()}
        assert not agents(vm)
    assert {host for host, _, _ in moves(lines)} == {"node2"} and len(lines) == 3 + len(moves(lines))
    assert {host for _, host, _ in moves(lines)} <= {"node1", "node3"} and moves(lines), lines
    assert all(re.fullmatch(r"balance: load [\d.]+ on node2, [\d.]+ on node[13] with it", why) for _, _, why in moves(lines))
    assert [host for host, _, why in moves(left) if why.startswith("owner: its owner wants ")] == ["node2"] * EACH


def test_user_level_processes_leave_a_host_that_is_to_be_empty():
    """Each move that is decided is made, or refused with a reason."""
    with machine() as vm:
        vm.add()
        with computing_tasks(vm):
            assert {host for host, _, why in moves(decide(vm, "--dry-run", "--drain=node3"))} == {"node3"}
            lines = decide(vm, "--drain=node3", "--log=decisions")
            assert not lines
            log = vm.home / "decisions"
            lines = without_times(log.read_text())
            log.unlink()
            refused = moves(lines, "cannot move")
            assert len(moves(lines, "move")) == EACH and len(lines) == EACH + len(refused)
            assert all(re.fullmatch(r"error -\d+, .+", why) for _, _, why in refused)
            assert places(vm)["node3"] == len(refused)


def test_user_level_processes_that_talk_come_together():
    """On one of their hosts, by one move, which is not taken back."""
    with machine() as vm:
        vm.add()
        with talking_tasks(vm, 1):
            assert len(moves(decide(vm, "--policy=together", "--dry-run"), program="talkers")) == 1
            assert places(vm, "talkers") == {"node2": 1, "node3": 1}
            (left, joined, why), = moves(decide(vm, "--policy=together,balance"), "move", "talkers")
            assert {left, joined} == {"node2", "node3"}
            assert re.fullmatch(rf"together: \d+ frames a second more go between tasks of {joined} then", why)
            assert places(vm, "talkers") == {joined: 2}
            assert not moves(decide(vm, "--policy=together,balance"), "move", "talkers")


def test_user_level_processes_that_talk_do_not_all_come_to_one_host():
    """They want all processors of both hosts: nobody goes where there is no room for him."""
    with machine() as vm:
        vm.add()
        pairs = len(os.sched_getaffinity(0))
        with talking_tasks(vm, pairs, "busy"):
            seen(vm, lambda lines: not moves(lines, program="talkers"), "--policy=together")
            assert not moves(decide(vm, "--policy=together"), "move", "talkers")
            assert places(vm, "talkers") == {"node2": pairs, "node3": pairs}


def placed_as_wanted(vm):
    """Where some new ones are if they keep away from the second host; None if they do not."""
    with computing_tasks(vm):
        placed = places(vm)
    wait_until(lambda: not places(vm), "all are over")
    return placed if placed["node2"] <= 1 and min(placed["node1"], placed["node3"]) > EACH else None


def test_new_user_level_processes_are_placed():
    """Not on the host that others use; and evenly again, without the scheduler."""
    with machine() as vm:
        vm.add()
        with computing_beside(vm, "node2", BURNING):
            scheduler = vm.start(PVMSCHED, "--every=1")
            wait_until(lambda: vm.run("gmbi", "pvm_placement").out.count("owner_tid") == 1, "it has made a list")
            placed = wait_until(lambda: placed_as_wanted(vm), "new ones go where there is room")
            send_signal(scheduler.pid, signal.SIGTERM)
            scheduler.ended()
            until_agents(vm, 0)
            wait_until(lambda: not vm.tasks(), "all is over")
        with computing_tasks(vm):
            assert places(vm) == {name: EACH for name in NAMES.values()}
    assert placed.total() == COPIES


def test_agents_come_and_go():
    """With hosts, after the end of one, and with the scheduler."""
    with machine() as vm:
        vm.add("node2")
        scheduler = vm.start(PVMSCHED, "--every=0.5", "--dry-run")
        until_agents(vm, 2)
        vm.add("node3")
        until_agents(vm, 3)
        assert [len(agents(vm, host)) for host in NAMES.values()] == [1, 1, 1]
        killed, = agents(vm, "node3")
        send_signal(killed, signal.SIGKILL)
        wait_until(lambda: set(agents(vm, "node3")) - {killed}, "it has a new agent")
        stopped, = agents(vm, "node2")
        send_signal(stopped, signal.SIGSTOP)
        scheduler.until("host node2 does not answer")
        send_signal(stopped, signal.SIGCONT)
        Console(vm, OURS).do("delete node3")
        until_agents(vm, 2)
        send_signal(scheduler.pid, signal.SIGTERM)
        until_agents(vm, 0)
        scheduler.ended()


def test_from_the_console():
    with machine() as vm:
        vm.add()
        console = Console(vm, OURS)
        wait_until(lambda: sum("host node" in line and "by others" in line for line in
                               console.run_job("spawn -> pvmsched --once --every=0.5 --dry-run")) == len(NAMES),
                   "it sees all hosts")
        console.quit().ok()
        until_agents(vm, 0)


@pytest.mark.parametrize("words, complaint", [
    (["--policy=balance,nosuch"], "there is no policy with the name nosuch"),
    (["--every=0"], "this is no number, or too small: 0"),
    (["--least=1x"], "this is no number, or too small: 1x"),
    (["here"], "there is no argument here"),
    (["--log=nosuch/log"], "nosuch/log: No such file or directory"),
    (["--agent"], "--agent is for agents, which the scheduler starts"),
    (["--nosuch"], "unknown or incomplete option"),
])
def test_words_that_are_wrong(words, complaint):
    with VirtualMachine(OURS, OURS) as vm:
        done = vm.run(PVMSCHED, *words)
        assert done.status == 1 and complaint in done.err and not done.out


def test_what_it_says_of_itself():
    with VirtualMachine(OURS, OURS) as vm:
        told = vm.run(PVMSCHED, "--help").ok().out
        assert all(f"\n  {name} " in told for name in ("balance", "drain", "owner", "together"))
        assert vm.run(PVMSCHED, "--version").ok().out.startswith("pvmsched (PVM) ")
