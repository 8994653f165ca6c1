"""What is played with the example binaries of the distribution, and what must be seen?

A scenario is a function that takes a running VirtualMachine and gives a transcript: text that is equal,
to the letter, in every run on every pairing of library and daemon. What a run cannot repeat (times,
the order in which equals finish, which of several equals got which tid) is taken out here. ALL lists the
scenarios by name, each with patterns that the transcript must contain, so that an empty or failed run
is not taken for the truth because the reference failed alike.
"""
import re

from support.task import wait_until

LINE_BUFFERED = ("stdbuf", "-oL")
# Of the first host, hexadecimal or decimal: the first ones, and the first 64 that are lent to a process. Some contexts
# are such numbers, too.
_TID = re.compile(r"\b(?:0x|t)?(400[04-7][0-9a-f])\b|(?<!context )\b(2621(?:4[4-9]|5\d)|2622(?:0[89]|[1-6]\d|7[01]))\b")


def without_tids(text):
    """The text with each tid of the first host, hexadecimal or decimal, replaced."""
    return _TID.sub("<tid>", text)


def with_ranks(text):
    """The text with each such tid replaced by its place among those that the text has."""
    def number(found):
        return int(found[1], 16) if found[1] else int(found[2])
    tids = sorted({number(found) for found in _TID.finditer(text)})
    return _TID.sub(lambda found: f"<{tids.index(number(found)) + 1}>", text)


def without_numbers(text):
    """The text with every number and the blanks beside it replaced: for tables of times."""
    return re.sub(r" *\d+(?:\.\d+)?", " <n>", text)


def as_set(text):
    """The lines in alphabetical order, each once."""
    return "\n".join(sorted(set(text.splitlines())))


def in_any_order(text):
    """The lines in alphabetical order."""
    return "\n".join(sorted(text.splitlines()))


def _without_chance(text):
    """What `frsg` says, with the second of its sums alone: the first begins with a variable that it never sets."""
    return re.sub(r"/ (?:Test OK: Sum of Squares.* is|ERROR: The Sum of Squares.* by Sum2 as) +(\d+)\b.*",
                  r"the second sum is \1", text)


def _transcript(ended, *changes):
    text = {"out": ended.out, "err": ended.err}
    for change in changes:
        text = {name: change(part) for name, part in text.items()}
    return f"status {ended.status}\n{text['out']}\n--- errors\n{text['err']}"


def _without_order(text):
    """The text without what `ge` says about the order in which its equals joined."""
    return "\n".join(line for line in text.splitlines() if "match up!" not in line)


def _without_waiting(text):
    """What `gs.pvm` says, but not how often it looked before its equals had joined: not at all, where they were fast."""
    return "\n".join(line for line in text.splitlines() if line != "waiting on kids to join")


def _logged_lines(vm):
    return _without_order("\n".join(f"t{tid} {line}" for tid, line in vm.task_log())).splitlines()


def _log(vm, lines):
    """What tasks without a collector have printed, when it is so many lines: the pvmd may be late with them."""
    wait_until(lambda: len(_logged_lines(vm)) >= lines, f"{lines} lines are in the log")
    text = in_any_order(without_tids("\n".join(_logged_lines(vm))))
    return f"\n--- log\n{text}"


def shell(program, *arguments, input="", changes=(), lines=0, **options):
    """The program is run from a shell; with lines, so many that its children print are part of the transcript."""
    def play(vm):
        text = _transcript(vm.run(program, *arguments, input=input, **options), *changes)
        return text + _log(vm, lines) if lines else text
    return play


def spawned(count, program, *arguments, changes=(), times=False):
    """The program is spawned count times by a task that collects what all of them print."""
    def play(vm):
        ended = vm.run("collect", str(count), program, *arguments)
        if times:
            ended.out = re.sub(r"= .*Data size", "= <times> Data size", ended.out)
        vm.until_all_enrolled()         # each of them may have started a group server of its own
        return _transcript(ended, *changes)
    return play


def logged(program, *arguments, changes=(), lines=0):
    """The program is run; what its children print is waited for in the pvmd's log (some children stay)."""
    def play(vm):
        text = _transcript(vm.run(program, *arguments), without_tids, _without_order, *changes)
        return text + _log(vm, lines)
    return play


def mailboxes(vm):
    """A task keeps two entries while others list them, remove one, and list again."""
    keeper = vm.start("lmbi", "2", "mpo", "w", merge=True, wrapper=LINE_BUFFERED)
    keeper.until("waiting for exit request")
    text = [_transcript(vm.run("gmbi")), _transcript(vm.run("rme", "t40001lmbi0", "0")),
            _transcript(vm.run("gmbi", "lmbi"))]
    keeper.discard()
    return keeper.out + "".join(text)


