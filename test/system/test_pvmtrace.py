"""Does pvmtrace record what happened, and say it so that a viewer of Chrome's trace format shows it?"""
import json
import signal
import subprocess
from collections import Counter
from dataclasses import dataclass

import pytest
from support import programs, sddf
from support.console import Console
from support.hosts import HostsMachine
from support.machine import VirtualMachine, wait_gone
from support.network import NetworkMachine
from support.places import OURS, STOCK, WRAPPER, group_library
from support.task import wait_until

PVMTRACE = OURS.pvmd.with_name("pvmtrace")
SENDS = ("send", "psend", "mcast", "bcast")
RECEIVES = ("recv", "nrecv", "trecv", "precv", "mhf_invoke")


def nanoseconds(microseconds):
    return round(microseconds * 1000)


@dataclass
class Timeline:
    """What a file says: slices, moments and messages, checked for what the format demands."""
    slices: list
    moments: list
    arrows: list    # (begin, end) events of messages
    threads: dict   # (pid, tid) to name
    processes: dict
    other: dict

    def around(self, event):
        """The moment a handler got a message, if it is that of the event, or else the innermost slice around it."""
        time = nanoseconds(event["ts"])
        place = (event["pid"], event["tid"])
        found = [part for part in self.moments if part["name"] == "mhf_invoke"
                 and (part["pid"], part["tid"], part["ts"]) == (*place, event["ts"])]
        found = found or [part for part in self.slices if (part["pid"], part["tid"]) == place
                          and nanoseconds(part["ts"]) <= time < nanoseconds(part["ts"]) + nanoseconds(part["dur"])]
        return max(found, key=lambda part: part["ts"])

    def task(self, event):
        """The tid, as text, of the thread that an event is on."""
        return self.threads[event["pid"], event["tid"]].split()[0]


def read(text):
    whole = json.loads(text)
    assert whole["displayTimeUnit"] == "ms"
    slices, moments, begins, ends, threads, processes = [], [], {}, {}, {}, {}
    for event in whole["traceEvents"]:
        assert isinstance(event["name"], str) and isinstance(event["pid"], int) and isinstance(event["tid"], int)
        kind = event["ph"]
        assert kind == "M" or event["ts"] >= 0
        if kind == "M":
            names = {"thread_name": threads, "process_name": processes}[event["name"]]
            names[(event["pid"], event["tid"]) if names is threads else event["pid"]] = event["args"]["name"]
        elif kind == "X":
            assert event["dur"] > 0
            slices.append(event)
        elif kind == "i":
            assert event["s"] in "tpg"
            moments.append(event)
        else:
            assert kind in "sf" and event["id"] not in (ends if kind == "f" else begins)
            assert kind == "s" or event["bp"] == "e"
            (ends if kind == "f" else begins)[event["id"]] = event
    assert begins.keys() == ends.keys()
    assert {(event["pid"], event["tid"]) for event in slices + moments} <= threads.keys()
    check_nesting(slices)
    return Timeline(slices, moments, [(begins[number], ends[number]) for number in begins], threads, processes,
                    whole["otherData"])


def check_nesting(slices):
    """Slices of a thread are within, before or behind each other."""
    open_until = {}
    for part in sorted(slices, key=lambda part: (part["ts"], -part["dur"])):
        stack = open_until.setdefault((part["pid"], part["tid"]), [])
        begin = nanoseconds(part["ts"])
        end = begin + nanoseconds(part["dur"])
        while stack and stack[-1] <= begin:
            stack.pop()
        assert not stack or end <= stack[-1], part
        stack.append(end)


