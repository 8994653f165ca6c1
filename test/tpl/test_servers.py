"""Do the servers of tpl/servers serve on three hosts, without polling, and what becomes of them when a node is killed?"""
import os
import re
import signal
import time
from pathlib import Path

import pytest
from support.network import NetworkMachine
from support.places import OURS, STOCK
from support.task import wait_until

GROUNDS = [(OURS, "safe"), (STOCK, "getfds")]
grounds = pytest.mark.parametrize("library, ground", GROUNDS, ids=lambda value: str(value))
# A sanitizer has a thread of its own that sleeps and looks again and again.
watched = pytest.mark.parametrize("library, ground", [pair for pair in GROUNDS if pair[0] is STOCK or not OURS.flags],
                                  ids=lambda value: str(value))
NODES = 3
STILL = 60          # looks in a row at which nothing may have changed before a watch begins
SECONDS = 2         # that an idle server is watched
WAYS_OF_15_QUEENS = 2279184
# System calls that come back by themselves after some time: one that waits with a time-out that is not zero.
TIMED = re.compile(r"nanosleep\(|alarm\(|setitimer\(|timerfd_settime\("
                   r"|\b(?:epoll_p?wait|poll)\(.*, [1-9]\d*(?:\)|, NULL| <unf)"
                   r"|(?:select6?|ppoll)\(.*\{tv_sec=(?!0, tv_[un]sec=0\})"
                   r"|futex\(.*FUTEX_WAIT.*\{tv_sec=")


class Hosts(NetworkMachine):
    """Three hosts with a ground for TPL."""

    def __init__(self, library, ground):
        super().__init__([OURS] * NODES, library, variables={"TPL_GROUND": ground})

    def boot(self):
        super().boot()
        self.add()
        return self

    @staticmethod
    def command(pid):
        try:
            return Path(f"/proc/{pid}/comm").read_text().strip()
        except OSError:
            return ""

    def kill_one(self, name):
        """kill -9 for a node of the program that was spawned."""
        started = {task.pid for task in self.started}
        spawned = {pid for pid in self.network.processes() - started if self.command(pid) == name}
        assert len(spawned) == NODES - 1
        os.kill(max(spawned), signal.SIGKILL)

    def traced(self, program, *words):
        """The first node of a program under strace, and the file with its system calls."""
        file = self.folder / f"{program}.strace"
        self.own.add(file)
        return self.start(program, *words, wrapper=["strace", "-D", "-f", "-qq", "-o", str(file)]), file


def lines(file):
    return file.read_text().splitlines()


def until_still(file):
    """Wait until strace has written nothing for STILL looks, 5 ms apart."""
    history = []

    def still():
        history.append(len(lines(file)))
        return len(history) > STILL and set(history[-STILL:]) == {history[-1]}
    wait_until(still, "it waits")


@grounds
def test_kv(library, ground):
    """Nothing is lost, neither by death nor by deletion."""
    with Hosts(library, ground) as vm:
        server = vm.start("kv", "serve", "shop", NODES)
        server.until("serving")
        client = vm.start("kv", "client", "shop", host="node2", keep_input=True)

        def do(text):
            client.say(f"{text}\n")
            return client.line()
        for i in range(40):
            assert do(f"put key{i} the value {i}") == "success"
        assert do("delete key7") == "success"
        assert do("put key8 another") == "success"
        vm.kill_one("kv")
        for i in range(40):
            wanted = {7: "the request was refused", 8: "another"}.get(i, f"the value {i}")
            assert do(f"get key{i}") == wanted
        for i in range(40, 60):
            assert do(f"put key{i} {i}") == "success"
            assert do(f"get key{i}") == str(i)
        client.ended().ok()
        vm.run("kv", "stop", "shop", host="node3").ok()
        assert re.fullmatch(r"kv: node [12] has died\n", server.ended().ok().err)


@grounds
def test_array(library, ground):
    with Hosts(library, ground) as vm:
        assert vm.run("array", NODES, 300000).ok().out == "counting\n900000 samples of 3 nodes counted right\n"


@grounds
def test_array_ends_with_a_node(library, ground):
    with Hosts(library, ground) as vm:
        first = vm.start("array", NODES, 10 ** 15)
        first.until("counting")
        vm.kill_one("array")
        ended = first.ended().ok(1)
        # The main thread and the pool speak at once; the other node may be the first to know, and stop this one.
        died = r"array: node [12] has died, and its blocks with it\n"
        last = r"array: (the program was stopped|the peer's process has ended)\n"
        assert re.fullmatch(f"{died}{last}|{last}{died}|array: the program was stopped\n", ended.err), f"{ended}"


