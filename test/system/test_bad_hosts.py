"""Does a pvmd live through whatever comes to its datagram socket, and does nothing come of what should not?

Two pvmds, a task on each that pass checked messages to and fro, and a third host that the test itself plays
(support/peer.py); besides, sockets of nobody. While they do their worst the rounds must go on, the host table must
stay as it is, and the logs must say once what was wrong.
"""
import contextlib
import random
import socket

from support import peer as dd
from support import wire
from support.console import Console
from support.hosts import MASTER, HostsMachine
from support.machine import whole_lines
from support.peer import DM_ADD, DM_DB, DM_DELHOST, DM_EXEC, DM_HALT, DM_HTCOMMIT, DM_HTDEL, DM_HTUPD, DM_MCA, \
    DM_NOTIFY, DM_NULL, DM_PSTAT, DM_SENDSIG, DM_SLCONF, DM_TASKOUT, Peer, daemon_of, packet
from support.places import OURS
from support.puppet import Puppet
from support.ring import Ring
from support.wire import EOM, SOM, header, integers, string

SLAVE, PEER, NOBODY = "127.0.0.3", "127.0.0.9", "127.0.0.8"
BOTH = (MASTER, SLAVE)
MOST = 0x7FFFFFFF
FLOOD = 5000


class Machine(HostsMachine):
    """A master, a slave, and a peer; tasks that must go on."""

    def __init__(self, ours=False, **variables):
        """ours: the peer says that it is one of our pvmds."""
        super().__init__(OURS, OURS, variables=variables)
        self.ours = ours
        self.peer = None
        self.ring = None

    def boot(self):
        super().boot()
        self.peer = Peer(PEER, self.ours)
        line = self.folder / f"{PEER}.line"
        line.write_text(self.peer.line() + "\n")
        assert self.console("add " + " ".join((SLAVE, PEER)))[0] == "2 successful"
        line.unlink()
        self.ring = Ring(self, host=SLAVE)
        return self

    def __exit__(self, kind, value, trace):
        try:
            if kind is None:
                self.check_untouched()
                self.ring.end()
        finally:
            self.peer.close()
            super().__exit__(kind, value, trace)

    def console(self, *commands, host=MASTER):
        console = Console(self, OURS, host=host)
        lines = [line for command in commands for line in console.do(command)]
        console.quit().ok()
        return lines

    def check_untouched(self):
        """The tasks go on, and both pvmds know the three hosts and can start tasks on each other."""
        self.ring.goes_on()
        for host, other in (BOTH, BOTH[::-1]):
            lines = self.console("conf", f"spawn -> --host={other} /bin/pwd", host=host)
            assert lines[0] == "3 hosts, 1 data format", (lines, self.logs())
            assert "1 successful" in lines, (lines, self.logs())

    def logs(self):
        return "".join(self.host_log(host) for host in BOTH)

    def complaints(self, host):
        """What the log of a host says but the notes of its start, and how often it was so, which comes with time."""
        return [line.split(" ", 3)[3] for line in whole_lines(self.host_log(host))
                if not any(word in line for word in (" ready ", " 3.4.6", " more like this: "))]

    def until_taken(self, host):
        """Wait until the pvmd has dealt with all that the peer has said to it: what comes is acknowledged before."""
        answer = self.peer.ask(host, DM_PSTAT, integers(daemon_of(self.part(host))), wait=4711)
        assert answer.integer() == 0

    def address(self, host):
        return self.peer.hosts[host][1]

    def part(self, host):
        return self.peer.hosts[host][0]


def noise():
    """Datagrams that make no sense in any way, and some that would, came they from a host."""
    source = random.Random(4)
    for size in (0, 1, 15, 16, 17, 31, 47, 48, 49, 1000, 4080, 4081, 9000, 65000):
        yield bytes(source.randrange(256) for _ in range(size))
    for part in (0, 0x40000, 0x80000, 0xC0000, 0x100000, 0x3FFC0000):
        for flags in (0, 3, 7, 8, 16, 24, 31, 255):
            for tid in (daemon_of(part), part | 1, part, part | 0x40000001):
                payload = header(source.choice((DM_HALT, DM_HTDEL, DM_NULL, 5))) + integers(1, 0x40000, 0x80000)
                yield packet(source.choice((0x80040000, 0x80080000, 0x40001)), tid, source.randrange(1, 40), 1, flags,
                             payload)


@contextlib.contextmanager
def stranger(address):
    with contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as own:
        own.bind((address, 0))
        yield own


