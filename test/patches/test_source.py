"""Is the series for the source of 3.4.6 what patches/README says, as far as can be seen without that source?

Whether it works is tried by hand, as patches/README tells, for no script of this tree fetches that source or builds it.
The new files are compiled with the pvm3.h of 3.4.6, which the distribution has, and with STAND_INS for headers that are in
the source alone or of Sun's RPC. patches/apply is tried on a tree of numbered lines.
"""
import hashlib
import re
import shutil
import subprocess
from dataclasses import dataclass

import pytest
from support.places import STOCK, TOP

FOLDER = TOP / "patches" / "source"
PRELOAD = TOP / "patches" / "preload"
OWN = FOLDER / "src"
# Which patches/README says to copy, too.
SHARED = [PRELOAD / name for name in ("calls.c", "deadline.h", "forward.h", "groups.c")]
SERIES = (FOLDER / "series").read_text().split()
HUNK = re.compile(r"@@ -(\d+),0 \+(\d+)(?:,(\d+))? @@")
# What reads constants alone, what 3.4.6 declares for programs of version 3.3, and what the patches add.
FREE = {"pvm_version", "pvm_getmwid", "pvm_setmwid", "pvm_threadsafe", "pvm_interrupt_recv", "pvm_resume_recv"}

# What lpvmwait.c and lpvmcall.c use of these headers.
STAND_INS = {
    "pmsg.h": "struct pmsg { struct pmsg *m_link, *m_rlink; int m_mid, m_src, m_tag, m_wid; };\n",
    "listmac.h": "#define LISTDELETE(item, link, back) ((item)->link = (item)->back = (item))\n"
                 "#define LISTPUTAFTER(head, item, link, back) ((item)->link = (head)->link)\n",
    "lpvm.h": 'extern struct pmsg *pvmrxlist;\nextern int pvmmytid, pvmtoplvl;\n#include "lpvmself.h"\n',
    "rpc/types.h": "", "rpc/xdr.h": ""}

patches = pytest.mark.parametrize("name", SERIES)


@dataclass
class Hunk:
    file: str
    old: int        # the line after which it inserts
    new: int        # where its first line then is
    lines: list


def hunks(name):
    """The hunks of a patch; whatever is no hunk that only inserts, in a file that is named before it, is an error."""
    found, file, left = [], None, 0
    # The first paragraphs, up to the first file, are a description.
    body = re.split(r"^(?=--- )", (FOLDER / name).read_text(), maxsplit=1, flags=re.M)[1]
    lines = body.splitlines()
    while lines:
        line = lines.pop(0)
        if left:
            assert line[:1] == "+", f"{name}: {line}"
            found[-1].lines.append(line[1:])
            left -= 1
        elif line.startswith("--- a/"):
            file = line[6:]
            assert lines.pop(0) == f"+++ b/{file}"
        else:
            start = HUNK.fullmatch(line)
            assert start and file, f"{name}: {line}"
            left = int(start[3] or 1)
            found.append(Hunk(file, int(start[1]), int(start[2]), []))
    assert left == 0
    return found


def new_files(name):
    """The files that the description of a patch says it needs."""
    words = re.search(r"^New files?: (.*)\.$", (FOLDER / name).read_text(), re.M)
    return words[1].split(", ")


def code_lines(paths):
    """How many lines are neither empty nor comments."""
    texts = (re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S) for path in paths)
    return sum(line.strip() != "" for text in texts for line in text.splitlines())


