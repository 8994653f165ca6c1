"""Does ThreadSanitizer find anything when threads of one process are tasks of their own?"""
from dataclasses import replace

import pytest
from support import tasks
from support.machine import VirtualMachine
from support.places import OURS
from support.tools import thread_sanitizer

# Arguments of the program, and by --long.
WAYS = [
    (("talk", 8, 20), ("talk", 8, 1000)),
    (("fork", 6, 3), ("fork", 6, 60)),
    (("first",), ("first",)),
    (("lives", 400, 8, "enrolled"), ("lives", 10000, 8, "enrolled")),
]


@pytest.mark.parametrize("some, many", WAYS, ids=[way[0][0] for way in WAYS])
def test_tasks_in_threads(some, many, long_run):
    tool = thread_sanitizer()
    library = tasks.library(tool.system)
    with VirtualMachine(OURS, library) as vm:
        out = replace(tool, system=library).run(vm, "beside", *(many if long_run else some), limit=400)
    assert out == "ok\n"
