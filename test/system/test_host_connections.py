"""Between two pvmds of ours messages go over a connection: is it made, kept secret, and is nothing lost when it breaks?

With 3.4.6 on either side datagrams are all there is. What went which way is read from the pvmd's counters (tickle 9).
"""
import contextlib
import ctypes
import errno
import os
import re
import signal
import socket
import stat
import struct

import pytest
from support import programs
from support.console import Console
from support.hosts import MASTER, HostsMachine
from support.places import OURS, STOCK
from support.puppet import Puppet
from support.task import wait_until

THIRD, FOURTH = "127.0.0.3", "127.0.0.4"
LARGE = 200000      # integers
COUNTED = re.compile(r"to other hosts (\d+) packets and (\d+) writes to connections, (\d+) frames from these")
ALL_COUNTED = re.compile(r"statistics: \d+ frames and (\d+) bytes in (\d+) reads, (\d+) bytes in (\d+) writes,"
                         r".* packets and (\d+) writes to connections")
MEGABYTES = 32
PIDFD_GETFD = 438   # the number of the system call, which Python does not know


class Machine(HostsMachine):
    """Three hosts, and a puppet of our library on each."""

    def __enter__(self):
        super().__enter__()
        self.console = Console(self, STOCK)
        assert self.console.do(f"add {THIRD} {FOURTH}")[0] == "2 successful"
        self.puppets = [Puppet(self, host=host) for host in (MASTER, THIRD, FOURTH)]
        return self

    def leave(self):
        for puppet in self.puppets:
            puppet.leave()
        self.console.quit().ok()

    def counted(self, what=COUNTED):
        """What the master has counted: packets, writes to connections, frames from them."""
        seen = len(what.findall(self.log()))
        self.console.do("tickle 9")
        wait_until(lambda: len(what.findall(self.log())) > seen, "the counters are on the log")
        return tuple(map(int, what.findall(self.log())[-1]))

    def connected(self, host=MASTER):
        """How often a host has been connected with another one."""
        return self.host_log(host).count("connected with the host")

    def until_connected(self, count, host=MASTER):
        wait_until(lambda: self.connected(host) >= count, f"{host} has been connected {count} times")


def sockets_of(process, listening=False):
    """Copies of the TCP sockets of a child process: those that are connected, or the ones that listen."""
    library = ctypes.CDLL(None, use_errno=True)
    handle = os.pidfd_open(process)
    found = []
    for name in os.listdir(f"/proc/{process}/fd"):
        copy = library.syscall(PIDFD_GETFD, handle, int(name), 0)
        if copy < 0:    # closed meanwhile
            assert ctypes.get_errno() == errno.EBADF, os.strerror(ctypes.get_errno())
            continue
        if not stat.S_ISSOCK(os.fstat(copy).st_mode):
            os.close(copy)
            continue
        connection = socket.socket(fileno=copy)
        if (connection.family == socket.AF_INET and connection.type == socket.SOCK_STREAM and
                bool(connection.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)) == listening):
            found.append(connection)
        else:
            connection.close()
    os.close(handle)
    return found


def check_bulk(sender, receiver):
    assert sender.do("grow", 3, receiver.tid, LARGE) .startswith("0 0")
    assert receiver.do("recv", sender.tid, 3) == f"{sender.tid} 3 {4 * LARGE} 1"


@pytest.mark.parametrize("slave", [OURS, STOCK], ids=str)
def test_what_goes_which_way(slave):
    """Bulk data takes the connection between ours, and packets to and from 3.4.6."""
    with Machine(OURS, OURS, slave=slave) as vm:
        first, second, _ = vm.puppets
        if slave is OURS:
            vm.until_connected(2)
        check_bulk(first, second)
        check_bulk(second, first)       # by now the last packets of the start are acknowledged: none is sent again
        before = vm.counted()
        check_bulk(first, second)
        check_bulk(second, first)
        packets, writes, frames = (now - then for now, then in zip(vm.counted(), before))
        if slave is OURS:
            assert (packets, writes > 0, frames > 0) == (0, True, True)
        else:
            assert (packets > 190, writes, frames) == (True, 0, 0)
            assert "connected with" not in vm.log()
        vm.leave()


def pour(vm, how, source, destination):
    """Bulk data between tasks on two hosts. What the master has counted for it: bytes and reads from tasks, bytes
    and writes to them, and writes to connections."""
    program = programs.build("between", OURS)
    sink = vm.start(program, "sink", host=destination)
    tid = sink.line()
    vm.start(program, how, tid, 1, 1, 1 << 20, host=source).ended().ok()    # all is set up
    before = vm.counted(ALL_COUNTED)
    vm.start(program, how, tid, 1, MEGABYTES, 1 << 20, host=source).ended().ok()
    found = [now - then for now, then in zip(vm.counted(ALL_COUNTED), before)]
    vm.start(program, "end", tid, host=source).ended().ok()
    sink.ended().ok()
    return found


@pytest.mark.parametrize("how", ["send", "psend"])
def test_bulk_data_takes_few_system_calls(how):
    """Packed data comes in 259 frames a megabyte, what is sent in place in one: neither is read or written as such,
    but 64 KB at a time, or what a socket has or takes, which the system makes 36 KB at least."""
    most = 40 * MEGABYTES
    with Machine(OURS, OURS, slave=OURS) as vm:
        vm.until_connected(2)
        read, reads, _, _, writes_to_host = pour(vm, how, MASTER, THIRD)
        assert read >= MEGABYTES << 20 and reads <= most and writes_to_host <= most
        _, _, written, writes, _ = pour(vm, how, THIRD, MASTER)
        assert written >= MEGABYTES << 20 and writes <= most
        vm.leave()


