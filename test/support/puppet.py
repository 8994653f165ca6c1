"""How does a test make a task do something and see what it got? (the commands are in system/puppet.c)"""
import signal

from support.task import LIMIT, process_state, wait_until

SYSTEM = 0x80000000
HOST_PART = 0xFFFC0000


def signed(tid):
    """A tid as an int of C."""
    value = int(tid, 16)
    return value - (value >> 31 << 32)


class Puppet:
    """A task of the machine that obeys; self.tid is its tid as hexadecimal text."""

    def __init__(self, machine, library=None, enrol=True, **options):
        self.task = machine.start("puppet", library=library, keep_input=True, **options)
        self.tid = self.do("tid") if enrol else None

    @property
    def pid(self):
        return self.task.pid

    @property
    def daemon(self):
        """Tid of the pvmd of its host, as hexadecimal text."""
        return f"{int(self.tid, 16) & HOST_PART | SYSTEM:x}"

    def tell(self, *words):
        """Give a command without waiting for its answer."""
        self.task.say(" ".join(map(str, words)) + "\n")

    def answer(self, limit=LIMIT):
        """The next answer."""
        return self.task.line(limit)

    def do(self, *words, limit=LIMIT):
        """Give a command and wait for its answer."""
        self.tell(*words)
        return self.answer(limit)

    def is_told(self, tag, tid):
        """Wait for word of the end of a task or pvmd."""
        told = self.do("recv", -1, tag)
        assert told == f"{SYSTEM:x} {tag} 4 {signed(tid)}"

    def stop(self):
        """Stop the process: it reads nothing that is sent to it."""
        self.task.signal(signal.SIGSTOP)
        wait_until(lambda: process_state(self.pid) == "T", "it is stopped")

    def go_on(self):
        """Let it run on after stop."""
        self.task.signal(signal.SIGCONT)

    def leave(self):
        """Leave the virtual machine and end."""
        assert self.do("leave") == "0"
        return self.task.ended().ok()
