"""Does libfpvm3 take the place of 3.4.6's, name by name and constant by constant?

What the routines do is compared by the programs test/api/fortran_*.f. 3.4.6 has the library as a static one only.
"""
import re
import subprocess

import pytest
from measure import objects
from support import programs
from support.machine import VirtualMachine
from support.places import OURS, STOCK, TESTS

# How the names begin that gfortran makes for the module pvm.
OF_MODULE = "__pvm_MOD_"
# What ours adds; the page pvm_spawnt(3) has a program that calls one of them (test/system/test_manuals.py).
ADDED = {"pvmfallgather_", "pvmfallreduce_", "pvmfalltoall_", "pvmfmigrate_", "pvmfregister_"}
ADDED_CONSTANTS = {"PVMTASKTHREAD", "PVMTASKULP"}
PROGRAMS = sorted(path.stem for path in (TESTS / "api").glob("fortran_*.f"))


def listed(name):
    """The names that a file in test/abi tells."""
    return {line for line in (TESTS / "abi" / name).read_text().splitlines() if line[:1] != "#"}


def absent():
    """What ours leaves out, by test/abi/absent."""
    blocks = (TESTS / "abi" / "absent").read_text().split("\n\n")
    return {name for block in blocks if block.startswith("[libfpvm3]")
            for line in block.splitlines()[1:] if line[0] != "#" for name in line.split()}


def archived(system):
    """The functions that the static library defines, those of the module apart."""
    text = subprocess.run(["nm", "--extern-only", "--defined-only", "--format=posix",
                           str(system.libraries / "libfpvm3.a")], check=True, capture_output=True, text=True).stdout
    found = {line.split()[0] for line in text.splitlines() if line.split()[1:2] == ["T"]}
    return {name for name in found if not name.startswith(OF_MODULE)}


def exported():
    """The same of the shared one."""
    return {symbol.name for symbol in objects.exported(OURS.libraries / "libfpvm3.so.3")
            if not symbol.name.startswith(OF_MODULE)}


def test_list_is_that_of_stock():
    assert listed("libfpvm3") == archived(STOCK) and len(archived(STOCK)) > 60


def test_names_are_those_of_stock():
    assert absent() <= listed("libfpvm3")
    assert archived(OURS) == exported() == listed("libfpvm3") - absent() | ADDED


def test_every_routine_is_called():
    """No routine is left out by the programs that compare ours with stock."""
    called = set()
    for program in PROGRAMS:
        text = subprocess.run(["nm", "--undefined-only", "--format=posix", str(programs.build(program, OURS))],
                              check=True, capture_output=True, text=True).stdout
        called |= {line.split()[0] for line in text.splitlines()}
    assert exported() - called == ADDED


def constants(system):
    """Every name of the header but the words of the language."""
    text = re.sub(r"(?m)^[cC!].*$|!.*$|'.*'", "", (system.include / "fpvm3.h").read_text())
    return {name.upper() for name in re.findall(r"[A-Za-z]\w*", text)} - {"INTEGER", "PARAMETER"}


@pytest.mark.parametrize("form", ["fixed", "free"])
def test_constants_have_the_same_values(tmp_path, form):
    """That of 3.4.6 is in fixed form only."""
    names = sorted(constants(STOCK))
    assert names == sorted(constants(OURS) - ADDED_CONSTANTS) and len(names) > 100
    lines = ["      program show", "      implicit none", "      include 'fpvm3.h'",
             *(f"      print '(A,I0,A,I0)', '{name} ', {name}, ' ', kind({name})" for name in names), "      end"]
    printed = []
    for system, name in ((STOCK, "show.f"), (OURS, "show.f" if form == "fixed" else "show.f90")):
        source = tmp_path / name
        source.write_text("\n".join(lines) + "\n")
        strict = ["-std=f2018", "-Wall", "-Werror"] if system is OURS else []
        subprocess.run(["gfortran", *strict, "-ffixed-line-length-none", f"-I{system.include}", source,
                        "-o", tmp_path / "show"], check=True)
        printed.append(subprocess.run([tmp_path / "show"], check=True, capture_output=True, text=True).stdout)
    assert printed[0] == printed[1] and len(printed[0].splitlines()) == len(names)


def test_words_for_a_new_pvmd_are_taken_apart():
    """No pvmd runs before."""
    vm = VirtualMachine(OURS, OURS)
    try:
        ended = vm.run("starting").ok()
        vm.check_nothing_left()
    finally:
        vm.clean_up()
    assert ended.out == "startpvmd: 0\nnhost: 1\nname: <127.0.0.1           >\nhalt: 0\n"


def test_static_library_needs_libgpvm3_for_groups_alone(tmp_path):
    """fortran_pack.f, which knows no groups, is linked to the two static libraries, and does the same."""
    program = tmp_path / "program"
    subprocess.run(["gfortran", "-std=legacy", "-w", f"-I{OURS.include}", f"-I{TESTS / 'support'}",
                    TESTS / "api" / "fortran_pack.f", "-o", program, f"-L{OURS.libraries}", "-l:libfpvm3.a",
                    "-l:libpvm3.a"], check=True)
    needed = subprocess.run(["readelf", "-d", program], check=True, capture_output=True, text=True).stdout
    assert "pvm3" not in needed
    with VirtualMachine(OURS, OURS) as vm:
        static = vm.run(program, merge=True).ok().out
    with VirtualMachine(OURS, OURS) as vm:
        assert vm.run("fortran_pack", merge=True).ok().out == static


def test_compiler_that_writes_names_in_another_way(tmp_path):
    """What configure finds out is all that has to be known: the library with the names of another compiler."""
    folder = TESTS.parent / "pvm3"
    for source in (folder / "fortran").glob("*.c"):
        subprocess.run(["gcc", "-std=gnu17", "-D_GNU_SOURCE", "-DFC_FUNC(name,NAME)=NAME", f"-I{folder / 'include'}",
                        f"-I{folder}", "-c", source, "-o", tmp_path / f"{source.stem}.o"], check=True)
    text = subprocess.run(["nm", "--extern-only", "--defined-only", "--format=posix", *tmp_path.glob("*.o")],
                          check=True, capture_output=True, text=True).stdout
    found = {line.split()[0] for line in text.splitlines() if len(line.split()) > 1}
    assert found == {name.rstrip("_").upper() for name in exported()}
