"""Does a message stay as it was sent, whoever leaves the machine?

The checks of contents are in parted.c. What it says is compared with 3.4.6, too.
"""
import pytest
from support.machine import VirtualMachine
from support.places import OURS, STOCK
from support.task import wait_until

ENCODINGS = {"default": 0, "raw": 1, "in-place": 2}
# Three receivers read two messages of each of six sizes, one of them or all the first ones in two parts. The child of
# that one reads what it keeps.
CHECKED = {"receivers": 54, "children": 54}


@pytest.mark.parametrize("way", ["exits", "enrols", "forks", "killed", "receivers", "children"])
@pytest.mark.parametrize("megabytes, route", [(64, 0), (64, 1), (0, 0), (0, 1)],
                         ids=["shared", "shared-direct", "daemon", "direct"])
def test_messages_stay_as_they_were_sent(way, megabytes, route):
    with VirtualMachine(OURS, OURS, variables={"PVM_SHARED_MEMORY": str(megabytes)}) as vm:
        for encoding in ENCODINGS.values():
            done = vm.run("parted", way, encoding, route, merge=True, limit=60)
            assert done.ok().out == f"checked {CHECKED.get(way, 42)}\n"
            wait_until(lambda: not vm.tasks(), "all tasks have left")


@pytest.mark.parametrize("way", ["exits", "enrols", "killed", "receivers"])
def test_as_3_4_6(way):
    with VirtualMachine(STOCK, STOCK) as vm:
        assert vm.run("parted", way, 0, 0, merge=True, limit=60).ok().out == f"checked {CHECKED.get(way, 42)}\n"
