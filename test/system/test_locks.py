"""How many locks does a message take? Each costs time even when nobody else wants it.

The program counts the calls of pthread_mutex_lock.
"""
from support.machine import VirtualMachine
from support.places import OURS

# The buffer; the buffer; the buffer and the inbox; the buffer, to empty it, the inbox, and the buffer, to fill it; the
# buffer.
LOCKS = {"initsend": "1", "pack": "1", "send": "4", "recv": "3", "unpack": "1"}


def test_locks_of_a_message_to_oneself():
    with VirtualMachine(OURS, OURS) as vm:
        assert dict(map(str.split, vm.run("locks").ok().out.splitlines())) == LOCKS
