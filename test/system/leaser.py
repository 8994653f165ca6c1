#!/usr/bin/env python3
"""A process with a first task and COUNT more, which share a connection; then it waits to be killed.

usage: leaser.py TID COUNT [fork] [leave] [own]     It tells the task TID who its tasks are: its first, which may leave
                                                    then, the others, and its child, which has copies of its connections.

The connection is that of one more task; or, with "own", that of the first.
"""
import os
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support import wire  # noqa: E402
from support.lease import Lease  # noqa: E402

watcher, count, *how = sys.argv[1:]
machine = SimpleNamespace(socket=os.environ["PVMSOCK"], folder=os.environ["PVM_TMP"])
claim = int(os.environ.get("PVMEPID", "0"))
if "own" in how:
    first = lease = Lease(machine, int(count), pid=os.getpid(), cookie=claim)
    tids = [first.tid, *lease.tids]
else:
    first = wire.Client(machine)
    first.enrol(cookie=claim, pid=os.getpid())
    lease = Lease(machine, int(count), pid=os.getpid())
    tids = [first.tid, lease.tid, *lease.tids]
lease.bear(*lease.tids)
child = os.fork() if "fork" in how else None
if child != 0:
    lease.send(int(watcher), 1, wire.integers(*tids, child or 0))
if "leave" in how:
    first.request(wire.TM_EXIT)
signal.pause()
