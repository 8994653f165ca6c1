"""Does pvmview show the machine to who has its key, and to nobody else, and does nobody work while nobody looks?

test/browser/run looks at the page in a browser.
"""
import contextlib
import http.client
import json
import os
import signal
import socket
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter
from pathlib import Path

import pytest
from support import programs
from support.console import Console
from support.machine import VirtualMachine, wait_gone
from support.places import OURS, group_library
from support.task import sleeps, text_of, wait_until

sys.dont_write_bytecode = True
sys.path.insert(0, str(OURS.root / "python"))
from pvmview.timeline import Timeline  # noqa: E402

PVMVIEW, PVMTRACE = OURS.pvmd.with_name("pvmview"), OURS.pvmd.with_name("pvmtrace")
STILL = 30      # looks in a row at which nothing may have changed before idle processes are watched


@pytest.fixture(name="vm")
def vm_fixture():
    programs.build("flow", OURS)
    with VirtualMachine(OURS, OURS, {
            "PATH": f"{OURS.pvmd.parent}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1",
            "LD_LIBRARY_PATH": f"{group_library(OURS)}:{OURS.libraries}", "PVM_EXPORT": "LD_LIBRARY_PATH",
            "PVM_PATH": f"{programs.folder(OURS)}:{OURS.pvmd.parent}"}) as vm:
        yield vm


@contextlib.contextmanager
def view(vm):
    """The address of the page of a pvmview that runs; it ends by a signal."""
    task = vm.start(PVMVIEW, "--no-browser")
    yield task.line()
    task.signal(signal.SIGINT)
    task.ended().ok()


@contextlib.contextmanager
def page(address):
    """What the server tells a page that is open, bundle by bundle."""
    with urllib.request.urlopen(f"{address}stream") as stream:
        assert stream.headers["Content-Type"] == "text/event-stream"
        yield (json.loads(line.removeprefix(b"data: ")) for line in stream if line.strip())


def post(address, what, body):
    request = urllib.request.Request(f"{address}{what}", json.dumps(body).encode(), method="POST")
    with urllib.request.urlopen(request) as answer:
        assert answer.status == 204


def status_of(address, path, host=None):
    """What a request gets, by its status; the path is sent as it is."""
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(address).netloc)
    connection.request("GET", path, headers={"Host": host} if host else {})
    status = connection.getresponse().status
    connection.close()
    return status


def test_key_and_name_are_needed(vm):
    with view(vm) as address:
        key, port = urllib.parse.urlsplit(address).path, urllib.parse.urlsplit(address).port
        with urllib.request.urlopen(address) as answer:
            assert answer.headers["Content-Security-Policy"].startswith("default-src 'self'")
            assert b"<title>PVM</title>" in answer.read()
        files = {name: status_of(address, f"{key}{name}") for name in ("d3.js", "view.js", "view.css", "other.js")}
        assert files == {"d3.js": 200, "view.js": 200, "view.css": 200, "other.js": 404}
        assert status_of(address, key, f"localhost:{port}") == 200
        refused = [status_of(address, path, host) for path, host in
                   [("/", None), ("/stream", None), ("/wrong/", None), (key, "elsewhere"), (key, f"elsewhere:{port}")]]
        assert refused == 5 * [403]
        assert status_of(address, f"{key}../server.py") == status_of(address, f"{key}%2e%2e/server.py") == 404
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.2", port))
        for body in ({}, [], {"words": []}, {"words": "flow"}, {"words": ["flow", 1]}):
            with pytest.raises(urllib.error.HTTPError) as wrong:
                post(address, "run", body)
            assert wrong.value.code == 400


def test_machine_and_programs_are_shown(vm):
    """All messages of a program that is run from a page, its output, and the tasks of the machine, without our own."""
    idle = vm.start("idle", "recv")
    tid = f"t{idle.until('tid ').split()[1]}"
    with view(vm) as address:
        with page(address) as told:
            picture = next(bundle["machine"] for bundle in told if "machine" in bundle)
            assert [task["tid"] for task in picture["tasks"]] == [tid]
            post(address, "run", {"words": ["flow"]})
            seen = []
            while not any(change["kind"] == "output" for change in seen):
                seen += next(told).get("changes", [])
            assert Counter(change["kind"] for change in seen)["message"] == 72
            assert [change["text"] for change in seen if change["kind"] == "output"] == ["all 72 messages came"]
        with page(address) as told:     # one that is opened later sees all of this
            assert [change for change in next(told)["changes"] if change["kind"] == "message"] == \
                [change for change in seen if change["kind"] == "message"]
            post(address, "run", {"words": ["no_such_program"]})
            changes = (change for bundle in told for change in bundle.get("changes", []))
            assert "cannot be started" in next(change["text"] for change in changes if change["tid"] is None)
            post(address, "run", {"words": ["idle", "recv"]})
            state = next(change for change in changes if change["kind"] == "state" and change["state"] == "waits")
            post(address, "stop", {})
            assert next(change["tid"] for change in changes if change.get("state") == "ended") == state["tid"]
    idle.signal(signal.SIGKILL)
    idle.discard()
    Console(vm, OURS).quit().ok()


