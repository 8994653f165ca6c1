"""Are nodes of Slurm hosts for as long as Slurm gives them, and given back when nobody needs them?"""
import signal
from collections import Counter
from pathlib import Path

import pytest
from support import programs
from support.places import OURS
from support.slurm import SlurmMachine
from support.task import send_signal, text_of, wait_until

PVM = OURS.pvmd.with_name("pvm")
PVMRUN = OURS.pvmd.with_name("pvmrun")


@pytest.fixture
def variables():
    return {}


@pytest.fixture
def vm(variables):
    path = f"{programs.folder(OURS)}:{OURS.pvmd.parent}"
    with SlurmMachine(variables={"PVM_PATH": path, "PVM_EXPORT": "LD_LIBRARY_PATH", **variables}) as machine:
        yield machine
        machine.stop()
        machine.slurm.until_jobs(0)


def pvm(vm, *commands, first=(), status=0):
    """What the console prints, a list for each line."""
    words = [word for command in commands for word in ("-c", command)]
    return [line.split() for line in vm.run(PVM, *first, *words).ok(status).out.splitlines()]


def job_of(vm, node):
    job, = vm.slurm.run("squeue", "-h", "-w", node, "-o", "%A").split()
    return job


def sruns(vm):
    """The words of each srun that runs."""
    lines = [text_of(Path(f"/proc/{pid}/cmdline")).split("\0") for pid in vm.network.processes("node1")]
    return [words for words in lines if words[0] == "srun"]


def test_hosts_come_with_jobs_and_go_with_them(vm):
    assert pvm(vm, "add node5", first=("--slurm", 2))[0] == ["2", "successful"]
    assert sorted(vm.hosts()) == ["node1", "node2", "node3", "node5"]
    assert len(vm.slurm.jobs()) == 2    # and the remote shell has started the pvmd of node5
    assert pvm(vm, "add slurm:1")[2][0] == "node4"
    pvm(vm, "delete node2")
    vm.slurm.until_jobs(2)
    vm.slurm.run("scancel", job_of(vm, "node3"))
    vm.until_hosts("node1", "node4", "node5")
    send_signal(manager_of(vm), signal.SIGKILL)
    vm.until_hosts("node1", "node5")
    vm.slurm.until_jobs(0)


def manager_of(vm):
    """The process."""
    manager, = (task[5] for task in vm.tasks() if task[4] == "pvmslurm")
    return manager


def wait_for_too_many(vm):
    """A console that has four nodes, and waits for a fifth."""
    console = vm.start(PVM, "-c", "add slurm:5")
    wait_until(lambda: Counter(vm.slurm.run("squeue", "-h", "-o", "%t").split()) == {"R": 4, "PD": 1},
               "four jobs run and one waits")
    return console


def test_jobs_for_which_nobody_waits_are_cancelled(vm):
    console = wait_for_too_many(vm)
    console.signal(signal.SIGKILL)
    assert console.ended().status == -signal.SIGKILL
    vm.slurm.until_jobs(0)
    console = wait_for_too_many(vm)
    send_signal(manager_of(vm), signal.SIGKILL)
    assert console.ended().ok(1).out == "slurm:5: No such task\n"
    vm.slurm.until_jobs(0)


def test_what_slurm_refuses(vm):
    """Whoever waits is told: a job that is cancelled is refused, too."""
    for node in vm.slurm.nodes:
        vm.slurm.run("scontrol", "update", f"nodename={node}", "state=drain", "reason=test")
    console = vm.start(PVM, "-c", "add slurm:1")
    vm.slurm.until_jobs(1)
    vm.slurm.run("scancel", *vm.slurm.jobs())
    assert console.ended().ok(1).out == "slurm:1: Slurm gave 0 of 1 nodes\n"
    assert pvm(vm, first=("--slurm", "-c", "conf"), status=1)[0] == "this console runs in no job of Slurm".split()


@pytest.mark.parametrize("variables", [{"PVM_SLURM_IDLE": "1"}])
def test_idle_hosts_are_given_back(vm):
    """The manager stands still until there is a task, however long that takes."""
    pvm(vm, first=("--slurm", 2, "-c", "version"))
    send_signal(manager_of(vm), signal.SIGSTOP)
    puppet = vm.puppet("node2")
    send_signal(manager_of(vm), signal.SIGCONT)
    vm.until_hosts("node1", "node2")
    vm.slurm.until_jobs(1)
    puppet.leave()
    vm.until_hosts("node1")
    vm.slurm.until_jobs(0)


def test_user_level_processes_leave_before_their_job_ends(vm):
    """By the early signal of Slurm: they move to the hosts that stay, and the host leaves."""
    def places():
        return Counter(names[task[2]] for task in vm.tasks() if task[4] == "burns" and task[1])

    added = pvm(vm, first=("--slurm", 2, "-c", "version"))[2:4]
    names = {0x40000: "node1", **{int(tid, 16): name for name, tid in added}}
    starter = vm.start("burns", 6, keep_input=True)
    starter.until("ready")
    wait_until(lambda: places() == {"node1": 2, "node2": 2, "node3": 2}, "each host has two tasks")
    assert {words.count("--signal=URG@60") for words in sruns(vm)} == {1}
    vm.slurm.run("scancel", "--signal=URG", job_of(vm, "node2"))
    vm.until_hosts("node1", "node3")
    vm.slurm.until_jobs(1)
    wait_until(lambda: places() == {"node1": 3, "node3": 3}, "the tasks of node2 are on the others")
    starter.say("\n")
    starter.ended().ok()


def test_the_nodes_of_a_job_are_hosts(vm):
    """They are added once; further jobs make the machine larger, and their hosts stay when the job ends."""
    twice = f"{PVM} --slurm -c conf > /dev/null && {PVM} --slurm -c 'add slurm:1' && read word"
    job = vm.start("/usr/bin/salloc", "--quiet", "-N2", "sh", "-c", twice, keep_input=True)
    job.until("node4")
    assert sorted(vm.hosts()) == ["node1", "node2", "node3", "node4"]
    vm.slurm.until_jobs(2)
    job.say("enough\n")
    job.ended().ok()
    vm.until_hosts("node1", "node4")
    vm.slurm.until_jobs(1)


def test_pvmrun_in_a_batch_job(vm):
    """Five tasks for which Slurm has made room on three nodes, two that are given hosts, and one without Slurm."""
    script, out = vm.slurm.folder / "script", vm.slurm.folder / "out"
    script.write_text(f"#!/bin/sh -e\nhostname\n{PVMRUN} hostname\n{PVMRUN} -n 2 -H node3,node4 hostname\n"
                      f"{PVMRUN} --no-slurm hostname\n")
    vm.slurm.run("sbatch", "-N3", "-n5", f"--output={out}", script, env=vm.environment())
    vm.slurm.until_jobs(0)
    hosts = out.read_text().split()
    assert hosts[0] == "node2" and sorted(hosts[1:6]) == ["node2", "node2", "node3", "node3", "node4"]
    assert sorted(hosts[6:8]) == ["node3", "node4"] and hosts[8:] == ["node2"]
