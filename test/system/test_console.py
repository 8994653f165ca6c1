"""Does the console do and say what 3.4.6's does?

Scripts are carried out by stock's console on stock, and then by ours on ours, by ours on stock and by stock's
on ours: what is printed must be the same, process ids excepted.
"""
import os
import re
import signal

import pytest
from support.console import Console
from support.machine import VirtualMachine, wait_gone
from support.places import OURS, STOCK
from support.puppet import Puppet
from support.task import wait_until

PAIRINGS = {"ours-on-ours": (OURS, OURS), "ours-on-stock": (OURS, STOCK), "stock-on-ours": (STOCK, OURS)}
SLEEP = "spawn -2 /bin/sleep 1000"

SCRIPTS = {
    "words": (["echo a 'b  c' \"d\" # x", "echo a\\ b c\\#d \"e'f\"", "echo", "nosuch", "conf 3", "id 4", "kill",
               "put a 3", "setopt a", "Conf", "con", "echo '' x"], ["a b  c d"]),
    "unmatched quotes": (["echo 'one"], ["unmatched '", "command too long"]),
    "aliases": (["alias", "alias ?? echo hello \"quoted   string\" 'single # x'", "alias h help", "alias",
                 "?? more args",
                 "alias ps ps -x", "ps", "unalias ?? nosuch", "alias", "alias a 'echo  z'", "a"],
                ["??\techo hello quoted   string single # x"]),
    "alias loop": (["alias c d", "alias d c", "c"], ["alias loop"]),
    "options": (["getopt", "getopt PvmRoute", "getopt foo", "getopt 3", "setopt PvmFragSize 10",
                 "setopt PvmFragSize 1000", "setopt PvmRoute 2", "setopt foo 3", "getopt PvmRoute"],
                ["PvmRoute Currently Set to 1", "PvmFragSize Changed from -2 to 10", 'PVM Option "foo" Unknown.']),
    "environment": (["setenv FOO bar baz", "setenv FOO", "setenv NOTSET", "export FOO DISPLAY FOO", "export",
                     "unexport FOO NOTSET", "export", "unexport DISPLAY", "export"],
                    ["bar baz", "PVM_EXPORT=FOO:DISPLAY"]),
    "identity": (["version", "id", "idump", "idump 1"], ["3.4.6", "t40001"]),
    "hosts": (["conf", "mstat . nohost", "delete nosuch"], ["1 host, 1 data format"]),
    "mailbox": (["names", "put bar 3 x", "put bar 0 x", "put bar 2 x", "put bar 3 x", "names b", "names zz", "names"],
                ["<bar>:", "\tindex=0 owner=0x40001/262145 flags=0x0"]),
    "tasks": ([SLEEP, "ps", "ps -l", "ps -alx", "ps -a", "ps x", "ps -n.", "ps -h40000", "ps -q", "ps -nnohost",
               "ps -a -l", "pstat t40002 40003 t1234 tffff0000", "jobs", "sig 0 t40002", "kill -x 40001",
               "kill t40001"],
              ["2 successful", "t40003", "t40001: that's me.", "unknown host nohost",
               "t   40002  run", "t    1234  No such task", "tffff0000  Bad parameter"]),
    "spawn": (["spawn nosuchprog", "spawn -> nosuchprog", "spawn -nohost /bin/true", "spawn -FOO /bin/true",
               "spawn -2", "spawn", "spawn -3 -nohost /bin/true", "spawn -0 /bin/true", "jobs"],
              ["0 successful", "No such file", "No such host", "incorrect arg count"]),
    "tickle": (["tickle 5", "tickle 6 3", "tickle 5", "tickle 99", "tickle", "tickle 6 0"], ["( 3 )", "( )"]),
    "reset": (["reset bogus", "put keep 1 x", "reset info", "reset", "names"], ['"bogus" arg to reset not valid']),
}

