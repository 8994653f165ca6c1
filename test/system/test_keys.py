"""Does nobody get in who was not started by the master?

node1, the master, and node2 are the virtual machine; node3 is on the same network, and somebody there sends
what he likes, with whatever source address, and has recorded what the daemons sent each other (support/attacker.py).
Each attempt is made on daemons of 3.4.6 first, where it succeeds, and in the same test on ours.
"""
import contextlib
import dataclasses
import os
import re
import struct
import sys
from pathlib import Path

import pytest

from support.console import Console
from support.hosts import SHELL, HostsMachine
from support.machine import processes_with
from support.network import NetworkMachine
from support.peer import ACK, DAT, DM_EXEC, DM_HTCOMMIT, DM_HTUPD, FIN, HALF, LINK_TAG, MARK, OFFER, PACKET, \
    TAGGED_MARK, daemon_of, packet, siphash
from support.places import OURS, STOCK, TESTS
from support.puppet import Puppet
from support.task import Task, text_of, wait_until
from support.wire import HEADER, SOM, header, integers, string

SEALED_MARK, SEAL = 0x737D76, 24    # of packets between daemons that hold the key (core/packet.h)
MOST = 4080 + SEAL  # bytes of a datagram
WHOLE = 9000        # bytes of a frame on the network: no datagram is cut
TRIES = 20          # numbers that are tried: daemons may have sent more meanwhile
TAG, LAST_TAG = 7, 9
PORT = 2990         # of the master
PVM_ROUTE, PVM_ROUTE_DIRECT = 1, 3  # pvm3.h
LARGE = 1000        # bytes of a message that is attacked (support/attacker.py)
THIEF, THIEF_IN_TABLE = "10.0.0.3:2989", "0a000003:0bad"
SLAVE, OTHER = "127.0.0.3", "127.0.0.4"


@dataclasses.dataclass
class Datagram:
    """One that was recorded, or is to be sent; the ends are ADDRESS:PORT."""
    source: str
    destination: str
    data: bytes

    @property
    def from_tid(self):
        return int.from_bytes(self.data[4:8], "big")

    @property
    def number(self):
        return int.from_bytes(self.data[8:10], "big")

    @property
    def acknowledged(self):
        return int.from_bytes(self.data[10:12], "big")

    @property
    def has_data(self):
        return bool(self.data[12] & DAT)

    @property
    def tag(self):
        """Of the message that begins here."""
        return int.from_bytes(self.data[PACKET + 4:PACKET + 8], "big") if self.data[12] & SOM else None

    def carrying(self, data):
        return Datagram(self.source, self.destination, data)

    def bare(self):
        """Without mark and seal, as 3.4.6 would send it."""
        index = self.from_tid >> 18 & 0xFFF
        sealed = int.from_bytes(self.data[13:16], "big") == SEALED_MARK ^ index
        return self.carrying(self.data[:13] + bytes(3) + self.data[PACKET:len(self.data) - SEAL * sealed])

    def numbered(self, number):
        return self.carrying(self.data[:8] + struct.pack(">H", number & 0xFFFF) + self.data[10:])

    def marked(self, mark, more=b""):
        index = self.from_tid >> 18 & 0xFFF
        return self.carrying(self.data[:13] + (mark ^ index).to_bytes(3, "big") + self.data[PACKET:] + more)

    def tagged(self, key):
        """As daemons of ours tag their packets that agree on a key by themselves."""
        marked = self.marked(TAGGED_MARK)
        return marked.carrying(marked.data + siphash(key, marked.data))

    @property
    def secret(self):
        """What the first daemon tells the second one, if it does here."""
        kind, *_, secret = struct.unpack_from(">IIIQ32s", self.data[PACKET + HEADER:].ljust(52, b"\0"))
        return secret if self.tag == LINK_TAG and kind == OFFER else bytes(2 * HALF)


def attacker_on(vm, host, *what):
    return Task([*vm.network.enter(host), sys.executable, TESTS / "support" / "attacker.py", *what], dict(os.environ),
                keep_input=True)


