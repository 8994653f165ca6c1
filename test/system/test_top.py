"""Does pvmtop show what runs on each host, without a word to those who run there, and leave nothing behind?"""
import contextlib
import json
import os
import re
import signal
import urllib.error
import urllib.request
from collections import Counter
from pathlib import Path

import pytest
from support import programs
from support.console import Console
from support.machine import VirtualMachine
from support.network import NetworkMachine
from support.places import OURS, STOCK, WRAPPER
from support.task import sleeps, text_of, wait_until
from support.terminal import Terminal

PVMTOP = OURS.pvmd.parent / "pvmtop"
PVM_PATH = f"{programs.folder(OURS)}:{OURS.pvmd.parent}"
DOWN, ESCAPE = "\x1b[B", "\x1b"


def machine():
    return VirtualMachine(OURS, OURS, {"PVM_PATH": PVM_PATH})


def picture(vm, *options):
    return json.loads(vm.run(PVMTOP, "--json", *options).ok().out)


def agents(vm):
    return [pid for pid in vm.processes() if "--agent" in text_of(Path(f"/proc/{pid}/cmdline")).split("\0")]


@contextlib.contextmanager
def waiting(vm, count=1, **options):
    """Tasks that wait in pvm_recv: (tid, task) of each."""
    tasks = [vm.start("idle", "recv", **options) for _ in range(count)]
    yield [(f"t{task.until('tid ').split()[1]}", task) for task in tasks]
    for task in tasks:
        task.signal(signal.SIGKILL)
        task.discard()


def bottom(top):
    """The last line on the screen."""
    return top.shown()[-1] if top.shown() else ""


def calls_of(pid):
    """How often a process, and so each of its threads, has given a processor back."""
    return [re.findall(r"ctxt_switches:\s*(\d+)", text_of(thread / "status"))
            for thread in sorted(Path(f"/proc/{pid}/task").iterdir())]


def test_hosts_and_tasks_are_told():
    """What a task does, what a process is that has several, and what the user wants to see of it."""
    with machine() as vm, waiting(vm, 2) as ((tid, task), (other, stopped)):
        wait_until(lambda: sleeps(task.pid), "a task waits")
        stopped.signal(signal.SIGSTOP)
        told = wait_until(lambda: (seen := picture(vm)) and all(one.get("state") in ("input", "stopped")
                                                                for one in seen["tasks"]) and seen, "what the tasks do")
        host, = told["hosts"]
        assert host["tasks"] == 2 and host["processors"] == len(os.sched_getaffinity(0))
        assert host["memory"] > host["available"] > 0 and host["load"] >= 0
        states = {one["tid"]: (one["state"], one["kind"], one["program"], one["pid"], one["host"])
                  for one in told["tasks"]}
        assert states == {tid: ("input", "process", "idle", task.pid, host["name"]),
                          other: ("stopped", "process", "idle", stopped.pid, host["name"])}
        assert [one["tid"] for one in picture(vm, "--filter", other)["tasks"]] == [other]
        assert [one["tid"] for one in picture(vm, "--sort=tid")["tasks"]] == sorted([tid, other])
        lines = vm.run(PVMTOP, "-b", "-s", "tid").ok().out.splitlines()
        assert lines[1].split()[0] == host["name"] and [line.split()[0] for line in lines[4:]] == sorted([tid, other])
        wait_until(lambda: not agents(vm), "the agents are over")


def kinds(tasks):
    """How many there are of each (program, kind, whether there are figures)."""
    return Counter((task["program"], task["kind"], "memory" in task) for task in tasks)


def test_threads_of_a_process():
    """The kernel counts for a process: its first task has the figures."""
    with machine() as vm:
        task = vm.start("thread_tasks", "stand", 2)
        assert task.line() == "standing"
        assert kinds(picture(vm)["tasks"]) == {("thread_tasks", "process", True): 1, ("answer", "thread", False): 2}
        task.signal(signal.SIGKILL)
        task.ended()


