"""Does a machine of several hosts do all that the measurement of many counts? No time is looked at."""
import subprocess

from support.places import TESTS


def test_counts():
    """Every host is added, every task starts and answers, and nothing outlives the machine, on either PVM."""
    done = subprocess.run([TESTS / "bench" / "many_hosts.py", "--hosts=8", "--tasks=16", "--rounds=1"], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    told = [line for line in done.stdout.splitlines() if ": " in line]
    assert told == [f"{name}: hosts added, tasks spawned and heard of: [(7, 16, 16)]" for name in ("ours", "stock")]
