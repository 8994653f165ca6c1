"""What traced tasks do, made of the events that pvmtrace tells.

An event becomes changes, which are what the page draws:

    {"kind": "task", "tid", "program", "parent", "time"}        a task begins
    {"kind": "state", "tid", "state", "for", "time"}            from now on it does this (STATES), and waits for that
    {"kind": "message", "from", "to", "tag", "bytes", "sent", "received"}
    {"kind": "queue", "tid", "count", "time"}                   so many messages wait for it
    {"kind": "output", "tid", "text", "time"}                   a line that it has printed

Times are seconds on the clock of the host where pvmtrace runs.
"""
from collections import defaultdict, deque

STATES = ("computes", "sends", "waits", "calls", "ended")

_SENDS = {"send", "psend", "mcast", "bcast"}
_WAITS = {"recv", "precv", "trecv", "barrier", "gather", "reduce", "scatter", "freezegroup"}
_RECEIVES = {"recv", "nrecv", "trecv", "precv"}
# The fields in which calls tell of the context that their task uses.
_CONTEXTS = ("MCX", "RCX", "CXS")
_OUTPUT_MARKS = {"CREATION", "GOTSPAWN", "GOTEOF"}


def _state_of(call):
    return "sends" if call in _SENDS else "waits" if call in _WAITS else "calls"


class _Task:
    def __init__(self):
        self.calls = []         # (name, fields of the entry, time) of those that have not returned, the latest last
        self.context = 0
        self.waiting = 0        # messages that were sent to the task, less those that it has received

    def enter(self, name, fields, time):
        self.calls.append((name, fields, time))
        for key in _CONTEXTS:
            self.context = fields.get(key, self.context)

    def leave(self, name):
        """The latest call of this name: threads of a task may be in several."""
        for place in reversed(range(len(self.calls))):
            if self.calls[place][0] == name:
                return self.calls.pop(place)
        return name, {}, None

    def state(self):
        return _state_of(self.calls[-1][0]) if self.calls else "computes"

    def awaited(self):
        """What the task waits for, in words; None if it does not wait."""
        if self.state() != "waits":
            return None
        _, fields, _ = self.calls[-1]
        if "GN" in fields:
            return f"group {fields['GN']}"
        source, tag = fields.get("RST", -1), fields.get("RMC", -1)
        return f"{'any task' if source == -1 else source}, {'any tag' if tag == -1 else f'tag {tag}'}"


class Timeline:
    """All tasks of one run. Messages of one sender, receiver, tag and context arrive in the order of their sending."""

    def __init__(self):
        self._tasks = defaultdict(_Task)
        self._sent = defaultdict(deque)         # times of messages whose receive is not known yet
        self._received = defaultdict(deque)     # (time, bytes) of messages whose sending is not known yet

    def take(self, event):
        """The changes that come of an event, which is a line of `pvmtrace --live`."""
        name, edge, tid, fields = event["event"], event["edge"], event["tid"], event["fields"]
        time = event["time"] / 1e6
        if name == "newtask":
            return [{"kind": "task", "tid": tid, "program": fields.get("TN"), "parent": fields.get("PT"), "time": time},
                    self._state(tid, time)]
        if name == "endtask":
            self._tasks[tid].calls.clear()
            return [{**self._state(tid, time), "state": "ended"}]
        if name == "output":
            text = fields["OS"]
            return [] if text in _OUTPUT_MARKS else [{"kind": "output", "tid": tid, "text": text, "time": time}]
        if name == "mhf_invoke":
            return self._receive(tid, fields, time)
        if edge == "entry":
            self._tasks[tid].enter(name, fields, time)
            return [self._state(tid, time)]
        return self._leave(name, tid, fields, time) if edge == "exit" else []

    def _state(self, tid, time):
        task = self._tasks[tid]
        return {"kind": "state", "tid": tid, "state": task.state(), "for": task.awaited(), "time": time}

    def _leave(self, name, tid, fields, time):
        task = self._tasks[tid]
        _, entry, begun = task.leave(name)
        changes = [self._state(tid, time)]
        if name in _SENDS and begun is not None and fields.get("CC", 0) >= 0:
            for receiver in self._receivers(name, tid, entry, fields):
                changes += self._send(tid, receiver, entry, begun)
        if name in _RECEIVES and (fields.get("CC", -1) >= 0 if name == "precv" else fields.get("MB", 0) > 0):
            changes += self._receive(tid, fields, time)
        return changes

    @staticmethod
    def _receivers(name, tid, entry, fields):
        if name in ("send", "psend"):
            return [entry["DST"]]
        listed = (entry if name == "mcast" else fields).get("MDL", [])
        return [receiver for receiver in dict.fromkeys(listed) if receiver != tid]

    def _send(self, tid, receiver, entry, time):
        key = tid, receiver, entry.get("MC"), self._tasks[tid].context
        changes = [self._queue(receiver, 1, time)]
        if self._received[key]:
            changes.append(self._message(key, time, *self._received[key].popleft()))
        else:
            self._sent[key].append(time)
        return changes

    def _receive(self, tid, fields, time):
        key = fields.get("SRC"), tid, fields.get("MC"), fields.get("MCX", 0)
        size = fields.get("MNB", 0)
        changes = [self._queue(tid, -1, time)]
        if self._sent[key]:
            changes.append(self._message(key, self._sent[key].popleft(), time, size))
        else:
            self._received[key].append((time, size))
        return changes

    def _queue(self, tid, more, time):
        task = self._tasks[tid]
        task.waiting += more
        return {"kind": "queue", "tid": tid, "count": max(task.waiting, 0), "time": time}

    @staticmethod
    def _message(key, sent, received, size):
        source, destination, tag, _ = key
        return {"kind": "message", "from": source, "to": destination, "tag": tag, "bytes": size, "sent": sent,
                "received": received}
