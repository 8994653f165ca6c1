"""Do libpvm3threads and the libpvm3 of 3.4.6, as the distribution has it, make a library for threads?

Programs are linked to both, or linked to that of 3.4.6 alone and started with LD_PRELOAD. Where the libpvm3 of 3.4.6 has
the patches of patches/source already (PVM_TEST_PATCHED), the same is asked of it alone.
"""
import os
import re
import signal
import subprocess
import time
from dataclasses import replace

import pytest
from measure import manual
from support.machine import VirtualMachine
from support.places import OURS, PRELOADED, STOCK, TOP
from support.puppet import Puppet
from support.task import process_state, sleeps, wait_until
from support.tools import Tool, helgrind, thread_sanitizer

HEADER = TOP / "patches" / "preload" / "pvm3threads.h"
TASKS = 3
FIRST_TAG, NOBODYS_TAG = 7, 99     # of preload_calls
STILL = 30          # looks in a row, 5 ms apart, at which all must have slept and nothing changed before the watch begins
SECONDS = 3

daemons = pytest.mark.parametrize("daemon", [OURS, STOCK], ids="daemon-{}".format)


def library(folder):
    return folder / "libpvm3threads.so"


def patched(folder, name, flags=()):
    """3.4.6, whose programs are linked to the libpvm3threads in a folder before its libpvm3."""
    return replace(STOCK, name=name, flags=(*flags, "-include", str(HEADER), "-Wl,--no-as-needed",
                                            str(library(folder)), f"-Wl,-rpath,{folder}",
                                            f"-L{STOCK.libraries}", "-lpvm3"))


PATCHED = replace(STOCK, name="stock-source") if not PRELOADED else patched(OURS.libraries, "stock-threads")


def checked(vm, *arguments):
    """Run the program; gives how many messages or rounds it checked."""
    return int(vm.run("threads", *arguments, merge=True).ok().out.splitlines()[-1].split()[1])


@daemons
@pytest.mark.parametrize("area, threads", [("exchange", 1), ("exchange", 8), ("pack", 8), ("interrupt", 1),
                                           ("interrupt", 8), ("standing", 1), ("early", 1)])
def test_threads(daemon, area, threads, long_run):
    count = 20 * (50 if long_run else 1)
    each = {"exchange": threads * threads, "standing": 1, "early": 1}.get(area, threads)
    with VirtualMachine(daemon, PATCHED) as vm:
        assert checked(vm, area, threads, count) == each * count


@daemons
@pytest.mark.parametrize("case", ["mailbox", "contexts", "notify", "limit", "leave"])
def test_waiting_calls(daemon, case):
    with VirtualMachine(daemon, PATCHED, variables={"PVM_PATH": "/bin:/usr/bin"}) as vm:
        assert vm.run("preload_calls", case, merge=True).ok().out.splitlines()[-1] == "good"


@daemons
def test_messages_that_came_while_nobody_looked(daemon):
    """One that nobody waits for lies in the socket before that for the first of two threads that wait."""
    with VirtualMachine(daemon, PATCHED) as vm:
        task = vm.start("preload_calls", "behind", merge=True)
        tid = task.until("tid ").split()[1]
        wait_until(lambda: sleeps(task.pid), "all threads wait")
        task.signal(signal.SIGSTOP)
        wait_until(lambda: process_state(task.pid) == "T", "it is stopped")
        sender = Puppet(vm)
        for tag in NOBODYS_TAG, FIRST_TAG:
            assert sender.do("send", tid, tag, 1) == "0"
        assert sender.do("tasks", 0) == sender.do("tasks", 0)   # the pvmd has passed on what was sent before
        task.signal(signal.SIGCONT)
        assert task.ended().ok().out.splitlines()[-1] == "good"
        sender.leave()


@daemons
def test_direct_route(daemon):
    with VirtualMachine(daemon, PATCHED) as vm:
        assert vm.run("preload_calls", "routes", merge=True).ok().out.splitlines()[-1] == "good"
        vm.settle()


@daemons
def test_matchers(daemon, long_run):
    """Threads that receive by the matcher of pvm_recvf, beside one that changes it."""
    with VirtualMachine(daemon, PATCHED) as vm:
        vm.run("matchers", 5000 if long_run else 150).ok()