class Attacker:
    """Records at node2, and sends from node3."""

    def __init__(self, vm):
        self.recorder, self.sender = attacker_on(vm, "node2", "record"), attacker_on(vm, "node3", "send")
        assert self.recorder.line() == "ready"
        self.seen = []

    def until_recorded(self, wanted):
        """The next datagram that is wanted; all before it are in `seen`, too."""
        while True:
            source, destination, *data = self.recorder.line().split()
            self.seen.append(Datagram(source, destination, bytes.fromhex(data[0]) if data else b""))
            if len(self.seen[-1].data) >= PACKET and wanted(self.seen[-1]):
                return self.seen[-1]

    def last_number(self, like):
        """The last number of those that went the same way."""
        return [one.number for one in self.seen if one.source == like.source and one.has_data][-1]

    def send(self, datagram):
        self.sender.say(f"{datagram.source} {datagram.destination} {datagram.data.hex()}\n")
        assert self.sender.line() == "sent"

    def close(self):
        self.recorder.discard()
        self.sender.discard()


class Attempts:
    """What the attacker tries, in the order in which each can succeed; each has a list of datagrams."""

    def __init__(self, vm, attacker, mark):
        """mark: a file that the attacker wants to be made."""
        self.vm, self.attacker = vm, attacker
        self.here, self.there = vm.puppet("node1"), vm.puppet("node2")
        self.file = mark
        said = self._record_message()
        order = self._record_order()
        back = next(one for one in reversed(attacker.seen) if one.source == said.destination and one.has_data)
        self.ports = said.destination, said.source
        self._number = {one.source: attacker.last_number(one) for one in (said, back)}
        master, slave = (daemon_of(part << 18) for part in (1, 2))
        table = integers(9, 1, 1, 1) + integers(7) + string("thief") + string("LINUX64") + string(THIEF_IN_TABLE) + \
            integers(4080, 1000, 0x408C41)
        self.recorded = [said, order]
        self.keys = {one.secret[:HALF] for one in attacker.seen if len(one.data) > PACKET}
        self.say = self._repeated(said.bare())
        self.run = self._repeated(order.bare())
        # The master's answers to the orders have some of the numbers: a table is tried under more than that.
        self.join = [one for tag, body in ((DM_HTUPD, table), (DM_HTUPD, table), (DM_HTUPD, table), (DM_HTCOMMIT, b""))
                     for one in self._repeated(back.carrying(packet(slave, master, payload=header(tag) + body)))]
        self.end_host = [said.carrying(packet(master, slave, flags=FIN | ACK))]
        self.end_daemon = [back.carrying(packet(slave, master, flags=FIN | ACK))]

    def _record_message(self):
        assert self.there.do("send", self.here.tid, TAG, 77) == "0"
        assert self.here.do("recv", self.there.tid, TAG) == f"{self.there.tid} {TAG} 4 77"
        return self.attacker.until_recorded(lambda one: one.from_tid == int(self.there.tid, 16) and one.has_data)

    def _record_order(self):
        assert self.there.do("spawnat", "node1", "/bin/touch", self.file).split()[0] == "1"
        wait_until(self.file.exists, "the task has run")
        self.file.unlink()
        return self.attacker.until_recorded(lambda one: one.tag == DM_EXEC)

    def _repeated(self, datagram):
        """Under each of the numbers that may be next on that way."""
        first = self._number[datagram.source] + 1
        self._number[datagram.source] += TRIES
        return [datagram.numbered(number) for number in range(first, first + TRIES)]

    def all(self):
        return [*self.say, *self.run, *self.join, *self.end_host, *self.end_daemon]


@contextlib.contextmanager
def attempts_on(system, folder):
    variables = {"PVM_NO_STREAM": "1"}      # so that what daemons say is in datagrams, and can be recorded
    with NetworkMachine([system] * 3, system, variables, mtu=WHOLE) as vm:
        with contextlib.closing(Attacker(vm)) as attacker:
            vm.add("node2")
            yield vm, attacker, Attempts(vm, attacker, folder / "mark")


