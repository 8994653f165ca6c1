"""A pvmd is killed: is it noticed at once, and has who takes its port nothing to say?

The hosts are network namespaces. Who takes the port runs on the host of the dead pvmd, as another user where the test
is root, and needs no rights.
"""
import os
import re
import signal
import struct
import sys

import pytest
from support.network import NetworkMachine
from support.peer import ACK, DM_EXEC, FIN, MARK, TAG, TAGGED_MARK, daemon_of, packet
from support.places import OURS
from support.task import Task, wait_until
from support.wire import header, integers, string

PATIENCE = {"PVM_HOST_PATIENCE": "3"}
NUMBERS = 60       # a pvmd has sent fewer packets by then
SPURIOUS = 100
FRAMES = 20         # with silence in place of refusals it is twice as many, and more
OTHER = ["setpriv", "--reuid=61002", "--regid=61002", "--clear-groups", "--"] if os.getuid() == 0 else []

# Takes an address as soon as it is free, and sends datagrams to another one.
TAKER = """
import socket, sys
address, port, to, to_port = sys.argv[1:]
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
print("waiting", flush=True)
while True:
    try:
        one.bind((address, int(port)))
        break
    except OSError:
        pass
print("bound", flush=True)
while (line := sys.stdin.readline().strip()):
    try:
        one.sendto(bytes.fromhex(line), (to, int(to_port)))
    except ConnectionRefusedError:
        pass
print("sent", flush=True)
sys.stdin.read()
"""
# Tells a host, as if it came from another one, that nobody has the port to which it sent something.
REFUSER = """
import socket, struct, sys
address, port, to, to_port, count = sys.argv[1:]
inner = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 36, 0, 0, 64, 17, 0, socket.inet_aton(to), socket.inet_aton(address))
inner += struct.pack(">HHHH", int(to_port), int(port), 16, 0)
def summed(data):
    total = sum(word for word, in struct.iter_unpack(">H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
check = summed(struct.pack(">BBHI", 3, 3, 0, 0) + inner)
with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as one:
    for _ in range(int(count)):
        one.sendto(struct.pack(">BBHI", 3, 3, check, 0) + inner, (to, 0))
"""


class Machine(NetworkMachine):
    """Two hosts, connected with each other."""

    def __init__(self, **variables):
        super().__init__([OURS, OURS], OURS, variables=variables)

    def boot(self):
        super().boot()
        self.add()
        for host in self.names:
            wait_until(lambda: "connected with the host" in self.host_log(host), f"{host} is connected")
        return self

    def __exit__(self, kind, value, trace):
        for host in self.names:
            self.remove_files(host)
        super().__exit__(kind, value, trace)

    def address(self, host):
        """Address and port of the pvmd of a host."""
        return re.search(r"\((10\.0\.0\.\d+):(\d+)\)", self.host_log(host)).groups()

    def kill(self, host):
        os.kill(self.host_pvmd(host), signal.SIGKILL)
        if host == self.master:
            self.pvmd.ended()
        else:
            self.until_empty(host)


def part(host):
    return int(host.removeprefix("node")) << 18


def with_mark(data, source, mark, tag=b""):
    return data[:13] + (mark ^ source >> 18).to_bytes(3, "big") + data[16:] + tag


def forgeries(own, to, path):
    """What would have a program make a file, and what would end the host `own`; as 3.4.6 says it and as ours do."""
    order = header(DM_EXEC) + integers(own | 1) + string("/bin/touch") + integers(0, 1, 1) + string(str(path)) + \
        integers(*8 * [0], 1)
    for what in ({"payload": order}, {"flags": FIN | ACK}):
        for number in range(NUMBERS):
            data = packet(daemon_of(to), daemon_of(own), number, **what)
            yield data
            yield with_mark(data, own, MARK)
            yield with_mark(data, own, TAGGED_MARK, b"x" * TAG)


@pytest.mark.parametrize("dead, live", [("node2", "node1"), ("node1", "node2")], ids=["slave", "master"])
def test_who_takes_the_port_of_a_dead_daemon(dead, live):
    """Whatever it sends, no command is run for it, and it does not end the host that it speaks for."""
    with Machine(**PATIENCE) as vm:
        path = vm.folder / "made"
        places = vm.address(dead), vm.address(live)
        taker = Task([*vm.network.enter(dead), *OTHER, sys.executable, "-c", TAKER, *places[0], *places[1]],
                     {"PATH": os.environ["PATH"]}, cwd="/", keep_input=True)
        assert taker.line() == "waiting"
        os.kill(vm.host_pvmd(live), signal.SIGSTOP)     # it learns nothing before the port is taken
        os.kill(vm.host_pvmd(dead), signal.SIGKILL)
        assert taker.line() == "bound"
        taker.say("".join(f"{data.hex()}\n" for data in forgeries(part(dead), part(live), path)) + "\n")
        assert taker.line() == "sent"
        os.kill(vm.host_pvmd(live), signal.SIGCONT)
        wait_until(lambda: path.exists() or "has not answered for 3 seconds: it is given up" in vm.host_log(live),
                   "the dead host is given up", 60)
        assert not path.exists()
        assert vm.host_log(live).count("does not know the secret of the host that it names") >= 1
        taker.ended().ok()
        if dead == vm.master:
            vm.pvmd.ended()
            vm.until_empty(live)


def test_a_killed_daemon_is_noticed_at_once():
    """With the default patience, after a few packets."""
    with Machine() as vm:
        first = vm.puppet("node1")
        assert first.do("hostend", 5, f"{daemon_of(part('node2')):x}") == "0"
        vm.network.impair("node1")
        vm.kill("node2")
        assert first.do("recv", -1, 5).endswith(f" 5 4 {struct.unpack('>i', integers(daemon_of(part('node2'))))[0]}")
        assert vm.network.counts("node1")[0] <= FRAMES
        assert "its daemon's port has nobody: it is given up" in vm.log()
        first.leave()


def test_a_slave_whose_master_is_killed_ends_at_once():
    with Machine() as vm:
        vm.network.impair("node2")
        vm.kill("node1")
        vm.until_empty("node2")
        assert vm.network.counts("node2")[0] <= FRAMES


def errors_told(vm, host):
    """Refusals that the system of a host has been told of."""
    names, values = [line.split() for line in vm.network.run(host, "cat", "/proc/net/snmp").splitlines()
                     if line.startswith("Icmp:")]
    return int(values[names.index("InDestUnreachs")])


def test_refusals_of_a_host_whose_connection_lives():
    """Something on the way says again and again that nobody has the port of a pvmd, which answers all the same."""
    with Machine() as vm:
        first, second = vm.puppets()
        vm.network.run("node2", sys.executable, "-c", REFUSER, *vm.address("node2"), *vm.address("node1"), str(SPURIOUS))
        wait_until(lambda: errors_told(vm, "node1") >= SPURIOUS, "the refusals have come")
        for value in range(10):
            assert first.do("send", second.tid, 1, value) == "0"
            assert second.do("recv", -1, 1) == f"{first.tid} 1 4 {value}"
        assert first.do("spawnat", "node2", "/bin/true")[0] == "1"
        assert vm.hosts() == ["node1", "node2"]
        for puppet in (first, second):
            puppet.leave()
