"""Do user-level processes go on, with all that they have, on the hosts to which they move?"""
import re

import pytest
from support import programs
from support.console import Console
from support.network import NetworkMachine
from support.places import OURS
from support.task import wait_until

SCENES = ["waits", "computes", "ahead", "state", "unread", "files", "limit", "calls", "order", "crowd", "stays",
          "killed", "leaves"]


def network(*daemons, **more):
    variables = {"PVM_PATH": f"{programs.folder(OURS)}:{OURS.pvmd.parent}", "PVM_EXPORT": "LD_LIBRARY_PATH"}
    return NetworkMachine(daemons, OURS, variables, **more)


@pytest.mark.parametrize("scene", SCENES)
def test_moves_between_three_hosts(scene):
    with network(OURS, OURS, OURS) as vm:
        vm.add()
        assert vm.run("moves", scene, merge=True).ok().out.splitlines()[-1] == "ok"
        wait_until(lambda: not {task[4] for task in vm.tasks()} - {"pvmgs"}, "no task is left")


def test_user_level_members_of_a_group_meet_while_they_move():
    """They are told of an end as well, wherever they have been."""
    with network(OURS, OURS, OURS) as vm:
        vm.add()
        assert vm.run("moves", "meet", merge=True).ok().out.splitlines()[-1] == "ok"


def test_a_crowd_moves_for_long(long_run):
    """Many more, of which three move at any time."""
    with network(OURS, OURS, OURS, OURS) as vm:
        vm.add()
        words = ["200", "20000"] if long_run else ["60", "200"]
        assert vm.run("moves", "crowd", *words, merge=True, limit=1200).ok().out.splitlines()[-1] == "ok"


@pytest.mark.parametrize("variable, value, why", [
    ("PVM_ULP_REGION", "512", "user-level processes have regions of another size there"),
    ("LD_PRELOAD", "libgomp.so.1", "is another one there, or lies elsewhere"),
], ids=["region", "library"])
def test_what_differs_between_hosts(variable, value, why):
    with network(OURS, OURS, OURS, host_variables={"node2": {variable: value}}) as vm:
        vm.add()
        assert why in vm.run("moves", "differs", merge=True).ok().out


def test_the_console_moves_and_evacuates():
    with network(OURS, OURS, OURS) as vm:
        vm.add()
        console = Console(vm, OURS)
        tids = re.findall(r"t[0-9a-f]+", "".join(console.do("spawn -4 -ulp -node2 moves child waits")))
        assert len(tids) == 4
        assert console.do(f"move {tids[0]} node3") == [f"{tids[0]}  node3"]
        evacuated = console.do("evacuate node2")
        assert sorted(line.split()[0] for line in evacuated) == sorted(tids[1:]), f"{evacuated}\n{console.quit()}"
        assert not console.do(f"move {console.do('id')[0]} node3")
        assert console.do("delete --evacuate node3")[-1].split() == ["node3", "deleted"]
        assert {line.split()[0] for line in console.do("ps -a") if "moves" in line} == {"node1", "node2"}
        assert "it is no user-level process" in console.quit().ok().err
