"""What becomes of those who ask a resource manager that is gone?

test/api compares hosters, taskers and resource managers that work with those of 3.4.6; there, nobody
is let go who waits for one that does not.
"""
import pytest
from support import programs, wire
from support.machine import VirtualMachine
from support.places import OURS, STOCK

GONE = "libpvm [t{}]: the resource manager t{} is gone: asking the pvmd from now on"
FAILED = "libpvm [t{}]: pvm_tasks(): Pvmd system error"
LATER = "  tasks: 0, then 0, hosts: 0 and 1, left: 0"
WAITED = "  tasks: -25, then 0, hosts: 0 and 1, left: 0"
LATER_LINES = ["registers: 1, left: 0", LATER, "registers: 1, hands over to 0: 0, left: 0", LATER,
               "registers: 1, hands over to 7ffff: 0, left: 0", LATER]


def waiting(way, asking, manager):
    return [f"{way}: 1", GONE.format(asking, manager), FAILED.format(asking), WAITED]


@pytest.mark.parametrize("daemon", [OURS, STOCK], ids=str)
def test_a_resource_manager_that_is_gone(daemon):
    """Whoever comes later asks the pvmd; whoever waits is told, and asks the pvmd next time."""
    # A pvmd of 3.4.6 tells of the end of a process alone, not that its task has left.
    ways = ["ends", "is killed"] + ["leaves"] * (daemon is OURS)
    with VirtualMachine(daemon, OURS) as vm:
        lines = vm.run("orphans", *[f"--{way}" for way in ways], merge=True).ok().out.splitlines()
    expected = list(LATER_LINES)
    for number, way in enumerate(ways):
        expected += waiting(way, f"{0x40009 + 4 * number:x}", f"{0x40008 + 4 * number:x}")
    assert lines == expected


PLUG_INS = {"PVM_TASKER": "plug_in tasker", "PVM_HOSTER": "plug_in hoster and 2  more",
            "PVM_RM": "plug_in manager"}
CONNECTED_CHILD, TASKER, HOSTER, MANAGER, HIDDEN_PARENT = 0x6, 0x400, 0x200, 0x100, -35


@pytest.mark.parametrize("daemon", [OURS, STOCK], ids=str)
def test_plug_ins(daemon):
    """A pvmd starts the services that its environment names before anyone else comes."""
    programs.build("plug_in", OURS)
    with VirtualMachine(daemon, OURS, variables=PLUG_INS) as vm:
        assert vm.run("plug_in").ok().out == "40001 40002 40003\n"
        tasks = {tid: (parent, flags, name) for tid, parent, _, flags, name, _ in vm.tasks()}
    assert [tasks[tid] for tid in (0x40001, 0x40002, 0x40003)] == \
        [(HIDDEN_PARENT, CONNECTED_CHILD | role, "plug_in") for role in (TASKER, HOSTER, MANAGER)]


def test_thread_tasks_ask_the_resource_manager_of_their_spawner():
    programs.build("thread_tasks", OURS)
    with VirtualMachine(OURS, OURS) as vm, wire.Client(vm) as manager:
        manager.enrol()
        manager.request(wire.TM_SCHED)
        task = vm.start("thread_tasks", "ask", 3)
        asking = set()
        while len(asking) < 3:
            message = manager.message()
            if message.tag == SM_CONFIG:
                asking.add(message.source)
                manager.send(message.source, SM_CONFIG, wire.integers(0, 1), wait=message.wait)
        assert task.ended().ok().out == "ok\n"


@pytest.mark.parametrize("command", ["", " \t "])
def test_a_plug_in_without_a_word_is_none(command):
    with VirtualMachine(OURS, OURS, variables={"PVM_RM": command}) as vm:
        assert vm.tasks() == []
    assert "plug-in" not in vm.log()


SM_CONFIG, SM_STHOST, SM_STHOSTACK = 0x80040005, 0x8004000F, 0x80040010
STARTED = "ddpro<2316> arch<LINUX64> ip<7f000003:0101> mtu<4080> dsig<4230209>"
CANNOT_START, HOST_FAILED, NO_HOST = -29, -22, -6


def asked(hoster):
    """The wait id of what the pvmd asks the hoster, and the tids of the hosts."""
    order = hoster.message()
    assert order.tag == SM_STHOST and order.wait > 0
    tids = []
    for _ in range(order.integer()):
        tids.append(order.integer())
        assert len([order.string() for _ in range(5)]) == 5
    return order.wait, tids


def added(adder, wait):
    """What became of each host."""
    answer = adder.message()
    assert answer.tag == wire.TM_ADDHOST and answer.wait == wait
    count, formats = answer.integer(), answer.integer()
    assert formats == 0
    return [(answer.integer(), answer.string(), answer.string(), answer.integer(), answer.integer())[0]
            for _ in range(count)]


def add(adder, *hosts):
    return adder.ask(wire.TM_ADDHOST, wire.integers(len(hosts)) + b"".join(map(wire.string, hosts)))


def test_hoster_where_stock_crashes_or_hangs():
    """A host whose daemon never answers is given up, one that the hoster forgets was not started; the hoster need
    not be registered any more when it answers, and it is not asked when there is nothing to start."""
    with VirtualMachine(OURS, OURS, variables={"PVM_HOST_PATIENCE": "1"}, arguments=["-n127.0.0.2"]) as vm, \
            wire.Client(vm) as hoster, wire.Client(vm) as adder:
        adder.enrol()
        assert hoster.enrol().request(wire.TM_HOSTER, wire.integers(1)).integer() == 0
        waits = add(adder, "127.0.0.3", "127.0.0.4")
        wait, tids = asked(hoster)
        hoster.send(wire.PVMD, SM_STHOSTACK, wire.integers(1, tids[0]) + wire.string(STARTED), wait=wait)
        assert added(adder, waits) == [HOST_FAILED, CANNOT_START]
        assert "the host 127.0.0.3 has not answered for 1 seconds: it is given up" in vm.log()

        assert added(adder, add(adder, "nosuch.")) == [NO_HOST]
        waits = add(adder, "127.0.0.5")
        wait, tids = asked(hoster)
        assert hoster.request(wire.TM_HOSTER, wire.integers(0)).integer() == 0
        hoster.send(wire.PVMD, SM_STHOSTACK, wire.integers(1, tids[0]) + wire.string("PvmDenied"), wait=wait)
        assert added(adder, waits) == [-8]
