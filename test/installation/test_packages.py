"""Do our packages take the place of the distribution's, and does everything work where they have put it?

All is done on systems that are thrown away (support/root.py).
"""
import contextlib
import os
import re
import subprocess

from support import packages
from support.places import TESTS, TOP
from support.root import Root

REPLACED = ("libpvm3", "pvm", "pvm-dev")
ADDED = ("python3-pvm", "pvm-view")
SOURCES = {name: (TESTS / "installation" / name).read_text() for name in ("greet.c", "greet.f90", "old.f")}
PRINTED = "hello from one of 3\n" * 2
MAKEFILE = """CFLAGS = -g -I$(PVM_ROOT)/include $(ARCHCFLAGS)
greet: {0}/greet.c
\t$(CC) $(CFLAGS) {0}/greet.c -o $@ -L$(PVM_ROOT)/lib/$(PVM_ARCH) -lgpvm3 -lpvm3 $(ARCHLIB)
"""
CMAKE = """cmake_minimum_required(VERSION 3.13)
project(greet C Fortran)
find_package(pvm3 3.4.6 REQUIRED COMPONENTS gpvm3 fpvm3)
foreach(kind IN ITEMS "" "_static")
  add_executable(greet${kind} greet.c)
  target_link_libraries(greet${kind} PRIVATE pvm3::gpvm3${kind})
  add_executable(greet_fortran${kind} greet.f90)
  target_link_libraries(greet_fortran${kind} PRIVATE pvm3::fpvm3${kind})
endforeach()
"""
# How the program is made, in a folder with its sources, Makefile.aimk, makefile.old and CMakeLists.txt: the commands,
# and the programs that there are then.
WAYS = {
    "pkg-config": ("cc greet.c -o greet $(pkg-config --cflags --libs gpvm3)", ["greet"]),
    "static": ("cc -static greet.c -o greet $(pkg-config --static --cflags --libs gpvm3)", ["greet"]),
    "no options but the libraries": ("cc greet.c -o greet -lgpvm3 -lpvm3", ["greet"]),
    "aimk": ("aimk", ["LINUX64/greet"]),
    "makefile of old": ("make -f makefile.old PVM_ROOT=/usr/lib/pvm3 PVM_ARCH=LINUX64", ["greet"]),
    "CMake": ("cmake . && make", ["greet", "greet_static", "greet_fortran", "greet_fortran_static"]),
    "Fortran": ("gfortran greet.f90 -o greet $(pkg-config --cflags --libs fpvm3)", ["greet"]),
    "Fortran of old": ("gfortran old.f -o greet -I/usr/lib/pvm3/include -L/usr/lib/pvm3/lib/LINUX64 "
                       "-lfpvm3 -lgpvm3 -lpvm3", ["greet"]),
}


def folders():
    """All in which some package has something."""
    found = set()
    for package in [*packages.stock().values(), *packages.ours().values()]:
        found |= {path for path, rights in packages.contents(package).items() if rights[0] == "d"}
    return found


@contextlib.contextmanager
def system(place):
    """A Root on which nothing is left of what was installed and used there."""
    with Root(folders(), place) as root:
        before = root.files()
        yield root
        installed = versions(root)
        root.run("dpkg", "--purge", *installed).ok()
        assert root.files() == before and versions(root) == {}


def install(root, paths, *options):
    names = [f"/tmp/{path.name}" for path in paths]
    for path, name in zip(paths, names):
        root.write(name, path.read_bytes())
    root.run("dpkg", *options, "--install", *names).ok()
    root.run("rm", *names).ok()


def versions(root):
    """Name to version of the packages of PVM that are installed, or left in part."""
    done = root.run("dpkg-query", "-W", "-f", "${db:Status-Abbrev} ${Package} ${Version}\n", "pvm*", "libpvm*", "python3-pvm")
    return {row[1]: row[2] for row in map(str.split, done.out.splitlines()) if len(row) > 2}


def paths_of(names, made):
    """What the packages have that is no folder, with the first slash."""
    return {f"/{path}" for name in names for path, rights in packages.contents(made[name]).items() if rights[0] != "d"}


