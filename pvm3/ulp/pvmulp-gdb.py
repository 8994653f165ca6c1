"""What gdb says of the user-level processes in pvmulp.

    info ulps       lists them: the task, the thread that gdb knows, where the program lies, its file
    ulp-symbols     reads the symbols of all of them, so that their stacks and variables have names
    ulp TID [COMMAND; COMMAND...]
                    does commands, bt if there are none, where a task is, given as t40003:
                    ulp t40003 frame function main; info locals

A task that is suspended has the registers of no thread. Its own thread gets them while the commands run: they may
look, and must not let the process run.

gdb reads this file by itself where it trusts the folder (set auto-load safe-path), or by `source`. A variable that
each program has is seen in the one whose symbols were read last: `ulp TID` reads those of this task again.
"""
import contextlib

import gdb

# What a suspended task has at the top of its stack (ck/base/fiber_switch.c): registers by their place, and its size.
KEPT = {
    "i386:x86-64": ({"r15": 8, "r14": 16, "r13": 24, "r12": 32, "rbx": 40, "rbp": 48, "rip": 56}, 64, "rsp"),
    "aarch64": ({f"x{19 + i}": 8 * i for i in range(11)} | {"pc": 88}, 176, "sp"),
}
THREAD_POINTER = {"i386:x86-64": "$fs_base", "aarch64": "$tpidr"}


def ulps():
    """Those that are loaded."""
    ulp = gdb.parse_and_eval("'ulp.c'::ulps")
    while ulp:
        yield ulp.dereference()
        ulp = ulp["next"]


def tid_of(ulp):
    return f"t{int(ulp['program']['tid'].dereference()):x}"


def thread_of(ulp):
    """The thread of gdb that runs it, or None."""
    handle = int(ulp["thread"]).to_bytes(8, "little")
    return gdb.selected_inferior().thread_from_handle(handle)


def read_symbols(ulp):
    path, base = ulp["source"]["path"].string(), int(ulp["image"]["base"])
    entry = base + int(ulp["source"]["file"]["header"]["e_entry"])
    try:
        gdb.execute(f"remove-symbol-file -a {entry}", to_string=True)
    except gdb.error:
        pass    # they have not been read yet
    gdb.execute(f"add-symbol-file {path} -o {base}", to_string=True)


class InfoUlps(gdb.Command):
    """User-level processes: task, thread, where the program lies, its file."""

    def __init__(self):
        super().__init__("info ulps", gdb.COMMAND_STATUS)

    def invoke(self, _argument, _from_terminal):
        for ulp in ulps():
            thread = thread_of(ulp)
            print(f"{tid_of(ulp):>8}  thread {thread.num if thread else '-':<4} {int(ulp['image']['base']):#x}  "
                  f"{ulp['source']['path'].string()}")


class UlpSymbols(gdb.Command):
    """Reads the symbols of all user-level processes."""

    def __init__(self):
        super().__init__("ulp-symbols", gdb.COMMAND_FILES)

    def invoke(self, _argument, _from_terminal):
        for ulp in ulps():
            read_symbols(ulp)


def machine():
    return gdb.selected_inferior().architecture().name()


def thread_that_runs(fiber, own):
    """The thread of gdb that runs a fiber just now."""
    pointer = int(fiber["place"]["thread_pointer"])
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        if thread != own and int(gdb.parse_and_eval(THREAD_POINTER[machine()])) == pointer:
            return thread
    return own


@contextlib.contextmanager
def registers_of(fiber):
    """The selected thread has those of a suspended fiber."""
    places, size, stack_register = KEPT[machine()]
    stack = int(fiber["place"]["stack"])
    word = gdb.lookup_type("unsigned long").pointer()
    values = {name: int(gdb.Value(stack + place).cast(word).dereference()) for name, place in places.items()}
    values[stack_register] = stack + size
    before = {name: int(gdb.parse_and_eval(f"(unsigned long)${name}")) for name in values}
    try:
        for name, value in values.items():
            gdb.execute(f"set ${name} = {value}")
        yield
    finally:
        gdb.execute("frame 0", to_string=True)
        for name, value in before.items():
            gdb.execute(f"set ${name} = {value}")


@contextlib.contextmanager
def place_of(ulp):
    """gdb is where the task is."""
    own = thread_of(ulp)
    own.switch()
    fiber = ulp["fiber"].cast(gdb.lookup_type("struct fiber").pointer())
    if not fiber or fiber["is_home"]:
        yield
    elif int(fiber["place"]["running"]):
        thread_that_runs(fiber, own).switch()
        yield
    else:
        with registers_of(fiber):
            yield


class InUlp(gdb.Command):
    """Does commands, bt if there are none, where a user-level process is: ulp TID [COMMAND; COMMAND...]"""

    def __init__(self):
        super().__init__("ulp", gdb.COMMAND_STACK)

    def invoke(self, argument, from_terminal):
        tid, _, commands = argument.strip().partition(" ")
        found = [ulp for ulp in ulps() if tid_of(ulp) == tid]
        if not found:
            raise gdb.GdbError(f"no user-level process here is task {tid}: info ulps lists them")
        read_symbols(found[0])
        with place_of(found[0]):
            for command in (commands or "bt").split(";"):
                gdb.execute(command, from_terminal)


InfoUlps()
UlpSymbols()
InUlp()
