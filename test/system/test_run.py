"""Does pvmrun run programs as a shell runs one, on one host or several, and leave nothing behind?"""
import contextlib
import hashlib
import os
import re
import signal
import textwrap
from pathlib import Path

import pytest
from support import programs
from support.console import Console
from support.machine import VirtualMachine, processes_with, wait_gone
from support.network import NetworkMachine
from support.places import OURS, STOCK, TOP, WRAPPER
from support.task import send_signal, sleeps, text_of, wait_until

PVMRUN = OURS.pvmd.with_name("pvmrun")
# Looks in a row at which nothing may have changed, before a process counts as one that waits.
STILL = 30
SHOW = 'echo "$PVM_RUN_RANK of $PVM_RUN_SIZE"'


class NoMachine(VirtualMachine):
    """The surroundings of a virtual machine in which none runs."""

    def __init__(self, **variables):
        super().__init__(OURS, OURS, {"PVM_PATH": str(OURS.pvmd.parent), **variables})

    def processes(self):
        return processes_with(f"PVM_TMP={self.folder}")

    def files(self):
        return [name for name in super().files() if not name.startswith("home/")]

    def boot(self):
        return self

    def __exit__(self, kind, value, trace):
        try:
            if kind is None:
                self.check_nothing_left()
        finally:
            self.clean_up()


def pvmrun(vm, *words, status=0, **options):
    """The lines of its standard output."""
    return vm.run(PVMRUN, *words, **options).ok(status).out.splitlines()


@pytest.fixture
def alone():
    with NoMachine() as vm:
        yield vm


def ranks():
    return programs.build("ranks", OURS)


# What comes out.

def test_a_program_that_knows_no_pvm(alone):
    assert pvmrun(alone, "-n", 3, "echo", "hello  world") == ["hello  world"] * 3
    assert pvmrun(alone, "pwd") == [str(alone.home)]


def test_the_first_program_of_the_readme():
    """In a shell that finds what is installed."""
    lines, = re.findall(r"six lines lead to a first program:\n\n((?:    .*\n)+)", (TOP / "README").read_text())
    assert len(lines.splitlines()) == 6
    script = textwrap.dedent(lines).replace("cc", " ".join(["cc", *OURS.flags]))
    with NoMachine(PATH=f"{OURS.pvmd.parent}:{os.environ['PATH']}", CPATH=str(OURS.include),
                   LIBRARY_PATH=str(OURS.libraries), LD_LIBRARY_PATH=str(OURS.libraries)) as vm:
        hellos = vm.run(Path("/bin/sh"), "-c", script).ok().out.splitlines()
        for file in vm.home.glob("hello*"):
            file.unlink()
    assert len(set(hellos)) == 4
    assert all(re.fullmatch("hello from t[0-9a-f]+", hello) for hello in hellos)


def test_the_machine_that_runs_is_used_and_stays():
    with VirtualMachine(OURS, OURS) as vm:
        assert pvmrun(vm, "-n", 2, "sh", "-c", "echo $PVMSOCK") == [vm.socket] * 2
        wait_until(lambda: vm.tasks() == [], "no task is left")


def test_standard_output_and_error_stay_apart(alone):
    ended = alone.run(PVMRUN, "-n", 2, "sh", "-c", "echo out; echo err >&2").ok()
    assert (ended.out, ended.err) == ("out\n" * 2, "err\n" * 2)


def test_lines_are_whole_and_have_labels(alone):
    """Each rank writes its lines in two pieces."""
    writes = 'for i in 1 2 3 4 5 6 7 8 9; do printf "$PVM_RUN_RANK-"; printf "$i\\n"; done; printf end'
    lines = pvmrun(alone, "-l", "-n", 3, "sh", "-c", writes)
    for rank in range(3):
        own = [line for line in lines if line.startswith(f"[{rank}] ")]
        assert own == [f"[{rank}] {rank}-{i}" for i in range(1, 10)] + [f"[{rank}] end"]
    assert len(lines) == 30


