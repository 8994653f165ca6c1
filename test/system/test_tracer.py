"""Do tracer and trcsort do what those of 3.4.6 do, and more where those fail?"""
import random
import subprocess

import pytest
from support import programs, sddf
from support.console import Console
from support.hosts import HostsMachine
from support.machine import VirtualMachine
from support.places import OURS, STOCK, WRAPPER
from support.puppet import Puppet
from support.tracing import Tracer, told

PAIRINGS = {"ours-on-ours": (OURS, OURS), "ours-on-stock": (OURS, STOCK), "stock-on-ours": (STOCK, OURS)}
COMMANDS = ("help", "mask", "help mask", "help buf", "help buffer", "help quit", "help q", "help nosuch",
            "help options", "help opt", "help help", "help trace", "mask nosuch send", "mask - foo", "buf",
            "buf 1 2", "buf", "opt full x", "opt f", "opt", "mask * foo", "Quit", "mask default", "mask pvm_send",
            "mask xpvm", "trace", "mask - barrier + mkbuf", "mask", "buf 0")
SORT = OURS.pvmd.with_name("trcsort")


def dialogue(system, base):
    """What tracer says, its trace file, and its output file, while hello.pvm runs."""
    with VirtualMachine(base, base) as vm:
        tracer = Tracer(vm, system, "-O", "out", "full")
        tracer.say(*COMMANDS)
        vm.run("hello.pvm").ok()
        tracer.task.until("Trace File Complete")
        ended, text = tracer.quit()
        output = sorted((vm.home / "out").read_text().splitlines())
        (vm.home / "out").unlink()
        return ended.out, told(text), output


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_tracer_as_in_the_distribution(pairing):
    expected = dialogue(STOCK, STOCK)
    assert "Task TID=0x40002 Connected to Tracer\n" in expected[0] and "[0x40002] EOF" in expected[2]
    assert "send(0.0)" in expected[1][0] and len(expected[1][1]) > 15
    assert dialogue(*PAIRINGS[pairing]) == expected


def test_second_tracer_is_refused():
    with VirtualMachine(OURS, OURS) as vm:
        first = Tracer(vm, OURS)
        second = vm.run(OURS.pvmd.with_name("tracer"), "-T", "other").ok(1)
        assert "Tracer Already Connected...  Exiting.\n" in second.out and not (vm.home / "other").exists()
        third = vm.run(OURS.pvmd.with_name("tracer"), "-T", "trace").ok(1)
        assert third.err == "tracer: trace: File exists (-T and -O take a new one)\n"
        first.quit()[0].ok()


def sort(text, *arguments, status=0):
    """The outcome of trcsort of the text: its standard output and errors."""
    done = subprocess.run([*WRAPPER, SORT, *arguments], input=text.encode(), capture_output=True, timeout=180,
                          env={"LD_LIBRARY_PATH": str(OURS.libraries)})
    assert done.returncode == status, done
    return done.stdout.decode(), done.stderr.decode()


def without_order(trace):
    """What must be the same in a trace and the sorted one."""
    return sorted((record.event, sorted(record.values.items())) for record in trace.records)


def across_hosts(system):
    """A trace of a program on the second of two hosts, which spawns on the first, and of a host deleted."""
    programs.build("herald", system)
    with HostsMachine(system, system) as vm:
        console = Console(vm, system)
        console.do("add 127.0.0.3")
        tracer = Tracer(vm, system, "-v")
        console.do("spawn --host=127.0.0.3 herald")
        tracer.task.until("Trace File Complete")
        console.do("delete 127.0.0.3")
        console.quit().ok()
        if system is OURS:
            tracer.task.until_prompt("Host 127.0.0.3 Deleted")
        return tracer.quit()[1]


@pytest.mark.parametrize("system", (OURS, STOCK), ids=str)
def test_trace_of_two_hosts_is_sorted(system):
    text = across_hosts(system)
    trace, ordered = sddf.read(text), sddf.read(sort(text)[0])
    assert {record.tid >> 18 for record in trace.of("newtask")} >= {2}
    assert len(trace.of("host_add")) == 2 and len(trace.of("host_sync")) == 1
    assert system is STOCK or len(trace.of("host_del")) == 1
    times = [record.time for record in ordered.records]
    assert times == sorted(times) and len(times) == len(trace.records)
    sync = ordered.of("host_sync")[0].values
    assert (sync["HDS"], sync["HDU"]) == ("0", "0")
    assert sddf.read(sort(sort(text)[0])[0]) == ordered
    behind = int(trace.of("host_sync")[0].values["HDS"]) * 1000000 + int(trace.of("host_sync")[0].values["HDU"])
    for before, after in zip(trace.of("newtask"), sorted(ordered.of("newtask"), key=lambda record: record.tid)):
        if before.tid == after.tid:
            assert after.time - before.time == (behind if before.tid >> 18 == 2 else 0)