def test_order_over_the_switch():
    """Two hosts that never met talk at once: the connection comes while they do."""
    with Machine(OURS, OURS) as vm:
        _, second, third = vm.puppets
        for value in range(200):
            assert second.do("send", third.tid, 1, value) == "0"
            assert third.do("send", second.tid, 1, value) == "0"
            if value % 50 == 0:
                assert second.do("grow", 1, third.tid, 20000) .startswith("0 0")
        for value in range(200):
            assert third.do("recv", -1, 1) == f"{second.tid} 1 4 {value}"
            assert second.do("recv", -1, 1) == f"{third.tid} 1 4 {value}"
            if value % 50 == 0:
                assert third.do("recv", -1, 1) == f"{second.tid} 1 80000 1"
        vm.until_connected(2, host=THIRD)
        vm.leave()


def test_word_of_an_end_comes_behind_the_messages():
    """A task that ends right behind bulk data: who hears of its end has got it all, and other pairs go on meanwhile."""
    with Machine(OURS, OURS) as vm:
        first, second, _ = vm.puppets
        vm.until_connected(2)
        for _ in range(3):
            leaves = Puppet(vm, host=THIRD)
            first.do("notify", 10, leaves.tid)
            for count in (LARGE, 10 * LARGE, 1):
                assert leaves.do("grow", 3, first.tid, count).startswith("0 0")
            assert second.do("send", first.tid, 4, 44) == "0"
            leaves.leave()
            assert first.do("recv", -1, 4) == f"{second.tid} 4 4 44"
            for count in (LARGE, 10 * LARGE, 1):
                assert first.do("recv", -1, -1) == f"{leaves.tid} 3 {4 * count} 1"
            assert first.do("recv", -1, -1).endswith(f"10 4 {int(leaves.tid, 16)}")
        vm.leave()


def test_nothing_is_lost_when_it_breaks():
    """Connections end again and again, with data underway both ways; new ones are made."""
    with Machine(OURS, OURS) as vm:
        first, second, third = vm.puppets
        for turn in range(3):
            vm.until_connected(2 * (turn + 1))
            for value in range(60):
                for sender, receiver in ((first, second), (second, first), (first, third)):
                    assert sender.do("grow", 1, receiver.tid, 100 + 500 * (value % 7)) .startswith("0 0")
                if value == 30:
                    for connection in sockets_of(vm.pvmd.pid):
                        connection.shutdown(socket.SHUT_RDWR)
                        connection.close()
            for value in range(60):
                for sender, receiver in ((first, second), (second, first), (first, third)):
                    size = 4 * (100 + 500 * (value % 7))
                    assert receiver.do("recv", sender.tid, 1) == f"{sender.tid} 1 {size} 1"
            check_bulk(first, second)
            check_bulk(third, first)
        assert vm.log().count("broke: going on over datagrams") == 6
        vm.leave()


def test_one_side_may_not_want_it():
    """Where no connection can be made, datagrams serve."""
    with HostsMachine(OURS, OURS) as vm:
        vm.shell.write_text(vm.shell.read_text().replace("export", "export PVM_NO_STREAM=1", 1))
        console = Console(vm, STOCK)
        assert console.do(f"add {THIRD}")[0] == "1 successful"
        first, second = Puppet(vm), Puppet(vm, host=THIRD)
        wait_until(lambda: "no connection with the host 127.0.0.3 could be made" in vm.log(), "it is told")
        check_bulk(first, second)
        check_bulk(second, first)
        first.leave()
        second.leave()
        console.quit().ok()


def hello(number, secret):
    """A frame that greets as the host 2 does."""
    word = struct.pack(">IIIQ", 2, number, 0, 0) + secret
    return struct.pack(">IIIB3x", 0x80040000, 0x80080000, len(word), 0x40) + word


def test_strangers_are_sent_away():
    """Who does not know the secret is not let in, and costs nothing but a line."""
    with Machine(OURS, OURS) as vm:
        vm.until_connected(2)
        door, = sockets_of(vm.pvmd.pid, listening=True)
        port = door.getsockname()[1]
        door.close()
        silent = socket.create_connection((MASTER, port))
        for greeting in (b"GET / HTTP/1.0\r\n\r\n" + bytes(50), hello(1, bytes(32)), hello(2, os.urandom(32)),
                         hello(1, bytes(32))[:20], bytes(67)):
            with socket.create_connection((MASTER, port)) as stranger, contextlib.suppress(OSError):
                stranger.sendall(greeting)
                stranger.shutdown(socket.SHUT_WR)
                assert stranger.recv(100) == b""
        first, second, _ = vm.puppets
        check_bulk(first, second)
        assert silent.recv(100) == b""
        silent.close()
        assert len(re.findall("a connection from .* is closed", vm.log())) == 1
        vm.leave()


def test_frozen_host_is_noticed_amid_bulk():
    """Data that a stopped pvmd does not take does not hide that it is gone."""
    with Machine(OURS, OURS, variables={"PVM_HOST_PATIENCE": "6"}) as vm:
        _, second, third = vm.puppets
        second.do("notify", 10, third.tid)
        check_bulk(second, third)
        frozen = vm.host_pvmd(FOURTH)
        os.kill(frozen, signal.SIGSTOP)
        for _ in range(20):
            assert second.do("grow", 3, third.tid, LARGE) .startswith("0 0")
        assert second.do("recv", -1, 10).endswith(f"10 4 {int(third.tid, 16)}")
        os.kill(frozen, signal.SIGKILL)
        vm.puppets.pop().task.discard()
        for path in [*(vm.folder / FOURTH).glob("pvmd.*"), *(vm.folder / FOURTH).glob("pvmtmp*")]:
            path.unlink()
        vm.leave()