@grounds
def test_balance(library, ground):
    with Hosts(library, ground) as vm:
        out = vm.run("balance", NODES, 11).ok().out
        assert re.search(r"^2680 ways, 0 of 90 jobs done again, efficiency \d+ % of 3 nodes$", out, re.MULTILINE), out


@grounds
def test_balance_does_lost_work_again(library, ground):
    with Hosts(library, ground) as vm:
        first = vm.start("balance", NODES, 15)
        helping = set()
        while not helping >= {"node 1 helps", "node 2 helps"}:
            helping.add(first.line())
        vm.kill_one("balance")
        ended = first.ended().ok()
        ways, again = re.search(r"^(\d+) ways, (\d+) of", ended.out, re.MULTILINE).groups()
        assert (int(ways), int(again) > 0) == (WAYS_OF_15_QUEENS, True), f"{ended}"
        assert ended.err.count("has died") == 1


@grounds
def test_stream(library, ground):
    """A client that stands still holds up nobody, and a dead server none of its clients."""
    with Hosts(library, ground) as vm:
        server = vm.start("stream", "serve", "radio", NODES)
        server.until("serving")
        slow = vm.start("stream", "watch", "radio", 20, 60, 1, host="node2")
        slow.until("playing")
        slow.signal(signal.SIGSTOP)
        assert vm.run("stream", "watch", "radio", 100, 30, 0, host="node3").ok().out.startswith("playing\n100 streams, 0 ")
        slow.signal(signal.SIGCONT)
        vm.kill_one("stream")
        assert slow.ended().ok().out.startswith("playing\n20 streams, 0 of them broken, ")
        server.signal(signal.SIGTERM)
        assert server.ended().ok().err == ""


@watched
@pytest.mark.parametrize("program, words", [("array", [300000]), ("balance", [12])])
def test_no_computation_polls(library, ground, program, words):
    with Hosts(library, ground) as vm:
        task, file = vm.traced(program, NODES, *words)
        task.ended().ok()
        assert [line for line in lines(file) if TIMED.search(line)] == []


@watched
@pytest.mark.parametrize("program, name, client", [
    ("kv", "shop", ["client", "shop"]), ("stream", "radio", ["watch", "radio", 20, 20, 0])])
def test_no_server_polls(library, ground, program, name, client):
    """An idle server makes no system call at all, a serving one none that comes back by itself."""
    with Hosts(library, ground) as vm:
        server, file = vm.traced(program, "serve", name, NODES)
        server.until("serving")
        commands = "".join(f"put key{i} {i}\nget key{i}\n" for i in range(50))
        ended = vm.run(program, *client, input=commands, host="node2").ok()
        assert ended.out.count("success") in (0, 50)
        until_still(file)
        before = lines(file)
        time.sleep(SECONDS)
        assert lines(file)[len(before):] == []
        assert len(before) > 200 and [line for line in before if TIMED.search(line)] == []
        server.signal(signal.SIGTERM)   # strace -D leaves its process id to the program
        server.ended().ok()


def test_a_timed_call_is_seen():
    """The pattern itself knows what programs that poll do."""
    calls = ["1 clock_nanosleep(CLOCK_REALTIME, 0, {tv_sec=0, tv_nsec=1000000}, NULL) = 0",
             "1 poll([{fd=3, events=POLLIN}], 1, 10) = 0 (Timeout)", "1 epoll_wait(4, [], 8, 5) = 0",
             "1 select(4, [3], NULL, NULL, {tv_sec=0, tv_usec=100}) = 0 (Timeout)",
             "1 pselect6(4, [3], NULL, NULL, {tv_sec=1, tv_nsec=0}, NULL) = 0 (Timeout)",
             "1 futex(0x1, FUTEX_WAIT_BITSET_PRIVATE|FUTEX_CLOCK_REALTIME, 0, {tv_sec=9, tv_nsec=0}, FUTEX_BITSET_MATCH_ANY) = 0"]
    assert [call for call in calls if not TIMED.search(call)] == []
    calls = ["1 poll([{fd=3, events=POLLIN}], 1, -1) = 1 ([{fd=3, revents=POLLIN}])", "1 epoll_wait(4, [], 8, 0) = 0",
             "1 select(4, [3], NULL, NULL, {tv_sec=0, tv_usec=0}) = 0 (Timeout)", "1 select(4, [3], NULL, NULL, NULL) = 1",
             "1 futex(0x1, FUTEX_WAIT_BITSET_PRIVATE|FUTEX_CLOCK_REALTIME, 0, NULL, FUTEX_BITSET_MATCH_ANY) = 0"]
    assert [call for call in calls if TIMED.search(call)] == []