def service(vm):
    """A server with a mailbox entry is asked twice, asked for what is not there, and ended."""
    server = vm.start("task0", "serv", "mo", merge=True, wrapper=LINE_BUFFERED)
    server.until("waiting for service request")
    asked = []
    for arguments in (("task1", "serv"), ("task1", "serv", "0", "f"), ("task1", "other"), ("task_end", "serv", "0")):
        asked.append(_transcript(vm.run(*arguments)))
        if asked[-1].startswith("status 0") and arguments[0] == "task1":
            server.until("waiting for service request")
    ended = server.ended()      # while it ends its entry is still there, and who asks it then waits for ever
    asked.append(_transcript(vm.run("task1", "serv")))
    return "".join(asked) + _transcript(ended)


def _tickle(vm, *steps):
    """A client types its way through its menu, (words, what its server says to them), and ends the server."""
    server = vm.start("mhf_server", merge=True, wrapper=LINE_BUFFERED)
    server.until("just inserted server")
    client = vm.start("mhf_tickle", keep_input=True)
    for words, seen in steps:
        client.say(words.replace(" ", "\n") + "\n")
        server.until(seen)
    client.say("9\n")
    return _transcript(client.ended()) + _transcript(server.ended())


def handlers(vm):
    """The server loads a message handler, which the client hits."""
    return _tickle(vm, ("0", "Are you talking to me"), ("1 5 7 1", "loaded SC1"), ("4 5 7 1 ping", "HIT:"))


def handlers_that_go(vm):
    """Handlers are deleted, and the server leaves and comes back. What its library keeps of handlers that are gone,
    and that 3.4.6 looks for them in vain at the end, is left out."""
    text = _tickle(vm, ("1 5 7 1", "loaded SC1"), ("1 6 7 6", "loaded IC1"), ("1 5 7 2", "already exists"),
                   ("4 6 7 6 12", "magic_numbers match"), ("2 9", "AFTER delete"), ("2 99", "no such handler"),
                   ("4 5 7 1 pong", "NO HIT"), ("3", "just registered server"), (" 7 0", "Are you talking to me"))
    return "\n".join(line for line in text.splitlines()
                     if line and not re.search(r"dhandles|free list|\]: pvm_delmhf\(\): Not Found", line))


def client_leaves(vm):
    """The client ends alone; the server stays until it is ended by another one."""
    server = vm.start("mhf_server", merge=True, wrapper=LINE_BUFFERED)
    server.until("just inserted server")
    text = [_transcript(vm.run("mhf_tickle", input="8\n")), _transcript(vm.run("mhf_tickle", input="9\n"))]
    return "".join(text) + _transcript(server.ended())


def group_server_listed(vm):
    """The group tools of the packages, with no group and after a group came and went."""
    return "".join(_transcript(vm.run(name)) for name in ("pvm_gstat", "tst", "pvm_gstat"))


def worker_alone(program, complaint=None):
    """One that others spawn is run from a shell: it enrols and waits; it ends with the virtual machine."""
    def play(vm):
        worker = vm.start(program, merge=True, wrapper=LINE_BUFFERED)
        if complaint:
            worker.until(complaint)
        else:
            vm.until_enrolled(1)
        vm.stop()
        return f"{_transcript(worker.ended())}"
    return play


BANDWIDTH_SEEN = (r"(?m)doubles received correctly$", r"= <times> Data size: 800000")
SQUARES_SEEN = (r"Sum of Squares of first +20 +integers is +2870", r"Received \( *5.0+ *, *2.0+ *\)")

