"""Which folder stands on which, and which includes break that?

A folder of pvm3/ may include what stands below it, and itself. Programs that stand for those of a
user - tpl, pingpong, the examples and the tests from outside - see the public headers only. Unit tests and
fuzzers see everything.
"""
import re

BELOW = {
    "core": set(),
    "ck": {"core"},
    "daemon": {"core"},
    "lib": {"core", "ck"},
    "groups": {"core", "ck", "lib"},
    "fortran": {"core", "ck", "lib"},
    "threads": {"core", "ck", "lib"},
    "ulp": {"core", "ck", "lib"},
    "tracing": {"core"},
    "console": {"core", "ck", "lib", "tracing"},
    "examples": set(),
    "tools": {"core", "tracing", "console"},
}
OUTSIDE = ("tpl", "pingpong", "test/api", "test/interop", "test/race", "test/random",
           "test/system", "test/support")
NO_CODE = {"include", "man"}
_INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]((?:\.\./)*)(?:pvm3/)?([^">]+)[>"]')


def _sources(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in (".c", ".h"))


def _wrong_includes(top, path, allowed):
    """The includes of one file that name a floor outside allowed, as "file:line: header"."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = _INCLUDE.match(line)
        if not match:
            continue
        floor = match[2].split("/")[0] if "/" in match[2] else None
        if floor in BELOW and floor not in allowed or match[1]:
            yield f"{path.relative_to(top)}:{number}: {match[1]}{match[2]}"


def upward_includes(top):
    """Every include of the tree that runs up the house or leaves its folder by "../"."""
    found = []
    for folder in sorted(path for path in (top / "pvm3").iterdir() if path.is_dir()):
        allowed = BELOW.get(folder.name, set()) | {folder.name}
        for path in _sources(folder):
            found += _wrong_includes(top, path, allowed)
    for name in OUTSIDE:
        for path in _sources(top / name):
            found += _wrong_includes(top, path, set())
    return found


def folders_without_floor(top):
    """Folders of pvm3/ that hold code and stand on no floor."""
    return [folder.name for folder in sorted((top / "pvm3").iterdir())
            if folder.is_dir() and folder.name not in BELOW.keys() | NO_CODE and _sources(folder)]
