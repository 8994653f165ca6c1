"""Do unmodified programs run as user-level processes: many in one process, each with variables of its own?"""
import os
import re
import signal
import subprocess

import pytest
from support import programs
from support.console import Console
from support.machine import VirtualMachine
from support.network import NetworkMachine
from support.places import EXAMPLES, OURS, STOCK, TESTS, TOP, group_library
from support.task import LIMIT, send_signal, wait_until

PVMULP = OURS.pvmd.parent / "pvmulp"
DAEMONS = pytest.mark.parametrize("daemon", [OURS, STOCK], ids=str)
COPIES = 8


def variables(**more):
    return {"PVM_PATH": f"{programs.folder(OURS)}:{OURS.pvmd.parent}:{EXAMPLES}", "PVM_EXPORT": "LD_LIBRARY_PATH",
            **more}


def machine(daemon=OURS, **more):
    return VirtualMachine(daemon, OURS, variables(**more))


def scene(daemon, *words):
    with machine(daemon) as vm:
        assert vm.run("ulps", *words, merge=True).ok().out == "ok\n"
        wait_until(lambda: not vm.tasks(), "no task is left")


def compiled(source, folder, *flags):
    """A C++ program, or one that is compiled in another way; gives its path."""
    path = folder / source.stem
    compiler = ["g++", "-std=c++17"] if source.suffix == ".cc" else ["gcc", "-std=gnu17"]
    subprocess.run([*compiler, "-O2", *OURS.flags, f"-I{OURS.include}", source, "-o", path, *flags, f"-L{OURS.libraries}",
                    "-lpvm3"], check=True)
    return path


def printed_by_all(program, *words, **more):
    """What each of some tasks has printed."""
    with machine(**more) as vm:
        path = compiled(program, vm.folder) if program.suffix == ".cc" else programs.build(program.stem, OURS)
        first, *lines = vm.run("collect", COPIES, path, *words).ok().out.splitlines()
        if program.suffix == ".cc":
            path.unlink()
    texts = {tid: [] for tid in first.split()[1:]}
    for line in lines:
        tid, text = line[1:].split("] ", 1)
        texts[tid].append(text)
    return list(texts.values())


@pytest.mark.parametrize("name, words", [("own_state.c", ["word"]), ("own_state.c", ["exit"]), ("streams.cc", [])],
                         ids=["return", "exit", "C++"])
def test_what_a_program_has_to_itself(name, words):
    alone, *others = printed_by_all(TESTS / "system" / name, *words)
    assert len(alone) > 5 and others == [alone] * (COPIES - 1)
    assert printed_by_all(TESTS / "system" / name, *words, PVM_TASKS="ulp") == [alone, *others]


@pytest.mark.parametrize("flags", [[], ["-fPIC"]], ids=["environ copied", "environ of the library"])
def test_environment(flags, tmp_path):
    """Of its own, and what it starts gets it."""
    with machine() as vm:
        path = compiled(TESTS / "system" / "environment.c", tmp_path, f"-I{TESTS / 'support'}", *flags)
        alone = vm.run("collect", 1, path).ok().out.splitlines()[1:]
        beside = vm.run("collect", COPIES, path, variables={"PVM_TASKS": "ulp"}).ok().out.splitlines()[1:]
    said = [line.split("] ", 1)[1] for line in alone]
    assert len([line for line in said if line.endswith(": its own")]) > 10
    assert sorted(line.split("] ", 1)[1] for line in beside) == sorted(said * COPIES)


@pytest.mark.parametrize("flags", [[], ["-fPIC"]], ids=["optind copied", "optind of the library"])
def test_words_by_getopt(flags, tmp_path, long_run):
    """Each reads its own, while others read theirs."""
    with machine() as vm:
        path = compiled(TESTS / "system" / "own_words.c", tmp_path, *flags)
        told = vm.run("collect", COPIES + 1, path, 50 if long_run else 5, variables={"PVM_TASKS": "ulp"}).ok().out
        alone = vm.run(path, 50 if long_run else 5, merge=True).ok().out
    texts = {}
    for line in told.splitlines()[1:]:
        tid, text = line.split("] ", 1)
        texts.setdefault(tid, []).append(text)
    assert "unrecognized option '--nothing'" in alone
    assert [sorted(text) for text in texts.values()] == [sorted(alone.splitlines())] * (COPIES + 1)


