"""Is each call of MPI measured? No time is looked at."""
import csv
import subprocess

from support.places import TESTS

# Two batches of each.
CALLS = {("pingpong", "2", size) for size in ("8", "10000", "65536", "262144", "1000000", "4194304")} | {
    ("posted", "2", size) for size in ("8", "1000000")} | {
    (call, "2", "8") for call in ("put", "get", "fetch", "own_put", "own_get", "own_fetch")} | {
    (call, ranks, "8") for call in ("barrier", "bcast", "allreduce") for ranks in ("2", "4", "8")}


def test_every_call_has_its_figures(tmp_path):
    done = subprocess.run([TESTS / "bench" / "mpi.py", "--quick", f"--folder={tmp_path}"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    found = [(row["call"], row["ranks"], row["bytes"]) for row in csv.DictReader((tmp_path / "mpi.csv").open())]
    assert sorted(found) == sorted([*CALLS, *CALLS])
