"""Does what a thread task hands over come behind what may have caused it, by whatever way that comes?"""
import re

import pytest
from support.machine import VirtualMachine
from support.places import OURS

ROUTES = {"default": 2, "direct": 3}
# ints, rounds
SIZES = {"short": (1, 2000), "long": (1000, 1000), "large": (20000, 200)}


def reversed_rounds(vm, *words):
    done = vm.run("behind", *words, merge=True, limit=120)
    return int(re.match(r"(\d+) of \d+ reversed", done.ok().out)[1])


# Through a pvmd a long message may take longer than a later one of its sender to another task.
CASES = [(memory, route, size) for memory in ("64", "0") for route in ROUTES for size in SIZES
         if (memory, route) != ("0", "default") or size == "short"]


@pytest.mark.parametrize("memory, route, size", CASES)
def test_causes_come_before_effects(memory, route, size):
    ints, rounds = SIZES[size]
    with VirtualMachine(OURS, OURS, variables={"PVM_SHARED_MEMORY": memory}) as vm:
        for work in 0, 20, 200:
            assert reversed_rounds(vm, rounds, ints, ROUTES[route], work) == 0
