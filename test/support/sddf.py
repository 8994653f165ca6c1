"""What does a trace file say?

An own reading of the text, so that what our programs write and read is checked by something else.
"""
import re
from dataclasses import dataclass, field

_LAYOUT = re.compile(r'\n#(\d+): "([^"]*)"\n\{\n(.*?)\};;\n', re.S)
_FIELD = re.compile(r'\t// "(\w+)" "([^"\n]*)"\n\t(\w+) "\1"((?:\[\])*);\n')
_RECORD = re.compile(r'^"(\w+\([\d.]+\))" \{ (.*) \};;$')
_VALUE = re.compile(r'(?:^|, )(?:\[\d+\] \{ "(.*?)" \}(?=, |$)|\[\d+\] (?:\[\d+\] )?\{ ?(.*?) ?\}(?=, |$)|([^,]*))')


@dataclass
class Record:
    """One record: its name with edge and variant, and its values by key, as text."""
    name: str
    values: dict

    @property
    def event(self):
        return self.name.split("(")[0]

    @property
    def tid(self):
        return int(self.values["TID"])

    @property
    def time(self):
        return int(self.values["TS"]) * 1000000 + int(self.values["TU"])


@dataclass
class Trace:
    """The layouts of a file as texts by name, and its records in order."""
    layouts: dict = field(default_factory=dict)
    keys: dict = field(default_factory=dict)
    records: list = field(default_factory=list)

    def of(self, event):
        return [record for record in self.records if record.event == event]


def read(text):
    """The Trace in the text of a file without strings of several lines."""
    trace = Trace()
    assert re.match(r'/\*\n \* "Creation Date" "[^"]+"\n \* "Machine" "[^"]+"\n \*/ ;;\n', text), text[:200]
    for number, name, body in _LAYOUT.findall(text):
        fields = _FIELD.findall(body)
        assert "".join(f'\t// "{key}" "{about}"\n\t{kind} "{key}"{many};\n'
                       for key, about, kind, many in fields) == body, body
        trace.layouts[name] = f"#{number} {body}"
        trace.keys[name] = [key for key, *_ in fields]
    for line in text.splitlines():
        if match := _RECORD.match(line):
            name, rest = match.groups()
            values = [next((part for part in value if part), "") for value in _VALUE.findall(rest)]
            assert len(values) == len(trace.keys[name]), f"{line}: {values}"
            trace.records.append(Record(name, dict(zip(trace.keys[name], values))))
    return trace
