"""Are user-level processes put away in a file while they run, and do they come back with all that they have?"""
import os
import re
import signal
import time

import pytest
from support import programs
from support.console import Console
from support.network import NetworkMachine
from support.places import OURS
from support.task import wait_until

HOSTS = ["node1", "node2", "node3"]


def network(count, **more):
    programs.find("saved", OURS)
    variables = {"PVM_PATH": f"{programs.folder(OURS)}:{OURS.pvmd.parent}", "PVM_EXPORT": "LD_LIBRARY_PATH"}
    return NetworkMachine([OURS] * count, OURS, variables, **more)


class Ring:
    """The processes of saved.c, and the folder by which they are told what to do."""

    def __init__(self, folder):
        self.folder = folder
        self.file = folder / "file"
        self.tids = []

    def spawn(self, console, count, *words, sink=""):
        answer = console.do(f"spawn {sink} -{count} -ulp saved {' '.join(map(str, (self.folder, *words)))}")
        self.tids = [line[1:] for line in answer if re.fullmatch("t[0-9a-f]+", line)]
        assert len(self.tids) == count, answer

    def done(self):
        """Where each has gone round how often; empty as long as one has not."""
        paths = [self.folder / tid for tid in self.tids]
        lines = [path.read_text() if path.exists() else "" for path in paths]
        return lines if all(lines) else []

    def clear(self):
        for path in self.folder.iterdir():
            if path != self.file:
                path.unlink()

    def finish(self):
        """They go round for the last time, and each has had all messages in order."""
        (self.folder / "stop").touch()
        wait_until(self.done, "all are done")
        ends = self.done()
        assert len(set(ends)) == 1 and re.fullmatch(r"done \d+\n", ends[0]), ends
        self.clear()
        return int(ends[0].split()[1])


@pytest.fixture
def ring(tmp_path):
    return Ring(tmp_path)


def places(console):
    """The host of each of the processes."""
    return {line.split()[1]: line.split()[0] for line in console.do("ps -a") if " saved " in line}


def run_for_a_while():
    time.sleep(0.5)


def put_away(ring, hosts, count, *words):
    """They run on from there. Gives how often they have gone round in the end, and where they were."""
    with network(hosts) as vm:
        if hosts > 1:
            vm.add()
        console = Console(vm, OURS)
        ring.spawn(console, count, *words)
        run_for_a_while()
        answer = console.do(f"checkpoint {ring.file}")
        assert answer[0].startswith(f"{count} processes put away, "), f"{answer}\n{console.quit()}"
        where = places(console)
        assert sorted(where) == sorted(ring.tids)
        rounds = ring.finish()
        console.quit().ok()
    return rounds, where


@pytest.mark.parametrize("before, after", [(1, 1), (2, 2), (3, 3), (3, 1), (1, 3), (3, 2), (2, 3)])
def test_a_program_comes_back_in_another_machine(ring, before, after):
    """With as many hosts, fewer, or more, at full speed before and afterwards."""
    count = 7
    _, where = put_away(ring, before, count)
    with network(after) as vm:
        if after > 1:
            vm.add()
        console = Console(vm, OURS)
        assert console.do(f"restart {ring.file}")[0].startswith(f"{count} processes brought back, ")
        now = places(console)
        assert sorted(now) == sorted(where)
        assert all(now[tid] == host for tid, host in where.items() if host in HOSTS[:after])
        run_for_a_while()
        ring.finish()
        wait_until(lambda: not places(console), "all have ended")
        console.quit().ok()


