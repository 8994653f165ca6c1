"""Do ThreadSanitizer and Helgrind find anything in the library's message path?

The programs run on the pvmd of the plain build. Any report of a tool fails the test.
"""
import pytest
from support.machine import VirtualMachine
from support.places import OURS
from support.tools import helgrind, thread_sanitizer

LIMIT = 400


def run(tool, program, arguments):
    with VirtualMachine(OURS, tool.system) as vm:
        return tool.run(vm, program, *arguments, limit=LIMIT)


# Program and arguments: (under ThreadSanitizer, under Helgrind, by --long).
PROGRAMS = [
    ("messages", (400,), (40,), (20000,)),
    ("rendezvous_threads", ("65536", 100), ("65536", 8), ("65536", 3000)),
    ("rendezvous_threads", ("auto", 100), ("auto", 8), ("auto", 3000)),
    ("threads", ("exchange", 4, 100), ("exchange", 3, 15), ("exchange", 8, 2000)),
    ("threads", ("interrupt", 4, 100), ("interrupt", 3, 15), ("interrupt", 8, 2000)),
    ("cancel", ("recv", 20), None, ("recv", 500)),
    ("cancel", ("load", 50), None, ("load", 2000)),
    ("turns", ("hop", 4, 40, 1), ("hop", 3, 5, 1), ("hop", 8, 2000, 1)),
    ("turns", ("queued", 8, 20, 1), ("queued", 4, 5, 1), ("queued", 16, 2000, 1)),
    ("turns", ("packing", 8, 20, 1), ("packing", 4, 5, 1), ("packing", 16, 2000, 1)),
    ("life", (40,), (8,), (500,)),
    ("fork", ("children", 36), None, ("children", 1000)),
    ("matchers", (150,), (15,), (5000,)),
    ("managed", (30,), (3,), (300,)),
]
NAMES = ["-".join(map(str, (name, *arguments[:1]))) for name, arguments, *_ in PROGRAMS]


@pytest.mark.parametrize("name, some, few, many", PROGRAMS, ids=NAMES)
def test_thread_sanitizer(name, some, few, many, long_run, record_property):
    """Of fork it is told how many children ThreadSanitizer did not let go on, for which others were forked."""
    out = run(thread_sanitizer(), name, many if long_run else some)
    for line in out.splitlines():
        if line.startswith("given up: "):
            record_property(name, line)


@pytest.mark.parametrize("name, some, few", [row[:3] for row in PROGRAMS if row[2]],
                         ids=[name for name, row in zip(NAMES, PROGRAMS) if row[2]])
def test_helgrind(name, some, few, long_run):
    """Without forks: Helgrind believes that the threads of a parent run on in its child. Without threads that are
    cancelled: it does not see that one which leaves pthread_cond_wait has the lock."""
    run(helgrind(), name, some if long_run else few)
