"""Do messages between ranks do what MPI says, and do calls that wait cost nothing?"""
import pytest
from support.machine import VirtualMachine
from support.mpi import NoMachine, assert_idle, mpi_program, mpiexec, start_mpiexec
from support.places import OURS

SECONDS = 3
FOR_TWO = ["blocking", "order", "truncation", "modes", "posted", "persistent", "probes", "derived", "together",
           "cancels", "freed", "nobody", "mistakes", "threads", "steps", "generalized", "generalized_fails",
         "to_oneself", "beside_pvm"]
FOR_ONE = ["nobody", "generalized", "generalized_fails", "to_oneself", "clock"]
LIMIT = 120


@pytest.fixture(scope="module")
def vm():
    with VirtualMachine(OURS, OURS) as machine:
        yield machine


@pytest.mark.parametrize("part", FOR_TWO)
def test_two_ranks(vm, part):
    assert mpiexec(vm, 2, "mpi_messages", part, limit=LIMIT).out == "ok\nok\n"


@pytest.mark.parametrize("part", ["blocking", "modes", "probes", "threads"])
def test_two_ranks_without_shared_memory(part):
    with VirtualMachine(OURS, OURS, {"PVM_SHARED_MEMORY": "0"}) as machine:
        assert mpiexec(machine, 2, "mpi_messages", part, limit=LIMIT).out == "ok\nok\n"


@pytest.mark.parametrize("part", FOR_ONE)
def test_one_rank_needs_no_virtual_machine(part):
    with NoMachine() as alone:
        assert alone.run(mpi_program("mpi_messages"), part, limit=LIMIT).ok().out == "ok\n"


def test_one_rank_joins_a_virtual_machine_that_runs(vm):
    assert vm.run(mpi_program("mpi_messages"), "to_oneself", limit=LIMIT).ok().out == "ok\n"


def test_a_thread_that_waits_lets_go_on_what_another_begins_later(vm):
    assert mpiexec(vm, 4, "mpi_messages", "begun_while_another_waits", limit=LIMIT).out == "ok\n" * 4


def test_abort_ends_all_with_its_status(vm):
    assert "ok" not in mpiexec(vm, 3, "mpi_messages", "abort", status=42, limit=LIMIT).out


def test_an_error_nobody_handles_ends_all(vm):
    ended = vm_run_failing(vm, "fatal")
    assert "MPI_Send: invalid rank" in ended.err


def vm_run_failing(vm, part):
    """What a run was that ends with some status but 0."""
    task = start_mpiexec(vm, 2, "mpi_messages", part)
    ended = task.ended(LIMIT)
    assert ended.status != 0
    return ended


# Waiting.

@pytest.mark.parametrize("part", ["wait_in_receive", "wait_for_any"])
def test_a_rank_that_waits_takes_no_time(vm, part):
    """No thread of it runs, and so none makes a system call."""
    task = start_mpiexec(vm, 2, "mpi_messages", part, keep_input=True)
    pids = [int(task.until("pid ").split()[1]) for _ in range(2)]
    assert_idle(pids, SECONDS, LIMIT)
    task.say("1\n")
    assert task.ended(LIMIT).ok().out.endswith("ok\nok\n")
