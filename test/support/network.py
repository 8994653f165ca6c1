"""How does a virtual machine run on several real hosts: network namespaces with addresses and names of their own?

    with NetworkMachine([OURS, STOCK, OURS], OURS) as vm:       # the pvmds of node1 (the master), node2, node3
        vm.add()                                                # the others, all at once
        first, second, third = vm.puppets()                     # a task on each
        vm.network.impair(loss=0.3, duplicate=0.1, reorder=0.2)    # what the hosts send, until vm.network.mend()
        vm.network.unplug("node3")                              # its link goes down
        vm.network.part("node2", "node3")                       # these two do not reach each other
        os.kill(vm.host_pvmd("node2"), signal.SIGKILL)
        vm.freeze("node2"), vm.thaw("node2")                    # SIGSTOP, SIGCONT to all that runs there

The hosts have the addresses 10.0.0.1, 10.0.0.2, ..., the names node1, node2, ..., which they resolve without a
name server, and a bridge between them (support/hub.py). The remote shell of the master enters them. start() takes
the host of a program: vm.start("puppet", host="node3"). Each host has a folder of its own as PVM_TMP.

Root needs nothing else; for anybody else everything is in a user namespace, in which he is root. Where namespaces
cannot be had, the tests fail and say so. What loses frames is netem(8) where the kernel has it, elsewhere the hub.
Everything of a network ends with the process that made it, however that ends.
"""
import os
import signal
import subprocess
import sys
from pathlib import Path

from support.console import Console
from support.machine import VirtualMachine, only_pvmd, processes_with
from support.places import OURS, STOCK, TESTS, WRAPPER
from support.puppet import Puppet
from support.task import LIMIT, Task, send_signal, text_of, wait_until

ADVICE = ("the tests need network namespaces: run them as root with the right to make some, or let ordinary users make "
          "user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, "
          "kernel.apparmor_restrict_unprivileged_userns=0)")
SHELL = """#!/bin/sh
host=$1
shift
[ "$1" = -l ] && shift 2
exec '{folder}'/"$host.enter" sh -c "$*"
"""
ENTER = """#!/bin/sh
mkdir -p '{folder}'
export PVM_TMP='{folder}' LD_LIBRARY_PATH='{libraries}' PVMD_OF_HOST='{pvmd}' {more}
exec {enter} "$@"
"""
MTU = 1500
NOBODY = "02:00:00:00:00:01"    # as the address of a cable


def name_of(number):
    return f"node{number}"


def number_of(name):
    return int(name.removeprefix("node"))


def address_of(name):
    return f"10.0.0.{number_of(name)}"