def check_messages(timeline, count):
    """Every message is an arrow from the call that sent it to what received it, and none flies back in time."""
    sent, received = Counter(), Counter()
    for begin, end in timeline.arrows:
        assert begin["ts"] < end["ts"]
        send, receive = timeline.around(begin), timeline.around(end)
        assert send["name"] in SENDS and receive["name"] in RECEIVES
        assert receive["args"]["Message Source Task ID"] == timeline.task(begin)
        assert receive["args"]["Message Code"] == send["args"]["Message Code"]
        if "Message Number of Bytes" in send["args"]:
            assert receive["args"]["Message Number of Bytes"] == send["args"]["Message Number of Bytes"]
        elif send["name"] == "psend":
            assert receive["args"]["Message Number of Bytes"] == send["args"]["Pack Count"]
        lists = send["args"].get("Message Destination Task ID List", [send["args"].get("Message Destination Task ID")])
        assert timeline.task(end) in lists
        sent[send["ts"], send["pid"], send["tid"]] += 1
        received[receive["ts"], receive["pid"], receive["tid"]] += 1
    assert len(timeline.arrows) == count
    for part in timeline.slices:
        place = (part["ts"], part["pid"], part["tid"])
        if part["name"] in SENDS:
            assert sent.pop(place) == len(part["args"].get("Message Destination Task ID List", [0])), part
        if part["name"] in RECEIVES and part["args"].get("Message Buffer", 1) > 0:
            assert received.pop(place) == 1, part
    assert not sent and all(number == 1 for number in received.values())


def record(vm, *arguments, status=0, **options):
    """pvmtrace's result with the timeline and the text of the trace file that it wrote."""
    ended = vm.run(PVMTRACE, "-o", "run.json", "-T", "run.trace", *arguments, **options).ok(status)
    files = [vm.home / name for name in ("run.json", "run.trace")]
    texts = [file.read_text() for file in files]
    for file in files:
        file.unlink()
    return ended, read(texts[0]), texts[1]


def two_hosts(library, groups):
    programs.build("flow", library)
    return HostsMachine(OURS, library, {
        "LD_LIBRARY_PATH": f"{group_library(groups)}:{library.libraries}", "PVM_EXPORT": "LD_LIBRARY_PATH",
        "PVM_PATH": f"{programs.folder(library)}:{groups.pvmd.parent}"})


def add_host(vm):
    console = Console(vm, OURS)
    console.do("add 127.0.0.3")
    console.quit().ok()


def test_all_messages_of_a_run_over_two_hosts(tmp_path):
    with two_hosts(OURS, OURS) as vm:
        add_host(vm)
        ended, timeline, trace = record(vm, "flow")
    assert ended.out == "all 72 messages came\n"
    assert "2 hosts" in ended.err and "of 72 messages sent and 72 received 72 belong together" in ended.err
    assert sorted(timeline.processes.values()) == ["127.0.0.2 (t40000)", "127.0.0.3 (t80000)"]
    tasks = [name for name in timeline.threads.values() if name.endswith(" flow")]
    assert len(tasks) == 4 and {name[:2] for name in tasks} == {"t4", "t8"}
    check_messages(timeline, 72)
    kinds = Counter(timeline.around(begin)["name"] for begin, _ in timeline.arrows)
    assert kinds == {"send": 63, "psend": 3, "mcast": 3, "bcast": 3}
    kinds = Counter(timeline.around(end)["name"] for _, end in timeline.arrows)
    assert kinds["precv"] == kinds["mhf_invoke"] == 3 and min(kinds[name] for name in RECEIVES) > 0
    moments = Counter(moment["name"] for moment in timeline.moments)
    assert moments["host is added"] == 2 and moments["task ends"] >= 4
    assert not any(part["name"].startswith(("pk", "upk")) for part in timeline.slices)
    # the trace file gives the same picture
    (tmp_path / "run.trace").write_text(trace)
    again = convert("--convert", tmp_path / "run.trace")
    assert len(read(again[0]).slices) == len(timeline.slices) and again[1].endswith("72 belong together\n")


def test_unchanged_programs_of_the_distribution():
    """master1 and slave1 on the library of 3.4.6, and pvmtrace as well."""
    with HostsMachine(OURS, STOCK, {"PVM_EXPORT": "LD_LIBRARY_PATH"}) as vm:
        add_host(vm)
        ended, timeline, trace = record(vm, "master1")
    assert ended.out.count("I got ") == 6 and "SUCCESSFUL" in ended.out
    check_messages(timeline, 18)
    assert Counter(part["name"] for part in timeline.slices)["mcast"] == 1
    tasks = {record.tid for record in sddf.read(trace).of("newtask")}
    assert len(tasks) == 7 and {tid >> 18 for tid in tasks} == {1, 2}
    # that library tells of its own handlers, too
    assert {record.tid for record in sddf.read(trace).of("mhf_invoke")} == tasks


