"""Is an array that pvm_share sends read where it lies by threads, and the same for everybody else?"""
import pytest
from support.machine import VirtualMachine
from support.places import OURS, STOCK

ENCODINGS = {"default": 0, "raw": 1, "in place": 2}


@pytest.mark.parametrize("daemon", [OURS, STOCK], ids=str)
@pytest.mark.parametrize("memory", ["64", "0"], ids=["shared memory", "streams"])
@pytest.mark.parametrize("way", ["send", "mcast"])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_array_is_shared(daemon, encoding, way, memory):
    with VirtualMachine(daemon, OURS, variables={"PVM_SHARED_MEMORY": memory}) as vm:
        assert vm.run("shares", ENCODINGS[encoding], way, merge=True).ok().out == "ok\n"
