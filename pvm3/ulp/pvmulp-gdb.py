"""What gdb says of the user-level processes in pvmulp.

    info ulps       lists them: the task, the thread that gdb knows, where the program lies, its file
    ulp-symbols     reads the symbols of all of them, so that their stacks and variables have names
    ulp TID         goes to the thread of a task, given as t40003

gdb reads this file by itself where it trusts the folder (set auto-load safe-path), or by `source`. A variable that
each program has is seen in the one whose symbols were read last: `ulp TID` reads those of this task again.
"""
import gdb


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


class GoToUlp(gdb.Command):
    """Goes to the thread of a user-level process: ulp TID."""

    def __init__(self):
        super().__init__("ulp", gdb.COMMAND_RUNNING)

    def invoke(self, argument, _from_terminal):
        found = [ulp for ulp in ulps() if tid_of(ulp) == argument.strip()]
        if not found:
            raise gdb.GdbError(f"no user-level process here is task {argument}: info ulps lists them")
        read_symbols(found[0])
        gdb.execute(f"thread {thread_of(found[0]).num}")


InfoUlps()
UlpSymbols()
GoToUlp()
