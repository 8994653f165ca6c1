"""Messages: making them, and reading what has come.

Items have the types of C, so a program in C or Fortran can be at the other end. Python's own objects go pickled. Only
tasks of the same user can be in a virtual machine: what they pickle is trusted.

A message belongs to the thread that uses it just then; it may be handed to another thread.
"""
import ctypes
import pickle
import struct
import weakref
from typing import Any, Iterable, Optional

from pvm import _library
from pvm._library import check, library, text_bytes

DEFAULT, RAW, IN_PLACE = 0, 1, 2        # PvmDataDefault, PvmDataRaw, PvmDataInPlace
ANY = -1

# The types of items: C type, numbers an item has, kinds of a buffer's format that fit.
_TYPES = {
    "byte": (ctypes.c_char, 1, "bBc?"), "short": (ctypes.c_short, 1, "h"), "ushort": (ctypes.c_ushort, 1, "H"),
    "int": (ctypes.c_int, 1, "il"), "uint": (ctypes.c_uint, 1, "IL"), "long": (ctypes.c_long, 1, "lq"),
    "ulong": (ctypes.c_ulong, 1, "LQ"), "float": (ctypes.c_float, 1, "f"), "double": (ctypes.c_double, 1, "d"),
    "cplx": (ctypes.c_float, 2, "Zf"), "dcplx": (ctypes.c_double, 2, "Zd"),
}
# Numbers of the types in pvm_psend, pvm_precv and the group library.
TYPE_NUMBERS = {"byte": 1, "short": 2, "int": 3, "float": 4, "cplx": 5, "double": 6, "dcplx": 7, "long": 8, "ushort": 9,
                "uint": 10, "ulong": 11}
_LENGTH = struct.Struct(">Q")


def _format(view):
    return view.format.lstrip("@=<>") or "B"


def type_of(view) -> str:
    """The type of items that fits the elements of a buffer; TypeError if there is none."""
    form = _format(view)
    for name, (_, _, kinds) in _TYPES.items():
        fits = form == kinds if form.startswith("Z") else form in kinds
        if fits and view.itemsize == item_size(name):
            return name
    raise TypeError(f"PVM has no items like the elements of this array (format {view.format!r}, {view.itemsize} bytes)")


def item_size(kind) -> int:
    """The bytes of an item of a type in memory."""
    of_c, parts, _ = _TYPES[kind]
    return ctypes.sizeof(of_c) * parts


def _require(view, kind):
    """TypeError unless the elements of a buffer are items of the type. Bytes may have any name."""
    if view.nbytes and not (kind == "byte" and view.itemsize == 1) and type_of(view) != kind:
        raise TypeError(f"the elements of this array are no items of type {kind}: format {view.format!r}")


def view_of(array) -> memoryview:
    """An array as one run of memory, without a copy; ValueError if it is none."""
    view = memoryview(array)
    if not view.c_contiguous:
        raise ValueError("the array is not one run of memory; make a copy of it, as with numpy.ascontiguousarray")
    return view


def memory_of(view, writable):
    """(Address, what keeps it alive) of a run of memory."""
    if view.nbytes == 0:
        return None, view
    if view.readonly and writable:
        raise ValueError("the array is read-only")
    flat = view.cast("B") if view.format != "B" or view.ndim != 1 else view
    room = ctypes.c_char * view.nbytes
    kept = room.from_buffer_copy(flat) if view.readonly else room.from_buffer(flat)
    return ctypes.addressof(kept), kept


def _numbers(kind, values):
    """Numbers as an array of C."""
    of_c, parts, _ = _TYPES[kind]
    if parts == 2:
        values = [part for value in values for part in (complex(value).real, complex(value).imag)]
    elif kind not in ("float", "double"):
        size = 8 * ctypes.sizeof(of_c)
        low, high = (0, (1 << size) - 1) if kind.startswith("u") else (-1 << (size - 1), (1 << (size - 1)) - 1)
        for value in values:
            if not low <= value <= high:
                raise OverflowError(f"{value} is no {kind}")
    return (of_c * len(values))(*values)


