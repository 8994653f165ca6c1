"""How many locks does a message take? Each costs time even when nobody else wants it.

The program counts the calls of pthread_mutex_lock. Those of buffers are owned by the thread that packs and unpacks, which
then takes none.
"""
import os

from support.machine import VirtualMachine
from support.places import OURS

# The inbox, as the message could be handed over at once; the inbox, which is given up for a look. The inbox.
TO_ITSELF = {"initsend": "0", "pack": "0", "send": "3", "recv": "1", "unpack": "0"}
# The sender takes the inbox and the ring, and the receiver the inbox to begin and to end: what has come is delivered
# then.
TO_ANOTHER = {"initsend": "0", "pack": "0", "send": "2", "recv": "2", "unpack": "0"}


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
