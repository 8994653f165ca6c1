"""An executor like those of concurrent.futures, whose workers are tasks of the virtual machine.

Workers may join, leave and die while it works. What a worker had that died is done again by another one, so all results
come as long as there are workers or hosts to start them on. A function can therefore run more than once. Workers that
have nothing to do wait in a receive and use no processor.
"""
import collections
import concurrent.futures
import itertools
import os
import sys
import threading
from typing import Dict, List, Optional

from pvm import machine, receiving
from pvm._library import library
from pvm.errors import PvmError, SpawnError
from pvm.message import Message

# Tags between an executor and its workers, in a context of their own.
WORK, RESULT, READY, ENDED, JOINED, STOP, WAKE = range(1, 8)
MAIN = "__pvm_main__"   # what the program is called in workers, and so in what they pickle
_AHEAD = 2      # what a worker has at a time: one that it does, and one that waits there, so that it need not wait


class BrokenWorkers(concurrent.futures.BrokenExecutor):
    """Workers died again and again over this call, or none is left and none could be started."""


class _Worker:
    """A worker: its tid, and the calls that it has."""

    def __init__(self, tid):
        self.tid = tid
        self.ready = False          # it has said that it can begin
        self.leaving = False        # it has been told to end
        self.calls: Dict[int, "_Call"] = {}

    def has_room(self):
        """Whether it may be given one more call."""
        return self.ready and not self.leaving and len(self.calls) < _AHEAD


class _Call:
    """A call that is to be done, and the future of its result."""

    def __init__(self, number, future, words):
        self.number, self.future, self.words = number, future, words
        self.deaths = 0


