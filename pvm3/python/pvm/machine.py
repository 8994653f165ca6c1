"""The virtual machine: its hosts and tasks, their beginning and end, and what is told of it."""
import contextlib
import ctypes
import sys
from ctypes import POINTER, byref, c_int
from typing import Iterable, List, NamedTuple, Optional, Sequence

from pvm import _library
from pvm._library import HostInfo, MailboxInfo, TaskInfo, check, library, text_bytes
from pvm.errors import SpawnError, text_of
from pvm.message import Message, Received

# Flags of spawn.
TASK_HOST, TASK_ARCHITECTURE, TASK_DEBUG, TASK_TRACE, HOST_COMPLEMENT, NO_PARENT = 1, 2, 4, 8, 32, 64
TASK_THREAD, TASK_ULP = 1024, 2048
# Kinds of notify.
TASK_EXIT, HOST_DELETE, HOST_ADD = 1, 2, 3
# Flags of mailbox entries.
PERSISTENT, MULTIPLE, OVERWRITABLE = 1, 2, 4
_WAIT_FOR_INFO = 32


class Host(NamedTuple):
    """A host of the virtual machine; `tid` is the part of its tasks' tids that says where they are."""
    tid: int
    name: str
    architecture: str
    speed: int


class TaskEntry(NamedTuple):
    """A task, as the pvmds know it."""
    tid: int
    parent: int
    host: int
    name: str
    pid: int


def mytid() -> int:
    """The own tid. Makes the process a task if it is none."""
    return check(library.pvm_mytid(), "becoming a task")


def parent() -> Optional[int]:
    """The tid of the task that started this one; None if none did."""
    result = library.pvm_parent()
    return None if result in (-23, -35) else check(result, "asking for the parent")


def leave() -> None:
    """Leave the virtual machine (pvm_exit). The process goes on."""
    check(library.pvm_exit(), "leaving")


def start(*arguments: str, wait: bool = True) -> None:
    """Start a virtual machine from this host, with arguments of pvmd, such as a host file."""
    check(library.pvm_start_pvmd(len(arguments), _library.words(arguments), wait), "starting a pvmd")


def halt() -> None:
    """End the virtual machine with all its tasks, the caller among them."""
    check(library.pvm_halt(), "ending the machine")


def spawn(program: str, arguments: Sequence[str] = (), count: int = 1, where: Optional[str] = None,
          flags: int = 0) -> List[int]:
    """Start `count` copies of a program; gives their tids.

    where: the name of a host, or of an architecture with TASK_ARCHITECTURE. SpawnError if fewer were started; it has
    the tids of those that were.
    """
    if where is not None and not flags & (TASK_HOST | TASK_ARCHITECTURE):
        flags |= TASK_HOST
    tids = (c_int * max(count, 1))()
    started = library.pvm_spawn(text_bytes(program), _library.words(arguments), flags,
                                None if where is None else text_bytes(where), count, tids)
    check(started, f"starting {program}")
    if started < count:
        codes = list(tids[started:count])
        raise SpawnError(codes[0], f"starting {program}: {started} of {count} began", tids[:started], codes)
    return list(tids[:count])


def spawn_python(module_or_script: str, arguments: Sequence[str] = (), **how) -> List[int]:
    """Start copies of a Python script (a path that ends with .py), or of a module, with this interpreter."""
    words = [module_or_script] if module_or_script.endswith(".py") else ["-m", module_or_script]
    return spawn(sys.executable, [*words, *arguments], **how)


def kill(tid: int) -> None:
    """End a task (SIGTERM)."""
    check(library.pvm_kill(tid), f"ending task {tid:x}")


def sendsig(tid: int, signal: int) -> None:
    """Send a signal to a task."""
    check(library.pvm_sendsig(tid, signal), f"signalling task {tid:x}")


def lives(tid: int) -> bool:
    """Whether there is such a task."""
    result = library.pvm_pstat(tid)
    return False if result == -31 else check(result, f"asking for task {tid:x}") == 0


def tasks(where: int = 0) -> List[TaskEntry]:
    """All tasks, or those of a host (its tid)."""
    count, listed = c_int(), POINTER(TaskInfo)()
    check(library.pvm_tasks(where, count, byref(listed)), "listing tasks")
    return [TaskEntry(task.tid, task.parent, task.host, (task.name or b"").decode(errors="replace"), task.pid)
            for task in listed[:count.value]]


