"""Do collective operations of MPI do what a simple computation says, in all their forms?"""
import pytest
from support.machine import VirtualMachine
from support.mpi import NoMachine, mpi_program, mpiexec
from support.places import OURS

PARTS = ["barrier", "bcast", "gather", "scatter", "allgather", "alltoall", "gatherv", "scatterv", "alltoallv",
         "nothing", "reduce", "scan", "reduce_scatter", "in_place", "ordered", "derived", "mixed", "exact", "mistakes",
         "uneven"]
LIMIT = 240


@pytest.fixture(scope="module")
def vm():
    with VirtualMachine(OURS, OURS) as machine:
        yield machine


@pytest.mark.parametrize("ranks", [2, 4, 5])
@pytest.mark.parametrize("part", PARTS)
def test_collectives(vm, part, ranks):
    assert mpiexec(vm, ranks, "mpi_collectives", part, limit=LIMIT).out == "ok\n" * ranks


def test_more_ranks_than_few(vm):
    """From here on blocks go around in a ring."""
    assert mpiexec(vm, 9, "mpi_collectives", "allgather", limit=LIMIT).out == "ok\n" * 9


@pytest.mark.parametrize("part", PARTS)
def test_one_rank_needs_no_virtual_machine(part):
    with NoMachine() as alone:
        assert alone.run(mpi_program("mpi_collectives"), part, limit=LIMIT).ok().out == "ok\n"


@pytest.mark.parametrize("copies", ["0", "65536"])
def test_arrays_in_one_copy_or_two(copies):
    """A rank that is early writes to memory as soon as a receive is posted there: several runs, as not each shows it."""
    with VirtualMachine(OURS, OURS, {"PVM_ONE_COPY": copies}) as machine:
        for _ in range(5):
            assert mpiexec(machine, 5, "mpi_collectives", "ordered", limit=LIMIT).out == "ok\n" * 5
