"""The C libraries libpvm3 and libgpvm3, as Python calls them.

The libraries are looked for in the folder of the PVM that this package was installed with, and then as the system looks
for any library. The interpreter lock is not held during a call, so a thread that waits holds up no other one.
"""
import ctypes
import os
from ctypes import POINTER, c_char_p, c_double, c_float, c_int, c_long, c_short, c_uint, c_ulong, c_ushort, c_void_p
from pathlib import Path

from pvm.errors import error_of


class HostInfo(ctypes.Structure):
    """struct pvmhostinfo."""
    _fields_ = [("tid", c_int), ("name", c_char_p), ("architecture", c_char_p), ("speed", c_int), ("signature", c_int)]


class TaskInfo(ctypes.Structure):
    """struct pvmtaskinfo."""
    _fields_ = [("tid", c_int), ("parent", c_int), ("host", c_int), ("flags", c_int), ("name", c_char_p),
                ("pid", c_int)]


class MailboxInfo(ctypes.Structure):
    """struct pvmmboxinfo."""
    _fields_ = [("name", c_char_p), ("count", c_int), ("indices", POINTER(c_int)), ("owners", POINTER(c_int)),
                ("flags", POINTER(c_int))]


class TimeValue(ctypes.Structure):
    """struct timeval."""
    _fields_ = [("seconds", c_long), ("microseconds", c_long)]


HANDLER = ctypes.CFUNCTYPE(c_int, c_int)
_WORDS = POINTER(c_char_p)
_INTS = POINTER(c_int)

_PACKED = {"byte": ctypes.c_char, "short": c_short, "ushort": c_ushort, "int": c_int, "uint": c_uint, "long": c_long,
           "ulong": c_ulong, "float": c_float, "double": c_double, "cplx": c_float, "dcplx": c_double}

_ARGUMENTS = {
    "pvm_mytid": (), "pvm_parent": (), "pvm_exit": (), "pvm_halt": (), "pvm_threadsafe": (),
    "pvm_spawn": (c_char_p, _WORDS, c_int, c_char_p, c_int, _INTS),
    "pvm_start_pvmd": (c_int, _WORDS, c_int),
    "pvm_kill": (c_int,), "pvm_sendsig": (c_int, c_int), "pvm_pstat": (c_int,), "pvm_mstat": (c_char_p,),
    "pvm_tasks": (c_int, _INTS, POINTER(POINTER(TaskInfo))),
    "pvm_config": (_INTS, _INTS, POINTER(POINTER(HostInfo))),
    "pvm_addhosts": (_WORDS, c_int, _INTS), "pvm_delhosts": (_WORDS, c_int, _INTS),
    "pvm_notify": (c_int, c_int, c_int, _INTS),
    "pvm_mkbuf": (c_int,), "pvm_freebuf": (c_int,), "pvm_setsbuf": (c_int,), "pvm_setrbuf": (c_int,),
    "pvm_bufinfo": (c_int, _INTS, _INTS, _INTS),
    "pvm_pkmesgbody": (c_int,), "pvm_pkstr": (c_char_p,), "pvm_upkstr": (c_char_p,),
    "pvm_send": (c_int, c_int), "pvm_mcast": (_INTS, c_int, c_int),
    "pvm_psend": (c_int, c_int, c_void_p, c_int, c_int),
    "pvm_precv": (c_int, c_int, c_void_p, c_int, c_int, _INTS, _INTS, _INTS),
    "pvm_recv": (c_int, c_int), "pvm_nrecv": (c_int, c_int), "pvm_probe": (c_int, c_int),
    "pvm_trecv": (c_int, c_int, POINTER(TimeValue)),
    "pvm_getfds": (POINTER(_INTS),),
    "pvm_newcontext": (), "pvm_setcontext": (c_int,), "pvm_getcontext": (), "pvm_freecontext": (c_int,),
    "pvm_addmhf": (c_int, c_int, c_int, HANDLER), "pvm_delmhf": (c_int,),
    "pvm_putinfo": (c_char_p, c_int, c_int), "pvm_recvinfo": (c_char_p, c_int, c_int),
    "pvm_delinfo": (c_char_p, c_int, c_int),
    "pvm_getmboxinfo": (c_char_p, _INTS, POINTER(POINTER(MailboxInfo))),
    "pvm_getopt": (c_int,), "pvm_setopt": (c_int, c_int), "pvm_export": (c_char_p,),
    **{f"pvm_pk{name}": (c_void_p, c_int, c_int) for name in _PACKED},
    **{f"pvm_upk{name}": (c_void_p, c_int, c_int) for name in _PACKED},
}

_GROUP_ARGUMENTS = {
    "pvm_joingroup": (c_char_p,), "pvm_lvgroup": (c_char_p,), "pvm_gsize": (c_char_p,),
    "pvm_getinst": (c_char_p, c_int), "pvm_gettid": (c_char_p, c_int), "pvm_bcast": (c_char_p, c_int),
    "pvm_barrier": (c_char_p, c_int), "pvm_freezegroup": (c_char_p, c_int),
    "pvm_gather": (c_void_p, c_void_p, c_int, c_int, c_int, c_char_p, c_int),
    "pvm_scatter": (c_void_p, c_void_p, c_int, c_int, c_int, c_char_p, c_int),
    "pvm_reduce": (c_void_p, c_void_p, c_int, c_int, c_int, c_char_p, c_int),
}

_AUTOMATIC_ERRORS = 3       # the option PvmAutoErr


def _load(name, mode):
    """The library beside this package, which lies in PVM_ROOT/python, or that of the system."""
    beside = Path(__file__).resolve().parents[3] / name
    try:
        return ctypes.CDLL(str(beside) if beside.exists() else name, mode=mode)
    except OSError as error:
        raise ImportError(f"{error}. Install the package libpvm3, or name the folder of {name} in LD_LIBRARY_PATH"
                          ) from None


def _declare(library, arguments):
    for name, types in arguments.items():
        function = getattr(library, name)
        function.argtypes = types
        function.restype = c_int


# libgpvm3 uses what libpvm3 has, so libpvm3 is there for all.
library = _load("libpvm3.so.3", ctypes.RTLD_GLOBAL)
_declare(library, {name: types for name, types in _ARGUMENTS.items()
                   if name != "pvm_threadsafe" or hasattr(library, "pvm_threadsafe")})
group_library = _load("libgpvm3.so.3", ctypes.RTLD_LOCAL)
_declare(group_library, _GROUP_ARGUMENTS)

if hasattr(library, "pvm_threadsafe"):
    library.pvm_threadsafe()
library.pvm_setopt(_AUTOMATIC_ERRORS, 0)    # exceptions take their place


def check(result, what):
    """The result of a call, or the exception that its error code stands for; what: what was tried."""
    if result < 0:
        raise error_of(result, what)
    return result


def text_bytes(text):
    """A name or a word as C takes it."""
    encoded = os.fsencode(text)
    if b"\0" in encoded:
        raise ValueError("a zero byte cannot be passed on")
    return encoded


def words(texts):
    """An array of strings that ends with NULL."""
    encoded = [text_bytes(text) for text in texts]
    return (c_char_p * (len(encoded) + 1))(*encoded, None)


def ints(numbers):
    """An array of int."""
    listed = list(numbers)
    return (c_int * max(len(listed), 1))(*listed)
