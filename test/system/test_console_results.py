"""How does the console serve programs - one command, JSON, exit status - and what does it print for people?"""
import json
import os
import re

import pytest
from support.hosts import MASTER, HostsMachine
from support.machine import VirtualMachine, wait_gone
from support.places import OURS, STOCK, TOP
from support.terminal import Terminal

PVM = OURS.pvmd.parent / "pvm"
HEADER = "                    HOST      TID   FLAG 0x COMMAND\n"


@pytest.fixture(name="vm")
def vm_fixture():
    with VirtualMachine(OURS, OURS) as machine:
        yield machine


def documents(ended):
    return [json.loads(line) for line in ended.out.splitlines()]


def ask(vm, *lines, status=0):
    """The documents that the console gives to lines, by --json and its input."""
    return documents(vm.run(PVM, "--json", input="".join(f"{line}\n" for line in lines)).ok(status))


def test_one_command(vm):
    """Nothing is printed but the result, in the layout of 3.4.6; nor is ~/.pvmrc read."""
    (vm.home / ".pvmrc").write_text("echo profile\n")
    assert vm.run(PVM, "-c", "version").ok().out == "3.4.6\n"
    assert vm.run(PVM, "-c", "ps", "--command=version").ok().out == f"{HEADER}3.4.6\n"
    (vm.home / ".pvmrc").unlink()


def test_exit_status_tells_of_failures(vm):
    assert vm.run(PVM, "-c", "nosuch", "-c", "version").ok(1).out == "nosuch: not found\n3.4.6\n"
    assert vm.run(PVM, "-c", "kill 0").ok(1).err.count("pvm_kill(): Bad parameter") == 1
    assert "-c needs a command" in vm.run(PVM, "-c").ok(1).err


def test_one_command_waits_for_its_jobs(vm):
    ended = vm.run(PVM, "-c", "spawn -> /bin/sh -c 'sleep 0.3; echo done'").ok()
    assert re.fullmatch(r"\[1\]\n1 successful\nt\w+\n\[1:t\w+\] done\n\[1:t\w+\] EOF\n\[1\] finished\n", ended.out)


def test_one_command_starts_a_machine_and_ends_it():
    vm = VirtualMachine(OURS, OURS)
    try:
        assert vm.run(PVM, "-n127.0.0.2", "-c", "conf").ok().out.split()[10:12] == ["127.0.0.2", "40000"]
        running = vm.processes()
        assert documents(vm.run(PVM, "--json", "-c", "halt").ok()) == [
            {"command": "halt", "ok": True, "lines": [], "errors": []}]
        assert not wait_gone(running)
        vm.check_nothing_left()
    finally:
        vm.clean_up()


def test_every_document_has_the_same_frame(vm):
    told = ask(vm, "alias h help", "h id", "", "# nothing", "echo 'x", "nosuch", "version", "setenv HOME", status=1)
    assert [document["command"] for document in told] == [
        "alias", "help", None, None, None, "nosuch", "version", "setenv"]
    assert all({"ok", "lines", "errors"} <= set(document) for document in told)
    assert [document["ok"] for document in told] == [True, True, True, True, False, False, True, True]
    assert all(document["ok"] is not bool(document["errors"]) for document in told)
    assert all({"text", "code", "hint"} == set(error) for document in told for error in document["errors"])
    assert told[1]["lines"][1] == "Syntax:  id" and told[7]["lines"] == [str(vm.home)]
    assert told[6]["pvm"] == "3.4.6" and told[6]["release"].startswith("3.4.6.")
    assert told[5]["errors"][0]["text"] == "nosuch: not found"


def test_hosts_tasks_and_names(vm):
    conf, own, tasks, stats, put, names, missing = ask(
        vm, "conf", "id", "ps -ax", "pstat t40001 7ffff", "put 'a\"b' 2 x", "names a*", "names nosuch", status=1)
    assert conf["formats"] == 1 and conf["hosts"][0] | {"name": ""} == {
        "name": "", "tid": "t40000", "arch": "LINUX64", "speed": 1000, "signature": 4230209}
    assert own["tid"] == "t40001"
    assert [(task["tid"], task["parent"], task["flags"], task["command"], task["host"]) for task in tasks["tasks"]] == [
        ("t40001", None, 4, None, conf["hosts"][0]["name"])]
    assert stats["tasks"] == [{"tid": "t40001", "status": "run"}, {"tid": "7ffff", "status": "No such host"}] or \
        stats["tasks"][1]["status"] == "No such task"
    assert stats["errors"][0]["code"] < 0
    assert put["ok"] and names["names"] == [
        {"name": 'a"b', "entries": [{"index": 0, "owner": "t40001", "flags": 2}]}]
    assert missing["names"] == []


def test_errors_of_the_library_have_their_code(vm):
    ended = vm.run(PVM, "--json", input="kill 0\nsig 1 0\nps -h80000\nmstat nohost\nspawn nosuchprogram\n").ok(1)
    assert ended.err == ""
    told = documents(ended)
    assert [document["errors"][0]["code"] for document in told] == [-2, -2, -6, -6, -7]
    assert told[3]["hosts"] == [{"name": "nohost", "status": "No such host"}]
    assert "PVM_PATH" in told[4]["errors"][0]["hint"]


