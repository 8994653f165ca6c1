"""Do the programs that are measured as user-level processes find the sequential result on every side, and is nothing
missing from the tables?

No time is looked at.
"""
import csv
import subprocess

import pytest
import upvm
import upvm_report
from support.places import TESTS

TINY = upvm.Scale(rounds=1, batches=2, part=0.01, sizes=(0, 1000), members=(2, 3), sweeps=25, solvers=(3,),
                  bytes=(50000,), passes=4)
ALL = ["IX", *(table.name for table in upvm.TABLES)]


@pytest.fixture(scope="module", name="found")
def measured():
    """A program fails when its result is not right."""
    found = upvm.Measurement(TINY, ALL)
    found.take()
    return found


def test_every_side_has_its_figures(found):
    times = {"round": TINY.batches, "move": upvm.moving(TINY, TINY.bytes[0])[2][1]}
    counts = {(table.name, row, side.name): times.get(table.program, 1)
              for table in upvm.TABLES for row in found.rows(table) for side in upvm.sides_of(table)}
    counts |= {(name, 1, upvm.SEQUENTIAL.name): 1 for name in ("XIV", "XV")}
    assert {key: len(values) for key, values in found.values.items()} == counts
    assert all(value > 0 for values in found.values.values() for value in values)


def test_every_way_to_switch_has_its_figures(found):
    expected = {upvm_report.CALL, *upvm_report.OWN, "swapcontext", "threads, by futex", "processes, by pipes"}
    assert expected <= found.ways.keys()
    assert {name: len(values) for name, values in found.switches.items()} == dict.fromkeys(found.ways, TINY.batches)


def test_tables_and_files_are_whole(found, tmp_path, capsys):
    upvm_report.print_tables(found)
    told = [text.rstrip().split("\n") for text in capsys.readouterr().out.split("\n\n")]
    lines = {text[0].split(":")[0].removeprefix("Table "): len(text) for text in told[1:]}
    expected = {table.name: 2 + len(found.rows(table)) + 2 * (table.program == "laplace") for table in upvm.TABLES}
    ways = len(found.ways) + len(upvm.SIDES) + len(upvm_report.PAPER_SWITCHES)
    assert lines == {"IX": 2 + ways, **expected, "XVI": 1}
    upvm.write_csv(found, tmp_path / "upvm.csv")
    rows = list(csv.DictReader((tmp_path / "upvm.csv").open()))
    assert len(rows) == sum(map(len, [*found.values.values(), *found.switches.values()]))
    upvm_report.draw(found, tmp_path / "upvm")
    assert (tmp_path / "upvm.svg").stat().st_size > 0


def test_a_program_that_is_named_is_one_more_way(tmp_path):
    further = tmp_path / "further"
    further.write_text('#!/bin/sh\nfor i in $(seq "$2"); do echo "@time seconds=0.5"; done\n')
    further.chmod(0o700)
    done = subprocess.run([TESTS / "bench" / "upvm.py", "--quick", "--rounds=1", "--tables", "IX", "--switch", further,
                           "--folder", tmp_path], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\nfurther " in done.stdout
    values = [row["value"] for row in csv.DictReader((tmp_path / "upvm.csv").open()) if row["side"] == "further"]
    assert values == ["500000000.0"] * upvm.QUICK.batches