@pytest.mark.parametrize("area", ["recv", "trecv", "precv"])
def test_a_thread_is_cancelled_while_it_waits(area, long_run):
    rounds = 500 if long_run else 20
    with VirtualMachine(STOCK, PATCHED) as vm:
        assert vm.run("cancel", area, rounds, merge=True).ok().out == f"checked {2 * rounds}\n"


def test_calls_hold_off_a_cancellation():
    with VirtualMachine(STOCK, PATCHED) as vm:
        assert vm.run("cancel", "held", merge=True).ok().out.endswith("checked 11\n")


def start_group_server(vm):
    vm.start(STOCK.pvmd.parent / "pvmgs")
    wait_until(lambda: "gmbi: 1 mbox entries" in vm.run("gmbi", "pvmgs").out, "the group server is known")


@daemons
def test_groups(daemon, long_run):
    with VirtualMachine(daemon, PATCHED) as vm:
        start_group_server(vm)
        tasks = [vm.start("preload_groups", TASKS, 500 if long_run else 20) for _ in range(TASKS)]
        assert [task.ended().ok().out for task in tasks] == ["done\n"] * TASKS


GROUP_CALLS = ("joingroup", "gsize", "getinst", "gettid", "barrier", "reduce", "gather", "bcast", "lvgroup")
# How often the first thread of traced_groups makes a call in each round, and how often each other thread does.
TRACED_CALLS = {**dict.fromkeys(GROUP_CALLS, (1, 0)), "send": (1, 2), "pkint": (2, 3), "upkint": (0, 1)}


def traced_groups(daemon, library, threads, rounds, tool=Tool(STOCK, ())):
    """What the tracer sees of traced_groups."""
    with VirtualMachine(daemon, library, variables=tool.variables) as vm:
        start_group_server(vm)
        tracer = vm.start("trace_collect", ",".join((*TRACED_CALLS, "user_defined")), 300, 1, library=OURS)
        assert tracer.line() == "ready"
        tool.check(vm.start("traced_groups", threads, rounds, wrapper=tool.wrapper).ended(400))
        return tracer.ended().ok().out


def everything_is_told(text, threads, rounds):
    for call, (first, others) in TRACED_CALLS.items():
        told = [len(re.findall(rf"\d {call} {edge} ", text)) for edge in ("entry", "exit")]
        assert told == 2 * [rounds * (first + (threads - 1) * others)], call
    events = re.findall(r'user_defined" :6 (\d+) :6 (\d+)', text)
    for thread in range(threads):
        assert [int(count) for number, count in events if int(number) == thread] == list(range(rounds))


@daemons
def test_traced_groups_beside_sends(daemon, long_run):
    rounds = 500 if long_run else 40
    everything_is_told(traced_groups(daemon, PATCHED, 4, rounds), 4, rounds)


def test_traced_groups_under_thread_sanitizer(long_run):
    rounds = 300 if long_run else 20
    tool = thread_sanitizer()
    library = patched(tool.system.libraries, "stock-threads-sanitized", tool.system.flags)
    everything_is_told(traced_groups(OURS, library, 4, rounds, tool), 4, rounds)


def test_traced_groups_under_helgrind(long_run):
    """It sees what libpvm3 and libgpvm3 of 3.4.6 do."""
    rounds = 50 if long_run else 4
    everything_is_told(traced_groups(OURS, PATCHED, 3, rounds, helgrind()), 3, rounds)


# Program and words: (few, by --long).
UNDER_HELGRIND = [("threads", ("exchange", 3, 10), ("exchange", 8, 50)),
                  ("threads", ("interrupt", 3, 10), ("interrupt", 8, 50)),
                  ("matchers", (10,), (100,)),
                  ("preload_calls", ("mailbox",), ("mailbox",)),
                  ("preload_calls", ("leave",), ("leave",))]


@pytest.mark.parametrize("program, few, many", UNDER_HELGRIND,
                         ids=[f"{program}-{few[0]}" for program, few, _ in UNDER_HELGRIND])
def test_helgrind(program, few, many, long_run):
    """It sees what libpvm3 of 3.4.6 does with its memory, too."""
    tool = helgrind()
    with VirtualMachine(OURS, PATCHED) as vm:
        tool.check(vm.start(program, *(many if long_run else few), wrapper=tool.wrapper).ended(400))


