"""Which steps does the random program of a seed make?

A program has messages, and some of the other kinds of steps.
"""
import random
from dataclasses import dataclass

ANY = -1
POLL = "nrecv -1 -1"
MOST_TASKS = 4
MOST_KINDS = 3          # beside messages
CHILD = MOST_TASKS      # stands for the last child of a task
OPTIONS = (1, 3, 10, 11, 18, 25)
ROUTE = 1               # PvmRoute
# Ours grants a route and runs the handlers of all messages that one read brings. 3.4.6 does so one by one. So tasks poll
# before and after each step. With routes all do so, since the task that asked for one goes on when it is granted.
POLLED = {"routes", "handlers"}
POLLS, ALL_POLL = "polls 30", "polls 30 1"
NOT_WITH_MATCHERS = POLLED | {"groups"}     # the calls for groups wait with the matcher of the program


@dataclass
class Choice:
    """What a step chooses from."""
    rng: random.Random
    tasks: int
    task: int

    def one(self, *things):
        return self.rng.choice(things)

    def below(self, count):
        return self.rng.randrange(count)

    def role(self):
        return self.below(self.tasks)

    def other(self):
        """Another task, if there is one."""
        return self.one(*[role for role in range(self.tasks) if role != self.task] or [0])

    def source(self):
        return self.one(ANY, self.role())

    def tag(self):
        return self.one(1, 2)

    def wanted(self):
        return self.one(ANY, self.tag())

    def slot(self):
        return 1 + self.below(3)


def messages(c):
    return c.one(
        f"initsend {c.below(2)}", f"pack {c.below(5)} {c.below(9)} {c.below(4)} 1",
        f"unpack {c.below(4)} {c.below(4)} 1", *[f"send {c.role()} {c.tag()}"] * 4,
        f"mcast {c.one(15, c.below(16))} {c.tag()}", f"psend {c.role()} {c.tag()} 5 {c.below(4)} {c.one(1, 3)}",
        f"precv {c.source()} {c.wanted()} 3", f"nrecv {c.source()} {c.wanted()}", f"probe {c.source()} {c.wanted()}",
        f"recv {c.source()} {c.wanted()}", f"trecv {c.source()} {c.wanted()} {c.one(0, 0, 0, 500)}", "getsbuf", "getrbuf")


def buffers(c):
    return c.one(
        f"mkbuf {c.slot()} {c.below(3)}", f"freebuf {c.slot()}", *[f"setsbuf {c.below(4)} {c.slot()}"] * 2,
        *[f"setrbuf {c.below(4)} {c.slot()}"] * 2, f"bufinfo {c.slot()}", f"pkmesg {c.slot()}", f"pkmesgbody {c.slot()}",
        f"upkmesg {c.slot()}", f"pack {c.below(5)} {c.below(9)} {c.below(4)} {c.one(1, 2)}",
        f"unpack {c.below(4)} {c.below(4)} {c.one(1, 2)}")


def surroundings(c):
    return c.one(f"getopt {c.one(*OPTIONS)}", f"setopt 11 {c.below(2)}", f"pstat {c.role()}", "parent", "getcontext",
                 f"setcontext {c.one(0, 7)}", "leave" if c.below(4) == 0 else "getcontext")


def waits(c):
    return c.one(f"await {c.source()} {c.wanted()}", f"awaitarray {c.source()} {c.wanted()} 3")


def ends(c):
    return c.one(*[f"notify {c.role()} 3 {c.one(0, 0, 0, 1)}"] * 6, "quit 0", f"quit {c.below(3)}", "die",
                 f"kill {c.other()}", f"pstat {c.role()}", "leave")


def groups(c):
    group = f"{c.one(0, 0, 0, 1)}"
    return c.one(
        *[f"join {group}"] * 4, f"lvgroup {group}", f"gsize {group}", f"getinst {group} {c.source()}",
        f"gettid {group} {c.below(4)}", f"freeze {group} {c.one(ANY, c.below(4))}",
        f"barrier {group} {c.one(ANY, 2, c.below(4))}", *[f"bcast {group} {c.tag()}"] * 2,
        f"reduce {group} {c.below(3)} {c.tag()} {c.below(9)} {c.below(2)}",
        f"gather {group} {c.below(3)} {c.tag()} {c.below(9)}", f"scatter {group} {c.below(3)} {c.tag()} {c.below(9)}")


def routes(c):
    return f"setopt {ROUTE} {c.one(1, 2, 3, 3)}"


def handlers(c):
    slot = c.below(4)
    return c.one(*[f"addmhf {slot} {c.source()} {c.wanted()} {c.one(0, 0, 0, 7)} {c.below(4)}"] * 2, f"delmhf {slot}")


def matchers(c):
    return f"recvf {c.below(4)}"


def mailboxes(c):
    name = c.below(2)
    return c.one(
        *[f"putinfo {name} {c.one(0, 1, 2, 3, 4, 6)}"] * 4, *[f"recvinfo {name} {c.below(3)} {c.one(0, 0, 8, 16)}"] * 2,
        f"delinfo {name} {c.below(3)} 0", f"mboxinfo {name}", f"insert {name} {c.one(ANY, c.below(3))} {c.below(9)}",
        f"lookup {name} {c.one(ANY, c.below(3))}", f"delete {name} {c.below(3)}")


def children(c):
    return c.one(f"spawn {c.one(1, 1, 2)} {c.below(4)}", f"notify {CHILD} 3 {c.one(0, 0, 1)}")


KINDS = {make.__name__: make for make in (messages, buffers, surroundings, waits, ends, groups, routes, handlers, matchers,
                                          mailboxes, children)}


def program(seed):
    """(number of tasks, steps) of a seed, each step with its kind."""
    rng = random.Random(seed)
    tasks = rng.randint(1, MOST_TASKS)
    others = rng.sample([kind for kind in KINDS if kind != "messages"], rng.randint(0, MOST_KINDS))
    if "matchers" in others:
        others = [kind for kind in others if kind not in NOT_WITH_MATCHERS]
    if "routes" in others:
        others = [kind for kind in others if kind != "handlers"]    # in 3.4.6 what a handler sends waits for no route
    kinds = ["messages"] * max(1, len(others)) + others
    first = [POLL]
    if set(others) & POLLED:
        first.append(ALL_POLL if "routes" in others else POLLS)
    steps = [(task, words) for task in range(tasks) for words in (*first, f"initsend {rng.randrange(2)}")]
    for _ in range(rng.randint(5, 40)):
        choice = Choice(rng, tasks, rng.randrange(tasks))
        steps.append((choice.task, KINDS[rng.choice(kinds)](choice)))
    return tasks, steps
