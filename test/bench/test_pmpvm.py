"""Do the programs that compare processes with thread tasks find the sequential result on every side?

No time is looked at.
"""
import csv
import subprocess

import pmpvm
import pytest
from support.machine import Machines
from support.places import TESTS

SIDES = pmpvm.make_sides()
LIMIT = 60      # seconds


@pytest.mark.parametrize("side", SIDES, ids=lambda side: side.name)
def test_results_are_those_of_the_sequential_program(side):
    """A program fails when its result is not."""
    with Machines() as machines:
        for work in pmpvm.works(sor=6, bubble=1001, gauss=65, genes=(101, 5)):
            assert pmpvm.values_of(side.output(machines, work.program, 4, work.numbers, LIMIT), "crew")["seconds"] > 0


def test_sides_are_measured(tmp_path):
    done = subprocess.run([TESTS / "bench" / "pmpvm.py", "--quick", "--tasks=2", "--programs", "sor", "micro",
                           "--folder", tmp_path], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = list(csv.DictReader((tmp_path / "pmpvm.csv").open()))
    assert all(float(row["seconds"]) > 0 for row in rows)
    names = {side.name for side in SIDES}
    assert {row["side"] for row in rows if row["tasks"] == "2"} == names
    assert {row["work"] for row in rows if row["side"] == pmpvm.pmpvm_report.BASE} == {"SOR", *pmpvm.pmpvm_report.MICRO}
    assert all(f"\n{name} " in done.stdout for name in names)
    assert (tmp_path / "pmpvm.svg").stat().st_size > 0
