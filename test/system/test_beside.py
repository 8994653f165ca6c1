"""Can threads of one process be tasks of their own, and does nothing of a task outlive it?"""
import signal

import pytest
from support import programs, tasks
from support.groups import serve, until_served, until_waiting
from support.machine import VirtualMachine
from support.places import OURS, STOCK

DAEMONS = pytest.mark.parametrize("daemon", [OURS, STOCK], ids=str)


def run(daemon, *arguments):
    library = tasks.library()
    programs.build("beside", library)
    with VirtualMachine(daemon, library) as vm:
        assert vm.run("beside", *arguments, merge=True).ok().out == "ok\n"


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


@DAEMONS
def test_first_task_stays(daemon):
    run(daemon, "first")


@pytest.mark.parametrize("threads", [1, 8])
def test_lives_apart(threads):
    run(OURS, "lives", 10000, threads, "apart")


@pytest.mark.parametrize("threads", [1, 8])
def test_lives_enrolled(threads):
    run(OURS, "lives", 10000, threads, "enrolled")


@DAEMONS
@pytest.mark.parametrize("way, memory", [("indirect", "64"), ("indirect", "0"), ("direct", "0")],
                         ids=["shared", "daemon", "direct"])
def test_messages_outlive_tasks(daemon, way, memory, long_run):
    """And the last ones the process, too."""
    library = tasks.library()
    with VirtualMachine(daemon, library, variables={"PVM_SHARED_MEMORY": memory}) as vm:
        receiver = vm.start("outlive", "receive", merge=True)
        tid = receiver.line()
        assert vm.run("outlive", "send", tid, 100 if long_run else 10, way, merge=True).ok().out == "ok\n"
        assert receiver.ended().ok().out == f"{tid}\nok\n"
