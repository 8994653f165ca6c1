"""Is the series for the source of 3.4.6 what patches/README says, as far as can be seen without that source?

Whether it works is tried by hand, as patches/README tells, for no script of this tree fetches that source or builds it.
lpvmwait.c and lpvmcall.c cannot be compiled here: they include pmsg.h, lpvm.h and listmac.h, which are in the source
of 3.4.6 alone. The other files need its pvm3.h, which the distribution has.
"""
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


def compiled(source, folder):
    """The names that a file defines and those that it asks others for."""
    copy, target = folder / source.name, folder / f"{source.stem}.o"
    for file in [source, *SHARED]:      # away from the next.h of libpvm3threads
        shutil.copy(file, folder)
    command = ["gcc", "-std=gnu17", "-Wall", "-Wextra", "-Wshadow", "-Werror", f"-I{OWN}", f"-I{STOCK.include}",
               "-c", str(copy), "-o", str(target)]
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
