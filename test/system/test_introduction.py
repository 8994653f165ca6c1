"""Does a user who does what a page says get what the page promises?"""
import re
import shutil

import pytest
from measure.manual import Page
from support.console import Console
from support.network import NetworkMachine
from support.places import OURS, STOCK, TOP
from support.session import hosts_without_machine, replay

CONSOLE = Page(TOP / "pvm3" / "man" / "pvm.1")
HOST_FILE = Page(TOP / "pvm3" / "man" / "pvm_hostfile.5")


# Pages that lead through sessions on node1 and node2. A program, script or host file that they show begins with a comment
# that names it.
GUIDES = ["pvm_intro.1", "pvm_tutorial.7", "pvm_from_pvm.7", "pvm_from_mpi.7", "pvm_cookbook.7"]
FILE = re.compile(r"(?:#!.*\n)?(?:/\*|#) (\S+) - ")


@pytest.mark.parametrize("name", GUIDES)
def test_sessions_are_what_the_guide_shows(name):
    blocks = Page(TOP / "pvm3" / "man" / name).blocks()
    session = [line for block in blocks if block.startswith("$ ") for line in block.splitlines()]
    with hosts_without_machine(2) as vm:
        for block in blocks:
            if found := FILE.match(block):
                (vm.home / found.group(1)).write_text(block)
        replay(vm, session)
        vm.until_empty("node2")


def test_session_of_the_console():
    session = [line for block in CONSOLE.blocks("EXAMPLES") for line in block.splitlines()]
    with hosts_without_machine(2) as vm:
        replay(vm, session)
        vm.until_empty("node2")


def test_host_file_of_the_manual():
    """Of the example: who is started, how fast node2 is, and where programs are found and start."""
    text, = HOST_FILE.blocks("EXAMPLES")
    vm = NetworkMachine([OURS] * 3, OURS)
    (vm.home / "hosts").write_text(text)
    vm.arguments.append("hosts")
    programs = vm.home / "pvm3" / "bin" / "LINUX64"
    programs.mkdir(parents=True)
    (programs / "where").write_text("#!/bin/sh\npwd\n")
    (programs / "where").chmod(0o700)
    with vm:
        vm.until_hosts("node1", "node2")
        console = Console(vm, STOCK)
        assert next(line for line in console.do("conf") if "node2" in line).split()[3] == "2000"
        assert console.do("add node3")[0] == "1 successful"
        for number, (host, folder) in enumerate({"node2": vm.home, "node3": "/var/tmp"}.items(), 1):
            printed = console.run_job(f"spawn -{host} -> where")
            assert re.fullmatch(rf"\[{number}:t[0-9a-f]+\] {folder}", printed[-3]), printed
        console.quit().ok()
        shutil.rmtree(vm.home / "pvm3")
        (vm.home / "hosts").unlink()
