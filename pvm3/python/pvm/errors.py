"""What can go wrong: an exception for each error code of PVM that a program may want to tell from others."""


class PvmError(Exception):
    """A call of PVM has failed. `code` is its error code, below 0, and `what` says what was tried."""
    code = 0

    def __init__(self, code, what):
        self.code = code
        self.what = what
        super().__init__(f"{what}: {_TEXTS.get(code, 'unknown error')} (PVM error {code})")

    def __reduce__(self):
        return type(self), (self.code, self.what)


class NoMachine(PvmError):
    """No pvmd runs on this host, or it has ended (PvmSysErr)."""


class NoTask(PvmError):
    """There is no such task (PvmNoTask), or no parent (PvmNoParent)."""


class NoHost(PvmError):
    """There is no such host (PvmNoHost), or it has failed (PvmHostFail)."""


class NotFound(PvmError):
    """There is no such mailbox entry, or whatever else was named (PvmNotFound)."""


class NoFile(PvmError):
    """There is no such program (PvmNoFile)."""


class NoData(PvmError):
    """The message has no more items (PvmNoData)."""


class GroupError(PvmError):
    """There is no such group, or the task is no member, or is one already."""


class SpawnError(PvmError):
    """Fewer tasks were started than asked for. `tids`: those that were, `codes`: one for each other one."""

    def __init__(self, code, what, tids=(), codes=()):
        super().__init__(code, what)
        self.tids = list(tids)
        self.codes = list(codes)

    def __reduce__(self):
        return type(self), (self.code, self.what, self.tids, self.codes)


_TEXTS = {
    -2: "an argument makes no sense", -3: "arguments of tasks do not agree", -4: "a value is too large",
    -5: "the message has no more data", -6: "there is no such host", -7: "there is no such program", -8: "denied",
    -10: "no memory is left", -12: "the message cannot be decoded", -14: "no pvmd runs here; start one with pvm or pvmd",
    -15: "there is no current buffer", -16: "there is no such message buffer", -17: "no group was named",
    -18: "the task is in the group already", -19: "there is no such group", -20: "the task is not in the group",
    -21: "there is no such member", -22: "the host has failed", -23: "the task has no parent",
    -24: "it cannot be done here", -25: "the pvmd has had an error", -26: "the versions do not agree",
    -27: "resources are used up", -28: "the host is there already", -29: "a pvmd could not be started",
    -30: "it is so already", -31: "there is no such task", -32: "there is no such entry",
    -33: "such an entry exists already", -34: "the host is not the master", -35: "the parent was hidden",
    -36: "the address of a host is a loopback address",
}
_CLASSES = {-14: NoMachine, -31: NoTask, -23: NoTask, -35: NoTask, -6: NoHost, -22: NoHost, -32: NotFound, -7: NoFile,
            -5: NoData, -17: GroupError, -18: GroupError, -19: GroupError, -20: GroupError, -21: GroupError}


def error_of(code, what):
    """The exception for an error code."""
    return _CLASSES.get(code, PvmError)(code, what)


def text_of(code):
    """What an error code means, in a few words."""
    return _TEXTS.get(code, "unknown error")