def test_they_come_back_often(ring):
    """Each time from the same file, in one machine; and what has come back is put away again, and moves."""
    put_away(ring, 2, 5, "grows")
    with network(2) as vm:
        vm.add()
        console = Console(vm, OURS)
        for _ in range(3):
            assert console.do(f"restart {ring.file}")[0].startswith("5 processes brought back, ")
            run_for_a_while()
            for tid, host in places(console).items():
                assert console.do(f"move {tid} {'node2' if host == 'node1' else 'node1'}")[0].startswith(f"t{tid} ")
            run_for_a_while()
            assert console.do(f"checkpoint {ring.file}")[0].startswith("5 processes put away, ")
            ring.finish()
            wait_until(lambda: not places(console), "all have ended")
        # Nobody else has got their tids, and new ones get others as long as they are there.
        console.do(f"restart {ring.file}")
        old = ring.tids
        ring.spawn(console, 5)
        assert not set(old) & set(ring.tids)
        console.quit().ok()


def test_parents_and_notices_come_back(ring):
    with network(2) as vm:
        vm.add()
        console = Console(vm, OURS)
        ring.spawn(console, 4, "watches")
        run_for_a_while()
        before = [line.split()[1:3] for line in console.do("ps -al") if " saved" in line]
        assert console.do(f"checkpoint {ring.file}")[0].startswith("4 processes put away, ")
        console.do("kill " + " ".join(ring.tids))
        wait_until(lambda: not places(console), "all have ended")
        console.quit().ok()
    ring.clear()
    with network(2) as vm:
        vm.add()
        console = Console(vm, OURS)
        console.do(f"restart {ring.file}")
        assert [line.split()[1:3] for line in console.do("ps -al") if " saved" in line] == before
        run_for_a_while()
        assert not (ring.folder / ring.tids[0]).exists()
        (ring.folder / "leave").touch()
        wait_until(ring.done, "the first has heard of the end of the second")
        wait_until(lambda: not places(console), "all have ended")
        console.quit().ok()


def test_what_they_print(ring):
    """It goes to the log of the pvmd, if it went to somebody who is not there any more."""
    with network(1) as vm:
        console = Console(vm, OURS)
        ring.spawn(console, 3, sink="->")
        assert console.do(f"checkpoint {ring.file}")[0].startswith("3 processes put away, ")
        rounds = ring.finish()
        lines = console.do("echo done")
        wait_until(lambda: lines.extend(console.do("echo done")) or any("finished" in line for line in lines), "the job is finished")
        assert len([line for line in lines if line.endswith(f"went round {rounds}")]) == 3
        assert "went round" not in vm.log()
        console.quit().ok()
    with network(1) as vm:
        console = Console(vm, OURS)
        assert console.do(f"restart {ring.file}")[0].startswith("3 processes brought back, ")
        rounds = ring.finish()
        wait_until(lambda: vm.log().count(f"went round {rounds}\n") == 3, "it is on the log")
        assert not [line for line in console.do("echo done") if "went" in line]
        console.quit().ok()


def test_entries_of_the_mailbox_come_back(ring):
    put_away(ring, 2, 5, "owns")
    with network(2) as vm:
        vm.add()
        console = Console(vm, OURS)
        console.do("put saved 0 word")
        assert console.do(f"restart {ring.file}") == [f"t{ring.tids[1]}: an entry of the mailbox has the place of one of its own"]
        wait_until(lambda: not places(console), "none is left")
        console.quit().ok()
        console = Console(vm, OURS)
        assert console.do(f"restart {ring.file}")[0].startswith("5 processes brought back, ")
        ring.finish()
        console.quit().ok()


def test_groups_come_back_with_their_server(ring):
    """If that is a user-level process."""
    with network(2) as vm:
        vm.add()
        console = Console(vm, OURS)
        console.do("setenv PVM_TASKS ulp"), console.do("export PVM_TASKS")
        ring.spawn(console, 5, "joins")
        run_for_a_while()
        answer = console.do(f"checkpoint {ring.file}")
        assert answer[0].startswith("6 processes put away, "), f"{answer}\n{console.quit()}"
        ring.finish()
        console.quit().ok()
    with network(2) as vm:
        vm.add()
        console = Console(vm, OURS)
        assert console.do(f"restart {ring.file}")[0].startswith("6 processes brought back, ")
        run_for_a_while()
        ring.finish()
        console.quit().ok()