def test_attempts_succeed_with_stock(tmp_path):
    """Each attempt is one that works where there is no key."""
    with attempts_on(STOCK, tmp_path) as (vm, attacker, attempts):
        def try_all(datagrams):
            for datagram in datagrams:
                attacker.send(datagram)
        try_all(attempts.say)
        assert attempts.here.do("recv", -1, -1) == f"{attempts.there.tid} {TAG} 4 77"
        try_all(attempts.run)
        wait_until(attempts.file.exists, "the task of the attacker has run")
        try_all(attempts.join)
        last = attempts.join[-1]
        attacker.until_recorded(lambda one: one.source == last.destination and one.data[12] & ACK
                                and one.acknowledged == last.number)
        attempts.there.tell("mstat", "thief")
        attacker.until_recorded(lambda one: one.destination == THIEF)   # a daemon there is asked
        try_all(attempts.end_host)
        vm.until_hosts("node1")
        try_all(attempts.end_daemon)
        wait_until(lambda: not vm.network.processes("node2") - {attacker.recorder.pid, attempts.there.pid},
                   "the other daemon is gone")


def changed(attempts):
    """The attempts as somebody makes them who knows how our daemons mark their packets, and what they sent."""
    for one in attempts.recorded:
        yield one                                   # again, as it was
        for number in range(one.number + 1, one.number + TRIES):
            yield one.numbered(number)              # under a number that is new
    for one in attempts.all():
        yield one
        yield one.marked(MARK)
        for seal in (bytes(SEAL), os.urandom(SEAL), attempts.recorded[-1].data[-SEAL:]):
            yield one.marked(SEALED_MARK, seal)
        yield one.marked(SEALED_MARK)
        for key in attempts.keys:
            yield one.tagged(key)
    for size in (PACKET, PACKET + SEAL - 1, PACKET + SEAL, MOST):
        for like in (attempts.say[0], attempts.end_daemon[0]):
            yield like.carrying(os.urandom(size))


def test_attempts_come_to_nothing(tmp_path):
    """Nothing is said, run, joined or ended, and the log tells of it in a few lines."""
    with attempts_on(OURS, tmp_path) as (vm, attacker, attempts):
        here, there = attempts.here, attempts.there
        for datagram in changed(attempts):
            attacker.send(datagram)
        for host, end in zip(("node1", "node2"), attempts.ports):
            for size in (0, 1, PACKET - 1, MOST + 1):
                attacker.send(Datagram(THIEF, end, bytes(size)))
            wait_until(lambda: "its length makes no sense" in vm.host_log(host), "all has been dealt with")
            lines = [line for line in vm.host_log(host).splitlines() if " is dropped: " in line]
            assert any("it does not know the secret" in line for line in lines) and len(lines) <= 4, lines
        assert there.do("mstat", "thief") == "-6"
        assert there.do("send", here.tid, LAST_TAG, 99) == here.do("send", there.tid, LAST_TAG, 98) == "0"
        assert here.do("recv", -1, -1) == f"{there.tid} {LAST_TAG} 4 99"
        assert there.do("recv", -1, -1) == f"{here.tid} {LAST_TAG} 4 98"
        assert here.do("poll", -1, -1) == there.do("poll", -1, -1) == "0 nothing"
        assert vm.hosts() == ["node1", "node2"]
        assert not attempts.file.exists()
        vm.add("node3")     # a host that the master starts is let in all the same
        here.leave()
        there.leave()


def between(vm, what):
    """Somebody for each kind of attack, each at a host of his own, before the hosts are added."""
    for host, kind in zip(vm.others, what):
        number = vm.names.index(host) + 1
        task = attacker_on(vm, host, "between", f"10.0.0.{number}", f"10.0.0.1:{PORT}", kind)
        assert task.line() == "ready"
        yield host, task