def test_exports():
    """A program exports variables of its own to what it spawns."""
    scene(OURS, "exports", 3)


def region(line, megabytes):
    """The number of the region in which the address of a line lies."""
    return int(line.split()[-1], 16) // (megabytes << 20)


@pytest.mark.parametrize("name, megabytes", [("places.c", 256), ("places.c", 64), ("places.cc", 256)])
def test_all_of_a_program_lies_in_one_region(name, megabytes):
    """Its addresses differ in the lower bits alone, and nobody else has the upper ones."""
    texts = printed_by_all(TESTS / "system" / name, PVM_TASKS="ulp", PVM_ULP_REGION=str(megabytes))
    outside = {line for text in texts for line in text if region(line, megabytes) != region(text[0], megabytes)}
    assert all(len(text) > 10 for text in texts) and not outside
    assert len({region(text[0], megabytes) for text in texts}) == COPIES


def test_without_a_region():
    """Its stack does not fit: it runs elsewhere."""
    large = {"PVM_ULP_REGION": "16", "PVM_THREAD_STACK": "9000"}
    texts = printed_by_all(TESTS / "system" / "places.c", PVM_TASKS="ulp", **large)
    assert all(len({region(line, 16) for line in text}) > 1 for text in texts)


@DAEMONS
def test_many(daemon, long_run):
    scene(daemon, "many", 1000 if long_run else 200)


@DAEMONS
def test_every_way_to_end(daemon):
    scene(daemon, "ends")


def test_some_are_killed():
    """The daemon of 3.4.6 ends the process."""
    scene(OURS, "killed", 20)


def test_nothing_follows_the_last_word(long_run):
    """The daemon drops what does, and says so."""
    with machine() as vm:
        for _ in range(400 if long_run else 40):
            assert vm.run("ulps", "parts", COPIES, merge=True).ok().out == "ok\n"
        wait_until(lambda: not vm.tasks(), "no task is left")
        assert "which is no task of it" not in vm.log()


@pytest.mark.parametrize("server", ["processes", "ulp"])
@pytest.mark.parametrize("library", [OURS, STOCK], ids=str)
def test_groups(library, server, long_run):
    """Each virtual machine needs a server, and several tasks may start one. The library of 3.4.6 is not for threads."""
    for _ in range(200 if long_run else 20):
        with machine(PVM_TASKS=server, LD_LIBRARY_PATH=f"{group_library(library)}:{OURS.libraries}") as vm:
            assert vm.run("ulps", "groups", merge=True).ok().out == "ok\n"
            wait_until(lambda: [task[4].split("/")[-1] for task in vm.tasks()][-1:] == ["pvmgs"], "the server is left")


def test_nothing_is_left_of_lives(long_run):
    scene(OURS, "lives", 3000 if long_run else 300)


OUTSIDE = ["reads", "selects", "polls", "stream", "locks", "queue", "child"]


@pytest.mark.parametrize("way", ["turns", "nrecv", "computes", *OUTSIDE])
def test_one_processor_is_enough(way, long_run):
    """None keeps the others from it."""
    processors = os.sched_getaffinity(0)
    programs.build("carried", OURS)
    os.sched_setaffinity(0, {min(processors)})
    try:
        with machine() as vm:
            detail = (50000 if long_run else 5000) if way == "turns" else vm.folder / "shared"
            assert vm.run("carried", way, detail, merge=True).ok().out == "ok\n"
            (vm.folder / "shared").unlink(missing_ok=True)
            wait_until(lambda: not vm.tasks(), "no task is left")
    finally:
        os.sched_setaffinity(0, processors)


def test_memory_of_lives_is_freed():
    """What they have not freed."""
    scene(OURS, "greedy", 200)


