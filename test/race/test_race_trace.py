"""Do threads that are traced at once tell everything, in order, without a race?

traced registers nothing itself: trace_collect is the tracer of the machine, on the plain build.
"""
import re

import pytest
from support.machine import VirtualMachine
from support.places import OURS
from support.tools import helgrind, thread_sanitizer

LIMIT = 400
KINDS = ("initsend", "pkint", "send", "recv", "upkint")
COUNTS = {"initsend": 2, "pkint": 3, "send": 2, "recv": 1, "upkint": 1}     # in a round of traced


def told(tool, threads, rounds):
    """What the tracer sees."""
    with VirtualMachine(OURS, OURS) as vm:
        tracer = vm.start("trace_collect", ",".join((*KINDS, "user_defined")), 300, 1)
        assert tracer.line() == "ready"
        tool.run(vm, "traced", threads, rounds, limit=LIMIT)
        return tracer.ended(LIMIT).ok().out


@pytest.mark.parametrize("tool, threads, rounds, many", (
    (thread_sanitizer, 4, 60, 3000), (helgrind, 3, 10, 200)))
def test_everything_is_told(tool, threads, rounds, many, long_run):
    rounds = many if long_run else rounds
    text = told(tool(), threads, rounds)
    for kind in KINDS:
        for edge in ("entry", "exit"):
            assert len(re.findall(rf"\d {kind} {edge} ", text)) == threads * rounds * COUNTS[kind]
    events = re.findall(r'user_defined" :6 (\d+) :6 (\d+)', text)
    for thread in range(threads):
        assert [int(count) for number, count in events if int(number) == thread] == list(range(rounds))
