"""What can somebody do who is on the network of the hosts, and is none of them?

usage: attacker.py record         prints each datagram that passes here, as a line
       attacker.py send           sends each datagram that a line of its input describes, whatever source that names

A line is FROM:PORT TO:PORT [HEXADECIMAL], with addresses of IPv4. Each line of the input is answered with one.
"""
import socket
import struct
import sys

ETH_P_ALL, ETH_P_IP, UDP, HEADER = 3, 0x800, socket.IPPROTO_UDP, 28


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


def record():
    with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL)) as tap:
        print("ready", flush=True)
        while True:
            packet, (_, protocol, *_) = tap.recvfrom(1 << 16)
            if protocol != ETH_P_IP or packet[9] != UDP:
                continue
            start = (packet[0] & 15) * 4
            ports = struct.unpack(">HH", packet[start:start + 4])
            ends = (f"{socket.inet_ntoa(packet[at:at + 4])}:{port}" for at, port in zip((12, 16), ports))
            print(*ends, packet[start + 8:].hex(), flush=True)


{"send": send, "record": record}[sys.argv[1]]()
