"""What can a user do with a line at a terminal, and what becomes of it when something comes unasked?"""
import os
import signal

import pytest
from support.machine import VirtualMachine
from support.places import OURS
from support.task import process_state, wait_until
from support.terminal import Terminal

PVM = OURS.pvmd.parent / "pvm"
PROMPT = "pvm>"
VERSION = "3.4.6, release "     # as a terminal shows it
LEFT, UP, HOME, TAB, CTRL_C, CTRL_D, CTRL_U, CTRL_W = "\x1b[D", "\x1b[A", "\x01", "\t", "\x03", "\x04", "\x15", "\x17"


@pytest.fixture(name="vm", scope="module")
def vm_fixture():
    with VirtualMachine(OURS, OURS) as machine:
        yield machine
        for path in machine.home.iterdir():
            path.unlink()


@pytest.fixture(name="history")
def history_fixture(vm):
    path = vm.home / ".pvm_history"
    path.unlink(missing_ok=True)
    return path


@pytest.fixture(name="console")
def console_fixture(vm, history):
    with Terminal(vm, PVM) as terminal:
        terminal.until_shown("pvmd already running.", PROMPT)
        yield terminal
        terminal.type(f"{CTRL_U}quit\n")
        assert terminal.until_end().endswith("quit\n\nConsole: exit handler called\npvmd still running.\n")


def test_line_is_edited(console):
    console.type("ehco" + 3 * LEFT + "\x04" + LEFT)
    console.until_shown("pvm> eco")
    console.type("\x05" + 2 * LEFT + "\x06h two")
    console.until_shown("pvm> ech twoo")
    console.type("\x04" + HOME + "\x0becho one\n")
    console.until_shown("pvm> echo one", "one", PROMPT)


def test_line_with_letters_of_other_scripts(console):
    console.type("echo gr\u00fc\u00dfe \u6f22" + 2 * LEFT + "x\n")
    console.until(lambda: console.text.endswith("gr\u00fc\u00dfex \u6f22\n" + f"{PROMPT} "), "the words come back")


def test_line_is_given_up(console):
    console.type("halt")
    console.until_shown("pvm> halt")
    console.type(CTRL_C)
    console.until_shown("pvm> halt^C", PROMPT)
    console.type("echo on\n")
    console.until_shown("pvm> echo on", "on", PROMPT)


def test_console_is_suspended(vm, history):
    """Twice while one line is typed; the shell has its terminal, and the line goes on."""
    with Terminal(vm, "bash", "--norc", "--noprofile", "-i", variables={"PS1": "$ ", "HISTFILE": ""}) as shell:
        shell.until_shown("$")
        shell.type(f"{PVM}\n")
        shell.until(lambda: shell.shown()[-1] == PROMPT, "the console")
        for typed, line in (("echo ", "pvm> echo"), ("a", "pvm> echo a")):
            shell.type(typed)
            shell.until(lambda: shell.shown()[-1] == line, line)
            shell.type("\x1a")
            shell.until(lambda: shell.shown()[-1] == "$", "the prompt of the shell")
            shell.type("echo $((6 * 7))\n")
            shell.until(lambda: shell.shown()[-2:] == ["42", "$"], "the shell's answer")
            shell.type("fg\n")
            shell.until(lambda: shell.shown()[-1] == line, f"{line} again")
        shell.type("b\n")
        shell.until_shown("pvm> echo ab", "ab", PROMPT)
        shell.type("quit\n")
        shell.until(lambda: shell.shown()[-1] == "$", "the end of the console")
        shell.type("exit\n")
        shell.until_end()


def test_end_of_input_quits(vm, history):
    with Terminal(vm, PVM) as terminal:
        terminal.until_shown("pvmd already running.", PROMPT)
        terminal.type(CTRL_D)
        assert terminal.until_end().endswith("quit\n\nConsole: exit handler called\npvmd still running.\n")


# history ------------------------------------------------------------------------------------------


def session(vm, *lines, **options):
    with Terminal(vm, PVM, **options) as terminal:
        terminal.until_shown("pvmd already running.", PROMPT)
        for line in lines:
            terminal.type(f"{line}\n")
        terminal.type("quit\n")
        return terminal.until_end()