class Message:
    """A message that is being made.

    Each put call takes one value, several values, or an array (anything with the buffer interface, as numpy arrays),
    and gives the message back: `Message().put_int(3).put_double(array).send(tid, 7)`. A message may be sent as often
    as wanted. With the encoding IN_PLACE arrays are read when the message is sent, and must stay as they are until then.
    """

    def __init__(self, encoding: int = DEFAULT):
        self.buffer = check(library.pvm_mkbuf(encoding), "making a message")
        self._kept: list = [] if encoding == IN_PLACE else None
        self._free = weakref.finalize(self, library.pvm_freebuf, self.buffer)

    def _with(self, call, *arguments):
        """Calls with this message as the active send buffer of the thread."""
        before = library.pvm_setsbuf(self.buffer)
        try:
            return call(*arguments)
        finally:
            library.pvm_setsbuf(max(before, 0))

    def _put(self, kind, values):
        if len(values) == 1 and not isinstance(values[0], (int, float, complex)) and hasattr(values[0], "__len__"):
            values = values[0]
        try:
            view = memoryview(values)
        except TypeError:
            array = _numbers(kind, list(values))
            count, address = len(array) // _TYPES[kind][1], ctypes.addressof(array) if len(array) else None
        else:
            _require(view_of(view), kind)
            address, array = memory_of(view, writable=False)
            count = view.nbytes // item_size(kind)
        if self._kept is not None:
            self._kept.append((values, array))
        check(self._with(getattr(library, f"pvm_pk{kind}"), address, count, 1), f"packing {kind}")
        return self

    def put_byte(self, *values) -> "Message":
        """Bytes: an object like bytes."""
        return self._put("byte", values)

    def put_short(self, *values) -> "Message":
        """16 bits."""
        return self._put("short", values)

    def put_ushort(self, *values) -> "Message":
        """16 bits without a sign."""
        return self._put("ushort", values)

    def put_int(self, *values) -> "Message":
        """32 bits."""
        return self._put("int", values)

    def put_uint(self, *values) -> "Message":
        """32 bits without a sign."""
        return self._put("uint", values)

    def put_long(self, *values) -> "Message":
        """A long of C. The default encoding has 32 bits for one, and refuses values that need more."""
        return self._put("long", values)

    def put_ulong(self, *values) -> "Message":
        """An unsigned long of C, as put_long."""
        return self._put("ulong", values)

    def put_float(self, *values) -> "Message":
        """Single precision."""
        return self._put("float", values)

    def put_double(self, *values) -> "Message":
        """Double precision."""
        return self._put("double", values)

    def put_cplx(self, *values) -> "Message":
        """Complex, single precision."""
        return self._put("cplx", values)

    def put_dcplx(self, *values) -> "Message":
        """Complex, double precision."""
        return self._put("dcplx", values)

    def put_str(self, text: str) -> "Message":
        """A string of C, in UTF-8."""
        check(self._with(library.pvm_pkstr, text_bytes(text)), "packing a string")
        return self

    def put_array(self, array) -> "Message":
        """An array; its elements say which items it has."""
        view = view_of(array)
        return self._put(type_of(view), (array,))

    def append(self, other: "Message") -> "Message":
        """The items of another message. They are not copied."""
        check(self._with(library.pvm_pkmesgbody, other.buffer), "appending a message")
        return self

    def put_object(self, value: Any) -> "Message":
        """Any object that can be pickled. Large arrays in it are not copied by pickle."""
        views: list = []
        body = pickle.dumps(value, protocol=5, buffer_callback=lambda buffer: views.append(buffer.raw()) and None)
        lengths = b"".join(_LENGTH.pack(size) for size in (len(views), len(body), *(view.nbytes for view in views)))
        self.put_byte(lengths).put_byte(body)
        for view in views:
            self.put_byte(view)
        return self

    def send(self, tid: int, tag: int) -> None:
        """Send it to a task."""
        check(self._with(library.pvm_send, tid, tag), f"sending to task {tid:x}")

    def mcast(self, tids: Iterable[int], tag: int) -> None:
        """Send it to several tasks, once to each, and never to the caller itself."""
        listed = list(tids)
        check(self._with(library.pvm_mcast, _library.ints(listed), len(listed), tag), "sending to several tasks")

    def bcast(self, group: str, tag: int) -> None:
        """Send it to all members of a group but the caller."""
        check(self._with(_library.group_library.pvm_bcast, text_bytes(group), tag), f"sending to the group {group}")


