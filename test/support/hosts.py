"""How does a virtual machine of several hosts run on one machine, without rights and without ssh?

Each host is an address of the loopback network and a temporary folder of its own. The master is 127.0.0.2,
and the remote shell (PVM_RSH) is a script that runs the command here, with the folder of the host as PVM_TMP
and the libraries of the daemon. A host for which the machine's folder has a file HOST.line has no daemon: what a
daemon would print at its start is in that file.
"""
from support.machine import VirtualMachine, only_pvmd, processes_with
from support.task import text_of

MASTER = "127.0.0.2"
SHELL = """#!/bin/sh
host=$1
shift
[ "$1" = -l ] && shift 2
line='{folder}/'"$host.line"
[ -e "$line" ] && exec cat "$line"
mkdir -p '{folder}/'"$host"
export PVM_TMP='{folder}/'"$host" LD_LIBRARY_PATH='{libraries}'
exec sh -c "$*"
"""


class HostsMachine(VirtualMachine):
    """A virtual machine that can add hosts 127.0.0.3 and so on; start() takes the host of a task."""

    def __init__(self, daemon, library, variables=None, slave=None):
        """slave: the System whose pvmd runs on the other hosts, that of the master if it is None."""
        super().__init__(daemon, library, variables, arguments=[f"-n{MASTER}"])
        slave = slave or daemon
        slave.require()
        self.slave = slave
        self.shell = self.folder / "shell"
        self.shell.write_text(SHELL.format(folder=self.folder, libraries=slave.libraries))
        self.shell.chmod(0o700)
        self.variables |= {"PVM_RSH": str(self.shell), "PVM_DPATH": str(slave.pvmd)}

    def start(self, program, *arguments, host=MASTER, variables=None, **options):
        folder = {} if host == MASTER else {"PVM_TMP": str(self.folder / host)}
        return super().start(program, *arguments, variables={**folder, **(variables or {})}, **options)

    def host_log(self, host):
        """The text of the log of a host's pvmd."""
        path = self.log_file if host == MASTER else self.folder / host / self.log_file.name
        return text_of(path)

    def host_pvmd(self, host):
        """Process id of the pvmd of another host."""
        return only_pvmd(lambda: processes_with(f"PVM_TMP={self.folder / host}\0"), host)

    def processes(self):
        return processes_with(f"PVM_TMP={self.folder}")

    def files(self):
        """What no host should leave behind: neither the folders of the hosts, nor the logs in them."""
        hosts = {path.name for path in self.folder.glob("127.*")}
        logs = {f"{host}/{self.log_file.name}" for host in hosts}
        return [name for name in super().files() if name not in hosts | logs | {self.shell.name}]
