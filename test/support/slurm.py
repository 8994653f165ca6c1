"""How does a virtual machine run on a cluster of Slurm: a real one, with a controller and a daemon on each host?

    with SlurmMachine() as vm:                      # the pvmd of node1 is the master; node2 to node5 are nodes of Slurm
        vm.slurm.run("squeue", "-h")                # what a command of Slurm prints, on node1
        vm.slurm.jobs()                             # ids of the jobs that there are

The hosts are those of support/network.py. node1 is where users log in, and has the controller. All that Slurm keeps
lies in the folder of the machine, and all of it ends with the machine. A pvmd that Slurm starts finds PVM_TMP as it
would on a host with a /tmp of its own.
"""
import os
import subprocess
from pathlib import Path

from support.network import NetworkMachine
from support.places import OURS, WRAPPER
from support.task import LIMIT, Task, text_of, wait_until

CONFIGURATION = """\
ClusterName=test
SlurmctldHost={master}
SlurmUser=root
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
TaskProlog={folder}/prolog
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
SchedulerType=sched/builtin
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
NodeName=node[2-{count}] CPUs=2
PartitionName=all Nodes=ALL Default=YES OverSubscribe=NO
"""
PROLOG = """#!/bin/sh
echo "export PVM_TMP={machine}/$SLURMD_NODENAME"
"""


class Slurm:
    """The daemons of Slurm on the hosts of a network."""

    def __init__(self, network, machine):
        """machine: the folder of the virtual machine, in which each host has one."""
        self.network = network
        self.master, *self.nodes = network.names
        self.folder = machine / "slurm"
        self.folder.mkdir(mode=0o755)
        self.tasks = []
        names = {"folder": self.folder, "machine": machine, "master": self.master, "count": len(network.names)}
        self._write("slurm.conf", CONFIGURATION.format(**names), 0o644)
        self._write("prolog", PROLOG.format(**names), 0o755)
        for name in self.nodes:
            (machine / name).mkdir()

    def _write(self, name, text, mode):
        path = self.folder / name
        path.write_text(text)
        path.chmod(mode)

    @property
    def variables(self):
        """What commands of Slurm need of the environment."""
        return {"SLURM_CONF": str(self.folder / "slurm.conf")}

    def start(self):
        assert os.geteuid() == 0, "the tests of Slurm need root: it starts jobs of others"
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        self._start(self.master, "munged", "--foreground", "--force", f"--socket={self.folder}/munge.socket",
                    f"--key-file={key}",
                    *(f"--{name}-file={self.folder}/munge.{name}" for name in ("pid", "log", "seed")))
        wait_until((self.folder / "munge.socket").exists, "munged answers")
        self._start(self.master, "slurmctld", "-D")
        for name in self.nodes:
            self._start(name, *WRAPPER, "slurmd", "-D")
        wait_until(lambda: self._states() == ["idle"] * len(self.nodes), "all nodes of Slurm are idle")

    def _start(self, host, *command):
        environment = {"PATH": os.environ["PATH"] + ":/usr/sbin:/sbin", **self.variables}
        self.tasks.append(Task([*self.network.enter(host), *command], environment, merge=True))

    def _states(self):
        done = subprocess.run([*self.network.enter(self.master), "sinfo", "-h", "-N", "-o", "%T"], text=True,
                              capture_output=True, env={**os.environ, **self.variables}, timeout=LIMIT)
        return done.stdout.split()

    def run(self, *command, env=os.environ):
        """What a command of Slurm prints, which must end well."""
        done = subprocess.run([*self.network.enter(self.master), *map(str, command)], text=True, capture_output=True,
                              env={**env, **self.variables}, timeout=LIMIT)
        assert done.returncode == 0, f"{command}: {done}"
        return done.stdout

    def jobs(self):
        """Ids of the jobs that wait or run."""
        return self.run("squeue", "-h", "-o", "%A").split()

    def until_jobs(self, count):
        wait_until(lambda: len(self.jobs()) == count, f"there are {count} jobs")

    def pids(self):
        """The daemons, and the child of slurmctld that starts scripts."""
        daemons = {task.pid for task in self.tasks}
        return daemons | {int(child) for pid in daemons
                          for child in text_of(Path(f"/proc/{pid}/task/{pid}/children")).split()
                          if text_of(Path(f"/proc/{child}/comm")) == "slurmscriptd\n"}

    def log(self):
        return "\n".join(str(task) for task in self.tasks)

    def close(self):
        for task in reversed(self.tasks):
            task.discard()


class SlurmMachine(NetworkMachine):
    """A virtual machine whose master is on the host where users log in, and which has no other host yet."""

    def __init__(self, library=OURS, variables=None):
        super().__init__([OURS] * 5, library, variables)
        self.slurm = None

    def lay_network(self):
        super().lay_network()
        self.slurm = Slurm(self.network, self.folder)
        self.own.add(self.slurm.folder)
        self.variables |= {"PVM_DPATH": str(OURS.pvmd), **self.slurm.variables}
        self.slurm.start()

    def processes(self):
        """But for those of Slurm itself."""
        return super().processes() - (self.slurm.pids() if self.slurm else set())

    def files(self):
        return [name for name in super().files() if not name.startswith(f"{self.slurm.folder.name}/")]

    def sockets(self):
        return [line for line in super().sockets() if f"{self.slurm.folder}/" not in line]

    def clean_up(self):
        if self.slurm:
            self.slurm.close()
        super().clean_up()
