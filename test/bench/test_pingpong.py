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
import load  # noqa: E402
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


def test_others_are_noticed(monkeypatch):
    """What the measured programs use themselves is not theirs."""
    clock = iter([(100.0, 50.0, 3.0), (110.0, 64.0, 11.0)])     # time, what all have used, what we have

    def moment():
        now = next(clock)
        monkeypatch.setattr(load, "_busy_seconds", lambda: now[1])
        monkeypatch.setattr(load, "_own_seconds", lambda: now[2])
        return now[0]
    monkeypatch.setattr(load.time, "monotonic", moment)
    monkeypatch.setattr(load.os, "cpu_count", lambda: 2)
    assert load.Others().share() == (64 - 50 - (11 - 3)) / (10 * 2)
    assert load.warning(0.09, "meanwhile") == ""
    assert "others used 30 % of the processors meanwhile" in load.warning(0.3, "meanwhile")


def test_busy_time_grows_with_what_is_computed():
    before, own = load._busy_seconds(), load._own_seconds()
    while load._own_seconds() - own < 0.1:
        pass
    assert load._busy_seconds() > before


def measured(system, version, trouble=""):
    cell = report.Cell(system, version, None, "default", trouble=trouble)
    cell.take_output("@pingpong count=10 seconds=0.5 sleeps=0 cpu_seconds=0 voluntary_switches=1\n"
                     "@serve alone_seconds=2 seconds=3 requests=7 p50_us=1 p99_us=9 sleeps=0 cpu_beside_seconds=0.3\n",
                     "serve" if system == "served" else "pingpong")
    return cell


def test_the_plot_tells_of_failures(tmp_path):
    cells = {"pingpong": [measured("here", "TS"), measured("there", "TS", "failed with status 1: 'this'")],
             "serve": [measured("served", "TS"), measured("served", "TPL/safe", "did not finish in 4 s")]}
    report.write_files(cells, tmp_path, ["2 cores, load 0.1", "TOO BUSY TO MEASURE"])
    drawn = (tmp_path / "pingpong.svg").read_text()
    assert all(f">{text}<" in drawn for text in ("2 cores, load 0.1", "TOO BUSY TO MEASURE", "median", "99th percentile"))
    assert [drawn.count(f">{text}<") for text in ("failed with status 1", "did not finish in 4 s", "served TS")] \
        == [1, 2, 2]
    assert (tmp_path / "pingpong.png").stat().st_size > 0
    assert [row["trouble"] for row in rows_of(tmp_path / "serve.csv")] == ["", "", "did not finish in 4 s"]


def test_cpu_time_beside_the_work():
    cell = measured("served", "TS")
    assert (cell.longer_percent(), cell.burnt_percent()) == (50, 10)
