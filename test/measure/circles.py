"""Which files use each other in a circle, and which use a room above theirs? The symbols of their objects tell."""
import subprocess
from collections import defaultdict
from pathlib import Path

from measure import floors, objects

FOLDERS = (*(f"pvm3/{name}" for name in floors.BELOW), "tpl", "pingpong")


def _source(path):
    """The name of the source of an object. Before it there may be that of a program or library: pvm-input.o"""
    return Path(path).stem.rpartition("-")[2]


def _uses(paths):
    """File to the other files that define what it uses."""
    text = subprocess.run(["nm", "--extern-only", "--format=posix", "--print-file-name", *paths], check=True,
                          capture_output=True, text=True).stdout
    defined, used = defaultdict(set), defaultdict(set)
    for row in text.splitlines():
        path, _, symbol = row.rpartition(": ")
        name, _, *value = symbol.split()
        if value:
            defined[name].add(_source(path))
        else:
            used[_source(path)].add(name)
    return {file: set().union(*(defined[name] for name in used[file])) - {file} for file in map(_source, paths)}


def _reached(uses, file):
    """The files that one uses, those that they use, and so on."""
    found, ahead = set(), [file]
    while ahead:
        new = uses[ahead.pop()] - found
        found |= new
        ahead += new
    return found


def of_folder(build, folder):
    """Groups of files, each of which reaches all of its group, itself included, by what it uses."""
    paths = objects.files(build, folder)
    uses = _uses(paths) if paths else {}
    reached = {file: _reached(uses, file) for file in uses}
    groups = {frozenset(other for other in reached[file] if file in reached[other])
              for file in uses if file in reached[file]}
    return sorted(sorted(group) for group in groups)


def upward_calls(build, folder):
    """What files in a room use of files that stand above it, as "folder/room: file uses file"."""
    below, paths = floors.ROOMS[folder], objects.files(build, f"pvm3/{folder}")
    room = {_source(path): path.relative_to(build / "pvm3" / folder).parts[0] for path in paths}
    return [f"pvm3/{folder}/{room[file]}: {file} uses {other}" for file, used in sorted(_uses(paths).items())
            if room[file] in below
            for other in sorted(used) if room[other] not in below[room[file]] | {room[file]}]


def count(build, folder):
    return sum(len(group) for group in of_folder(build, folder))
