"""Do ThreadSanitizer and Helgrind find anything in the library's message path?

The programs use a libpvm3 of the flavour that fits the tool (conf/build thread, conf/build debug) on the
pvmd of the plain build. Any report of a tool fails the test.
"""
import platform
import subprocess
from dataclasses import replace

import pytest

from support import programs
from support.machine import VirtualMachine
from support.places import OURS, TOP

LIMIT = 400
SUPPRESSIONS = TOP / "conf" / "suppressions"


def flavour(name):
    """OURS with the libraries of another flavour of the build."""
    prefix = TOP / "build" / name / "prefix"
    system = replace(OURS, name=f"ours-{name}", libraries=prefix / "lib", include=prefix / "include")
    assert (system.libraries / "libpvm3.so.3").exists(), f"run conf/build {name}"
    return system


def fixed_addresses():
    """ThreadSanitizer cannot run where addresses are very random; setarch makes them less so."""
    command = ["setarch", platform.machine(), "-R"]
    return command if subprocess.run([*command, "true"], capture_output=True).returncode == 0 else []


def run(system, program, wrapper, arguments, variables=None):
    with VirtualMachine(OURS, system) as vm:
        ended = vm.run(program, *map(str, arguments), wrapper=wrapper, variables=variables, limit=LIMIT, merge=True)
    assert ended.status == 0, f"status {ended.status}\n{ended.out}"
    return ended.out


# Program and arguments: (under ThreadSanitizer, under Helgrind, by --long).
PROGRAMS = [
    ("messages", (400,), (40,), (20000,)),
    ("threads", ("exchange", 4, 100), ("exchange", 3, 15), ("exchange", 8, 2000)),
    ("threads", ("interrupt", 4, 100), ("interrupt", 3, 15), ("interrupt", 8, 2000)),
    ("life", (40,), (8,), (500,)),
    ("matchers", (150,), (15,), (5000,)),
]
NAMES = ["-".join(map(str, (name, *arguments[:1]))) for name, arguments, *_ in PROGRAMS]


@pytest.mark.parametrize("name, some, few, many", PROGRAMS, ids=NAMES)
def test_thread_sanitizer(name, some, few, many, long_run):
    system = flavour("thread")
    program = programs.build(name, system, "-fsanitize=thread")
    out = run(system, program, fixed_addresses(), many if long_run else some,
              {"TSAN_OPTIONS": "halt_on_error=0 exitcode=66 second_deadlock_stack=1"})
    assert "ThreadSanitizer" not in out, out


@pytest.mark.parametrize("name, some, few, many", PROGRAMS, ids=NAMES)
def test_helgrind(name, some, few, many, long_run):
    system = flavour("debug")
    program = programs.build(name, system)
    valgrind = ["valgrind", "--tool=helgrind", "--quiet", "--error-exitcode=66",
                f"--suppressions={SUPPRESSIONS / 'helgrind.supp'}"]
    out = run(system, program, valgrind, some if long_run else few)
    assert "==" not in out, out