class Network:
    """The hosts node1 to nodeCOUNT. close() ends whatever runs on them, and removes the folder."""

    def __init__(self, count, folder, mtu=MTU):
        """mtu: of the cables; longer datagrams travel in several frames, and are lost with one of them."""
        self.user = os.geteuid() != 0   # whether there is a user namespace
        self.hub = self._start_hub(count, mtu, folder)
        line = self.hub.line()
        if line.startswith("failed"):
            self.hub.discard()
            raise AssertionError(f"{ADVICE}: {line}")
        self.pids = dict(zip(map(name_of, range(1, count + 1)), map(int, line.split()), strict=True))
        self.namespaces = {os.readlink(f"/proc/{pid}/ns/net"): name for name, pid in self.pids.items()}

    def _start_hub(self, count, mtu, folder):
        own = ["unshare", "--user", "--map-root-user"] if self.user else []
        return Task([*own, sys.executable, TESTS / "support" / "hub.py", str(count), str(mtu), str(folder)],
                    dict(os.environ), keep_input=True, merge=True, own_session=True)

    @property
    def names(self):
        return list(self.pids)

    def enter_from_host(self, host):
        """The words before a command that is given on a host and is to run on another one."""
        return ["nsenter", "--target", str(self.pids[host]), "--net", "--uts", "--mount", "--wd=."]

    def enter(self, host):
        """The words before a command that is to run on the host; the process stays the same."""
        words = self.enter_from_host(host)
        return [*words, "--user", "--preserve-credentials"] if self.user else words

    def run(self, host, *command):
        """What a command prints on the host, which must end well."""
        return subprocess.run([*self.enter(host), *command], capture_output=True, text=True, check=True,
                              timeout=LIMIT).stdout

    def tell(self, command, host, *words):
        """Give the hub a command about a host; gives its answer."""
        self.hub.say(" ".join(map(str, (command, number_of(host), *words))) + "\n")
        answer = self.hub.line()
        assert not answer.startswith("failed"), f"{command} {host}: {answer}"
        return answer

    def impair(self, *hosts, loss=0.0, duplicate=0.0, reorder=0.0, delay=0.0, seed=1):
        """From now on frames that the hosts send (all, if none is named) are lost, doubled, overtaken by others,
        with these probabilities, and delayed by seconds."""
        for host in hosts or self.names:
            self.tell("impair", host, loss, duplicate, reorder, delay, seed + number_of(host))

    def mend(self, *hosts):
        """The cables are as good as new."""
        for host in hosts or self.names:
            self.tell("mend", host)

    def counts(self, *hosts):
        """Frames that impaired hosts have sent, in all: taken, lost, doubled, overtaken; None for what the kernel
        does not count."""
        counts = [map(int, self.tell("counts", host).split()) for host in hosts or self.names]
        return tuple(None if -1 in column else sum(column) for column in zip(*counts))

    def unplug(self, host):
        self.tell("unplug", host)

    def plug(self, host):
        self.tell("plug", host)

    def part(self, first, second):
        """Two hosts no longer reach each other, though both reach all others."""
        for host, other in ((first, second), (second, first)):
            self.run(host, "ip", "neighbour", "replace", address_of(other), "lladdr", NOBODY, "nud", "permanent", "dev",
                     "eth0")

    def join(self, first, second):
        """They reach each other again."""
        for host, other in ((first, second), (second, first)):
            self.run(host, "ip", "neighbour", "del", address_of(other), "dev", "eth0")

    def host_of(self, pid):
        """The name of the host on which a process runs, None if on none of these."""
        try:
            return self.namespaces.get(os.readlink(f"/proc/{pid}/ns/net"))
        except OSError:
            return None

    def processes(self, host=None):
        """Ids of all processes that run on a host, on any if it is None."""
        running = {int(folder.name): self.host_of(folder.name) for folder in Path("/proc").glob("[0-9]*")}
        return {pid for pid, name in running.items()
                if name and host in (None, name) and pid not in self.pids.values()}

    def close(self):
        """The end of the hub's input is its end, and that of all that runs on the hosts."""
        if self.hub.process.returncode is None:
            ended = self.hub.ended().ok()
            assert "Traceback" not in ended.out, f"{ended}"


