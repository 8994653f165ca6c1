"""PVM, the Parallel Virtual Machine, for Python.

    import pvm

    tids = pvm.spawn_python("square.py", count=4)
    for tid in tids:
        pvm.Message().put_int(7).send(tid, 1)
    for _ in tids:
        print(pvm.recv(tag=2).get_int())

The other end may be a program in C or Fortran. Any thread may call anything. A thread that waits uses no processor, and
others run meanwhile; in asyncio a receive is awaited (pvm.aio). pvm.futures has an executor, pvm.Service answers
requests beside a computation, pvm.Group is a group. Errors are exceptions (pvm.PvmError). pvm_python(7) tells more.
"""
from pvm.errors import GroupError, NoData, NoFile, NoHost, NoMachine, NoTask, NotFound, PvmError, SpawnError
from pvm.groups import Group
from pvm.machine import (HOST_ADD, HOST_COMPLEMENT, HOST_DELETE, MULTIPLE, NO_PARENT, OVERWRITABLE, PERSISTENT,
                         TASK_ARCHITECTURE, TASK_DEBUG, TASK_EXIT, TASK_HOST, TASK_THREAD, TASK_TRACE, TASK_ULP, Handler,
                         Host, TaskEntry, addhosts, context, delete, delhosts, export, freecontext, get, getopt, halt,
                         hosts, kill, leave, lives, mytid, names, newcontext, notify, parent, put, sendsig, setopt, spawn,
                         spawn_python, start, tasks)
from pvm.message import ANY, DEFAULT, IN_PLACE, RAW, Message, Received
from pvm.receiving import Size, descriptors, nrecv, precv, probe, psend, recv, send
from pvm.service import Service

__version__ = "3.4.6.1"
__all__ = [name for name in dir() if not name.startswith("_")]
