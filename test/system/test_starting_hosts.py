"""Are hosts started as the host file and the user say, by shell, by password or by hand, and does none wait for one
that does not answer?"""
import contextlib
import os
import pty
import re
import signal
import socket

import pytest
from support import wire
from support.console import Console
from support.hosts import MASTER, HostsMachine
from support.machine import processes_with, wait_gone
from support.places import OURS, STOCK
from support.puppet import Puppet
from support.task import Task, text_of, wait_until

THIRD, FOURTH, FIFTH, SIXTH = (f"127.0.0.{number}" for number in range(3, 7))
# Runs before the command of support.hosts: $1 is the host. The first writes down how it was called.
RECORD = "#!/bin/sh\nline=$(printf '%s|' \"$@\")\necho \"$line\" >>{calls}\n{more}\nexec {shell} \"$@\"\n"
# The file appears when there is a process that outlives the shell, and whoever reads it sees the whole number of one
# shell, though another one may write it at that time.
SILENT = (f"if [ \"$1\" = {THIRD} ]; then sleep 1000 & echo $$ >\"$HOME/silent.$$\"\n"
          "mv \"$HOME/silent.$$\" \"$HOME/silent\"; wait; fi")
PASSWORD = ("if [ \"$3\" = asked ]; then printf 'password for %s? ' \"$1\" >/dev/tty; read word </dev/tty\n"
            "[ \"$word\" = secret ] || exit 1; elif (: </dev/tty) 2>/dev/null; then exit 1; fi")


class StartingMachine(HostsMachine):
    """Its remote shell writes down what it is asked, and does something more before it obeys."""

    def __init__(self, daemon, more="", hosts="", **options):
        super().__init__(daemon, STOCK, **options)
        self.calls = self.home / "calls"
        inner = self.folder / "inner"
        inner.write_text(self.shell.read_text())
        inner.chmod(0o700)
        self.shell.write_text(RECORD.format(calls=self.calls, shell=inner, more=more))
        if hosts:
            (self.home / "hosts").write_text(hosts)
            self.arguments.append(str(self.home / "hosts"))

    def asked(self):
        """What the shell was asked, without what differs from run to run, and the digits of the mask by which our
        pvmd says that a key comes."""
        text = re.sub(r"7f000002:[0-9a-f]{4}", "MASTER", self.calls.read_text())
        text = re.sub(r" -d0x0+ ", " -d0x0 ", text)
        return sorted(text.replace(str(self.slave.pvmd), "PVMD").splitlines())

    def files(self):
        return [name for name in super().files()
                if name != "inner" and not name.startswith("home/") and "/pvml." not in name]


def hosts_of(console):
    """Names and speeds of the table."""
    rows = (line.split() for line in console.do("conf"))
    return [(row[0], row[3]) for row in rows if len(row) == 5 and row[4].startswith("0x")]


def table_of(console, count):
    """The last words of the rows that the console's add prints; others' additions may be told in between."""
    while not console.line().endswith(" successful"):
        pass
    assert console.line().split() == ["HOST", "DTID"]
    return [console.line().split()[-1] for _ in range(count)]


HOST_FILE = rf"""# a comment
   # another one

* sp=7 ep=$HOME/x:${{PVM_ARCH}}
{THIRD}
{FOURTH} lo=somebody sp=500 wd=/usr bx=/bin/debugger
{SIXTH} lo=somebody sp=3
& {FIFTH} sp=9
&127.0.0.30
127.0.0.31 lo=me # no comment
127.0.0.32 SP=3
{SIXTH} sp=1 sp=2
*
symbolic ip=127.0.0.7 id=other
127.0.0.8 dx=/no/such/pvmd
$again ip={THIRD} id=again
{MASTER} sp=77
localhost
nosuch. sp=3
127.0.0.33 sp=1 sp=2 sp=3 sp=4 sp=5 sp=6 sp=7 sp=8 sp=9 sp=10
* sp=42
"""


def play_host_file(daemon):
    """What becomes of the host file and of later additions."""
    with StartingMachine(daemon, hosts=HOST_FILE) as vm:
        console = Console(vm, STOCK)
        wait_until(lambda: "Duplicate host" in "".join(console.do(f"add {MASTER}")), "the host file is done")
        seen = [hosts_of(console)]
        for text in (FIFTH, "127.0.0.9", "'127.0.0.10 sp=8'", "$127.0.0.11", "'&127.0.0.12'", "''", "'x # y'"):
            # 'Pvmd system error' is what stock's pvmd says now and then, and not when it is asked again
            seen.append(wait_until(lambda: console.do(f"add {text}")[2:], "there is a row"))
        seen.append(hosts_of(console))
        seen.append(sorted(console.run_job(f"spawn -> --host={FOURTH} /bin/pwd")))
        console.quit().ok()
        return seen, vm.asked()


