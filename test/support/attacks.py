"""What can a client say to a pvmd that it should not say?

ATTACKS maps a name to a function that is given a connected wire.Client and the machine and does its
worst. STAGES maps a name to a function that brings a new client to the point where attacks begin.
"""
import os
import random

from support import wire
from support.wire import EOM, PVMD, SOM, frame, header, integers, string

MOST = 0x7FFFFFFF
CODES_OF_NOISE = [code for code in range(wire.TM_CONNECT, wire.TM_SHMCONN + 3) if code != wire.TM_HALT]


def new(client):
    """Connected, nothing said yet."""


def accepted(client):
    """TM_CONNECT is answered, TM_CONN2 not yet sent."""
    client.connect()


def enrolled(client):
    """A task like any other."""
    client.enrol()


def serving(client):
    """Tasker, hoster and resource manager, whom the pvmd believes more."""
    client.enrol()
    for tag in (wire.TM_TASKER, wire.TM_HOSTER, wire.TM_SCHED):
        client.request(tag, integers(1))


STAGES = {"new": new, "accepted": accepted, "enrolled": enrolled, "serving": serving}


def raw(data, then_close=True):
    """Write bytes; by default end the connection behind them."""
    def attack(client, vm):
        client.write(data)
        if then_close:
            client.end_writing()
    return attack


def request(tag, body=b"", encoding=wire.XDR):
    """A request that is well framed."""
    return frame(PVMD, header(tag, wire.REQUEST_CONTEXT, 1, encoding) + body)


def connect_with(path):
    """TM_CONNECT that names path(vm) as the file to write to."""
    def attack(client, vm):
        client.write(request(wire.TM_CONNECT, integers(wire.PROTOCOL) + string(path(vm))))
    return attack


def pipe_without_reader(vm):
    path = vm.folder / "pipe"
    if not path.exists():
        os.mkfifo(path)
    return str(path)


def noise(seed):
    source = random.Random(seed)
    return bytes(source.randrange(256) for _ in range(5000))


def framed_noise(seed):
    """Frames whose lengths are right and all else is chance."""
    source = random.Random(seed)
    data = b""
    for _ in range(200):
        body = bytes(source.randrange(256) for _ in range(source.choice((0, 4, 31, 32, 33, 60, 500))))
        to = source.choice((PVMD, 0x80040000, 0x40001, 0x4FFFF, 0, 0x80001, 0x40040001, source.randrange(1 << 32)))
        if source.random() < 0.7 and len(body) >= 32:
            body = header(source.choice(CODES_OF_NOISE)) + body[32:]
        data += frame(to, body, flags=source.choice((0, 1, 2, 3, 3, 3, 3, 255)))
    return data


FRAMES = {
    "nothing": raw(b""),
    "half a frame header": raw(frame(PVMD, b"")[:7]),
    "half a frame": raw(request(wire.TM_CONFIG)[:30]),
    "half a body": raw(frame(PVMD, header(wire.TM_CONFIG) + b"x" * 10, length=132)),
    "length 2^31-1": raw(frame(PVMD, header(wire.TM_CONFIG), length=MOST)),
    "length 2^31": raw(frame(PVMD, header(wire.TM_CONFIG), length=1 << 31)),
    "length -1": raw(frame(PVMD, header(wire.TM_CONFIG), length=-1)),
    "length -16": raw(frame(PVMD, header(wire.TM_CONFIG), length=-16)),
    "length 2^31-1, open": raw(frame(PVMD, header(wire.TM_CONFIG), length=MOST), then_close=False),
    "length 2^31-1 to a task": raw(frame(0x40001, header(1), length=MOST)),
    "start without a header": raw(frame(PVMD, b"")),
    "start with 31 bytes": raw(frame(PVMD, header(wire.TM_CONFIG)[:31])),
    "start to a task with 31 bytes": raw(frame(0x40001, header(1)[:31])),
    "middle without a start": raw(frame(PVMD, b"x" * 40, flags=0)),
    "end without a start": raw(frame(PVMD, b"x" * 40, flags=EOM)),
    "end to a task without a start": raw(frame(0x40001, b"x" * 40, flags=EOM)),
    "two starts": raw(2 * frame(PVMD, header(wire.TM_CONFIG), flags=SOM)),
    "start and no end": raw(frame(PVMD, header(wire.TM_CONFIG) + b"x" * 100, flags=SOM)),
    "start to a task and no end": raw(frame(0x40001, header(1) + b"x" * 100, flags=SOM)),
    "all flags": raw(frame(PVMD, header(wire.TM_CONFIG), flags=255)),
    "an empty message to nobody": raw(frame(0, header(1))),
    "to the host": raw(frame(0x40000, header(1))),
    "to a task that is not there": raw(frame(0x4FFFF, header(1))),
    "to a host that is not there": raw(frame(0x3FFC0001, header(1))),
    "to a pvmd that is not there": raw(frame(0xBFFC0000, header(wire.TM_CONFIG))),
    "to a multicast address of nobody": raw(frame(0x40040001, header(1))),
    "to everything": raw(frame(0xFFFFFFFF, header(1))),
    "another's name": raw(frame(PVMD, header(wire.TM_CONFIG), source=0x40001)),
    "noise": raw(noise(1)),
    "framed noise": raw(framed_noise(2)),
    "more framed noise": raw(framed_noise(3)),
}

