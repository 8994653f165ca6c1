"""Where are the two PVM systems under test?

A System names one pvmd and one libpvm3. OURS is what `make install` of this tree put into
build/plain/prefix; STOCK is 3.4.6 from the distribution's packages, unpacked into build/stock.
Environment: PVM_TEST_PREFIX, PVM_TEST_STOCK and PVM_TEST_PROGRAMS replace the three folders;
PVM_TEST_FLAGS is what the compiler is told more for programs that run on OURS, PVM_TEST_WRAPPER the words
before every pvmd and program of OURS that a test starts. With PVM_TEST_PATCHED set, to anything, STOCK is a 3.4.6 that
was built with the patches of patches/source, and needs no LD_PRELOAD to be used by threads.
"""
import os
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
TESTS = TOP / "test"
PREFIX = Path(os.environ.get("PVM_TEST_PREFIX", TOP / "build" / "plain" / "prefix"))
STOCK_ROOT = Path(os.environ.get("PVM_TEST_STOCK", TOP / "build" / "stock"))
WRAPPER = os.environ.get("PVM_TEST_WRAPPER", "").split()
PROGRAMS = Path(os.environ.get("PVM_TEST_PROGRAMS", TOP / "build" / "test-programs"))


@dataclass(frozen=True)
class System:
    """One PVM: its name, its pvmd, the folder of its libraries, of its headers, and its PVM_ROOT.

    flags: what the compiler is told more for programs that run on it.
    """
    name: str
    pvmd: Path
    libraries: Path
    include: Path
    root: Path
    flags: tuple = ()

    def __str__(self):
        return self.name

    def require(self):
        """Fail with what is missing and how to get it; a test never runs on half a system."""
        for path in (self.pvmd, self.libraries / "libpvm3.so.3", self.include / "pvm3.h"):
            if not path.exists():
                hint = ("run conf/build plain" if self.name == "ours" else
                        "unpack the packages pvm libpvm3 pvm-dev pvm-examples there, or set PVM_TEST_STOCK")
                raise AssertionError(f"{self.name} PVM is not complete, {path} is missing: {hint}")


def _folder_with(root, name, default):
    """The folder below root that holds the file name (distributions differ in it), else default."""
    found = sorted(path.parent for path in root.glob(f"usr/lib/**/{name}"))
    return found[0] if found else root / default


OURS = System("ours", PREFIX / "bin" / "pvmd", PREFIX / "lib", PREFIX / "include",
              PREFIX / "lib" / "pvm3", tuple(os.environ.get("PVM_TEST_FLAGS", "").split()))
STOCK = System("stock", STOCK_ROOT / "usr/bin/pvmd",
               _folder_with(STOCK_ROOT, "libpvm3.so.3", "usr/lib"),
               STOCK_ROOT / "usr/include", STOCK_ROOT / "usr/lib/pvm3")

EXAMPLES = STOCK_ROOT / "usr/bin"
# With this in its environment a program on the library of 3.4.6 has that of patches/preload before it, as have those that
# its pvmd starts.
PRELOADED = {} if "PVM_TEST_PATCHED" in os.environ else {"LD_PRELOAD": str(OURS.libraries / "libpvm3threads.so")}


def _folder_of_links(name, *targets):
    """A folder with nothing but links to the targets, to stand beside others in a search path."""
    folder = PROGRAMS / name
    folder.mkdir(parents=True, exist_ok=True)
    for target in targets:
        link = folder / target.name
        if not link.is_symlink() or link.readlink() != target:
            fresh = folder / f"{target.name}.{os.getpid()}"
            fresh.unlink(missing_ok=True)
            fresh.symlink_to(target)
            fresh.replace(link)
    return folder


def group_library(system):
    """Where the libgpvm3.so.3 of system is, beside any libpvm3.so.3."""
    return _folder_of_links(f"{system}-groups", system.libraries / "libgpvm3.so.3")


def tpl_library():
    """Where our TPL is, beside any libpvm3.so.3."""
    return _folder_of_links("tpl", OURS.libraries / "libtpl.so", OURS.libraries / "libtpl.so.0")


def library_path(library):
    """LD_LIBRARY_PATH that makes a program run on library; libgpvm3 is stock's for both, TPL ours."""
    folders = [tpl_library(), library.libraries]
    if library is not STOCK:
        folders.insert(0, group_library(STOCK))
    return ":".join(map(str, folders))