def test_a_question_of_a_single_task_comes_before_its_answer(alone):
    task = alone.start(PVMRUN, "sh", "-c", "printf 'name? '; read name; echo $name", keep_input=True)
    task.until_prompt("name? ")
    task.say("Ada\n")
    assert task.ended().ok().out == "name? Ada\n"


def test_all_of_a_long_output_comes(alone, long_run):
    count = 500000 if long_run else 50000
    lines = pvmrun(alone, "-n", 2, "seq", 1, count)
    assert sorted(map(int, lines)) == [i for i in range(1, count + 1) for _ in range(2)]


def test_a_program_waits_for_a_reader_that_is_slow(alone):
    """What is underway is bounded by a window, the queue of pvmrun, and pipes."""
    written = alone.home / "written"
    task = alone.start(PVMRUN, ranks(), "write", written)
    program, = wait_until(lambda: [pid for pid in alone.processes()
                                   if text_of(Path(f"/proc/{pid}/comm")) == "ranks\n"], "it runs")

    def stands():
        before = text_of(written)
        return before and sleeps(program) and "pipe" in text_of(Path(f"/proc/{program}/wchan")) \
            and text_of(written) == before
    wait_until(stands, "it waits for its reader")
    assert int(text_of(written)) < 4096
    task.signal(signal.SIGTERM)
    assert task.ended().status == 128 + signal.SIGTERM


def test_an_output_that_is_closed_ends_all(alone):
    alone.run("/bin/sh", "-c", f"{PVMRUN} -n 2 yes | head -n 1").ok()
    assert "cannot write to the standard output" in \
        alone.run("/bin/sh", "-c", f"{PVMRUN} -n 2 seq 1 100000 > /dev/full; test $? = 1").ok().err


# What goes in.

def with_input(vm, folder, text, *words):
    """The lines of pvmrun, whose input is a file: nobody has to be there to write it."""
    (folder / "input").write_text(text)
    command = " ".join(map(str, (PVMRUN, *words)))
    return vm.run("/bin/sh", "-c", f"exec {command} < {folder}/input").ok().out.splitlines()


@pytest.mark.parametrize("words, readers", [((), [0]), (("--stdin", 1), [1]), (("--stdin", "all"), [0, 1]),
                                            (("--stdin", "none"), [])], ids=str)
def test_who_gets_the_input(alone, words, readers, tmp_path):
    text = "".join(f"line {i}\n" for i in range(40000))
    lines = with_input(alone, tmp_path, text, *words, "-l", "-n", 2, "md5sum")
    assert sorted(lines) == sorted(
        f"[{rank}] {hashlib.md5((text if rank in readers else '').encode()).hexdigest()}  -" for rank in (0, 1))


def test_input_that_nobody_reads(alone, tmp_path):
    assert with_input(alone, tmp_path, "x" * 1000000, "echo", "done") == ["done"]


def test_a_rank_that_does_not_exist_gets_no_input(alone):
    assert "the ranks are 0 to 1" in alone.run(PVMRUN, "--stdin", 2, "-n", 2, "cat").ok(1).err


# Where and how a program runs.

def test_paths_mean_what_they_mean_in_a_shell(alone):
    folder = alone.home / "sub"
    folder.mkdir()
    script = folder / "script"
    script.write_text("#!/bin/sh\npwd\n")
    script.chmod(0o700)
    assert pvmrun(alone, "sub/script") == [str(alone.home)]
    assert pvmrun(alone, "-wdir", "sub", "./script") == [str(folder)]
    assert pvmrun(alone, "-wdir", "/", script) == ["/"]
    assert pvmrun(alone, "script", variables={"PATH": f"{folder}:{os.environ['PATH']}"}) == [str(alone.home)]
    script.chmod(0o600)
    assert f"rank 0 on {os.uname().nodename.split('.')[0]}" in alone.run(PVMRUN, "sub/script").ok(126).err
    assert "the working folder" in alone.run(PVMRUN, "-wdir", "nowhere", "true").ok(126).err


