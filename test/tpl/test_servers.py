"""Do the servers of tpl/servers serve on three hosts, without polling, and what becomes of them when a node is killed?"""
import os
import re
import signal
import time
from pathlib import Path

import pytest
from support.network import NetworkMachine, name_of
from support.places import OURS, PRELOADED, STOCK, library_path
from support.task import text_of, wait_until

# The library of tasks, and their environment.
GROUNDS = {"ours": (OURS, {"TPL_GROUND": "safe"}), "stock": (STOCK, {"TPL_GROUND": "getfds"}),
           "stock-preload": (STOCK, {"TPL_GROUND": "safe", **PRELOADED})}
grounds = pytest.mark.parametrize("ground", GROUNDS)
# A sanitizer has a thread of its own that sleeps and looks again and again.
watched = pytest.mark.parametrize("ground", [name for name, (library, _) in GROUNDS.items() if not library.flags])
NODES = 3
SECONDS = 2         # that an idle program is watched
CLIENTS = 8 * (os.cpu_count() or 1)     # of kv: four for each thread of its pool
CHANGES = 50        # of each
WAYS_OF_16_QUEENS = 14772512     # which take long enough to find all nodes at work
# System calls that come back by themselves after some time: one that waits with a time-out that is not zero.
TIMED = re.compile(r"nanosleep\(|alarm\(|setitimer\(|timerfd_settime\("
                   r"|\b(?:epoll_p?wait|poll)\(.*, [1-9]\d*(?:\)|, NULL| <unf)"
                   r"|(?:select6?|ppoll)\(.*\{tv_sec=(?!0, tv_[un]sec=0\})"
                   r"|futex\(.*FUTEX_WAIT.*\{tv_sec=")


class Hosts(NetworkMachine):
    """Three hosts with a ground for TPL."""

    def __init__(self, ground):
        library, variables = GROUNDS[ground]
        self.preloaded = variables.get("LD_PRELOAD", "").split()
        # What is spawned on a host gets the environment of its pvmd, which has no library for tasks.
        paths = {name_of(number): {"LD_LIBRARY_PATH": library_path(library)} for number in range(1, NODES + 1)}
        super().__init__([OURS] * NODES, library, variables=variables, host_variables=paths)

    def boot(self):
        super().boot()
        self.add()
        return self

    def spawned(self, name):
        """Process ids of the nodes of a program that were spawned, on the library that is meant."""
        pids = {pid for pid in self.network.processes() if text_of(Path(f"/proc/{pid}/comm")).strip() == name}
        pids -= {task.pid for task in self.started}
        assert len(pids) == NODES - 1
        wanted = [self.library.libraries / "libpvm3.so.3", *self.preloaded]
        for pid in pids:
            libraries = re.findall(r"/\S*/libpvm3\S*", text_of(Path(f"/proc/{pid}/maps")))
            assert set(libraries) == {str(Path(path).resolve()) for path in wanted}
        return pids

    def kill_one(self, name):
        os.kill(max(self.spawned(name)), signal.SIGKILL)

    @staticmethod
    def work_of(pids):
        """What the scheduler counts of each thread: nanoseconds that it ran and that it waited for that, and how often."""
        return {path: text_of(path) for pid in pids for path in Path(f"/proc/{pid}/task").glob("*/schedstat")}

    def until_idle(self, pids, file):
        """Wait until, for a while, no thread has run and nothing has made a system call, by the scheduler and strace.

        What is still on its way when the watch begins may take any time; a program that polls never comes so far.
        """
        def rests():
            before = len(lines(file)), self.work_of(pids)
            time.sleep(SECONDS)
            return (len(lines(file)), self.work_of(pids)) == before
        wait_until(rests, "nothing runs")

    def traced(self, program, *words):
        """The first node of a program under strace, and the file with its system calls."""
        file = self.folder / f"{program}.strace"
        self.own.add(file)
        return self.start(program, *words, wrapper=["strace", "-D", "-f", "-qq", "-o", str(file)]), file


def lines(file):
    return file.read_text().splitlines()


def timed_calls(file):
    """Those of a node that has begun, as its first words show; the patience of tpl_start is a time limit."""
    calls = lines(file)
    begun = next(i for i, line in enumerate(calls) if " write(1, " in line)
    return [line for line in calls[begun:] if TIMED.search(line)]


