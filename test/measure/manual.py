"""What do the manual pages say, and what do the headers that they describe?"""
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

HEADERS = ("pvm3.h", "pvmtev.h")
TPL_HEADERS = ("tpl.h",)
_NAME = re.compile(r"\b((?:pvm|tpl_)\w*|Pvm\w+)\(")


@dataclass(frozen=True)
class Page:
    """A page in mdoc(7), the file NAME.SECTION."""
    path: Path

    def __str__(self):
        return self.path.name

    @property
    def section(self):
        return self.path.suffix[1:]

    @property
    def text(self):
        return self.path.read_text()

    def part(self, title):
        """The source of one of its sections, empty if there is none."""
        found = re.search(rf"^\.Sh {re.escape(title)}\n((?:(?!\.Sh ).*\n)*)", self.text, re.MULTILINE)
        return found.group(1) if found else ""

    @property
    def titles(self):
        """Those of its sections."""
        return re.findall(r"^\.Sh (.*)$", self.text, re.MULTILINE)

    @property
    def names(self):
        """What it describes."""
        return re.findall(r"^\.Nm (\S+)", self.part("NAME"), re.MULTILINE)

    @property
    def references(self):
        """(name, section) of the pages that it refers to."""
        return set(re.findall(r"^\.(?:It )?Xr (\S+) (\S+)", self.text, re.MULTILINE))

    def blocks(self, title=None):
        """The literal blocks of one of its sections, or of all."""
        text = self.part(title) if title else self.text
        blocks = re.findall(r"^\.Bd -literal.*\n([\s\S]*?)^\.Ed$", text, re.MULTILINE)
        return [re.sub(r"^\\&", "", block, flags=re.MULTILINE).replace("\\e", "\\") for block in blocks]

    @property
    def programs(self):
        """File name, text and output of each program among its examples."""
        blocks = self.blocks("EXAMPLES")
        starts = [re.match(r"(?:/\*|!) (\w+\.(?:c|f90)) - ", block) for block in blocks]
        return [(start.group(1), block, output)
                for start, block, output in zip(starts, blocks, [*blocks[1:], ""]) if start]

    @property
    def synopsis(self):
        """The lines of the synopsis as a reader sees them."""
        shown = subprocess.run(["mandoc", "-T", "ascii", "-O", "width=1000", self.path], capture_output=True, text=True,
                               check=True).stdout
        shown = re.sub(r".\x08", "", shown)
        return re.search(r"^SYNOPSIS\n([\s\S]*?)^\S", shown, re.MULTILINE).group(1)

    @property
    def prototypes(self):
        """Name to declaration of the C functions in the synopsis."""
        return _by_name(re.sub(r"^ *(#|call ).*", "", self.synopsis, flags=re.MULTILINE))

    @property
    def fortran(self):
        """Name and arguments of the routines for Fortran in the synopsis."""
        return re.findall(r"^call (pvmf\w+)\((.*)\)$", self.part("SYNOPSIS"), re.MULTILINE)

    @property
    def parameters(self):
        """The names in its list of parameters: of C, and those of Fortran that C does not have."""
        of_c, of_fortran = [], []
        for tag in re.findall(r"^\.It (Fa .*)", self.part("PARAMETERS"), re.MULTILINE):
            names, *others = (found.split(" , ") for found in re.findall(r"Fa (\w+(?: , \w+)*)", tag))
            (of_fortran if "Fortran only" in tag else of_c).extend(names)
            of_fortran.extend(sum(others, []))
        return of_c, of_fortran

    @property
    def classes(self):
        """The collision classes that it names."""
        found = re.search(r"^Collision classes: ([^.]*)\.", self.part("THREADS"), re.MULTILINE)
        return re.findall(r"\w+", found.group(1)) if found else None


def pages(top):
    return [Page(path) for path in sorted((top / "pvm3" / "man").glob("*.[1-8]"))]


def parameters(name, declaration):
    """Names of the parameters of the function that a declaration without spaces is of."""
    text, depth, split = declaration.partition(f"{name}(")[2], 1, [""]
    for letter in text:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0:
            break
        if letter == "," and depth == 1:
            split.append("")
        else:
            split[-1] += letter
    found = [re.search(r"\(\*(\w+)\)", one) or re.search(r"(\w+)$", one) for one in split if one != "void"]
    return [one.group(1) for one in found if one]


def _by_name(declarations):
    """Name to declaration, without the spaces that mean nothing."""
    found = {}
    for declaration in declarations.split(";"):
        declaration = re.sub(r" ?([(),*]) ?", r"\1", " ".join(declaration.split()))
        if name := _NAME.search(declaration):
            found[name.group(1)] = declaration
    return found


def header(top, name):
    return (top / ("tpl" if name in TPL_HEADERS else "pvm3/include") / name).read_text()


def declared(top, headers=HEADERS):
    """Name to declaration of the functions of the headers."""
    text = "".join(header(top, name) for name in headers)
    text = re.sub(r"/\*[\s\S]*?\*/|^#(.*\\\n)*.*|^extern \"C\" \{", "", text, flags=re.MULTILINE)
    text = re.sub(r"\{[^{}]*\}", "", text)
    return _by_name(text.replace("PVM_CONST", "const"))