CODES = {
    "tag 0": 0, "user tag": 77, "below TM": wire.TM_CONNECT - 1, "behind TM": wire.TM_SHMCONN + 1,
    "far behind TM": wire.TM_SHMCONN + 1000, "DM": 0x80020001, "DM exec": 0x80020003, "DM halt": 0x80020013,
    "TC": 0x80030001, "SM": 0x80040001, "SM exec": 0x80040002, "-1": 0xFFFFFFFF,
}


def no_body(tag):
    return raw(request(tag))


def bad_encoding(tag):
    return raw(request(tag, integers(1, 1), encoding=0x12345678))


_SINKS = integers(0, 0, 0, 0, 0, 0)

BODIES = {
    "connect, no file name": (wire.TM_CONNECT, integers(wire.PROTOCOL)),
    "connect, giant file name": (wire.TM_CONNECT, integers(wire.PROTOCOL, MOST) + b"/tmp"),
    "connect, negative file name": (wire.TM_CONNECT, integers(wire.PROTOCOL, -5) + b"/tmp"),
    "connect, long file name": (wire.TM_CONNECT, integers(wire.PROTOCOL) + string("/tmp/" + "x" * 3000)),
    "connect, file name without end": (wire.TM_CONNECT, integers(wire.PROTOCOL, 4) + b"/tmp"),
    "connect 2, no cookie": (wire.TM_CONN2, integers(1)),
    "connect 2, giant name": (wire.TM_CONN2, integers(wire.NO_PROCESS, 0, MOST) + b"name"),
    "spawn, nothing": (wire.TM_SPAWN, b""),
    "spawn, half": (wire.TM_SPAWN, string("child") + integers(0) + string("")),
    "spawn, none": (wire.TM_SPAWN, string("child") + integers(0) + string("") + integers(0, 0) + _SINKS
                    + integers(0)),
    "spawn, giant count": (wire.TM_SPAWN, string("child") + integers(0) + string("") + integers(MOST, 0)
                           + _SINKS + integers(0)),
    "spawn, negative count": (wire.TM_SPAWN, string("child") + integers(0) + string("") + integers(-1, 0)
                              + _SINKS + integers(0)),
    "spawn, giant argument count": (wire.TM_SPAWN, string("child") + integers(0) + string("")
                                    + integers(1, MOST) + string("x")),
    "spawn, negative argument count": (wire.TM_SPAWN, string("child") + integers(0) + string("")
                                       + integers(1, -1) + _SINKS + integers(0)),
    "spawn, giant environment count": (wire.TM_SPAWN, string("child") + integers(0) + string("")
                                       + integers(1, 0) + _SINKS + integers(MOST)),
    "spawn, giant name": (wire.TM_SPAWN, integers(MOST) + b"child"),
    "add hosts, giant count": (wire.TM_ADDHOST, integers(MOST)),
    "add hosts, negative count": (wire.TM_ADDHOST, integers(-1)),
    "add hosts, count without names": (wire.TM_ADDHOST, integers(3)),
    "delete hosts, giant count": (wire.TM_DELHOST, integers(MOST)),
    "delete hosts, negative count": (wire.TM_DELHOST, integers(-1)),
    "host state, giant name": (wire.TM_MSTAT, integers(MOST) + b"x"),
    "tickle, giant count": (wire.TM_TICKLE, integers(MOST, 1)),
    "tickle, negative count": (wire.TM_TICKLE, integers(-1, 1)),
    "task state of a pvmd": (wire.TM_PSTAT, integers(PVMD)),
    "task state of nothing": (wire.TM_PSTAT, integers(0)),
    "signal to a pvmd": (wire.TM_SENDSIG, integers(PVMD, 9)),
    "signal to everything": (wire.TM_SENDSIG, integers(-1, 9)),
    "signal to nothing": (wire.TM_SENDSIG, integers(0, 9)),
    "multicast, giant count": (wire.TM_MCA, integers(MOST, 0x40001)),
    "multicast, negative count": (wire.TM_MCA, integers(-1, 0x40001)),
    "multicast, count without tids": (wire.TM_MCA, integers(5, 0x40001)),
    "multicast to odd tids": (wire.TM_MCA, integers(4, 0, -1, PVMD, 0x40040001)),
    "notify, giant count": (wire.TM_NOTIFY, integers(1, 0, 5, MOST, 0x40001)),
    "notify, negative count": (wire.TM_NOTIFY, integers(1, 0, 5, -1, 0x40001)),
    "notify, unknown kind": (wire.TM_NOTIFY, integers(99, 0, 5, 1, 0x40001)),
    "notify, odd tids": (wire.TM_NOTIFY, integers(1, 0, 5, 3, 0, -1, PVMD)),
    "mailbox, unknown operation": (wire.TM_DB, integers(99, 0x40001) + string("class") + integers(0, 0)),
    "mailbox, giant class": (wire.TM_DB, integers(3, 0x40001, MOST)),
    "mailbox, put without message": (wire.TM_DB, integers(1, 0x40001) + string("c") + integers(-1, 0)),
    "mailbox, put of a giant message": (wire.TM_DB, integers(1, 0x40001) + string("c") + integers(-1, 0, MOST)
                                        + integers(0, 0, 0, wire.XDR, 0, 0, 0, MOST) + b"xxxx"),
    "mailbox, put of a negative message": (wire.TM_DB, integers(1, 0x40001) + string("c")
                                           + integers(-1, 0, -8) + integers(0, 0, 0, wire.XDR, 0, 0, 0, -4)),
    "mailbox, reset with giant count": (wire.TM_DB, integers(5, 0x40001) + string("") + integers(-1, 0, MOST)),
    "set option without value": (wire.TM_SETOPT, integers(1)),
    "set option, unknown": (wire.TM_SETOPT, integers(99) + string("zz")),
    "set option, not a number": (wire.TM_SETOPT, integers(1) + string("nonsense")),
    "tracer, giant mask": (wire.TM_TRACER, integers(1, 0, 0, 0, 0, MOST)),
    "host clock of nothing": (wire.TM_HOSTSYNC, integers(0)),
    "context of another": (wire.TM_CONTEXT, integers(0x40001)),
}

