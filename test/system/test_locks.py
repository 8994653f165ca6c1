"""How many locks does a message take? Each costs time even when nobody else wants it.

The program counts the calls of pthread_mutex_lock.
"""
import os

from support.machine import VirtualMachine
from support.places import OURS

# The buffer; the buffer; the buffer and the inbox, which is given up for a look; the buffer, to empty it, the inbox, and
# the buffer, to fill it; the buffer.
TO_ITSELF = {"initsend": "1", "pack": "1", "send": "3", "recv": "3", "unpack": "1"}
# Likewise, but the sender takes the inbox and the ring, and the receiver the inbox to begin and to end: what has come is
# delivered then.
TO_ANOTHER = {"initsend": "1", "pack": "1", "send": "3", "recv": "4", "unpack": "1"}


def counts(lines):
    return dict(map(str.split, lines))


def test_locks_of_a_message_to_oneself():
    with VirtualMachine(OURS, OURS) as vm:
        assert counts(vm.run("locks").ok().out.splitlines()) == TO_ITSELF


def test_locks_of_a_message_in_shared_memory(tmp_path):
    there, back = tmp_path / "there", tmp_path / "back"
    os.mkfifo(there)
    os.mkfifo(back)
    with VirtualMachine(OURS, OURS) as vm:
        answering = vm.start("locks", "answer", there, back)
        asking = vm.run("locks", "ask", back, there, answering.line()).ok()
        answered = answering.ended().ok()
    assert counts(asking.out.splitlines()) == TO_ANOTHER
    assert counts(answered.out.splitlines()[-len(TO_ANOTHER):]) == TO_ANOTHER