@pytest.mark.parametrize("linked", [False, True], ids=["preloaded", "linked"])
def test_example_of_the_manual(linked, tmp_path):
    """On 3.4.6, with its own header; test/system/test_manuals.py runs it on ours."""
    page = manual.Page(TOP / "pvm3" / "man" / "pvm3threads.7")
    (name, text, output), = page.programs
    source, program = tmp_path / name, tmp_path / "program"
    source.write_text(text)
    folder = OURS.libraries
    before = ["-Wl,--no-as-needed", f"-L{folder}", f"-Wl,-rpath,{folder}", "-lpvm3threads"] if linked else []
    command = [os.environ.get("CC", "gcc"), "-Wall", "-Wextra", "-Werror", f"-I{STOCK.include}", f"-I{HEADER.parent}",
               source, "-o", program, f"-L{STOCK.libraries}", *before, "-lpvm3", "-pthread"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with VirtualMachine(OURS, STOCK) as vm:
        assert vm.run(program, variables={} if linked else PRELOADED).ok().out == output
        if not linked:
            assert vm.run(program).ok(1).out == ""


def every_message_arrives(daemon, tasks_library, seconds, wrapper=(), variables=None):
    with VirtualMachine(daemon, tasks_library, variables=variables) as vm:
        tasks = [vm.start("preload_stress", task, seconds, wrapper=wrapper, merge=True) for task in range(TASKS)]
        lines = [task.ended(10 * seconds + 180).ok().out for task in tasks]
    assert all(re.fullmatch(r"\d+ sent, \d+ received\n", line) for line in lines), "\n".join(lines)
    sent, received = zip(*(map(int, re.findall(r"\d+", line)) for line in lines))
    assert sum(sent) == sum(received) > 1000


@daemons
def test_stress(daemon, long_run):
    every_message_arrives(daemon, PATCHED, 600 if long_run else 5)


def test_stress_under_thread_sanitizer(long_run):
    tool = thread_sanitizer()
    system = patched(tool.system.libraries, "stock-threads-sanitized", tool.system.flags)
    every_message_arrives(OURS, system, 100 if long_run else 5, tool.wrapper, tool.variables)


@pytest.mark.parametrize("words", [("recv",), ("recv", "5"), ("trecv",)], ids=" ".join)
def test_idle_makes_no_system_call(words):
    """A program that was linked to libpvm3 of 3.4.6 alone."""
    with VirtualMachine(OURS, STOCK) as vm:
        file = vm.folder / "strace"
        task = vm.start("idle", *words, variables=PRELOADED, wrapper=["strace", "-D", "-f", "-qq", "-o", file])
        tid = task.until("tid ").split()[1]
        history = []

        def still():
            history.append(file.read_text() if sleeps(task.pid) else None)
            return history[-1] is not None and history[-STILL:] == STILL * history[-1:]
        wait_until(still, "all threads wait")
        time.sleep(SECONDS)
        assert file.read_text() == history[-1]
        waker = Puppet(vm)
        for tag in range(100, 105):
            assert waker.do("send", tid, tag, 1) == "0"
        waker.leave()
        assert "woken" in task.ended().ok().out
        file.unlink()


@pytest.mark.parametrize("ground", ["safe", "interrupt"])
@pytest.mark.parametrize("case", ["calls", "later", "window", "pool", "prompt", "order", "cancel", "messages", "names",
                                  "death", "stop", "signal"])
def test_tpl(ground, case):
    with VirtualMachine(OURS, STOCK, variables={"TPL_GROUND": ground, **PRELOADED}) as vm:
        ended = vm.run("tpl_calls", case).ok()
        assert ended.out == "good\n", f"{ended}"
        vm.settle()


@pytest.mark.parametrize("ground", ["safe", "interrupt"])
def test_tpl_on_many_connections(ground):
    with VirtualMachine(OURS, STOCK, variables={"TPL_GROUND": ground, **PRELOADED}) as vm:
        assert int(vm.run("tpl_routes", 72).ok().out) > 64
        vm.settle()


@pytest.mark.parametrize("ground", ["safe", "interrupt"])
def test_tpl_knows_when_everything_is_over(ground):
    with VirtualMachine(OURS, STOCK, variables={"TPL_GROUND": ground, **PRELOADED}) as vm:
        ended = vm.run("tpl_mix", 3, 8).ok()
        counts = [tuple(map(int, found)) for found in re.findall(r"spread (\d+) sent (\d+) received (\d+)", ended.out)]
        spread, sent, received = map(sum, zip(*counts))
        assert spread == 2 ** 8 - 1 and sent == received == spread - 1
        vm.settle()