def test_no_file_moves_to_another_package():
    """Else a package would have to say that it replaces the other."""
    stock, ours = packages.stock(), packages.ours()
    moved = {f"{path}: {old}, {new}" for old in stock for new in ours for path in paths_of([old], stock) & paths_of([new], ours)
             if old != new}
    assert not moved


def test_lintian_has_nothing_to_say():
    """Neither errors nor warnings."""
    done = subprocess.run(["lintian", "--allow-root", "--tag-display-limit", "0", packages.changes()], capture_output=True,
                          text=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
    assert done.returncode == 0 and done.stdout == "", f"{done.stdout}{done.stderr}"


def test_a_release_is_built_without_autotools():
    assert packages.autotools_called() == []
    refusal = packages.COPY / "refusals" / "autoconf"
    assert subprocess.run([refusal]).returncode == 1 and packages.autotools_called() == ["autoconf "], "the test itself"
    (packages.COPY / "autotools.log").unlink()


def test_source_package_has_the_release(tmp_path):
    subprocess.run(["dpkg-source", "--no-check", "-x", packages.source_package(), tmp_path / "source"], check=True,
                   capture_output=True)
    unpacked = {str(path.relative_to(tmp_path / "source")) for path in (tmp_path / "source").rglob("*")}
    assert set(packages.release()) <= unpacked
    added = {path for path in unpacked - set(packages.release()) if path.split("/")[0] != "debian"}
    assert not added


def test_packages_are_hardened_and_have_their_symbols_beside(tmp_path):
    made = packages.all_made()
    assert set(made) == {*REPLACED, *ADDED, *(f"{name}-dbgsym" for name in REPLACED)}
    subprocess.run(["dpkg-deb", "-x", made["pvm"], tmp_path], check=True)
    about = subprocess.run(["readelf", "-Wdhns", tmp_path / "usr/bin/pvmd"], capture_output=True, text=True, check=True).stdout
    assert "Type:                              DYN" in about and "BIND_NOW" in about and "RUNPATH" not in about
    assert "__stack_chk_fail" in about and "_chk@" in about
    number = re.search(r"Build ID: (..)(\w+)", about)
    symbols = packages.contents(made["pvm-dbgsym"])
    assert f"usr/lib/debug/.build-id/{number[1]}/{number[2]}.debug" in symbols


def test_remote_shell_is_ssh_when_it_comes(tmp_path):
    """Later than pvm, and goes again."""
    chosen = ("readlink", "/etc/alternatives/pvm-rsh")
    with Root(folders(), tmp_path) as root:
        root.run("mv", "/usr/bin/ssh", "/usr/bin/ssh.kept").ok()
        root.run("rm", "-f", "/usr/bin/rsh").ok()
        install(root, [packages.ours()["libpvm3"], packages.ours()["pvm"]])
        assert root.run(*chosen).status == 1
        for command, expected in (["mv", "/usr/bin/ssh.kept", "/usr/bin/ssh"], "/usr/bin/ssh\n"), (["rm", "/usr/bin/ssh"], ""):
            root.run(*command).ok()
            root.run("dpkg-trigger", "--by-package=openssh-client", "/usr/bin/ssh").ok()    # as dpkg does it for a file
            root.run("dpkg", "--triggers-only", "--pending").ok()
            assert root.run(*chosen).out == expected


def test_packages_take_the_place_of_those_of_stock(tmp_path):
    stock, ours = packages.stock(), {name: packages.ours()[name] for name in REPLACED}
    with system(tmp_path) as root:
        # What the old packages need besides may not be here; nobody is to use them.
        root.run("ln", "-s", "ssh", "/usr/bin/rsh").ok()
        install(root, list(stock.values()), "--force-depends")
        assert versions(root) == {name: packages.field(path, "Version") for name, path in stock.items()}
        assert root.run("readlink", "/etc/alternatives/pvm-rsh").ok().out == "/usr/bin/rsh\n"
        # As apt does it: the pvmd of 3.4.6 cannot run on our library, and is configured again when it is ours.
        install(root, list(ours.values()), "--auto-deconfigure")
        assert {name: version for name, version in versions(root).items() if name in ours} == \
            {name: packages.field(path, "Version") for name, path in ours.items()}
        assert root.run("dpkg", "--verify", *REPLACED).ok().out == ""
        # What depends on libpvm3 (>= 3.4.6) is content: dpkg configures it without being forced.
        install(root, [stock["pvm-examples"]], "--ignore-depends=libxaw7,libxt6,libx11-6,libgfortran5")
        gone = paths_of(REPLACED, stock) - paths_of(REPLACED, ours)
        left = root.run("sh", "-c", 'for path; do [ ! -e "$path" ] || echo "$path"; done', "sh", *sorted(gone)).out
        assert left == "" and gone
        assert root.run("readlink", "/etc/alternatives/pvm-rsh").ok().out == "/usr/bin/ssh\n"
        root.run("rm", "/usr/bin/rsh").ok()


def make(root, way):
    """The programs that the way makes, with their paths in the Root."""
    folder = f"/home/user/{way.replace(' ', '_')}"
    for name, text in {**SOURCES, "Makefile.aimk": MAKEFILE.format("$(AIMK_SRC)"), "CMakeLists.txt": CMAKE,
                       "makefile.old": MAKEFILE.format(".")}.items():
        root.write(f"{folder}/{name}", text)
    command, made = WAYS[way]
    root.run("sh", "-c", f"cd {folder} && {command}").ok()
    return [f"{folder}/{name}" for name in made]


def test_packages_are_all_that_a_user_needs(tmp_path):
    """Nothing is set in the environment but where root may use PVM. Programs are looked for in ~/pvm3/bin/LINUX64."""
    with system(tmp_path) as root:
        install(root, list(packages.ours().values()))
        install(root, [packages.stock()["pvm-examples"]], "--force-depends")
        assert root.run("pvmgetarch").ok().out == "LINUX64\n"
        assert "conf" in root.run("pvm", input="help\nconf\nquit\n").ok().out
        root.run("mkdir", "-p", "pvm3/bin/LINUX64").ok()
        for way in WAYS:
            for program in make(root, way):
                root.run("ln", "-sf", program, "pvm3/bin/LINUX64/greet").ok()
                assert root.run("pvm3/bin/LINUX64/greet").ok().out == PRINTED, way
        # The program of the manual, which spawns itself. What Python compiles goes with its package.
        page = (TOP / "pvm3" / "man" / "pvm_python.7").read_text()
        root.write("/home/user/square.py", re.search(r"^# square\.py\n(.*?)^\.Ed", page, re.DOTALL | re.MULTILINE)[1])
        assert root.run("python3", "square.py").ok().out == "14\n"
        # A program of 3.4.6, which spawns another.
        root.run("ln", "-s", "/usr/bin/hello_other", "pvm3/bin/LINUX64/").ok()
        assert ": hello, world from " in root.run("hello.pvm").ok().out
        assert root.run("/usr/lib/pvm3/bin/LINUX64/pvm_gstat").ok().out == "no groups exist\n"
        # The remote shell is that of the alternative.
        root.write("/home/user/told", "#!/bin/sh\necho \"$@\" > /home/user/asked\n")
        root.run("chmod", "+x", "/home/user/told").ok()
        root.run("update-alternatives", "--install", "/usr/lib/pvm3/bin/rsh", "pvm-rsh", "/home/user/told", "99").ok()
        assert "Can't start pvmd" in root.run("pvm", input="add far\nquit\n").out
        assert root.run("cat", "asked").ok().out.startswith("far ")
        root.run("pvm", input="halt\n")
        # It has what it needs but a machine.
        assert "there is no virtual machine" in root.run("pvmview").ok(1).err
        # Nothing but the log, in which is what went wrong with the host.
        assert root.run("find", "/tmp", "!", "-type", "d").ok().out == "/tmp/pvml.0\n"
        root.run("rm", "/tmp/pvml.0").ok()
        root.run("find", ".", "-mindepth", "1", "-delete").ok()
