"""How is NetPIPE run, as the distribution has it, over PVM and over MPI?

Two processes send each other messages of growing size. A point is (bytes, seconds): how long one takes one way.
"""
import subprocess
import tempfile
from pathlib import Path

from support.places import TOP
from support.task import LIMIT, wait_until

_PROGRAMS = TOP / "build" / "netpipe" / "usr" / "bin"
# Both ends of NPpvm find each other in the list of tasks, and want nobody else there.
_OTHERS_ARE_THERE = "too many processes"


def program(name):
    """The path of one of NetPIPE's programs, unpacked if need be."""
    done = subprocess.run([TOP / "conf" / "unpack-stock", "netpipe"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return _PROGRAMS / name


def points(text):
    """What NetPIPE writes to its file. Both ways at once, its sizes are those of two messages."""
    return [(int(size), float(seconds)) for size, _, seconds in map(str.split, text.splitlines())]


def over_pvm(vm, *options, receiver=None, limit=LIMIT):
    """Run NPpvm between two tasks of a machine without others; receiver is the System of one of them, if it is not that
    of the machine's tasks. Gives the text of its file, and what both ends printed."""
    path = program("NPpvm")
    with tempfile.TemporaryDirectory() as folder:
        there = vm.start(path, *options, "-o", f"{folder}/receiver", library=receiver)
        vm.until_enrolled(1)

        def attempt():
            ended = vm.run(path, "-h", "localhost", *options, "-o", f"{folder}/sender", limit=limit)
            return None if _OTHERS_ARE_THERE in ended.out else ended
        ended = wait_until(attempt, "NPpvm and its peer are the only tasks").ok()
        other = there.ended().ok()
        return Path(folder, "sender").read_text(), ended.out + ended.err + other.out + other.err
