"""Items of all types between two Python tasks: this program starts a copy of itself, which sends back what it gets."""
import array
import sys
import threading

import pvm

KINDS = {"byte": b"\x00ab\xff", "short": [-3, 32767], "ushort": [65535], "int": [-2**31, 2**31 - 1], "uint": [2**32 - 1],
         "long": [-7], "ulong": [2**31 - 1], "float": [0.5, -2.0], "double": [1e300], "cplx": [1 + 2j],
         "dcplx": [3 - 4j, 0j]}


def echo():
    parent = pvm.parent()
    message = pvm.recv(parent, 1)
    answer = pvm.Message()
    for kind, values in KINDS.items():
        getattr(answer, f"put_{kind}")(getattr(message, f"get_{kind}")(len(values)))
    answer.put_str(message.get_str()).send(parent, 2)
    room = array.array("d", bytes(8 * 1000))
    size = pvm.precv(parent, 3, room)
    assert size.bytes == 8000 and size.source == parent, size
    pvm.psend(parent, 4, room)
    value = pvm.recv(parent, 5).get_object()
    pvm.send(parent, 6, value)


def refused(error, function, *arguments):
    try:
        function(*arguments)
    except error:
        return
    raise AssertionError(f"{function} takes {arguments}")


def main():
    child, = pvm.spawn_python(__file__, ["echo"])
    message = pvm.Message()
    for kind, values in KINDS.items():
        getattr(message, f"put_{kind}")(values)
    message.put_str("žluť").send(child, 1)
    answer = pvm.recv(child, 2)
    assert answer.source == child and answer.tag == 2
    for kind, values in KINDS.items():
        got = getattr(answer, f"get_{kind}")(len(values))
        assert got == values, (kind, got)
    assert answer.get_str() == "žluť"
    refused(pvm.NoData, answer.get_int)

    numbers = array.array("d", range(1000))
    pvm.psend(child, 3, numbers)
    back = array.array("d", bytes(8000))
    assert pvm.precv(child, 4, back).tag == 4 and back == numbers

    value = {"text": "x" * 100000, "list": [1, 2.5, None], "bytes": bytearray(300000)}
    pvm.send(child, 5, value)
    assert pvm.recv(child, 6).get_object() == value

    refused(OverflowError, pvm.Message().put_int, 2**31)
    refused(OverflowError, pvm.Message().put_ushort, -1)
    refused(TypeError, pvm.Message().put_int, array.array("d", [1]))
    refused(TypeError, pvm.Message().put_int, "text")
    refused(ValueError, pvm.Message().put_str, "a\0b")
    refused(pvm.PvmError, pvm.Message().send, -5, 1)
    refused(TimeoutError, pvm.recv, -1, 99, 0.01)
    refused(pvm.SpawnError, pvm.spawn, "/nowhere")
    refused(pvm.NotFound, pvm.get, "nobody's")
    assert pvm.nrecv() is None and pvm.probe() is None

    in_place = pvm.Message(pvm.IN_PLACE).put_array(numbers)
    numbers[0] = 17.0
    own = pvm.mytid()
    in_place.send(own, 8)
    assert pvm.recv(own, 8).get_double(2) == [17.0, 1.0]
    assert pvm.Message().put_int(1).append(pvm.Message().put_int(2, 3)).send(own, 9) is None
    assert pvm.recv(tag=9).get_int(3) == [1, 2, 3]

    pvm.put("a name", pvm.Message().put_int(5))
    assert pvm.get("a name").get_int() == 5 and pvm.names("a *") == {"a name": [own]}
    pvm.delete("a name")

    seen = []
    handler = pvm.Handler(lambda message: seen.append(message.get_int()), tag=11)
    pvm.Message().put_int(42).send(own, 11)
    assert pvm.nrecv(tag=12) is None and seen == [42]
    handler.remove()

    answers = []

    def ask(number):
        message = pvm.recv(own, 100 + number)
        answers.append(message.get_int())
    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for number in range(8):
        pvm.Message().put_int(number).send(own, 100 + number)
    for thread in threads:
        thread.join()
    assert sorted(answers) == list(range(8))

    pvm.notify(pvm.TASK_EXIT, 13, [child])
    assert pvm.recv(tag=13).get_int() == child and not pvm.lives(child)
    with pvm.Group("of one") as group:
        assert len(group) == 1 and group.instance == 0 and group.tid(0) == own
        group.barrier(1)
        group.reduce("sum", numbers, 14)
        assert numbers[0] == 17.0
    assert [host.name for host in pvm.hosts()] and own in [task.tid for task in pvm.tasks()]
    pvm.leave()
    print("all is well")


echo() if sys.argv[1:] == ["echo"] else main()