def test_a_program_that_is_not_there(alone):
    (alone.home / "here").write_text("#!/bin/sh\n")
    assert "in none of the folders of PATH" in alone.run(PVMRUN, "-n", 2, "no-such-program").ok(127).err
    assert "there is no file ./no-such-program" in alone.run(PVMRUN, "./no-such-program").ok(127).err
    assert "is ./here" in alone.run(PVMRUN, "here").ok(127).err


def test_variables(alone):
    given = {"OF_CALLER": "a b", "PVM_SPIN": "0", "CHANGED": "before"}
    lines = pvmrun(alone, "-genv", "OF_ALL", 1, "-x", "CHANGED=after", "-env", "PAIR", "two", "env", ":", "env",
                   variables=given)
    for expected, count in {"OF_CALLER=a b": 2, "PVM_SPIN=0": 2, "CHANGED=after": 1, "CHANGED=before": 1, "OF_ALL=1": 2,
                            "PAIR=two": 1, "PVM_RUN=1": 2, "PVM_RUN_SIZE=2": 2, "PVM_RUN_RANK=0": 1}.items():
        assert lines.count(expected) == count, expected


def processors(text, allowed):
    """Those of a list such as 0,2-3 that are among the allowed ones."""
    ranges = [part.partition("-") for part in text.strip().split(",")]
    return frozenset(i for first, _, last in ranges for i in range(int(first), int(last or first) + 1) if i in allowed)


def test_processors(alone):
    allowed = sorted(os.sched_getaffinity(0))
    own = "grep", "Cpus_allowed_list", "/proc/self/status"
    lines = pvmrun(alone, "-l", "-n", 2 * len(allowed), "--bind", "thread", *own)
    assert sorted(lines) == sorted(f"[{i}] Cpus_allowed_list:\t{allowed[i % len(allowed)]}"
                                   for i in range(2 * len(allowed)))
    assert pvmrun(alone, "--bind", f"{allowed[-1]}", *own) == [f"Cpus_allowed_list:\t{allowed[-1]}"]
    for kind in ("core", "package"):
        known = {processors(Path(f"/sys/devices/system/cpu/cpu{i}/topology/{kind}_cpus_list").read_text(), allowed)
                 for i in allowed}
        assert {processors(line.split()[-1], allowed)
                for line in pvmrun(alone, "-n", len(known), "--bind", kind, *own)} == known
    for kind in ("numa", "none"):
        assert len(pvmrun(alone, "--bind", kind, *own)) == 1
    assert "--bind 1023" in alone.run(PVMRUN, "--bind", 1023, "true").ok(126).err


# What the tasks know of each other.

def test_the_list_of_the_ranks(alone):
    lines = pvmrun(alone, "-n", 2, ranks(), "list", ":", ranks(), "list")
    assert sorted(lines) == [f"{rank} of 3: 0 0 1 1" for rank in range(3)]


def test_whether_a_task_has_a_parent(alone):
    assert pvmrun(alone, ranks(), "parent") == ["1 1"]
    assert pvmrun(alone, "--no-parent", ranks(), "parent") == ["0 (null)"]


def test_a_daemon_of_3_4_6():
    with VirtualMachine(STOCK, OURS) as vm:
        lines = pvmrun(vm, "-n", 2, "sh", "-c", "echo $PVM_RUN_RANK; exit 3", status=3)
        assert sorted(lines) == ["0", "1"]
        assert sorted(pvmrun(vm, "-n", 2, ranks(), "list")) == ["0 of 2: 0 0 1", "1 of 2: 0 0 1"]
        vm.run(PVMRUN, "-n", 2, "sh", "-c", "test $PVM_RUN_RANK = 0 || kill -9 $$; sleep 1000").ok(137)


