"""Does the pingpong measure every version on every PVM, and does its report show them all? No time is looked at.

That all bytes are right and in order, and that each request is answered, the programs check themselves.
"""
import csv
import os
import subprocess
import sys
import tempfile

from support.places import TOP

sys.path.insert(0, str(TOP / "pingpong"))
import report  # noqa: E402

PERIODS = {"ours": ["1 us"], "stock": ["50 ms", "1 ms", "1 us"], "stock+preload": []}
OTHERS = {"ours": ["GETFDS", "QTS", "TS", "TPL/safe"], "stock": ["GETFDS", "TPL/getfds"],
          "stock+preload": ["QTS", "TS", "TPL/safe", "TPL/interrupt"]}
COUNT = 100


def rows_of(path):
    return list(csv.DictReader(path.open()))


def test_every_version_is_measured(tmp_path):
    """And nothing is left behind, and no version but POLL sleeps for a time."""
    with tempfile.TemporaryDirectory() as temporary:  # sockets have short names
        done = subprocess.run([TOP / "pingpong" / "run", "--quick", "--system", *PERIODS, "--count", str(COUNT),
                               "--repeat", "1", "--limit", "60", "--folder", tmp_path / "results"],
                              env={**os.environ, "TMPDIR": temporary}, capture_output=True, text=True)
        assert not os.listdir(temporary)
    assert done.returncode == 0, done.stdout + done.stderr
    expected = [(system, label) for system in PERIODS
                for label in [*(f"POLL {period}" for period in PERIODS[system]), *OTHERS[system]]]
    for work, count in (("pingpong", "count"), ("serve", "requests")):
        rows = rows_of(tmp_path / "results" / f"{work}.csv")
        assert [(row["system"], row["label"]) for row in rows] == expected
        assert all(int(row["sleeps"]) == 0 for row in rows if "POLL" not in row["label"])
        assert all(int(row[count]) == COUNT if work == "pingpong" else int(row[count]) > 0 for row in rows)
        assert all(row["version"] == row["label"].split()[0] for row in rows)
    drawn = (tmp_path / "results" / "pingpong.svg").read_text()
    assert {f"{system} {label}": drawn.count(f">{system} {label}<") for system, label in expected} == \
        {f"{system} {label}": 3 for system, label in expected}


def measured(system, version, trouble=""):
    cell = report.Cell(system, version, None, "default", trouble=trouble)
    cell.take_output("@pingpong count=10 seconds=0.5 sleeps=0 cpu_seconds=0 voluntary_switches=1\n"
                     "@serve alone_seconds=2 seconds=3 requests=7 p50_us=1 p99_us=9 sleeps=0 cpu_beside_seconds=0.3\n",
                     "serve" if system == "served" else "pingpong")
    return cell


def test_the_plot_tells_of_failures(tmp_path):
    cells = {"pingpong": [measured("here", "TS"), measured("there", "TS", "failed with status 1: 'this'")],
             "serve": [measured("served", "TS"), measured("served", "TPL/safe", "did not finish in 4 s")]}
    report.write_files(cells, tmp_path)
    drawn = (tmp_path / "pingpong.svg").read_text()
    assert [drawn.count(f">{text}<") for text in ("failed with status 1", "did not finish in 4 s", "served TS")] \
        == [1, 2, 2]
    assert (tmp_path / "pingpong.png").stat().st_size > 0
    assert [row["trouble"] for row in rows_of(tmp_path / "serve.csv")] == ["", "", "did not finish in 4 s"]


def test_cpu_time_beside_the_work():
    cell = measured("served", "TS")
    assert (cell.longer_percent(), cell.burnt_percent()) == (50, 10)