JOBS = {
    "two tasks": ("spawn -2 -> /bin/echo a  b 'c  d'", ["2 successful", "[1:t40002] a b c  d", "[1:t40003] EOF"]),
    "errors of tasks": ("spawn -> /bin/sh -c 'echo one; echo two >&2; exit 3'", ["[1:t40002] two"]),
    "directory": ("spawn -:/ -> /bin/pwd", ["[1:t40002] /"]),
    "directory on a host": ("spawn -.:/ -> /bin/pwd", ["[1:t40002] /"]),
    "host": ("spawn -. -> /bin/echo here", ["[1:t40002] here"]),
    "architecture": ("spawn -LINUX64 -> /bin/echo here", ["[1:t40002] here"]),
    "grandchildren": ("spawn -> hello.pvm", ["[1:t40002] i'm t40002", "[1:t40003] EOF"]),
}


def without_pids(line):
    """A line of ps -l with its process id replaced."""
    return re.sub(r" +\d+ +(\d+/[fc])", r" <pid> \1", line)


def play(script, system, base):
    with VirtualMachine(base, base) as vm:
        console = Console(vm, system)
        assert console.greeting == "pvmd already running."
        lines = [(command, [without_pids(line) for line in console.do(command)]) for command in script]
        ended = console.quit().ok()
        return lines, ended.err


@pytest.mark.parametrize("pairing", PAIRINGS)
@pytest.mark.parametrize("name", SCRIPTS)
def test_script(name, pairing):
    script, seen = SCRIPTS[name]
    expected = play(script, STOCK, STOCK)
    printed = [line for _, lines in expected[0] for line in lines]
    assert not set(seen) - set(printed), "stock itself does not print it"
    assert play(script, *PAIRINGS[pairing]) == expected


def job_lines(command, system, base):
    """What a job prints: up to the tids in order, then sorted, since tasks run side by side."""
    with VirtualMachine(base, base) as vm:
        console = Console(vm, system)
        lines = console.run_job(command)
        assert console.do("jobs") == []
        console.quit().ok()
        return lines[0], sorted(lines[1:-1]), lines[-1]


@pytest.mark.parametrize("pairing", PAIRINGS)
@pytest.mark.parametrize("name", JOBS)
def test_job(name, pairing):
    command, seen = JOBS[name]
    expected = job_lines(command, STOCK, STOCK)
    assert not set(seen) - set(expected[1]), "stock itself does not print it"
    assert job_lines(command, *PAIRINGS[pairing]) == expected


# what ours does beyond, or where stock's way could not be read


@pytest.fixture
def vm():
    with VirtualMachine(OURS, OURS) as machine:
        yield machine


def run_pvm(vm, text, *arguments):
    """The console with text for input, to its end."""
    return vm.run(OURS.pvmd.parent / "pvm", *arguments, input=text)


def test_end_of_input_quits(vm):
    ended = run_pvm(vm, "version\n\n# nothing\nid\nversion").ok()
    assert ended.out == ("pvmd already running.\npvm> version\n3.4.6\npvm> \npvm> # nothing\npvm> id\nt40001\n"
                         "pvm> version\n3.4.6\npvm> quit\n\nConsole: exit handler called\npvmd still running.\n")
    assert ended.err == ""
    assert vm.tasks() == []


def test_nothing_is_read_behind_quit(vm):
    assert run_pvm(vm, "quit\nversion\n").ok().out.endswith(
        "pvm> quit\n\nConsole: exit handler called\npvmd still running.\n")


def test_long_line(vm):
    word = 100000 * "x"
    assert run_pvm(vm, f"echo {word}\n").ok().out.count(f"{word}\n") == 2


def test_profile_is_carried_out_first(vm):
    (vm.home / ".pvmrc").write_text("alias v version\n# my own\n\nv\nnosuch\n")
    assert run_pvm(vm, "v\n").ok().out.startswith(
        "pvmd already running.\nalias v version\n# my own\n\nv\n3.4.6\nnosuch\nnosuch: not found\npvm> v\n3.4.6\n")
    (vm.home / ".pvmrc").unlink()


