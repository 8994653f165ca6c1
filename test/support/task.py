"""What does a started process print, and how does it end?

Every wait has a limit in seconds; passing it is an AssertionError that shows the output so far.
"""
import contextlib
import os
import select
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

# A shell lets what it runs in the background ignore SIGINT; what is started here must not inherit that.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

LIMIT = float(os.environ.get("PVM_TEST_LIMIT", "180"))


@dataclass
class Ended:
    """How a process ended: exit status (negative: the signal) and all that it printed."""
    command: list
    status: int
    out: str
    err: str

    def ok(self, status=0):
        """This result, after checking the exit status."""
        assert self.status == status, f"{self}"
        return self

    def __str__(self):
        return (f"{' '.join(self.command)}: exit status {self.status}\n"
                f"--- stdout\n{self.out}--- stderr\n{self.err}---")


class Task:
    """A child process with its output collected. Not for use by several threads."""

    def __init__(self, command, env, cwd=None, keep_input=False, merge=False, own_session=False):
        self.command = [str(word) for word in command]
        self.process = subprocess.Popen(
            self.command, env=env, cwd=cwd, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if merge else subprocess.PIPE,
            stdin=subprocess.PIPE if keep_input else subprocess.DEVNULL, start_new_session=own_session)
        self.pid = self.process.pid
        self._text = {self.process.stdout: b""}
        if not merge:
            self._text[self.process.stderr] = b""
        self._open = set(self._text)
        self._taken = 0
        for stream in self._text:
            os.set_blocking(stream.fileno(), False)

    def __str__(self):
        return (f"{' '.join(self.command)} (pid {self.pid})\n--- stdout so far\n{self.out}"
                f"--- stderr so far\n{self.err}---")

    @property
    def out(self):
        return self._text[self.process.stdout].decode(errors="replace")

    @property
    def err(self):
        stream = self.process.stderr
        return self._text[stream].decode(errors="replace") if stream else ""

    def _collect(self, deadline, what):
        """Wait for output, the end of output, or the deadline (an error that names `what`)."""
        left = deadline - time.monotonic()
        ready = select.select(list(self._open), [], [], max(left, 0))[0]
        assert ready, f"time limit passed while waiting for {what} of {self}"
        for stream in ready:
            data = os.read(stream.fileno(), 1 << 16)
            self._text[stream] += data
            if not data:
                self._open.discard(stream)

    def line(self, limit=LIMIT):
        """The next line of standard output, without its newline; an error at the end of output."""
        deadline = time.monotonic() + limit
        stdout = self.process.stdout
        while (end := self._text[stdout].find(b"\n", self._taken)) < 0:
            assert stdout in self._open, f"output ended before the next line of {self}"
            self._collect(deadline, "a line")
        line = self._text[stdout][self._taken:end].decode(errors="replace")
        self._taken = end + 1
        return line

    def has_line(self):
        """Whether the next line of standard output is there already."""
        stdout = self.process.stdout
        while stdout in self._open and select.select([stdout], [], [], 0)[0]:
            self._collect(time.monotonic(), "a line")
        return self._text[stdout].find(b"\n", self._taken) >= 0

    def until(self, text, limit=LIMIT):
        """The next line of standard output that contains text."""
        while text not in (line := self.line(limit)):
            pass
        return line

    def until_prompt(self, text, limit=LIMIT, count=1):
        """Wait until standard output holds text, which need not end a line, count times."""
        deadline = time.monotonic() + limit
        while self.out.count(text) < count:
            assert self.process.stdout in self._open, f"output ended before {text!r} of {self}"
            self._collect(deadline, repr(text))

    def say(self, text):
        """Write text to the process's standard input (keep_input only)."""
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def ended(self, limit=LIMIT):
        """Wait for the process to end and give its result."""
        deadline = time.monotonic() + limit
        if self.process.stdin and not self.process.stdin.closed:
            self.process.stdin.close()
        while self._open:
            self._collect(deadline, "the end")
        try:
            status = self.process.wait(max(deadline - time.monotonic(), 0.1))
        except subprocess.TimeoutExpired:
            raise AssertionError(f"time limit passed while waiting for the end of {self}") from None
        for stream in self._text:
            stream.close()
        return Ended(self.command, status, self.out, self.err)

    def signal(self, number):
        self.process.send_signal(number)

    def discard(self):
        """End the process if it still runs, and reap it. For cleaning up; checks nothing."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        for stream in (self.process.stdin, *self._text):
            if stream and not stream.closed:
                stream.close()


def process_state(pid):
    """The letter that the kernel gives for what the process does."""
    return Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[0]


def sleeps(pid):
    """Whether all threads of a process sleep."""
    states = (process_state(f"{pid}/task/{thread}") for thread in os.listdir(f"/proc/{pid}/task"))
    return all(state == "S" for state in states)


def text_of(path):
    """What is in a file that others make, by now: nothing while it is not there, nor when its process has ended."""
    try:
        return path.read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def send_signal(pid, number):
    """A signal to a process that may have ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


# For a process whose memory is measured: what AddressSanitizer keeps of freed memory is not what the process needs.
MEASURED = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1"}


def memory(pid):
    """Bytes of memory that the process has in use."""
    with open(f"/proc/{pid}/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def wait_until(condition, what, limit=LIMIT):
    """Wait for a state that nothing announces (seen in /proc, say); an error that names it at the limit."""
    deadline = time.monotonic() + limit
    while not (value := condition()):
        assert time.monotonic() < deadline, f"time limit passed while waiting until {what}"
        time.sleep(0.005)
    return value
