"""Do the console, groups and direct routes do on several hosts what 3.4.6's do?

The console's output must be that of stock's console, and the members of a group, each on its own libgpvm3, must get
the same results on either group server and pvmd.
"""
import pytest
from support.console import Console
from support.groups import Member
from support.hosts import MASTER, HostsMachine
from support.places import OURS, STOCK, group_library
from support.puppet import Puppet
from support.task import wait_until

THIRD, FOURTH = "127.0.0.3", "127.0.0.4"
UNTIL_DELETED = "until two hosts are left"      # stock's pvmd answers before that
SCRIPT = [
    f"add {THIRD} nosuch. '{THIRD} sp=5' {MASTER}", f"add '{FOURTH} sp=500' '127.0.0.5 bogus=1'", "conf",
    "spawn -3 /bin/sleep 1000", "ps -a", f"ps -n{FOURTH}", "ps -h80000", "ps -h40000",
    f"mstat {THIRD} {MASTER} 127.0.0.9", f"spawn -2 --host={THIRD} /bin/sleep 1000",
    f"spawn --host={THIRD}x /bin/sleep 1000", "ps -n127.0.0.9", "ps -x",
    f"delete {FOURTH} {MASTER} nosuch", UNTIL_DELETED, "conf", "ps -a", f"add {FOURTH}",
]
TOLD = "Console: 1 new host added"
SEEN = ["3 hosts, 1 data format", "               127.0.0.3    80000  LINUX64    1000 0x00408c41",
        "                  nosuch  No such host"]


def step(vm, console, command):
    """What is printed for a command; tasks in the order of tids, since hosts answer in any order."""
    if command == UNTIL_DELETED:
        wait_until(lambda: console.do("conf")[0].startswith("2 hosts"), command)
        # A pvmd of 3.4.6 does not start where one is still ending.
        wait_until(lambda: not (vm.folder / FOURTH / vm.address_file.name).exists(), f"{FOURTH} has ended")
        return []
    lines = console.do(command)
    return sorted(lines) if command.startswith("ps") else lines


def told_unasked(console):
    """What a console prints when it is only told to go on, until it has told of a host."""
    lines = []

    def is_told():
        lines.extend(line for line in console.do("echo +") if line != "+")
        return TOLD in lines
    wait_until(is_told, f"'{TOLD}'")
    return lines


def play(system, library):
    """What a console prints for the script, and what another one shows unasked."""
    with HostsMachine(STOCK, library) as vm:
        console, watcher = Console(vm, system), Console(vm, system)
        lines, unasked = [], []
        for command in SCRIPT:
            lines.append((command, step(vm, console, command)))
            if command.startswith("add"):   # one host, which the watcher is to know before it is deleted
                unasked += told_unasked(watcher)
        console.quit().ok()
        watcher.quit().ok()
        return lines, unasked


@pytest.mark.parametrize("library", [OURS, STOCK], ids=str)
def test_console(library):
    expected = play(STOCK, STOCK)
    assert not set(SEEN) - {line for _, lines in expected[0] for line in lines}, "stock itself does not print it"
    lines, unasked = play(OURS, library)
    assert lines == expected[0]
    assert unasked == expected[1]


def member(vm, host, groups):
    """A task on a host, on stock's libpvm3 and the libgpvm3 of groups."""
    variables = {"LD_LIBRARY_PATH": f"{group_library(groups)}:{STOCK.libraries}"}
    return Member(vm, host=host, variables=variables)


@pytest.mark.parametrize("daemon", [STOCK, OURS], ids="pvmd-{}".format)
@pytest.mark.parametrize("frozen", [False, True], ids=["dynamic", "static"])
@pytest.mark.parametrize("server", [OURS, STOCK], ids=str)
@pytest.mark.parametrize("order", [(OURS, STOCK), (STOCK, OURS), (OURS, OURS)],
                         ids=lambda order: "-".join(map(str, order)))