def test_profile_that_cannot_be_read_is_told(vm):
    (vm.home / ".pvmrc").mkdir()
    ended = run_pvm(vm, "version\n").ok()
    assert ".pvmrc: Is a directory" in ended.err and "3.4.6" in ended.out
    (vm.home / ".pvmrc").rmdir()


def test_job_output_comes_unasked(vm):
    console, gate = Console(vm, OURS), vm.home / "gate"
    os.mkfifo(gate)
    console.do(f"spawn -> /bin/sh -c 'read x < {gate}; printf abcdef; sleep 0.2; echo; printf gh'")
    gate.write_text("\n")
    assert [console.line() for _ in range(4)] == ["[1:t40002] abcdef", "[1:t40002] gh", "[1:t40002] EOF",
                                                  "[1] finished"]
    console.do("setopt PvmShowTids 0")
    assert console.run_job("spawn -> /bin/echo bare")[-2:] == ["bare", "[2] finished"]
    console.quit().ok()
    gate.unlink()


def test_job_output_in_a_file(vm):
    console, file = Console(vm, OURS), vm.home / "output"
    assert console.run_job(f"spawn ->{file} /bin/echo one")[-1] == "[1] finished"
    assert file.read_text() == "[1:t40002] one\n[1:t40002] EOF\n"
    assert file.stat().st_mode & 0o777 == 0o600
    assert console.do(f"spawn ->{file} /bin/echo two") == ["[2]"]
    assert console.run_job(f"spawn ->>{file} /bin/echo three")[-1] == "[3] finished"
    assert file.read_text() == "[1:t40002] one\n[1:t40002] EOF\n[3:t40003] three\n[3:t40003] EOF\n"
    assert f"{file}: File exists" in console.quit().ok().err
    file.unlink()


def test_jobs_are_listed(vm):
    console = Console(vm, OURS)
    console.do("spawn -2 -> /bin/sleep 1000")
    console.do("spawn -> /bin/sleep 1000")
    assert console.do("jobs") == [" 1: t40002 t40003", " 2: t40004"]
    header, *rows = console.do("jobs -l")
    assert header == "                    HOST      TID   FLAG 0x COMMAND"
    assert [rows[0], rows[3]] == [" 1:", " 2:"]
    assert [row.split()[1:] for row in (rows[1], rows[2], rows[4])] == [
        [tid, "2/f", "/bin/sleep"] for tid in ("40002", "40003", "40004")]
    assert console.do("jobs -x")[0] == "unknown flag -x"
    console.do("kill 40003 t40004")
    wait_until(lambda: console.do("jobs") == [" 1: t40002"], "two tasks have ended")
    console.quit().ok()


def test_reset_ends_all_tasks_but_consoles(vm):
    first, second = Console(vm, OURS), Console(vm, OURS)
    first.do("spawn -2 /bin/sleep 1000")
    first.do("put kept 1 x")
    assert second.do("reset") == []
    wait_until(lambda: len(vm.tasks()) == 2, "the tasks have ended")
    assert first.do("id") == ["t40001"]
    first.quit().ok()
    assert "<kept>:" in second.do("names")
    second.do("reset info kept 1")
    assert "<kept>:" in second.do("names")
    second.do("reset info kept")
    assert "<kept>:" not in second.do("names")
    second.quit().ok()


def test_children_of_a_task_are_killed(vm):
    console = Console(vm, OURS)
    parent = Puppet(vm)
    child = parent.do("spawn", 1, "child", "wait").split()[1]
    other = Puppet(vm)
    console.do(f"kill -c {parent.tid}")
    wait_until(lambda: int(child, 16) not in [task[0] for task in vm.tasks()], "the child has ended")
    assert {int(console.do("id")[0][1:], 16), int(parent.tid, 16), int(other.tid, 16)} == {
        task[0] for task in vm.tasks()}
    console.quit().ok()


def test_signal_is_sent(vm):
    console, task = Console(vm, OURS), Puppet(vm)
    assert console.do(f"sig {int(signal.SIGUSR1)} {task.tid}") == []
    assert task.task.ended().status == -signal.SIGUSR1
    assert console.do("sig x 40001") == ['sig: "x" is not a number']
    console.quit().ok()


