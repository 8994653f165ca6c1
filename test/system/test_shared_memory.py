"""Do tasks of one host get what others send them through shared memory, and in order, whatever happens?

The checks of contents and order are in shared.c.
"""
import contextlib
import os
import re
from collections import Counter
from pathlib import Path

import pytest
from support import programs
from support.machine import VirtualMachine
from support.places import OURS, STOCK
from support.puppet import Puppet
from support.task import LIMIT, wait_until

# Bytes that a task may have more than it had before, of its own and of shared memory: what it keeps for later, and of
# the latter what the two keep with whom it has shared it.
GROWTH = (8 << 20, 3 * 16 << 20)

daemons = pytest.mark.parametrize("daemon", [OURS, STOCK], ids="daemon-{}".format)


def checked(vm, *arguments):
    """Run the program; gives how many messages it checked."""
    return int(vm.run("shared", *arguments, merge=True).ok().out.splitlines()[-1].split()[1])


@daemons
@pytest.mark.parametrize("tasks", [1, 5])
def test_sends_before_the_receiver_has_enrolled(daemon, tasks):
    with VirtualMachine(daemon, OURS) as vm:
        assert checked(vm, "spawn", tasks, 200) == tasks * 400


@daemons
@pytest.mark.parametrize("megabytes", [64, 1, 0])
def test_receiver_that_does_not_read(daemon, megabytes):
    """More is sent than a ring and the arena hold."""
    with VirtualMachine(daemon, OURS, variables={"PVM_SHARED_MEMORY": str(megabytes)}) as vm:
        assert checked(vm, "stall", 3000) == 3000


def mapped(pid):
    """Memory files of the process: (name, inode) of each that it maps, and whether it may write there."""
    found = set()
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        _, rights, _, _, inode, *name = line.split(maxsplit=5)
        if name and name[0].startswith("/memfd:pvm "):
            found.add((name[0].removeprefix("/memfd:pvm ").split()[0], int(inode), "w" in rights))
    return found


def descriptors(pid):
    """What each descriptor of the process leads to, and its status; without those that it closes meanwhile."""
    found = []
    for path in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found.append((os.readlink(path), os.stat(path)))
    return found


def opened(pid):
    """How many descriptors the process has of each kind. Files of its arena are as many as it needed once."""
    kinds = Counter(re.sub(r":\[\d+\]$", "", name) for name, _ in descriptors(pid))
    return {kind: count for kind, count in kinds.items() if not kind.startswith("/memfd:pvm arena")}


def strangers(pids):
    """Memory that the processes map and that is none of theirs: of tasks that are no more."""
    maps = {pid: mapped(pid) for pid in pids}
    everything = [memory for found in maps.values() for memory in found]
    users = Counter(inode for _, inode, _ in everything)
    owned = {inode for kind, inode, writable in everything if writable and (kind != "ring" or users[inode] == 2)}
    return [(pid, memory) for pid, found in maps.items() for memory in found if memory[1] not in owned]


