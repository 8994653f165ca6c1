"""Receiving in asyncio: a receive is awaited, no thread waits for it, and nothing polls.

The event loop watches the descriptors of pvm_getfds while somebody awaits a message. One loop at a time.
"""
import asyncio
import contextlib
from typing import Optional

from pvm import receiving
from pvm._library import library
from pvm.message import ANY, Received


class _Waiting:
    """Those that await messages in one event loop, in the order in which they came."""

    def __init__(self, loop):
        self.loop = loop
        self.waiters: dict = {}     # future -> (source, tag, context)
        self.watched: set = set()

    def add(self, source, tag):
        future = self.loop.create_future()
        self.waiters[future] = source, tag, library.pvm_getcontext()
        self.look()
        return future

    def remove(self, future):
        self.waiters.pop(future, None)
        if not self.waiters:
            self.watch(set())

    def watch(self, descriptors):
        for descriptor in self.watched - descriptors:
            self.loop.remove_reader(descriptor)
        for descriptor in descriptors - self.watched:
            self.loop.add_reader(descriptor, self.look)
        self.watched = descriptors

    def look(self):
        """Give what has come to those that await it. Their descriptors are asked for first: so none is missed."""
        try:
            self.watch(set(receiving.descriptors()))
            for future, (source, tag, context) in list(self.waiters.items()):
                before = library.pvm_setcontext(context)
                try:
                    message = None if future.done() else receiving.nrecv(source, tag)
                finally:
                    library.pvm_setcontext(before)
                if message is not None:
                    self.waiters.pop(future)
                    future.set_result(message)
        except Exception as error:      # each of them has to hear of it
            for future in list(self.waiters):
                if not future.done():
                    future.set_exception(error)
            self.waiters.clear()
        if not self.waiters:
            self.watch(set())


_waiting: dict = {}


async def recv(source: int = ANY, tag: int = ANY, timeout: Optional[float] = None) -> Received:
    """Await a message. TimeoutError after `timeout` seconds. The context is that of the call."""
    loop = asyncio.get_running_loop()
    for other in [other for other in _waiting if other.is_closed()]:
        del _waiting[other]
    waiting = _waiting.setdefault(loop, _Waiting(loop))
    future = waiting.add(source, tag)
    try:
        if timeout is None:
            return await future
        try:
            return await asyncio.wait_for(future, timeout)
        except asyncio.TimeoutError:
            raise TimeoutError(f"no message has come in {timeout} s") from None
    finally:
        waiting.remove(future)


async def messages(source: int = ANY, tag: int = ANY):
    """All messages that match, one after the other: `async for message in pvm.aio.messages(tag=3)`."""
    while True:
        yield await recv(source, tag)


@contextlib.asynccontextmanager
async def serving(function, tag: int, source: int = ANY):
    """Within the block, `function` is called with each message that matches; what it returns, if it is a Message, is the
    answer under the same tag. It may be a coroutine function."""
    async def serve():
        async for message in messages(source, tag):
            answer = function(message)
            if asyncio.iscoroutine(answer):
                answer = await answer
            if answer is not None:
                answer.send(message.source, tag)
    task = asyncio.ensure_future(serve())
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
