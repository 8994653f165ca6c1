"""An executor of pvm.futures: `farm.py WHAT`; functions of this file run in its workers."""
import contextlib
import os
import signal
import sys
import threading
import time

import pvm
from pvm.futures import BrokenWorkers, Executor

STARTED = []


def cube(number):
    return number ** 3


def own_tid(_):
    return pvm.mytid()


def begin(value):
    STARTED.append(value)


def began():
    return STARTED


def fail():
    raise KeyError("as asked")


def unpicklable():
    return threading.Lock()


def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)


def slow_identity(number):
    time.sleep(0.002)
    return number


def error_of(future):
    try:
        future.result(60)
    except Exception as error:
        return error
    raise AssertionError("no error")


def calls():
    with Executor(3, initializer=begin, arguments=("here",)) as executor:
        assert len(executor.workers) == 3
        assert list(executor.map(cube, range(300))) == [number ** 3 for number in range(300)]
        assert executor.submit(began).result(60) == ["here"]
        assert isinstance(error_of(executor.submit(fail)), KeyError)
        assert isinstance(error_of(executor.submit(unpicklable)), TypeError)
        data = os.urandom(1 << 20)
        assert executor.submit(bytes, data).result(60) == data
        executor.grow(1)
        assert len(executor.workers) == 4
        before = executor.workers
    for tid in before:
        pvm.notify(pvm.TASK_EXIT, 1, [tid])
        pvm.recv(tag=1)
    assert isinstance(error_of_submit(executor), RuntimeError)


def error_of_submit(executor):
    try:
        executor.submit(cube, 1)
    except Exception as error:
        return error
    raise AssertionError("no error")


def kill_a_worker(executor):
    """Kill one that lives: others die by themselves meanwhile, and new ones begin."""
    while True:
        pids = {task.tid: task.pid for task in pvm.tasks()}
        for tid in executor.workers:
            if tid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pids[tid], signal.SIGKILL)
                    return


def deaths():
    """Workers are killed while they work: all results come. A call that kills each worker fails alone."""
    with Executor(3) as executor:
        results = executor.map(slow_identity, range(600))
        bad = executor.submit(die)
        for _ in range(3):
            kill_a_worker(executor)
        assert list(results) == list(range(600))
        assert isinstance(error_of(bad), BrokenWorkers)
        assert executor.submit(cube, 3).result(60) == 27


def stillborn():
    """Workers that end when they begin: the calls fail, and no others are started for ever."""
    executor = Executor(2, initializer=die)
    assert isinstance(error_of(executor.submit(cube, 1)), BrokenWorkers)
    assert isinstance(error_of_submit(executor), BrokenWorkers)
    executor.shutdown()


def idle():
    """Prints the processes of workers that wait, and goes on at a line from standard input."""
    with Executor(2) as executor:
        found = set()
        while len(found) < 2:
            found |= set(executor.map(own_tid, range(50)))
        pids = {task.tid: task.pid for task in pvm.tasks()}
        print(*(pids[tid] for tid in executor.workers), flush=True)
        sys.stdin.readline()


def hosts():
    """Workers on every host, and on those that come; prints each worker's host as they answer."""
    with Executor(on_new_hosts=1) as executor:
        print("ready", flush=True)
        while (line := sys.stdin.readline().split()):
            count = int(line[0])
            found = set()
            while len(found) < count:
                futures = [executor.submit(pvm.mytid) for _ in range(4 * count)]
                found |= {future.result(60) & 0x3ffc0000 for future in futures}
            print(*(f"{host:x}" for host in sorted(found)), flush=True)


if __name__ == "__main__":
    {"calls": calls, "deaths": deaths, "stillborn": stillborn, "idle": idle, "hosts": hosts}[sys.argv[1]]()
    print("all is well")
