"""Can a program be linked to the static libraries, whatever names it uses itself?"""
import re
import subprocess

import pytest
from measure import objects
from support.groups import Member, machine
from support.machine import VirtualMachine
from support.places import OURS, TESTS

LIBRARIES = ("libpvm3", "libgpvm3", "libfpvm3")
WAYS = {"all-static": ("-static", "-lgpvm3", "-lpvm3"),
        "pvm-static": ("-l:libgpvm3.a", "-l:libpvm3.a")}
ways = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


def symbols(library, *options):
    """(type, name) of what the static library defines."""
    text = subprocess.run(["nm", "--defined-only", "--format=posix", *options,
                           str(OURS.libraries / f"{library}.a")], check=True, capture_output=True, text=True).stdout
    return {tuple(line.split()[1::-1]) for line in text.splitlines() if len(line.split()) > 1}


def link(folder, way, *sources):
    """Compile and link the sources against the static libraries, and nothing else that a program names."""
    target = folder / "program"
    command = ["gcc", "-std=gnu17", "-g", "-pthread", f"-I{OURS.include}", f"-I{TESTS / 'support'}",
               *map(str, sources), "-o", str(target), f"-L{OURS.libraries}", *way]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
    return target


@pytest.mark.parametrize("library", LIBRARIES)
def test_global_names_are_those_of_the_shared_library(library):
    exported = {symbol.name for symbol in objects.exported(OURS.libraries / f"{library}.so.3")}
    assert {name for _, name in symbols(library, "--extern-only")} == exported


@ways
@pytest.mark.parametrize("name", ["pack", "mailbox", "receive"])
def test_program_does_the_same(name, way, tmp_path):
    """An observing program prints what it prints with the shared library."""
    with VirtualMachine(OURS, OURS) as vm:
        shared = vm.run(name, merge=True).ok().out
    program = link(tmp_path, way, TESTS / "api" / f"{name}.c")
    needed = subprocess.run(["readelf", "-d", program], capture_output=True, text=True).stdout
    assert "libpvm3" not in needed
    with VirtualMachine(OURS, OURS) as vm:
        static = vm.run(program, merge=True).ok().out
    assert re.sub(r"\[pid\d+\]", "[pid]", static) == re.sub(r"\[pid\d+\]", "[pid]", shared)


@ways
def test_program_may_use_the_names_inside(way, tmp_path):
    """It defines every name that is within the library, and runs all the same."""
    inside = {name for kind, name in symbols("libpvm3") if kind in "tdbr" and re.fullmatch(r"\w+", name)}
    assert {"message_new", "lock_destroy", "endpoint_init"} <= inside
    names = tmp_path / "names.c"
    names.write_text("".join(f"char {name}[8];\n" for name in sorted(inside)))
    program = link(tmp_path, way, TESTS / "api" / "pack.c", names)
    with VirtualMachine(OURS, OURS) as vm:
        vm.run(program, merge=True).ok()


@ways
def test_group_library(way, tmp_path):
    """A member of a group that is linked to both libraries."""
    program = link(tmp_path, way, TESTS / "system" / "member.c")
    with machine(OURS, OURS) as vm:
        member = Member(vm, program)
        assert member.do("join", "g") == "0"
        assert member.do("barrier", "g", 1) == "0"
        assert member.do("size", "g") == "1"
        assert member.do("leave", "g") == "0"
