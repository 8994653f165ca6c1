"""Do allreduce, allgather and alltoall give every member what it is to have, and does nobody wait for a dead one?"""
import pytest
from support import programs
from support.groups import serve
from support.machine import VirtualMachine
from support.network import NetworkMachine
from support.places import OURS, STOCK

KINDS = pytest.mark.parametrize("kind", ["threads", "processes"])
SYSTEMS = pytest.mark.parametrize("daemon, server", [(OURS, OURS), (OURS, STOCK), (STOCK, OURS), (STOCK, STOCK)],
                                  ids=lambda system: str(system))
NEW = ["allreduce", "allgather", "alltoall"]
OLD = ["reduce", "gather", "scatter"]


def run(vm, server, *arguments):
    serve(vm, server)
    said = vm.run("everybody", *map(str, arguments), merge=True).ok().out.splitlines()
    assert said[-1] == "ok" and {line.split()[1] for line in said[:-1]} <= {"BEGIN", "EOF"}, said


def everybody(daemon, server, *arguments):
    variables = {"PVM_PATH": str(programs.folder(OURS)), "LD_LIBRARY_PATH": str(OURS.libraries)}
    with VirtualMachine(daemon, OURS, variables=variables) as vm:
        run(vm, server, *arguments)


@SYSTEMS
@KINDS
@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 13])
def test_results(daemon, server, kind, count):
    """Floating point results are those of pvm_reduce, bit by bit, and arguments are judged as in its siblings."""
    everybody(daemon, server, kind, count, "results")


@pytest.mark.parametrize("hosts", [[OURS] * 3, [OURS, STOCK, OURS]], ids=["ours", "mixed"])
@pytest.mark.parametrize("count", [3, 8, 13])
def test_results_on_several_hosts(hosts, count):
    variables = {"PVM_PATH": str(programs.folder(OURS)), "LD_LIBRARY_PATH": str(OURS.libraries),
                 "PVM_EXPORT": "LD_LIBRARY_PATH"}
    with NetworkMachine(hosts, OURS, variables) as vm:
        vm.add()
        run(vm, OURS, "processes", count, "results")


@SYSTEMS
@pytest.mark.parametrize("call", NEW + OLD)
@pytest.mark.parametrize("group", ["frozen", "moving"])
def test_member_that_has_ended(daemon, server, call, group):
    everybody(daemon, server, "processes", 5, "ended", group, call)


@SYSTEMS
@KINDS
@pytest.mark.parametrize("call", NEW + OLD)
@pytest.mark.parametrize("group", ["frozen", "moving"])
def test_member_that_is_killed(daemon, server, kind, call, group):
    everybody(daemon, server, kind, 5, "killed", group, call)
