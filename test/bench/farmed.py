"""What farm.py runs: `farmed.py KIND CALLS KILL`, KIND pvm or processes; functions of this file run in workers.

Prints seconds from the first call to the last result, how many results came, and seconds of processor time that the
workers used in the second after it."""
import concurrent.futures
import os
import signal
import sys
import time

WORKERS = 4


def short(number):
    """About half a millisecond."""
    return sum(value * number for value in range(8000))


def pool(kind):
    """An executor, and the process ids of its workers."""
    if kind == "processes":
        executor = concurrent.futures.ProcessPoolExecutor(WORKERS)
        list(executor.map(short, range(WORKERS)))
        return executor, lambda: list(executor._processes or ())
    import pvm
    from pvm.futures import Executor
    executor = Executor(WORKERS)
    list(executor.map(short, range(WORKERS)))
    return executor, lambda: [task.pid for task in pvm.tasks() if task.tid in executor.workers]


def processor_time(pids):
    total = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
                total += int(file.read().split()[0])
        except OSError:
            continue
    return total / 1e9


def main():
    kind, calls, kill = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    executor, pids = pool(kind)
    begin = time.monotonic()
    futures = []
    came = 0
    try:
        futures = [executor.submit(short, number) for number in range(calls)]
        if kill:
            concurrent.futures.wait(futures[:calls // 4])
            os.kill(pids()[0], signal.SIGKILL)
        for number, future in enumerate(futures):
            came += future.result() == short(number) if number < 10 else future.result() is not None
    except concurrent.futures.BrokenExecutor:
        came = sum(future.done() and not future.exception() for future in futures)
    seconds = time.monotonic() - begin
    waiting = pids()
    before = processor_time(waiting)
    time.sleep(1)
    print(seconds, came, processor_time(waiting) - before, flush=True)
    executor.shutdown()


if __name__ == "__main__":
    main()