@pytest.mark.parametrize("how, why", [("joins", "it is in the group saved, whose server is not put away with it"),
                                      ("opens", "it has an open pipe")])
def test_what_cannot_be_put_away_runs_on(ring, how, why):
    with network(2) as vm:
        vm.add()
        console = Console(vm, OURS)
        ring.spawn(console, 5, how)
        run_for_a_while()
        ring.file.write_text("as it was")
        answer = console.do(f"checkpoint {ring.file}")
        assert len(answer) == 1 and answer[0].endswith(f": {why}"), answer
        assert answer[0][1:].split(":")[0] in ring.tids
        assert ring.file.read_text() == "as it was" and not ring.file.with_suffix(".new").exists()
        ring.finish()
        assert console.do(f"checkpoint {ring.file}") == [f"{ring.file}: there is no user-level process"]
        assert console.do(f"checkpoint {ring.folder}/no/file") == [f"{ring.folder}/no/file: No such file or directory"]
        own = console.do("id")[0]
        assert console.do(f"checkpoint {ring.file} {own}") == [f"{own}: it is no user-level process"]
        assert console.do(f"checkpoint {ring.file} t7ffff") == ["t7ffff: there is no such task"]
        console.quit().ok()


def damage(data, place, byte=b"\xa5"):
    return data[:place] + bytes([data[place] ^ byte[0]]) + data[place + 1:]


