"""Do the tasks of a random program observe with ours what they observe with 3.4.6?

A program is a list of steps, (task, words), which steps.c makes. One task makes a step at a time, and the next step
waits until all processes of the machine sleep. So what a step finds does not depend on the speed of a task. A task that
sleeps then without an answer waits for a message; its answer comes among those of a later step, or never.

Each task polls at first. With ours, the sends of a task let in exactly what those of 3.4.6 do only after a poll.
In programs with direct routes all tasks poll after each step: so a route that a step has asked for is there, and what has
waited for it has come, before the next step.

usage: compare.py FIRST COUNT     compares the programs of COUNT seeds, from FIRST on
"""
import argparse
import contextlib
import difflib
import signal
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from random_steps import ALL_POLL, POLL, program  # noqa: E402
from support.machine import VirtualMachine  # noqa: E402
from support.places import OURS, STOCK  # noqa: E402
from support.task import wait_until  # noqa: E402

# Steps in which a task waits for time to pass, or looks again and again, and which end without another step.
SLEEPY = ("trecv", "join", "spawn")
KEPT = (POLL, "polls")      # steps without which others would show what is known to differ
REST, QUIET = "rest", " = 0, errno 0"   # the step of a task that only polls, and its answer if nothing happens
RESTS = 2               # of each task: a route that one grants brings a message
SECONDS_TO_SETTLE = 60
REPETITIONS = 5         # of a run that differs


def children(pid):
    """The process ids of the children of a process."""
    return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


