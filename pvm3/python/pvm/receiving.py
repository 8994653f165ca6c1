"""Receiving: waiting for messages, trying, and messages that go straight into an array.

Nothing polls. In the main thread a wait can be broken by a signal, as by Ctrl-C; other threads wait inside the library.
"""
import ctypes
import select
import threading
import time
from typing import NamedTuple, Optional

from pvm._library import TimeValue, check, library
from pvm.message import ANY, TYPE_NUMBERS, Message, Received, item_size, memory_of, type_of, view_of


class Size(NamedTuple):
    """What came straight into an array: who sent it, under which tag, and how many bytes it had."""
    source: int
    tag: int
    bytes: int


def _taken(buffer) -> Received:
    """The message that has become the active receive buffer; from here on it is the object's."""
    library.pvm_setrbuf(0)
    return Received(buffer)


def nrecv(source: int = ANY, tag: int = ANY) -> Optional[Received]:
    """A message that has come, or None."""
    buffer = check(library.pvm_nrecv(source, tag), "receiving")
    return _taken(buffer) if buffer else None


def probe(source: int = ANY, tag: int = ANY) -> Optional[Received]:
    """A message that has come and stays where it is, to be looked at and not to be read; or None."""
    buffer = check(library.pvm_probe(source, tag), "looking for a message")
    return Received(buffer, owned=False) if buffer else None


def descriptors() -> list:
    """The descriptors that become readable when a message may have come, for select and the like in this thread."""
    listed = ctypes.POINTER(ctypes.c_int)()
    count = check(library.pvm_getfds(ctypes.byref(listed)), "asking for descriptors")
    return list(listed[:count])


def _watched(source, tag, deadline):
    """A receive that signals can break."""
    poll = select.poll()
    watched: set = set()
    while True:
        now = set(descriptors())
        for descriptor in watched - now:
            poll.unregister(descriptor)
        for descriptor in now - watched:
            poll.register(descriptor, select.POLLIN)
        watched = now
        message = nrecv(source, tag)
        if message is not None:
            return message
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            return None
        poll.poll(None if left is None else left * 1000)


def recv(source: int = ANY, tag: int = ANY, timeout: Optional[float] = None) -> Received:
    """Wait for a message. TimeoutError after `timeout` seconds."""
    if threading.current_thread() is threading.main_thread():
        message = _watched(source, tag, None if timeout is None else time.monotonic() + timeout)
        if message is None:
            raise TimeoutError(f"no message has come in {timeout} s")
        return message
    if timeout is None:
        return _taken(check(library.pvm_recv(source, tag), "receiving"))
    seconds, microseconds = divmod(max(0, round(timeout * 1e6)), 1000000)
    buffer = check(library.pvm_trecv(source, tag, TimeValue(seconds, microseconds)), "receiving")
    if buffer == 0:
        raise TimeoutError(f"no message has come in {timeout} s")
    return _taken(buffer)


def _described(array, writable):
    """(Address, count, number of the type, what keeps the memory alive) of an array."""
    view = view_of(array)
    kind = type_of(view)
    address, kept = memory_of(view, writable)
    return address, view.nbytes // item_size(kind), TYPE_NUMBERS[kind], kept


def psend(tid: int, tag: int, array) -> None:
    """Send an array, straight from its memory."""
    address, count, number, kept = _described(array, writable=False)
    check(library.pvm_psend(tid, tag, address, count, number), f"sending to task {tid:x}")
    del kept


def precv(source: int, tag: int, array) -> Size:
    """Wait for what psend has sent, straight into an array. What it has no room for is lost."""
    address, count, number, kept = _described(array, writable=True)
    sender, label, size = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    check(library.pvm_precv(source, tag, address, count, number, sender, label, size), "receiving")
    del kept
    return Size(sender.value, label.value, size.value)


def send(tid: int, tag: int, value) -> None:
    """Send an object that can be pickled to a task that calls get_object()."""
    Message().put_object(value).send(tid, tag)