def compiled(source, folder, standard="gnu17"):
    """The names that a file defines and those that it asks others for."""
    copy, target = folder / source.name, folder / f"{source.stem}.o"
    for file in [source, *SHARED]:      # away from the next.h of libpvm3threads
        shutil.copy(file, folder)
    (folder / "rpc").mkdir(exist_ok=True)
    for name, text in STAND_INS.items():
        (folder / name).write_text(text)
    command = ["gcc", f"-std={standard}", "-Wall", "-Wextra", "-Wshadow", "-Werror", f"-I{OWN}", f"-I{STOCK.include}",
               f"-I{folder}", "-c", str(copy), "-o", str(target)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
    rows = [line.split() for line in subprocess.run(["nm", target], check=True, capture_output=True,
                                                    text=True).stdout.splitlines()]
    return {row[-1] for row in rows if row[-2] == "T"}, {row[-1] for row in rows if row[-2] == "U"}


def renamed(header):
    """The public functions that a header gives other names."""
    pairs = re.findall(r"^#define (\w+) +(stock_\w+)$", (OWN / header).read_text(), re.M)
    assert all(new == f"stock_{old}" for old, new in pairs)
    return {old for old, _ in pairs}


def test_series_lists_all_patches():
    assert sorted(SERIES) == sorted(path.name for path in FOLDER.glob("*.patch")) and len(SERIES) == 3


@patches
def test_hunks_only_insert(name):
    """Each hunk inserts lines of ours, and stands where those before it in the file leave it."""
    inserted = {}
    for hunk in hunks(name):
        before, after = inserted.get(hunk.file, (0, 0))
        assert hunk.old > after or before == 0, f"{name}: {hunk}"
        assert hunk.new == hunk.old + 1 + before, f"{name}: {hunk}"
        inserted[hunk.file] = before + len(hunk.lines), hunk.old


def test_checksums_are_of_the_files_that_are_changed():
    sums = dict(line.split("  ")[::-1] for line in (FOLDER / "SHA256SUMS").read_text().splitlines())
    assert all(re.fullmatch("[0-9a-f]{64}", value) for value in sums.values())
    assert set(sums) == {hunk.file for name in SERIES for hunk in hunks(name)}


def test_each_new_file_belongs_to_one_patch():
    named = [file for name in SERIES for file in new_files(name)]
    assert sorted(named) == sorted(path.name for path in [*OWN.iterdir(), *SHARED])


def test_new_files_compile(tmp_path):
    """What is called and what has another name within libpvm3 and libgpvm3 is the same."""
    defined, asked = compiled(PRELOAD / "calls.c", tmp_path)
    waiting = set(re.findall(r"^(?:REMOTE\(|PUBLIC int )(pvm_\w+)", (OWN / "lpvmcall.c").read_text(), re.M))
    assert (defined | waiting) - {"pvm_threadsafe"} == renamed("lpvmname.h") and not defined & waiting
    assert {f"stock_{name}" for name in defined - {"pvm_threadsafe", "pvm_packf", "pvm_unpackf"}} <= asked
    defined, asked = compiled(PRELOAD / "groups.c", tmp_path)
    assert defined == renamed("gpvmname.h") and {f"stock_{name}" for name in defined} <= asked
    defined, asked = compiled(OWN / "lpvmintr.c", tmp_path)
    assert defined == {"pvm_interrupt_recv", "pvm_resume_recv"}


@pytest.mark.parametrize("standard", ["gnu89", "gnu17"])
@pytest.mark.parametrize("source", [*sorted(OWN.glob("*.c")), *(file for file in SHARED if file.suffix == ".c")],
                         ids=lambda path: path.name)
def test_new_files_compile_in_every_standard(source, standard, tmp_path):
    defined, _ = compiled(source, tmp_path, standard)
    assert defined


class Source:
    """A tree with the files that the patches insert into, of numbered lines, and a patches/apply that is for them."""

    def __init__(self, folder):
        self.tree, self.apply = folder / "pvm3", folder / "patches" / "apply"
        shutil.copytree(TOP / "patches", self.apply.parent)
        self.files = sorted({hunk.file for name in SERIES for hunk in hunks(name)})
        sums = ""
        for file in self.files:
            text = "".join(f"{file}:{number}\n" for number in range(1, 4000))
            (self.tree / file).parent.mkdir(parents=True, exist_ok=True)
            (self.tree / file).write_text(text)
            sums += f"{hashlib.sha256(text.encode()).hexdigest()}  {file}\n"
        (self.apply.parent / "source" / "SHA256SUMS").write_text(sums)

    def texts(self):
        """Path to contents of all files."""
        return {str(path.relative_to(self.tree)): path.read_text() for path in self.tree.rglob("*") if path.is_file()}

    def applied(self, status):
        """What patches/apply says, and the files then."""
        done = subprocess.run([self.apply, self.tree], capture_output=True, text=True)
        assert done.returncode == status and done.stdout == "", done
        return done.stderr, self.texts()


def test_apply(tmp_path):
    """Each hunk stands behind the line that it names, in the order of the series, and the new files are there."""
    source = Source(tmp_path)
    said, texts = source.applied(0)
    assert said == "" and set(texts) == {*source.files, *(f"src/{path.name}" for path in [*OWN.iterdir(), *SHARED])}
    inserted = {}
    for name in SERIES:
        for file in source.files:
            lines = inserted.setdefault(file, [f"{file}:{number}" for number in range(1, 4000)])
            for hunk in (hunk for hunk in hunks(name) if hunk.file == file):
                lines[hunk.new - 1:hunk.new - 1] = hunk.lines
    assert all(texts[file].splitlines() == lines for file, lines in inserted.items())


def test_apply_refuses_another_version(tmp_path):
    source = Source(tmp_path)
    (source.tree / "src" / "tev.c").write_text("something else\n")
    (source.tree / "include" / "pvm3.h").unlink()
    before = source.texts()
    said, texts = source.applied(1)
    assert "is not the source of PVM 3.4.6" in said and "Different: include/pvm3.h src/tev.c" in said
    assert texts == before


def test_apply_refuses_what_is_no_source_and_what_has_the_patches(tmp_path):
    source = Source(tmp_path)
    _, before = source.applied(0)
    said, texts = source.applied(1)
    assert "has the patches already" in said and texts == before
    shutil.rmtree(source.tree / "src")
    assert "is not the source of PVM: it has no src/lpvm.c" in source.applied(1)[0]


def test_every_function_enters_the_critical_section():
    declared = set(re.findall(r"\b(pvm_\w+)\s+__ProtoGlarp__", (STOCK.include / "pvm3.h").read_text()))
    assert declared - FREE <= renamed("lpvmname.h") | renamed("gpvmname.h") and len(declared) > 90


@patches
def test_lines_are_as_many_as_said(name, record_property):
    found = hunks(name)
    inserted, files = sum(len(hunk.lines) for hunk in found), len({hunk.file for hunk in found})
    new = code_lines(path for path in [*OWN.iterdir(), *SHARED] if path.name in new_files(name))
    record_property(name, f"{inserted} lines in {files} files of 3.4.6, {new} lines of code in new files")
    readme = (TOP / "patches" / "README").read_text()
    assert re.search(rf"^ *{re.escape(name)} +{inserted} +{files} +{new} ", readme, re.M)
