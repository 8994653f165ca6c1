"""Which binary is meant by the name of a test program?

The C programs beside the tests are compiled against the header and library of the System that they are
to run on, into PROGRAMS/<system>, unless a binary is there that is younger than all that it is made of; a
new one replaces an old one in one step, so that sessions side by side do not disturb each other. The program NAME is NAME.c, with every
NAME_*.c that stands beside it.
"""
import functools
import os
import subprocess

from support.places import EXAMPLES, PROGRAMS, TESTS

_FOLDERS = ("system", "interop", "api", "race", "bench")


def folder(system):
    """The folder in which the test programs for system stand."""
    return PROGRAMS / system.name


def _source(name):
    found = [path for part in _FOLDERS if (path := TESTS / part / f"{name}.c").exists()]
    assert len(found) < 2, f"two test programs of one name: {found}"
    return found[0] if found else None


def _is_fresh(target, made_of):
    return target.exists() and target.stat().st_mtime > max(path.stat().st_mtime for path in made_of)


@functools.lru_cache(maxsize=None)
def build(name, system):
    """Compile the test program name for system; gives its path."""
    system.require()
    source = _source(name)
    assert source, f"no test program {name}.c"
    sources = [source, *sorted(source.parent.glob(f"{name}_*.c"))]
    target = folder(system) / name
    if _is_fresh(target, [*sources, *(TESTS / "support").glob("*.h"), *system.include.glob("*.h")]):
        return target
    fresh = target.with_name(f"{name}.{os.getpid()}")
    target.parent.mkdir(parents=True, exist_ok=True)
    command = [os.environ.get("CC", "gcc"), "-std=gnu17", "-O2", "-g", "-Wall", "-Wextra", "-Wshadow",
               "-pthread", *system.flags, f"-I{system.include}", f"-I{TESTS / 'support'}", *map(str, sources), "-o",
               str(fresh), f"-L{system.libraries}", "-Wl,--as-needed", "-lgpvm3", "-lpvm3", "-lm"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
    fresh.replace(target)
    return target


def find(name, system):
    """The path of a test program, or else of an example program of the packages."""
    if _source(name):
        return build(name, system)
    path = EXAMPLES / name
    assert path.exists(), f"neither a test program nor an example: {name}"
    return path
