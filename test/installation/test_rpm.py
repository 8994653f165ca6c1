"""Has each file that `make install` makes a place in one of the packages of conf/rpm/pvm.spec, and is there each file
that the spec names?

rpmspec reads the spec. What it removes after the installation is read from it, too.
"""
import fnmatch
import functools
import re
import subprocess

from support import packages

# How the spec has the folders installed that other distributions have elsewhere: %make_install and its arguments.
MOVED = {"/usr/lib/pvm3/python/pvm/": "/python/pvm/", "/usr/share/doc/pvm3/examples/": "/usr/share/doc/pvm-devel/examples/"}
FOLDERS = {"_lib": "lib", "_libdir": "/usr/lib", "python3_sitelib": "/python"}
OF_MPI = re.compile(r"/mpi|/libmpi|/pvm-mpi")      # configure --disable-mpi


@functools.lru_cache(maxsize=None)
def spec():
    """The spec without macros."""
    words = [word for name, path in FOLDERS.items() for word in ("--define", f"{name} {path}")]
    return subprocess.run(["rpmspec", *words, "--parse", packages.PLAIN / "conf" / "rpm" / "pvm.spec"], check=True,
                          capture_output=True, text=True).stdout


def named():
    """Package to the patterns of its files."""
    found = {}
    for title, lines in re.findall(r"^%files ?(.*)\n((?:.+\n)+)", spec(), re.MULTILINE):
        found[title] = [line for line in lines.splitlines() if line.startswith("/")]
    return found


def removed():
    """Patterns of the files that the spec removes."""
    script = re.search(r"^%install\n(.*?)^%files", spec(), re.DOTALL | re.MULTILINE)[1].replace("\\\n", " ")
    return [f"/usr/{word}" for line in script.splitlines() if line.startswith("rm ") for word in line.split()[1:]]


def installed():
    found = []
    for path in packages.installed():
        path = f"/usr/{path}"
        if OF_MPI.search(path) or any(matches(path, pattern) for pattern in removed()):
            continue
        for old, new in MOVED.items():
            path = path.replace(old, new)
        if not path.startswith("/usr/share/gdb/"):      # below it is the whole path of pvmulp
            found.append(path)
    return found


def matches(path, pattern):
    return fnmatch.fnmatch(path, pattern) or path.startswith(f"{pattern}/")


def test_each_file_is_in_one_package():
    wrong = {path: owners for path in installed()
             if len(owners := [name for name, patterns in named().items() for pattern in patterns
                               if matches(path, pattern)]) != 1}
    assert not wrong and len(installed()) > 200 and set(named()) == {"", "libs", "devel", "-n python3-pvm"}


def test_each_file_of_the_spec_is_there():
    assert not [pattern for patterns in named().values() for pattern in patterns
                if "/gdb" not in pattern and not any(matches(path, pattern) for path in installed())]