def test_files_that_are_not_good(ring):
    """Whatever is wrong with a file, it is said, and nothing is started."""
    put_away(ring, 1, 3)
    good = ring.file.read_bytes()
    with network(1) as vm:
        console = Console(vm, OURS)

        def refused(data):
            ring.file.write_bytes(data)
            answer = console.do(f"restart {ring.file}")
            assert len(answer) == 1 and answer[0].startswith(f"{ring.file}: "), answer
            assert not places(console)
            return answer[0].removeprefix(f"{ring.file}: ")

        assert refused(b"") == "the file ends too early"
        assert refused(b"#!/bin/sh\n" * 100) == "checkpoint has not written it"
        for size in range(1, len(good), len(good) // 40):
            assert refused(good[:size]) == "the file ends too early"
        for place in range(0, len(good), len(good) // 40 + 1):
            assert refused(damage(good, place)) in ("the file is damaged", "the file ends too early", "checkpoint has not written it")
        ring.file.unlink()
        assert console.do(f"restart {ring.file}") == [f"{ring.file}: No such file or directory"]
        ring.file.write_bytes(good)
        assert console.do(f"restart {ring.file}")[0].startswith("3 processes brought back, ")
        assert console.do(f"restart {ring.file}") == [f"t{ring.tids[0]}: its tid is in use"]
        assert sorted(places(console)) == sorted(ring.tids)
        ring.finish()
        console.quit().ok()


@pytest.mark.parametrize("variable, value, why", [
    ("PVM_ULP_REGION", "512", "user-level processes have regions of another size there"),
    ("LD_PRELOAD", "libgomp.so.1", "is another one there, or lies elsewhere"),
], ids=["region", "library"])
def test_a_host_that_differs(ring, variable, value, why):
    """None comes back if one of them cannot, and another try has them all."""
    put_away(ring, 2, 4)
    with network(2, host_variables={"node2": {variable: value}}) as vm:
        vm.add()
        console = Console(vm, OURS)
        answer = console.do(f"restart {ring.file}")
        assert len(answer) == 1 and "on node2: " in answer[0] and why in answer[0], answer
        wait_until(lambda: not places(console), "none is left")
        console.do("delete node2")
        vm.until_hosts("node1")
        assert console.do(f"restart {ring.file}")[0].startswith("4 processes brought back, ")
        ring.finish()
        console.quit().ok()


def begin(console, command):
    """The console is amid it, as far as it gets."""
    console.task.say(f"{command}\n")
    run_for_a_while()


def kill(console):
    os.kill(console.task.pid, signal.SIGKILL)
    console.task.ended()


def test_the_console_dies_amid_a_checkpoint(ring):
    """All run on, and the file stays as it was."""
    with network(2) as vm:
        vm.add()
        console = Console(vm, OURS)
        ring.spawn(console, 6)
        run_for_a_while()
        ring.file.write_text("as it was")
        vm.freeze("node2")
        begin(console, f"checkpoint {ring.file}")
        kill(console)
        vm.thaw("node2")
        assert ring.file.read_text() == "as it was"
        console = Console(vm, OURS)
        assert console.do(f"checkpoint {ring.file}")[0].startswith("6 processes put away, ")
        ring.finish()
        console.quit().ok()


def test_the_console_dies_amid_a_restart(ring):
    """None comes back, and all that was taken for them is free."""
    put_away(ring, 2, 6)
    with network(2) as vm:
        vm.add()
        console = Console(vm, OURS)
        assert console.do(f"restart {ring.file}")[0].startswith("6 processes brought back, ")
        ring.finish()
        wait_until(lambda: not places(console), "all have ended")
        vm.freeze("node2")
        begin(console, f"restart {ring.file}")
        kill(console)
        vm.thaw("node2")
        console = Console(vm, OURS)
        wait_until(lambda: console.do(f"restart {ring.file}")[0].startswith("6 processes brought back, "), "they come back")
        ring.finish()
        console.quit().ok()


def test_a_host_dies_amid_a_restart(ring):
    """None comes back; then all do, where there are hosts."""
    put_away(ring, 3, 6)
    with network(3) as vm:
        vm.add()
        console = Console(vm, OURS)
        vm.freeze("node3")
        begin(console, f"restart {ring.file}")
        vm.kill("node3")
        assert [line for line in console.do("echo done") if "left the virtual machine" in line]
        vm.until_hosts("node1", "node2")
        vm.remove_files("node3")
        assert not places(console)
        assert console.do(f"restart {ring.file}")[0].startswith("6 processes brought back, ")
        assert set(places(console).values()) == {"node1", "node2"}
        ring.finish()
        console.quit().ok()


@pytest.mark.parametrize("milliseconds", [0, 5, 20, 60, 150])
def test_a_host_dies_amid_a_checkpoint(ring, milliseconds):
    """Whatever has been done by then: those on the other host run on, and there is a whole file or none."""
    with network(2) as vm:
        vm.add()
        console = Console(vm, OURS)
        ring.spawn(console, 40, "alone")
        run_for_a_while()
        ring.tids = [tid for tid, host in places(console).items() if host == "node1"]
        assert len(ring.tids) == 20
        console.task.say(f"checkpoint {ring.file}\n")
        time.sleep(milliseconds / 1000)
        vm.kill("node2")
        answer = next(line for line in console.do("echo done") if not line.startswith("checkpoint"))
        assert ("processes put away" in answer) == ring.file.exists(), answer
        vm.until_hosts("node1")
        vm.remove_files("node2")
        assert sorted(places(console)) == sorted(ring.tids)
        assert console.do(f"checkpoint {ring.file}")[0].startswith("20 processes put away, ")
        (ring.folder / "stop").touch()
        wait_until(ring.done, "all are done")
        console.quit().ok()


def test_they_move_meanwhile(ring):
    """At any time some are on their way, to and fro."""
    with network(3) as vm:
        vm.add()
        console, mover = Console(vm, OURS), Console(vm, OURS)
        ring.spawn(console, 9)
        for _ in range(6):
            for host in HOSTS:
                mover.task.say(f"move {' '.join(ring.tids)} {host}\n")
            run_for_a_while()
            answer = console.do(f"checkpoint {ring.file}")
            assert answer[0].startswith("9 processes put away, "), answer
        ring.finish()
        mover.quit().ok()
        wait_until(lambda: not places(console), "all have ended")
        for _ in range(2):
            assert console.do(f"restart {ring.file}")[0].startswith("9 processes brought back, ")
            run_for_a_while()
            ring.finish()
            wait_until(lambda: not places(console), "all have ended")
        console.quit().ok()
