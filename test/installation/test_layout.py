"""Does `make install` put everything where users of 3.4.6 look for it, and can they use it there?"""
import os
import subprocess

from support import packages, programs
from support.machine import VirtualMachine
from support.root import Root
from support.places import OURS, TESTS, TOP
from support.task import wait_until

REPLACED = ("libpvm3", "pvm", "pvm-dev")
MAKEFILE = """CFLAGS = -g -I$(PVM_ROOT)/include
greet: $(AIMK_SRC)/greet.c
\t$(CC) $(CFLAGS) $(AIMK_SRC)/greet.c -o $@ -L$(PVM_ROOT)/lib/$(PVM_ARCH) -lgpvm3 -lpvm3 $(ARCHLIB)
"""


def place(path):
    """Where below our prefix something is that the packages of 3.4.6 have; None for documents."""
    path = path.removeprefix("usr/")
    if path.startswith("share/doc/"):
        return None
    if path.startswith("lib/") and not path.startswith("lib/pvm3/"):
        return f"lib/{os.path.basename(path)}"
    if path.startswith("share/man/"):
        return path.removesuffix(".gz").removesuffix("PVM")
    return path


def left_out():
    """What test/installation/left_out names; each group has a reason."""
    names = []
    for block in (TESTS / "installation" / "left_out").read_text().strip().split("\n\n")[1:]:
        reason, *paths = block.splitlines()
        assert reason.startswith("# ") and paths, f"a group of files has no reason:\n{block}"
        names += paths
    assert len(names) == len(set(names)), "a file is left out twice"
    return set(names)


def test_everything_of_stock_is_there():
    """But for what is left out with a reason, and that exactly."""
    stock = {place(path) for name in REPLACED for path, rights in packages.contents(packages.stock()[name]).items()
             if rights[0] != "d"} - {None}
    assert len(stock) > 150
    assert stock - set(packages.installed()) == left_out()


def test_what_is_installed_by_default_runs_at_once(tmp_path):
    """In /usr/local, which no test may change but in a Root; what is built for another prefix is built anew there."""
    flags = {name: value for name, value in os.environ.items() if name == "PATH"}
    with Root(["usr/local"], tmp_path, shown=TOP) as root:
        root.run("mkdir", "-p", "/usr/local/etc").ok()
        made = root.run("make", f"-j{os.cpu_count()}", "-C", TOP / "build" / "plain", "prefix=/usr/local", "install",
                        variables=flags, limit=600).ok()
        said = made.out[made.out.index("PVM is installed."):].splitlines()[:4]
        assert said[1].split()[:2] == ["PVM_ALLOW_ROOT=1", "pvm"] and "man pvm_intro" in said[2]
        assert "conf" in root.run("pvm", input="help\nhalt\n").ok().out
        root.write("/home/user/program.c", "#include <pvm3.h>\nint main(void) { return pvm_mytid() < 0; }\n")
        root.run("sh", "-c", said[3]).ok()
        assert root.run("sh", "-c", "pvm < /dev/null > told; ./program && echo enrolled").ok().out == "enrolled\n"
        root.run("pvm", input="halt\n").ok()


def test_links_lead_to_what_is_installed():
    """Wherever the whole is moved to: none is absolute, none leads out of it."""
    installed = packages.installed()
    there = {*installed, *(os.path.dirname(path) for path in installed)}
    links = {path: target for path, target in installed.items() if target}
    wrong = [f"{path} -> {target}" for path, target in links.items()
             if os.path.normpath(os.path.join(os.path.dirname(path), target)) not in there]
    assert not wrong and len(links) > 15
    for path in ("lib/pvm3/lib/pvmd", "lib/pvm3/lib/LINUX64/pvmd3", "lib/pvm3/lib/LINUX64/libpvm3.a", "bin/pvmd3",
                 "lib/pvm3/bin/LINUX64/pvmgs", "lib/pvm3/include/pvm3.h", "lib/pvm3/lib/aimk"):
        assert path in links


def test_all_is_below_the_prefix_and_goes_with_uninstall():
    assert not [path for path in packages.installed() if path.startswith("..")]
    assert packages.left() == {}