def test_the_list_goes_with_pvmrun():
    with VirtualMachine(OURS, OURS) as vm:
        with running(vm, ranks(), "wait") as task:
            console = Console(vm, OURS)
            assert any("pvmrun." in line for line in console.do("names"))
            task.signal(signal.SIGTERM)
            task.ended()
            assert not any("pvmrun." in line for line in console.do("names"))
            console.quit().ok()


# Tasks that are no processes.

def check_tasks_of_one_process(alone, kind):
    lines = pvmrun(alone, "--tasks", kind, "-n", 3, ranks(), "list")
    assert sorted(lines) == [f"{rank} of 3: 0 0 0 1" for rank in range(3)]
    lines = pvmrun(alone, "--tasks", kind, "-l", "-n", 1, ranks(), "list", ":", "-n", 2, ranks(), "list")
    assert sorted(lines) == [f"[{rank}] {rank} of 3: 0 1 1 1" for rank in range(3)]
    alone.run(PVMRUN, "--tasks", kind, ranks(), "abort", 6).ok(6)
    with running(alone, "--tasks", kind, ranks(), "wait") as task:
        task.signal(signal.SIGTERM)
        assert task.ended().status == 128 + signal.SIGTERM


def test_threads(alone):
    check_tasks_of_one_process(alone, "thread")


def test_user_level_processes(alone):
    check_tasks_of_one_process(alone, "ulp")


def test_the_status_of_user_level_processes(alone):
    alone.run(PVMRUN, "--tasks", "ulp", "-n", 2, ranks(), "list", ":", ranks(), "leave", 4).ok(4)
    assert "lost" in alone.run(PVMRUN, "--tasks", "ulp", "-n", 2, ranks(), "wait", ":", ranks(),
                                                   "crash").ok(137).err


def test_what_is_missing_for_tasks_of_one_process(alone):
    assert "-rdynamic" in alone.run(PVMRUN, "--tasks", "thread", "true").ok(1).err
    assert "PATH" in alone.run(PVMRUN, "--tasks", "ulp", "no-such-program").ok(1).err


# How it ends.

def test_the_status_is_the_first_that_is_not_0(alone):
    alone.run(PVMRUN, "-n", 3, "sh", "-c", "test $PVM_RUN_RANK != 1 || exit 7").ok(7)


def test_a_killed_task_ends_all(alone):
    ended = alone.run(PVMRUN, "-n", 3, "sh", "-c", "test $PVM_RUN_RANK != 1 || kill -9 $$; sleep 1000").ok(137)
    assert "rank 1" in ended.err and "signal 9" in ended.err


def test_a_task_may_end_all_with_a_status(alone):
    alone.run(PVMRUN, "-n", 2, ranks(), "wait", ":", ranks(), "abort", 5).ok(5)


def test_a_time_that_is_over(alone):
    assert "--timeout" in alone.run(PVMRUN, "--timeout", 0.2, "-n", 2, "sleep", 1000).ok(124).err


@contextlib.contextmanager
def running(vm, *words, count=2, **options):
    """pvmrun, whose tasks have each printed a line."""
    task = vm.start(PVMRUN, "-n", count, *words, **options)
    for _ in range(count):
        task.line()
    yield task
    task.ended()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=str)
def test_a_signal_ends_all(alone, number):
    # Whoever runs the tests may ignore SIGHUP.
    with running(alone, ranks(), "wait", wrapper=["env", "--default-signal=HUP", *WRAPPER]) as task:
        task.signal(number)
        assert task.ended().status == 128 + number


def test_the_end_of_the_terminal_is_no_end_after_nohup(alone):
    with running(alone, ranks(), "wait", wrapper=["env", "--ignore-signal=HUP", *WRAPPER]) as task:
        task.signal(signal.SIGHUP)
        task.signal(signal.SIGTERM)
        assert task.ended().status == 128 + signal.SIGTERM


