"""Do our shared libraries take the place of 3.4.6's, symbol by symbol?

test/abi/libpvm3 and libgpvm3 name what 3.4.6 exports, test/abi/absent what ours leave out, with
reasons. All three are compared with the libraries themselves, and with what the programs of the
packages ask for.
"""
import os
import re
import subprocess

import pytest
from measure import objects, public
from support import programs
from support.machine import VirtualMachine
from support.places import EXAMPLES, OURS, STOCK, STOCK_ROOT, TESTS

LIBRARIES = ("libpvm3", "libgpvm3")
FOR_GROUPS = {"tev_enter", "tev_leave"}     # for our libgpvm3 alone, which does without them on 3.4.6
LOADER = "/lib64/ld-linux-x86-64.so.2"


def exported(system, library):
    """Name to size in bytes (None: a function) of what the library exports."""
    return {symbol.name: None if symbol.function else symbol.size
            for symbol in objects.exported(system.libraries / f"{library}.so.3")}


def listed(library):
    """The same, as the file in test/abi tells it."""
    rows = [line.split() for line in (TESTS / "abi" / library).read_text().splitlines() if line[:1] != "#"]
    return {row[0]: int(row[1]) if len(row) > 1 else None for row in rows}


def absent(library):
    """What ours leaves out, by test/abi/absent."""
    names = []
    for block in (TESTS / "abi" / "absent").read_text().split("\n\n")[1:]:
        header, *lines = block.splitlines()
        assert lines[0].startswith("# "), f"a group of absent names has no reason:\n{block}"
        if header == f"[{library}]":
            names += [name for line in lines if line[0] != "#" for name in line.split()]
    assert len(names) == len(set(names)), "a name is absent twice"
    return set(names)


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def binaries():
    """The programs of the packages that are no scripts."""
    found = [path for path in sorted(EXAMPLES.iterdir()) if path.is_file() and is_elf(path)]
    assert len(found) > 40, f"few programs in {EXAMPLES}"
    return found


def imports(path):
    """The names that a program or library asks others for."""
    text = subprocess.run(["nm", "--dynamic", "--undefined-only", "--format=posix", str(path)], check=True,
                          capture_output=True, text=True).stdout
    return {line.split()[0].split("@")[0] for line in text.splitlines()}


def undefined(path, *libraries):
    """What the dynamic linker does not find when it binds all of the program to the libraries."""
    environment = {**os.environ, "LD_TRACE_LOADED_OBJECTS": "1", "LD_WARN": "1", "LD_BIND_NOW": "1",
                   "LD_LIBRARY_PATH": ":".join(map(str, libraries))}
    done = subprocess.run([LOADER, str(path)], env=environment, capture_output=True, text=True)
    return set(re.findall(r"undefined symbol: (\w+)", done.stdout + done.stderr))


@pytest.mark.parametrize("library", LIBRARIES)
def test_list_is_that_of_stock(library):
    assert listed(library) == exported(STOCK, library)


