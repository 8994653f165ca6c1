"""Does the measurement of farms get all results of ours, with a worker killed, too?"""
import csv
import subprocess

from support.places import TESTS


def test_farms_are_measured(tmp_path):
    done = subprocess.run([TESTS / "bench" / "farm.py", "--quick", f"--folder={tmp_path}"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = list(csv.DictReader((tmp_path / "farm.csv").open()))
    assert {(row["kind"], row["killed"]) for row in rows} == {(kind, killed) for kind in ("pvm", "processes")
                                                              for killed in "01"}
    assert all(row["results"] == "100" for row in rows if row["kind"] == "pvm")
    assert "ours, four hosts" in done.stdout
