"""Are threads of a process tasks like others, that begin, talk, end and are killed?"""
import collections
import json
import re
import signal
import subprocess

import pytest
from support import programs
from support.caught import by_task
from support.console import Console
from support.groups import serve
from support.machine import VirtualMachine
from support.places import OURS, STOCK, TOP
from support.task import wait_until

# Examples and their arguments.
SPMD = [("hello",), ("ring", "8", "50"), ("heat", "60", "20", "6"), ("workers", "200000", "4", "2")]

DAEMONS = pytest.mark.parametrize("daemon", [OURS, STOCK], ids=str)


def run(daemon, *arguments, variables=None):
    with VirtualMachine(daemon, OURS, variables=variables) as vm:
        assert vm.run("thread_tasks", *arguments, merge=True).ok().out == "ok\n"


@DAEMONS
@pytest.mark.parametrize("scene", ["given", "ends", "killed", "wrong"])
def test_scene(daemon, scene):
    run(daemon, scene)


@DAEMONS
def test_output_is_told_apart(daemon):
    with VirtualMachine(daemon, OURS) as vm:
        lines = vm.run("thread_tasks", "printed").ok().out.splitlines()
    assert lines.pop() == "ok"
    said = by_task(lines)
    assert len(said) == 3
    for tid, texts in said.items():
        assert texts == ["BEGIN", f"I am {tid}", "and have no more to say", "EOF"]


@DAEMONS
def test_ways(daemon):
    run(daemon, "ways", 6)


@DAEMONS
def test_ways_between_processes(daemon):
    run(daemon, "processes", 3)


@DAEMONS
def test_groups(daemon):
    with VirtualMachine(daemon, OURS, variables={"PVM_PATH": str(OURS.pvmd.parent),
                                                 "LD_LIBRARY_PATH": str(OURS.libraries)}) as vm:
        serve(vm, OURS)
        assert vm.run("thread_tasks", "groups", 8, merge=True).ok().out == "ok\n"


def test_ring(long_run):
    run(OURS, "ring", 1000 if long_run else 200)


def test_nothing_is_left_of_lives(long_run):
    run(OURS, "lives", 10000 if long_run else 2000)


def test_costs():
    run(OURS, "costs", 1000)


@DAEMONS
def test_kills_amid_messages(daemon, long_run):
    run(daemon, "storm", 200 if long_run else 20, 5000 if long_run else 100)


@pytest.mark.parametrize("way", ["auto", "shared", "copied"])
def test_messages_are_passed_in_each_way(way):
    with VirtualMachine(OURS, OURS, variables={"PVM_THREAD_MESSAGES": way}) as vm:
        done = vm.run("thread_tasks", "ring", 50)
    assert done.ok().out == "ok\n" and done.err == ""


def test_wrong_way_is_told_and_auto_taken():
    with VirtualMachine(OURS, OURS, variables={"PVM_THREAD_MESSAGES": "fast"}) as vm:
        done = vm.run("thread_tasks", "ring", 2)
    assert done.ok().out == "ok\n"
    assert "PVM_THREAD_MESSAGES is fast: taking auto, as it must be auto, shared or copied\n" in done.err


@DAEMONS
def test_console_shows_the_process_of_threads(daemon):
    """And of no other task."""
    with VirtualMachine(daemon, OURS) as vm:
        task = vm.start("thread_tasks", "stand", 3)
        assert task.line() == "standing"
        console = Console(vm, OURS)
        console.do("spawn /bin/sleep 60")
        rows = [row for row in console.do("ps -a") if re.search(r" 4[0-9a-f]{4} ", row)]
        assert len(rows) == 5
        assert [row for row in rows if "thread of" not in row] == [row for row in rows if "/bin/sleep" in row]
        assert re.findall(r" \(thread of (\d+)\)", "".join(rows)) == 4 * [str(task.pid)]
        task.signal(signal.SIGKILL)
        console.do("reset")
        console.quit().ok()


def test_each_end_is_told_when_the_process_is_killed():
    """As for processes: each of them is gone from the table."""
    with VirtualMachine(OURS, OURS) as vm:
        task = vm.start("thread_tasks", "stand", 5)
        assert task.line() == "standing"
        assert len(vm.tasks()) == 6
        task.signal(signal.SIGKILL)
        wait_until(lambda: not vm.tasks(), "all are gone")
        assert task.ended().status == -signal.SIGKILL


def test_console_lists_and_kills():
    with VirtualMachine(OURS, OURS) as vm:
        task = vm.start("thread_tasks", "stand", 3)
        assert task.line() == "standing"
        console = Console(vm, OURS)
        rows = [row.split() for row in console.do("ps -a") if "answer" in row]
        assert len(rows) == 3
        for row in rows:
            console.do(f"kill {row[1]}")
        assert task.ended().ok().out == "standing\nok\n"
        console.quit().ok()


def test_traces_tell_them_apart(tmp_path):
    """Each has a row with its name and calls."""
    program = programs.build("thread_tasks", OURS)
    with VirtualMachine(OURS, OURS, variables={"PVM_PATH": str(program.parent)}) as vm:
        vm.run(OURS.pvmd.parent / "pvmtrace", "-o", tmp_path / "trace.json", program, "given").ok()
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    names = {event["tid"]: event["args"]["name"].split()[-1] for event in events if event["name"] == "thread_name"}
    callers = collections.Counter(names[event["tid"]] for event in events if event["name"] == "siblings")
    assert collections.Counter(names.values())["look_around"] == 3 and set(callers) == {"look_around"}


def example(name, folder, flag=""):
    """An example, spawning itself with one more flag."""
    folder.mkdir()
    text = (TOP / "pvm3" / "examples" / f"{name}.c").read_text()
    text, count = re.subn(r"\bpvm_spawn\((.*?), (PvmTask\w+),", rf"pvm_spawn(\1, \2{flag},", text)
    assert count == 1
    (folder / f"{name}.c").write_text(text)
    subprocess.run(["gcc", "-rdynamic", *OURS.flags, f"-I{OURS.include}", folder / f"{name}.c", "-o", folder / name,
                    f"-L{OURS.libraries}", "-lpvm3"], check=True)
    return folder / name


@pytest.mark.parametrize("words", SPMD, ids=lambda words: words[0])
def test_examples_need_one_flag_more(words, tmp_path):
    """They print what they print as processes, but for tids."""
    name, *arguments = words
    seen = []
    for kind, flag in ("processes", ""), ("threads", " | PvmTaskThread"):
        program = example(name, tmp_path / kind, flag)
        with VirtualMachine(OURS, OURS, variables={"PVM_PATH": str(program.parent)}) as vm:
            seen.append(re.sub(r"\bt[0-9a-f]{5,}\b", "TID", vm.run(program, *arguments).ok().out))
    assert seen[0] == seen[1] != ""
