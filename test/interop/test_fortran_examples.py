"""Do the Fortran examples of the distribution do the same when they are compiled for our library?

Their sources are unpacked from the packages at the time of the test and compiled three ways: with the header and
library of 3.4.6, with ours, and with our module in place of the header. test_examples.py plays the binaries.
"""
import difflib
import functools
import re
import subprocess
import tarfile

import pytest
from scenarios import SQUARES_SEEN, in_any_order, shell, spawned
from support.groups import machine
from support.places import OURS, PROGRAMS, STOCK, STOCK_ROOT

# Program to its archive and source.
SOURCES = {"fmaster1": "examples/master1.f", "fslave1": "examples/slave1.f", "fspmd": "examples/spmd.f",
           "hitc": "examples/hitc.f", "hitc_slave": "examples/hitc_slave.f", "fgexample": "examples/gexample.f",
           "frsg": "gexamples/frsg.f"}
WAYS = {"stock": STOCK, "header": OURS, "module": OURS}


def source_text(name):
    archive, _, file = SOURCES[name].partition("/")
    with tarfile.open(STOCK_ROOT / "usr/share/doc/pvm-examples" / f"{archive}.tar.gz") as packed:
        found = [member for member in packed.getmembers() if member.name.endswith(f"{archive}/{file}")]
        return packed.extractfile(found[0]).read().decode()


def with_module(text):
    """The source with `use pvm` behind the head of each program unit that included the header."""
    lines, head = [], 0
    for line in text.splitlines():
        if re.match(r" +include '.*fpvm3.h'", line):
            lines.insert(head, "      use pvm")
        elif not re.match(r" +external Pvm\w+", line):      # the module has these
            lines.append(line)
            if re.match(r" +(program|subroutine|.*function)\b", line, re.IGNORECASE):
                head = len(lines)
    return "\n".join(lines) + "\n"


@functools.lru_cache(maxsize=None)
def compiled(way, folder):
    """The folder with all programs, compiled in that way."""
    folder = folder / way
    folder.mkdir()
    system = WAYS[way]
    for name in SOURCES:
        source = folder / f"{name}.f"
        text = source_text(name)
        source.write_text(with_module(text) if way == "module" else text.replace("../include/fpvm3.h", "fpvm3.h"))
        # frsg begins a sum with a variable that it never sets.
        command = ["gfortran", "-std=legacy", "-w", "-finit-local-zero", f"-I{system.include}", source, "-o", folder / name,
                   f"-L{system.libraries}", "-lfpvm3", "-lgpvm3", "-lpvm3"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, f"{way}: {done.stderr}"
    return folder


def scenarios(folder):
    """What is played, and what must be seen; programs find each other by the folder's place in PVM_PATH."""
    return {"fmaster1": (shell(folder / "fmaster1", changes=[in_any_order]), ["SUCCESSFUL", r"300.0+ from +2"]),
            "fspmd": (shell(folder / "fspmd"), ["token ring done"]),
            "fspmd, four": (spawned(4, "fspmd"), ["262146 -> +262147 -> +262148 -> +262149 -> +262146"]),
            "hitc": (shell(folder / "hitc", lines=1), ["Program Finished", "received no-more-work flag"]),
            "frsg": (spawned(1, "frsg"), SQUARES_SEEN),
            "fgexample": (shell(folder / "fgexample"), ["1-Norm is +5050", r"9.3326215443944127E\+157"])}


NAMES = sorted(scenarios(PROGRAMS))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fortran")


def play(name, way, folder):
    system = WAYS[way]
    programs = compiled(way, folder)
    vm = machine(system, system, system)
    vm.variables["PVM_PATH"] = f"{programs}:{vm.variables['PVM_PATH']}"
    with vm:
        return scenarios(programs)[name][0](vm).replace(str(vm.folder), "<folder>")


@functools.lru_cache(maxsize=None)
def reference(name, folder):
    """The transcript of stock alone."""
    transcript = play(name, "stock", folder)
    for pattern in scenarios(folder)[name][1]:
        assert re.search(pattern, transcript), f"{pattern!r} is not in stock's own transcript:\n{transcript}"
    return transcript


def test_every_source_is_played():
    archives = ("examples", "gexamples")
    found = set()
    for archive in archives:
        with tarfile.open(STOCK_ROOT / "usr/share/doc/pvm-examples" / f"{archive}.tar.gz") as packed:
            found |= {f"{archive}/{member.name.rpartition('/')[2]}" for member in packed if member.name.endswith(".f")}
    assert found == set(SOURCES.values())


@pytest.mark.parametrize("way", ["header", "module"])
@pytest.mark.parametrize("name", NAMES)
def test_example(name, way, folder):
    expected = reference(name, folder)
    seen = play(name, way, folder)
    difference = "\n".join(difflib.unified_diff(expected.splitlines(), seen.splitlines(), "stock", way, lineterm=""))
    assert not difference, difference
