"""Does a pvmd live through whatever a client says, and do other tasks notice nothing?

While a raw client does its worst (support/attacks.py) two tasks pass checked messages to and fro and a third
one asks them how far they are: the rounds must go on, and the pvmd must answer a new client.
"""
import contextlib
import signal
from pathlib import Path

import pytest
from support import attacks, groups, wire
from support.machine import VirtualMachine
from support.places import OURS, STOCK
from support.puppet import Puppet
from support.ring import Ring

LIMIT_KIB = 100 * 1024
BAD_PARAM = -2
GROUPS_CONTEXT, GROUPS_DIE, GROUPS_QUESTIONS = 0x7FFFC, 0, 17     # of groups/protocol.h


@contextlib.contextmanager
def ring():
    with VirtualMachine(OURS, OURS) as vm:
        running = Ring(vm)
        yield vm, running
        running.goes_on()
        running.end()


def pvmd_answers(vm):
    """A new client can enrol and gets answers."""
    with wire.Client(vm) as client:
        client.enrol()
        assert client.request(wire.TM_CONFIG).rest()[0] == 1
        client.request(wire.TM_EXIT)
        client.wait_closed()


def peak_memory(pid):
    """The most memory that the process ever had, in KiB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


def attempt(vm, stage, attack):
    """Bring a client to a stage and let it attack; the pvmd may close the connection on it at any time."""
    with wire.Client(vm) as client, contextlib.suppress(wire.Closed):
        attacks.STAGES[stage](client)
        attack(client, vm)
        client.write(wire.frame(0, wire.header(1), source=client.tid))     # one more, if it still listens
        client.end_writing()
        client.wait_closed()


# Without a body these make no sense, as those of a connection do that there is already, and of no kind.
NONSENSE = [wire.TM_CONNECT, wire.TM_CONN2, wire.TM_ADDHOST, wire.TM_DELHOST, wire.TM_MSTAT, wire.TM_TICKLE, wire.TM_SPAWN,
            wire.TM_PSTAT, wire.TM_TASK, wire.TM_NOTIFY, wire.TM_DB, wire.TM_HOSTSYNC, wire.TM_CONTEXT,
            wire.TM_SHMCONN, wire.TM_SHMCONN + 1, 77]


def test_nonsense_is_answered():
    """Who waits for the answer of a request that the pvmd drops is told PvmBadParam."""
    spawn = (wire.string("nothing") + wire.integers(0) + wire.string("") + wire.integers(1 << 18, 0) +
             wire.integers(*[0] * 6, 0))
    requests = [*((tag, b"") for tag in NONSENSE), (wire.TM_SPAWN, spawn), (wire.TM_CONFIG, bytes(2 << 20))]
    with VirtualMachine(OURS, OURS, variables={"PVM_REQUEST_LIMIT": "1"}) as vm, wire.Client(vm) as client:
        client.enrol()
        for tag, body in requests:
            assert client.request(tag, body).rest() == [BAD_PARAM], hex(tag)
        assert client.request(wire.TM_CONFIG).rest()[0] == 1


@pytest.mark.parametrize("stage", attacks.STAGES)
def test_attacks(stage):
    with ring() as (vm, running):
        for name, attack in attacks.ATTACKS.items():
            attempt(vm, stage, attack)
            assert vm.pvmd.process.poll() is None, f"the pvmd ended after: {name}\n{vm.log()}"
            pvmd_answers(vm)
        running.goes_on()
        assert peak_memory(vm.pvmd.pid) < LIMIT_KIB


def test_enrolments():
    with ring() as (vm, running):
        for name, attack in attacks.ENROLMENTS.items():
            attempt(vm, "new", attack)
            assert vm.pvmd.process.poll() is None, f"the pvmd ended after: {name}\n{vm.log()}"
            pvmd_answers(vm)
            running.goes_on()
        (vm.folder / "pipe").unlink()


def test_connections_that_say_nothing():
    """Connections that never become a task take a quarter of the descriptors, and keep a task out for seconds."""
    with VirtualMachine(OURS, OURS, wrapper=["prlimit", "--nofile=200:200"]) as vm:
        running = Ring(vm)
        with contextlib.ExitStack() as stack:
            for number in range(60):
                client = stack.enter_context(wire.Client(vm))
                client.write(wire.frame(wire.PVMD, wire.header(wire.TM_CONNECT))[:number % 40])
            running.goes_on()
            pvmd_answers(vm)
            running.goes_on()
            assert "50 connections are no tasks yet" in vm.log(), vm.log()
        running.end()


@pytest.mark.parametrize("name", ["length 2^31-1", "half a body", "start without a header", "request behind TM",
                                  "spawn, giant count", "multicast, giant count", "notify, giant count",
                                  "mailbox, giant class"])
def test_one_clear_log_line(name):
    """A fault of a client is told in one line that says whose it is."""
    with VirtualMachine(OURS, OURS) as vm:
        with wire.Client(vm) as client:
            client.enrol()
            before = vm.log().splitlines()
            attacks.ATTACKS[name](client, vm)
            with contextlib.suppress(wire.Closed):
                client.end_writing()
                client.wait_closed()
            tid = f"{client.tid:x}"
        new = vm.log().splitlines()[len(before):]
        assert len(new) == 1 and f"t{tid}" in new[0], new
        pvmd_answers(vm)


@pytest.mark.parametrize("library", [OURS, STOCK], ids="library-{}".format)
def test_odd_contents(library):
    """Contents that another task made up are an error of the call that unpacks them, and no more."""
    with VirtualMachine(OURS, library) as vm, wire.Client(vm) as client:
        client.enrol()
        puppet = Puppet(vm)
        to = int(puppet.tid, 16)
        for encoding, body in ((0x12345678, wire.integers(1)), (wire.XDR, b""), (wire.XDR, b"ab")):
            client.write(wire.frame(to, wire.header(5, encoding=encoding) + body, source=client.tid))
            assert puppet.do("recv", -1, 5) == f"{client.tid:x} 5 {len(body)} 0"
        for body in (b"", wire.integers(1 << 20), wire.integers(9) + b"abcd"):
            client.send(to, 6, body)
            assert puppet.do("text", -1, 6).split()[0] == "-5"
        client.send(to, 6, wire.string("whole"))
        assert puppet.do("text", -1, 6) == "0 whole"
        client.request(wire.TM_EXIT)
        puppet.leave()


@pytest.mark.parametrize("length", [attacks.MOST, -1, -attacks.MOST])
def test_giant_string(length):
    """A string whose length is nonsense ends the unpacking (stock copies without a bound)."""
    with VirtualMachine(OURS, OURS) as vm, wire.Client(vm) as client:
        client.enrol()
        puppet = Puppet(vm)
        client.send(int(puppet.tid, 16), 6, wire.integers(length) + b"abcd")
        assert puppet.do("text", -1, 6).strip() in ("-5", "-12")
        puppet.leave()


@pytest.mark.parametrize("body", [
    b"", wire.integers(4), wire.integers(attacks.MOST, 0, 0, 0, wire.XDR, 0, 0, 0),
    wire.integers(attacks.MOST, 0, 0, 0, wire.XDR, 0, 0, 0, attacks.MOST) + b"abcd",
    wire.integers(-4, 0, 0, 0, wire.XDR, 0, 0, 0, -4), wire.integers(4, 0, 0, 0, wire.XDR, 0, 0, 0, 8) + b"abcd",
    wire.integers(8, 0, 0, 0, wire.XDR, 0, 0, 0, 4) + b"abcd", wire.integers(8, 0, 0, 0, wire.XDR, 0, 0, 0, *9 * [0]),
], ids=range(8))
def test_odd_packed_message(body):
    with VirtualMachine(OURS, OURS) as vm, wire.Client(vm) as client:
        client.enrol()
        puppet = Puppet(vm)
        client.send(int(puppet.tid, 16), 6, body)
        assert int(puppet.do("inner", -1, 6)) < 0
        client.send(int(puppet.tid, 16), 6, wire.integers(4, 0, 0, 0, wire.XDR, 0, 0, 0, 4, 77))
        assert puppet.do("inner", -1, 6) == "1"
        puppet.leave()


def test_odd_control_messages():
    """What only libraries say to each other may be nonsense: the task goes on as if nothing had come."""
    first, last, context = 0x80030001, 0x80030010, 0x7FFFF
    bodies = [b"", b"x", wire.integers(attacks.MOST), wire.integers(-1), wire.integers(1318, attacks.MOST) + b"/tmp",
              wire.integers(1318, 0, attacks.MOST), wire.integers(1318) + wire.string("/" + "x" * 3000),
              wire.integers(1318, 0) + wire.string("/no/such/socket"), wire.integers(0, 0, 0, 0, 0, 0, attacks.MOST),
              wire.integers(*range(500))]
    with VirtualMachine(OURS, OURS) as vm, wire.Client(vm) as client:
        client.enrol()
        puppet = Puppet(vm)
        for tag in range(first, last):
            for body in bodies:
                client.send(int(puppet.tid, 16), tag, body, context)
            client.send(int(puppet.tid, 16), 5, wire.integers(tag & 0xFF))
            assert puppet.do("recv", f"{client.tid:x}", 5) == f"{client.tid:x} 5 4 {tag & 0xFF}"
            assert puppet.do("poll", -1, -1) == "0 nothing"
        puppet.leave()


def test_odd_requests_to_the_group_server():
    """Who sends the group server nonsense gets errors or nothing, and the groups of others stay as they are."""
    bodies = [b"", b"x", wire.integers(attacks.MOST), wire.integers(-1, -1), wire.string("g"), wire.string(""),
              wire.string("g" * 3000), wire.string("g") + wire.integers(attacks.MOST, attacks.MOST),
              wire.string("g") + wire.integers(-attacks.MOST), wire.string("other") + wire.integers(5, 9), b"\xff" * 4000]
    with groups.machine(OURS, OURS) as vm, wire.Client(vm) as client:
        client.enrol()
        member = groups.Member(vm)
        assert member.do("join", "g") == "0"
        server = next(task[0] for task in client.tasks() if task[4].endswith("pvmgs"))
        for tag in [*range(GROUPS_DIE + 1, GROUPS_QUESTIONS + 2), -1, attacks.MOST]:
            for body in bodies:
                client.send(server, tag, body, GROUPS_CONTEXT)
        assert member.do("size", "g") == "1"
        assert member.do("barrier", "g", 1) == "0"
        client.request(wire.TM_EXIT)


def test_byte_by_byte():
    """A slow client is understood: each byte comes alone."""
    with VirtualMachine(OURS, OURS) as vm, wire.Client(vm) as client:
        whole = client.write

        def slowly(data):
            for i in range(len(data)):
                whole(data[i:i + 1])
        client.write = slowly
        client.enrol()
        assert client.request(wire.TM_CONFIG).rest()[0] == 1
        client.send(client.tid, 5, wire.integers(42))
        message = client.message()
        assert (message.tag, message.source, message.rest()) == (5, client.tid, [42])
        client.request(wire.TM_EXIT)


def test_empty_fragments():
    """Fragments may be empty anywhere, and a message may come in any number of them."""
    with VirtualMachine(OURS, OURS) as vm, wire.Client(vm) as client:
        client.enrol()
        body = wire.integers(*range(100))
        pieces = [(wire.SOM, wire.header(6)), (0, b""), (0, body[:4]), (0, b""), (0, body[4:]), (wire.EOM, b"")]
        for flags, piece in pieces:
            client.write(wire.frame(client.tid, piece, flags, source=client.tid))
        message = client.message()
        assert (message.tag, message.rest()) == (6, list(range(100)))
        client.request(wire.TM_EXIT)


def test_truncated_message_of_a_dead_task():
    """A task that dies in the middle of a message to another: the other gets later ones whole."""
    with VirtualMachine(OURS, OURS) as vm:
        puppet = Puppet(vm)
        with wire.Client(vm) as client:
            client.enrol()
            client.write(wire.frame(int(puppet.tid, 16), wire.header(6) + b"x" * 100, wire.SOM, source=client.tid))
            client.write(wire.frame(int(puppet.tid, 16), b"y" * 50, 0, source=client.tid, length=100))
        pvmd_answers(vm)
        other = Puppet(vm)
        assert other.do("send", puppet.tid, 7, 77) == "0"
        assert puppet.do("recv", -1, -1) == f"{other.tid} 7 4 77"
        other.leave()
        puppet.leave()


def test_pvmd_without_memory():
    """A frame for which the pvmd gets no memory costs its sender the connection, and nobody else anything."""
    with VirtualMachine(OURS, OURS, wrapper=["prlimit", f"--as={256 << 20}"]) as vm:
        running = Ring(vm)
        with wire.Client(vm) as client:
            client.enrol()
            with contextlib.suppress(wire.Closed):
                client.write(wire.frame(int(running.tid, 16), wire.header(1), length=512 << 20, source=client.tid))
                client.write(b"x" * (1 << 20))
                client.end_writing()
                client.wait_closed()
        pvmd_answers(vm)
        running.goes_on()
        running.end()


def test_task_without_memory():
    """A message that cannot be allocated is an error of the call, and the task goes on."""
    with VirtualMachine(OURS, OURS) as vm:
        puppet = Puppet(vm)
        assert puppet.do("memory", 64 << 20) == "0"
        assert puppet.do("grow", 1, puppet.tid, 200 << 20) == "-10 0 Malloc failed"
        assert puppet.do("send", puppet.tid, 5, 55) == "0"
        assert puppet.do("recv", -1, -1) == f"{puppet.tid} 5 4 55"
        puppet.leave()
        assert "Malloc failed" in puppet.task.err


def test_receiver_without_memory():
    """A receiver for which a message is too large tells so; sender and pvmd live on."""
    with VirtualMachine(OURS, OURS) as vm:
        sender, receiver = Puppet(vm), Puppet(vm)
        assert receiver.do("memory", 32 << 20) == "0"
        assert sender.do("grow", 1, receiver.tid, 50 << 20).startswith("0 0")
        answer = receiver.do("recv", -1, -1)
        assert answer == "-10 Malloc failed", answer
        assert sender.do("send", sender.tid, 5, 55) == "0"
        assert sender.do("recv", -1, -1) == f"{sender.tid} 5 4 55"
        sender.leave()
        receiver.task.signal(signal.SIGKILL)
        receiver.task.ended()
