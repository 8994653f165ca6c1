"""Which packages does `make deb` make, and what does `make install` put where?

Both are done in build/installation, a copy of build/plain without what is installed there, once for what was built
last: so nothing else is disturbed by another prefix. Several processes may ask at once.
"""
import fcntl
import functools
import json
import os
import shutil
import subprocess
from pathlib import Path

from support.places import TOP

PLAIN = TOP / "build" / "plain"
PREFIX = PLAIN / "prefix"
COPY = TOP / "build" / "installation"
NOT_COPIED = shutil.ignore_patterns("prefix", "*.log", "*.lock", "deb")
AUTOTOOLS = ("aclocal", "autoconf", "autoheader", "automake", "autoreconf", "libtoolize")


def _make(*arguments, **variables):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")} | variables
    done = subprocess.run(["make", "-C", COPY, *arguments], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"make {' '.join(map(str, arguments))}:\n{done.stdout}{done.stderr}"


def _files(root):
    """Path below the prefix to where it leads, null if it is no link, of all but folders in a root folder."""
    prefix = root / PREFIX.relative_to("/")
    return {os.path.relpath(path, prefix): os.readlink(path) if path.is_symlink() else None
            for path in sorted(root.rglob("*")) if path.is_symlink() or not path.is_dir()}


def _build():
    """Install into a clean root, list that, uninstall, list what is left; make a release and list that; make the
    packages."""
    shutil.rmtree(COPY, ignore_errors=True)
    shutil.copytree(PLAIN, COPY, symlinks=True, ignore=NOT_COPIED)
    root = COPY / "clean-root"
    _make("install", f"DESTDIR={root}")
    (COPY / "installed.json").write_text(json.dumps(_files(root)))
    _make("uninstall", f"DESTDIR={root}")
    (COPY / "left.json").write_text(json.dumps(_files(root)))
    _make("distdir")
    release = next(COPY.glob("pvm-*/configure")).parent
    (COPY / "release.json").write_text(json.dumps([str(path.relative_to(release)) for path in release.rglob("*")]))
    shutil.rmtree(release)
    _make("deb", PATH=f"{_refusals()}:{os.environ['PATH']}")


def _refusals():
    """A folder with the names of the autotools, which refuse to work, and tell autotools.log who was called."""
    folder = COPY / "refusals"
    folder.mkdir()
    for name in AUTOTOOLS:
        (folder / name).write_text(f'#!/bin/sh\necho "{name} $*" >> {COPY}/autotools.log\nexit 1\n')
        (folder / name).chmod(0o755)
    return folder


@functools.lru_cache(maxsize=None)
def made():
    """The folder in which everything is, made of what was built last."""
    built = PLAIN / "installed"
    assert built.exists(), "run conf/build plain"
    done = COPY / "done"
    with open(TOP / "build" / "installation.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists() or done.stat().st_mtime <= built.stat().st_mtime:
            _build()
            done.touch()
    return COPY


def installed():
    """What make install puts into a clean root: path below the prefix to where it leads, None if it is no link."""
    return json.loads((made() / "installed.json").read_text())


def left():
    """The same of what make uninstall leaves there."""
    return json.loads((made() / "left.json").read_text())


def release():
    """What `make dist` puts into a release: files and folders."""
    return json.loads((made() / "release.json").read_text())


def autotools_called():
    """The autotools that were called while packages were built of a release."""
    log = made() / "autotools.log"
    return log.read_text().splitlines() if log.exists() else []


def source_package():
    """The .dsc of our packages."""
    return next((made() / "deb").glob("*.dsc"))


def ours():
    """Name to path of our packages."""
    return {name: path for name, path in all_made().items() if not name.endswith("-dbgsym")}


def all_made():
    """The same with those of debugging symbols."""
    return {path.name.split("_")[0]: path for path in sorted((made() / "deb").glob("*.deb"))}


def changes():
    """The file that lists them, for those who look at all."""
    return next((made() / "deb").glob("*.changes"))


@functools.lru_cache(maxsize=None)
def stock():
    """Name to path of the packages of 3.4.6."""
    done = subprocess.run([TOP / "conf" / "unpack-stock", "--packages"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {Path(line).name.split("_")[0]: Path(line) for line in done.stdout.splitlines()}


@functools.lru_cache(maxsize=None)
def contents(package):
    """What a package has, without the first slash: path to the letter of its kind and the rights."""
    done = subprocess.run(["dpkg-deb", "--contents", package], capture_output=True, text=True, check=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    return {row[5].removeprefix("./").rstrip("/"): row[0] for row in rows if row[5] != "./"}


def field(package, name):
    done = subprocess.run(["dpkg-deb", "--field", package, name], capture_output=True, text=True, check=True)
    return done.stdout.strip()
