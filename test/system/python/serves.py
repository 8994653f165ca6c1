"""A service of a Python task: a copy of this program asks, by threads, by asyncio and from its main thread, while the
service's process computes."""
import asyncio
import sys
import threading

import pvm
import pvm.aio

SQUARE, ROOT, FAIL = 3, 4, 5


async def ask(server, context, number):
    with pvm.context(context):
        pvm.Message().put_int(number).send(server, SQUARE)
    return number


async def clients(server, context):
    """Several receives are awaited at once, and one of them in vain."""
    with pvm.context(context):
        vain = asyncio.ensure_future(pvm.aio.recv(server, 77))
        for number in range(20):
            pvm.Message().put_int(number).send(server, SQUARE)
        answers = [(await pvm.aio.recv(server, SQUARE)).get_int() for _ in range(20)]
        assert answers == [number * number for number in range(20)], answers
        try:
            await pvm.aio.recv(server, 78, timeout=0.01)
        except TimeoutError:
            pass
        else:
            raise AssertionError("a message came that nobody has sent")
        assert not vain.done()
        vain.cancel()
        own = pvm.mytid()
        async with pvm.aio.serving(lambda message: pvm.Message().put_int(message.get_int() + 1), 9, server):
            pvm.Message().put_int(own).send(server, ROOT)       # the server asks back under tag 9
            assert (await pvm.aio.recv(server, ROOT)).get_int() == 42


def client():
    server = pvm.parent()
    context = pvm.get("service", wait=True).get_int()
    asyncio.run(clients(server, context))
    with pvm.context(context):
        pvm.Message().put_int(1).send(server, FAIL)
        pvm.Message().put_int(12).send(server, SQUARE)
        assert pvm.recv(server, SQUARE).get_int() == 144


def serve(message):
    if message.tag == SQUARE:
        return pvm.Message().put_int(message.get_int() ** 2)
    if message.tag == FAIL:
        raise ValueError("this is not a request")
    pvm.Message().put_int(41).send(message.source, 9)
    return pvm.Message().put_int(pvm.recv(message.source, 9).get_int())


def main():
    errors = []
    threading.excepthook = errors.append
    with pvm.Service(serve) as service:
        pvm.put("service", pvm.Message().put_int(service.context))
        children = pvm.spawn_python(__file__, ["client"], count=3)
        pvm.notify(pvm.TASK_EXIT, 1, children)
        for _ in children:
            pvm.recv(tag=1)
    assert [str(error.exc_value) for error in errors] == ["this is not a request"] * 3, errors
    assert threading.active_count() == 1
    print("all is well")


client() if sys.argv[1:] == ["client"] else main()
