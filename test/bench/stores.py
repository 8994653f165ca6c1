#!/usr/bin/python3
"""Measures the key-value store of tpl/servers, with one node, beside the same store on ZeroMQ (kv_zmq.c): requests a
second and how long one takes, with one client and with 64, each a process that makes one request after the other.

    ours           our libpvm3
    stock          that of 3.4.6, untouched
    stock-preload  the same with patches/preload
    zeromq         the same table, protocol and number of workers on ROUTER, DEALER and local sockets

usage: test/bench/stores.py [--quick] [--rounds N] [--counts]           run it by hand on an idle machine

--counts counts the system calls of the server for a request, instead of any time.

The pvmd is ours each time. Compare within one run only."""

import argparse
import contextlib
import os
import statistics
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import programs  # noqa: E402
from support.machine import VirtualMachine  # noqa: E402
from support.places import OURS, PRELOADED, STOCK  # noqa: E402
from support.task import Task  # noqa: E402

GROUNDS = {"ours": (OURS, {"TPL_GROUND": "safe"}), "stock": (STOCK, {"TPL_GROUND": "getfds"}),
           "stock-preload": (STOCK, {"TPL_GROUND": "safe", **PRELOADED})}
STORES = (*GROUNDS, "zeromq")
WORKERS = 2 * len(os.sched_getaffinity(0))      # TPL's default
WORKS = ((1, 20000), (64, 500))                 # clients, requests of each
OPERATIONS = ("put", "get")
LIMIT = 600


class ZeroMq:
    """A server on ZeroMQ, and what runs its clients."""

    def __init__(self, wrapper=()):
        self.wrapper = wrapper

    def __enter__(self):
        self.program = programs.build("kv_zmq", OURS)
        self.address = f"ipc://@kv-{os.getpid()}"       # abstract: no file
        self.server = Task([*self.wrapper, self.program, "serve", self.address, WORKERS], dict(os.environ))
        self.server.until("serving")
        return self

    def load(self, *words):
        return Task([self.program, "load", self.address, *words], dict(os.environ))

    def __exit__(self, *error):
        self.server.discard()


class Pvm(VirtualMachine):
    """A virtual machine with the store of tpl/servers on it."""

    def __init__(self, name, wrapper=()):
        library, variables = GROUNDS[name]
        super().__init__(OURS, library, variables)
        self.around_server = wrapper

    def __enter__(self):
        super().__enter__()
        with contextlib.ExitStack() as stack:
            stack.push(self)
            self.server = self.start("kv", "serve", "store", 1, wrapper=self.around_server)
            self.server.until("serving")
            stack.pop_all()
        return self

    def load(self, *words):
        return self.start("kv_tpl", "store", *words)

    def __exit__(self, *error):
        self.run("kv", "stop", "store").ok()
        super().__exit__(*error)


def store_of(name, wrapper=()):
    return ZeroMq(wrapper) if name == "zeromq" else Pvm(name, wrapper)


def calls_in(file):
    return sum("resumed>" not in line for line in Path(file).read_text().splitlines())


def count_calls(name, fewer, more):
    """System calls that the server makes for a request of a single client, half of them puts."""
    with tempfile.NamedTemporaryFile("r", prefix="strace-") as file:
        counts = []
        with store_of(name, ["strace", "-D", "-f", "-qq", "-e", "signal=none", "-o", file.name]) as store:
            for requests in (fewer, more):
                before = calls_in(file.name)
                store.load(1, requests, 1).ended(LIMIT).ok()
                counts.append(calls_in(file.name) - before)
    return (counts[1] - counts[0]) / (more - fewer) / len(OPERATIONS)


def measure(name, work):
    """For each operation a (requests a second, p50, p99), the times in microseconds."""
    clients, requests = work
    with store_of(name) as store:
        ended = store.load(clients, requests, 1).ended(LIMIT).ok()
    found = {}
    for line in ended.out.splitlines():
        words = dict(word.split("=") for word in line.split()[1:])
        count, ns, p50, p99 = (int(words[key]) for key in ("requests", "ns", "p50", "p99"))
        assert count == clients * requests
        found[words["operation"]] = count / ns * 1e9, p50 / 1e3, p99 / 1e3
    return found


def print_found(work, found):
    clients, requests = work
    print(f"{clients} client{'s' * (clients > 1)}, {clients * requests} requests: a second, most (median), "
          "and microseconds of one at p50 and p99, least (median)")
    for operation in OPERATIONS:
        peers = statistics.median(rate for rate, _, _ in found["zeromq", operation])
        for name in STORES:
            rates, halves, most = zip(*found[name, operation])
            print(f"    {operation} {name:13} {max(rates):8.0f} ({statistics.median(rates):8.0f})"
                  f"   p50 {min(halves):8.1f} ({statistics.median(halves):8.1f})"
                  f"   p99 {min(most):8.1f} ({statistics.median(most):8.1f})"
                  f"   {statistics.median(rates) / peers:5.2f} x zeromq", flush=True)


def main():
    parser = argparse.ArgumentParser(prog="test/bench/stores.py", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="only see whether it works")
    parser.add_argument("--counts", action="store_true", help="count system calls instead")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each store, by turns (5)")
    arguments = parser.parse_args()
    if arguments.counts:
        print("system calls of the server for a request")
        for name in STORES:
            print(f"    {name:13} {count_calls(name, 100, 600):6.2f}", flush=True)
        return
    for work in [(1, 50), (8, 10)] if arguments.quick else WORKS:
        found = {}
        for _ in range(1 if arguments.quick else arguments.rounds):
            for name in STORES:
                for operation, figures in measure(name, work).items():
                    found.setdefault((name, operation), []).append(figures)
        print_found(work, found)


if __name__ == "__main__":
    main()
