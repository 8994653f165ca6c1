"""How does a test make a task do something and see what it got? (the commands are in system/puppet.c)"""
import signal

from support.task import LIMIT, process_state, wait_until


class Puppet:
    """A task of the machine that obeys; self.tid is its tid as hexadecimal text."""

    def __init__(self, machine, library=None, enrol=True, **options):
        self.task = machine.start("puppet", library=library, keep_input=True, **options)
        self.tid = self.do("tid") if enrol else None

    @property
    def pid(self):
        return self.task.pid

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
