"""How is a console told what to do, and what does it answer?"""
import itertools

from support.places import STOCK
from support.task import LIMIT, wait_until

PROMPT = "pvm> "


class Console:
    """A console of a System on a running machine. Lines are given without prompts and echoed commands."""

    def __init__(self, vm, system, **options):
        library = STOCK if system is STOCK else vm.library
        self.task = vm.start(system.pvmd.parent / "pvm", library=library, keep_input=True, **options)
        self.numbers = itertools.count(1)
        self.greeting = self.task.line()

    def line(self, limit=LIMIT):
        """The next line of output."""
        line = self.task.line(limit)
        while line.startswith(PROMPT):
            line = line[len(PROMPT):]
        return line

    def do(self, command, limit=LIMIT):
        """What is printed from a command to the next one, lines that come unasked included."""
        mark = f"={next(self.numbers)}="
        lines = []
        # stock drops what it has read together with a line that it does not understand: one by one
        for said, sign in ((command, command), (f"echo {mark}", mark)):
            self.task.say(f"{said}\n")
            while not lines or lines[-1] != sign:
                lines.append(self.line(limit))
        for echoed in (command, f"echo {mark}", mark):
            lines.remove(echoed)
        return lines

    def run_job(self, command, limit=LIMIT):
        """What is printed from a spawn to the end of its job."""
        lines = self.do(command, limit)

        def finished():
            # stock writes what came unasked when it is given the next command, and not before
            lines.extend(line for line in self.do("echo +") if line != "+")
            return any(line.endswith("] finished") for line in lines)
        wait_until(finished, f"the job finishes: {command}", limit)
        return lines

    def quit(self):
        """Leave; gives the result."""
        self.task.say("quit\n")
        return self.task.ended()
