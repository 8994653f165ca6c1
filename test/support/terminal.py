"""What does a program show and do at a terminal?

The program has a pseudo-terminal for input and output, of 80 columns unless another size is given. `screen` is what a
user sees: the bytes are carried out by pyte, a terminal emulator.
"""
import fcntl
import os
import select
import struct
import termios
import time

import pyte
from support.places import WRAPPER
from support.task import LIMIT


class Terminal:
    """One program at a terminal of its own; `with` ends it. first_modes and last_modes are how it was set."""

    def __init__(self, vm, program, *arguments, columns=80, lines=24, variables=None):
        environment = {**vm.environment(), "TERM": "xterm", "LC_ALL": "C.UTF-8", **(variables or {})}
        self.screen = pyte.Screen(columns, lines)
        self.stream = pyte.ByteStream(self.screen)
        self.text = ""
        self.last_modes = None
        words = [str(word) for word in (*WRAPPER, program, *arguments)]
        self.file, other_end = os.openpty()
        self.first_modes = self.modes()
        self.pid = os.fork()
        if self.pid == 0:
            os.login_tty(other_end)
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
            os.chdir(vm.home)
            os.execvpe(words[0], words, environment)
        os.close(other_end)

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        if self.file is not None:
            os.kill(self.pid, 9)
            self._close()

    def _close(self):
        os.close(self.file)
        self.file = None
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def _read(self, deadline, what):
        """Take what has come; False at the end of the program's output."""
        ready = select.select([self.file], [], [], max(deadline - time.monotonic(), 0))[0]
        assert ready, f"time limit passed while waiting for {what}; the screen is\n{self}"
        try:
            data = os.read(self.file, 1 << 16)
        except OSError:         # how Linux tells that nobody has the other end
            return False
        self.text += data.decode(errors="replace").replace("\r\n", "\n")
        self.stream.feed(data)
        return bool(data)

    def __str__(self):
        return "\n".join(self.shown())

    def shown(self):
        """The lines of the screen up to the last that is not empty, without blanks at their ends."""
        lines = [line.rstrip() for line in self.screen.display]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def type(self, text):
        """Press keys."""
        os.write(self.file, text.encode())

    def resize(self, columns, lines):
        """Another size, as when the user pulls at the window."""
        self.screen.resize(lines, columns)
        fcntl.ioctl(self.file, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def modes(self):
        """How the terminal is set."""
        return termios.tcgetattr(self.file)

    def until(self, condition, what, limit=LIMIT):
        """Read until the condition holds of what is shown."""
        deadline = time.monotonic() + limit
        while not condition():
            assert self._read(deadline, what), f"the program ended before {what}; the screen is\n{self}"

    def until_shown(self, *lines, limit=LIMIT):
        """Wait until these are the last lines on the screen."""
        self.until(lambda: self.shown()[-len(lines):] == list(lines), f"{lines}", limit)

    def until_end(self, status=0, limit=LIMIT):
        """Wait for the program's end; gives all that it wrote."""
        deadline = time.monotonic() + limit
        while self._read(deadline, "the end"):
            pass
        self.last_modes = self.modes()
        ended = self._close()
        assert ended == status, f"exit status {ended}, not {status}:\n{self.text}"
        return self.text
