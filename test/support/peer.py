"""What does a host say to the daemons of other hosts, byte for byte?

A Peer is a host of the virtual machine without a pvmd: the test itself has its datagram socket. It acknowledges what
comes and takes part in table updates, so that a master adds it, and says beyond that what it is told to say.
"""
import contextlib
import queue
import socket
import struct
import threading

from support.task import LIMIT
from support.wire import EOM, SOM, Message, frame, header

DAT, FIN, ACK = 4, 8, 16
PACKET = 16
PAYLOAD = 4000      # bytes in one packet
AGAIN_SECONDS = 0.2
MARK, TAGGED_MARK = 0x717D76, 0x727D76      # of our pvmds (core/packet.h)
TAG = 8             # bytes
LINK_TAG = 0x80020101
LINK_FLAG = 0x40
OFFER, HELLO, WELCOME, SWITCH, BROKEN, TAKEN = range(1, 7)
HALF = 16

(DM_ADD, DM_ADDACK, DM_EXEC, DM_EXECACK, DM_SENDSIG, DM_HTUPD, DM_HTUPDACK, DM_HTCOMMIT, DM_SLCONF, DM_STARTACK,
 DM_TASK, DM_TASKACK, DM_DELHOST, DM_DELHOSTACK, DM_NULL, DM_TASKOUT, DM_PSTAT, DM_PSTATACK, DM_HALT, DM_MCA,
 DM_NOTIFY, DM_NOTIFYACK, DM_DB, DM_DBACK, DM_RESET, DM_RESETACK, DM_HTDEL, DM_HOSTSYNC,
 DM_HOSTSYNCACK) = range(0x80020001, 0x8002001E)

# Of our pvmds (core/control.h).
BLOCK, BLOCK_ANSWER, BLOCK_BACK = 0x80021001, 0x80021002, 0x80021003


def daemon_of(part):
    return part | 0x80000000


def packet(to, source, sequence=0, acknowledged=0, flags=DAT | SOM | EOM, payload=b""):
    """One datagram."""
    return struct.pack(">IIHHB3x", to, source, sequence & 0xFFFF, acknowledged & 0xFFFF, flags) + payload


def word(kind, number=0, port=0, taken=0, secret=b""):
    """What our pvmds tell each other of the connection between them (core/link_word.h)."""
    return struct.pack(">IIIQ", kind, number, port, taken) + secret.ljust(2 * HALF, b"\0")


def siphash(key, data):
    """SipHash-2-4 (core/siphash.h)."""
    most = (1 << 64) - 1
    first, second = struct.unpack("<2Q", key)
    a, b, c, d = (half ^ constant for half, constant in zip((first, second, first, second), (
        0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)))

    def rotate(word, bits):
        return (word << bits | word >> 64 - bits) & most

    def rounds(count):
        nonlocal a, b, c, d
        for _ in range(count):
            a, c = a + b & most, c + d & most
            b, d = rotate(b, 13) ^ a, rotate(d, 16) ^ c
            a = rotate(a, 32)
            c, a = c + b & most, a + d & most
            b, d = rotate(b, 17) ^ c, rotate(d, 21) ^ a
            c = rotate(c, 32)

    padded = data + b"\0" * (7 - len(data) % 8) + bytes([len(data) & 0xFF])
    for word, in struct.iter_unpack("<Q", padded):
        d ^= word
        rounds(2)
        a ^= word
    c ^= 0xFF
    rounds(4)
    return struct.pack(">Q", a ^ b ^ c ^ d)


def halves(secret, number):
    """What the two sides of a connection show (daemon/post/host_key.h)."""
    words = [siphash(secret[HALF:], struct.pack(">II", number, i)) for i in range(4)]
    return b"".join(words[:2]), b"".join(words[2:])


def hex_address(address):
    return "%08x:%04x" % (struct.unpack(">I", socket.inet_aton(address[0]))[0], address[1])


