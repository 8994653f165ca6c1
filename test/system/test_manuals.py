"""Do the manual pages tell the truth: prototypes, references, collision classes, and examples with what they print?

An example is a literal block in EXAMPLES of a page that begins with the name of its file; the next block is what it
prints. mandoc and groff look at the pages in test/gate.
"""
import contextlib
import ctypes
import os
import re
import subprocess

import pytest
from measure import manual, objects, public
from support.console import Console
from support.hosts import MASTER, HostsMachine
from support.machine import VirtualMachine, wait_gone
from support.places import OURS, PREFIX, TOP

PAGES = manual.pages(TOP)
DECLARED = manual.declared(TOP)
# Without the type of handlers.
TPL_DECLARED = {name: text for name, text in manual.declared(TOP, manual.TPL_HEADERS).items() if "typedef" not in text}
MANUAL = PREFIX / "share" / "man"
# Pages of the system that ours refer to.
SYSTEM_PAGES = {
    ("editrc", "5"),
    ("environ", "7"),
    ("fork", "2"),
    ("getenv", "3"),
    ("gettimeofday", "2"),
    ("kill", "2"),
    ("make", "1"),
    ("poll", "2"),
    ("pthreads", "7"),
    ("putenv", "3"),
    ("select", "2"),
    ("setenv", "3"),
    ("signal", "7"),
    ("sleep", "3"),
    ("srun", "1"),
    ("ssh", "1"),
    ("systemctl", "1"),
    ("tmpnam", "3"),
}

# Constants of the system and of Fortran.
OTHER_CONSTANTS = {"CLOCK_MONOTONIC", "SIGINT", "SIGTERM", "O_EXCL", "PR_SET_NO_NEW_PRIVS", "stderr", "stdout", "STRING",
                   "BYTE1", "INTEGER2", "INTEGER4", "INTEGER8", "REAL4", "REAL8", "COMPLEX8", "COMPLEX16"}
OPTIONAL_SECTIONS = {"PARAMETERS", "ENVIRONMENT", "DIFFERENCES FROM 3.4.6"}


def with_programs():
    return [page for page in PAGES if page.programs]


def page_of(name):
    return next(page for page in PAGES if name in page.names)


def of_functions():
    return [page for page in PAGES if page.section == "3" and set(page.names) & set(DECLARED)]


def test_every_name_has_one_page():
    names = [(name, page.section) for page in PAGES for name in page.names]
    assert sorted(names) == sorted(set(names))
    assert all((page.path.stem, page.section) in names or page.section == "3" for page in PAGES)


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_name_leads_to_the_installed_page(page):
    """As man finds it, in the folder of the manual."""
    folder = f"man{page.section}"
    text = (MANUAL / folder / page.path.name).read_text()
    assert text == page.text, "not what make install has installed"
    for name in page.names:
        found = (MANUAL / folder / f"{name}.{page.section}").read_text()
        assert found in (text, f".so {folder}/{page.path.name}\n")


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_references_lead_to_pages(page):
    known = {(name, other.section) for other in PAGES for name in [*other.names, other.path.stem]}
    assert page.references - known - SYSTEM_PAGES == set()


def test_every_program_has_a_page():
    assert {path.name for path in (PREFIX / "bin").iterdir()} - {name for page in PAGES if page.section == "1"
                                                                 for name in page.names} == set()


def test_every_function_has_a_page():
    assert set(DECLARED) - {name for page in PAGES if page.section == "3" for name in page.names} == set()


@pytest.mark.parametrize("page", of_functions(), ids=str)
def test_prototypes_are_those_of_the_headers(page):
    functions = [name for name in page.names if not name.startswith("pvmf")]
    assert page.prototypes == {name: DECLARED.get(name) for name in functions}


def test_prototypes_of_tpl_are_those_of_its_header():
    """Each function has a page, with an example, to which the overview leads."""
    pages = [page for page in PAGES if set(page.names) & set(TPL_DECLARED)]
    told = [item for page in pages for item in page.prototypes.items()]
    assert len(told) > 25 and sorted(told) == sorted(TPL_DECLARED.items())
    assert [page for page in pages if not page.programs] == []
    assert set(TPL_DECLARED) - {name for name, _ in page_of("tpl").references} == set()


@pytest.mark.parametrize("page", [page for page in PAGES if page.section == "3"], ids=str)
def test_the_list_of_parameters_has_those_of_the_synopsis(page):
    """All of C and of Fortran, each once, and no others."""
    wanted = {name for function, text in page.prototypes.items() for name in manual.parameters(function, text)}
    wanted_of_fortran = {name for _, arguments in page.fortran for name in arguments.split(", ")}
    of_c, of_fortran = page.parameters
    assert sorted(of_c) == sorted(wanted)
    assert set(of_fortran) <= wanted_of_fortran <= {*of_fortran, *of_c}