def memory(pid):
    """Bytes of its own, and of shared memory, that the process has."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return [1024 * int(status[name].split()[0]) for name in ("RssAnon", "RssShmem")]


def at_rest(task, limit=LIMIT):
    """Process ids of those that live on in a soak, when they are at rest."""
    return [int(word) for word in task.line(limit).removeprefix("at rest ").split()]


def soak(vm, seconds, growth=None):
    """Kill tasks for so long, and see what those that live on have before and after. How many were killed."""
    task = vm.start("shared", "soak", seconds, keep_input=True, merge=True)
    pids = at_rest(task)
    watched = [*pids, vm.pvmd.pid]
    wait_until(lambda: not strangers(pids), "nobody has memory of others")
    before = {pid: (opened(pid), memory(pid)) for pid in watched}
    task.say("\n")
    assert at_rest(task, LIMIT + seconds) == pids
    wait_until(lambda: not strangers(pids), "memory of those that were killed is given up")
    for pid in watched:
        wait_until(lambda pid=pid: opened(pid) == before[pid][0], "descriptors are as many as before")
    for pid in pids if growth else ():
        most = [then + more for then, more in zip(before[pid][1], growth)]
        wait_until(lambda pid=pid, most=most: all(now < bound for now, bound in zip(memory(pid), most)),
                   f"task {pid}, of {pids}, has less than {most} bytes of its own and of shared memory")
    task.say("\n")
    lines = task.ended().ok().out.splitlines()
    assert int(lines[-1].split()[1]) > 0
    return int(lines[-2].split()[1])


@daemons
def test_tasks_are_killed_amid_messages(daemon):
    with VirtualMachine(daemon, OURS) as vm:
        assert soak(vm, 3) > 0


@pytest.mark.lasting
def test_tasks_are_killed_for_a_minute(long_run, record_property):
    with VirtualMachine(OURS, OURS) as vm:
        record_property("tasks killed amid messages", soak(vm, 3600 if long_run else 60, GROWTH))


def exchange(program=(), spawned=()):
    """Let tasks that run in wrappers send to each other; for each that lives on, the files in its /dev/shm, and whether
    it sends through memory."""
    with VirtualMachine(OURS, OURS, wrapper=spawned) as vm:
        task = vm.start("shared", "soak", 0, keep_input=True, merge=True, wrapper=program)
        for _ in range(2):
            pids = at_rest(task)
            shown = [list(Path(f"/proc/{pid}/root/dev/shm").glob("*")) for pid in pids]
            sends = [any(kind == "arena" and writable for kind, _, writable in mapped(pid)) for pid in pids]
            task.say("\n")
        ended = task.ended().ok()
        assert re.fullmatch(r"(at rest.*\n){2}killed 4\nchecked [1-9]\d*\n", ended.out)
        assert all(text.startswith("checked ") for _, text in vm.task_log())
    return shown, sends


@pytest.mark.parametrize("mount", ["mount -t tmpfs -o size=64k tmpfs /dev/shm",
                                   "mount -t tmpfs tmpfs /mnt && touch /mnt/null && mount --bind /dev/null /mnt/null &&"
                                   " mount --move /mnt /dev && [ ! -e /dev/shm ]"], ids=["small", "missing"])
def test_nothing_is_needed_of_dev_shm(mount):
    user = ["--user", "--map-root-user"] if os.geteuid() else []
    wrapper = ["unshare", *user, "--mount", "sh", "-c", f'{mount} && exec "$@"', "sh"]
    assert exchange(wrapper, wrapper) == ([[]] * 3, [True] * 3)


@pytest.mark.parametrize("program, spawned", [(True, True), (True, False), (False, True)],
                         ids=["to-all", "to-one", "to-others"])
def test_memory_files_are_refused(program, spawned):
    """Those to whom they are refused exchange messages as before; the others go on with each other."""
    wrapper = [programs.find("refuse", OURS)]
    assert exchange(wrapper if program else (), wrapper if spawned else ())[1] == [False, not spawned, not spawned]


def held(pid):
    """Bytes of the system's that the files of the process's arena take."""
    return sum(512 * status.st_blocks for name, status in descriptors(pid) if "/memfd:pvm arena" in name)


def are_linked(sender, receiver):
    """Whether the one has a ring to the other, after a message more."""
    receiver.tell("recv", sender.tid, 1)
    assert sender.do("send", receiver.tid, 1, 5) == "0"
    assert receiver.answer().endswith(" 5")
    return any(kind == "ring" for kind, _, _ in mapped(receiver.pid))


def test_memory_goes_back_to_the_system_in_a_long_sleep():
    """But for what is kept (ck/ports/shm/arena.h); where nothing else would wake the task."""
    kept, messages, ints = 16 << 20, 100, 1 << 16
    with VirtualMachine(OURS, OURS) as vm:
        sender, receiver = Puppet(vm), Puppet(vm)
        wait_until(lambda: are_linked(sender, receiver), "they share memory")
        assert sender.do("flood", receiver.tid, 2, messages, ints) == "0"
        assert receiver.do("gather", sender.tid, 2, messages) == str(messages)
        assert held(sender.pid) > messages * 4 * ints > kept
        are_linked(sender, receiver)  # the last buffer of each is another one
        sender.tell("recv", -1, 3)
        wait_until(lambda: held(sender.pid) <= kept, "memory is the system's again")
        receiver.do("send", sender.tid, 3, 7)
        assert sender.answer().endswith(" 7")


@pytest.mark.parametrize("value", ["much", "-1", "16385", "64M"])
def test_wrong_limit_is_told_and_the_usual_taken(value):
    with VirtualMachine(OURS, OURS) as vm:
        puppet = Puppet(vm, variables={"PVM_SHARED_MEMORY": value})
        assert (f"PVM_SHARED_MEMORY is {value}: taking 64, as it must be megabytes, 0 to 16384\n"
                in puppet.leave().err)


@pytest.mark.parametrize("value", ["", "0", "64", "16384"])
def test_right_limit_is_not_told(value):
    with VirtualMachine(OURS, OURS) as vm:
        assert Puppet(vm, variables={"PVM_SHARED_MEMORY": value}).leave().err == ""