class Peer:
    """The host at an address; line() is what its daemon prints at the start. ours: it says that it is one of ours."""

    def __init__(self, address, ours=False):
        self.ours = ours
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((address, 0))
        self.socket.settimeout(AGAIN_SECONDS)
        self.address = self.socket.getsockname()
        self.part = None
        self.hosts = {}                 # name: (host part, address)
        self.received = queue.Queue()   # messages, of those that this class has no answer to
        self.acknowledged = {}          # address: numbers
        self._sequences = {}            # address: the number given last
        self._outstanding = {}          # (address, number): datagram
        self._expected = {}
        self._partial = {}
        self._offers = {}               # host part: the last one
        self.secrets = {}               # address: that of its key
        self._lock = threading.Condition()
        self._ended = False
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._ended = True
        self._thread.join()
        self.socket.close()

    def line(self):
        return f"ddpro<2316> arch<LINUX64> ip<{hex_address(self.address)}> mtu<4080> dsig<4230209>"

    # out

    def raw(self, name, data):
        """Bytes as they are, from the socket of the host."""
        self._write(data, self.hosts[name][1])

    def marked(self, data, address):
        """The datagram with the mark of our pvmds, and with a tag if there is a key."""
        index = int.from_bytes(data[4:8], "big") >> 18 & 0xFFF
        secret = self.secrets.get(address)
        data = data[:13] + ((TAGGED_MARK if secret else MARK) ^ index).to_bytes(3, "big") + data[PACKET:]
        return data + siphash(secret[:HALF], data) if secret else data

    def _write(self, data, address):
        if self.ours and len(data) >= PACKET:
            data = self.marked(data, address)
        self.plain(data, address)

    def plain(self, data, address):
        """Bytes without mark and tag."""
        with contextlib.suppress(ConnectionRefusedError):
            self.socket.sendto(data, address)

    def next_number(self, name):
        address = self.hosts[name][1]
        with self._lock:
            self._sequences[address] = (self._sequences.get(address, 0) + 1) & 0xFFFF
            return self._sequences[address]

    def packet(self, name, payload, flags=SOM | EOM, to=None, source=None):
        """One packet with data, repeated until it is acknowledged; gives the datagram."""
        part, address = self.hosts[name]
        number = self.next_number(name)
        data = packet(daemon_of(part) if to is None else to, daemon_of(self.part) if source is None else source,
                      number, flags=flags | DAT, payload=payload)
        with self._lock:
            self._outstanding[address, number] = data
        self.raw(name, data)
        return data

    def send(self, name, tag, body=b"", wait=0, to=None, source=None):
        """A message to the pvmd of a host, or to `to` there."""
        data = header(tag, wait=wait) + body
        pieces = [data[at:at + PAYLOAD] for at in range(0, len(data), PAYLOAD)]
        for i, piece in enumerate(pieces):
            flags = (SOM if i == 0 else 0) | (EOM if i == len(pieces) - 1 else 0)
            self.packet(name, piece, flags, to, source)

    def until_acknowledged(self, limit=LIMIT):
        """Wait until everything that was sent has come."""
        with self._lock:
            assert self._lock.wait_for(lambda: not self._outstanding, limit), \
                f"not acknowledged: {[data[:PACKET].hex() for data in self._outstanding.values()]}"

    def ask(self, name, tag, body, wait, limit=LIMIT):
        """Send a question and wait for its answer."""
        self.send(name, tag, body, wait)
        while (answer := self.received.get(timeout=limit)).wait != wait or answer.tag != tag + 1:
            pass
        return answer

    # the connection of our pvmds

    def offer(self, name, limit=LIMIT):
        """The next offer of a connection from a host: number, port, and the two halves that are shown."""
        with self._lock:
            assert self._lock.wait_for(lambda: self._offers.get(self.hosts[name][0]), limit), f"{name} offers nothing"
            offer = self._offers.pop(self.hosts[name][0])
        _, number, port, _ = struct.unpack_from(">IIIQ", offer)
        return number, port, *halves(self.secrets[self.hosts[name][1]], number)

    def connect(self, name, port):
        return socket.create_connection((self.hosts[name][1][0], port), LIMIT, (self.address[0], 0))

    def accept(self, name, offer):
        """The connection that was offered, over which everything goes from now on."""
        number, port, hello, welcome = offer
        connection = self.connect(name, port)
        said = word(HELLO, number, secret=hello)
        connection.sendall(frame(daemon_of(self.hosts[name][0]), said, LINK_FLAG, daemon_of(self.part)))
        assert welcome in connection.recv(PACKET + len(said), socket.MSG_WAITALL)
        self.send(name, LINK_TAG, word(SWITCH, number))
        return connection

    # in

    def _run(self):
        while not self._ended:
            try:
                data, address = self.socket.recvfrom(1 << 16)
            except socket.timeout:
                self._send_again()
                continue
            except ConnectionRefusedError:
                continue
            self._take(data, address)

    def _send_again(self):
        with self._lock:
            outstanding = list(self._outstanding.items())
        for (address, _), data in outstanding:
            self._write(data, address)

    def _take(self, data, address):
        to, source, number, acknowledged, flags = struct.unpack(">IIHHB3x", data[:PACKET])
        if int.from_bytes(data[13:PACKET], "big") ^ source >> 18 & 0xFFF == TAGGED_MARK:
            data, tag = data[:-TAG], data[-TAG:]
            assert tag == siphash(self.secrets[address][:HALF], data)
        if flags & ACK:
            with self._lock:
                self.acknowledged.setdefault(address, []).append(acknowledged)
                self._outstanding.pop((address, acknowledged), None)
                self._lock.notify_all()
            return
        expected = self._expected.get(address, 1)
        if flags & DAT and 0 < number - expected < 1 << 15:
            return      # what has overtaken others comes again
        self._write(packet(source & 0xBFFC0000 | 0x80000000, to & 0x3FFC0000 | 0x80000000, 0, number, ACK), address)
        if not flags & DAT or number != expected:
            return
        self._expected[address] = (number + 1) & 0xFFFF
        whole = (b"" if flags & SOM else self._partial.pop(address, b"")) + data[PACKET:]
        if flags & EOM:
            self._handle(address, Message(to, source, whole))
        else:
            self._partial[address] = whole

    def _handle(self, address, message):
        if message.tag == DM_HTUPD:
            self._learn(address, message)
        elif message.tag == LINK_TAG and message.body[3] == OFFER:
            with self._lock:
                self._offers[message.source & 0x3FFC0000] = message.body
                self.secrets.setdefault(address, message.body[20:])
                self._lock.notify_all()
        elif message.tag not in (DM_SLCONF, DM_HTCOMMIT, DM_NULL):
            self.received.put(message)

    def _learn(self, address, message):
        """A table update: who is who."""
        self.part = message.to & 0x3FFC0000
        _, _, _, count = (message.integer() for _ in range(4))
        for _ in range(count):
            index, name, _, where = message.integer(), message.string(), message.string(), message.string()
            for _ in range(3):
                message.integer()
            host, port = where.split(":")
            self.hosts[name] = (index << 18, (socket.inet_ntoa(struct.pack(">I", int(host, 16))), int(port, 16)))
        name = next(name for name, (_, known) in self.hosts.items() if known == address)
        self.send(name, DM_HTUPDACK, wait=message.wait)