def test_help_tells_of_every_command(vm):
    console = Console(vm, OURS)
    listing = console.do("help")
    start = listing.index("Commands are:") + 1
    names = [line.split()[0] for line in listing[start:]]
    assert names == sorted(names) and len(names) == 32
    assert all(line.startswith("  ") and len(line) < 80 for line in listing[start:])
    for name in [*names, "tickle", "idump"]:
        first, second = console.do(f"help {name}")[:2]
        assert first.split()[0] == name and second.split()[:2] == ["Syntax:", name]
        explained = console.do(f"help {name}")
        example = next(line for line in explained if line.startswith("Example:"))
        assert explained.index("") < explained.index(example) and example.split()[1] in (*names, "tickle", "idump")
        assert all(len(line) <= 88 for line in explained)
    assert console.do("help nothing") == []
    console.quit().ok()


def test_halt_ends_everything():
    with VirtualMachine(OURS, OURS) as vm:
        running = vm.processes()
        ended = run_pvm(vm, "spawn /bin/sleep 1000\nhalt\nversion\n").ok()
        assert ended.out.endswith("pvm> halt\n") and ended.err == ""
        assert vm.pvmd.ended().status == 0
        assert not wait_gone(running)


def test_lost_pvmd_is_told():
    vm = VirtualMachine(OURS, OURS).boot()
    try:
        console = Console(vm, OURS)
        assert console.do("id") == ["t40001"]
        vm.pvmd.signal(signal.SIGKILL)
        assert not wait_gone([console.task.pid])        # with its input still open
        ended = console.task.ended()
        assert ended.status == 1 and "the connection to the pvmd is lost" in ended.err
    finally:
        vm.clean_up()


@pytest.mark.parametrize("arguments", [["-x"], ["--helpx"], ["-d"], ["one", "two"]])
def test_unknown_arguments_are_refused(arguments):
    vm = VirtualMachine(OURS, OURS)
    try:
        ended = vm.run(OURS.pvmd.parent / "pvm", *arguments)
        assert ended.status == 1 and "pvm: unknown argument" in ended.err
        vm.check_nothing_left()
    finally:
        vm.clean_up()


def test_pvmd_is_started_if_none_runs():
    vm = VirtualMachine(OURS, OURS)
    try:
        first = run_pvm(vm, "conf\n").ok()
        assert first.out.startswith("pvm> conf\n1 host, 1 data format\n")
        second = run_pvm(vm, "halt\n").ok()
        assert second.out == "pvmd already running.\npvm> halt\n"
        assert not wait_gone(vm.processes())
        vm.check_nothing_left()
    finally:
        vm.clean_up()


def test_arguments_are_the_pvmds():
    vm = VirtualMachine(OURS, OURS)
    try:
        ended = run_pvm(vm, "conf\nhalt\n", "-d0x0", "-n127.0.0.2").ok()
        assert "               127.0.0.2    40000  LINUX64    1000 0x00408c41\n" in ended.out
        assert not wait_gone(vm.processes())
        vm.check_nothing_left()
    finally:
        vm.clean_up()


def test_pvmd_that_does_not_start_is_told():
    vm = VirtualMachine(OURS, OURS, variables={"PVM_TMP": "/nowhere"})
    try:
        ended = run_pvm(vm, "")
        assert ended.status == 1 and ended.out == ""
        assert "Console: Can't start pvmd\n" in ended.err and "the log, /nowhere/pvml." in ended.err
    finally:
        vm.clean_up()


def test_address_of_a_dead_pvmd_is_taken_over():
    vm = VirtualMachine(OURS, OURS)
    try:
        vm.address_file.write_text(f"{vm.folder}/pvmtmp000001.0")
        ended = run_pvm(vm, "conf\nhalt\n").ok()
        assert "1 host, 1 data format\n" in ended.out
        assert not wait_gone(vm.processes())
        vm.check_nothing_left()
    finally:
        vm.clean_up()
