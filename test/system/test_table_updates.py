"""When does a host table count that the master is spreading?"""
import threading

from support.console import Console
from support.hosts import MASTER, HostsMachine
from support.peer import DM_PSTAT, Peer, daemon_of
from support.places import OURS
from support.wire import integers

NEW, PEER = "127.0.0.3", "127.0.0.9"


class SlowPeer(Peer):
    """A member that keeps back its acknowledgement of a table with the host NEW, so that the master does not commit."""

    def __init__(self, address):
        self.knows = threading.Event()
        self.kept = None
        super().__init__(address)

    def send(self, name, tag, body=b"", wait=0, to=None, source=None):
        if NEW in self.hosts and not self.knows.is_set():
            self.kept = name, tag, body, wait
            self.knows.set()
        else:
            super().send(name, tag, body, wait, to, source)


def test_who_asks_has_heard_that_the_table_counts():
    """The request of another host may overtake the master's word: a task that it starts sees all hosts."""
    with SlowPeer(PEER) as peer, HostsMachine(OURS, OURS) as vm:
        line = vm.folder / f"{PEER}.line"
        line.write_text(peer.line() + "\n")
        console = Console(vm, OURS, host=MASTER)
        assert console.do(f"add {PEER}")[0] == "1 successful"
        line.unlink()
        console.task.say(f"add {NEW}\n")
        assert peer.knows.wait(60)
        peer.ask(NEW, DM_PSTAT, integers(daemon_of(peer.hosts[NEW][0])), wait=1)
        visitor = Console(vm, OURS, host=NEW)
        assert visitor.do("conf")[0] == "3 hosts, 1 data format"
        visitor.quit().ok()
        peer.send(*peer.kept)
        assert [console.line(), console.line()] == [f"add {NEW}", "1 successful"]
        console.quit().ok()
