"""Do groups, communicators and topologies of MPI do what the standard says?"""
import pytest
from support.machine import VirtualMachine
from support.mpi import NoMachine, mpi_program, mpiexec
from support.places import OURS

PARTS = ["groups", "dup", "split", "create", "inter", "alone", "threads", "cart", "graph", "dist_graph", "dims",
         "mistakes", "from_groups"]
LIMIT = 240


@pytest.fixture(scope="module")
def vm():
    with VirtualMachine(OURS, OURS) as machine:
        yield machine


@pytest.mark.parametrize("ranks", [2, 4, 5])
@pytest.mark.parametrize("part", PARTS)
def test_communicators(vm, part, ranks):
    assert mpiexec(vm, ranks, "mpi_communicators", part, limit=LIMIT).out == "ok\n" * ranks


@pytest.mark.parametrize("part", PARTS)
def test_one_rank_needs_no_virtual_machine(part):
    with NoMachine() as alone:
        assert alone.run(mpi_program("mpi_communicators"), part, limit=LIMIT).ok().out == "ok\n"
