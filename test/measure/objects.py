"""Which symbols does a built object or library hold?"""
import subprocess
from collections import namedtuple

# size in bytes; external: seen outside its object file; writable: data that the program may change.
Symbol = namedtuple("Symbol", "name size external writable function")

_WRITABLE = (".data", ".bss", ".tdata", ".tbss", "*COM*")


def _writable(section):
    return section.startswith(_WRITABLE) and not section.startswith(".data.rel.ro")


def _read(path, table):
    """The rows of one symbol table: --syms of an object file or --dynamic-syms of a library."""
    text = subprocess.run(["objdump", table, "--wide", str(path)], check=True, capture_output=True,
                          text=True).stdout
    for row in text.splitlines():
        address, tab, rest = row.partition("\t")
        fields = address.split(" ", 1)
        if not tab or len(fields) < 2:
            continue
        flags, section = fields[1][:7], fields[1][7:].strip()
        size, name = rest.split()[0], rest.split()[-1]
        if section in ("*UND*", "*ABS*") or "d" in flags and table == "--syms":
            continue
        yield Symbol(name, int(size, 16), flags[0] in "gu" or section == "*COM*" or flags[1] == "w",
                     _writable(section), "F" in flags)


def exported(library):
    """What a shared library offers to programs."""
    return list(_read(library, "--dynamic-syms"))


def defined(path):
    """What an object file defines, its local symbols included."""
    return [symbol for symbol in _read(path, "--syms") if not symbol.name.startswith(".")]


def files(build, folder):
    """The object files of one source folder. libtool may have made two of a source: then only one of them."""
    return [path for path in sorted((build / folder).rglob("*.o"))
            if ".libs" not in path.parts or not (path.parent.parent / path.name).exists()]


def of_folder(build, folder):
    """(object file, symbol) for everything that the objects of one source folder define."""
    found = [(path, symbol) for path in files(build, folder) for symbol in defined(path)]
    if not found:
        raise FileNotFoundError(f"no object was built in {build / folder}")
    return found


def soname(library):
    """The name by which programs ask for the library."""
    text = subprocess.run(["objdump", "--private-headers", str(library)], check=True,
                          capture_output=True, text=True).stdout
    rows = [row.split() for row in text.splitlines()]
    return next((row[1] for row in rows if row[:1] == ["SONAME"]), None)
