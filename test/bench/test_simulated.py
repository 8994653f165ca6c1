"""Has each step of a simulated machine its costs, for every number of hosts? No time is looked at."""
import csv
import subprocess

from simulated import STEPS
from support.places import TESTS

HOSTS = (3, 10)
MESSAGE = 1000      # bytes of the multicast


def test_every_step_has_its_costs(tmp_path):
    done = subprocess.run([TESTS / "bench" / "simulated.py", "--quick", f"--folder={tmp_path}"], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = list(csv.DictReader((tmp_path / "simulated.csv").open()))
    assert sorted((int(row["hosts"]), row["step"]) for row in rows) == sorted(
        (hosts, step) for hosts in HOSTS for step in STEPS)
    for row in rows:
        if row["step"] == "multicast":
            assert int(row["stream_bytes"]) > MESSAGE * (int(row["hosts"]) - 1)
