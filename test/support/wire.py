"""What does a task say to its pvmd, byte for byte?

A client of the 3.4.6 task protocol that can be told to say anything, for tests of how a pvmd takes it.
Numbers are unsigned 32-bit unless said otherwise; every wait has a limit in seconds.
"""
import select
import socket
import struct
import tempfile
import time

from support.task import LIMIT

PROTOCOL = 1318
PVMD = 0x80000000
NOBODY = 0xFFFFFFFF
SOM, EOM = 1, 2
XDR = 0x10000000
REQUEST_CONTEXT = 0x7FFFE
HEADER = 32
NO_PROCESS = 1 << 30    # no process has this id: a pvmd signals its tasks when it ends, and the test is none

(TM_CONNECT, TM_CONN2, TM_EXIT, TM_ADDHOST, TM_DELHOST, TM_CONFIG, TM_MSTAT, TM_HALT, TM_TICKLE, TM_SPAWN,
 TM_PSTAT, TM_SENDSIG, TM_TASK, TM_MCA, TM_NOTIFY, TM_DB, TM_SCHED, TM_TASKER, TM_HOSTER, TM_TRACER,
 TM_HOSTSYNC, TM_SETOPT, TM_GETOPT, TM_CONTEXT, TM_SHMCONN) = range(0x80010001, 0x8001001A)

# Of processes with many tasks and our own pvmd (core/control.h).
LEASE, BIRTHS, DEATHS, ENDED = 0x80011001, 0x80011002, 0x80011003, 0x80031002
# Of processes with user-level processes.
REGIONS, REGIONS_BACK = 0x80011004, 0x80011005
# Of tasks that move between hosts.
MIGRATE, MIGRATED, LEAVE, STAY, ARRIVE, ARRIVE_NOT = range(0x80011006, 0x8001100C)
MOVE = 0x80031004
# Of holders of tasks that a task of another process has spawned, or that come from there.
HOLD = 0x80031003

TASK_EXIT = 1


def integers(*values):
    """XDR integers."""
    return b"".join(struct.pack(">I", value & 0xFFFFFFFF) for value in values)


def string(text):
    """An XDR string as PVM writes it: the length counts the NUL."""
    data = text.encode() + b"\0"
    return integers(len(data)) + data + b"\0" * (-len(data) % 4)


def header(tag, context=0, wait=0, encoding=XDR):
    """The 32 bytes before the body of a message."""
    return struct.pack(">8I", encoding & 0xFFFFFFFF, tag & 0xFFFFFFFF, context, 0, wait, 0, 0, 0)


def frame(to, payload, flags=SOM | EOM, source=NOBODY, length=None):
    """One frame; length may lie."""
    length = len(payload) if length is None else length
    return struct.pack(">IIIB3x", to & 0xFFFFFFFF, source & 0xFFFFFFFF, length & 0xFFFFFFFF, flags) + payload


class Message:
    """A received message and a reader of its body."""

    def __init__(self, to, source, data):
        self.to, self.source = to, source
        self.encoding, self.tag, self.context, _, self.wait = struct.unpack(">5I", data[:20])
        self.body = data[HEADER:]
        self._at = 0

    def integer(self):
        """The next signed integer."""
        value, = struct.unpack_from(">i", self.body, self._at)
        self._at += 4
        return value

    def string(self):
        """The next string, without its NUL."""
        length = self.integer()
        text = self.body[self._at:self._at + length - 1].decode()
        self._at += length + -length % 4
        return text

    def rest(self):
        """All integers that are left."""
        values = []
        while self._at < len(self.body):
            values.append(self.integer())
        return values


class Closed(Exception):
    """The pvmd has closed the connection."""


class Client:
    """A connection to a pvmd's task socket; after enrol() a task with the tid self.tid."""

    def __init__(self, machine):
        self.machine = machine
        self.tid = NOBODY
        self.wait = 0
        self._parts = {}
        self._data = b""
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(LIMIT)
        self.socket.connect(machine.socket)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    # out

    def write(self, data):
        """Raw bytes; Closed if the pvmd no longer reads."""
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            raise Closed from None

    def end_writing(self):
        self.socket.shutdown(socket.SHUT_WR)

    def send(self, to, tag, body, context=0, wait=0, source=None):
        """One message in one frame."""
        self.write(frame(to, header(tag, context, wait) + body, source=self.tid if source is None else source))

    def ask(self, tag, body=b"", source=None):
        """Send a request to the pvmd; gives its wait id."""
        self.wait += 1
        self.send(PVMD, tag, body, REQUEST_CONTEXT, self.wait, source)
        return self.wait

    def request(self, tag, body=b""):
        """Send a request to the pvmd and wait for its reply; other messages on the way are dropped."""
        wait = self.ask(tag, body)
        while (reply := self.message()).tag != tag or reply.wait != wait:
            pass
        return reply

    # in

    def _read(self, count, deadline):
        while len(self._data) < count:
            ready = select.select([self.socket], [], [], max(0, deadline - time.monotonic()))[0]
            assert ready, "time limit passed while waiting for bytes from the pvmd"
            try:
                data = self.socket.recv(1 << 16)
            except ConnectionResetError:
                data = b""
            if not data:
                raise Closed
            self._data += data
        data, self._data = self._data[:count], self._data[count:]
        return data

    def message(self, limit=LIMIT):
        """The next whole message; Closed at the end of the connection."""
        deadline = time.monotonic() + limit
        while True:
            to, source, length, flags = struct.unpack(">IIIB3x", self._read(16, deadline))
            data = (b"" if flags & SOM else self._parts.pop((to, source))) + self._read(length, deadline)
            if flags & EOM:
                return Message(to, source, data)
            self._parts[to, source] = data

    def wait_closed(self, limit=LIMIT):
        """Wait until the pvmd closes the connection."""
        try:
            while True:
                self.message(limit)
        except Closed:
            return

    # enrolment

    def auth_file(self):
        """A file as a task makes it for the pvmd to write to."""
        return tempfile.NamedTemporaryFile(dir=self.machine.folder, prefix="auth")

    def connect(self, version=PROTOCOL):
        """The first half of enrolment; gives the reply, its accept flag and the pvmd's file read."""
        with self.auth_file() as own:
            reply = self.request(TM_CONNECT, integers(version) + string(own.name))
            seen = reply.integer(), reply.integer(), reply.string()
            return (*seen, own.read())

    def enrol(self, cookie=0, pid=NO_PROCESS):
        """Become a task; self.tid is its tid."""
        _, accepted, theirs, written = self.connect()
        assert accepted == 1 and written, "the pvmd did not accept the connection"
        with open(theirs, "wb") as file:
            file.write(b"x")
        reply = self.request(TM_CONN2, integers(pid, cookie))
        assert reply.integer() == 1
        self.tid = reply.integer()
        return self

    def tasks(self):
        """The task table: tid, parent, host, flags, name, pid of each task."""
        reply = self.request(TM_TASK, integers(0))
        assert reply.integer() == 0
        found = []
        while reply._at < len(reply.body):
            found.append((*(reply.integer() for _ in range(4)), reply.string(), reply.integer()))
        return found