ALL = {
    "hello.pvm": (shell("hello.pvm"), [r"i'm t40001", r"from t40002: hello, world from "]),
    "hello_other": (shell("hello_other"), [r"libpvm \[t40001\]: pvm_send\(\): Bad parameter"]),
    "master1": (shell("master1", changes=[in_any_order]),
                ["Spawning 3 worker tasks ... SUCCESSFUL", "I got 300.0+ from 2"]),
    "spmd": (shell("spmd"), ["token ring done", "262145 -> 262145"]),
    "spmd, four": (spawned(4, "spmd"), ["token ring done", "262146 -> 262147 -> 262148 -> 262149 -> 262146"]),
    "timing": (shell("timing", changes=[without_numbers]), [r"(?m)^done$", "Message size <n>"]),
    "inherita inherit1": (shell("inherita", "inherit1"), ["inherit2 t40003 on machine .* context 262145"]),
    "inherita inherit3": (shell("inherita", "inherit3"), ["inherit2 t40003 on machine .* context 262146"]),
    "inherita usage": (shell("inherita"), ["usage: inherita"]),
    "inherit1 alone": (shell("inherit1"), ["(?s)(Bad parameter.*){5}"]),
    "inherit2 alone": (shell("inherit2"), ["Bad parameter"]),
    "inherit3 alone": (shell("inherit3"), ["(?s)(Bad parameter.*){6}"]),
    "inheritb": (shell("inheritb"), ["5:inheritb: t40002 .* context 262145. +<-- received from 1st"]),
    "gmbi": (shell("gmbi"), ["gmbi: 0 mbox entries returned"]),
    "gmbi usage": (shell("gmbi", "a", "b"), ["status 255", "usage: gmbi"]),
    "lmbi": (shell("lmbi", "3", "dpmo", "e"), ["just inserted entry <t40001lmbi2> at index 0"]),
    "lmbi usage": (shell("lmbi"), ["status 255", "usage: lmbi"]),
    "rme missing": (shell("rme", "nothing", "0"), ["status 255", "no service running for <nothing>"]),
    "task1 missing": (shell("task1", "nothing"), ["status 255", "no service running"]),
    "task_end missing": (shell("task_end", "nothing", "0"), ["status 255", "no service running"]),
    "lmbi, gmbi, rme": (mailboxes, ["gmbi: 2 mbox entries", "gmbi: 1 mbox entries"]),
    "task0, task1, task_end": (service, ["service request number 2", "handled 3 service requests"]),
    "mhf_tickle alone": (shell("mhf_tickle"), ["status 255", "Requested key does not exist"]),
    "mhf_server, mhf_tickle": (handlers, ["loaded SC1", "string_catcher1 received message -->> <ping>"]),
    "mhf_server, mhf_tickle, gone": (handlers_that_go, ["received magic number -->> 12", "restarted as t4000"]),
    "mhf_server, mhf_tickle, left": (client_leaves, ["status 0"]),
    **{name: (worker_alone(name), ["status -15"])
       for name in ("slave1", "fslave1", "hitc_slave", "tnb", "mtile")},
    "timing_slave": (worker_alone("timing_slave", complaint="Bad parameter"), ["status -15"]),
    "xep": (shell("xep"), ["status 1", "Can't open display"]),
    "fmaster1": (shell("fmaster1", changes=[in_any_order]), ["SUCCESSFUL", r"300.0+ from +2"]),
    "fspmd": (shell("fspmd"), ["token ring done"]),
    "fspmd, four": (spawned(4, "fspmd"), ["262146 -> +262147 -> +262148 -> +262149 -> +262146"]),
    "hitc": (shell("hitc", lines=1), ["Program Finished", "received no-more-work flag"]),
    "tst": (shell("tst"), ["joined prognosis 0, negative 0"]),
    "tjf": (shell("tjf"), ["joined group31"]),
    "tjl": (shell("tjl"), ["joined group31"]),
    "joinleave": (shell("joinleave", "1000"), ["Joined 1000 times"]),
    "gexamp": (logged("gexamp", "4", lines=9), ["gexamp 0: sync", "gexamp 3: sync"]),
    "gexamp usage": (shell("gexamp"), ["usage: .*gexamp <nproc>"]),
    "ge": (logged("ge", "4", lines=15), [r"group ge size 4 gid 0: sync", r"group ge size 4 gid 3: sync"]),
    "gs.pvm": (logged("gs.pvm", "4", lines=3, changes=[_without_waiting, as_set]), ["gs.pvm <tid> enrolled"]),
    "thb": (shell("thb", "4"), ["leaving all the groups", "done"]),
    "trsg": (spawned(1, "trsg"), SQUARES_SEEN),
    "frsg": (spawned(1, "frsg", changes=[_without_chance]), ("the second sum is 2870", SQUARES_SEEN[1])),
    "trsg, asked": (shell("trsg", input="4\n5\n"), [r"first 5 integers is 55|first 20 integers is 2870"]),
    "gexample": (spawned(1, "gexample"), ["1-Norm is 5050", r"9.33262e\+157"]),
    "gexample, four": (spawned(4, "gexample", changes=[without_tids]), ["Using 4 processors", r"9.33262e\+157"]),
    "fgexample": (shell("fgexample"), ["1-Norm is +5050", r"9.3326215443944127E\+157"]),
    "pvm_gstat": (group_server_listed, ["no groups exist"]),
    **{f"{name}": (spawned(2, name, times=True, changes=[without_tids, in_any_order]), BANDWIDTH_SEEN)
       for name in ("dbwtest", "ibwtest", "rbwtest", "pbwtest")},
}
