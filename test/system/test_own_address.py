"""By which address do others find a host whose name its installer has hidden, as Debian's does?

In a Root (support/root.py), whose name means 127.0.1.1.
"""
import os
import re

import pytest
from support.places import PREFIX, TOP
from support.root import Root

PVM = PREFIX / "bin" / "pvm"


@pytest.fixture(name="root")
def root_fixture(tmp_path):
    with Root([], tmp_path, shown=TOP) as root:
        root.write("/etc/hosts", f"127.0.0.1 localhost\n127.0.1.1 {os.uname().nodename}\n")
        yield root


def announced(root, *arguments):
    """The address with which a machine starts, and what its log says of that."""
    root.run(PVM, *arguments, "-c", "id").ok()
    log = root.run("cat", "/tmp/pvml.0").ok().out
    root.run(PVM, "-c", "halt").ok()
    return re.search(r"\(([0-9.]+):\d+\)", log)[1], [line for line in log.splitlines() if "127.0.1.1" in line]


def test_address_of_the_default_route_is_used(root):
    root.run("ip", "route", "add", "default", "dev", "lo", "src", "10.0.0.1").ok()
    checked = root.run(PVM, "--check").ok().out
    assert "note: the name means 127.0.1.1" in checked and "ok: the pvmd uses 10.0.0.1, that of the default route" in checked
    address, told = announced(root)
    assert address == "10.0.0.1" and "using 10.0.0.1" in told[0]


def test_without_a_route_the_log_says_what_to_do(root):
    address, told = announced(root)
    assert address == "127.0.1.1" and "-nADDRESS" in told[0]


def test_number_is_what_the_user_wants(root):
    root.run("ip", "route", "add", "default", "dev", "lo", "src", "10.0.0.1").ok()
    address, told = announced(root, "-n127.0.1.1")
    assert address == "127.0.1.1" and len(told) == 1        # the address is told, and nothing else
