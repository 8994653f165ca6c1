"""Is the key-value store measured on each ground and beside ZeroMQ, and does its server make few system calls?"""
import subprocess

from support.places import TESTS

STORES = ["ours", "stock", "stock-preload", "zeromq"]


def measured(*options):
    """The words of each line about a store."""
    done = subprocess.run([TESTS / "bench" / "stores.py", *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return [line.split() for line in done.stdout.splitlines() if line.startswith(" ")]


def test_all_stores_are_measured():
    assert [line[:2] for line in measured("--quick")] == 2 * [[what, name] for what in ("put", "get") for name in STORES]


def test_fewer_system_calls_than_zeromq():
    """The server is the same but for how it hears and answers; on 3.4.6, too."""
    counts = {name: float(count) for name, count in measured("--counts")}
    assert list(counts) == STORES
    assert max(counts[name] for name in STORES if name != "zeromq") < counts["zeromq"]