def switches(pid):
    """How often each thread of the process has given up its processor."""
    return [line for thread in sorted(Path(f"/proc/{pid}/task").iterdir())
            for line in text_of(thread / "status").splitlines() if "ctxt_switches" in line]


def test_idle_while_nobody_looks(vm):
    idle = vm.start("idle", "recv")
    idle.until("tid ")
    with view(vm) as address:
        with page(address) as told:
            assert next(told) and next(told)
        still = []

        def settled():
            pids = vm.processes()
            still.append({pid: switches(pid) for pid in pids} if all(map(sleeps, pids)) else None)
            return still[-1] is not None and still[-STILL:] == STILL * still[-1:]
        wait_until(settled, "nobody does anything")
        names = {text_of(Path(f"/proc/{pid}/comm")).strip() for pid in still[-1]}
        assert names == {"pvmd", "pvmview", "pvmtop", "idle"}
    idle.signal(signal.SIGKILL)
    idle.discard()


def test_it_ends_with_the_machine(vm):
    task = vm.start(PVMVIEW, "--no-browser")
    with page(task.line()) as told:
        next(told)
        vm.stop()
        assert [bundle for bundle in told if "over" in bundle] == [{"over": True}]
    task.ended().ok()
    done = vm.run(PVMVIEW, "--no-browser").ok(1)
    assert "there is no virtual machine" in done.err and not done.out


def test_nothing_is_left_when_it_is_killed(vm):
    task = vm.start(PVMVIEW, "--no-browser")
    task.line()
    others = vm.processes() - {vm.pvmd.pid, task.pid}
    assert len(others) == 2
    task.signal(signal.SIGKILL)
    task.discard()
    assert not wait_gone(others)


def test_console_starts_it(vm):
    """It is there until the machine ends, also when the console has been left."""
    console = vm.start(OURS.pvmd.with_name("pvm"), "--view", keep_input=True)
    address = console.until("http://127.0.0.1:").split()[-1]
    console.say("quit\n")
    wait_until(lambda: console.process.poll() is not None, "the console ends")
    with page(address) as told:
        assert next(told)
        vm.stop()
    console.ended().ok()


def event(name, edge, time, tid, **fields):
    return {"event": name, "edge": edge, "time": time * 1000000, "tid": tid, "fields": fields}


def test_receive_may_be_known_before_its_send():
    """Tasks tell what they do each by itself. Two messages of one kind keep their order."""
    timeline = Timeline()
    received = [event("recv", edge, time, "t2", MB=1, MC=5, MCX=0, MNB=size, SRC="t1")
                for time, size in ((4, 100), (5, 200)) for edge in ("entry", "exit")]
    sent = [event("send", edge, time, "t1", DST="t2", MC=5, MCX=0, CC=0)
            for time in (1, 2) for edge in ("entry", "exit")]
    changes = [change for one in received + sent for change in timeline.take(one)]
    assert [(change["sent"], change["received"], change["bytes"]) for change in changes
            if change["kind"] == "message"] == [(1, 4, 100), (2, 5, 200)]
    assert [change["state"] for change in changes if change["kind"] == "state"] == \
        2 * ["waits", "computes"] + 2 * ["sends", "computes"]


def test_what_a_task_waits_for():
    timeline = Timeline()
    calls = [("recv", {"RST": "t3", "RMC": 7}), ("recv", {"RST": -1, "RMC": -1}), ("barrier", {"GN": "crew", "GBC": 4}),
             ("send", {"DST": "t2"})]
    changes = [change for name, fields in calls for edge in ("entry", "exit")
               for change in timeline.take(event(name, edge, 1, "t1", **(fields if edge == "entry" else {"CC": -1})))]
    assert [change["for"] for change in changes] == \
        ["t3, tag 7", None, "any task, any tag", None, "group crew", None, None, None]


def test_threads_of_a_task_are_in_calls_at_once():
    timeline = Timeline()
    changes = [change for one in (event("recv", "entry", 1, "t1"), event("send", "entry", 2, "t1", DST="t2", MC=1),
                                  event("recv", "exit", 3, "t1", MB=-1), event("send", "exit", 4, "t1", CC=0))
               for change in timeline.take(one)]
    assert [change["state"] for change in changes if change["kind"] == "state"] == \
        ["waits", "sends", "sends", "computes"]
    assert [change["count"] for change in changes if change["kind"] == "queue"] == [1]