def test_host_file():
    """Every option, prefix and default means what it means to stock's pvmd."""
    expected, calls = play_host_file(STOCK)
    assert {("symbolic", "1000"), (FOURTH, "500"), (SIXTH, "1")} <= set(expected[0])
    assert [name for name, _ in expected[0]] == [MASTER, THIRD, FOURTH, SIXTH, "symbolic", "again"]
    assert "[1:tc0001] /usr" in expected[-1], "stock itself does not use wd="
    ours, our_calls = play_host_file(OURS)
    assert ours == expected
    assert our_calls == calls
    assert any(call.startswith(f"{FOURTH}|-l|somebody|PVMD -s -d0x0 -n{FOURTH} ") for call in our_calls)


def test_search_path_and_names_in_the_log():
    """ep= with variables finds a program, and what is wrong with a line is told."""
    with StartingMachine(OURS, hosts=f"{THIRD} ep=/nowhere:$HOME/here\nalpha so=xx\nnosuch.\n") as vm:
        (vm.home / "here").mkdir()
        (vm.home / "here" / "special").symlink_to("/bin/echo")
        console = Console(vm, STOCK)
        wait_until(lambda: len(hosts_of(console)) == 2, "the host is there")
        assert any("it works" in line for line in console.run_job(f"spawn -> --host={THIRD} special it works"))
        assert console.do(f"spawn --host={MASTER} special")[0] == "0 successful", "the option is for that host alone"
        assert "line 2: 'so=xx' is neither so=pw nor so=ms: skipped" in vm.log()
        wait_until(lambda: "the host file's host nosuch. was not added: No such host" in vm.log(), "the log tells")
        console.quit().ok()


def test_several_daemons_on_one_host():
    """Of one machine, and of two machines side by side, each with an id of its own."""
    with StartingMachine(OURS) as vm:
        other = StartingMachine(OURS)
        other.clean_up()
        other.folder, other.home, other.shell, other.calls = vm.folder, vm.home, vm.shell, vm.calls
        other.variables |= {"PVM_RSH": str(vm.shell)}
        other.boot()
        hosts = vm.home / "hosts"
        first, second = Console(vm, STOCK), Console(other, STOCK)
        assert first.do(f"add '{THIRD} id=one'")[0] == "1 successful"
        assert second.do(f"add '{THIRD} id=two' {FOURTH}")[0] == "2 successful"
        assert first.do(f"add '{FOURTH}'")[0] == "1 successful"
        assert [name for name, _ in hosts_of(second)] == [MASTER, THIRD, FOURTH]
        uid = os.getuid()
        assert sorted(path.name for path in (vm.folder / THIRD).glob("pvmd.*")) == [f"pvmd.{uid}.one", f"pvmd.{uid}.two"]
        assert len(list((vm.folder / FOURTH).glob("pvmd.*"))) == 2
        assert not hosts.exists()
        second.do("spawn -6 /bin/sleep 1000")
        assert len(second.do("ps -a")) == 7 and len(first.do("ps -a")) == 1
        second.quit().ok()
        running = processes_with(f"PVM_VMID={other.vmid}\0")
        other.pvmd.signal(signal.SIGTERM)
        assert other.pvmd.ended().status == signal.SIGTERM and not wait_gone(running)
        wait_until(lambda: not list((vm.folder / THIRD).glob("pvmd.*.two")), "the other machine is gone")
        assert [name for name, _ in hosts_of(first)] == [MASTER, THIRD, FOURTH]
        first.quit().ok()


# A host that does not answer. ---------------------------------------------------------------------


def silent_shell(vm):
    """The process id of the shell that is silent."""
    return int(wait_until(lambda: text_of(vm.home / "silent"), "it is being started"))


def test_silent_host_holds_up_nobody():
    """The others come into the table while one is silent; each has its own result."""
    with StartingMachine(OURS, SILENT) as vm:
        console, watcher = Console(vm, OURS), Console(vm, OURS)
        console.task.say(f"add {THIRD} {FOURTH} nosuch. {FIFTH}\n")
        wait_until(lambda: len(hosts_of(watcher)) == 3, "the others are there")
        assert "3 successful" in watcher.do("spawn -3 /bin/sleep 1000")
        first = silent_shell(vm)
        os.killpg(first, signal.SIGKILL)
        assert table_of(console, 4) == ["pvmd", "c0000", "host", "100000"]      # Can't start pvmd, No such host
        wait_until(lambda: silent_shell(vm) != first, "the console looks for the reason")
        os.killpg(silent_shell(vm), signal.SIGKILL)
        assert "1 successful" in console.do(f"add {SIXTH}")
        console.quit().ok()
        watcher.quit().ok()


