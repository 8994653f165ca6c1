"""How often is an array copied on its way to another task of the host, and does it arrive, whatever happens?

The checks of contents and order, and the counting, are in landing.c.
"""
import pytest
from support.machine import VirtualMachine
from support.places import OURS, STOCK

daemons = pytest.mark.parametrize("daemon", [OURS, STOCK], ids="daemon-{}".format)
refused = pytest.mark.parametrize("refused", [False, True], ids=["allowed", "refused"])
MEGABYTE = 1 << 20
# What is copied by the sender's library, by the system and by the receiver's library, in messages of that length.
ONE, TWO = (0, 1, 0), (1, 0, 1)


def environment(refused):
    return {"LANDING_REFUSED": "1"} if refused else {}


def copies(call, way, size, refused=False):
    with VirtualMachine(OURS, OURS, variables=environment(refused)) as vm:
        words = vm.run("landing", "copies", call, way, size, merge=True).ok().out.split()
    return tuple(float(words[i]) for i in (1, 2, 4))


@pytest.mark.parametrize("call", ["array", "place"])
def test_receiver_that_waits_costs_one_copy(call):
    assert copies(call, "waiting", MEGABYTE) == ONE


@pytest.mark.parametrize("call,way", [("array", "late"), ("place", "late"), ("array", "buffer"), ("place", "buffer"),
                                      ("raw", "waiting"), ("raw", "late"), ("raw", "buffer")])
def test_other_arrays_are_copied_twice(call, way):
    """Into the arena and out of it."""
    assert copies(call, way, MEGABYTE) == TWO


def test_what_the_system_refuses_is_copied_twice():
    assert copies("array", "waiting", MEGABYTE, refused=True) == TWO


def test_short_arrays_are_copied_twice():
    assert copies("array", "waiting", 100000) == TWO


@daemons
@refused
def test_contents_and_order(daemon, refused, long_run):
    messages = 3000 if long_run else 60
    with VirtualMachine(daemon, OURS, variables=environment(refused)) as vm:
        assert vm.run("landing", "mix", messages, merge=True).ok().out == f"checked {3 * messages}\n"


@refused
def test_two_that_send_first(refused):
    with VirtualMachine(OURS, OURS, variables=environment(refused)) as vm:
        assert vm.run("landing", "crossing", 40, merge=True).ok().out == "checked 40\n"


def test_tasks_are_killed_amid_arrays(long_run):
    rounds = 200 if long_run else 6
    with VirtualMachine(OURS, OURS) as vm:
        out = vm.run("landing", "kill", rounds, merge=True).ok().out
    assert int(out.split()[1]) >= rounds * 40
