"""Does a traced task tell the same on every pairing of library and daemon?

trace_collect is a tracer: it spawns trace_calls, which makes a fixed sequence of calls, and prints all
that its trace messages hold. What stock 3.4.6 tells on itself is the truth. Taken out of it are, with
their reasons, buffer ids (each library counts its own) and what 3.4.6 tells of its own calls around
message handlers, ours calling no public function there.
"""
import difflib
import functools
import re

import pytest
from support import programs
from support.machine import VirtualMachine
from support.places import OURS, STOCK, group_library

PAIRINGS = {"stock-on-ours": (STOCK, OURS), "ours-on-ours": (OURS, OURS), "ours-on-stock": (OURS, STOCK)}
AREAS = ("identity", "buffers", "pack", "messages", "machine", "tasks", "mailbox", "options", "contexts",
         "handlers", "user", "registers", "groups", "settings", "sinks", "orders")
QUIET = "getrbuf,getsbuf,mkbuf,initsend,bufinfo,mytid,parent,getminfo"   # never within a handler
SIZES = (0, 1, 60, 72, 80, 84, 132, 140, 300, 5000)

BUFFER_ID = re.compile(r"\b(MB:6|MSB:6|MRB:6|CD:6|probe exit TID:6 \d+ CC:6) [1-9]\d*")
SETUP = [f"{call} {edge}" for call in ("setsbuf", "setrbuf", "setcontext") for edge in ("entry", "exit")]
CLEANUP = [f"{call} {edge}" for call in ("setcontext", "setsbuf", "freebuf", "setrbuf", "freebuf")
           for edge in ("entry", "exit")]


def collect(area, library, daemon, events="all", size=0, option=1, groups=STOCK):
    """What trace_collect prints of trace_calls in that area, with the libgpvm3 of groups."""
    programs.build("trace_calls", library)
    with VirtualMachine(daemon, library, {
            "LD_LIBRARY_PATH": f"{group_library(groups)}:{library.libraries}"}) as vm:
        text = vm.run("trace_collect", events, size, option, "trace_calls", area, merge=True).ok().out
        if area == "tasks":
            vm.settle()     # those that it spawned
        return text


def kind(line):
    """The event and its edge: "send entry"."""
    words = line.split()
    return " ".join(words[2:4]) if len(words) > 3 else ""


def without_handling(lines):
    """The lines without the calls that 3.4.6 makes around message handlers, and its own handlers."""
    while (begin := next((i for i, line in enumerate(lines) if "mhf_invoke entry" in line
                          and list(map(kind, lines[i + 1:i + 7])) == SETUP), None)) is not None:
        own = "RCX:6 524287" in lines[begin]
        end = next(i for i in range(begin, len(lines)) if list(map(kind, lines[i:i + 10])) == CLEANUP)
        inner = [] if own else [lines[begin], *lines[begin + 7:end]]
        lines = lines[:begin] + inner + lines[end + 10:]
    return lines


def handled_last(lines):
    """The lines with what on_message of trace_calls did moved to the end: it may run within several calls."""
    for i, line in enumerate(lines):
        if "mhf_invoke entry" in line:
            return lines[:i] + lines[i + 7:] + lines[i:i + 7]
    return lines


def events(text):
    """The events of the task, in order, and then those of the daemon, in order."""
    lines = [re.sub(r"(describes|records) | TS:6 - TU:6 -", "", line) for line in text.splitlines()
             if " message of " not in line and " buffer" not in line]
    lines = handled_last(without_handling([BUFFER_ID.sub(r"\1 #", line) for line in lines]))
    return sorted(lines, key=lambda line: line.startswith("t80"))


def same(expected, seen):
    """The lines that differ, as text; empty when none does."""
    return "\n".join(difflib.unified_diff(expected, seen, "stock", "seen", lineterm="", n=1))


@functools.lru_cache(maxsize=None)
def reference(area):
    return events(collect(area, STOCK, STOCK))


@pytest.mark.parametrize("pairing", PAIRINGS)
@pytest.mark.parametrize("area", AREAS)
def test_same_events(area, pairing):
    expected = reference(area)
    assert len(expected) > 12, expected
    difference = same(expected, events(collect(area, *PAIRINGS[pairing])))
    assert not difference, difference


@pytest.mark.parametrize("library", (STOCK, OURS), ids=str)
def test_same_group_events(library):
    """Our libgpvm3 on either libpvm3."""
    difference = same(reference("groups"), events(collect("groups", library, OURS, groups=OURS)))
    assert not difference, difference