def test_history_lasts(vm, history):
    session(vm, "echo first", "  echo secret", "", "version")
    assert history.read_text() == "echo first\nversion\nquit\n"
    assert history.stat().st_mode & 0o777 == 0o600
    with Terminal(vm, PVM) as terminal:
        terminal.until_shown("pvmd already running.", PROMPT)
        terminal.type(3 * UP)
        terminal.until_shown("pvm> echo first")
        terminal.type("\n")
        terminal.until_shown("pvm> echo first", "first", PROMPT)
        terminal.type("\x12vers")
        terminal.until(lambda: "version" in terminal.shown()[-2], "the line that is looked for")
        terminal.type("\n")
        terminal.until(lambda: terminal.shown()[-2].startswith(VERSION), "the version")


def test_histories_of_two_consoles(vm, history):
    with Terminal(vm, PVM) as one, Terminal(vm, PVM) as other:
        for number, terminal in enumerate((one, other, one)):
            terminal.type(f"echo {number}\n")
            terminal.until(lambda: str(number) in terminal.shown(), "the line is carried out")
    assert history.read_text() == "echo 0\necho 1\necho 2\n"


def test_history_is_bounded(vm, history):
    history.write_text("".join(f"echo {number}\n" for number in range(2500)))
    session(vm, "version")
    assert history.read_text() == "".join(f"echo {number}\n" for number in range(1500, 2500)) + "version\nquit\n"
    assert [path.name for path in vm.home.iterdir()] == [".pvm_history"]


@pytest.mark.parametrize("home", ["/nowhere", "/proc", "relative", ""])
def test_history_without_a_home(vm, history, home):
    text = session(vm, "version", variables={"HOME": home})
    assert VERSION in text and "istory" not in text
    assert not history.exists()


def test_history_that_is_no_file(vm, history):
    os.mkfifo(history)
    assert VERSION in session(vm, "version")


def test_terminal_without_a_cursor_has_plain_lines(vm, history):
    text = session(vm, "version", variables={"TERM": "dumb"})
    assert "pvm> " in text and VERSION in text and "\x1b" not in text
    assert not history.exists()


# completion ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("typed, completed", [
    ("ver", "version"), ("h", "h"), ("hel", "help"), ("help sp", "help spawn"), ("unal", "unalias"),
    ("setopt PvmShow", "setopt PvmShowTids"), ("getopt PvmNoR", "getopt PvmNoReset"), ("kill t4", "kill tTID"),
    ("pstat 4", "pstat TID"), ("names ###", "names ###_PVM_NO_RESET_###"), ("spawn /bin/ech", "spawn /bin/echo"),
    ("spawn -> /et", "spawn -> /etc/"), ("spawn ->/et", "spawn ->/etc/"), ("spawn --ho", "spawn --host="),
    ("spawn -LIN", "spawn -LINUX64"), ("spawn x /et", "spawn x /etc/"), ("add localh", "add localhost"),
    ("add 'beta wd", "add 'beta wd="), ("ps -h", "ps -h40000"), ("export PVM_VM", "export PVM_VMID"),
    ("ps -al", "ps -al"), ("trace mca", "trace mcast"), ("spawn -@ /et", "spawn -@ /etc/"), ("nothing x", "nothing x")])
def test_word_is_completed(vm, console, typed, completed):
    if "TID" in completed:
        completed = completed.replace("TID", f"{vm.tasks()[0][0]:x}")
    console.type(typed)
    console.until_shown(f"pvm> {typed}")
    console.type(TAB + "!")
    space = "" if completed[-1] in "=/" or completed == typed else " "
    console.until(lambda: console.shown()[-1] == f"pvm> {completed}{space}!", completed)


def test_host_and_alias_are_completed(console):
    console.type("conf\n")
    console.until(lambda: len(console.shown()) > 4 and console.shown()[-1] == PROMPT, "the table")
    host = console.shown()[-2].split()[0]
    for typed in (f"mstat {host[:1]}", f"spawn --host={host[:1]}", f"ps -n{host[:1]}"):
        console.type(typed + TAB)
        console.until_shown(f"pvm> {typed[:-1]}{host}")
        console.type(CTRL_U)
        console.until_shown(PROMPT)
    console.type("alias where mstat\n")
    console.until_shown("pvm> alias where mstat", PROMPT)
    console.type(f"whe{TAB}{host[:1]}{TAB}")
    console.until_shown(f"pvm> where {host}")