@grounds
def test_kv(ground):
    """Nothing is lost, neither by death nor by deletion."""
    with Hosts(ground) as vm:
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
def test_kv_has_more_clients_than_workers(ground):
    """Changes at each node wait for copies at another one, and fill its pool."""
    with Hosts(ground) as vm:
        server = vm.start("kv", "serve", "shop", NODES)
        server.until("serving")
        clients = [vm.start("kv", "client", "shop", host=name_of(i % NODES + 1), keep_input=True)
                   for i in range(CLIENTS)]
        for number, client in enumerate(clients):
            client.say("".join(f"put key{number}.{i} {i}\n" for i in range(CHANGES)))
        assert [client.ended().ok().out for client in clients] == ["success\n" * CHANGES] * CLIENTS
        vm.run("kv", "stop", "shop").ok()
        assert server.ended().ok().err == ""


@grounds
def test_array(ground):
    with Hosts(ground) as vm:
        assert vm.run("array", NODES, 300000).ok().out == "counting\n900000 samples of 3 nodes counted right\n"


@grounds
def test_array_ends_with_a_node(ground):
    with Hosts(ground) as vm:
        first = vm.start("array", NODES, 10 ** 15)
        first.until("counting")
        vm.kill_one("array")
        ended = first.ended().ok(1)
        # The main thread and the pool speak at once; the other node may be the first to know, and stop this one.
        died = r"array: node [12] has died, and its blocks with it\n"
        last = r"array: (the program was stopped|the peer's process has ended)\n"
        assert re.fullmatch(f"{died}{last}|{last}{died}|array: the program was stopped\n", ended.err), f"{ended}"


@grounds
def test_balance(ground):
    with Hosts(ground) as vm:
        out = vm.run("balance", NODES, 11).ok().out
        assert re.search(r"^2680 ways, 0 of 64 jobs done again, efficiency \d+ % of 3 nodes$", out, re.MULTILINE), out


@grounds
def test_balance_does_lost_work_again(ground):
    with Hosts(ground) as vm:
        first = vm.start("balance", NODES, 16)
        helping = set()
        while not helping >= {"node 1 helps", "node 2 helps"}:
            helping.add(first.line())
        vm.kill_one("balance")
        ended = first.ended().ok()
        ways, again = re.search(r"^(\d+) ways, (\d+) of", ended.out, re.MULTILINE).groups()
        assert (int(ways), int(again) > 0) == (WAYS_OF_16_QUEENS, True), f"{ended}"
        assert ended.err.count("has died") == 1


@grounds
def test_stream(ground):
    """A client that stands still holds up nobody, and a dead server none of its clients."""
    with Hosts(ground) as vm:
        server = vm.start("stream", "serve", "radio", NODES)
        server.until("serving")
        slow = vm.start("stream", "watch", "radio", 20, 60, 1, host="node2")
        slow.until("playing")
        slow.signal(signal.SIGSTOP)
        fast = vm.run("stream", "watch", "radio", 100, 30, 0, host="node3").ok()
        assert fast.out.startswith("playing\n100 streams, 0 ")
        slow.signal(signal.SIGCONT)
        vm.kill_one("stream")
        assert slow.ended().ok().out.startswith("playing\n20 streams, 0 of them broken, ")
        server.signal(signal.SIGTERM)
        assert server.ended().ok().err == ""


@watched
@pytest.mark.parametrize("program, words, ready, ends", [("array", [10 ** 15], ["counting"], False),
                                                        ("balance", [16], ["node 1 helps", "node 2 helps"], True)])
def test_no_computation_polls(ground, program, words, ready, ends):
    """Nodes that wait for one that stands still do not run at all; no call of a computing one comes back by itself."""
    with Hosts(ground) as vm:
        first, file = vm.traced(program, NODES, *words)
        said = set()
        while not said >= set(ready):
            said.add(first.line())
        frozen, other = vm.spawned(program)
        os.kill(frozen, signal.SIGSTOP)
        vm.until_idle({first.pid, other}, file)
        os.kill(frozen, signal.SIGCONT)
        if not ends:
            before = len(lines(file))
            wait_until(lambda: len(lines(file)) > before + 1000, "they go on")
            first.signal(signal.SIGTERM)    # strace -D leaves its process id to the program
        first.ended().ok(0 if ends else 1)
        assert timed_calls(file) == []


@watched
@pytest.mark.parametrize("program, name, client", [
    ("kv", "shop", ["client", "shop"]), ("stream", "radio", ["watch", "radio", 20, 20, 0])])
def test_no_server_polls(ground, program, name, client):
    """An idle server does not run at all; no call of a serving one comes back by itself."""
    with Hosts(ground) as vm:
        server, file = vm.traced(program, "serve", name, NODES)
        server.until("serving")
        commands = "".join(f"put key{i} {i}\nget key{i}\n" for i in range(50))
        ended = vm.run(program, *client, input=commands, host="node2").ok()
        assert ended.out.count("success") in (0, 50)
        vm.until_idle({server.pid} | vm.spawned(program), file)
        assert len(lines(file)) > 200 and timed_calls(file) == []
        server.signal(signal.SIGTERM)
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