@pytest.mark.parametrize("slave", [OURS, STOCK], ids=str)
def test_silent_member_does_not_hold_up_an_addition(slave):
    """A member that is stopped holds up no new host; it has the whole table when it goes on."""
    with HostsMachine(OURS, OURS, variables={"PVM_HOST_PATIENCE": "600"}, slave=slave) as vm:
        console = Console(vm, OURS)
        assert console.do(f"add {THIRD}")[0] == "1 successful"
        member = Puppet(vm, host=THIRD)
        stopped = vm.host_pvmd(THIRD)
        os.kill(stopped, signal.SIGSTOP)
        assert console.do(f"add {FOURTH}")[0] == console.do(f"add {FIFTH}")[0] == "1 successful"
        assert f"the host {THIRD} is silent: an addition does not wait for it" in vm.log()
        os.kill(stopped, signal.SIGCONT)
        for host in FOURTH, FIFTH:
            wait_until(lambda: member.do("spawnat", host, "/bin/sleep", 1000)[0] == "1", f"it knows {host}")
        member.leave()
        console.quit().ok()


def test_silent_host_is_left_out():
    """After the time that was set its shell is ended."""
    with StartingMachine(OURS, SILENT, variables={"PVM_START_PATIENCE": "1"}) as vm:
        console = Console(vm, OURS)
        before = vm.processes()
        assert console.do(f"add {THIRD}")[2].endswith("Can't start pvmd")
        assert f"the daemon on {THIRD} was not there within 1 seconds (PVM_START_PATIENCE)" in vm.log()
        wait_until(lambda: vm.processes() == before, "the shell is gone")
        console.quit().ok()


@pytest.mark.parametrize("alive", [True, False], ids=["alive", "dead"])
def test_end_during_a_start(alive):
    """Nothing is left of a shell that was still at it, nor of what it has started. A console would start another one
    to find out why the first has died."""
    with StartingMachine(OURS, SILENT) as vm, wire.Client(vm) as client:
        client.enrol().ask(wire.TM_ADDHOST, wire.integers(1) + wire.string(THIRD))
        shell = silent_shell(vm)
        if not alive:
            os.kill(shell, signal.SIGKILL)
        vm.stop()


def test_silent_resolver():
    """A name whose server does not answer holds up no other one. The server is real, and says nothing.

    An ordinary user cannot have its port: then nobody is there, and the name has no address.
    """
    with contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as server:
        server.bind(("127.0.99.53", 53 if os.getuid() == 0 else 0))
        vm = StartingMachine(OURS)
        resolver = vm.home / "resolv.conf"
        resolver.write_text("nameserver 127.0.99.53\noptions timeout:30 attempts:1\n")
        names = ["--map-current-user", "--user", "--keep-caps"] * (os.getuid() != 0)
        mount = f"mount --bind {resolver} /etc/resolv.conf && exec \"$@\""
        vm.wrapper = ["unshare", "--mount", *names, "sh", "-c", mount, "sh"]
        with vm:
            console, watcher = Console(vm, OURS), Console(vm, OURS)
            console.task.say(f"add slow.example {THIRD}\n")
            wait_until(lambda: [name for name, _ in hosts_of(watcher)] == [MASTER, THIRD], "the other one is there")
            if os.getuid() == 0:
                assert server.recv(512), "the server was asked"
            vm.stop()


# By hand. ------------------------------------------------------------------------------------------


class ManualMachine(StartingMachine):
    """The pvmd has an input of its own, and what it asks is read from its output."""

    def boot(self):
        self.pvmd = Task([*self.command()], self.environment(), cwd=self.home, keep_input=True)
        self.socket = self.pvmd.line()
        return self

    def command(self):
        return [self.daemon.pvmd, *self.arguments]

    def question(self):
        """The command that the user is to type somewhere, and the host."""
        assert self.pvmd.line() == "*** Manual startup ***"
        host = re.fullmatch(r'Login to "(.*)" and type:', self.pvmd.line())[1]
        command = self.pvmd.line()
        self.pvmd.until_prompt("Type response: ")
        return host, command

    def obey(self, host, command):
        """Does what a user does: gives the line that the daemon prints."""
        done = Task([self.shell, host, command], self.environment(), cwd=self.home).ended().ok()
        self.pvmd.say(done.out)