def state(pid):
    """The letter that the kernel gives for what a process does, and how often it has run."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return pid, "gone"
    return pid, status.partition("State:\t")[2][:1], status.partition("ctxt_switches:")[2]


def rest(pids):
    """The states of processes if all of them sleep or have ended."""
    states = [state(pid) for pid in pids]
    return states if all(what in ("S", "Z", "gone") for _, what, *_ in states) else None


class Run:
    """One run of a program on a machine."""

    def __init__(self, machine, tasks):
        self.machine = machine
        self.actors = []
        self.tids = []
        for _ in range(tasks):      # in this order: groups go by the order of tids
            self.actors.append(machine.start("steps", keep_input=True, merge=True))
            self.tids.append(self.actors[-1].line())
        self.waiting = {}       # the words of the steps that have not been answered, by task
        self.gone = set()
        self.polling = set()    # the tasks that poll after the steps of others
        self.seen = []

    def begin(self):
        for actor in self.actors:
            actor.say(" ".join(self.tids) + "\n")
            assert actor.line() == "ready"

    def processes(self):
        pvmd = self.machine.pvmd.pid
        return [pvmd, *children(pvmd), *(actor.pid for actor in self.actors)]

    def is_settled(self):
        before = rest(self.processes())
        return before and rest(self.processes()) == before

    def settle(self):
        """Wait until all processes sleep: they have done all that the step has brought about."""
        for task, words in self.waiting.items():
            if words.split()[0] in SLEEPY:
                wait_until(self.actors[task].has_line, f"{words} ends", SECONDS_TO_SETTLE)
        wait_until(self.is_settled, "all processes sleep", SECONDS_TO_SETTLE)

    def collect(self):
        """The answers of the tasks that do not wait any more, and the ends of tasks."""
        for task, actor in enumerate(self.actors):
            words = self.waiting.get(task)
            if words and actor.has_line():
                self.note(task, actor.line())
                if self.seen[-1][1:] == (REST, QUIET):
                    self.seen.pop()
            if task not in self.gone and actor.process.poll() is not None:
                self.gone.add(task)
                self.note(task, f"ended with {actor.process.returncode}")

    def rest(self):
        """Have all tasks that poll after the steps of others do so."""
        for task in sorted(self.polling):
            if task not in self.gone and task not in self.waiting:
                self.make(task, REST)

    def note(self, task, answer):
        self.seen.append((task, self.waiting.pop(task, "no_step"), answer))

    def step(self, task, words):
        """Have a task make a step, if it is there and does not wait."""
        if task in self.gone or task in self.waiting:
            return
        self.make(task, words)
        if words == ALL_POLL:
            self.polling.add(task)
        if words == "leave":
            self.gone.add(task)
        for _ in range(RESTS):
            self.rest()

    def make(self, task, words):
        self.waiting[task] = words
        if words == "die":
            self.actors[task].signal(signal.SIGKILL)
        else:
            self.actors[task].say(words + "\n")
        try:
            self.settle()
        except AssertionError as error:
            self.note(task, f"does not end: {error}")
            self.gone.add(task)
        self.collect()

    def end(self):
        for task in list(self.waiting):
            self.note(task, "waits")
        return self.seen

    def discard(self):
        for actor in self.actors:
            actor.discard()
            self.machine.started.remove(actor)


def run(machine, tasks, steps):
    """The steps with their answers. A task makes no step after it has left, nor while it waits."""
    one = Run(machine, tasks)
    try:
        one.begin()
        for task, words in steps:
            one.step(task, words)
        return one.end()
    finally:
        one.discard()


def shrunk(differs, steps):
    """The steps without those that a difference does not need."""
    at = 0
    while at < len(steps):
        fewer = steps[:at] + steps[at + 1:]
        if not steps[at][1].startswith(KEPT) and differs(fewer):
            steps = fewer
        else:
            at += 1
    return steps


@dataclass
class Comparison:
    """Two ways to run a program, each a function of the number of tasks and the steps, and what was found so far."""
    reference: callable
    tested: callable
    compared: int = 0
    unsteady: list = field(default_factory=list)        # seeds
    differing: list = field(default_factory=list)
    tally: Counter = field(default_factory=Counter)     # programs with an answer to each step

    def compare(self, seed):
        """Compare the runs of the program of a seed. If the reference answers differently again, the program is
        unsteady and not compared. If the runs differ each time, those of the shrunk program join differing, otherwise
        those that differed."""
        tasks, steps = program(seed)
        wanted, got = self.reference(tasks, steps), self.tested(tasks, steps)
        if got != wanted:
            if self.is_unsteady(self.reference, tasks, steps, wanted):
                self.unsteady.append(seed)
                return
            if not self.is_unsteady(self.tested, tasks, steps, got):
                steps = shrunk(lambda fewer: self.differs(tasks, fewer), steps)
                wanted, got = self.reference(tasks, steps), self.tested(tasks, steps)
            self.differing.append((seed, wanted, got))
        self.compared += 1
        self.tally.update({words.split()[0] for _, words, _ in wanted})

    def differs(self, tasks, steps):
        """Whether the runs differ, each time."""
        wanted, got = self.reference(tasks, steps), self.tested(tasks, steps)
        return wanted != got and not (self.is_unsteady(self.reference, tasks, steps, wanted) or
                                      self.is_unsteady(self.tested, tasks, steps, got))

    def is_unsteady(self, way, tasks, steps, seen):
        """Whether what has answered so answers differently when it is asked again."""
        return any(way(tasks, steps) != seen for _ in range(REPETITIONS))

    def counts(self):
        return ", ".join(f"{name} {count}" for name, count in sorted(self.tally.items()))

    def __str__(self):
        lines = [f"{self.compared} programs compared, {len(self.unsteady)} unsteady, {len(self.differing)} differ",
                 f"programs with {self.counts()}", f"unsteady are {self.unsteady}"]
        for seed, wanted, got in self.differing:
            lines.append(f"seed {seed}: task, step, answer of the reference and, below it, of what is tested")
            lines += list(difflib.ndiff(told(wanted), told(got)))
        return "\n".join(lines)


def told(seen):
    return [f"{task}  {words}:{answer}" for task, words, answer in seen]


@contextlib.contextmanager
def stock_and_ours():
    """A comparison of 3.4.6 with ours, on a machine of each."""
    with VirtualMachine(STOCK, STOCK) as stock, VirtualMachine(OURS, OURS) as ours:
        yield Comparison(lambda tasks, steps: run(stock, tasks, steps), lambda tasks, steps: run(ours, tasks, steps))


def main():
    parser = argparse.ArgumentParser(description="Compares ours with 3.4.6 by random programs.")
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    options = parser.parse_args()
    with stock_and_ours() as comparison:
        for seed in range(options.first, options.first + options.count):
            comparison.compare(seed)
    print(comparison)
    return bool(comparison.differing)


if __name__ == "__main__":
    sys.exit(main())
