"""Do ThreadSanitizer and Helgrind find anything in the group library?

All threads of a task use groups at once, on a group server of ours, whose answers are labelled, and on
stock's, where questions of one kind take turns. Any report of a tool fails the test.
"""
import pytest
from support.groups import serve
from support.machine import VirtualMachine
from support.places import OURS, STOCK
from support.tools import Tool, helgrind, thread_sanitizer

LIMIT = 400
servers = pytest.mark.parametrize("server", [OURS, STOCK], ids=str)


def run(server, tool, arguments):
    """What group_threads prints on a running server; the libraries are those of the tool."""
    with VirtualMachine(OURS, OURS) as vm:
        serve(vm, server)
        libraries = {"LD_LIBRARY_PATH": str(tool.system.libraries)}
        return tool.run(vm, "group_threads", *arguments, limit=LIMIT, variables=libraries)


@servers
def test_plain(server, long_run):
    assert run(server, Tool(OURS, ()), (8, 2000 if long_run else 100)) == "done\n"


@servers
def test_thread_sanitizer(server, long_run):
    assert run(server, thread_sanitizer(), (4, 500 if long_run else 20)) == "done\n"


@servers
def test_helgrind(server, long_run):
    assert run(server, helgrind(), (3, 50 if long_run else 3)) == "done\n"
