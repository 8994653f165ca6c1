"""Does one-sided communication do what MPI says, by shared memory, by messages, and between hosts?"""
import pytest
from support.machine import VirtualMachine
from support.mpi import NoMachine, assert_idle, mpi_program, mpiexec, start_mpiexec
from support.network import NetworkMachine
from support.places import OURS

PARTS = ["told", "attributes", "fences", "accumulates", "operations", "order", "swaps", "posts", "locks", "passive",
         "requests", "threads", "mistakes"]
SECONDS = 1
LIMIT = 120


@pytest.fixture(scope="module")
def vm():
    with VirtualMachine(OURS, OURS) as machine:
        yield machine


@pytest.mark.parametrize("kind", ["create", "allocate"])
@pytest.mark.parametrize("part", PARTS)
def test_windows(vm, part, kind):
    assert mpiexec(vm, 4, "mpi_windows", part, kind, limit=LIMIT).out == "ok\n" * 4


@pytest.mark.parametrize("part", ["told", "fences", "operations", "mistakes"])
def test_shared_windows(vm, part):
    assert mpiexec(vm, 3, "mpi_windows", part, "shared", limit=LIMIT).out == "ok\n" * 3


@pytest.mark.parametrize("part", ["large", "dynamic"])
def test_memory_of_the_program(vm, part):
    assert mpiexec(vm, 3, "mpi_windows", part, "create", limit=LIMIT).out == "ok\n" * 3


@pytest.mark.parametrize("part", ["fences", "accumulates", "locks", "large"])
def test_one_rank_needs_no_virtual_machine(part):
    with NoMachine() as alone:
        assert alone.run(mpi_program("mpi_windows"), part, "create", limit=LIMIT).ok().out == "ok\n"


def test_between_hosts():
    with NetworkMachine([OURS] * 2, OURS) as machine:
        machine.add("node2")
        assert mpiexec(machine, 2, "mpi_windows", "apart", "allocate", limit=LIMIT).out == "ok\nok\n"


def test_a_window_costs_ranks_that_communicate_no_thread_switch():
    with VirtualMachine(OURS, OURS, variables={"PVM_SPIN": "200000"}) as looking:
        assert mpiexec(looking, 2, "mpi_windows", "beside", "create", limit=LIMIT).out == "ok\n" * 2


@pytest.mark.parametrize("kind", ["create", "allocate"])
def test_who_waits_for_a_lock_takes_no_time(vm, kind):
    """No thread of either rank runs: neither the one that waits nor those that carry out orders."""
    task = start_mpiexec(vm, 2, "mpi_windows", "wait_for_lock", kind, keep_input=True)
    pids = [int(task.until("pid ").split()[1]) for _ in range(2)]
    assert_idle(pids, SECONDS, LIMIT)
    task.say("1\n")
    assert task.ended(LIMIT).ok().out.endswith("ok\nok\n")