@pytest.mark.parametrize("slave", [OURS, STOCK], ids=str)
def test_by_hand(slave):
    """One after the other, each told its virtual machine; a host that needs no hand does not wait for them."""
    with ManualMachine(OURS, slave=slave) as vm:
        console, watcher = Console(vm, OURS), Console(vm, OURS)
        console.task.say(f"add '{THIRD} so=ms lo=me' {FOURTH} '{FIFTH} so=ms id=own' '{SIXTH} so=ms'\n")
        host, command = vm.question()
        assert host == f"me@{THIRD}"
        assert re.fullmatch(rf"env PVM_VMID={vm.vmid} {slave.pvmd} -S -d0x0 -n{THIRD} 1 7f000002:\w+ 4080 2 "
                            r"7f000003:0000", command)
        wait_until(lambda: len(hosts_of(watcher)) == 2, "the host that needs no hand is there")
        vm.obey(THIRD, command)
        vm.pvmd.until("Thanks")
        host, command = vm.question()
        assert host == FIFTH and command.startswith("env PVM_VMID=own ")
        vm.pvmd.say("this is not what it printed\n")
        vm.pvmd.until("Thanks")
        vm.obey(*vm.question())
        assert table_of(console, 4) == ["80000", "c0000", "pvmd", "140000"]
        assert len(hosts_of(watcher)) == 4
        assert "4 successful" in watcher.do("spawn -4 /bin/sleep 1000")
        console.quit().ok()
        watcher.quit().ok()


def test_by_hand_is_asked_as_in_stock():
    """The lines of the question are those of 3.4.6, but for the virtual machine, which it asks for afterwards."""
    questions = []
    for daemon in (STOCK, OURS):
        with ManualMachine(daemon, hosts=f"{THIRD} so=ms\n") as vm:
            host, command = vm.question()
            text = vm.pvmd.out.replace(vm.socket, "").replace(str(daemon.pvmd), "pvmd")
            questions.append(re.sub(r"7f000002:\w+", "MASTER", text).replace(f"env PVM_VMID={vm.vmid} ", ""))
            vm.obey(host, command)
            vm.pvmd.until("Thanks")
            console = Console(vm, STOCK)
            wait_until(lambda: len(hosts_of(console)) == 2, "the host is there")
            console.quit().ok()
    assert questions[0] == questions[1]


@pytest.mark.parametrize("so", ["ms", "pw"])
def test_nobody_to_ask(so):
    """Without a terminal it is said at once, and nothing waits."""
    with StartingMachine(OURS) as vm:
        console = Console(vm, OURS)
        added = console.do(f"add '{THIRD} so={so}' {FOURTH}")
        assert added[:4:2] == ["1 successful", f"{THIRD + ' so=' + so:>24} Can't start pvmd"]
        assert f"(so={so}): run this pvmd in" in vm.log()
        console.quit().ok()


def test_input_ends_while_asked():
    with ManualMachine(OURS) as vm:
        console = Console(vm, OURS)
        console.task.say(f"add '{THIRD} so=ms' '{FOURTH} so=ms'\n")
        vm.question()
        vm.pvmd.process.stdin.close()
        assert [console.line() for _ in range(4)][1] == "0 successful"
        assert f"nothing can be typed for {THIRD} (so=ms)" in vm.log()
        console.quit().ok()


def test_end_while_asked():
    with ManualMachine(OURS, hosts=f"{THIRD} so=ms\n") as vm:
        vm.question()
        vm.stop()


# By password. --------------------------------------------------------------------------------------


class TerminalMachine(StartingMachine):
    """The pvmd has a terminal, as if a user had typed its name."""

    def boot(self):
        self.terminal, self.other = pty.openpty()
        take = f"exec 3<>{os.ttyname(self.other)} 3>&-; exec \"$@\""
        self.pvmd = Task(["setsid", "sh", "-c", take, "sh", self.daemon.pvmd, *self.arguments], self.environment(),
                         cwd=self.home)
        self.socket = self.pvmd.line()
        return self

    def typed_at(self, question, answer):
        """Wait for the question on the terminal, and answer it."""
        seen = b""
        while question not in seen:
            seen += os.read(self.terminal, 1000)
        os.write(self.terminal, answer)

    def __exit__(self, *problem):
        super().__exit__(*problem)
        os.close(self.terminal)
        os.close(self.other)


def test_by_password():
    """Who may ask does so one after the other; who may not has no terminal."""
    with TerminalMachine(OURS, PASSWORD) as vm:
        console = Console(vm, OURS)
        console.task.say(f"add '{THIRD} so=pw lo=asked' {FOURTH} '{FIFTH} lo=asked so=pw' '{SIXTH} lo=asked'\n")
        vm.typed_at(f"password for {THIRD}? ".encode(), b"secret\n")
        vm.typed_at(f"password for {FIFTH}? ".encode(), b"wrong\n")
        assert table_of(console, 4) == ["80000", "c0000", "pvmd", "pvmd"]
        console.quit().ok()