def test_strangers():
    """Who is no host is not heard, on whatever address, whoever he says that he is."""
    with Machine() as vm:
        before = {host: vm.complaints(host) for host in BOTH}
        for address in (NOBODY, PEER, *BOTH):
            with stranger(address) as own:
                for data in noise():
                    for host in BOTH:
                        own.sendto(data, vm.address(host))
        vm.check_untouched()
        for host in BOTH:
            said = vm.complaints(host)[len(before[host]):]
            assert len(said) == 2 and all(f"a packet from {NOBODY}:" in line for line in said), said


def test_floods():
    """What comes thousands of times is told once, and counted."""
    with Machine() as vm:
        before = len(vm.complaints(MASTER))
        with stranger(NOBODY) as own, wire.Client(vm) as client:
            client.enrol()
            for number in range(FLOOD):
                own.sendto(b"x" * (number % 40), vm.address(MASTER))
                client.ask(wire.TM_SPAWN, b"nonsense")
            client.request(wire.TM_EXIT)
        vm.check_untouched()
        said = vm.complaints(MASTER)[before:]
        assert len(said) <= 3, said
    assert f"{FLOOD - 1} more like this: a TM_SPAWN of 8 bytes" in vm.log_after, vm.log_after


def forged(vm, host, to):
    """Packets of the peer's socket that say they come from somebody else."""
    for source in (daemon_of(vm.part(MASTER)), daemon_of(vm.part(SLAVE)), vm.part(MASTER) | 1, daemon_of(0), 0, to):
        for tag in (DM_HALT, 7):
            yield packet(to if tag == 7 else daemon_of(vm.part(host)), source, 1, payload=header(tag) + integers(1))


def test_forged_sources():
    """A host speaks for itself and its tasks, and for nobody else."""
    with Machine() as vm:
        puppet = Puppet(vm, host=SLAVE)
        to = int(puppet.tid, 16)
        for host in BOTH:
            for data in forged(vm, host, to):
                vm.peer.raw(host, data)
        vm.peer.send(SLAVE, 7, integers(77), to=to, source=vm.peer.part | 5)
        assert puppet.do("recv", -1, -1) == f"{vm.peer.part | 5:x} 7 4 77"
        assert puppet.do("poll", -1, -1) == "0 nothing"
        puppet.leave()


def test_replayed_packets():
    """What has come does not come again, and what is far ahead is not kept for later."""
    with Machine() as vm:
        puppet = Puppet(vm, host=SLAVE)
        to = int(puppet.tid, 16)
        source = vm.peer.part | 5
        sent = [vm.peer.packet(SLAVE, header(7) + integers(value), to=to, source=source) for value in range(60)]
        vm.peer.until_acknowledged()
        number = int.from_bytes(sent[-1][8:10], "big")
        for ahead in (1200, 20000, 32000, 40000, 65535):
            vm.peer.raw(SLAVE, packet(to, source, number + ahead, payload=header(8) + integers(ahead)))
        for data in sent * 3:
            vm.peer.raw(SLAVE, data)
        vm.peer.send(SLAVE, 9, integers(99), to=to, source=source)
        vm.peer.until_acknowledged()
        assert [puppet.do("recv", -1, 7).split()[3] for _ in sent] == [str(value) for value in range(60)]
        assert puppet.do("recv", -1, -1) == f"{source:x} 9 4 99"
        assert puppet.do("poll", -1, -1) == "0 nothing"
        assert number + 1200 not in vm.peer.acknowledged[vm.address(SLAVE)]
        puppet.leave()


def pieces(vm, host):
    """Packets in order of which no message can be made: (flags, payload, source)."""
    own, task = daemon_of(vm.peer.part), vm.peer.part | 5
    start = header(DM_NULL)
    yield from ((0, b"x" * 40, own), (EOM, b"x" * 40, own), (EOM, b"", own), (SOM, start, own), (SOM, start, own),
                (0, b"", own), (EOM, b"", task), (SOM, start, task), (SOM | EOM, start, own),
                (SOM, start, 0x3FFFF | own), (128 | SOM, start, own), (64, b"x", own), (32 | EOM, b"x", own))


def test_pieces_without_sense():
    """Fragments without beginning or end, flags that there are not: the next message is understood."""
    with Machine() as vm:
        for host in BOTH:
            for flags, payload, source in pieces(vm, host):
                vm.peer.packet(host, payload, flags, source=source)
            vm.peer.raw(host, packet(daemon_of(vm.part(host)), daemon_of(vm.peer.part), 1, flags=dd.DAT | SOM,
                                     payload=b"x" * 31))
            for flags in (0, 8, 32, 64, 128, 224):
                vm.peer.raw(host, packet(daemon_of(vm.part(host)), daemon_of(vm.peer.part), 9999, 9999, flags))
            for number in range(0, 65536, 37):
                vm.peer.raw(host, packet(daemon_of(vm.part(host)), daemon_of(vm.peer.part), 0, number, dd.ACK))
            vm.until_taken(host)
            assert sum("make no message" in line for line in vm.complaints(host)) == 1, vm.complaints(host)


