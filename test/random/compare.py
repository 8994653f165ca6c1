"""Do the tasks of a random program observe with ours what they observe with 3.4.6?

A program is a list of steps, (task, words), which steps.c makes. One task makes a step at a time, and the next step
waits for the answer and until the pvmd sleeps. So what a step finds does not depend on the speed of a task.

Each task polls at first. With ours, the sends of a task let in exactly what those of 3.4.6 do only after a poll.

usage: compare.py FIRST COUNT     compares the programs of COUNT seeds, from FIRST on
"""
import argparse
import contextlib
import random
import sys
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.machine import VirtualMachine  # noqa: E402
from support.places import OURS, STOCK  # noqa: E402
from support.task import sleeps, wait_until  # noqa: E402

ANY = -1
POLL = "nrecv -1 -1"
OPTIONS = (1, 3, 10, 11, 18, 25)
SECONDS_TO_ANSWER = 60
REPETITIONS = 5       # of a run with the reference that differs


def random_step(rng, tasks):
    """A step of one of the tasks."""
    to, tag = rng.randrange(tasks), rng.choice([1, 2])
    source, wanted = rng.choice([ANY, to]), rng.choice([ANY, tag])
    return rng.choice([
        f"initsend {rng.choice([0, 1])}", f"pack {rng.randrange(5)} {rng.randrange(9)} {rng.randrange(4)} 1",
        f"unpack {rng.randrange(4)} {rng.randrange(4)} 1", *[f"send {to} {tag}"] * 4, f"mcast {tag}",
        f"psend {to} {tag} 5", f"precv {source} {wanted} 3", f"nrecv {source} {wanted}", f"probe {source} {wanted}",
        f"recv {source} {wanted}", f"trecv {source} {wanted}", "getsbuf", "getrbuf", f"mkbuf 1 {rng.choice([0, 1])}",
        "freebuf 1", "setsbuf 1 2", "setrbuf 1 2", "pkmesg 1", f"notify {to} 3 0",
        f"getopt {rng.choice(OPTIONS)}", f"setopt 11 {rng.choice([0, 1])}", f"pstat {to}",
        "leave" if rng.randrange(4) == 0 else "getcontext", f"setcontext {rng.choice([0, 7])}"])


def program(seed):
    """(number of tasks, steps) of a seed."""
    rng = random.Random(seed)
    tasks = rng.randint(1, 4)
    beginning = [(task, words) for task in range(tasks) for words in (POLL, f"initsend {rng.choice([0, 1])}")]
    return tasks, beginning + [(rng.randrange(tasks), random_step(rng, tasks)) for _ in range(rng.randint(5, 40))]


def settle(machine):
    """Wait until the pvmd sleeps: it has carried out all that the step has asked of it."""
    wait_until(lambda: sleeps(machine.pvmd.pid), "the pvmd sleeps")


def run(machine, tasks, steps):
    """The steps with their answers. A task makes no step after it has left or has not answered."""
    actors = [machine.start("steps", keep_input=True, merge=True) for _ in range(tasks)]
    try:
        return answers(machine, actors, steps)
    finally:
        for actor in actors:
            actor.discard()
            machine.started.remove(actor)


def answers(machine, actors, steps):
    tids = [actor.line() for actor in actors]
    for actor in actors:
        actor.say(" ".join(tids) + "\n")
        assert actor.line() == "ready"
    seen, gone = [], set()
    for task, words in steps:
        if task in gone:
            continue
        try:
            actors[task].say(words + "\n")
            answer = actors[task].line(SECONDS_TO_ANSWER)
        except (AssertionError, BrokenPipeError):
            answer = "does not answer"
        if words == "leave" or answer == "does not answer":
            gone.add(task)
        seen.append((task, words, answer))
        settle(machine)
    return seen


def shrunk(differs, steps):
    """The steps without those that a difference does not need."""
    at = 0
    while at < len(steps):
        fewer = steps[:at] + steps[at + 1:]
        if steps[at][1] != POLL and differs(fewer):
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
    unsteady: int = 0
    differing: list = field(default_factory=list)

    def compare(self, seed):
        """Compare the runs of the program of a seed. If the reference answers differently again, the program is
        unsteady and not compared; if the runs differ, the shrunk program joins differing."""
        tasks, steps = program(seed)
        wanted = self.reference(tasks, steps)
        if self.tested(tasks, steps) != wanted:
            if self.is_unsteady(tasks, steps, wanted):
                self.unsteady += 1
                return
            self.differing.append((seed, self.pairs(tasks, self.shrunk(tasks, steps))))
        self.compared += 1

    def shrunk(self, tasks, steps):
        return shrunk(lambda fewer: self.differs(tasks, fewer), steps)

    def differs(self, tasks, steps):
        wanted = self.reference(tasks, steps)
        return wanted != self.tested(tasks, steps) and not self.is_unsteady(tasks, steps, wanted)

    def is_unsteady(self, tasks, steps, wanted):
        """Whether the reference answers differently when it is asked again."""
        return any(self.reference(tasks, steps) != wanted for _ in range(REPETITIONS))

    def pairs(self, tasks, steps):
        return list(zip(self.reference(tasks, steps), self.tested(tasks, steps)))

    def __str__(self):
        lines = [f"{self.compared} programs compared, {self.unsteady} unsteady, {len(self.differing)} differ"]
        for seed, pairs in self.differing:
            lines.append(f"seed {seed}: task, step, answer, and the other answer if it differs")
            lines += [f"  {task}  {words}:{answer}" + (f"  BUT {other[2]}" if other[2] != answer else "")
                      for (task, words, answer), other in pairs]
        return "\n".join(lines)


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
