"""Does conf/build build a tree in which somebody has called configure, as the README says how to install it?

The tree is a small one: its configure refuses what that of automake refuses, and its makefiles make one file.
"""
import os
import shutil
import subprocess

from support.places import TOP

CONFIGURE = r"""#!/bin/sh
for word; do
  case $word in --srcdir=*) source=${word#*=} ;; --prefix=*) prefix=${word#*=} ;; esac
done
source=${source:-.}
[ "$source" = . ] || [ ! -e "$source/config.status" ] || { echo "run 'make distclean' there first" >&2; exit 1; }
[ ! -e "$source/made" ] || [ "$source" = . ] || { echo "the source has what was made there" >&2; exit 1; }
touch config.status
printf '%s\n' "made: $source/pvm3/source" "	cp $source/pvm3/source made" \
  "install: made" "	mkdir -p $prefix && cp made $prefix" "distclean:" "	rm -f made config.status Makefile" > Makefile
"""


def make_tree(tree):
    for folder in ("conf", "patches", "pvm3", "pingpong", "test", "tpl"):
        (tree / folder).mkdir(parents=True)
    shutil.copy(TOP / "conf" / "build", tree / "conf")
    for script, text in {"configure": CONFIGURE, "conf/bootstrap": "#!/bin/sh\n"}.items():
        (tree / script).write_text(text)
        (tree / script).chmod(0o755)
    for name in ("configure.ac", "Makefile.am", "Makefile.in", "build/generated"):
        (tree / name).parent.mkdir(exist_ok=True)
        (tree / name).touch()
    (tree / "pvm3" / "source").write_text("first\n")


def build(tree):
    """What is installed after a build."""
    environment = {name: value for name, value in os.environ.items() if name not in ("CC", "CI")}
    done = subprocess.run([tree / "conf" / "build"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return (tree / "build" / "plain" / "prefix" / "made").read_text()


def test_tree_that_is_configured_in_place_is_built_beside(tmp_path):
    make_tree(tmp_path)
    assert build(tmp_path) == "first\n"
    subprocess.run(["./configure"], cwd=tmp_path, check=True)
    subprocess.run(["make", "made"], cwd=tmp_path, check=True, capture_output=True)
    assert build(tmp_path) == "first\n"
    (tmp_path / "pvm3" / "source").write_text("second\n")
    assert build(tmp_path) == "second\n"
    assert (tmp_path / "made").read_text() == "first\n" and (tmp_path / "config.status").exists()
    subprocess.run(["make", "distclean"], cwd=tmp_path, check=True, capture_output=True)
    (tmp_path / "pvm3" / "source").write_text("third\n")
    assert build(tmp_path) == "third\n"