def test_user_level_processes():
    """pvmulp has their figures."""
    with machine() as vm:
        starter = vm.start("burns", 1, keep_input=True)
        starter.until("ready")
        tasks = wait_until(lambda: (found := picture(vm)["tasks"]) and
                           "computes" in [task.get("state") for task in found if task["program"] == "pvmulp"] and found,
                           "the user-level process computes")
        assert kinds(tasks) == {("burns", "process", True): 1, ("pvmulp", "process", True): 1,
                                ("burns", "ulp", False): 1}
        starter.say("\n")
        starter.ended().ok()


def test_idle_tasks_do_nothing_while_they_are_watched():
    """Neither a system call, nor a turn on a processor, however often pvmtop looks."""
    with machine() as vm:
        trace = vm.folder / "strace"
        with waiting(vm, wrapper=[*WRAPPER, "strace", "-D", "-f", "-qq", "-o", str(trace)]) as ((_, traced),), \
                waiting(vm) as ((tid, task),):
            still = []

            def settled():
                still.append((calls_of(task.pid), text_of(trace)))
                return sleeps(traced.pid) and sleeps(task.pid) and still[-30:] == 30 * still[-1:]
            wait_until(settled, "both wait")
            for _ in range(3):
                assert tid in [one["tid"] for one in picture(vm)["tasks"]]
            assert (calls_of(task.pid), text_of(trace)) == still[-1] and still[-1][1]
        trace.unlink()


def test_hosts_of_ours_and_of_stock():
    """Of those of 3.4.6 what any pvmd tells; the others have an agent each, which ends when pvmtop is killed."""
    with NetworkMachine([OURS, OURS, STOCK], OURS, {"PVM_PATH": PVM_PATH, "PVM_EXPORT": "LD_LIBRARY_PATH"}) as vm:
        vm.add()
        with waiting(vm, host="node2") as ((near, _),), waiting(vm, host="node3") as ((far, _),):
            told = picture(vm)
            assert {host["name"]: "memory" in host for host in told["hosts"]} == \
                {"node1": True, "node2": True, "node3": False}
            assert {task["tid"]: (task["host"], "memory" in task) for task in told["tasks"]} == \
                {near: ("node2", True), far: ("node3", False)}
            wait_until(lambda: not agents(vm), "the agents are over")
            server = vm.start(PVMTOP, "--prometheus=0")
            server.line()
            assert not agents(vm)
            with Terminal(vm, *vm.network.enter("node1"), PVMTOP, "-d", "0.5", columns=100) as top:
                top.until(lambda: any(far in line for line in top.shown()), "the tasks")
                wait_until(lambda: len(agents(vm)) == 2, "there are two agents")
                console = Console(vm, OURS)
                console.do("delete node2")
                top.until(lambda: not [line for line in top.shown() if "node2" in line], "the host goes")
                console.do("add node2")
                top.until(lambda: [line for line in top.shown() if re.match(r"node2 +LINUX64 +\d+ +[\d.]+ ", line)],
                          "the host comes")
                console.quit()
            wait_until(lambda: not agents(vm), "the agents end with pvmtop")
            server.signal(signal.SIGKILL)
            server.discard()


def test_pvmd_of_stock_alone():
    with VirtualMachine(STOCK, OURS) as vm, waiting(vm) as ((tid, task),):
        host, = (told := picture(vm))["hosts"]
        assert host["tasks"] == 1 and "memory" not in host and "processors" not in host
        assert [(one["tid"], one["pid"], "memory" in one) for one in told["tasks"]] == [(tid, task.pid, False)]


