"""Do processes of MPI come, meet and die as MPI says, and does nobody wait for the dead?"""
import os
import signal

import pytest
from support.hosts import HostsMachine
from support.machine import VirtualMachine
from support.mpi import MPIEXEC, NoMachine, mpi_program, mpiexec, start_mpiexec
from support.places import OURS
from support.task import sleeps, wait_until

LIMIT = 120
MPI_ERR_OTHER = 16
# Ranks, and how many further processes say "ok".
PARTS = {"spawn": (2, 2), "several": (1, 4), "meet": (4, 0), "join": (2, 0)}
# Ranks, the last of which dies.
DEATHS = {"death": 6, "death_in_barrier": 5, "death_in_bcast": 5, "death_in_allreduce": 5, "death_in_iallreduce": 4}


@pytest.fixture(scope="module")
def vm():
    with VirtualMachine(OURS, OURS) as machine:
        yield machine


@pytest.mark.parametrize("part", PARTS)
def test_processes_come_and_meet(vm, part):
    ranks, others = PARTS[part]
    assert mpiexec(vm, ranks, "mpi_processes", part, limit=LIMIT).out == "ok\n" * (ranks + others)


def test_what_cannot_be_spawned(vm):
    """Nothing is left of it, and the next spawn works."""
    done = mpiexec(vm, 2, "mpi_processes", "refused", limit=LIMIT)
    assert done.out == "ok\n" * 4
    assert "did not start: there is no file ./no-such-program" in done.err


@pytest.mark.parametrize("kind", ["thread", "ulp"], ids=["thread", "user_level"])
def test_ranks_that_share_a_process_are_refused(kind):
    with NoMachine(PVM_PATH=str(MPIEXEC.parent)) as alone:
        done = alone.run(MPIEXEC, "--tasks", kind, "-n", 2, mpi_program("mpi_sharing"), limit=LIMIT)
        assert done.status == MPI_ERR_OTHER
        assert "each rank has to be a process: mpiexec --tasks process does that" in done.out + done.err


def test_spawned_ranks_have_labels_of_their_own(vm):
    done = vm.run(MPIEXEC, "-l", "-n", 1, mpi_program("mpi_processes"), "spawn", limit=LIMIT).ok()
    assert sorted(done.out.splitlines()) == ["[0] ok", "[1:0] ok", "[1:1] ok"]


def test_processes_come_on_other_hosts():
    with HostsMachine(OURS, OURS) as machine:
        done = machine.run(MPIEXEC, "-host", "127.0.0.1,127.0.0.2", "-n", 2, mpi_program("mpi_processes"), "spawn",
                           limit=LIMIT).ok()
        assert done.out == "ok\n" * 4


# Deaths.

@pytest.mark.parametrize("part", DEATHS)
def test_who_waits_for_the_dead_gets_an_error(vm, part):
    """The others are one communicator again."""
    last = DEATHS[part] - 1
    task = vm.start(MPIEXEC, "--enable-recovery", "-n", last + 1, mpi_program("mpi_processes"), part)
    pids = {}
    while len(pids) <= last:
        _, pid, rank = task.until("pid ").split()
        pids[int(rank)] = int(pid)
    for pid in pids.values():
        wait_until(lambda pid=pid: sleeps(pid), f"{pid} waits", LIMIT)
    os.kill(pids[last], signal.SIGKILL)
    ended = task.ended(LIMIT).ok(128 + signal.SIGKILL)
    assert ended.out.count("ok\n") == last
    assert f"rank {last} on" in ended.err


def test_who_waits_for_a_dead_child_gets_an_error(vm):
    done = vm.run(MPIEXEC, "--enable-recovery", "-n", 2, mpi_program("mpi_processes"), "child_dies",
                  limit=LIMIT).ok(128 + signal.SIGKILL)
    assert done.out == "ok\n" * 3
    assert "rank 1:0 on" in done.err


def test_who_waits_for_a_rank_that_has_left_ends_all(vm):
    ended = start_mpiexec(vm, 2, "mpi_processes", "leaves").ended(LIMIT)
    assert ended.status != 0
    assert "MPI_Recv: a process was aborted or has died" in ended.err
