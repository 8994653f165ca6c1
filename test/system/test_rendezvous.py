"""How often is an array copied on its way to another task of the host, and does it arrive, whatever happens?

The checks of contents and order, and the counting, are in rendezvous.c.
"""
import pytest
from support.machine import VirtualMachine
from support.places import OURS, STOCK
from support.puppet import Puppet

daemons = pytest.mark.parametrize("daemon", [OURS, STOCK], ids="daemon-{}".format)
settings = pytest.mark.parametrize("setting", ["auto", "0", "1"], ids="one-copy-{}".format)
refused = pytest.mark.parametrize("refused", [False, True], ids=["allowed", "refused"])
MEGABYTE = 1 << 20
# What is copied by the sender's library, by the system and by the receiver's library, in messages of that length.
ONE, TWO = (0, 1, 0), (1, 0, 1)


def environment(setting, refused=False):
    return {"PVM_ONE_COPY": setting, **({"RENDEZVOUS_REFUSED": "1"} if refused else {})}


def copies(call, way, size, setting="524288", refused=False):
    with VirtualMachine(OURS, OURS, variables=environment(setting, refused)) as vm:
        words = vm.run("rendezvous", "copies", call, way, size, merge=True).ok().out.split()
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
    assert copies("array", "waiting", MEGABYTE, "auto", refused=True) == TWO


@pytest.mark.parametrize("setting,size,expected", [
    ("524288", 524287, TWO), ("524288", 524288, ONE), ("100000", 99999, TWO), ("100000", 100000, ONE),
    ("1", 5000, ONE), ("0", MEGABYTE, TWO), ("auto", 65535, TWO)])
def test_setting_says_from_where_on(setting, size, expected):
    assert copies("array", "waiting", size, setting) == expected


def test_auto_copies_each_array_once_or_twice():
    """Some times each, since it has to learn what both cost."""
    sender, system, receiver = copies("array", "waiting", MEGABYTE, "auto")
    assert sender == receiver == pytest.approx(1 - system)
    assert 0 < system < 1


@pytest.mark.parametrize("value", ["much", "-1", "1073741825", "64K", "Auto"])
def test_wrong_setting_is_told_and_auto_taken(value):
    with VirtualMachine(OURS, OURS) as vm:
        puppet = Puppet(vm, variables={"PVM_ONE_COPY": value})
        assert (f"PVM_ONE_COPY is {value}: taking auto, as it must be auto or bytes, 0 to 1073741824\n"
                in puppet.leave().err)


@pytest.mark.parametrize("value", ["auto", "0", "1", "1073741824"])
def test_right_setting_is_not_told(value):
    with VirtualMachine(OURS, OURS) as vm:
        assert Puppet(vm, variables={"PVM_ONE_COPY": value}).leave().err == ""


@daemons
@refused
def test_contents_and_order(daemon, refused, long_run):
    messages = 3000 if long_run else 60
    with VirtualMachine(daemon, OURS, variables=environment("524288", refused)) as vm:
        assert vm.run("rendezvous", "mix", messages, merge=True).ok().out == f"checked {3 * messages}\n"


@settings
def test_contents_and_order_by_setting(setting, long_run):
    messages = 3000 if long_run else 60
    with VirtualMachine(OURS, OURS, variables=environment(setting)) as vm:
        assert vm.run("rendezvous", "mix", messages, merge=True).ok().out == f"checked {3 * messages}\n"


@refused
def test_two_that_send_first(refused):
    with VirtualMachine(OURS, OURS, variables=environment("1", refused)) as vm:
        assert vm.run("rendezvous", "crossing", 40, merge=True).ok().out == "checked 40\n"


@pytest.mark.parametrize("variables", [environment("65536"), environment("auto", refused=True)], ids=["one", "two"])
def test_tasks_are_killed_amid_arrays(variables, long_run):
    rounds = 200 if long_run else 6
    with VirtualMachine(OURS, OURS, variables=variables) as vm:
        out = vm.run("rendezvous", "kill", rounds, merge=True).ok().out
    assert int(out.split()[1]) >= rounds * 40