def example():
    """A trace of one task on each of two hosts; the clock of the second is 3.25 s behind."""
    head = '/*\n * "Creation Date" "Sun Nov 22 06:07:37 2026"\n * "Machine" "Tracer 1.0.0 (PVM 3.4.6)"\n */ ;;\n\n'

    def layout(number, name, *fields):
        lines = "".join(f'\t// "{key}" "text of {key}"\n\t{kind} "{key}"{many};\n' for key, kind, many in fields)
        return f'\n#{number}: "{name}"\n{{\n{lines}}};;\n\n'
    whole = (("TS", "int", ""), ("TU", "int", ""), ("TID", "int", ""))
    return (head + layout(1802, "host_add(0)", *whole, ("HN", "char", "[]"), ("HSP", "int", ""))
            + '"host_add(0)" { 100, 0, 262144, [2] { "a" }, 1000 };;\n"host_add(0)" { 100, 0, 524288, [2] { "b" }, 1 };;\n'
            + layout(1806, "host_sync(0)", *whole, ("HDS", "int", ""), ("HDU", "int", ""))
            + '"host_sync(0)" { 100, 1, 524288, 3, 250000 };;\n'
            + layout(1808, "output(0)", *whole, ("OS", "char", "[]"))
            + layout(1216, "user_defined(0)", *whole, ("USR0", "double", ""), ("USR1", "float", "[]"),
                     ("USR2", "char", "[][]"), ("USR3", "int", "[]"))
            + '"output(0)" { 102, 0, 262145, [14] { "a "}, [3] { x" } };;\n'
            + '"user_defined(0)" { 98, 900000, 524289, -1.500000, [2] { 1.000000, 100000002004087734272.000000 },'
              ' [2] [6] { "first", "2" }, [0]  } };;\n'
            + '"output(0)" { 98, 0, 524289, [6] { "two\nl" } };;\n')


def test_clocks_of_hosts():
    ordered = sort(example(), "-v", "-O", "/dev/stderr")
    lines = [line for line in ordered[0].split(";;\n") if line.strip().startswith('"')]
    assert [line.strip() for line in lines] == [
        '"host_add(0)" { 100, 0, 262144, [2] { "a" }, 1000 }', '"host_add(0)" { 100, 0, 524288, [2] { "b" }, 1 }',
        '"host_sync(0)" { 100, 1, 524288, 0, 0 }',
        '"output(0)" { 101, 250000, 524289, [6] { "two\nl" } }',
        '"output(0)" { 102, 0, 262145, [14] { "a "}, [3] { x" } }',
        '"user_defined(0)" { 102, 150000, 524289, -1.500000, [2] { 1.000000, 100000002004087734272.000000 },'
        ' [2] [6] { "first", "2" }, [0] { } }']
    assert ordered[1] == '[0x80001] two\nl\n[0x40001] a "}, [3] { x\ntrcsort: 6 records of 4 layouts\n'


def test_broken_traces_are_told_with_their_line():
    text = example()

    def line_of(what):
        return text[:text.index(what)].count("\n") + 1
    assert sort("")[0].endswith(" */ ;;\n\n")      # a trace in which nothing happened
    for broken, line, problem in (
            (text[:-9], line_of("l\" } };;"), "the file ends in the middle of a string"),
            (text.replace("524288, 3,", "524288, x,"), line_of("524288, 3,"), "this is no whole number"),
            (text.replace('"host_sync(0)" {', '"host_add(7)" {'), line_of("524288, 3,"), "no layout before it explains"),
            (text.replace('int "HSP"', 'real "HSP"'), line_of('int "HSP"'), "there is no such type"),
            ("hello\n", 1, "not how a trace file goes on"), ("/* text", 1, "a comment does not end")):
        out, said = sort(broken, status=1)
        assert out == "" and said.startswith(f"standard input:{line}: ") and problem in said, said
    assert sort("", "nosuch", status=1)[1] == "nosuch: No such file or directory\n"


def test_any_text_is_read_or_refused():
    """Whatever the file says, trcsort ends in order, and what it writes it reads again."""
    chance = random.Random(3)
    text = example()
    for _ in range(120):
        at = chance.randrange(len(text))
        change = chance.choice(("", chance.choice('{}[]"#;,/*9\n-.'), text[at:at + chance.randrange(90)], "99999999999"))
        mutant = text[:at] + change + text[at + chance.choice((0, 1, 1, 30)):]
        done = subprocess.run([*WRAPPER, SORT], input=mutant.encode(), capture_output=True, timeout=180,
                              env={"LD_LIBRARY_PATH": str(OURS.libraries)})
        assert done.returncode in (0, 1), f"{done}\n{mutant}"
        if done.returncode == 0:
            sort(done.stdout.decode(errors="replace"))
        else:
            assert b"standard input:" in done.stderr


def test_user_events_of_every_type():
    """On all of them stock's tracer ends."""
    with VirtualMachine(OURS, OURS) as vm:
        tracer = Tracer(vm, OURS)
        vm.run("trace_calls", "user").ok()
        tracer.task.until("Trace File Complete")
        text = tracer.quit()[1]
    event = sddf.read(text).of("user_defined")[0].values
    assert [event[f"USR{number}"] for number in range(4)] == ["\1\2\3", "1", "-1, 2, 3", "-1"]
    assert "1.250000, 2.250000, 3.250000, 4.250000" in event.values() and "text" in event.values()
    assert without_order(sddf.read(text)) == without_order(sddf.read(sort(text)[0]))


def test_messages_that_make_no_sense_are_dropped():
    """A description that ends too early, a record that nothing describes, no mark, output without its length."""
    with VirtualMachine(OURS, OURS) as vm:
        tracer = Tracer(vm, OURS)
        puppet = Puppet(vm)
        for tag, value in ((666, -5), (666, -7), (666, 12345), (667, 0x40002)):
            assert puppet.do("send", "40001", tag, value) == "0"
        puppet.leave()
        tracer.task.until("Trace File Complete")
        ended, text = tracer.quit()
        assert ended.ok().err == 3 * "a trace message makes no sense, and is dropped\n"
        assert len(sddf.read(text).of("endtask")) == 1
