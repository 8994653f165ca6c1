"""Are the servers of TPL measured on each ground, and kv beside ZeroMQ? Does its server make few system calls?"""
import subprocess

from support.places import TESTS

STORES = ["ours", "stock", "stock-preload", "zeromq"]


def measured(*options):
    """The words of each line about a store."""
    done = subprocess.run([TESTS / "bench" / "stores.py", *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return [line.split() for line in done.stdout.splitlines() if line.startswith(" ")]


def test_all_stores_are_measured():
    rows = [line[:2] for line in measured("--quick")]
    assert rows == 2 * [[what, name] for what in ("put", "get") for name in STORES]


def test_fewer_system_calls_than_zeromq():
    """The server is the same but for how it hears and answers; on 3.4.6, too."""
    counts = {name: float(count) for name, count in measured("--counts")}
    assert list(counts) == STORES
    assert max(counts[name] for name in STORES if name != "zeromq") < counts["zeromq"]


def test_the_balance_is_measured():
    done = subprocess.run([TESTS / "bench" / "balancing.py", "--quick", "--nodes=2"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.split()[:2] for line in done.stdout.splitlines() if line.startswith(" ")]
    assert rows == [[name, nodes] for name in STORES[:-1] for nodes in ("1", "2")]