def test_what_a_word_can_become_is_listed(console):
    console.type("un" + TAB + TAB)
    console.until_shown("pvm> un", "unalias   unexport", "pvm> un")
    console.type("e" + TAB)
    console.until_shown("pvm> un", "unalias   unexport", "pvm> unexport")


# what comes unasked -------------------------------------------------------------------------------


@pytest.mark.parametrize("typed, shown", [
    ("echo abc", ["pvm> echo abc"]),
    ("", [PROMPT]),
    ("echo " + 20 * "words " + "end" + 100 * LEFT, None),
    ("echo " + 50 * "\u6f22", None)], ids=["short", "empty", "long with the cursor in it", "wide letters"])
def test_line_survives_what_comes(vm, console, typed, shown):
    """The text is above, the line stands behind it as it was, and can be carried out."""
    gate = vm.home / "gate"
    gate.unlink(missing_ok=True)
    os.mkfifo(gate)
    console.type(f"spawn -> /bin/sh -c 'read x < {gate}; echo unasked'\n")
    console.until(lambda: "1 successful" in console.shown() and console.shown()[-1] == PROMPT, "the spawn")
    console.type(typed)
    letters = typed.replace(LEFT, "")
    width = len(f"{PROMPT} ") + sum(1 + (letter == "\u6f22") for letter in letters) - typed.count(LEFT)
    start = max(index for index, line in enumerate(console.shown()) if line.startswith(PROMPT))
    cursor = (width % 80, start + width // 80)    # it passes the column in other rows, too
    console.until(lambda: "".join(console.shown()).replace(" ", "").endswith(f"{PROMPT}{letters}".replace(" ", ""))
                  and (console.screen.cursor.x, console.screen.cursor.y) == cursor,
                  "what was typed, and the cursor is in its place")
    before = console.shown()
    gate.write_text("\n")
    console.until(lambda: any(line.endswith("] finished") for line in console.shown()) and
                  console.shown()[-1] == before[-1] and
                  (console.screen.cursor.x, console.screen.cursor.y) == (cursor[0], cursor[1] + 3),
                  "the line is there again, with the cursor in its place")
    after = console.shown()
    assert after[-len(before[start:]):] == before[start:]
    assert after[:start] == before[:start]
    told = after[start:-len(before[start:])]
    assert [line.split(" ")[1] for line in told] == ["unasked", "EOF", "finished"]
    if shown:
        console.type("\n")
        console.until(lambda: console.shown()[-1] == PROMPT and len(console.shown()) > len(after), "it is carried out")
    gate.unlink()


def test_waiting_console_sleeps(vm, console):
    """Nothing wakes it: not even once while another console works."""
    wait_until(lambda: process_state(console.pid) == "S", "it sleeps")

    def switches():
        with open(f"/proc/{console.pid}/status", encoding="ascii") as status:
            return [line for line in status if "ctxt_switches" in line]
    before = switches()
    assert vm.run(PVM, "-c", "ps -a", "-c", "spawn -> /bin/true").ok().out
    assert switches() == before


def test_size_of_the_terminal_changes(vm, console):
    console.type("echo " + 100 * "x")
    console.until(lambda: console.shown()[-1] == 30 * "x", "the line in two rows")
    wait_until(lambda: process_state(console.pid) == "S", "it waits for the next key")
    console.resize(60, 24)
    console.type("y")
    console.until(lambda: "".join(console.shown()).endswith(100 * "x" + "y"), "the line goes on")


def test_lost_pvmd_is_told_and_the_terminal_is_as_before():
    vm = VirtualMachine(OURS, OURS).boot()
    try:
        with Terminal(vm, PVM) as terminal:
            terminal.until_shown("pvmd already running.", PROMPT)
            terminal.type("echo ab")
            terminal.until_shown("pvm> echo ab")
            assert terminal.modes() != terminal.first_modes
            vm.pvmd.signal(signal.SIGKILL)
            assert "the connection to the pvmd is lost" in terminal.until_end(status=1)
            assert terminal.last_modes == terminal.first_modes
    finally:
        vm.clean_up()
