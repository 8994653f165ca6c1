"""Services: threads that wait for requests and answer them, beside whatever the process computes."""
import secrets
import sys
import threading
from typing import Callable, Optional

from pvm import machine, receiving
from pvm._library import library
from pvm.message import ANY, Message, Received


class Service:
    """Calls `function` with each message of a tag, in threads of its own; a Message that it returns is the answer, which
    goes back under the same tag.

    The requests come in a context of their own, `context`, unless one is given: tasks that ask send within
    `pvm.context(...)`. An error in `function` is told to threading.excepthook, and the service goes on.
    """

    def __init__(self, function: Callable[[Received], Optional[Message]], tag: int = ANY, context: Optional[int] = None,
                 threads: int = 1):
        self.context = machine.newcontext() if context is None else context
        self._owned = context is None
        self._function = function
        self._tag = tag
        self._own = machine.mytid()
        self._last_word = secrets.token_bytes(16)       # by which the threads are told to end
        self._stopping = False
        self._threads = [threading.Thread(target=self._serve, name=f"pvm service {tag}", daemon=True)
                         for _ in range(threads)]
        for thread in self._threads:
            thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.stop()

    def _serve(self):
        library.pvm_setcontext(self.context)
        while not self._is_last(message := receiving.recv(ANY, self._tag)):
            try:
                answer = self._function(message)
                if answer is not None:
                    answer.send(message.source, message.tag)
            except Exception:
                threading.excepthook(threading.ExceptHookArgs([*sys.exc_info(), threading.current_thread()]))

    def _is_last(self, message):
        size = len(self._last_word)
        return (self._stopping and message.source == self._own and message.size == size
                and message.get_byte(size) == self._last_word)

    def stop(self) -> None:
        """Let the threads finish the requests that came before, and wait for them."""
        self._stopping = True
        with machine.context(self.context):
            for _ in self._threads:
                Message().put_byte(self._last_word).send(self._own, max(self._tag, 0))
        for thread in self._threads:
            thread.join()
        if self._owned:
            machine.freecontext(self.context)