class NetworkMachine(VirtualMachine):
    """A virtual machine on a network of its own, with a pvmd of each System in daemons; the first is the master."""

    def __init__(self, daemons, library, variables=None, arguments=(), mtu=MTU, host_variables=None):
        """host_variables: by name of a host, environment in which its pvmd differs from that of the master."""
        super().__init__(daemons[0], library, variables, arguments)
        for system in daemons:
            system.require()
        self.daemons = daemons
        self.mtu = mtu
        self.host_variables = host_variables or {}
        self.network = None

    def lay_network(self):
        """The hosts, on which nothing runs yet."""
        self.network = Network(len(self.daemons), self.folder, self.mtu)
        self.names = self.network.names
        self.master, *self.others = self.names
        self.own = {self.folder / "shell"}
        for name, system in zip(self.names, self.daemons):
            self._write(f"{name}.enter", ENTER.format(
                folder=self.host_folder(name), libraries=system.libraries, pvmd=system.pvmd,
                more=" ".join(f"{key}='{value}'" for key, value in self.host_variables.get(name, {}).items()),
                enter=" ".join(self.network.enter_from_host(name))))
        self._write("shell", SHELL.format(folder=self.folder))
        self.variables |= {"PVM_RSH": str(self.folder / "shell"), "PVM_DPATH": "$PVMD_OF_HOST"}
        self.wrapper = [*self.network.enter(self.master), *(WRAPPER if self.daemon is OURS else [])]

    def boot(self):
        self.lay_network()
        return super().boot()

    def _write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o700)
        self.own.add(path)

    # files: on the hosts everybody is root

    @property
    def address_file(self):
        return self.folder / f"pvmd.0.{self.vmid}"

    @property
    def log_file(self):
        return self.folder / f"pvml.0.{self.vmid}"

    # hosts

    def host_folder(self, host):
        """PVM_TMP of a host."""
        return self.folder if host == name_of(1) else self.folder / host

    def add(self, *hosts):
        """Add hosts, all others if none is named; each must come."""
        hosts = hosts or self.others
        console = Console(self, STOCK)
        answer = console.do(f"add {' '.join(hosts)}")
        assert answer[0] == f"{len(hosts)} successful", f"{answer}\n{self.log()}"
        console.quit().ok()

    def hosts(self):
        """The hosts of the virtual machine, as the console prints them; an empty line may come unasked."""
        console = Console(self, STOCK)
        lines = console.do("conf")
        console.quit().ok()
        return [line.split()[0] for line in lines[2:] if line]

    def until_hosts(self, *names, limit=LIMIT):
        """Wait until these are the hosts of the virtual machine."""
        wait_until(lambda: sorted(self.hosts()) == sorted(names), f"the hosts are {names}", limit)

    def start(self, program, *arguments, host=None, library=None, wrapper=(), variables=None, **options):
        host = host or self.master
        if not wrapper and (library or self.library) is OURS:
            wrapper = WRAPPER
        return super().start(program, *arguments, library=library, wrapper=[*self.network.enter(host), *wrapper],
                             variables={"PVM_TMP": str(self.host_folder(host)), **(variables or {})}, **options)

    def puppet(self, host, library=None):
        """A task on a host, with the library of the machine or another one."""
        library = library or self.library
        return Puppet(self, host=host, library=library, variables={"LD_LIBRARY_PATH": str(library.libraries)})

    def puppets(self):
        """A task on each host."""
        return [self.puppet(name) for name in self.names]

    def host_log(self, host):
        """The text of the log of a host's pvmd."""
        path = self.host_folder(host) / self.log_file.name
        return text_of(path)

    def host_pvmd(self, host):
        """Process id of the pvmd of a host."""
        if host == self.master:
            return self.pvmd.pid
        return only_pvmd(lambda: self.network.processes(host), host)

    def signal(self, host, number):
        """Send a signal to all that runs on a host."""
        for pid in self.network.processes(host):
            send_signal(pid, number)

    def freeze(self, host):
        self.signal(host, signal.SIGSTOP)

    def thaw(self, host):
        self.signal(host, signal.SIGCONT)

    def kill(self, host):
        """End all that runs on a host at one moment: none of it lives to see, and to tell, that another has ended."""
        def all_stand():
            self.freeze(host)
            return all(text_of(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()[:1] in (["T"], ["Z"], [])
                       for pid in self.network.processes(host))
        wait_until(all_stand, f"nothing on {host} goes on")
        self.signal(host, signal.SIGKILL)

    def until_empty(self, host, limit=LIMIT):
        """Wait until nothing runs on a host any more."""
        wait_until(lambda: not self.network.processes(host), f"nothing runs on {host}", limit)

    def remove_files(self, host):
        """What a pvmd killed by kill -9 leaves to the next one: its address file and socket."""
        for pattern in ("pvmd.*", "pvmtmp*"):
            for path in self.host_folder(host).glob(pattern):
                path.unlink()

    # what VirtualMachine asks

    def processes(self):
        return processes_with(f"PVM_TMP={self.folder}") | (self.network.processes() if self.network else set())

    def files(self):
        """What no host should leave behind: neither the folders and scripts of the hosts, nor the logs in them."""
        folders = {self.host_folder(name) for name in self.others}
        kept = {str(path.relative_to(self.folder)) for path in
                [*self.own, *folders, *(folder / self.log_file.name for folder in folders)]}
        return [name for name in super().files() if name not in kept]

    def sockets(self):
        return [line for pid in self.network.pids.values()
                for line in Path(f"/proc/{pid}/net/unix").read_text().splitlines() if str(self.folder) in line]

    def clean_up(self):
        if self.network:
            self.network.close()
        super().clean_up()
