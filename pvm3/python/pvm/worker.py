"""What a worker of pvm.futures does: it waits for calls, makes them, and tells the results."""
import runpy
import sys
import types

from pvm import machine, receiving
from pvm._library import library
from pvm.futures import ENDED, MAIN, READY, RESULT, STOP, WORK
from pvm.message import Message


def _load_main(name, path):
    """Runs the program of the executor under another name, so that its functions are found."""
    if path is None and name is None:
        return
    if name and not name.endswith("__main__"):
        names = runpy.run_module(name, run_name=MAIN, alter_sys=True)
    else:
        names = runpy.run_path(path, run_name=MAIN)
    module = types.ModuleType(MAIN)
    module.__dict__.update(names)
    sys.modules["__main__"] = sys.modules[MAIN] = module


def _tell(parent, number, failed, value):
    """Send a result; what cannot be pickled becomes an exception."""
    try:
        message = Message().put_object((number, failed, value))
    except Exception as error:
        message = Message().put_object((number, True, TypeError(f"the result cannot be sent: {error}")))
    message.send(parent, RESULT)


def _work(parent, message):
    number = message.get_object()
    try:
        function, arguments, named = message.get_object()
        result, failed = function(*arguments, **named), False
    except Exception as error:
        result, failed = error, True
    _tell(parent, number, failed, result)


def main(context: int) -> None:
    """Serve the executor that has started this task, until it says so or ends."""
    parent = machine.parent()
    library.pvm_setcontext(context)
    machine.notify(machine.TASK_EXIT, ENDED, [parent])
    failure = None
    while (message := receiving.recv()).tag not in (STOP, ENDED):
        if message.tag == READY:
            failure = _begin(message)
            Message().send(parent, READY)
        elif failure:
            _tell(parent, message.get_object(), True, failure)
        elif message.tag == WORK:
            _work(parent, message)
    machine.leave()


def _begin(message):
    """Makes the functions of the program known, and calls the initializer. Gives what went wrong."""
    try:
        _load_main(*message.get_object())
        initializer, arguments = message.get_object()
        if initializer:
            initializer(*arguments)
    except Exception as error:
        return error
    return None