def test_messages_without_end():
    """A message that never ends costs a bounded amount of memory, however it is cut and whoever sends it."""
    with Machine(PVM_REQUEST_LIMIT="1") as vm:
        own, task = daemon_of(vm.peer.part), vm.peer.part | 5
        for source, size, count in ((own, 4000, 300), (task, 1, 1100), (own, 0, 300)):
            vm.peer.packet(SLAVE, header(DM_NULL), SOM, source=source)
            for _ in range(count):
                vm.peer.packet(SLAVE, b"x" * size, 0, source=source)
            vm.peer.until_acknowledged()
        for local in range(1, 1000):    # one of each of many
            vm.peer.packet(SLAVE, header(DM_NULL) + b"x" * 1000, SOM, source=vm.peer.part | local)
        vm.until_taken(SLAVE)
        assert sum("is longer than 1048576 bytes" in line for line in vm.complaints(SLAVE)) == 1, vm.logs()


def table(vm, master=1, serial=2, *entries):
    return integers(serial, master, master, len(entries)) + b"".join(
        integers(index) + string(name) + string("LINUX64") + string(where) + integers(4080, 1000, 0x408C41)
        for index, name, where in entries)


NOWHERE = "7f000063:0001"
FROM_MASTER = {
    "DM_HTUPD": (DM_HTUPD, lambda vm: table(vm, 1, 9, (1, "stolen", NOWHERE), (7, "new", NOWHERE))),
    "DM_HTCOMMIT": (DM_HTCOMMIT, lambda vm: b""),
    "DM_HTDEL": (DM_HTDEL, lambda vm: integers(2, vm.part(MASTER), vm.part(SLAVE), vm.peer.part)),
    "sets 1": (DM_SLCONF, lambda vm: integers(1) + string("/nowhere")),
    "sets 2": (DM_SLCONF, lambda vm: integers(2) + string("/nowhere")),
    "sets 3": (DM_SLCONF, lambda vm: integers(3) + string("/nowhere")),
    "sets 4": (DM_SLCONF, lambda vm: integers(4) + string("c0001")),
}
TO_MASTER = {
    "DM_ADD": (DM_ADD, lambda vm: integers(1) + string("127.0.0.20")),
    "DM_DELHOST": (DM_DELHOST, lambda vm: integers(1) + string(SLAVE)),
    "DM_HALT": (DM_HALT, lambda vm: b""),
    "DM_DB": (DM_DB, lambda vm: integers(4, 0x40001) + string("") + integers(-1, 0)),
}


def test_what_is_not_its_to_say():
    """Only the master changes tables and settings, and only the master is asked to."""
    with Machine() as vm:
        for host, said in ((MASTER, FROM_MASTER), (SLAVE, {**FROM_MASTER, **TO_MASTER})):
            for tag, body in said.values():
                vm.peer.send(host, tag, body(vm), wait=5)
            for answer in (tag + 1 for tag in (DM_ADD, DM_EXEC, DM_HTUPD, DM_PSTAT, DM_DELHOST, DM_DB, DM_NOTIFY)):
                for wait in (0, 1, 0x40001, 0x80001):
                    vm.peer.send(host, answer, integers(1, -1), wait=wait)
            vm.until_taken(host)
            lines = vm.complaints(host)
            assert sum("DM_HTUPD from t800c0000 is only the master's to say" in line for line in lines) == 1, lines
            assert sum("t800c0000 sets 1 to '/nowhere', which is the master's to do" in line for line in lines) == 1


BODIES = [b"", b"x", b"xxx", integers(0), integers(1), integers(-1), integers(MOST), integers(MOST, MOST),
          integers(1, MOST), integers(1, -1), integers(3) + b"abcd", integers(4) + b"abcd",
          integers(4096) + b"x" * 4096, integers(*9 * [0]), integers(*9 * [-1]), integers(*9 * [MOST]), integers(1, 1, 1, 1, 9999) + b"abcd",
          integers(0x40001, 9, 0), integers(0x80001, -9, -9), b"\xff" * 5000]
CODES = [code for code in range(DM_ADD, dd.DM_HOSTSYNCACK + 1) if code != DM_HALT]
OTHERS = [0, 77, DM_ADD - 1, dd.DM_HOSTSYNCACK + 1, 0x80010001, 0x80010008, 0x80030001, 0x80040001,
          0x80040002, 0xFFFFFFFF]
