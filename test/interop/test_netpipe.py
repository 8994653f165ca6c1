"""Does NetPIPE of the distribution run, unmodified, on our library and pvmd, and beside those of 3.4.6?"""
import pytest
from support import netpipe
from support.machine import VirtualMachine
from support.places import OURS, STOCK

LARGEST = 300000
# From each size on to the next, and three bytes to both sides.
SIZES = {1, 2, 3, 125, 128, 131, 4093, 4096, 4099, 262141, 262144, 262147}
PAIRINGS = {"ours": (OURS, OURS), "stock": (STOCK, STOCK), "ours-to-stock": (OURS, STOCK),
            "stock-to-ours": (STOCK, OURS)}


@pytest.fixture(params=PAIRINGS)
def libraries(request):
    return PAIRINGS[request.param]


@pytest.fixture(params=[OURS, STOCK], ids="daemon-{}".format)
def machine(request, libraries):
    with VirtualMachine(request.param, libraries[0]) as vm:
        yield vm


def test_every_message_comes_whole(machine, libraries):
    _, text = netpipe.over_pvm(machine, "-i", "-u", LARGEST, receiver=libraries[1])
    assert "Integrity check failed" not in text
    assert text.count("Integrity check passed") > 30, text


@pytest.mark.parametrize("mode, messages", [("", 1), ("-s", 1), ("-2", 2)], ids=["in-turn", "one-way", "both-ways"])
def test_every_size_is_measured(machine, libraries, mode, messages):
    text, _ = netpipe.over_pvm(machine, "-n", 3, "-u", LARGEST, *mode.split(), receiver=libraries[1])
    assert {size * messages for size in SIZES} <= {size for size, _ in netpipe.points(text)}