def test_events_can_be_chosen():
    with VirtualMachine(OURS, OURS) as vm:
        programs.build("herald", OURS)
        _, timeline, _ = record(vm, "--events=send,pkstr,pvm_upkstr", "-B", "10000", "herald")
        assert Counter(part["name"] for part in timeline.slices) == {"send": 1, "pkstr": 1, "upkstr": 1}
        assert timeline.other["messages sent"] == 1 and not timeline.arrows
        said = vm.run(PVMTRACE, "-e", "send,nosuch", "herald").ok(125).err
        assert said.startswith("pvmtrace: there is no call to trace with the name nosuch\n")


def test_events_can_be_had_as_they_come():
    """Of all tasks, each task's in order, with what the program prints among them."""
    with two_hosts(OURS, OURS) as vm:
        add_host(vm)
        ended = vm.run(PVMTRACE, "--live", "flow").ok()
        assert "--live reads and writes no file" in vm.run(PVMTRACE, "--live", "-T", "run.trace", "flow").ok(125).err
        assert list(vm.home.iterdir()) == []
    events = [json.loads(line) for line in ended.out.splitlines()]
    sends = Counter(event["event"] for event in events if event["edge"] == "exit" and event["event"] in SENDS)
    assert sends == {"send": 63, "psend": 3, "mcast": 1, "bcast": 1}
    assert "all 72 messages came" in [event["fields"].get("OS") for event in events]
    for tid in {event["tid"] for event in events}:
        times = [event["time"] for event in events if event["tid"] == tid and event["edge"] != "whole"]
        assert times == sorted(times)


def test_exit_status_is_that_of_the_program():
    with VirtualMachine(OURS, OURS) as vm:
        assert record(vm, "/bin/sh", "-c", "echo $0; pwd; exit 7", "word", status=7)[0].out == f"word\n{vm.home}\n"
        record(vm, "/bin/sh", "-c", "kill -9 $$", status=137)
        said = vm.run(PVMTRACE, "nosuchprogram").ok(125).err
        assert said.startswith("pvmtrace: nosuchprogram cannot be started: No such file\n")
        assert list(vm.home.iterdir()) == []
        assert "which program?" in vm.run(PVMTRACE).ok(125).err


def test_interrupt_ends_the_tasks_and_writes_the_trace():
    with VirtualMachine(OURS, OURS) as vm:
        programs.build("herald", OURS)
        run = vm.start(PVMTRACE, "-o", "run.json", "herald", "wait")
        vm.until_enrolled(2)
        run.signal(signal.SIGINT)
        run.ended().ok(128 + signal.SIGTERM)
        timeline = read((vm.home / "run.json").read_text())
        (vm.home / "run.json").unlink()
        waiting = [part for part in timeline.slices if part["args"].get("returned") is False]
        assert {part["name"] for part in waiting} <= {"recv", "parent"}


def test_machine_is_started_and_halted_when_there_is_none():
    vm = VirtualMachine(OURS, OURS)
    try:
        herald = programs.build("herald", OURS)
        done = subprocess.run([*WRAPPER, PVMTRACE, "-o", "-", herald], env=vm.environment(), cwd=vm.home,
                              capture_output=True, text=True, timeout=180)
        assert done.returncode == 0, done
        lines = done.stdout.splitlines()
        assert lines[0].startswith("hello from t4")
        check_messages(read(lines[1]), 1)
        assert wait_gone(vm.processes()) == set()
    finally:
        vm.clean_up()


def convert(*arguments, text=None, status=0):
    done = subprocess.run([*WRAPPER, PVMTRACE, "-o", "-", *map(str, arguments)], input=text, capture_output=True, text=True,
                          timeout=180, env={"LD_LIBRARY_PATH": str(OURS.libraries)})
    assert done.returncode == status, done
    return done.stdout, done.stderr


