"""Does the compiler find wrong arguments of a program that uses the module pvm, and right ones do what they should?"""
import subprocess

import pytest
from support import programs
from support.groups import machine
from support.places import OURS, TESTS

PROGRAM = """module operations
  use, intrinsic :: iso_c_binding
  implicit none
contains
  subroutine of_reals(datatype, x, y, num, info)
    integer, intent(in) :: datatype, num
    real, intent(inout) :: x(num)
    real, intent(in) :: y(num)
    integer, intent(out) :: info
    info = 0
    if (datatype == 0) x = y
  end subroutine
  integer(c_int) function by_value(bufid) bind(c)
    integer(c_int), value :: bufid
    by_value = bufid
  end function
  integer(c_int) function by_reference(bufid) bind(c)
    integer(c_int) :: bufid
    by_reference = bufid
  end function
end module
program wrong
  use pvm
  use operations
  implicit none
  type point
    integer :: x, y
  end type
  integer :: i, tids(3), info
  integer(2) :: small
  integer(8) :: long
  real :: r(3)
  real(8) :: d(3)
  logical :: truth
  character(len=5) :: text
  type(point) :: place
  external :: elsewhere
  %s
end program
"""
# Pairs of what must be compiled and what must not be, with a piece of what the compiler says.
NO_SPECIFIC, TYPE = "There is no specific subroutine", "Type mismatch in argument"
PAIRS = [
    ("call pvmfpack(REAL8, d, 3, 1, info)", "call pvmfpack(REAL8, r, 3, 1, info)", NO_SPECIFIC),
    ("call pvmfpack(INTEGER4, i, 1, 1, info)", "call pvmfpack(INTEGER4, d, 3, 1, info)", NO_SPECIFIC),
    ("call pvmfpack(INTEGER2, small, 1, 1, info)", "call pvmfpack(INTEGER2, i, 1, 1, info)", NO_SPECIFIC),
    ("call pvmfpack(INTEGER8, long, 1, 1, info)", "call pvmfpack(INTEGER8, i, 1, 1, info)", NO_SPECIFIC),
    ("call pvmfpack(STRING, text, 5, 1, info)", "call pvmfpack(STRING, i, 1, 1, info)", NO_SPECIFIC),
    ("call pvmfpack(REAL8, d, 3, 1, info)", "call pvmfpack(6, d, 3, 1, info)", NO_SPECIFIC),
    ("call pvmfpack(i, info)", "call pvmfpack(truth, info)", NO_SPECIFIC),
    ("call pvmfpack(place%x, info)", "call pvmfpack(place, info)", NO_SPECIFIC),
    ("call pvmfpack(i, info)", "call pvmfpack(INTEGER4, truth, 1, 1, info)", NO_SPECIFIC),
    ("call pvmfpack(d, info)", "call pvmfpack(d)", NO_SPECIFIC),
    ("call pvmfunpack(d(2:3), info)", "call pvmfunpack(5, info)", NO_SPECIFIC),
    ("call pvmfunpack(REAL4, r, 3, 1, info)", "call pvmfunpack(REAL8, r, 3, 1, info)", NO_SPECIFIC),
    ("call pvmfpsend(i, 1, r, 3, REAL4, info)", "call pvmfpsend(i, 1, r, 3, REAL8, info)", NO_SPECIFIC),
    ("call pvmfprecv(i, 1, r, 3, REAL4, i, i, i, info)", "call pvmfprecv(i, 1, r, 3, INTEGER4, i, i, i, info)",
     NO_SPECIFIC),
    ("call pvmfgather(r, r, 3, REAL4, 1, 'g', 0, info)", "call pvmfgather(r, d, 3, REAL4, 1, 'g', 0, info)",
     NO_SPECIFIC),
    ("call pvmfscatter(d, d, 1, 'g', 0, info)", "call pvmfscatter(d, i, 1, 'g', 0, info)", NO_SPECIFIC),
    ("call pvmfreduce(PvmSum, r, 3, REAL4, 1, 'g', 0, info)", "call pvmfreduce(PvmSum, r, 3, REAL8, 1, 'g', 0, info)",
     NO_SPECIFIC),
    ("call pvmfreduce(elsewhere, d, 1, 'g', 0, info)", "call pvmfreduce(i, d, 1, 'g', 0, info)", NO_SPECIFIC),
    ("call pvmfreduce(of_reals, r, 1, 'g', 0, info)", "call pvmfreduce(of_reals, d, 1, 'g', 0, info)", NO_SPECIFIC),
    ("call pvmfmytid(i)", "call pvmfmytid(r(1))", TYPE),
    ("call pvmfmytid(i)", "call pvmfmytid()", "Missing actual argument"),
    ("call pvmfsend(i, 1, info)", "call pvmfsend(i, 1.0, info)", TYPE),
    ("call pvmfsend(i, 1, info)", "call pvmfsend(i, long, info)", TYPE),
    ("call pvmfsend(i, 1, info)", "call pvmfsend(i, 1, info, i)", "More actual than formal"),
    ("call pvmfjoingroup('g', i)", "call pvmfjoingroup(1, i)", TYPE),
    ("call pvmfgsize('g', i)", "call pvmfgsize(i, 'g')", TYPE),
    ("call pvmfspawn('p', 0, '*', 3, tids, i)", "call pvmfspawn('p', 0, '*', 3, r, i)", TYPE),
    ("call pvmfinitsend(PVMDATARAW, i)", "call pvmfinitsend(REAL8, i)", TYPE),
    ("call pvmfgetmboxinfo('*', text, i, i, tids, tids, tids, info)",
     "call pvmfgetmboxinfo('*', text, i, i, i, tids, tids, info)", "Rank mismatch"),
    ("call pvmfaddmhf(-1, 1, 0, 0, by_value, info)", "call pvmfaddmhf(-1, 1, 0, 0, by_reference, info)",
     "Interface mismatch"),
]
SEEN = """whole, typed 0 T T T T T T T T T T
an element 3 4 0
a stride 1 3 5
a row 0 2 0 4 0 6
a text some
a number 0 0 2 0
typed, whole 0 T T T T T T
the end T
precv 0 T 3 24 1 2 3
precv 0 T 4 16 1 2 2 0
precv 0 4 textxxxxxxxx
handler 50
constants 6 T T 1 -36
spawn 0 T
spawn 0 T
notify 0
own reduction 0
sum 0
maximum 0
gather 0 T
gather 0 T
scatter 0 1 2 3
scatter 0 1 2 3 4
PvmSum 0 2 4 6
exit 0
"""


