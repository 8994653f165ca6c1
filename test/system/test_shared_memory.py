"""Do tasks of one host get what others send them through shared memory, and in order, whatever happens?

The checks of contents and order are in shared.c.
"""
import pytest
from support.machine import VirtualMachine
from support.places import OURS, STOCK
from support.puppet import Puppet

daemons = pytest.mark.parametrize("daemon", [OURS, STOCK], ids="daemon-{}".format)


def checked(vm, *arguments):
    """Run the program; gives how many messages it checked."""
    return int(vm.run("shared", *arguments, merge=True).ok().out.splitlines()[-1].split()[1])


@daemons
@pytest.mark.parametrize("tasks", [1, 5])
def test_sends_before_the_receiver_has_enrolled(daemon, tasks):
    with VirtualMachine(daemon, OURS) as vm:
        assert checked(vm, "spawn", tasks, 200) == tasks * 400


@daemons
@pytest.mark.parametrize("megabytes", [64, 1, 0])
def test_receiver_that_does_not_read(daemon, megabytes):
    """More is sent than a ring and the arena hold."""
    with VirtualMachine(daemon, OURS, variables={"PVM_SHARED_MEMORY": str(megabytes)}) as vm:
        assert checked(vm, "stall", 3000) == 3000


@daemons
def test_tasks_are_killed_amid_messages(daemon, long_run):
    rounds = 500 if long_run else 20
    with VirtualMachine(daemon, OURS) as vm:
        assert checked(vm, "kill", rounds) >= rounds * 64


@pytest.mark.parametrize("value", ["much", "-1", "16385", "64M"])
def test_wrong_limit_is_told_and_the_usual_taken(value):
    with VirtualMachine(OURS, OURS) as vm:
        puppet = Puppet(vm, variables={"PVM_SHARED_MEMORY": value})
        assert (f"PVM_SHARED_MEMORY is {value}: taking 64, as it must be megabytes, 0 to 16384\n"
                in puppet.leave().err)


@pytest.mark.parametrize("value", ["", "0", "64", "16384"])
def test_right_limit_is_not_told(value):
    with VirtualMachine(OURS, OURS) as vm:
        assert Puppet(vm, variables={"PVM_SHARED_MEMORY": value}).leave().err == ""