@pytest.mark.parametrize("library", LIBRARIES)
def test_symbols_of_stock_are_there(library):
    """Each is of the same kind, and objects have the same size."""
    ours = exported(OURS, library)
    wrong = [f"{name} {size}: {ours.get(name, 'is not there')}" for name, size in listed(library).items()
             if name not in absent(library) and (name not in ours or ours[name] != size)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("library", LIBRARIES)
def test_list_of_absent_symbols_is_exact(library):
    assert absent(library) <= set(listed(library)), "a name is absent that 3.4.6 does not have either"
    assert not absent(library) & set(exported(OURS, library)), "a name is there, and listed as absent"


def test_additions_are_marked():
    """What ours exports beyond 3.4.6 stands in pvm3.h below a comment that says so."""
    added = {name for library in LIBRARIES
             for name in set(exported(OURS, library)) - set(listed(library))} - FOR_GROUPS - public.FOR_PVMULP
    header = (OURS.include / "pvm3.h").read_text()
    marked = set(re.findall(r"/\*\n \* ADDED\.(?:(?!\*/).)*\*/\nint (\w+)\(", header, re.DOTALL))
    assert added and added == marked


def test_additions_alone_have_a_version():
    """That of the release which brought them; what 3.4.6 has too, or may be missing, needs none (libpvm3.map)."""
    text = subprocess.run(["nm", "--dynamic", "--defined-only", OURS.libraries / "libpvm3.so"], check=True,
                          capture_output=True, text=True).stdout
    versions = dict(re.findall(r" [A-Z] (\w+)@@(\S+)$", text, re.MULTILINE))
    assert set(versions) == set(exported(OURS, "libpvm3")) - set(listed("libpvm3")) - {"pvm_threadsafe"} \
        - FOR_GROUPS - {"own_program_error", "stand_in_deliver", "stand_in_has_handler"}
    assert all(version.startswith("PVM_PRIVATE" if name in public.FOR_PVMULP else "PVM_3.4.6.")
               for name, version in versions.items())


@pytest.mark.parametrize("runs, linked", [(STOCK, OURS), (OURS, STOCK)], ids=["linked to ours", "linked to stock"])
def test_program_runs_on_the_other_library(runs, linked):
    """It prints what one prints that was linked to the library on which it runs, and the loader prints nothing."""
    with VirtualMachine(runs, runs) as vm:
        own, other = (vm.run(programs.build("pack", system), merge=True).ok().out for system in (runs, linked))
    assert re.sub(r"\[(pid|t)\w+\]", "", other) == re.sub(r"\[(pid|t)\w+\]", "", own)


def test_loader_refuses_an_addition_on_stock(tmp_path):
    """It names what is missing; what ran before that is not lost to a crash somewhere else."""
    source = tmp_path / "program.c"
    source.write_text("#include <pvm3.h>\nint main(void) { return pvm_resume_recv(); }")
    subprocess.run(["gcc", source, "-o", tmp_path / "program", f"-I{OURS.include}", f"-L{OURS.libraries}", "-lpvm3"],
                   check=True)
    done = subprocess.run([tmp_path / "program"], env={"LD_LIBRARY_PATH": str(STOCK.libraries)},
                          capture_output=True, text=True)
    assert done.returncode == 127 and "pvm_resume_recv, version PVM_3.4.6.1" in done.stderr


@pytest.mark.parametrize("path", binaries(), ids=lambda path: path.name)
def test_program_finds_what_it_imports(path):
    """By the names that it asks for, and by the dynamic linker's own judgement."""
    names = {name for library in LIBRARIES for name in listed(library)}
    ours = {name for library in LIBRARIES for name in exported(OURS, library)}
    missing = (imports(path) & names) - ours
    if path.name == "pvmd":     # it runs on its own library
        assert missing and missing <= absent("libpvm3")
    else:
        assert not missing
        assert not undefined(path, OURS.libraries) & names


def test_libraries_of_the_packages_find_what_they_import():
    """libgpvm3 of 3.4.6 on our libpvm3."""
    ours = exported(OURS, "libpvm3")
    assert not (imports(STOCK.libraries / "libgpvm3.so.3") & set(listed("libpvm3"))) - set(ours)


def test_dynamic_linker_tells_what_is_missing(tmp_path):
    """The test itself: a program that asks for too much is found out."""
    source = tmp_path / "program.c"
    source.write_text("int umbuf_new(void); int main(void) { return umbuf_new(); }")
    subprocess.run(["gcc", str(source), "-o", str(tmp_path / "program"), f"-L{STOCK.libraries}",
                    "-l:libpvm3.so.3"], check=True)
    assert undefined(tmp_path / "program", OURS.libraries, STOCK_ROOT) == {"umbuf_new"}
    assert not undefined(tmp_path / "program", STOCK.libraries)
