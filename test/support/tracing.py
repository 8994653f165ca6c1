"""How is a trace gathered, and what of it may differ from run to run?"""
from support import sddf
from support.places import STOCK

PROMPT = "tracer> "


class Tracer:
    """The tracer of a System on a running machine, with a new trace file."""

    def __init__(self, vm, system, *arguments, **options):
        self.vm = vm
        self.task = vm.start(system.pvmd.with_name("tracer"), "-T", "trace", *arguments, keep_input=True,
                             library=STOCK if system is STOCK else None,
                             wrapper=("stdbuf", "-oL"), **options)
        self.task.until_prompt(PROMPT)     # by then it has registered

    def say(self, *commands):
        """Type commands; stock takes one at a time."""
        for command in commands:
            prompts = self.task.out.count(PROMPT)
            self.task.say(f"{command}\n")
            self.task.until_prompt(PROMPT, count=prompts + 1)

    def quit(self):
        """Leave; gives the result and the text of the trace file, which is removed."""
        self.task.say("quit\n")
        ended = self.task.ended()
        file = self.vm.home / "trace"
        text = file.read_text()
        file.unlink()
        return ended, text


def told(text):
    """The trace in the text: its layouts, and its records without what varies. Handlers of the library are
    left out, which 3.4.6 tells of."""
    trace = sddf.read(text)
    layouts = {name: body for name, body in trace.layouts.items() if "mhf_invoke" not in name}
    hidden = ("TS", "TU", "MB", "TUS", "TUU", "TSS", "TSU")
    records = sorted((record.tid, record.name, [(key, value) for key, value in record.values.items()
                                                if key not in hidden])
                     for record in trace.records if record.event != "mhf_invoke")
    return layouts, records
