"""Moves user-level processes of another processor between hosts: an emulator runs them.

usage: emulated.py FOLDER
In the folder are the programs that pvmds start there: moves, and pvmulp, which calls the emulator. The first task and
the pvmds are of this processor.
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import programs  # noqa: E402
from support.network import NetworkMachine  # noqa: E402
from support.places import OURS  # noqa: E402

SCENES = "waits", "computes", "ahead", "state", "unread", "order"
LIMIT = 60      # seconds for one of these


def main():
    with NetworkMachine([OURS] * 3, OURS, {"PVM_PATH": sys.argv[1]}) as vm:
        vm.add()
        for scene in SCENES:
            print(scene, vm.run(programs.build("moves", OURS), scene, merge=True, limit=LIMIT).ok().out, end="")
    print("all have moved")


main()