def test_jobs_are_told_as_they_come(vm):
    """Also of bytes that are no text; the end of the input waits for the job."""
    spawned, *events = ask(vm, "spawn -> /bin/printf 'one\\n\\351\\\"\\001two\\n'")
    task = spawned["tasks"][0]["tid"]
    assert spawned["job"] == 1 and spawned["tasks"] == [{"tid": task, "status": "ok"}]
    assert events == [{"event": "output", "job": 1, "tid": task, "text": "one"},
                      {"event": "output", "job": 1, "tid": task, "text": "\ufffd\"\x01two"},
                      {"event": "end of output", "job": 1, "tid": task},
                      {"event": "finished", "job": 1}]
    _, listed, _ = ask(vm, "spawn -2 -> /bin/sleep 1000", "jobs", "quit")
    assert [job["job"] for job in listed["jobs"]] == [1] and len(listed["jobs"][0]["tasks"]) == 2


def test_hosts_are_added_and_deleted():
    with HostsMachine(OURS, OURS) as vm:
        watcher = vm.start(PVM, "--json", keep_input=True)
        watcher.say("conf\n")
        assert json.loads(watcher.line())["hosts"][0]["name"] == MASTER
        added, deleted = ask(vm, "add 127.0.0.3 nosuch. '127.0.0.4 so=xx'", "delete 127.0.0.3 127.0.0.5", status=1)
        assert added["hosts"] == [{"name": "127.0.0.3", "tid": "t80000", "status": "ok"},
                                  {"name": "nosuch.", "tid": None, "status": "No such host"},
                                  {"name": "127.0.0.4 so=xx", "tid": None, "status": "Bad parameter"}]
        assert [error["code"] for error in added["errors"]] == [-6, -2]
        assert all(error["hint"] for error in added["errors"])
        assert deleted["hosts"] == [{"name": "127.0.0.3", "status": "ok"},
                                    {"name": "127.0.0.5", "status": "No such host"}]
        event = json.loads(watcher.line())
        assert event["event"] == "hosts added"
        watcher.ended().ok()


RELEASE = re.search(r"AC_INIT\(\[pvm\], \[(.*?)\]", (TOP / "configure.ac").read_text())[1]


@pytest.mark.parametrize("slave", [OURS, STOCK], ids=str)
def test_hosts_tell_what_they_run(slave):
    """Those of ours. Nobody who does not ask for it sees anything of it."""
    with HostsMachine(OURS, OURS, slave=slave) as vm:
        vm.run(PVM, "-c", "add 127.0.0.3").ok()
        task = vm.run(PVM, "--json", "-c", "spawn --host=127.0.0.3 /bin/sleep 1000")
        assert documents(task.ok())[0]["ok"]
        conf, full = ask(vm, "conf", "conf -l")
        assert not [host for host in conf["hosts"] if {"release", "tasks"} & set(host)]
        told = [(host["release"], host.get("processors"), host.get("tasks")) for host in full["hosts"]]
        processors = len(os.sched_getaffinity(0))
        assert told == [(RELEASE, processors, 1), (RELEASE, processors, 1) if slave is OURS else (None, None, None)]
        assert all(isinstance(host["load"], float) for host in full["hosts"] if host["release"])
        checked = {finding["host"]: finding["text"] for finding in ask(vm, "check")[0]["findings"]}
        expected = f"PVM {RELEASE} runs there, on {processors} processor" if slave is OURS else "it does not tell"
        assert checked["127.0.0.3"].startswith(expected)
        row = vm.run(PVM, "-c", "conf -l").ok().out.splitlines()[3].split()
        assert row[0] == "127.0.0.3" and (row[5:7] + row[8:] == [RELEASE, str(processors), "1"] if slave is OURS
                                          else row[5:] == ["-"] * 4)


def test_daemon_of_stock_tells_nothing():
    with VirtualMachine(STOCK, OURS) as vm:
        conf, = documents(vm.run(PVM, "--json", "-c", "conf -l").ok())
        assert conf["ok"] and conf["hosts"][0]["release"] is None


# for people ---------------------------------------------------------------------------------------


def test_tables_are_as_wide_as_what_they_hold(vm):
    with Terminal(vm, PVM, "-c", "conf", "-c", "ps -alx") as terminal:
        lines = terminal.until_end().splitlines()
    assert lines[1].split() == ["HOST", "DTID", "ARCH", "SPEED", "DSIG"]
    assert lines[1].startswith("HOST  ") and not lines[3].startswith(" ")
    assert lines[3].split() == ["HOST", "TID", "PTID", "PID", "FLAG", "0x", "COMMAND"]
    row = lines[2]
    assert row[lines[1].index("DTID") - 1:].split()[0] == "40000" and row.index(" 40000") + 1 == lines[1].index("DTID") - 1


def test_advice_fits_the_terminal(vm):
    with Terminal(vm, PVM, "-c", "help nosuch", "-c", "add nosuch.", "-c", "check", "-c", "version", columns=50) as terminal:
        lines = terminal.until_end(status=1).splitlines()
    assert lines[0] == "nosuch: not found" and lines[-1] == f"3.4.6, release {RELEASE}"
    assert max(map(len, lines)) <= 50 or all(" " not in line.strip() for line in lines if len(line) > 50)
    start = next(number for number, line in enumerate(lines) if line.startswith("  nosuch.: "))
    assert lines[start + 1].startswith("    ")
    assert any(line.startswith("        ") for line in lines)


def test_errors_say_what_to_do(vm):
    with Terminal(vm, PVM, "-c", "nosuch", "-c", "kill", "-c", "spawn nosuchprogram") as terminal:
        text = terminal.until_end(status=1)
    assert "nosuch: not found\n  help lists the commands\n" in text
    assert "kill: wrong #args\n  it is: kill [ options ] tid ...\n" in text
    assert "No such file\n  the pvmd looks in " in text