def trace_of(*records):
    """A trace file: lists of the name of a record and its values, strings excepted."""
    keys = {"host_add": "", "host_sync": "HDS HDU", "send(0": "MNB DST MC MCX", "send(1": "CC",
            "recv(0": "RST RMC RCX", "recv(1": "MB MNB MC MCX SRC"}
    numbers = {"host_add": 401, "host_sync": 403, "send": 47, "recv": 45}
    text = '/*\n * "Creation Date" "x"\n * "Machine" "y"\n */ ;;\n'
    for name in dict.fromkeys(record[0] for record in records):
        key = name if name in keys else name[:6]
        fields = "".join(f'\t// "{field}" "{field}"\n\tint "{field}";\n' for field in ["TS", "TU", "TID", *keys[key].split()])
        full = name if "(" in name else f"{name}(0)"
        text += f'\n#{1000 + 2 * numbers[name.split("(")[0]]}: "{full}"\n{{\n{fields}}};;\n'
    for name, *values in records:
        text += f'"{name if "(" in name else name + "(0)"}" {{ {", ".join(map(str, values))} }};;\n'
    return text


A, B = 0x40001, 0x80001


def test_clocks_of_hosts_are_brought_together():
    """The clock of B is 5 s behind, by host_sync; and 2 us more, by a message that came before it was sent."""
    timeline = read(convert("--convert", "-", text=trace_of(
        ("host_add", 100, 0, 0x40000), ("host_add", 100, 0, 0x80000), ("host_sync", 100, 1, 0x80000, 5, 0),
        ("recv(0.0)", 95, 200, B, -1, -1, 0), ("send(0.0)", 100, 210, A, 4, B, 7, 0), ("send(1.1)", 100, 215, A, 0),
        ("recv(1.1)", 95, 208, B, 1, 4, 7, 0, A)))[0])
    (begin, end), = timeline.arrows
    assert nanoseconds(begin["ts"]) == 210000 and nanoseconds(end["ts"]) == 210001
    assert {part["name"]: nanoseconds(part["ts"]) for part in timeline.slices} == {"send": 210000, "recv": 202002}


def test_moves_of_user_level_processes_are_shown():
    paths = {"PVM_PATH": f"{programs.folder(OURS)}:{OURS.pvmd.parent}"}
    with NetworkMachine((OURS,) * 3, OURS, paths) as vm:
        vm.add()
        moves = programs.build("moves", OURS)
        _, timeline, _ = record(vm, moves, "waits")
        moved = [list(moment["args"].values()) for moment in timeline.moments if moment["name"] == "user_defined"]
        assert moved == [[f"moved to node{1 + move % 3}"] for move in range(1, 13)]
        _, timeline, _ = record(vm, "--events=send", moves, "waits")
        assert not [moment for moment in timeline.moments if moment["name"] == "user_defined"]


def test_calls_of_several_threads_of_a_task():
    """Calls that overlap get threads of their own, and a call at the same microsecond as another some time."""
    timeline = read(convert("--convert", "-", text=trace_of(
        ("recv(0.0)", 1, 0, A, -1, -1, 0), ("send(0.0)", 1, 0, A, 4, A, 7, 0), ("recv(1.1)", 1, 0, A, 1, 4, 7, 0, A),
        ("send(1.1)", 1, 0, A, 0), ("send(0.0)", 1, 0, A, 4, B, 7, 0), ("send(1.1)", 1, 0, A, 0)))[0])
    assert [(part["name"], part["tid"] == A) for part in timeline.slices] == [("recv", True), ("send", False), ("send", True)]
    assert [part["dur"] for part in timeline.slices] == [0.002, 0.002, 0.001]
    assert set(timeline.threads.values()) == {"pvmd", "t40001 ", "t40001 , thread 2"}


@pytest.mark.parametrize("text, said", (
    ("hello", "standard input:1: this is not how a trace file goes on here\n"),
    (trace_of(("send(0.0)", 1, 0, A, 4, A, 7, 0))[:-6], "standard input:23: the file ends in the middle of a record\n"),
), ids=("no trace", "cut off"))
def test_bad_traces_are_refused(text, said):
    assert convert("--convert", "-", text=text, status=125) == ("", said)


def test_empty_trace():
    assert read(convert("--convert", "-", text="")[0]).slices == []


def test_no_file_no_result(tmp_path):
    assert convert("--convert", tmp_path / "nosuch", status=125)[1].endswith("nosuch: No such file or directory\n")
    with VirtualMachine(OURS, OURS) as vm:
        said = vm.run(PVMTRACE, "-o", "nosuchfolder/x", "/bin/true").ok(125).err
        assert said == "pvmtrace: nosuchfolder/x: No such file or directory\n"
        wait_until(lambda: vm.tasks() == [], "the tasks have ended")