def test_keys():
    with machine() as vm, waiting(vm, 2) as tasks:
        (first, task), (second, _) = sorted(tasks)
        with Terminal(vm, PVMTOP, "--sort=tid", "--delay=1", columns=100) as top:
            def shown():
                return [line.split()[0] for line in top.shown()[4:-1] if line]
            top.until(lambda: shown() == [first, second] and "sort (tid)" in bottom(top), "both tasks")
            top.type(f"/{second}\n")
            top.until(lambda: shown() == [second] and "1 of 2 tasks" in bottom(top), "one task")
            top.type(f"/{ESCAPE}")
            top.until(lambda: shown() == [first, second], "both tasks again")
            top.type("s")
            top.until(lambda: "sort (cpu)" in bottom(top), "another order")
            top.type("ssss")
            top.until(lambda: "sort (tid)" in bottom(top), "the first order")
            top.resize(60, 20)
            top.until(lambda: len(top.screen.display[0]) == 60 and shown() == [first, second], "a smaller screen")
            top.type(f"{DOWN}kn")
            top.type("k")
            top.until(lambda: f"kill {second} (idle)? y or n" in bottom(top), "a question")
            top.type("y")
            top.until(lambda: shown() == [first] and f"{second}: killed" in bottom(top), "one task is left")
            assert task.process.poll() is None
            top.type("q")
            top.until_end()
            assert top.last_modes == top.first_modes
        wait_until(lambda: not agents(vm), "the agent is over")


def test_metrics():
    """For Prometheus; nothing asks and nobody works for it before that."""
    with machine() as vm, waiting(vm) as ((tid, _),):
        server = vm.start(PVMTOP, "--prometheus=0")
        address = server.line()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/metrics", address) and not agents(vm)
        with urllib.request.urlopen(address) as answer:
            assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
            text = answer.read().decode()
        values = dict(re.fullmatch(r"(pvm_\w+\{.*\}) ([\d.e+]+)", line).groups()
                      for line in text.splitlines() if not line.startswith("#"))
        host = picture(vm)["hosts"][0]["name"]
        assert float(values[f'pvm_host_processors{{host="{host}"}}']) == len(os.sched_getaffinity(0))
        assert float(values[f'pvm_task_memory_bytes{{host="{host}",tid="{tid}",program="idle"}}']) > 0
        assert {name for name in re.findall(r"# TYPE (\w+) ", text)} == {name.split("{")[0] for name in values}
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(address.replace("metrics", "other"))
        assert refused.value.code == 404
        port = address.removesuffix("/metrics").rpartition(":")[2]
        assert port in vm.run(PVMTOP, f"--prometheus={port}").ok(1).err
        server.signal(signal.SIGTERM)
        server.ended()
        wait_until(lambda: not agents(vm), "the agent is over")


def test_pictures_on_demand():
    """A line of JSON for each line that comes in; it ends with its input, or with the machine."""
    with machine() as vm, waiting(vm) as ((tid, _),):
        for gone in (False, True):
            asked = vm.start(PVMTOP, "--stream", keep_input=True)
            for _ in range(2):
                asked.say("\n")
                assert [task["tid"] for task in json.loads(asked.line())["tasks"]] == [tid]
            if gone:
                vm.stop()
            assert (asked.ended().status != 0) == gone


def test_machine_that_ends():
    """pvmtop ends with it, and leaves the terminal as it was."""
    with machine() as vm, Terminal(vm, PVMTOP, "--delay=3600", columns=100) as top:
        server = vm.start(PVMTOP, "--prometheus=0")
        server.line()
        top.until(lambda: " tasks" in bottom(top), "the screen")
        vm.stop()
        top.until_end(1)
        assert top.last_modes == top.first_modes
        assert server.ended().status != 0
        assert "there is no virtual machine" in vm.run(PVMTOP, "--once").ok(1).err


@pytest.mark.parametrize("words", [["--sort=size"], ["--delay=0"], ["--prometheus=70000"], ["more"], ["--other"]])
def test_wrong_options(words):
    with machine() as vm:
        done = vm.run(PVMTOP, *words)
    assert done.status == 1 and "--help" in done.err and not done.out