def test_collective_calls(order, server, frozen, daemon):
    with HostsMachine(daemon, STOCK) as vm:
        console = Console(vm, STOCK)
        console.do(f"add {THIRD} {FOURTH}")
        console.quit().ok()
        vm.start(server.pvmd.parent / "pvmgs", variables={"LD_LIBRARY_PATH": str(STOCK.libraries)})
        first, *others = [member(vm, (MASTER, THIRD, FOURTH)[i % 3], order[i % 2]) for i in range(6)]
        everybody = [first, *others]
        for instance, task in enumerate(everybody):
            assert task.do("join", "g") == str(instance)
        if frozen:
            assert first.all_do(others, "freeze", "g", 6) == 6 * ["6"]
        for root in range(6):
            for weight, task in enumerate(everybody, 1):
                task.tell("reduce", "g", "sum", "int", root, weight, 10 * weight)
            assert [task.answer() for task in everybody][root] == "0 21 210"
            for value, task in enumerate(everybody):
                task.tell("gather", "g", "double", root, value)
            assert [task.answer() for task in everybody][root] == "0 0 1 2 3 4 5"
            assert first.all_do(others, "scatter", "g", "int", root, *range(6)) == [f"0 {i}" for i in range(6)]
            assert first.all_do(others, "barrier", "g", 6) == 6 * ["0"]


PVM_ROUTE, ROUTE_DIRECT = 1, 3
LARGE = 3 << 20     # integers; more than the sockets hold


@pytest.fixture(name="daemon", params=[STOCK, OURS], ids="pvmd-{}".format)
def daemon_fixture(request):
    return request.param


@pytest.fixture(name="pair", params=[(OURS, OURS), (OURS, STOCK), (STOCK, OURS)],
                ids=lambda pair: "-".join(map(str, pair)))
def pair_fixture(request, daemon):
    """Two tasks on two hosts, each on the library of its side, both of which want direct routes."""
    with HostsMachine(daemon, STOCK) as vm:
        console = Console(vm, STOCK)
        console.do(f"add {THIRD}")
        console.quit().ok()
        pair = [Puppet(vm, host=host, variables={"LD_LIBRARY_PATH": str(system.libraries)})
                for host, system in zip((MASTER, THIRD), request.param)]
        for puppet, system in zip(pair, request.param):
            puppet.keeps_order = system is OURS
            puppet.do("option", PVM_ROUTE, ROUTE_DIRECT)
        yield pair
        one, other = pair
        if one.task.process.poll() is None:
            assert [puppet.do("routes") for puppet in pair] == ["1", "1"]
            one.leave()
        wait_until(lambda: (other.do("poll", -1, -1), other.do("routes"))[1] == "0", "the route has ended")
        other.leave()


def test_route_over_the_network(pair):
    one, other = pair
    other.tell("recv", -1, -1)
    assert one.do("send", other.tid, 1, 10) == "0"
    assert other.answer() == f"{one.tid} 1 4 10"
    assert other.do("send", one.tid, 2, 20) == "0"
    assert one.do("recv", -1, -1) == f"{other.tid} 2 4 20"
    one.tell("grow", 3, other.tid, LARGE)
    other.tell("grow", 4, one.tid, LARGE)
    for puppet in pair:
        puppet.tell("recv", -1, -1)
    assert [puppet.answer()[:3] for puppet in pair] == ["0 0", "0 0"]
    assert one.answer() == f"{other.tid} 4 {4 * LARGE} 1"
    assert other.answer() == f"{one.tid} 3 {4 * LARGE} 1"


def test_last_message_arrives(pair):
    """Who leaves with messages unread does not take back what it has sent."""
    one, other = pair
    other.tell("recv", -1, -1)
    one.do("send", other.tid, 1, 1)
    other.answer()
    for value in range(20):
        assert other.do("send", one.tid, 2, value) == "0"
    other.tell("recv", -1, 3)
    assert one.do("grow", 3, other.tid, 100000).startswith("0 0")
    assert other.answer() == f"{one.tid} 3 400000 1"
    assert one.do("grow", 4, other.tid, 5000).startswith("0 0")
    for puppet in pair:
        assert puppet.do("routes") == "1"
    one.leave()
    assert other.do("recv", -1, 4) == f"{one.tid} 4 20000 1"


def received(receiver, sender, tag, count):
    """What comes from a sender; a task of 3.4.6 may overtake itself when it gets a route."""
    expected = [f"{sender.tid} {tag} 4 {value}" for value in range(count)]
    got = [receiver.do("recv", -1, -1) for _ in range(count)]
    return (got if sender.keeps_order else sorted(got)) == expected


def test_crossed_requests(pair):
    """Both ask for a route at once: there is one in the end, and nothing is lost."""
    one, other = pair
    for value in range(10):
        one.tell("send", other.tid, 1, value)
        other.tell("send", one.tid, 2, value)
    assert [[puppet.answer() for _ in range(10)] for puppet in pair] == 2 * [10 * ["0"]]
    assert received(one, other, 2, 10)
    assert received(other, one, 1, 10)