class Executor(concurrent.futures.Executor):
    """`with pvm.futures.Executor(workers=8) as executor: executor.map(function, values)`.

    workers: how many; without a number, one for each host. where: the host or architecture, as in pvm.spawn.
    on_new_hosts: how many workers to start on each host that joins the virtual machine later.
    initializer(*arguments) is called first in each worker. attempts: how many workers may die over one call.
    Functions and values are pickled: workers import the modules that they come from, and the program itself under
    another name, so its own commands belong behind `if __name__ == "__main__"`.
    """

    def __init__(self, workers: Optional[int] = None, where: Optional[str] = None, on_new_hosts: int = 0,
                 initializer=None, arguments=(), attempts: int = 3):
        sys.modules.setdefault(MAIN, sys.modules["__main__"])
        self._own = machine.mytid()
        self._context = machine.newcontext()
        self._attempts = attempts
        self._initial = (initializer, tuple(arguments))
        self._lock = threading.Lock()           # guards what follows
        self._workers: Dict[int, _Worker] = {}
        self._waiting: collections.deque = collections.deque()
        self._numbers = itertools.count(1)
        self._closing = self._broken = False
        self._wanted = 0
        self._stillborn = 0         # workers that ended before they were ready, since one was
        self._on_new_hosts = on_new_hosts
        with machine.context(self._context):
            if on_new_hosts:
                machine.notify(machine.HOST_ADD, JOINED)
        try:
            self.grow(len(machine.hosts()) if workers is None else workers, where)
        except PvmError:
            machine.freecontext(self._context)
            raise
        self._manager = threading.Thread(target=self._manage, name="pvm executor", daemon=True)
        self._manager.start()

    @property
    def workers(self) -> List[int]:
        """The tids of the workers."""
        with self._lock:
            return list(self._workers)

    def grow(self, count: int, where: Optional[str] = None) -> List[int]:
        """Start more workers; gives their tids."""
        words = ["-c", _PROGRAM, f"{self._context}", *map(os.path.abspath, sys.path)]
        try:
            tids = machine.spawn(sys.executable, words, count, where) if count else []
            failure = None
        except SpawnError as error:
            tids, failure = error.tids, error
        with self._lock:
            self._wanted += len(tids)
            for tid in tids:
                self._workers[tid] = _Worker(tid)
        with machine.context(self._context):
            if tids:
                machine.notify(machine.TASK_EXIT, ENDED, tids)
        hello = Message().put_object(_main_file()).put_object(self._initial)
        for tid in tids:
            self._send(tid, READY, hello)
        if failure and not tids:
            raise failure
        return tids

    def shrink(self, count: int) -> None:
        """Let workers end when they have done what they have."""
        with self._lock:
            staying = [worker for worker in self._workers.values() if not worker.leaving]
            chosen = sorted(staying, key=lambda worker: len(worker.calls))[:count]
            self._wanted -= len(chosen)
            for worker in chosen:
                worker.leaving = True
        for worker in chosen:
            self._send(worker.tid, STOP, Message())

    def submit(self, function, /, *arguments, **named) -> concurrent.futures.Future:
        """See concurrent.futures.Executor."""
        words = Message().put_object((function, arguments, named))
        future: concurrent.futures.Future = concurrent.futures.Future()
        with self._lock:
            if self._broken:
                raise BrokenWorkers("no worker is left, and none could be started")
            if self._closing:
                raise RuntimeError("the executor has been shut down")
            self._waiting.append(_Call(next(self._numbers), future, words))
        self._hand_out()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """See concurrent.futures.Executor."""
        with self._lock:
            self._closing = True
            cancelled = list(self._waiting) if cancel_futures else []
            if cancel_futures:
                self._waiting.clear()
        for call in cancelled:
            call.future.cancel()
            call.future.set_running_or_notify_cancel()
        self._send(self._own, WAKE, Message())
        if wait and threading.current_thread() is not self._manager:
            self._manager.join()

    def _send(self, tid, tag, message):
        """Send in the context of the executor. A worker that has ended is told of by a notice."""
        with machine.context(self._context):
            try:
                message.send(tid, tag)
            except PvmError:
                with self._lock:
                    if not self._closing:
                        raise

    def _hand_out(self):
        """Give calls that wait to workers that have few."""
        while True:
            with self._lock:
                ready = [worker for worker in self._workers.values() if worker.has_room()]
                if not ready or not self._waiting:
                    return
                worker, call = min(ready, key=lambda worker: len(worker.calls)), self._waiting.popleft()
                if call.deaths == 0 and not call.future.set_running_or_notify_cancel():
                    continue
                worker.calls[call.number] = call
            self._send(worker.tid, WORK, Message().put_object(call.number).append(call.words))

    def _manage(self):
        """Takes in what workers say, until there is nothing left to do."""
        library.pvm_setcontext(self._context)
        try:
            while not self._is_done():
                self._take(receiving.recv())
        except Exception as error:
            self._fail_all(error)
        finally:
            self._end()

    def _is_done(self):
        with self._lock:
            busy = self._waiting or any(worker.calls for worker in self._workers.values())
            return self._closing and not busy

    def _take(self, message):
        if message.tag == RESULT:
            self._finish(message)
        elif message.tag == READY:
            with self._lock:
                worker = self._workers.get(message.source)
                if worker:
                    worker.ready = True
                    self._stillborn = 0
        elif message.tag == ENDED:
            self._bury(message.get_int())
        elif message.tag == JOINED:
            self._welcome(message)
        self._hand_out()

    def _finish(self, message):
        number, failed, value = message.get_object()
        with self._lock:
            worker = self._workers.get(message.source)
            call = worker.calls.pop(number, None) if worker else None
        if call and failed:
            call.future.set_exception(value)
        elif call:
            call.future.set_result(value)

    def _bury(self, tid):
        """A worker has ended: what it had is to be done again, and another one takes its place."""
        with self._lock:
            worker = self._workers.pop(tid, None)
            calls = list(worker.calls.values()) if worker else []
            for call in calls:
                call.deaths += 1
            given_up = [call for call in calls if call.deaths >= self._attempts]
            self._waiting.extendleft(call for call in reversed(calls) if call.deaths < self._attempts)
            missing = self._wanted - len(self._workers)
            self._wanted -= missing
            closing = self._closing and not self._waiting
            self._stillborn += bool(worker and not worker.ready)
            hopeless = self._stillborn >= self._attempts and not any(worker.ready for worker in self._workers.values())
        for call in given_up:
            call.future.set_exception(BrokenWorkers(f"{call.deaths} workers died over this call"))
        if hopeless:
            self._fail_all(RuntimeError("workers end as soon as they begin; the log of the pvmd has what they print"))
        elif missing > 0 and not closing:
            try:
                self.grow(missing)
            except PvmError as error:
                if not self.workers:
                    self._fail_all(error)

    def _welcome(self, message):
        """Hosts have joined: start workers there."""
        tids = message.get_int(message.size // 4)
        names = {host.tid: host.name for host in machine.hosts()}
        for tid in tids:
            if tid in names and not self._closing:
                try:
                    self.grow(self._on_new_hosts, names[tid])
                except PvmError:
                    pass        # the host has gone again

    def _fail_all(self, error):
        with self._lock:
            calls = [*self._waiting, *(call for worker in self._workers.values() for call in worker.calls.values())]
            self._waiting.clear()
            self._workers, self._broken = {}, True
        for call in calls:
            if not call.future.done():
                failure = BrokenWorkers(f"no worker is left: {error}")
                failure.__cause__ = error
                call.future.set_exception(failure)

    def _end(self):
        """Lets the workers go. They end with the word, or with this task."""
        with self._lock:
            left, self._workers, self._closing = list(self._workers), {}, True
        for tid in left:
            self._send(tid, STOP, Message())


# What a worker runs. The path is set first, so that it finds this package.
_PROGRAM = "import sys; sys.path[:] = sys.argv[2:]; from pvm import worker; worker.main(int(sys.argv[1]))"


def _main_file():
    """The file of the program, for workers that have to import its functions."""
    main = sys.modules.get("__main__")
    name = getattr(getattr(main, "__spec__", None), "name", None)
    path = getattr(main, "__file__", None)
    return name, os.path.abspath(path) if path else None
