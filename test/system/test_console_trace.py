"""Does the console's `trace` do and say what 3.4.6's does, and do its traced jobs?"""
import pytest
from support import programs, sddf
from support.console import Console
from support.machine import VirtualMachine
from support.places import OURS, STOCK
from support.tracing import told

PAIRINGS = {"ours-on-ours": (OURS, OURS), "ours-on-stock": (OURS, STOCK), "stock-on-ours": (STOCK, OURS)}

SCRIPT = ["trace", "trace - *", "trace", "trace + send pvm_recv nosuch", "trace - send", "trace psend", "trace",
          "trace +", "trace *", "trace - pvm_", "trace newtask", "trace timing", "trace", "trace xpvm send",
          "trace buf", "trace buf 100", "trace buf", "trace buf 3 4", "trace buf -5", "trace buf", "trace opt",
          "trace opt time", "trace opt", "trace opt count", "trace opt foo", "trace opt full bla", "trace opt",
          "trace send - recv + psend", "trace", "trace XPVM", "trace buffer", "trace - - send", "trace",
          "getopt PvmTraceBuffer"]


def play(system, base):
    with VirtualMachine(base, base) as vm:
        console = Console(vm, system)
        said = [(command, console.do(command)) for command in SCRIPT]
        console.quit().ok()
        return said


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_trace(pairing):
    expected = play(STOCK, STOCK)
    assert len(expected[0][1]) == 26 and ' * addmhf             gettmask' in expected[0][1][1]
    assert play(*PAIRINGS[pairing]) == expected


def run_traced(system, base, option):
    """What `spawn OPTION hello.pvm` tells: its trace, the other lines sorted, what went to stderr."""
    with VirtualMachine(base, base) as vm:
        console = Console(vm, system)
        console.do("spawn -@ nosuch")       # takes two numbers
        lines = console.run_job(f"spawn {option} hello.pvm")
        assert console.do("jobs") == []
        trace = "".join(f"{line[line.index('] ') + 2:]}\n" for line in lines if line.startswith("[T3:"))
        sources = {line[4:line.index("]")] for line in lines if line.startswith("[T3:")}
        if (file := vm.home / "trace").exists():
            assert not trace and file.stat().st_mode & 0o777 == 0o600
            trace = file.read_text()
            assert console.do(f"spawn {option} hello.pvm") == ["[5]"]
            file.unlink()
        options = [console.do(f"getopt {name}") for name in ("PvmOutputTid", "PvmTraceTid")]
        console.do("spawn /bin/true")
        options += [console.do(f"getopt {name}") for name in ("PvmOutputTid", "PvmTraceTid")]
        said = console.quit().ok().err.splitlines()
        return (told(trace), sources, options, sorted(line for line in lines if not line.startswith("[T3:")),
                sorted(line for line in said if "libpvmtrc" in line))


@pytest.mark.parametrize("option", ("-@", "-@ ->", "-@trace ->", "-@trace"))
@pytest.mark.parametrize("pairing", PAIRINGS)
def test_traced_job_as_in_the_distribution(pairing, option):
    (layouts, records), _, _, lines, said = expected = run_traced(STOCK, STOCK, option)
    assert "send(0.0)" in layouts and any(record[1] == "recv(1.1)" for record in records)
    assert "[3] libpvmtrc: Task TID=0x40003 Connected to Console" in said and "[3] finished" in lines
    assert run_traced(*PAIRINGS[pairing], option) == expected


def test_second_job_is_described_too():
    """pvmds describe their events once to the console, which tells it again in each file."""
    with VirtualMachine(OURS, OURS) as vm:
        console = Console(vm, OURS)
        for name in ("one", "two"):
            console.run_job(f"spawn -@{name} {programs.build('herald', OURS)}")
        one, two = (sddf.read((vm.home / name).read_text()) for name in ("one", "two"))
        assert one.layouts == two.layouts and len(one.records) == len(two.records) > 15
        for name in ("one", "two"):
            (vm.home / name).unlink()
        console.quit().ok()


def test_options_hold_for_traced_tasks():
    with VirtualMachine(OURS, OURS) as vm:
        console = Console(vm, OURS)
        for command in ("trace - *", "trace send", "trace opt count", "trace buf 4000"):
            console.do(command)
        lines = console.run_job(f"spawn -@ {programs.build('herald', OURS)}")
        counted = [line for line in lines if line.startswith('[T1:t40003] "profiling(0)"')]
        assert len(counted) == 1 and '[1] [5] { "send" }, [1] { 2 }' in counted[0]
        assert not any('"send(' in line for line in lines)
        console.quit().ok()
