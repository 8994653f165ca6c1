"""Do aimk and the files that it uses do what those of 3.4.6 do, in the same folders?

Both run in a folder of their own with the same makefiles, which print what make was told. Each has its own
PVM_ROOT, with the path of which the output is not compared.
"""
import subprocess

import pytest
from support.places import OURS, STOCK, STOCK_ROOT

AIMK = {OURS: OURS.pvmd.parent / "aimk", STOCK: STOCK_ROOT / "usr/bin/aimk"}
TELL = """
all:
\t@echo "{name}: arch $(PVM_ARCH), ranlib $(HASRANLIB), flags $(SHAREDLDFLAGS), options $(X), in $(notdir $(CURDIR))"
\t@echo "source $(AIMK_SRC), environment $$PVM_ARCH, root $$PVM_ROOT"
other words:
\t@echo "{name}: $@"
wrong:
\tfalse
"""


def command(system, *words, folder, **variables):
    """(exit status, output, errors) of aimk, in which the folders of the system go by the names of what they are."""
    environment = {"PATH": "/usr/bin:/bin", "PVM_ROOT": str(system.root), **variables}
    done = subprocess.run([AIMK[system], *words], cwd=folder, env=environment, capture_output=True, text=True)

    def neutral(text):
        return text.replace(str(system.root), "ROOT").replace(str(folder), "FOLDER")
    return done.returncode, neutral(done.stdout), neutral(done.stderr)


def folder_with(parent, *makefiles):
    """A new folder with makefiles that tell how they are used."""
    parent.mkdir(parents=True)
    for makefile in makefiles:
        path = parent / makefile
        path.parent.mkdir(exist_ok=True)
        path.write_text(TELL.format(name=makefile))
    return parent


def on_both(tmp_path, makefiles, *words, **variables):
    """What both do in such a folder; the files there are the same afterwards, too."""
    results = []
    for system in (STOCK, OURS):
        folder = folder_with(tmp_path / system.name / "source", *makefiles)
        result = command(system, *words, folder=folder, **variables)
        results.append((*result, sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))))
    return results


FOLDERS = {"own folder": ["LINUX64/Makefile"], "small letters": ["LINUX64/makefile"], "shared": ["Makefile.aimk"],
           "here": ["Makefile"], "all": ["LINUX64/Makefile", "Makefile.aimk", "Makefile"],
           "shared and here": ["Makefile.aimk", "makefile"]}
WORDS = {"none": [], "here": ["-here"], "twice": ["-here", "-here"], "targets": ["other", "words"],
         "variable": ["X=a b", "all"], "here and targets": ["-here", "words", "X=1"], "later": ["words", "-here"],
         "failure": ["wrong"], "unknown": ["no_such_target"], "silent": ["-s", "-j2"]}


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS)
@pytest.mark.parametrize("makefiles", FOLDERS.values(), ids=FOLDERS)
def test_makes_as_stock_does(tmp_path, makefiles, words):
    stock, ours = on_both(tmp_path, makefiles, *words)
    assert ours == stock
    assert ours[0] != 0 or "LINUX64" in ours[1]


@pytest.mark.parametrize("architecture", ["LINUX64", "UNKNOWN", ""])
def test_architecture_is_found_as_by_stock(tmp_path, architecture):
    stock, ours = on_both(tmp_path, ["Makefile.aimk"], PVM_ARCH=architecture)
    assert ours == stock and ours[0] == 0


def test_nothing_to_make(tmp_path):
    stock, ours = on_both(tmp_path, [])
    assert ours == stock and ours[0] != 0


def test_without_variables_its_own_root_is_meant(tmp_path):
    folder = folder_with(tmp_path / "source", "Makefile")
    done = subprocess.run([OURS.root / "lib" / "aimk"], cwd=folder, env={"PATH": "/usr/bin:/bin"},
                          capture_output=True, text=True)
    assert done.returncode == 0 and f"root {OURS.root}\n" in done.stdout


@pytest.mark.parametrize("variables, what", [({"PVM_ROOT": "/no/such/folder"}, "set PVM_ROOT"),
                                             ({"PVM_ARCH": "PDP11"}, "PDP11.def")])
def test_wrong_variables_are_told(tmp_path, variables, what):
    folder = folder_with(tmp_path / "source", "Makefile")
    status, out, err = command(OURS, folder=folder, **variables)
    assert (status, out) == (1, "") and what in err.splitlines()[-1]


def test_architecture_is_that_of_stock():
    ours, stock = (subprocess.run([system.root / "lib" / "pvmgetarch"], capture_output=True, text=True, check=True).stdout
                   if system is OURS else
                   subprocess.run([STOCK_ROOT / "usr/bin/pvmgetarch"], capture_output=True, text=True, check=True).stdout
                   for system in (OURS, STOCK))
    assert ours == stock == "LINUX64\n"


def names(system):
    """The variables that the definitions set, and what make says that they are."""
    text = (system.root / "conf" / "LINUX64.def").read_text()
    found = {line.split("=")[0].strip() for line in text.splitlines() if "=" in line and line[0] not in "#\t -"}
    rule = "".join(f"\t@echo '{name}' '$({name})'\n" for name in sorted(found))
    done = subprocess.run(["make", "-f", system.root / "conf" / "LINUX64.def", "-f", "-"], input=f"show:\n{rule}",
                          capture_output=True, text=True, check=True)
    return {line.split()[0]: set(line.split()[1:]) for line in done.stdout.splitlines()}


def test_definitions_are_those_of_stock():
    """But for the remote shell, which is ours."""
    ours, stock = ({name: {word for word in words if not word.startswith("-DRSHCOMMAND=")}
                    for name, words in names(system).items()} for system in (OURS, STOCK))
    assert ours == stock and len(ours["ARCHCFLAGS"]) > 5


def test_rules_for_fortran_are_those_of_stock():
    source = """void
FUNCTION(pvmfbarrier) ARGS(`STRING_ARG(group), count, info')
STRING_ARG_DECL(group);
int *count, *info;
{ *info = pvm_barrier(STRING_PTR(group), STRING_LEN(group), len); }
void FUNCTION(two) ARGS(`STRING_ARG(a), x, STRING_ARG(b)')
void FUNCTION(none) ARGS(`x')
"""
    ours, stock = (subprocess.run(["m4", system.root / "conf" / "LINUX64.m4", "-"], input=source, capture_output=True,
                                  text=True, check=True).stdout.split() for system in (OURS, STOCK))
    assert " ".join(ours).replace("* ", "*") == " ".join(stock).replace("* ", "*") and "two_" in ours
