"""Is a multicast measured on every side and for every number of hosts? No time is looked at."""
import csv
import subprocess

from support.places import TESTS
from trees import HOSTS, SIDES


def test_every_side_has_its_figures(tmp_path):
    done = subprocess.run([TESTS / "bench" / "trees.py", "--quick", "--bytes=70000", f"--folder={tmp_path}"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    found = [(row["side"], int(row["hosts"])) for row in csv.DictReader((tmp_path / "trees.csv").open())]
    assert sorted(found) == sorted(2 * [(name, hosts) for name, *_ in SIDES for hosts in HOSTS])
