"""Can a local user of another host take a direct route: come to the port of a task that granted it before the peer does?

The hosts are network namespaces. The test plays the peer, as a task of ours that asks for the route. Who comes first
runs on its host, as another user where the test is root.
"""
import os
import sys

from support.network import NetworkMachine
from support.peer import hex_address
from support.places import OURS
from support.task import Task
from support.wire import PROTOCOL, Client, frame, header, integers, string

OTHER = ["setpriv", "--reuid=61002", "--regid=61002", "--clear-groups", "--"] if os.getuid() == 0 else []
TC_CONREQ, TC_CONACK = 0x80030001, 0x80030002
CONTEXT = 0x7FFFF
ADDRESS, PORT = "10.0.0.1", 40123
HALF, ANSWER = bytes(range(16)), bytes(range(16, 32))

# For each line: connects from a port, says the bytes, and tells when the connection is closed; or keeps it.
CALLER = """
import contextlib, socket, sys
address, to, to_port = sys.argv[1:]
kept = []
for line in sys.stdin:
    what, port, data = line.split()
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    one.bind((address, int(port)))
    one.connect((to, int(to_port)))
    one.sendall(bytes.fromhex(data))
    kept.append(one)
    if what == "closed":
        with contextlib.suppress(ConnectionResetError):
            assert one.recv(1) == b""
        kept.pop().close()
    print(what, flush=True)
"""


def test_who_comes_first_to_a_port():
    with NetworkMachine([OURS, OURS], OURS) as vm, Client(vm) as client:
        vm.add()
        puppet = vm.puppet("node2")
        client.enrol()
        client.send(int(puppet.tid, 16), TC_CONREQ, integers(PROTOCOL) + string(hex_address((ADDRESS, PORT))) + HALF + ANSWER,
                    context=CONTEXT)
        puppet.tell("recv", -1, -1)
        answer = client.message()
        assert (answer.tag, answer.source) == (TC_CONACK, int(puppet.tid, 16))
        assert (answer.integer(), answer.integer()) == (PROTOCOL, 0)
        host, port = answer.string().split(":")
        assert (host, answer.rest()) == ("0a000002", [1])
        caller = Task([*vm.network.enter("node1"), *OTHER, sys.executable, "-c", CALLER, ADDRESS, "10.0.0.2",
                       str(int(port, 16))], {"PATH": os.environ["PATH"]}, cwd="/", keep_input=True)

        def message(value):
            return frame(int(puppet.tid, 16), header(7) + integers(value), source=client.tid)

        for value, (what, source, said) in enumerate((
                ("closed", 0, b""), ("closed", 0, HALF), ("closed", PORT, b""), ("closed", PORT, ANSWER),
                ("kept", PORT, HALF))):
            caller.say(f"{what} {source} {(said + message(value)).hex()}\n")
            assert caller.line() == what
        assert puppet.answer() == f"{client.tid:x} 7 4 4"
        assert puppet.do("poll", -1, -1) == "0 nothing"
        caller.ended().ok()
        puppet.leave()