@pytest.mark.parametrize("option", (1, 2, 3))
@pytest.mark.parametrize("size", SIZES)
def test_same_messages(size, option):
    """The very messages: where they begin and end, their lengths, descriptions and records."""
    stock, ours = (BUFFER_ID.sub(r"\1 #", collect("buffers", system, system, QUIET, size, option)).splitlines()
                   for system in (STOCK, OURS))
    assert len(stock) > 6
    difference = same(stock, ours)
    assert not difference, difference


@pytest.mark.parametrize("area", AREAS)
def test_descriptions_come_first(area):
    """The first event of each kind describes itself, no later one does (trace_collect fails on a record
    that was not described)."""
    described = re.findall(r"(?m)^(t[0-9a-f]+ )describes (.*?) TS:", collect(area, OURS, OURS))
    kinds = [entry for entry in described if "timing" not in entry[1] and "profiling" not in entry[1]]
    assert kinds and len(kinds) == len(set(kinds))


def test_nothing_is_lost_by_a_change():
    """Where ours does more than 3.4.6: totals are told before the option changes, and the sink does change
    by order of a tracer."""
    text = collect("changes", OURS, OURS, "getsbuf")
    own = [BUFFER_ID.sub(r"\1 #", line.replace(" TS:6 - TU:6 -", "")) for line in text.splitlines()
           if line.startswith("t40002")]
    assert own == [
        "t40002 message of 116 bytes with tag 666",
        't40002 describes 107 profiling TID:6 262146 VCT:6 1 VID:12[1] "getsbuf" PRF:6[1] 2',
        "t40002 message of 60 bytes with tag 5",
        "t40002 describes 13 getsbuf entry TID:6 262146",
        "t40002 message of 72 bytes with tag 5",
        "t40002 describes 13 getsbuf exit TID:6 262146 MSB:6 #",
        "t40002 message of 24 bytes with tag 6",
        "t40002 records 13 getsbuf entry TID:6 262146",
        "t40002 message of 28 bytes with tag 6",
        "t40002 records 13 getsbuf exit TID:6 262146 MSB:6 #"]


def watch(library, daemon, area):
    """What a registered tracer sees of a task that comes by itself."""
    with VirtualMachine(daemon, library) as vm:
        tracer = vm.start("trace_collect", "all", 0, 1)
        assert tracer.line() == "ready"
        vm.run("trace_calls", area).ok()
        return tracer.ended().ok().out


@pytest.mark.parametrize("pairing", PAIRINGS)
@pytest.mark.parametrize("area", ("buffers", "messages"))
def test_registered_tracer(area, pairing):
    """pvm_reg_tracer, and that tasks find the tracer when they enrol."""
    expected = events(watch(STOCK, STOCK, area))
    assert any("newtask" in line for line in expected) and any("mytid entry" in line for line in expected)
    difference = same(expected, events(watch(*PAIRINGS[pairing], area)))
    assert not difference, difference


def trace_file(library, daemon):
    """What the tracer of the packages writes of a task: layouts and records, without what varies."""
    with VirtualMachine(daemon, library) as vm:
        tracer = vm.start(STOCK.pvmd.with_name("tracer"), "-T", "trace", "full", keep_input=True,
                          wrapper=("stdbuf", "-oL"))
        tracer.until_prompt("tracer> ")     # by then it has registered
        vm.run("trace_calls", "contexts").ok()
        tracer.until("Trace File Complete")
        tracer.say("quit\n")
        assert "Quitting Tracer" in tracer.ended().out
        text = (vm.home / "trace").read_text()
        (vm.home / "trace").unlink()
    layouts = re.findall(r"(?ms)^#\d+: .*?^\};;", text)
    records = re.findall(r'(?m)^"([^"]*)" \{ \d+, \d+, (\d+)(.*)', text)
    hidden = {"recv(1.1)": r"^, \d+", "endtask(0)": r"(, \d+){4} "}     # buffer id; processor times
    records = [(int(tid), name, re.sub(hidden.get(name, "^$"), ", #", rest)) for name, tid, rest in records]
    return sorted(layouts), sorted(records, key=lambda record: record[0])


@functools.lru_cache(maxsize=None)
def stock_trace_file():
    return trace_file(STOCK, STOCK)


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_tracer_of_the_packages(pairing):
    layouts, records = stock_trace_file()
    assert len(layouts) > 10 and len(records) > 12
    seen = trace_file(*PAIRINGS[pairing])
    difference = same([*layouts, *map(str, records)], [*seen[0], *map(str, seen[1])])
    assert not difference, difference
