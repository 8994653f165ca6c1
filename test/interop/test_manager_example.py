"""Does the resource manager of the packages, srm.pvm, manage our tasks and our pvmd?

srm.pvm and the task that asks it each run on either library, on either pvmd; what the task gets and what
srm.pvm says must be what it is on 3.4.6 alone. Of srm.pvm only that is asked which works there.
"""
import functools
import itertools
import signal

import pytest
from support import programs
from support.machine import VirtualMachine
from support.places import OURS, STOCK

READY = "SRM registered as Resource Manager."


@functools.lru_cache(maxsize=None)
def play(daemon, manager_library, library):
    """What the task printed, and srm.pvm, whose messages about ends of tasks come at any time."""
    programs.build("child", manager_library)
    with VirtualMachine(daemon, manager_library) as vm:
        manager = vm.start("srm.pvm", wrapper=["stdbuf", "-oL"])
        said = []
        while READY not in said:
            said.append(manager.line())
        asked = vm.run("ask_manager", library=library, merge=True).ok().out.splitlines()
        vm.settle()
        manager.signal(signal.SIGTERM)
        said += manager.ended().out.splitlines()
        return asked, sorted(set(said))


@pytest.mark.parametrize("daemon, manager_library, library", itertools.product([OURS, STOCK], repeat=3),
                         ids=lambda system: str(system))
def test_srm(daemon, manager_library, library):
    expected = play(STOCK, STOCK, STOCK)
    assert len(expected[0]) > 15, "stock itself does not answer"
    assert play(daemon, manager_library, library) == expected