class Received:
    """A message that has come. `source` is the tid of its sender, `tag` its tag, `size` its bytes.

    Each get call takes the next items: one as a value, several as a list, or as many as an array `out` has room for, in
    place. Items are read in the order and with the types in which they were packed.
    """

    def __init__(self, buffer: int, owned: bool = True):
        size, tag, source = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
        check(library.pvm_bufinfo(buffer, size, tag, source), "looking at a message")
        self.buffer, self.size, self.tag, self.source = buffer, size.value, tag.value, source.value
        if owned:
            self._free = weakref.finalize(self, library.pvm_freebuf, buffer)

    def __repr__(self):
        return f"<message of tag {self.tag} from {self.source:x}, {self.size} bytes>"

    def _with(self, call, *arguments):
        """Calls with this message as the active receive buffer of the thread."""
        before = library.pvm_setrbuf(self.buffer)
        try:
            return call(*arguments)
        finally:
            library.pvm_setrbuf(max(before, 0))

    def _fill(self, kind, address, count):
        check(self._with(getattr(library, f"pvm_upk{kind}"), address, count, 1), f"unpacking {kind}")

    def _get(self, kind, count, out):
        of_c, parts, _ = _TYPES[kind]
        if out is not None:
            view = view_of(out)
            _require(view, kind)
            address, kept = memory_of(view, writable=True)
            self._fill(kind, address, view.nbytes // item_size(kind))
            del kept
            return out
        number = 1 if count is None else count
        if number < 0:
            raise ValueError("the number of items is negative")
        array = (of_c * (number * parts))()
        self._fill(kind, ctypes.addressof(array) if number else None, number)
        if kind == "byte":
            return array.raw
        values = list(array) if parts == 1 else [complex(*pair) for pair in zip(array[::2], array[1::2])]
        return values[0] if count is None else values

    def get_byte(self, count: Optional[int] = None, out=None):
        """Bytes, as bytes."""
        return self._get("byte", count, out)

    def get_short(self, count: Optional[int] = None, out=None):
        """16 bits."""
        return self._get("short", count, out)

    def get_ushort(self, count: Optional[int] = None, out=None):
        """16 bits without a sign."""
        return self._get("ushort", count, out)

    def get_int(self, count: Optional[int] = None, out=None):
        """32 bits."""
        return self._get("int", count, out)

    def get_uint(self, count: Optional[int] = None, out=None):
        """32 bits without a sign."""
        return self._get("uint", count, out)

    def get_long(self, count: Optional[int] = None, out=None):
        """A long of C."""
        return self._get("long", count, out)

    def get_ulong(self, count: Optional[int] = None, out=None):
        """An unsigned long of C."""
        return self._get("ulong", count, out)

    def get_float(self, count: Optional[int] = None, out=None):
        """Single precision."""
        return self._get("float", count, out)

    def get_double(self, count: Optional[int] = None, out=None):
        """Double precision."""
        return self._get("double", count, out)

    def get_cplx(self, count: Optional[int] = None, out=None):
        """Complex, single precision."""
        return self._get("cplx", count, out)

    def get_dcplx(self, count: Optional[int] = None, out=None):
        """Complex, double precision."""
        return self._get("dcplx", count, out)

    def get_str(self) -> str:
        """A string of C."""
        room = ctypes.create_string_buffer(self.size + 1)      # no string is longer than its message
        check(self._with(library.pvm_upkstr, room), "unpacking a string")
        return room.value.decode(errors="surrogateescape")

    def get_array(self, out):
        """Fill an array; its elements say which items it takes."""
        return self._get(type_of(view_of(out)), None, out)

    def get_object(self) -> Any:
        """An object that put_object has packed. Arrays in it lie in memory of their own and can be written to."""
        count, size = (_LENGTH.unpack(self.get_byte(_LENGTH.size))[0] for _ in range(2))
        if (count + 1) * _LENGTH.size + size > self.size:
            raise ValueError(f"{self!r} has no object here")
        sizes = [_LENGTH.unpack(self.get_byte(_LENGTH.size))[0] for _ in range(count)]
        if sum(sizes) + size > self.size:
            raise ValueError(f"{self!r} has no object here")
        body = self._bytes(size)
        return pickle.loads(body, buffers=[self._bytes(length) for length in sizes])

    def _bytes(self, size):
        room = bytearray(size)
        return self.get_byte(out=room) if size else room