@pytest.mark.parametrize("page", of_functions(), ids=str)
def test_collision_classes_are_those_of_the_page_about_threads(page):
    """But for tracing, in which everything is that can be traced."""
    classes, order = public.classes_of_manual(TOP)
    functions = [name for name in page.names if name in classes]
    expected = set().union(*(classes[name] for name in functions)) - {"tracing"}
    if functions:
        assert page.classes == ([name for name in order if name in expected] or ["none"])


@pytest.mark.parametrize("page", of_functions(), ids=str)
def test_has_its_sections(page):
    expected = ["NAME", "SYNOPSIS", "PARAMETERS", "DESCRIPTION", "RETURN VALUES", "ENVIRONMENT", "THREADS", "EXAMPLES",
                "DIFFERENCES FROM 3.4.6", "SEE ALSO"]
    told = page.titles
    assert told == [title for title in expected if title in told or title not in OPTIONAL_SECTIONS]
    assert page.programs


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_constants_are_those_of_the_headers(page):
    text = "".join(manual.header(TOP, header) for header in ("pvm3.h", "pvmtev.h", "pvmproto.h", "fpvm3.h", "tpl.h"))
    text += (TOP / "pvm3" / "mpi" / "include" / "mpi.h.in").read_text()
    told = {word for line in re.findall(r"^\.(?:It )?Dv (.*)", page.text, re.MULTILINE)
            for word in re.findall(r"\w+", re.split(r" (?:No|Ns|Dq|Pq|Ta) ", line)[0])}
    assert told - set(re.findall(r"\w+", text)) - OTHER_CONSTANTS == set()


def test_overview_names_every_function():
    assert {name for name, _ in page_of("libpvm").references} >= set(DECLARED)


def test_lines_for_fortran_are_those_of_the_module():
    """With the names of the arguments, which programs may use."""
    told = dict(line for page in PAGES for line in page.fortran)
    module = (TOP / "pvm3" / "fortran" / "pvm.f90.in").read_text()
    defined = {}
    for name, arguments in re.findall(r"^ *subroutine (pvmf\w+)\((.*)\)$", module, re.MULTILINE):
        defined.setdefault(name, arguments)
    assert told == defined
    assert {name for name, _ in page_of("libfpvm").references} >= set(defined)


def test_error_codes_are_told_with_their_numbers_and_texts():
    told = re.findall(r'^\.It Dv (\w+) No \\&\((-?\d+)\) Dq "(.*)"$', page_of("pvm_errors").text, re.MULTILINE)
    defined = re.findall(r"^#define (Pvm\w+) +\(?(-\d+|0)\)?$", manual.header(TOP, "pvm3.h").partition("/* Error codes. */")[2],
                         re.MULTILINE)
    texts = (ctypes.c_char_p * 37).in_dll(ctypes.CDLL(OURS.libraries / "libpvm3.so.3"), "pvm_errlist")
    assert len(defined) > 30
    assert told == [(name, code, texts[-int(code)].decode()) for name, code in defined]


def test_all_variables_of_the_environment_are_told():
    """Those of the environment that the sources name."""
    page = page_of("pvm_environment")
    told = {name for line in re.findall(r"^\.It Ev (.*)", page.text, re.MULTILINE) for name in line.split(" , ")}
    sources = "".join(path.read_text() for path in (TOP / "pvm3").rglob("*.c"))
    assert told - {"HOME"} == set(re.findall(r'"(PVM(?:[A-Z]+|_[A-Z_]+))"', sources))


def test_all_exported_names_are_told():
    """Those that no header declares are in a page of their own, but for those that our own programs alone use."""
    page = page_of("pvm_symbols")
    data = " ".join(re.findall(r"^\.It Va (.*)", page.text, re.MULTILINE))
    told = {*(name for name in page.names[1:] if not name.startswith("pvmf")),
            *re.findall(r"\b(?:pvm\w+|tev_\w+)", data)}
    exported = {symbol.name for library in ("libpvm3", "libgpvm3")
                for symbol in objects.exported(OURS.libraries / f"{library}.so")
                if not symbol.name.startswith("__")}     # of a sanitizer
    assert told == exported - set(DECLARED) - public.FOR_PVMULP