def test_a_second_signal_kills(alone):
    with running(alone, ranks(), "trap") as task:
        task.signal(signal.SIGINT)
        task.until("trapped")
        task.until("trapped")
        task.signal(signal.SIGINT)
        assert task.ended().status == 128 + signal.SIGINT


def test_nothing_outlives_a_pvmrun_that_was_killed(alone):
    with running(alone, ranks(), "wait") as task:
        task.signal(signal.SIGKILL)
        assert task.ended().status == -signal.SIGKILL
        assert not wait_gone(alone.processes())


def test_nothing_outlives_a_pvmrun_that_was_killed_in_the_machine_of_a_user():
    with VirtualMachine(OURS, OURS) as vm:
        with running(vm, ranks(), "wait") as task:
            task.signal(signal.SIGKILL)
            task.ended()
            vm.settle()
        wait_until(lambda: vm.tasks() == [], "no task is left")


def test_a_killed_supervisor_takes_its_program_along(alone):
    with running(alone, ranks(), "wait") as task:
        victim = min(pid for pid in alone.processes()
                     if "--supervise" in text_of(Path(f"/proc/{pid}/cmdline")).split("\0"))
        send_signal(victim, signal.SIGKILL)
        ended = task.ended().ok(137)
        assert "is lost" in ended.err


def test_a_machine_that_ends_meanwhile():
    with VirtualMachine(OURS, OURS) as vm:
        with running(vm, ranks(), "wait") as task:
            vm.stop()
            assert task.ended().status != 0


# On several hosts.

def hosts_of(lines):
    return {int(rank): host for rank, host in (re.fullmatch(r"\[(\d+)\] (\w+)", line).groups() for line in lines)}


@contextlib.contextmanager
def network(count, **variables):
    with NetworkMachine([OURS] * count, OURS, variables) as vm:
        yield vm


def test_hosts_and_slots(tmp_path):
    with network(3) as vm:
        vm.add("node2")
        assert hosts_of(pvmrun(vm, "-l", "-n", 4, "hostname")) == {0: "node1", 1: "node1", 2: "node2", 3: "node2"}
        assert hosts_of(pvmrun(vm, "-l", "-H", "node3,node2:2", "hostname")) == {0: "node3", 1: "node2", 2: "node2"}
        vm.until_hosts("node1", "node2", "node3")
        assert hosts_of(pvmrun(vm, "-l", "-ppn", 1, "-n", 4, "hostname")) == \
            {0: "node1", 1: "node2", 2: "node3", 3: "node1"}
        assert hosts_of(pvmrun(vm, "-l", "-host", "node2", "hostname", ":", "-n", 2, "-host", "node3", "hostname")) == \
            {0: "node2", 1: "node3", 2: "node3"}
        file = tmp_path / "hosts"
        file.write_text("# two hosts\nnode2 slots=1\nnode1:2\n")
        assert hosts_of(pvmrun(vm, "-l", "-hostfile", file, "hostname")) == {0: "node2", 1: "node1", 2: "node1"}
        said = vm.run(PVMRUN, "-H", "node9", "hostname").ok(1).err
        assert "node9" in said and "pvm --check node9" in said
        checked = pvmrun(vm, "--check", "-n", 2, "-H", "node1,node2", ranks())
        assert checked[:3] == ["the running virtual machine, 3 hosts", f"rank 0: {ranks()} on node1",
                               f"rank 1: {ranks()} on node2"]
        assert f"node2: {ranks()}" in checked


