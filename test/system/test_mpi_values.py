"""Is what one rank can ask of MPI alone as the standard says, and do compilers find the library?"""
import re
import subprocess

import pytest
from measure import objects
from support.mpi import NoMachine, mpi_program
from support.places import OURS, TOP

PARTS = ["versions", "unsupported", "handlers", "infos", "attributes", "contents", "datatypes", "packs", "operations",
         "threads", "tools", "elements"]
LIMIT = 120


@pytest.mark.parametrize("part", PARTS)
def test_one_rank(part):
    with NoMachine() as alone:
        assert alone.run(mpi_program("mpi_values"), part, limit=LIMIT).ok().out == "ok\n"


def test_an_error_is_fatal_and_says_where_before_mpi_begins():
    with NoMachine() as alone:
        done = alone.run(mpi_program("mpi_values"), "fatal", limit=LIMIT)
        assert done.status == 1 and "MPI_Type_size: invalid datatype" in done.err


def test_each_function_of_the_standard_is_exported_under_both_names():
    header = (OURS.include / "pvm-mpi" / "mpi.h").read_text()
    declared = set(re.findall(r"\b(P?MPI_\w+)\([^()]*\);", re.sub(r"typedef[^;]*;", "", header)))
    exported = {symbol.name for symbol in objects.exported(OURS.libraries / "libmpi_abi.so.1")}
    assert exported == declared and len(declared) == 1328


def test_no_source_defines_a_function_that_is_not_of_the_standard():
    table = (TOP / "pvm3" / "mpi" / "include" / "functions.txt").read_text()
    known = {name + form for name, plus in re.findall(r"^(?:\w+ )?(\w+)([+]?):", table, re.MULTILINE)
             for form in (("", "_c") if plus else ("",))}
    defined = [name for path in (TOP / "pvm3" / "mpi" / "calls").glob("*.c")
               for name in re.findall(r"^MPI_CALL\(\w+, (\w+)\)", path.read_text(), re.MULTILINE)]
    assert not set(defined) - known and len(defined) == len(set(defined))


def test_mpicc_compiles_and_says_what_it_does(tmp_path):
    mpicc = OURS.pvmd.with_name("mpicc")
    source = tmp_path / "program.c"
    source.write_text("#include <mpi.h>\nint main(void) { return MPI_VERSION - 5; }\n")
    subprocess.run([mpicc, "-c", source, "-o", tmp_path / "program.o"], check=True)
    shown = subprocess.run([mpicc, "-show", source], check=True, capture_output=True, text=True).stdout
    assert f"-I{OURS.include / 'pvm-mpi'}" in shown and "-lmpi_abi" in shown
    shown = subprocess.run([mpicc, "-show", "-c", source], check=True, capture_output=True, text=True).stdout
    assert "-lmpi_abi" not in shown
    assert subprocess.run([mpicc], capture_output=True).returncode == 1
