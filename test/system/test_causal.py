"""Are messages of several tasks received in the order of cause and effect?"""
import re

import pytest
from support.machine import VirtualMachine
from support.places import OURS

ROUTES = {"default": 2, "direct": 3}
# ints, rounds
SIZES = {"short": (1, 2000), "long": (1000, 1000), "large": (20000, 200)}


def reversed_rounds(vm, *words):
    done = vm.run("causal", *words, merge=True, limit=120)
    return int(re.match(r"(\d+) of \d+ reversed", done.ok().out)[1])


@pytest.mark.parametrize("way", ["send", "place", "psend", "mcast"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("route", ROUTES)
def test_causes_come_before_effects(route, size, way):
    ints, rounds = SIZES[size]
    with VirtualMachine(OURS, OURS) as vm:
        for work in 0, 20:
            assert reversed_rounds(vm, rounds, ints, ROUTES[route], way, work) == 0
