"""Do ThreadSanitizer and Helgrind find anything in the group library?

All threads of a task use groups at once, on a group server of ours, whose answers are labelled, and on
stock's, where questions of one kind take turns. Any report of a tool fails the test.
"""
import pytest
from support import programs
from support.machine import VirtualMachine
from support.places import OURS, STOCK
from support.task import wait_until
from test_race import LIMIT, SUPPRESSIONS, fixed_addresses, flavour

servers = pytest.mark.parametrize("server", [OURS, STOCK], ids=str)


def run(server, system, flags, wrapper, arguments, variables=None):
    """What group_threads prints on a running server; the libraries are those of system's flavour."""
    program = programs.build("group_threads", system, *flags)
    with VirtualMachine(OURS, OURS) as vm:
        vm.start(server.pvmd.parent / "pvmgs")
        wait_until(lambda: "gmbi: 1 mbox entries" in vm.run("gmbi", "pvmgs").out, "the group server is known")
        libraries = {"LD_LIBRARY_PATH": str(system.libraries), **(variables or {})}
        ended = vm.run(program, *arguments, library=system, wrapper=wrapper, variables=libraries,
                       limit=LIMIT, merge=True)
    assert ended.status == 0, f"status {ended.status}\n{ended.out}"
    return ended.out


@servers
def test_plain(server, long_run):
    assert run(server, OURS, [], [], (8, 2000 if long_run else 100)) == "done\n"


@servers
def test_thread_sanitizer(server, long_run):
    system = flavour("thread")
    out = run(server, system, ["-fsanitize=thread"], fixed_addresses(), (4, 500 if long_run else 20),
              {"TSAN_OPTIONS": "halt_on_error=0 exitcode=66 second_deadlock_stack=1"})
    assert out == "done\n", out


@servers
def test_helgrind(server, long_run):
    system = flavour("debug")
    valgrind = ["valgrind", "--tool=helgrind", "--quiet", "--error-exitcode=66",
                f"--suppressions={SUPPRESSIONS / 'helgrind.supp'}"]
    assert run(server, system, [], valgrind, (3, 50 if long_run else 3)) == "done\n"
