"""What does a process say to its pvmd whose threads are tasks that share a connection?"""
from support import wire
from support.wire import integers, string

NOWHERE = (0, 0, 0)


class Lease(wire.Client):
    """A connection that has leased tids; self.tid is that of its first task, self.tids those that it may use."""

    def __init__(self, machine, needed=8, wished=None, pid=wire.NO_PROCESS, cookie=-1):
        super().__init__(machine)
        self.kept = []
        self.enrol(cookie=cookie, pid=pid)
        self.tids = self.lease(needed, wished)

    def lease(self, needed, wished=None, source=None):
        """The tids; or the error, which is no list."""
        body = integers(needed, needed if wished is None else wished)
        count, *tids = self.request(wire.LEASE, body, source).rest()
        assert count < 0 or count == len(tids)
        return count if count < 0 else tids

    def tell(self, tag, body, source=None):
        """Something that has no answer."""
        self.send(wire.PVMD, tag, body, wire.REQUEST_CONTEXT, source=source)

    def bear(self, *tids, parent=0, name="thread", output=NOWHERE, trace=NOWHERE, source=None):
        self.tell(wire.BIRTHS, integers(len(tids)) + b"".join(
            integers(tid, parent) + string(name) + integers(*output, *trace) for tid in tids), source)
        return tids

    def bury(self, *tids, source=None):
        self.tell(wire.DEATHS, integers(len(tids), *tids), source)

    def settle(self):
        """Wait until the pvmd has taken all that was said."""
        self.request(wire.TM_CONFIG)

    def request(self, tag, body=b"", source=None):
        """Ask for one of the tasks, and keep what comes meanwhile; the answer is for that task."""
        wait = self.ask(tag, body, source)
        while (reply := self.message()).tag != tag or reply.wait != wait:
            self.kept.append(reply)
        assert reply.to in (0, self.tid if source is None else source) or self.tid == wire.NOBODY
        return reply

    def next(self, to, tag):
        """The next message with the tag for that task; others are kept."""
        while not (found := [message for message in self.kept if (message.to, message.tag) == (to, tag)]):
            self.kept.append(self.message())
        self.kept.remove(found[0])
        return found[0]