def test_a_stack_is_overrun():
    scene(OURS, "overrun")


def test_what_cannot_be_started():
    scene(OURS, "wrong")


@DAEMONS
def test_hosts(daemon):
    with NetworkMachine([daemon] * 3, OURS, variables()) as vm:
        programs.build("ulps", OURS)
        vm.add()
        assert vm.run("ulps", "hosts", merge=True).ok().out == "ok\n"
        wait_until(lambda: not vm.tasks(), "no task is left")


WHERE = """#include <pvm3.h>
#include <stdio.h>
int main(int count, char **words)
{
    static int own;
    int tids[9], started = 9;
    unsigned long place = (unsigned long)&own;
    pvm_initsend(PvmDataRaw);
    pvm_pkulong(&place, 1, 1);
    if (pvm_parent() > 0)
        return pvm_send(pvm_parent(), 1);
    started = pvm_spawn(words[0], 0, PvmTaskUlp, 0, 9, tids);
    for (; count < 1 + started; count++) {
        pvm_recv(-1, 1);
        pvm_upkulong(&place, 1, 1);
        printf("%#lx\\n", place);
    }
    return pvm_exit();
}
"""


def test_no_two_have_the_same_addresses(tmp_path):
    """Those of all hosts."""
    (tmp_path / "where.c").write_text(WHERE)
    with NetworkMachine([OURS] * 3, OURS, variables()) as vm:
        vm.add()
        said = vm.run(str(compiled(tmp_path / "where.c", tmp_path)), merge=True).ok().out.split()
    assert len(said) == len({int(place, 0) >> 28 for place in said}) == 9


FOLDERS = """#include <pvm3.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int count, char **words)
{
    int tids[2];
    char text[500];
    if (pvm_parent() > 0) {
        if (chdir(words[1]) != 0)
            return 1;
        umask(words[2][0] == '7' ? 077 : 022);
        pvm_initsend(PvmDataDefault);
        pvm_send(pvm_parent(), 1);
        pvm_recv(pvm_parent(), 2);
        fclose(fopen("here", "w"));
        pvm_initsend(PvmDataDefault);
        pvm_pkstr(getcwd(text, sizeof text));
        return pvm_send(pvm_parent(), 3);
    }
    for (int i = 0; i < 2; i++)
        if (pvm_spawn(words[0], (char *[]){words[1 + 2 * i], words[2 + 2 * i], 0}, PvmTaskUlp, 0, 1, &tids[i]) != 1)
            return 1;
    for (int i = 0; i < 2; i++)
        pvm_recv(tids[i], 1);
    pvm_initsend(PvmDataDefault);
    pvm_mcast(tids, 2, 2);
    for (int i = 0; i < 2; i++) {
        pvm_recv(tids[i], 3);
        pvm_upkstr(text);
        puts(text);
    }
    return pvm_exit();
}
"""


def test_folders_of_their_own(tmp_path):
    """And masks for new files."""
    (tmp_path / "folders.c").write_text(FOLDERS)
    for name in "one", "other":
        (tmp_path / name).mkdir()
    with machine() as vm:
        path = compiled(tmp_path / "folders.c", tmp_path)
        said = vm.run(str(path), tmp_path / "one", "7", tmp_path / "other", "2", merge=True).ok().out.split()
    assert said == [str(tmp_path / "one"), str(tmp_path / "other")]
    assert [(tmp_path / name / "here").stat().st_mode & 0o777 for name in ("one", "other")] == [0o600, 0o644]


def test_console_shows_them():
    with machine() as vm:
        programs.build("own_state", OURS)
        console = Console(vm, OURS)
        said = console.run_job("spawn -2 -ulp -> own_state word")
        assert "2 successful" in said and len([line for line in said if "the last is word" in line]) == 2
        console.quit().ok()


STAYS = """#include <pvm3.h>
static int reached;
static int tell(void) { pvm_initsend(0); return pvm_putinfo("here", pvm_getsbuf(), PvmMboxMultiInstance); }
static int deep(int more) { reached++; return more ? deep(more - 1) + 1 : (tell(), pvm_recv(-1, 77)); }
int main(void) { pvm_mytid(); return deep(3); }
"""


