"""Does every message arrive once, in order and whole, whatever three tasks do at once?

stress.c, plain and under ThreadSanitizer: sixteen threads that send, receive, handle and interrupt.
"""
import re

import pytest
from support.machine import VirtualMachine
from support.places import OURS
from support.tools import Tool, thread_sanitizer

TASKS = 3
TOOLS = {"plain": lambda: Tool(OURS, ()), "thread": thread_sanitizer}
SECONDS = {"plain": 20, "thread": 15}


@pytest.mark.lasting
@pytest.mark.parametrize("tool", TOOLS)
def test_every_message_arrives(tool, long_run):
    seconds = SECONDS[tool] * (10 if long_run else 1)
    tool = TOOLS[tool]()
    with VirtualMachine(OURS, OURS) as vm:
        tasks = [tool.start(vm, "stress", task, seconds) for task in range(TASKS)]
        lines = [tool.check(task.ended(10 * seconds + 60)) for task in tasks]
    sent, received = zip(*(map(int, re.findall(r"\d+", line)) for line in lines))
    assert sum(sent) == sum(received) > 1000
