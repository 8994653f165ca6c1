"""Can threads of one process be tasks of their own, and does nothing of a task outlive it?"""
import signal

import pytest
from support import programs, tasks
from support.groups import serve, until_served, until_waiting
from support.machine import VirtualMachine
from support.places import OURS, STOCK

DAEMONS = pytest.mark.parametrize("daemon", [OURS, STOCK], ids=str)


TASKS = 8
# Tasks that begin and end; fewer where a sanitizer makes each of them dear.
LIVES = 2000 if OURS.flags else 10000
# Programs of one task each that are checked when they run alone (test_threads.py and others).
MANY = ["threads interrupt 4 20", "threads standing 1 20", "threads early 1 20", "threads select 2 20",
        "threads exchange 2 10", "threads pack 4 10", "causal 20 1000 3 send 0"]


def run(daemon, *arguments, program="beside", variables=None):
    library = tasks.library()
    programs.build(program, library)
    with VirtualMachine(daemon, library, variables=variables) as vm:
        assert vm.run(program, *arguments, merge=True).ok().out == "ok\n"


@DAEMONS
def test_tasks_talk(daemon, long_run):
    run(daemon, "talk", 8, 2000 if long_run else 60)


@DAEMONS
def test_tasks_fork(daemon, long_run):
    run(daemon, "fork", 8, 200 if long_run else 8)


@DAEMONS
def test_groups_of_tasks(daemon, long_run):
    library = tasks.library()
    with VirtualMachine(daemon, library, variables={"PVM_PATH": str(OURS.pvmd.parent),
                                                    "LD_LIBRARY_PATH": str(library.libraries)}) as vm:
        server = serve(vm, OURS)
        run = vm.start("beside", "groups", 8, 40 if long_run else 4, merge=True)
        until_waiting(vm, "doomed", 8)
        server.signal(signal.SIGKILL)
        assert run.ended().ok().out == "ok\n"
        until_served(vm)


def test_group_calls_are_traced():
    run(OURS, "traced", variables={"LD_LIBRARY_PATH": str(tasks.library().libraries)})


@DAEMONS
def test_first_task_stays(daemon):
    run(daemon, "first")


@pytest.mark.parametrize("threads", [1, 8])
def test_lives_apart(threads):
    run(OURS, "lives", LIVES, threads, "apart")


@pytest.mark.parametrize("threads", [1, 8])
def test_lives_enrolled(threads):
    run(OURS, "lives", LIVES, threads, "enrolled")


@DAEMONS
@pytest.mark.parametrize("scene", ["route", "arrays", "mailbox"])
def test_tasks_among_each_other(daemon, scene):
    run(daemon, scene, program="among", variables={"PVM_ONE_COPY": "1"})


@DAEMONS
@pytest.mark.parametrize("program", MANY, ids=lambda words: "-".join(words.split()[:2]))
def test_programs_side_by_side(daemon, program):
    """Each comes to the result to which it comes alone."""
    library = tasks.library()
    name, *arguments = program.split()
    with VirtualMachine(daemon, library) as vm:
        alone = vm.run(name, *arguments).ok().out.splitlines()[-1]
        many = vm.run("many", TASKS, programs.build(name, library, loaded=True), *arguments).ok().out.splitlines()
    assert many.count(alone) == TASKS


@DAEMONS
@pytest.mark.parametrize("way", ["shared", "daemon", "direct"])
def test_messages_outlive_tasks(daemon, way, long_run):
    """And the last ones the process, too."""
    library = tasks.library()
    with VirtualMachine(daemon, library, variables={} if way == "shared" else {"PVM_SHARED_MEMORY": "0"}) as vm:
        receiver = vm.start("outlive", "receive", merge=True)
        tid = receiver.line()
        assert vm.run("outlive", "send", tid, 100 if long_run else 10, way, merge=True).ok().out == "ok\n"
        assert receiver.ended().ok().out == f"{tid}\nok\n"
