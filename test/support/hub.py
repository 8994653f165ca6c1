"""Which process is the network between the hosts of a test? (started by support/network.py)

usage: hub.py COUNT MTU FOLDER

It makes COUNT hosts, each a process that holds namespaces of its own for network, host name and mounts: 10.0.0.1
is node1 and so on, and every /etc/hosts names them all. Their cables end in a bridge, in the namespace of this
process. What a host sends is lost, doubled, delayed or disordered by netem(8) where the kernel has that. Elsewhere
its cable ends in this process instead, which passes frames on, spoiled on their way to the bridge. Nothing of it has
a name in the file system.

It says on one line which processes hold the hosts, then answers each line of its input with one, which begins
with "failed" when the command did:
    impair NUMBER LOSS DUPLICATE REORDER DELAY SEED     probabilities, and seconds for every frame
    mend NUMBER                                         the cable is as good as new
    unplug NUMBER, plug NUMBER                          the link is down, up
    counts NUMBER                                       frames taken, lost, doubled and overtaken since impair;
                                                        -1 where the kernel does not count
At the end of its input it kills whatever runs in the namespaces of the hosts and removes the folder: so nothing
outlives a test that dies.
"""
import ctypes
import heapq
import json
import os
import random
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NEW_MOUNTS, NEW_NAME, NEW_NETWORK = 0x20000, 0x4000000, 0x40000000
MOUNT_BIND, MOUNT_RECURSIVE, MOUNT_PRIVATE = 0x1000, 0x4000, 0x40000
SOL_PACKET, PACKET_VNET_HDR, PACKET_IGNORE_OUTGOING, ETH_P_ALL = 263, 15, 23, 3
FRAME_MOST = 1 << 17
LATER = 0.03    # seconds that a frame which is to be overtaken waits at most
FILES = {"/etc/hosts": "", "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n"}

libc = ctypes.CDLL(None, use_errno=True)


def check(result):
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def ip(*commands, inside=None):
    """Carry out commands of ip(8), in this namespace or in that of a process."""
    enter = ["nsenter", "--target", str(inside), "--net"] if inside else []
    done = subprocess.run([*enter, "ip", "-batch", "-"], input="\n".join(commands) + "\n", text=True,
                          capture_output=True)
    if done.returncode:
        raise OSError(f"ip: {done.stderr.strip()}")