def test_keys_of_traces_are_told():
    class Key(ctypes.Structure):
        _fields_ = [("key", ctypes.c_char_p), ("meaning", ctypes.c_char_p)]
    keys = (Key * 123).in_dll(ctypes.CDLL(OURS.libraries / "libpvm3.so.3"), "pvmtevdidlist")
    told = re.findall(r"^\.It ([A-Z]+) Ta (.*)", page_of("pvm_trace").text, re.MULTILINE)
    assert told == sorted((key.key.decode(), key.meaning.decode()) for key in keys)


def test_layouts_of_traces_are_those_of_a_real_one(tmp_path):
    """Of the program that is the example of pvm_send(3)."""
    example, = page_of("pvm_trace").blocks("EXAMPLES")
    layouts = re.findall(r"^#\d+: [\s\S]*?^};;$", example, re.MULTILINE)
    name, text, _ = page_of("pvm_send").programs[0]
    program = compiled(tmp_path, name, text)
    with VirtualMachine(OURS, OURS, variables={"PVM_PATH": str(tmp_path)}) as vm:
        console = Console(vm, OURS)
        console.do("trace + send")
        console.run_job(f"spawn -@{tmp_path}/trace -> {program.name}")
        console.quit().ok()
    written = (tmp_path / "trace").read_text()
    assert len(layouts) == 2 and [layout for layout in layouts if layout not in written] == []
    (tmp_path / "example").write_text(example)
    sorted_again = subprocess.run([OURS.pvmd.parent / "trcsort", tmp_path / "example"], capture_output=True, text=True)
    assert sorted_again.returncode == 0 and sorted_again.stderr == ""
    assert re.findall(r"^\".*};;$", sorted_again.stdout, re.MULTILINE) == re.findall(r"^\".*};;$", example, re.MULTILINE)


def compiled(folder, name, text):
    """Write an example to the folder and compile it there."""
    source = folder / name
    source.write_text(text)
    if source.suffix == ".f90":
        compiler = [os.environ.get("FC", "gfortran"), "-std=f2018", "-Wall", "-Wextra", "-Werror", "-J", str(folder)]
        libraries = ["-lfpvm3"]
    else:
        compiler = [os.environ.get("CC", "gcc"), "-std=c17", "-D_DEFAULT_SOURCE", "-Wall", "-Wextra", "-Werror",
                    "-pthread"]
        libraries = ["-Wl,--as-needed", "-ltpl", "-lgpvm3", "-lpvm3", "-lm"]
    command = [*compiler, *OURS.flags, f"-I{OURS.include}", str(source), "-o", str(folder / source.stem),
               f"-L{OURS.libraries}", *libraries]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / source.stem


def numbered(text):
    """The text with its tids numbered in the order in which they appear."""
    numbers = {}
    return re.sub(r"\bt[0-9a-f]{5,8}\b", lambda tid: f"tid{numbers.setdefault(tid.group(), len(numbers))}", text)


@contextlib.contextmanager
def without_daemon(*what, **how):
    """What programs of a virtual machine need, without the daemon."""
    vm = VirtualMachine(*what, **how)
    try:
        yield vm
        vm.check_nothing_left()
    finally:
        vm.clean_up()


# Examples with another place to run in than a virtual machine of one host, and the words that they are called with.
PLACES = {
    "grow.c": (HostsMachine, ["127.0.0.3", MASTER]),
    "unwilling.c": (HostsMachine, []),
    "whole.c": (without_daemon, []),
}
HALTING = {"finish.c", "whole.c"}


def running(vm, program):
    """Process ids of the tasks that run the program."""
    found = set()
    for pid in vm.processes():
        with contextlib.suppress(OSError):
            if os.path.samefile(f"/proc/{pid}/exe", program):
                found.add(pid)
    return found


@pytest.mark.parametrize("page", with_programs(), ids=str)
def test_examples_print_what_the_page_says(page, tmp_path):
    for name, text, output in page.programs:
        program = compiled(tmp_path, name, text)
        place, words = PLACES.get(name, (VirtualMachine, []))
        with place(OURS, OURS, variables={"PVM_PATH": f"{tmp_path}:{OURS.pvmd.parent}",
                                          "LD_LIBRARY_PATH": str(OURS.libraries)}) as vm:
            ended = vm.run(program, *words).ok()
            assert (numbered(ended.out), ended.err) == (numbered(output), "")
            assert not wait_gone(running(vm, program)), "copies of the example still run"
            if name not in HALTING:
                vm.until_all_enrolled()     # group servers, of which all but one end
            elif vm.pvmd:
                assert vm.pvmd.ended().status == 0


def test_no_two_examples_have_one_name():
    names = [name for page in PAGES for name, *_ in page.programs]
    assert sorted(names) == sorted(set(names))
