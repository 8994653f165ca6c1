"""Do ThreadSanitizer and Helgrind find anything when threads of one process are tasks of their own?"""
import os
import signal
import subprocess
from dataclasses import replace

import pytest
from support import programs, tasks
from support.groups import serve, until_served, until_waiting
from support.machine import VirtualMachine
from support.places import OURS, TOP, group_library, library_path
from support.tools import helgrind, thread_sanitizer

# Arguments of the program, and by --long.
WAYS = [
    (("talk", 8, 20), ("talk", 8, 1000)),
    (("fork", 6, 3), ("fork", 6, 60)),
    (("first",), ("first",)),
    (("lives", 400, 8, "enrolled"), ("lives", 10000, 8, "enrolled")),
]

# Programs with threads of their own, each run eight times in one process.
PROGRAMS = [
    (("messages", 20), ("messages", 1000)),
    (("matchers", 10), ("matchers", 400)),
    (("life", 4), ("life", 60)),
    (("threads", "exchange", 3, 20), ("threads", "exchange", 4, 300)),
    (("threads", "interrupt", 3, 20), ("threads", "interrupt", 4, 300)),
    (("cancel", "recv", 5), ("cancel", "recv", 60)),
    (("turns", "hop", 3, 5, 1), ("turns", "hop", 4, 200, 1)),
    (("turns", "queued", 3, 5, 1), ("turns", "queued", 4, 200, 1)),
]


def ids(rows):
    return ["-".join(map(str, row[0][:2])) for row in rows]


def run_on(vm, program, *arguments):
    tool = thread_sanitizer()
    library = tasks.library(tool.system)
    variables = {"LD_LIBRARY_PATH": f"{group_library(tool.system)}:{library_path(library)}"}
    return replace(tool, system=library).run(vm, program, *arguments, limit=400, variables=variables)


def run(program, *arguments, variables=None):
    with VirtualMachine(OURS, tasks.library(thread_sanitizer().system), variables=variables) as vm:
        return run_on(vm, program, *arguments)


@pytest.mark.parametrize("some, many", WAYS, ids=ids(WAYS))
def test_tasks_in_threads(some, many, long_run):
    assert run("beside", *(many if long_run else some)) == "ok\n"


def test_groups_of_tasks(long_run):
    tool = thread_sanitizer()
    tool = replace(tool, system=tasks.library(tool.system))
    with VirtualMachine(OURS, OURS, variables={"PVM_PATH": str(OURS.pvmd.parent)}) as vm:
        server = serve(vm, OURS)
        program = tool.start(vm, "beside", "groups", 8, 40 if long_run else 2,
                             variables={"LD_LIBRARY_PATH": str(tool.system.libraries)})
        until_waiting(vm, "doomed", 8)
        server.signal(signal.SIGKILL)
        assert tool.check(program.ended(400)) == "ok\n"
        until_served(vm)


@pytest.mark.parametrize("some, many", PROGRAMS, ids=ids(PROGRAMS))
def test_programs_in_threads(some, many, long_run):
    program, *arguments = many if long_run else some
    run("many", 8, programs.build(program, tasks.library(thread_sanitizer().system), loaded=True), *arguments)


def test_all_calls_at_once(long_run):
    """Each task makes them one after the other, from another place of the table on."""
    tool = thread_sanitizer()
    library = tasks.library(tool.system)
    with VirtualMachine(OURS, library) as vm:
        peer = vm.start("pairs", "-p", library=OURS)
        run_on(vm, "many", 8, programs.build("pairs", library, loaded=True), "-o", 200 if long_run else 2, peer.line())


def test_messages_outlive_tasks(long_run):
    tool = thread_sanitizer()
    with VirtualMachine(OURS, tasks.library(tool.system)) as vm:
        receiver = vm.start("outlive", "receive", library=tasks.library())
        assert run_on(vm, "outlive", "send", receiver.line(), 200 if long_run else 2, "shared") == "ok\n"
        receiver.ended().ok()


@pytest.mark.parametrize("scene", [("given",), ("ends",), ("killed",), ("wrong",), ("ways", 5), ("processes", 3),
                                   ("ring", 40), ("lives", 200), ("storm", 20, 60)], ids=lambda words: words[0])
def test_thread_tasks(scene):
    tool = thread_sanitizer()
    with VirtualMachine(OURS, tool.system) as vm:
        assert tool.run(vm, "thread_tasks", *scene, limit=400) == "ok\n"


@pytest.mark.parametrize("scene", [("given",), ("ends",), ("killed",), ("wrong",), ("printed",), ("ways", 3),
                                   ("ring", 8), ("storm", 3, 20)], ids=lambda words: words[0])
def test_thread_tasks_under_helgrind(scene):
    tool = helgrind()
    with VirtualMachine(OURS, tool.system) as vm:
        assert tool.run(vm, "thread_tasks", *scene, limit=400).splitlines()[-1] == "ok"


@pytest.mark.parametrize("scene", ["route", "arrays", "mailbox"])
def test_tasks_among_each_other(scene):
    assert run("among", scene, variables={"PVM_ONE_COPY": "1"}) == "ok\n"


def test_fibers_under_helgrind():
    """The stacks are switched in front of its eyes."""
    program = TOP / "build" / "debug" / "test" / "unit" / "test_fibers"
    subprocess.run(["make", "-s", "-C", TOP / "build" / "debug", f"{program.relative_to(TOP / 'build' / 'debug')}"],
                   check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run([*helgrind().wrapper, program], capture_output=True, text=True, timeout=400)
    assert done.returncode == 0 and "==" not in done.stderr.replace("[==========]", ""), done.stderr


@pytest.mark.parametrize("scene", [("ulps", "many", 30), ("ulps", "ends"), ("ulps", "killed", 10),
                                   ("carried", "turns", 2000), ("carried", "nrecv"), ("carried", "reads", "shared"),
                                   ("carried", "child", "shared")], ids=lambda words: "-".join(map(str, words[:2])))
def test_user_level_processes(scene, tmp_path):
    tool = thread_sanitizer()
    program, *words = [tmp_path / "shared" if word == "shared" else word for word in scene]
    found = f"{programs.folder(tool.system)}{os.pathsep}{tool.system.pvmd.parent}"
    with VirtualMachine(OURS, tool.system, {"PVM_PATH": found, "PVM_EXPORT": "LD_LIBRARY_PATH"}) as vm:
        assert tool.run(vm, program, *words, limit=60) == "ok\n"
