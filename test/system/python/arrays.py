"""numpy arrays in messages, in place: this program sends to itself."""
import numpy
import pvm

own = pvm.mytid()
matrix = numpy.arange(12.0).reshape(3, 4)
waves = numpy.array([1 + 2j, 3 - 1j], dtype=numpy.complex64)
pvm.Message().put_array(matrix).put_array(waves).put_int(numpy.array([1, 2], dtype=numpy.int32)).send(own, 1)
message = pvm.recv(own, 1)
room = numpy.zeros((3, 4))
assert message.get_array(room) is room and (room == matrix).all()
assert (message.get_cplx(out=numpy.zeros(2, dtype=numpy.complex64)) == waves).all()
assert message.get_int(2) == [1, 2]
pvm.psend(own, 2, matrix)
room[:] = 0
pvm.precv(own, 2, room)
assert (room == matrix).all()
pvm.send(own, 3, {"matrix": matrix})
back = pvm.recv(own, 3).get_object()["matrix"]
assert (back == matrix).all()
back[0, 0] = 5
for wrong in (matrix[:, ::2], matrix.astype(numpy.float16), numpy.array([None])):
    try:
        pvm.Message().put_array(wrong)
    except (TypeError, ValueError):
        continue
    raise AssertionError(f"{wrong} was packed")
frozen = numpy.zeros(3)
frozen.flags.writeable = False
pvm.Message().put_array(frozen).send(own, 4)
try:
    pvm.recv(own, 4).get_array(frozen)
except ValueError:
    print("all is well")