def test_debugger_knows_them():
    """Their tasks, threads, programs, frames and variables."""
    with machine() as vm:
        source = vm.folder / "stays.c"
        source.write_text(STAYS)
        path = compiled(source, vm.folder, "-g", "-O0")
        starter = vm.start("collect", 3, path, variables={"PVM_TASKS": "ulp"})
        wait_until(lambda: vm.run("gmbi", "here").out.count("owner_tid") == 3, "all are there")
        holder = next(task[5] for task in vm.tasks() if task[4] == "pvmulp")
        tids = sorted(f"t{task[0]:x}" for task in vm.tasks() if task[4].endswith("stays"))
        script = TOP / "pvm3" / "ulp" / "pvmulp-gdb.py"
        commands = [f"source {script}", "info ulps", f"ulp {tids[1]}", f"ulp {tids[2]} frame function main; print reached",
                    "ulp t1"]
        words = [word for command in commands for word in ("-ex", command)]
        done = subprocess.run(["gdb", "-nx", "-batch", "-p", str(holder), *words], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=LIMIT)
        for task in (starter.pid, holder):
            send_signal(task, signal.SIGKILL)
        starter.ended()
        for file in source, path:
            file.unlink()
    assert sorted(re.findall(rf"(t\w+)  thread \d+ +0x\w+  {path}$", done.stdout, re.MULTILINE)) == tids
    assert len(re.findall(r"^#\d+ .* deep \(more=", done.stdout, re.MULTILINE)) == 4 and "$1 = 4" in done.stdout
    assert "no user-level process here is task t1" in done.stderr


# A program and why it is refused.
REFUSED = {
    "another root": ("#include <unistd.h>\nint main(void) { return chroot(\"/\"); }", [],
                     "chroot: it changes the rights of its process"),
    "another's time zone": ("#include <time.h>\nint main(void) { return timezone == 0; }", [],
                            "it has this variable of a library for itself"),
    "fixed addresses": ("int main(void) { return 0; }", ["-no-pie"], "linked for fixed addresses"),
    "static": ("int main(void) { return 0; }", ["-static-pie"], "linked statically"),
    "much in threads": ("static _Thread_local char room[5000];\nint main(int c, char **v) { room[c] = **v; return room[7]; }",
                        [], "it has more thread-local variables than there is room for"),
    "threads of OpenMP": ("int main(int c, char **v) {\n_Pragma(\"omp parallel\")\n{ v[0][0] = 1; }\nreturn c; }",
                          ["-fopenmp"], "GOMP_parallel: a library starts threads for it"),
    "threads of C++": ("#include <thread>\nint main() { std::thread([] {}).join(); }", ["-pthread"],
                       "a library starts threads for it"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_refused(kind, tmp_path):
    text, flags, why = REFUSED[kind]
    source = tmp_path / ("program.cc" if "C++" in kind else "program.c")
    source.write_text(text)
    path = compiled(source, tmp_path, *flags)
    with machine() as vm:
        for ended in (vm.run(PVMULP, path), vm.run("collect", 1, path, variables={"PVM_TASKS": "ulp"})):
            assert why in ended.out + ended.err


@pytest.mark.parametrize("damage", ["empty", "text", "cut", "script", "folder", "missing", "other machine"])
def test_files_that_are_no_programs(damage, tmp_path):
    path = tmp_path / "program"
    whole = programs.build("ulps", OURS).read_bytes()
    contents = {"empty": b"", "text": b"no program\n" * 100, "cut": whole[:3000], "script": b"#!/bin/sh\necho ran\n",
                "other machine": whole[:18] + b"\x08\x00" + whole[20:]}
    if damage == "folder":
        path.mkdir()
    elif damage in contents:
        path.write_bytes(contents[damage])
        path.chmod(0o700)
    with machine() as vm:
        ended = vm.run(PVMULP, path)
        assert ended.status == 126 and ended.err.startswith(f"pvmulp: {path}: ") and not ended.out
