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
    "ulp": {"core", "ck", "lib"},
    "mpi": {"core", "ck", "lib"},
    "tracing": {"core"},
    "console": {"core", "ck", "lib", "groups", "tracing", "slurm"},
    "examples": set(),
    "tools": {"core", "tracing", "console"},
    "sched": set(),
    "slurm": set(),
    "run": {"slurm"},
    "top": {"sched", "console"},
}
# The rooms of a folder, and the rooms below each. What stands beside the rooms stands above them.
ROOMS = {
    "ck": {
        "base": set(),
        "wait": {"base"},
        "inbox": {"base", "wait"},
        "peers": {"base", "wait"},
        "endpoint": {"base", "wait", "inbox", "peers"},
        "requests": {"base", "wait", "inbox", "peers", "endpoint"},
        "ports": {"base", "wait", "inbox", "peers", "endpoint"},
    },
    "daemon": {
        "base": set(),
        "post": {"base"},
        "tasks": {"base", "post"},
        "hosts": {"base", "post"},
        "members": {"base", "post", "tasks", "hosts"},
        "requests": {"base", "post", "tasks", "hosts", "members"},
    },
    "lib": {
        "task": set(),
        "link": {"task"},
        "serve": {"task", "link"},
        "life": {"task", "link", "serve"},
        "spawn": {"task", "link", "serve", "life"},
        "calls": {"task", "link", "serve", "life", "spawn"},
    },
    "mpi": {
        "commands": set(),
        "include": set(),
        "values": {"include"},
        "objects": {"include", "values"},
        "datatypes": {"include", "values", "objects"},
        "operations": {"include", "values", "objects", "datatypes"},
        "messages": {"include", "values", "objects", "datatypes", "operations"},
        "schedules": {"include", "values", "objects", "datatypes", "operations", "messages"},
        "communicators": {"include", "values", "objects", "datatypes", "operations", "messages", "schedules"},
        "collectives": {"include", "values", "objects", "datatypes", "operations", "messages", "schedules",
                        "communicators"},
        "windows": {"include", "values", "objects", "datatypes", "operations", "messages", "schedules",
                    "communicators", "collectives"},
        "calls": {"include", "values", "objects", "datatypes", "operations", "messages", "schedules", "communicators",
                  "collectives", "windows"},
    },
}
OUTSIDE = ("tpl", "pingpong", "test/api", "test/interop", "test/race", "test/random",
           "test/system", "test/support")
NO_CODE = {"include", "man"}
_INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]((?:\.\./)*)(?:pvm3/)?([^">]+)[>"]')


def _sources(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in (".c", ".h"))


def _includes(path):
    """The includes of one file: the number of the line, the "../" before the header, the header."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = _INCLUDE.match(line)
        if match:
            yield number, match[1], match[2]


def _wrong_includes(top, path, allowed):
    """The includes of one file that name a floor outside allowed, as "file:line: header"."""
    for number, up, header in _includes(path):
        floor = header.split("/")[0] if "/" in header else None
        if floor in BELOW and floor not in allowed or up:
            yield f"{path.relative_to(top)}:{number}: {up}{header}"


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


def _upward_in(folder, allowed, path):
    """The includes of a file in one of the rooms of a folder that name none of the allowed rooms."""
    for number, _, header in _includes(path):
        parts = header.split("/")
        if parts[0] == folder and not (len(parts) > 2 and parts[1] in allowed):
            yield number, header


def upward_rooms(top):
    """Every include of a room that names a room that is not below it."""
    return [f"{path.relative_to(top)}:{number}: {header}"
            for folder, rooms in ROOMS.items()
            for room, below in rooms.items()
            for path in _sources(top / "pvm3" / folder / room)
            for number, header in _upward_in(folder, below | {room}, path)]


def unnamed_rooms(top):
    """Folders in a folder with rooms that are none of them."""
    return [f"{folder}/{path.name}" for folder, rooms in ROOMS.items()
            for path in sorted((top / "pvm3" / folder).iterdir()) if path.is_dir() and path.name not in rooms]


def named_ports(top):
    """Every include of a file of a port by a file that is none of its folder, but for the list of the ports."""
    ports = top / "pvm3" / "ck" / "ports"
    return [f"{path.relative_to(top)}:{number}: {header}"
            for path in _sources(top / "pvm3") if path != ports / "list.c"
            for number, _, header in _includes(path)
            if header.startswith("ck/ports/") and header != "ck/ports/list.h"
            and (top / "pvm3" / header).parent != path.parent]


def _reached(top, path, known):
    """The headers of the tree that a file includes, and those that they include; known has them so far."""
    for _, _, header in _includes(path):
        if header not in known and (top / "pvm3" / header).is_file():
            known.add(header)
            _reached(top, top / "pvm3" / header, known)
    return known


def reaching(top, folder, headers):
    """Every file of a folder of pvm3/ that includes one of the headers, or gets it from a header."""
    return [f"{path.relative_to(top)}: {header}" for path in _sources(top / "pvm3" / folder)
            for header in sorted(_reached(top, path, set()) & headers)]


def folders_without_floor(top):
    """Folders of pvm3/ that hold code and stand on no floor."""
    return [folder.name for folder in sorted((top / "pvm3").iterdir())
            if folder.is_dir() and folder.name not in BELOW.keys() | NO_CODE and _sources(folder)]