ALMOST = {
    "order to start": (DM_EXEC, integers(0x40001) + string("/bin/true") + integers(0, MOST, *9 * [0], 1)),
    "order for nobody": (DM_EXEC, integers(0x40001) + string("/bin/true") + integers(0, 0, *9 * [0], 1)),
    "output of another's task": (DM_TASKOUT, integers(0x40001, 4) + b"lies"),
    "giant output": (DM_TASKOUT, integers(0xC0001, 100000) + b"x" * 100000),
    "list of another host": (DM_MCA, integers(0x40040001, 1, 0x80001)),
    "list for a task": (DM_MCA, integers(0xC0001, 1, 0x80001)),
    "signal to a daemon": (DM_SENDSIG, integers(0x80040000, 9)),
    "signal to everything": (DM_SENDSIG, integers(-1, 9)),
    "signal to nobody": (DM_SENDSIG, integers(0, 9)),
    "odd setting": (DM_SLCONF, integers(99) + string("x")),
    "odd tracer": (DM_SLCONF, integers(5) + string("x" * 3000)),
    "tracer with a long mask": (DM_SLCONF, integers(5) + string("0 1 2 0 3 4 5 6 " + "@" * 3000)),
}


def test_malformed_messages():
    """Whatever a daemon says, in the order of what it may say and beyond, is answered or dropped."""
    with Machine() as vm:
        for host in BOTH:
            for tag in (*CODES, *OTHERS):
                for body in BODIES:
                    vm.peer.send(host, tag, body, wait=9)
                vm.peer.send(host, tag, b"\xff" * 100, wait=9, source=vm.peer.part | 5)
            for tag, body in ALMOST.values():
                vm.peer.send(host, tag, body, wait=9)
            vm.peer.until_acknowledged()
            vm.ring.goes_on()
            vm.until_taken(host)
            lines = vm.complaints(host)
            assert len(lines) <= 12, "\n".join(lines)
            assert "lies" not in vm.host_log(host)


def words():
    """What may not be said of a connection, and what is none."""
    yield from (b"", b"x" * 51, b"x" * 52, b"x" * 53, dd.word(0), dd.word(7), dd.word(dd.HELLO),
                dd.word(dd.TAKEN, 1, 0, 5), dd.word(dd.BROKEN, 99, 0, MOST), dd.word(dd.SWITCH, 99),
                dd.word(dd.OFFER, 1, 1), dd.word(dd.OFFER, 1, 1 << 16), dd.word(dd.WELCOME, 1))


def frames(vm, host, to):
    """What ends a connection, each alone."""
    own = daemon_of(vm.peer.part)
    if host == SLAVE:
        yield wire.frame(to, header(7), source=daemon_of(vm.part(MASTER)))
        yield wire.frame(to, header(7), source=own, length=-1)
    else:
        yield wire.frame(daemon_of(vm.part(host)), dd.word(dd.TAKEN, 1, 0, 1 << 40), dd.LINK_FLAG, own)


def test_connections_of_hosts():
    """Only who has the secret is let in, and then he is a host like any other."""
    with Machine(ours=True) as vm, contextlib.ExitStack() as stack:
        puppet = Puppet(vm, host=SLAVE)
        to = int(puppet.tid, 16)
        vm.peer.send(SLAVE, DM_NULL)
        for host in BOTH:
            offer = number, port, _, welcome = vm.peer.offer(host)
            for said in words():
                vm.peer.send(host, dd.LINK_TAG, said)
            vm.peer.until_acknowledged()
            for wrong in (b"", b"x" * 16, welcome):
                with vm.peer.connect(host, port) as connection, contextlib.suppress(ConnectionResetError):
                    connection.sendall(wire.frame(daemon_of(vm.part(host)), dd.word(dd.HELLO, number, secret=wrong),
                                                  dd.LINK_FLAG, daemon_of(vm.peer.part)))
                    assert connection.recv(1) == b""
            for _ in range(40):
                stack.enter_context(vm.peer.connect(host, port))
            for data in frames(vm, host, to):
                offer = offer or vm.peer.offer(host)
                with vm.peer.accept(host, offer) as connection, contextlib.suppress(OSError):
                    connection.sendall(data)
                    while connection.recv(1 << 16):
                        pass
                vm.peer.send(host, dd.LINK_TAG, dd.word(dd.BROKEN, offer[0]))
                offer = None
                vm.ring.goes_on()
            lines = vm.complaints(host)
            assert sum("what came over it makes no sense" in line for line in lines) == 1, "\n".join(lines)
            assert len(lines) <= 10, "\n".join(lines)
        assert puppet.do("poll", -1, -1) == "0 nothing"
        puppet.leave()


def test_host_that_ends_another():
    """FIN and ACK end the host that sends them, and no other."""
    with Machine() as vm:
        for host in BOTH:
            for source in BOTH:
                vm.peer.raw(host, packet(daemon_of(vm.part(host)), daemon_of(vm.part(source)),
                                         flags=dd.FIN | dd.ACK))