def test_release_has_every_file_of_the_tree():
    """All that is in the folders, but for what the autotools and Python make there."""
    made = ("conf/build-aux/", "conf/m4/")
    # A tree that is configured in place is full of what was made there; conf/build has a copy without that.
    top = TOP / "build" / "tree" if (TOP / "config.status").exists() else TOP
    tree = {str(path.relative_to(top))
            for folder in ("conf", "pingpong", "pvm3", "test", "tpl") for path in (top / folder).rglob("*")
            if not path.is_dir() and "__pycache__" not in path.parts and not path.name.startswith(".")}
    missing = {path for path in tree - set(packages.release()) if not path.startswith(made)}
    assert not missing and len(tree) > 400


def test_programs_that_can_be_spawned_are_where_a_pvmd_looks():
    """All of ours but those that are the machine itself, and scripts and tools that enrol in none."""
    no_tasks = {"aimk", "mpicc", "mpicxx", "mpiexec", "mpirun", "pvm", "pvmd", "pvmd3", "pvmgetarch", "pvmtrace",
                "pvmview", "trcsort"}
    tasks = {os.path.basename(path) for path in packages.installed() if os.path.dirname(path) == "bin"} - no_tasks
    assert {os.path.basename(path) for path in packages.installed()
            if os.path.dirname(path) == "lib/pvm3/bin/LINUX64"} == tasks


def test_pvm_root_is_all_that_a_user_sets(tmp_path):
    """The program is made by aimk there and needs no library at run time; the console and the pvmd are those in lib."""
    source = tmp_path / "source"
    source.mkdir()
    (source / "greet.c").write_text((TESTS / "installation" / "greet.c").read_text())
    (source / "Makefile.aimk").write_text(MAKEFILE)
    with VirtualMachine(OURS, OURS) as vm:
        environment = {**vm.environment(), "PVM_PATH": f"{source}/LINUX64:{OURS.root}/bin/LINUX64"}
        del environment["LD_LIBRARY_PATH"]
        for command, words in {"lib/aimk": "making in LINUX64/", "lib/pvm": "pvmd already running"}.items():
            done = subprocess.run([OURS.root / command], cwd=source, env=environment, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True)
            assert done.returncode == 0 and words in done.stdout, f"{done}"
        done = vm.run(source / "LINUX64" / "greet", variables={"PVM_PATH": environment["PVM_PATH"], "LD_LIBRARY_PATH": "/"})
        assert done.ok().out == "hello from one of 3\n" * 2
        vm.until_all_enrolled()     # members who come first together each start a group server


def test_task_is_debugged_in_a_window(tmp_path):
    """The debugger of a pvmd that nobody chose one for; a terminal and a gdb that tell how they are run."""
    for name in ("x-terminal-emulator", "gdb"):
        script = tmp_path / name
        script.write_text('#!/bin/sh\necho "run: ${0##*/} $*"\n')
        script.chmod(0o755)
    program = programs.find("ring", OURS)
    variables = {"PATH": f"{tmp_path}:/usr/bin:/bin", "DISPLAY": ":0"}
    with VirtualMachine(OURS, OURS, variables=variables) as vm:
        console = vm.run(OURS.root / "lib" / "pvm", input="spawn -? ring one\n")
        assert "1 successful" in console.ok().out
        told = f"run: x-terminal-emulator -e gdb --args {program} one"
        wait_until(lambda: told in [line for _, line in vm.task_log()], told)
        vm.settle()


def test_pkg_config_says_what_a_program_needs(tmp_path):
    words = subprocess.run(["pkg-config", "--cflags", "--libs", "gpvm3"], check=True, capture_output=True, text=True,
                           env={**os.environ, "PKG_CONFIG_PATH": str(OURS.libraries / "pkgconfig")}).stdout.split()
    assert {f"-I{OURS.include}", f"-L{OURS.libraries}", "-lgpvm3", "-lpvm3"} <= set(words)
    program = tmp_path / "greet"
    subprocess.run(["cc", TESTS / "installation" / "greet.c", "-o", program, *words], check=True)
    with VirtualMachine(OURS, OURS) as vm:
        done = vm.run(program, variables={"PVM_PATH": f"{tmp_path}:{OURS.root}/bin/LINUX64"})
        assert done.ok().out == "hello from one of 3\n" * 2
        vm.until_all_enrolled()     # members who come first together each start a group server
