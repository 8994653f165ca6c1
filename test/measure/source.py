"""How long, how deep and how branched is the C of a file?

Not a compiler: it reads text in which comments, strings and directives are blanked out, and takes
for a function what stands at file level as "name (...) {". That is enough for a tree that keeps
to one style.
"""
import re
from dataclasses import dataclass, field

_TOKEN = re.compile(r"""
    (?P<comment> //[^\n]* | /\*.*?\*/)
  | (?P<text> "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*')
""", re.VERBOSE | re.DOTALL)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE)
_CONDITIONAL = re.compile(r"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif)\b", re.MULTILINE)
_BRANCH = re.compile(r"\b(?:if|for|while|case)\b|&&|\|\||\?")
_NOT_A_NAME = {"if", "for", "while", "switch", "return", "sizeof", "__attribute__"}


@dataclass
class Function:
    """lines: from the name to the closing brace; nesting: braces within the body; branches: the
    cyclomatic number."""
    name: str
    line: int
    lines: int
    nesting: int
    branches: int
    commented: bool


@dataclass
class Source:
    """One file: counts of lines, and its functions."""
    path: object
    lines: int
    filled: int
    comments: int
    conditionals: int
    gotos: int
    over_80: int
    over_100: int
    functions: list = field(default_factory=list)


def _blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def _comment_spans(text):
    return [match.span() for match in _TOKEN.finditer(text) if match["comment"]]


def _comment_lines(text, spans):
    """Numbers of the lines that hold a comment; a notice at the head of the file does not count."""
    found = set()
    for number, (start, end) in enumerate(spans):
        if number == 0 and re.search(r"copyright|spdx", text[start:end], re.IGNORECASE):
            continue
        found.update(range(text.count("\n", 0, start) + 1, text.count("\n", 0, end) + 2))
    return found


def _opening(text, end):
    """The place of the bracket that the one before end closes."""
    depth = 0
    for place in range(end - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(text[place], 0)
        if depth == 0:
            return place
    return -1


def _name_before(text, brace):
    """(name, its place) of the function whose body opens at brace, or None."""
    end = len(text[:brace].rstrip())
    while end and text[end - 1] == ")":
        start = _opening(text, end)
        match = re.search(r"(\w+)\s*$", text[:max(start, 0)])
        if match and match[1] not in _NOT_A_NAME:
            return match[1], match.start(1)
        end = len(text[:match.start()].rstrip()) if match else 0
    return None


def _closing(text, brace):
    """(the place of the brace that closes the one at brace, the depth of braces within)."""
    depth = deepest = 0
    for match in re.compile(r"[{}]").finditer(text, brace):
        depth += 1 if match[0] == "{" else -1
        deepest = max(deepest, depth)
        if depth == 0:
            return match.start(), deepest - 1
    return len(text) - 1, deepest


def _functions(text, comments):
    place = text.find("{")
    while place >= 0:
        end, nesting = _closing(text, place)
        named = _name_before(text, place)
        if named:
            first = text.count("\n", 0, named[1]) + 1
            statement = max(text.rfind(";", 0, named[1]), text.rfind("}", 0, named[1])) + 1
            blanks = len(text[statement:]) - len(text[statement:].lstrip())
            above = text.count("\n", 0, statement + blanks)
            yield Function(named[0], first, text.count("\n", 0, end) + 2 - first, nesting,
                           1 + len(_BRANCH.findall(text, place, end)), above in comments)
        place = text.find("{", end)


def read(path):
    """The measures of one file of C."""
    raw = path.read_text()
    spans = _comment_spans(raw)
    code = _TOKEN.sub(_blank, raw)
    conditionals = len(_CONDITIONAL.findall(code))
    code = _DIRECTIVE.sub(_blank, code)
    comments = _comment_lines(raw, spans)
    lines = raw.splitlines()
    return Source(path, len(lines), sum(bool(line.strip()) for line in lines), len(comments),
                  conditionals, len(re.findall(r"\bgoto\b", code)),
                  sum(len(line) > 80 for line in lines), sum(len(line) > 100 for line in lines),
                  list(_functions(code, comments)))