def compile_lines(folder, *lines):
    """What the compiler says of the program with these lines in it, by line number."""
    source = folder / "program.f90"
    source.write_text(PROGRAM % "\n  ".join(lines))
    return subprocess.run(["gfortran", "-fsyntax-only", f"-J{folder}", f"-I{OURS.include}", source], capture_output=True,
                          text=True)


def test_right_arguments_are_compiled(tmp_path):
    done = compile_lines(tmp_path, *(right for right, _, _ in PAIRS))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("wrong, said", [pair[1:] for pair in PAIRS], ids=[pair[1] for pair in PAIRS])
def test_wrong_arguments_are_found(tmp_path, wrong, said):
    """The compiler refuses that line, and says why."""
    done = compile_lines(tmp_path, wrong)
    place = PROGRAM[:PROGRAM.index("%s")].count("\n") + 1
    assert done.returncode != 0 and f"program.f90:{place}:" in done.stderr, done.stderr
    assert any(piece in done.stderr for piece in said.split("|")), done.stderr


def test_program_does_what_it_says():
    with machine(OURS, OURS) as vm:
        seen = vm.run(programs.build("with_module", OURS)).ok().out
    assert [line.split() for line in seen.splitlines()] == [line.split() for line in SEEN.splitlines()], seen


def test_threads_go_through_lists_and_messages_by_themselves():
    with machine(OURS, OURS) as vm:
        assert vm.run(programs.build("with_threads", OURS)).ok().out.split() == ["wrong", "0"]


def test_every_routine_has_an_interface():
    """What the library exports can be called with arguments that the compiler knows."""
    source = TESTS.parent / "pvm3" / "fortran" / "pvm.f90.in"
    text = source.read_text().lower()
    names = [line for line in (TESTS / "abi" / "libfpvm3").read_text().splitlines() if line.startswith("pvmf")]
    public = text[text.index("module pvm\n"):]
    missing = [name for name in names if f"subroutine {name.rstrip('_')}(" not in public
               and f"interface {name.rstrip('_')}\n" not in public]
    assert len(names) > 60 and not missing