def without_ipv6():
    """Nothing but the traffic of the test."""
    for name in ("all", "default"):
        path = Path(f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6")
        if path.exists():
            path.write_text("1")


def become_host(name, files, alive, ready):
    """A process that is there for its namespaces, until nobody holds the other end of `alive`."""
    check(libc.unshare(NEW_MOUNTS | NEW_NAME | NEW_NETWORK))
    socket.sethostname(name)
    check(libc.mount(b"none", b"/", None, MOUNT_RECURSIVE | MOUNT_PRIVATE, None))
    for path, copy in files.items():
        if Path(path).exists():
            check(libc.mount(copy.encode(), path.encode(), None, MOUNT_BIND, None))
    without_ipv6()
    os.write(ready, b"+")
    os.read(alive, 1)


class Host:
    """One host: the process that holds its namespaces, and the end of its cable."""

    def __init__(self, number, files, ends):
        """ends: of the pipe whose end the process waits for."""
        self.number = number
        self.port, self.near, self.far = (f"{letter}{number}" for letter in "pqr")
        came, ready = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(ends[1])
            try:
                become_host(f"node{number}", files, ends[0], ready)
            except OSError as error:
                os.write(ready, str(error).encode())
            os._exit(0)
        os.close(ready)
        answer = os.read(came, 1000)
        os.close(came)
        if answer != b"+":
            raise OSError(f"host {number}: {answer.decode()}")
        self.namespace = os.readlink(f"/proc/{self.pid}/ns/net")

    def connect(self, mtu):
        ip(f"link add name {self.port} mtu {mtu} type veth peer name eth0 mtu {mtu} netns {self.pid}",
           f"link set {self.port} master bridge up")
        ip("link set lo up", f"address add 10.0.0.{self.number}/24 dev eth0", "link set eth0 up", inside=self.pid)


class Netem:
    """What spoils the frames that a host sends, in the kernel. It knows no seed, and counts only what is lost."""

    def __init__(self, host, loss, duplicate, reorder, delay):
        """Raises OSError where the kernel has no netem."""
        self.host = host
        rules = ["limit", "100000", "loss", f"{loss:%}", "duplicate", f"{duplicate:%}"]
        if reorder:     # which netem means the other way round: so many are not delayed
            rules += ["delay", f"{LATER}s", "reorder", f"{1 - reorder:%}"]
        elif delay:
            rules += ["delay", f"{delay}s"]
        self.tc("add", "dev", "eth0", "root", "netem", *rules)

    def tc(self, *words, options=()):
        done = subprocess.run(["nsenter", "--target", str(self.host.pid), "--net", "tc", *options, "qdisc", *words],
                              capture_output=True, text=True)
        if done.returncode:
            raise OSError(f"tc: {done.stderr.strip()}")
        return done.stdout

    @staticmethod
    def can(loss, duplicate, reorder, delay):
        """Whether these rules are for netem: with none, frames are only counted, and it has one delay for all."""
        return any((loss, duplicate, reorder, delay)) and not (reorder and delay)

    def counts(self):
        numbers, = json.loads(self.tc("show", "dev", "eth0", options=("-s", "-j")))
        return numbers["packets"] + numbers["drops"], numbers["drops"], -1, -1

    def close(self):
        self.tc("delete", "dev", "eth0", "root")


def untouched():
    """The fate of a frame that goes to a host."""
    return [0]


class Cable:
    """What lies between a host and the bridge while this process spoils or counts what the host sends."""

    def __init__(self, host, mtu, loss, duplicate, reorder, delay, seed):
        self.host = host
        self.loss, self.duplicate, self.reorder, self.delay = loss, duplicate, reorder, delay
        self.random = random.Random(seed)
        self.taken = self.lost = self.doubled = self.overtaken = 0
        ip(f"link set {host.port} nomaster",
           f"link add name {host.near} mtu {mtu} type veth peer name {host.far} mtu {mtu}",
           f"link set {host.near} up", f"link set {host.far} master bridge up")
        self.host_end, self.bridge_end = self.open(host.port), self.open(host.near)

    @staticmethod
    def open(name):
        """A socket for whole frames, together with what the system still has to do to them."""
        end = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        end.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
        end.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        end.bind((name, ETH_P_ALL))
        end.setblocking(False)
        return end

    def fate(self):
        """After how many seconds a frame arrives, for each time that it does."""
        self.taken += 1
        if self.random.random() < self.loss:
            self.lost += 1
            return []
        doubled = self.random.random() < self.duplicate
        self.doubled += doubled
        return [self.way() for _ in range(1 + doubled)]

    def way(self):
        if self.random.random() >= self.reorder:
            return self.delay
        self.overtaken += 1
        return self.delay + self.random.uniform(0, LATER)

    def counts(self):
        return self.taken, self.lost, self.doubled, self.overtaken

    def close(self):
        self.host_end.close()
        self.bridge_end.close()
        ip(f"link delete {self.host.near}", f"link set {self.host.port} master bridge")


class Hub:
    def __init__(self, count, mtu):
        self.mtu = mtu
        self.netem = True       # until the kernel says that it has none
        self.cables = {}        # by number of the host
        self.ways = {}          # socket: where its frames go, and what says after how many seconds
        self.frames = []        # (when, number, socket, frame): a heap
        self.number = 0
        self.said = b""
        self.hosts = {}
        check(libc.unshare(NEW_NETWORK))
        without_ipv6()
        ip("link add name bridge type bridge", "link set bridge up")
        with tempfile.TemporaryDirectory() as folder:
            files = self.write_files(Path(folder), count)
            ends = os.pipe()
            for number in range(1, count + 1):
                self.hosts[number] = Host(number, files, ends)
        for host in self.hosts.values():
            host.connect(mtu)

    @staticmethod
    def write_files(folder, count):
        """The files that the hosts see in place of the machine's; gives their places."""
        names = "".join(f"10.0.0.{number} node{number}\n" for number in range(1, count + 1))
        for path, text in FILES.items():
            (folder / Path(path).name).write_text(text or f"127.0.0.1 localhost\n{names}")
        folder.chmod(0o755)
        return {path: str(folder / Path(path).name) for path in FILES}

    # commands

    def impair(self, number, *words):
        self.mend(number)
        *rules, seed = map(float, words)
        if self.netem and Netem.can(*rules):
            try:
                self.cables[number] = Netem(self.hosts[number], *rules)
                return
            except OSError:
                self.netem = False
        cable = self.cables[number] = Cable(self.hosts[number], self.mtu, *rules, seed)
        self.ways |= {cable.host_end: (cable.bridge_end, cable.fate), cable.bridge_end: (cable.host_end, untouched)}

    def mend(self, number):
        cable = self.cables.pop(number, None)
        if isinstance(cable, Cable):
            del self.ways[cable.host_end], self.ways[cable.bridge_end]
            self.frames = [frame for frame in self.frames if frame[2] is not cable.bridge_end]
            heapq.heapify(self.frames)
        if cable:
            cable.close()

    def unplug(self, number):
        ip(f"link set {self.hosts[number].port} down")

    def plug(self, number):
        ip(f"link set {self.hosts[number].port} up")

    def counts(self, number):
        return " ".join(map(str, self.cables[number].counts()))

    def obey(self, line):
        name, number, *rest = line.split()
        commands = {"impair": self.impair, "mend": self.mend, "unplug": self.unplug, "plug": self.plug,
                    "counts": self.counts}
        try:
            answer = commands[name](int(number), *rest)
        except (OSError, KeyError, ValueError) as error:
            answer = f"failed: {error!r}"
        print(answer or "done", flush=True)

    # frames

    def take(self, end):
        """Take what has come to an end of a cable; what is not delayed goes on at once."""
        to, fate = self.ways[end]
        try:
            frame = end.recv(FRAME_MOST)
        except OSError:     # nothing, or the link is down
            return
        for seconds in fate():
            if seconds == 0:
                self.send(to, frame)
            else:
                self.number += 1
                heapq.heappush(self.frames, (time.monotonic() + seconds, self.number, to, frame))

    @staticmethod
    def send(to, frame):
        try:
            to.send(frame)
        except OSError:     # no room, or the link is down: networks lose frames
            pass

    def deliver(self):
        """Sends what has been delayed long enough; gives the seconds until there is more of it."""
        while self.frames and self.frames[0][0] <= time.monotonic():
            _, _, to, frame = heapq.heappop(self.frames)
            self.send(to, frame)
        return max(0, self.frames[0][0] - time.monotonic()) if self.frames else None

    def run(self):
        while True:
            ready = select.select([0, *self.ways], [], [], self.deliver())[0]
            for end in ready:
                if end in self.ways:
                    self.take(end)
            if 0 in ready and not self.listen():
                return

    def listen(self):
        data = os.read(0, 4096)
        *lines, self.said = (self.said + data).split(b"\n")
        for line in lines:
            self.obey(line.decode())
        return data != b""

    # the end

    def processes(self):
        """Whatever runs on the hosts, but for those that hold them."""
        namespaces = {host.namespace for host in self.hosts.values()}
        holders = {host.pid for host in self.hosts.values()}
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(folder / "ns" / "net") in namespaces and int(folder.name) not in holders:
                    found.append(int(folder.name))
            except OSError:
                continue
        return found

    def end(self):
        while pids := self.processes():
            for pid in pids:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue
            time.sleep(0.01)


def main():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        hub = Hub(int(sys.argv[1]), int(sys.argv[2]))
    except OSError as error:
        print(f"failed: {error}", flush=True)
        sys.exit(1)
    print(*(host.pid for host in hub.hosts.values()), flush=True)
    try:
        hub.run()
    finally:
        hub.end()
        shutil.rmtree(sys.argv[3], ignore_errors=True)


if __name__ == "__main__":
    main()