(SM_EXEC, SM_ADD, SM_TASKX, SM_HANDOFF, SM_STHOSTACK) = (0x80040001 + n for n in (1, 7, 10, 12, 15))

SERVICES = {
    "order, nothing": (SM_EXEC, b""),
    "order, half": (SM_EXEC, integers(0x40001) + string("child") + integers(0, 1)),
    "order, giant count": (SM_EXEC, integers(0x40001) + string("child") + integers(0, MOST, 0) + _SINKS
                           + integers(0, 0, 1)),
    "order, negative count": (SM_EXEC, integers(0x40001) + string("child") + integers(0, -1, 0) + _SINKS
                              + integers(0, 0, 1)),
    "order, giant environment count": (SM_EXEC, integers(0x40001) + string("child") + integers(0, 1, 0) + _SINKS
                                       + integers(MOST)),
    "add hosts, nothing": (SM_ADD, b""),
    "add hosts, count alone": (SM_ADD, integers(4)),
    "add hosts, giant number": (SM_ADD, integers(MOST)),
    "end of a task, nothing": (SM_TASKX, b""),
    "end of no task": (SM_TASKX, integers(0x4FFFF, 0, 0, 0, 0, 0)),
    "end of the pvmd": (SM_TASKX, integers(PVMD, 0, 0, 0, 0, 0)),
    "end of odd tasks": (SM_TASKX, integers(-1, -1, -1, -1, -1, -1)),
    "hand-over, nothing": (SM_HANDOFF, b""),
    "hand-over to the pvmd": (SM_HANDOFF, integers(PVMD)),
    "hand-over to everything": (SM_HANDOFF, integers(-1)),
    "hosts that nobody wants": (SM_STHOSTACK, integers(1, 0x80000) + string("PvmDenied")),
    "hosts, giant count": (SM_STHOSTACK, integers(MOST, 0x80000) + string("PvmDenied")),
}

ENROLMENTS = {
    "a file that is not there": connect_with(lambda vm: "/no/such/file"),
    "a folder": connect_with(lambda vm: str(vm.folder)),
    "a pipe without a reader": connect_with(pipe_without_reader),
    "the pvmd's own socket": connect_with(lambda vm: vm.socket),
    "an empty file name": connect_with(lambda vm: ""),
    "connect 2 first": raw(request(wire.TM_CONN2, integers(wire.NO_PROCESS, 0))),
    "connect 2 without proof": lambda client, vm: (client.connect(), client.write(
        request(wire.TM_CONN2, integers(wire.NO_PROCESS, 0)))),
    "connect twice": lambda client, vm: (client.connect(), client.write(
        request(wire.TM_CONNECT, integers(wire.PROTOCOL) + string("/dev/null")))),
    "a long first fragment": raw(frame(PVMD, header(wire.TM_CONNECT) + b"x" * 100000)),
    "other versions": lambda client, vm: [client.write(request(wire.TM_CONNECT, integers(version) + string("/x")))
                                          for version in (0, -1, wire.PROTOCOL + 1)],
}

ATTACKS = {
    **FRAMES,
    **{f"request {name}": no_body(code) for name, code in CODES.items()},
    **{f"request {code - wire.TM_CONNECT} without a body": no_body(code)
       for code in range(wire.TM_CONNECT, wire.TM_SHMCONN + 1)
       if code not in (wire.TM_HALT, wire.TM_EXIT)},
    **{f"request {code - wire.TM_CONNECT} in an unknown encoding": bad_encoding(code)
       for code in (wire.TM_SPAWN, wire.TM_TICKLE, wire.TM_DB)},
    **{f"service message {n}": no_body(0x80040001 + n) for n in range(18)},
    **{name: raw(request(tag, body)) for name, (tag, body) in {**BODIES, **SERVICES}.items()},
}

