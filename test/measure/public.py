"""Which functions are public, and what does the manual say of their collision classes?"""
import re

HEADERS = ("pvm3.h", "pvmtev.h")
PAGE = "pvm3/man/pvm_threads.7"


def of_group_library(top):
    """The names that libgpvm3 exports."""
    lines = (top / "test" / "abi" / "libgpvm3").read_text().splitlines()
    return {line.split()[0] for line in lines if not line.startswith("#")}


def functions(top):
    """The functions that the headers declare, but for those of the group library."""
    names = set()
    for header in HEADERS:
        text = (top / "pvm3" / "include" / header).read_text()
        text = re.sub(r"/\*[\s\S]*?\*/|^#(.*\\\n)*.*", "", text, flags=re.MULTILINE)
        names |= set(re.findall(r"\b(pvm\w+)\s*\(", text))
    return names - of_group_library(top)


def classes_of_code(top):
    """The collision classes in the order of their locks."""
    return [name.lower() for name in
            re.findall(r"^    LOCK_(\w+),", (top / "pvm3" / "ck" / "lock.h").read_text(), re.MULTILINE)
            if name != "CLASSES"]


def classes_of_manual(top):
    return re.findall(r"^\.It Sy (\w+)", (top / PAGE).read_text(), re.MULTILINE)


def functions_of_manual(top):
    """The functions named from the first collision class on."""
    text = (top / PAGE).read_text()
    return set(re.findall(r"\bpvm_?\w+", text[text.index(".It Sy"):text.index(".Sh SEE ALSO")])) - {"pvmd"}
