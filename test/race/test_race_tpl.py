"""Does Helgrind find anything in TPL, at any of the nodes?

Those that are spawned run under Helgrind, too: a script of the program's name starts them so. ThreadSanitizer looks at
all tests of TPL, see test/phases.
"""
import shlex
from dataclasses import replace

import pytest
from support import programs
from support.machine import VirtualMachine
from support.places import OURS
from support.tools import helgrind

LIMIT = 400
# Ground, program and its words: (few, by --long).
CASES = [("safe", "tpl_edges", ("stop",), ("stop",)),
         ("safe", "tpl_edges", ("retire",), ("retire",)),
         ("safe", "tpl_calls", ("death",), ("death",)),
         ("safe", "tpl_mix", (2, 4), (4, 8)),
         ("interrupt", "tpl_mix", (2, 3), (4, 8)),
         ("getfds", "tpl_mix", (2, 3), (4, 8))]


@pytest.mark.parametrize("ground, program, few, many", CASES, ids=lambda value: "-".join(map(str, value))
                         if isinstance(value, tuple) else value)
def test_helgrind(ground, program, few, many, long_run, tmp_path):
    tool = helgrind()
    logs, spawned = tmp_path / "logs", tmp_path / "spawned" / program
    logs.mkdir()
    spawned.parent.mkdir()
    tool = replace(tool, wrapper=(*tool.wrapper, f"--log-file={logs}/%p"))
    words = [*tool.wrapper, programs.build(program, tool.system)]
    spawned.write_text(f'#!/bin/sh\nexec {shlex.join(map(str, words))} "$@"\n')
    spawned.chmod(0o755)
    with VirtualMachine(OURS, tool.system, variables={
            **tool.variables, "TPL_GROUND": ground, "PVM_PATH": str(spawned.parent)}) as vm:
        tool.run(vm, program, *(many if long_run else few), limit=LIMIT)
        vm.settle(LIMIT)
    assert "".join(log.read_text() for log in logs.iterdir()) == ""
