"""A libpvm3 that lets threads be tasks of their own, for tests: the objects of a build, and test/tasks/tasks.c."""
import fcntl
import functools
import os
import subprocess
from dataclasses import replace

from support.places import OURS, PROGRAMS, TESTS, TOP

_ROOMS = ("core", "ck", "lib")


@functools.lru_cache(maxsize=None)
def library(system=OURS):
    """Like system, but with tasks_begin and tasks_end (tasks.h) in its libpvm3."""
    folder = PROGRAMS / f"{system.name}-tasks-library"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _make(system, folder)
    return replace(system, name=f"{system.name}-tasks", libraries=folder)


def _make(system, folder):
    build = system.libraries.parent.parent
    objects = sorted(path for room in _ROOMS for path in (build / "pvm3" / room).rglob("*.o")
                     if path.parent.name == ".libs")
    assert objects, f"no objects in {build}: PVM_TEST_PREFIX has to be in the folder of its build"
    target, source = folder / "libpvm3.so.3", TESTS / "tasks" / "tasks.c"
    made_of = [*objects, source, TESTS / "support" / "tasks.h"]
    for name in ("libgpvm3.so", "libgpvm3.so.3"):
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(system.libraries / name)
    if target.exists() and target.stat().st_mtime > max(path.stat().st_mtime for path in made_of):
        return
    fresh = folder / f"{target.name}.{os.getpid()}"
    command = [os.environ.get("CC", "gcc"), "-std=gnu17", "-O2", "-g", "-fPIC", "-shared", "-pthread",
               "-fvisibility=hidden", "-include", str(build / "config.h"), *system.flags,
               f"-I{TOP / 'pvm3'}", f"-I{TESTS / 'support'}", f"-I{system.include}",
               "-o", str(fresh), str(source), *map(str, objects), "-Wl,-soname,libpvm3.so.3",
               f"-Wl,--version-script={TOP / 'pvm3' / 'lib' / 'libpvm3.map'}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    fresh.replace(target)
    link = folder / "libpvm3.so"
    if not link.is_symlink():
        link.symlink_to(target.name)
