"""Does the benchmark run, and are the counts that it gives as low as we claim? No time is looked at.

The counts are those of the steady state: what is kept from message to message is kept by then.
"""
import csv
import itertools
import subprocess
from collections import defaultdict

import pytest
from support.places import TESTS

WORKS = ("empty", "1_int,default", "1_int,raw", "1_int,in_place", "10000_ints,1_call,default",
         "10000_ints,1_call,raw", "10000_ints,1_call,in_place", "10000_ints,10000_calls,default",
         "10000_ints,10000_calls,raw", "1_MB,raw", "10000_ints,10000_calls,in_place")
COMPARED = [work for work in WORKS if work != "10000_ints,10000_calls,in_place"]
SIDES = ("send", "receive")


@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    """Of each (system, work, side): allocations of a message in the last batch, and system calls of one."""
    folder = tmp_path_factory.mktemp("bench")
    done = subprocess.run([TESTS / "bench" / "run", "--counts", "--folder", folder], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    allocations, calls = {}, defaultdict(float)
    for row in csv.DictReader((folder / "costs.csv").open()):
        key = row["system"], row["work"], row["side"]
        allocations[key] = int(row["allocations"]) / int(row["messages"])
    for row in csv.DictReader((folder / "calls.csv").open()):
        calls[row["system"], row["work"], row["side"]] += float(row["per_message"])
    return allocations, dict(calls)


def test_daemons_are_measured():
    done = subprocess.run([TESTS / "bench" / "daemons.py", "--quick", "--rounds=1", "--tasks=10"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines() if "(" in line and "pvmd" not in line] == \
        2 * ["ours", "stock"]


def test_receives_beside_queued_messages_are_measured():
    done = subprocess.run([TESTS / "bench" / "queued.py", "--quick"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [[word for word in line.split() if word.isalpha()] for line in done.stdout.splitlines()[-2:]]
    assert rows == [[name, "both", "source", "tag", "neither"] for name in ("ours", "stock")]


def test_what_goes_between_hosts_is_measured():
    done = subprocess.run([TESTS / "bench" / "between.py", "--quick", "--together"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith(" ")]
    assert [line[0] for line in lines] == [name for name in ("TCP", "copied", "spliced", "send", "psend", "ask", "ask",
                                                        "state", "state") for _ in range(2)]


def test_packing_is_measured(tmp_path):
    done = subprocess.run([TESTS / "bench" / "packing.py", "--quick", "--largest=100", "--folder", tmp_path],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = list(csv.DictReader((tmp_path / "packing.csv").open()))
    assert {(row["system"], row["items"], row["type"], row["encoding"]) for row in rows} == set(itertools.product(
        ("ours", "stock"), ("1", "100"), ("int", "double"), ("default", "raw", "in_place")))
    assert sum(" pack " in line or " unpack " in line for line in done.stdout.splitlines()) == len(rows) / 2


def test_netpipe_is_measured(tmp_path):
    done = subprocess.run([TESTS / "bench" / "netpipe.py", "--quick", "--largest=2000", "--folder", tmp_path],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    sizes = defaultdict(set)
    for row in csv.DictReader((tmp_path / "netpipe.csv").open()):
        sizes[row["system"]].add(int(row["bytes"]))
    assert {1, 64, 1024} <= sizes["ours"] and all(seen == sizes["ours"] for seen in sizes.values()), sizes
    assert {"ours", "stock"} <= set(sizes)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("work", WORKS)
def test_no_allocation_in_the_steady_state(counted, work, side):
    assert counted[0]["ours", work, side] == 0


@pytest.mark.parametrize("work", [work for work in COMPARED if "in_place" not in work])
def test_allocations_of_stock_are_seen(counted, work):
    """The test itself: where stock makes fragments, they are counted."""
    assert min(counted[0]["stock", work, side] for side in SIDES) >= 1


@pytest.mark.parametrize("work", [work for work in WORKS if work != "1_MB,raw"])
def test_one_system_call_sends_a_message(counted, work):
    assert counted[1]["ours", work, "send"] == 1


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("work", COMPARED)
def test_fewer_system_calls_than_stock(counted, work, side):
    assert counted[1]["ours", work, side] < counted[1]["stock", work, side]
