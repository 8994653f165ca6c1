"""Which binary is meant by the name of a test program?

The C and Fortran programs beside the tests, and the servers of TPL, are compiled against the headers and libraries of
the System that they are to run on, into PROGRAMS/<system>, unless a binary is there that is younger than all that it
is made of; one at a time makes it, and a new one replaces an old one in one step, so that sessions side by side do not
disturb each other. The program NAME is NAME.c, with every NAME_*.c beside it and the PART.c beside each PART.h of the
tests or the servers that it includes, NAME.f, which includes what it needs, or NAME.f90, which uses the module pvm.
"""
import fcntl
import functools
import os
import re
import subprocess
import tempfile
from pathlib import Path

from support.places import EXAMPLES, OURS, PROGRAMS, TESTS, TOP, tpl_library

_SERVERS = TOP / "tpl" / "servers"
_FOLDERS = [*(TESTS / part for part in ("random", "system", "interop", "api", "race", "bench", "bench/pmpvm",
                                        "bench/upvm", "tpl", "patches")), _SERVERS]


def folder(system):
    """The folder in which the test programs for system stand."""
    return PROGRAMS / system.name


def _source(name):
    found = [path for part in _FOLDERS for kind in ("c", "f", "f90")
             if (path := part / f"{name}.{kind}").exists()]
    assert len(found) < 2, f"two test programs of one name: {found}"
    return found[0] if found else None


def _with_included(source):
    """A source and what it includes in quotes, directly or not, as far as that is no header of a System."""
    found, new = set(), {source}
    while new:
        found |= new
        named = [(path.parent / name, TESTS / "support" / name, _SERVERS / name) for path in new
                 for name in re.findall(r"""^[ #]*include ["']([^"']+)["']""", path.read_text(), re.MULTILINE)]
        new = {path.resolve() for places in named for path in places if path.exists()} - found
    return found


def _is_fresh(target, made_of):
    return target.exists() and target.stat().st_mtime > max(path.stat().st_mtime for path in made_of)


def _compiler(source, modules):
    """The compiler and the words that say what it is to accept and to complain of, and where modules go."""
    if source.suffix == ".f":   # as programs of 1995 are: they pass anything to the same procedure
        return [os.environ.get("FC", "gfortran"), "-std=legacy", "-w"]
    if source.suffix == ".f90":
        return [os.environ.get("FC", "gfortran"), "-std=f2018", "-fopenmp", "-Wall", "-Wextra", f"-J{modules}"]
    return [os.environ.get("CC", "gcc"), "-std=gnu17", "-Wall", "-Wextra", "-Wshadow", "-pthread"]


def _parts(source):
    """What a C program consists of beside its first source."""
    found = {path.with_suffix(".c") for path in _with_included(source)
             if path.suffix == ".h" and (TESTS in path.parents or path.parent == _SERVERS)}
    return {*filter(Path.exists, found), *source.parent.glob(f"{source.stem}_*.c")} - {source}


def _libraries(source):
    text = "".join(path.read_text() for path in _with_included(source))
    tpl = [f"-I{OURS.include}", f"-L{tpl_library()}", "-ltpl"] if "#include <tpl.h>" in text else []
    zeromq = ["-lzmq"] if "#include <zmq.h>" in text else []
    mpi = [f"-I{OURS.include / 'pvm-mpi'}", f"-L{OURS.libraries}", "-lmpi_abi"] if "#include <mpi.h>" in text else []
    fortran = ["-lfpvm3"] if source.suffix != ".c" else []
    # Functions that are spawned are found by their names.
    spawned = ["-rdynamic"] if "PvmTaskThread" in text else []
    return [*tpl, *zeromq, *mpi, *spawned, "-Wl,--as-needed", *fortran, "-lgpvm3", "-lpvm3", "-lm"]


# A program that "many" loads several times. Its threads belong to the task that makes them. What it observes is printed
# apart.
_LOADED = ["-shared", "-fPIC", "-include", "own_threads.h"]
_APART = ["-include", "own_output.h"]


@functools.lru_cache(maxsize=None)
def build(name, system, loaded=False):
    """Compile the test program name for system; gives its path. With loaded, as a library."""
    system.require()
    source = _source(name)
    assert source, f"no test program {name}"
    sources = [source, *sorted(_parts(source))]
    target = folder(system) / (f"{name}.so" if loaded else name)
    headers = [*system.include.glob("*.h"), *OURS.include.glob("tpl.h")]
    made_of = [*headers, *(path for part in sources for path in _with_included(part))]
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.with_name(f"{target.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)   # a program that runs finds itself by its name: it is not replaced by its like
        if not _is_fresh(target, made_of):
            extra = _LOADED + _APART * (source.parent.name == "api") if loaded else []
            _compile(system, source, sources, target, extra)
    return target


def _compile(system, source, sources, target, extra):
    fresh = target.with_name(f"{target.name}.{os.getpid()}")
    with tempfile.TemporaryDirectory() as modules:
        command = [*_compiler(source, modules), "-O2", "-g", *system.flags, *extra, f"-I{system.include}",
                   f"-I{TESTS / 'support'}", f"-I{_SERVERS}", *map(str, sources), "-o", str(fresh),
                   f"-L{system.libraries}", *_libraries(source)]
        done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
    fresh.replace(target)


def find(name, system):
    """The path of a test program, or else of an example program of the packages."""
    if _source(name):
        return build(name, system)
    path = EXAMPLES / name
    assert path.exists(), f"neither a test program nor an example: {name}"
    return path