def attack(vm, host, task):
    """What a task on the host is sent is attacked on its way. Gives what comes, up to the next message."""
    here, there = vm.puppet("node1"), vm.puppet(host)
    wait_until(lambda: f"connected with the host {host}" in vm.log(), f"{host} is connected")
    task.say("\n")
    assert task.line() == "armed"
    assert here.do("flood", there.tid, TAG, 1, LARGE // 4) == "0"
    assert task.line() == "done"
    assert here.do("send", there.tid, LAST_TAG, 99) == "0"
    came = []
    while not came or came[-1] != f"{here.tid} {LAST_TAG} 4 99":
        came.append(there.do("recv", -1, -1))
    assert there.do("poll", -1, -1) == "0 nothing"
    return [line.removeprefix(f"{here.tid} {TAG} ") for line in came[:-1]]


@pytest.mark.parametrize("keyed", [True, False])
def test_somebody_between_two_hosts(keyed):
    """Who sits between two hosts and changes what passes on their connection changes nothing that arrives, unless
    they have no key."""
    sent, other = f"{LARGE} 0", f"{LARGE} 4"
    what = {"change": [other], "drop": [], "repeat": [sent, sent], "insert": [other, sent]}
    with NetworkMachine([OURS] * (1 + len(what)), OURS, {"PVMNETSOCKPORT": str(PORT)}) as vm:
        if not keyed:
            shell = vm.folder / "shell"
            shell.write_text(shell.read_text().replace('"$*"', '"$*" < /dev/null'))
        attackers = dict(between(vm, what))
        vm.add()
        for (host, task), came in zip(attackers.items(), what.values()):
            assert attack(vm, host, task) == ([sent] if keyed else came), host
            told = "somebody has changed what passes on it" in vm.host_log(host)
            assert told == keyed
            task.discard()


@pytest.mark.parametrize("way", ["connection", "datagrams", "direct"])
@pytest.mark.parametrize("secrecy", ["off", "on"])
def test_somebody_who_reads_along(secrecy, way):
    """With PVM_SECRECY he reads nothing of what tasks say, whichever way they ask for."""
    variables = {"PVM_SECRECY": secrecy, **({"PVM_NO_STREAM": "1"} if way == "datagrams" else {})}
    said = bytes(LARGE // 2)    # a part of the message that a puppet floods with
    with NetworkMachine([OURS] * 2, OURS, variables) as vm:
        vm.add("node2")
        if way == "connection":
            wait_until(lambda: "connected with the host node2" in vm.log(), "node2 is connected")
        reader = attacker_on(vm, "node2", "look", said.hex())
        assert reader.line() == "ready"
        here, there = vm.puppets()
        for sender, receiver in ((here, there), (there, here)):
            if way == "direct":
                sender.do("option", PVM_ROUTE, PVM_ROUTE_DIRECT)
            receiver.tell("recv", -1, -1)   # a direct route begins while its receiver is in a call
            assert sender.do("flood", receiver.tid, TAG, 1, LARGE // 4) == "0"
            assert receiver.answer() == f"{sender.tid} {TAG} {LARGE} 0"
        vm.network.run("node1", sys.executable, "-c", "import socket; socket.socket(type=socket.SOCK_DGRAM)"
                       f".sendto(bytes({len(said)}), ('10.0.0.2', {PORT}))")   # what the reader sees in any case
        assert (reader.line() == str(PORT)) == (secrecy == "on")
        reader.discard()


KEYED_SHELL = SHELL.replace('exec sh -c "$*"', """read -r line
echo "$line" > '{folder}/'"$host.said"
{{ cat '{folder}/'"$host.wait" 2> '{folder}/'"$host.none"; echo "$line"; cat; }} | sh -c "$*" """)


class Keyed(HostsMachine):
    """The remote shell writes down what it gives to a daemon; HOST.wait, a pipe, lets it wait before."""

    def __init__(self, slave=OURS, **variables):
        super().__init__(OURS, OURS, variables=variables, slave=slave)
        self.shell.write_text(KEYED_SHELL.format(folder=self.folder, libraries=self.slave.libraries))

    def add(self, *hosts):
        console = Console(self, OURS)
        answer = console.do("add " + " ".join(hosts))
        console.quit().ok()
        return answer

    def files(self):
        return [name for name in super().files() if name.rpartition(".")[2] not in ("said", "none", "wait")]


def secret_of(vm, host):
    """What a daemon got on its standard input."""
    return re.search(r"PVM_KEY=([0-9a-f]{64})\.[0-9a-f]{16}\b", text_of(vm.folder / f"{host}.said")).group(1)


def holds_key(vm, host):
    """As the master sees it."""
    return f"the daemon on {host} holds no key" not in vm.log()


def test_the_secret_is_nowhere_else():
    """It is in no argument, no environment and no file, neither of daemons nor of tasks."""
    with Keyed() as vm:
        assert vm.add(SLAVE, OTHER)[0] == "2 successful"
        puppet = Puppet(vm, host=SLAVE)
        secret = secret_of(vm, SLAVE)
        assert secret == secret_of(vm, OTHER)
        assert holds_key(vm, SLAVE) and holds_key(vm, OTHER)
        for pid in vm.processes():
            for name in ("environ", "cmdline"):
                text = text_of(Path(f"/proc/{pid}/{name}"))
                assert secret not in text and "PVM_KEY" not in text
        for path in vm.folder.rglob("*"):
            assert not path.is_file() or path.suffix == ".said" or secret not in text_of(path), path
        puppet.leave()


def test_a_secret_may_come_late():
    """The daemon waits for it, however slow the remote shell is."""
    with Keyed() as vm:
        os.mkfifo(vm.folder / f"{SLAVE}.wait")
        console = Console(vm, OURS)
        console.task.say(f"add {SLAVE}\n")
        wait_until(lambda: processes_with(f"PVM_TMP={vm.folder / SLAVE}\0"), "the daemon has begun")
        (vm.folder / f"{SLAVE}.wait").write_text("")
        while console.line() != "1 successful":
            continue
        console.quit().ok()
        assert holds_key(vm, SLAVE)


def test_a_wrong_word(tmp_path):
    """It neither lets in hosts that the user may not want, nor shows what he wants to be secret."""
    environment = {**os.environ, "PVM_TMP": str(tmp_path), "PVM_ALLOW_ROOT": "1"}
    ended = Task([OURS.pvmd, "-f"], {**environment, "PVM_PEERS": "all"}).ended().ok(1)
    assert "PVM_PEERS is 'all', which is neither ours nor any" in ended.err
    ended = Task([OURS.pvmd, "-f"], {**environment, "PVM_SECRECY": "yes"}).ended().ok(1)
    assert "PVM_SECRECY is 'yes', which is neither on nor off" in ended.err


def test_without_a_key():
    """A daemon of 3.4.6 comes in, and the log says what that means; with PVM_PEERS=ours it is refused, and ends."""
    with Keyed(STOCK) as vm:
        assert vm.add(SLAVE)[0] == "1 successful"
        assert not holds_key(vm, SLAVE) and "can act for it" in vm.log()
        assert "not encrypted" not in vm.log()
    with Keyed(STOCK, PVM_SECRECY="on") as vm:
        assert vm.add(SLAVE)[0] == "1 successful"
        assert not holds_key(vm, SLAVE) and "what it is sent is not encrypted" in vm.log()
    with Keyed(STOCK, PVM_PEERS="ours") as vm:
        assert vm.add(SLAVE)[0] == "0 successful"
        assert f"the daemon on {SLAVE} holds no key" in vm.log() and "it is refused (PVM_PEERS=ours)" in vm.log()
        wait_until(lambda: not processes_with(f"PVM_TMP={vm.folder / SLAVE}\0"), "the daemon has ended")
    with HostsMachine(STOCK, STOCK, {"PVM_PEERS": "ours"}, OURS) as vm:
        console = Console(vm, STOCK)
        assert console.do(f"add {SLAVE}")[0] == "0 successful"
        console.quit().ok()
        assert "the master has told no key of the virtual machine, and PVM_PEERS is ours" in vm.log()
