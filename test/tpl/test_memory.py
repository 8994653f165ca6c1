"""Is the memory of a node bounded, whoever has come and gone? Allocations that it has are counted in tpl_memory.c."""
import signal

import pytest
from support.machine import VirtualMachine
from support.places import OURS, STOCK

GROUNDS = [(OURS, "safe"), (OURS, "interrupt"), (OURS, "getfds"), (STOCK, "getfds")]
grounds = pytest.mark.parametrize("library, ground", GROUNDS, ids=lambda value: str(value))
WARM_UP = 30        # until the pools, and the parts of them that threads keep, are full
CLIENTS = 60        # that come and go
FEW = 20            # allocations more or less that mean nothing: pools of libraries, and one thread more
TALKS = 300


class Server:
    def __init__(self, vm):
        self.vm = vm
        self.task = vm.start("tpl_memory", "serve")
        self.task.until("serving")

    def client(self, *words):
        """The last line of one that has come and gone."""
        ended = self.vm.run("tpl_memory", *words)
        return ended.ok(-signal.SIGKILL if words[0] == "die" else 0).out.split("\n")

    def allocations(self, tid):
        return int(self.client("count", tid)[0])

    def after(self, kind, count):
        """What it has after so many clients."""
        for _ in range(count):
            tid = self.client(kind)[-2]
        return self.allocations(tid)


@grounds
@pytest.mark.parametrize("kind", ("die", "leave"))
def test_nothing_is_kept_of_clients(library, ground, kind):
    with VirtualMachine(OURS, library, variables={"TPL_GROUND": ground}) as vm:
        server = Server(vm)
        before = server.after(kind, WARM_UP)
        assert abs(server.after(kind, CLIENTS) - before) < FEW
        server.task.signal(signal.SIGKILL)


@grounds
def test_nothing_is_kept_of_threads(library, ground):
    """A client meets as many threads of the server as it has talks."""
    with VirtualMachine(OURS, library, variables={"TPL_GROUND": ground}) as vm:
        server = Server(vm)
        before = server.after("leave", WARM_UP)
        *counts, tid = server.client("talk", TALKS)[:2]
        own_before, own_after = map(int, counts[0].split())
        assert abs(own_after - own_before) < FEW
        assert abs(server.allocations(tid) - before) < FEW
        server.task.signal(signal.SIGKILL)