def hosts() -> List[Host]:
    """All hosts, the master first."""
    count, kinds, listed = c_int(), c_int(), POINTER(HostInfo)()
    check(library.pvm_config(count, kinds, byref(listed)), "listing hosts")
    return [Host(host.tid, host.name.decode(errors="replace"), host.architecture.decode(errors="replace"), host.speed)
            for host in listed[:count.value]]


def _of_hosts(call, names, what):
    names = list(names)
    results = (c_int * max(len(names), 1))()
    check(call(_library.words(names), len(names), results), what)
    return dict(zip(names, results))


def addhosts(*names: str) -> dict:
    """Add hosts (lines of a host file). Gives each one's tid; SpawnError if one could not be added."""
    results = _of_hosts(library.pvm_addhosts, names, "adding hosts")
    failed = {name: code for name, code in results.items() if code < 0}
    if failed:
        said = ", ".join(f"{name} ({text_of(code)})" for name, code in failed.items())
        raise SpawnError(next(iter(failed.values())), f"adding {said}",
                         [tid for tid in results.values() if tid >= 0], list(failed.values()))
    return results


def delhosts(*names: str) -> dict:
    """Delete hosts, and end what runs there. Gives 0 or an error code for each."""
    return _of_hosts(library.pvm_delhosts, names, "deleting hosts")


def notify(kind: int, tag: int, tids: Iterable[int] = (), count: int = -1) -> None:
    """Ask for a message with this tag when one of the tasks or hosts ends (TASK_EXIT, HOST_DELETE), or when hosts come
    (HOST_ADD, of `count` hosts, -1: without end). The message has one tid (get_int)."""
    listed = list(tids)
    if kind == HOST_ADD:
        check(library.pvm_notify(kind, tag, count, None), "asking for notice")
    else:
        check(library.pvm_notify(kind, tag, len(listed), _library.ints(listed)), "asking for notice")


@contextlib.contextmanager
def context(number: int):
    """In this thread messages are sent and received in this context within the block."""
    before = library.pvm_setcontext(number)
    try:
        yield number
    finally:
        library.pvm_setcontext(before)


def newcontext() -> int:
    """A context that no other task has, until the task leaves."""
    return check(library.pvm_newcontext(), "asking for a context")


def freecontext(number: int) -> None:
    """Give a context back."""
    check(library.pvm_freecontext(number), "giving a context back")


class Handler:
    """A function that is called with each message that matches, in any thread that is in a call of PVM, one at a time.

    It goes on until remove() is called. The message may be read only during the call.
    """

    def __init__(self, function, tag: int = -1, source: int = -1, context: int = 0):
        def call(buffer):
            function(Received(buffer, owned=False))
            return 0
        self._call = _library.HANDLER(call)
        self.number = check(library.pvm_addmhf(source, tag, context, self._call), "adding a handler")
        _handlers[self.number] = self

    def remove(self) -> None:
        """Call the function no more."""
        check(library.pvm_delmhf(self.number), "removing a handler")
        _handlers.pop(self.number, None)


_handlers: dict = {}        # what C may call must not be collected


def put(name: str, message: Message, flags: int = 0) -> int:
    """Put a message under a name where all tasks find it; gives its index. It goes with this task unless PERSISTENT."""
    return check(library.pvm_putinfo(text_bytes(name), message.buffer, flags), f"putting {name}")


def get(name: str, index: int = 0, wait: bool = False) -> Received:
    """What was put under a name. With `wait` it is waited for; otherwise NotFound if there is none."""
    buffer = check(library.pvm_recvinfo(text_bytes(name), index, _WAIT_FOR_INFO if wait else 0), f"getting {name}")
    library.pvm_setrbuf(0)
    return Received(buffer)


def delete(name: str, index: int = 0) -> None:
    """Delete what was put under a name."""
    check(library.pvm_delinfo(text_bytes(name), index, 0), f"deleting {name}")


def names(pattern: Optional[str] = None) -> dict:
    """The names under which something was put, each with the tids of the owners."""
    count, listed = c_int(), POINTER(MailboxInfo)()
    check(library.pvm_getmboxinfo(None if pattern is None else text_bytes(pattern), count, byref(listed)),
          "listing names")
    return {entry.name.decode(errors="replace"): list(entry.owners[:entry.count]) for entry in listed[:count.value]}


def setopt(what: int, value: int) -> int:
    """Set an option of pvm_setopt; gives the former value."""
    return library.pvm_setopt(what, value)


def getopt(what: int) -> int:
    """The value of an option."""
    return library.pvm_getopt(what)


def export(name: str) -> None:
    """Tasks that are started from now on have this variable of the environment, too."""
    check(library.pvm_export(text_bytes(name)), f"exporting {name}")
