"""Is each call of the members of a group measured on every side? No time is looked at."""
import csv
import subprocess

from members import CALLS, SIDES
from support.places import TESTS


def test_every_side_has_its_figures(tmp_path):
    done = subprocess.run([TESTS / "bench" / "members.py", "--quick", "--members=4", f"--folder={tmp_path}"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    found = [(row["side"], row["call"]) for row in csv.DictReader((tmp_path / "members.csv").open())]
    assert sorted(found) == sorted(2 * [(name, call) for name, *_ in SIDES for call, _ in CALLS])