def test_input_ranks_and_ends_across_hosts():
    with network(2) as vm:
        vm.add()
        assert pvmrun(vm, "--stdin", 1, "-H", "node1,node2", "-l", "cat", input="far\n") == ["[1] far"]
        assert sorted(pvmrun(vm, "-n", 4, ranks(), "list")) == [f"{rank} of 4: 0 0 0 0 1" for rank in range(4)]
        vm.run(PVMRUN, "-n", 2, "sh", "-c", "test `hostname` = node1 || exit 3").ok(3)
        with running(vm, ranks(), "wait") as task:
            task.signal(signal.SIGKILL)
            task.ended()
            wait_until(lambda: vm.tasks() == [], "no task is left")


def test_a_host_that_dies():
    with network(2) as vm:
        vm.add()
        with running(vm, "-H", "node1,node2", ranks(), "wait") as task:
            vm.kill("node2")
            assert "rank 1 on node2 is lost" in task.ended().ok(137).err
        vm.remove_files("node2")


def test_a_private_machine_of_two_hosts():
    """No daemon runs when it begins, nor when it has ended."""
    machine = NetworkMachine([OURS] * 2, OURS)
    try:
        machine.lay_network()
        lines = machine.run(PVMRUN, "-l", "-H", "node1,node2", "hostname").ok().out.splitlines()
        assert hosts_of(lines) == {0: "node1", 1: "node2"}
        for host in machine.names:
            machine.until_empty(host)
        assert [name for name in machine.files() if "pvm" in name] == []
    finally:
        machine.clean_up()


# The command line.

def test_waiting_costs_nothing(alone):
    """No thread of pvmrun, of the supervisors or of the keeper runs while the programs wait."""
    with running(alone, ranks(), "wait") as task:
        def switches():
            return {pid: re.findall(r"ctxt_switches:\t(\d+)", text_of(Path(f"/proc/{pid}/status")))
                    for pid in alone.processes() if text_of(Path(f"/proc/{pid}/comm")) == "pvmrun\n"}
        looks = []

        def still():
            looks.append(switches() if all_sleep(alone) else None)
            return looks[-1] is not None and looks[-STILL:] == STILL * looks[-1:]
        wait_until(still, "all wait")
        before = looks[-1]
        assert len(before) == 4
        with running(alone, ranks(), "wait", count=1) as other:
            other.signal(signal.SIGTERM)
            other.ended()
        assert {pid: switches()[pid] for pid in before} == before
        task.signal(signal.SIGTERM)


def all_sleep(vm):
    return all(sleeps(pid) for pid in vm.processes())


@pytest.mark.parametrize("words, said", [
    (["-n", "x", "true"], "-n needs a number"), (["-n"], "-n needs a value"), ([], "the name of a program is missing"),
    (["--no-such", "true"], "there is no option --no-such"), (["-mca", "a", "b", "true"], "belongs to another mpiexec"),
    (["true", ":"], "the name of a program is missing"), (["-H", "a:0", "true"], "needs a number"),
    (["-f", "/no/such/file", "true"], "No such file"), (["--bind", "x", "true"], "--bind needs"),
    (["--tasks", "fiber", "true"], "--tasks needs"), (["--timeout", "-1", "true"], "--timeout needs")], ids=str)
def test_words_that_make_no_sense(alone, words, said):
    assert said in alone.run(PVMRUN, *words).ok(1).err


def test_words_of_other_mpiexecs(alone):
    for name in ("mpiexec", "mpirun"):
        assert pvmrun(alone, "--help")[0].startswith("usage: pvmrun")
        lines = alone.run(PVMRUN.with_name(name), "--oversubscribe", "--allow-run-as-root", "-np", "2", "--bind-to",
                          "none", "--map-by", "slot", "sh", "-c", SHOW).ok().out.splitlines()
        assert sorted(lines) == ["0 of 2", "1 of 2"]
    assert re.fullmatch(r"pvmrun \(PVM\) [\d.]+", pvmrun(alone, "--version")[0])


def test_many(alone, long_run):
    count = 300 if long_run else 40
    assert sorted(map(int, pvmrun(alone, "-n", count, "sh", "-c", "echo $PVM_RUN_RANK"))) == list(range(count))
