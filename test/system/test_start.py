"""What does a program get that starts a pvmd itself?"""
import os
import signal

import pytest
from support.machine import VirtualMachine, wait_gone
from support.places import OURS, WRAPPER
from support.task import Task

RUNNING = ["libpvm [t40001]: pvm_start_pvmd(): Duplicate host", "pvm_start_pvmd(0, NULL, 0): -28", "pvm_halt(): 0"]


def started(*arguments):
    """The lines that a program prints which starts a pvmd; nothing may be left behind."""
    vm = VirtualMachine(OURS, OURS)
    try:
        hosts = vm.home / "hosts"
        hosts.write_text("* ep=/tmp\n127.0.0.2 sp=5\n&127.0.0.9\n")
        lines = vm.run("starter", *[str(word).format(hosts=hosts) for word in arguments], merge=True).ok().out.splitlines()
        hosts.unlink()
        vm.check_nothing_left()
        return lines
    finally:
        vm.clean_up()


def one(name):
    return ["getenv(\"PVMSOCK\") != NULL: 1", "pvm_mytid(): 262145", "pvm_config(&number, NULL, &hosts): 0",
            f"1 hosts, the first is {name}", *RUNNING]


@pytest.mark.parametrize("block", [0, 1])
@pytest.mark.parametrize("file", [[], ["{hosts}"]], ids=["alone", "file"])
def test_start(block, file):
    """With and without waiting for the hosts of a host file."""
    assert started(block, "-n127.0.0.2", *file) == ["result: 0", *one("127.0.0.2")]


@pytest.mark.parametrize("arguments", [["-x"], ["-n"], ["{hosts}", "{hosts}"]], ids=str)
def test_bad_arguments(arguments):
    lines = started(0, *arguments)
    assert lines[-1] == "result: -29"
    assert lines[-2].endswith("pvm_start_pvmd(): Can't start pvmd")


def test_two_threads():
    """One of them starts it; the other one finds it running, and neither is told that it cannot be started."""
    lines = started(2, "-n127.0.0.2")
    assert "started: 1, and there was one already: 1" in lines
    assert [line for line in lines if "libpvm" not in line][1:] == \
        [line for line in one("127.0.0.2") if "libpvm" not in line]


def test_a_starter_that_says_nothing_more():
    """The pvmd that it has started for a host serves, and ends, while the starter holds its input open."""
    vm = VirtualMachine(OURS, OURS)
    try:
        slave = Task([*WRAPPER, OURS.pvmd, "-s", "-d0", "-n127.0.0.3", "1", "7f000002:1fff", "4080", "2", "7f000003:0"],
                     vm.environment(), cwd=vm.home, keep_input=True)
        vm.started.append(slave)
        assert slave.line().startswith("ddpro<2316> arch<LINUX64> ip<7f000003:")
        served, = vm.processes() - {slave.pid}
        os.kill(served, signal.SIGTERM)
        assert not wait_gone({served})
        slave.ended().ok()
        vm.check_nothing_left()
    finally:
        vm.clean_up()
