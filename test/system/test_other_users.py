"""Can another user of the same machine join, read, kill, or take the place of what belongs to a virtual machine?

As root the machine runs as one ordinary user and the attacker is another one, in a folder like /tmp. As an ordinary
user there is no other user to be: what that one would leave, and need not be another user for, is made by the user.
"""
import os
import shutil
import stat
import subprocess
import sys

import pytest
from support import programs, wire
from support.machine import VirtualMachine
from support.places import OURS
from support.puppet import Puppet
from support.task import Task, wait_until

ROOT = os.getuid() == 0
OWNER, OTHER = (61001, 61002) if ROOT else (os.getuid(), os.getuid())
PVM_ROUTE, ROUTE_DIRECT = 1, 3


def as_user(uid):
    """The words in front of a command that make it run as an ordinary user."""
    return ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--"] if ROOT else []


def attacker(script, *words):
    """What the other user's script prints; it must not fail."""
    done = subprocess.run([*as_user(OTHER), sys.executable, "-c", script, *map(str, words)], capture_output=True, text=True,
                          cwd="/", env={"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


class OwnedMachine(VirtualMachine):
    """A machine of OWNER in a folder where everybody may make files, and programs that OWNER can read."""

    def __init__(self):
        super().__init__(OURS, OURS)
        self.folder.chmod(0o1777)
        self.programs = self.home / "programs"
        self.programs.mkdir()
        for path in (OURS.pvmd, OURS.libraries / "libpvm3.so.3", programs.build("puppet", OURS)):
            shutil.copy(path, self.programs)
        if ROOT:
            os.chown(self.home, OWNER, OWNER)
        self.variables |= {"LD_LIBRARY_PATH": str(self.programs)}

    @property
    def address_file(self):
        return self.folder / f"pvmd.{OWNER}.{self.vmid}"

    @property
    def log_file(self):
        return self.folder / f"pvml.{OWNER}.{self.vmid}"

    def log(self):
        """What is in the way of the log may be no file to read."""
        return super().log() if self.log_file.is_file() else ""

    def files(self):
        return [name for name in super().files() if not name.startswith("home/")]

    def run_own(self, program, **options):
        return Task([*as_user(OWNER), self.programs / program], self.environment(), cwd=self.home, **options)

    def boot(self):
        self.pvmd = self.run_own("pvmd")
        self.socket = self.pvmd.line()
        return self

    def start(self, program, **options):
        task = self.run_own(program, keep_input=True)
        self.started.append(task)
        return task


@pytest.fixture(name="idle")
def idle_fixture():
    """A machine whose pvmd does not run yet."""
    vm = OwnedMachine()
    try:
        yield vm
    finally:
        vm.clean_up()


TRY_ALL = """
import os, socket, sys
folder, *pids = sys.argv[1:]
def attempt(what, *words):
    try:
        what(*words)
        print("possible:", what.__name__, *words)
    except PermissionError:
        pass
def connect(path):
    with socket.socket(socket.AF_UNIX) as one:
        one.connect(path)
for name in os.listdir(folder):
    path = os.path.join(folder, name)
    if name == "home":
        continue
    print(name)
    attempt(open, path)
    attempt(open, path, "a")
    attempt(connect, path)
    attempt(os.rename, path, path + "x")
    attempt(os.unlink, path)
    attempt(os.link, path, path + "y")
for pid in pids:
    attempt(os.kill, int(pid), 0)
    attempt(open, f"/proc/{pid}/environ")
    attempt(open, f"/proc/{pid}/mem")
"""


def test_nothing_is_for_others():
    """Address, log, sockets of the pvmd and of a direct route: their modes, and what another user can do with them."""
    with OwnedMachine() as vm:
        first, second = Puppet(vm), Puppet(vm)
        for puppet in (first, second):
            puppet.do("option", PVM_ROUTE, ROUTE_DIRECT)
        first.tell("send", second.tid, 1, 10)       # which waits for an answer

        def seen():
            return {path.name: path.lstat() for path in vm.folder.iterdir() if path != vm.home}
        wait_until(lambda: sum(stat.S_ISSOCK(status.st_mode) for status in seen().values()) == 2,
                   "there are the sockets of the pvmd and of a route")
        files = seen()
        assert {vm.address_file.name, vm.log_file.name} <= set(files)
        for name, status in files.items():
            assert (status.st_uid, status.st_mode & 0o077) == (OWNER, 0), f"{name} is for others, too"
        if ROOT:
            tried = attacker(TRY_ALL, vm.folder, vm.pvmd.pid, first.pid)
            assert set(tried) == set(files), "every file was tried, and nothing was possible"
        assert second.do("recv", -1, -1) == f"{first.tid} 1 4 10"
        assert first.answer() == "0" and first.do("routes") == "1"
        first.leave()
        second.leave()


def test_whoever_may_open_the_socket_is_asked_who_it_is():
    """Modes do not stop root; it is refused all the same where it is another user."""
    with OwnedMachine() as vm:
        if ROOT:
            with wire.Client(vm) as client:
                assert client.connect()[1] == 0, "it is not accepted"
            assert "a connection was refused: it is of another user" in vm.log()
        puppet = Puppet(vm)
        assert puppet.tid == "40001"
        puppet.leave()


# What another user makes before the owner does. ----------------------------------------------------

LISTENING = """
import os, socket, sys
from pathlib import Path
path, own = Path(sys.argv[1]), sys.argv[1] + ".own"
one = socket.socket(socket.AF_UNIX)
one.bind(own); one.listen()
os.chmod(own, 0o777)
path.write_text(own); path.chmod(0o644)
print("ready", flush=True)
sys.stdin.read()
os.unlink(own)
"""
MAKE = {
    "file": "import sys; open(sys.argv[1], 'w').write('text')",
    "secret": "import os, sys; os.close(os.open(sys.argv[1], os.O_CREAT, 0o600))",
    "link": "import os, sys; os.symlink(sys.argv[2], sys.argv[1])",
    "pipe": "import os, sys; os.mkfifo(sys.argv[1]); os.chmod(sys.argv[1], 0o666)",
    "folder": "import os, sys; os.mkdir(sys.argv[1])",
}
OF_OTHERS = ("file", "secret")          # what makes them harmful is that they are another user's
KINDS = [kind for kind in MAKE if ROOT or kind not in OF_OTHERS]


def make(vm, kind, path):
    """The other user makes something of that name; gives a file of the owner that must stay as it is."""
    mine = vm.home / "mine"
    mine.write_text("mine")
    if ROOT:
        os.chown(mine, OWNER, OWNER)
    attacker(MAKE[kind], path, mine)
    return mine


@pytest.mark.parametrize("kind", KINDS)
def test_address_file_of_another_user(idle, kind):
    """Neither pvmd nor a task believes it, waits at it, or writes to where it leads."""
    mine = make(idle, kind, idle.address_file)
    refused = idle.run_own("pvmd").ended()
    assert refused.status == 1 and refused.out == ""
    assert f"{idle.address_file} is no file of this user, but of user {OTHER}" in refused.err
    puppet = Puppet(idle, enrol=False)
    assert puppet.do("tid") == "-14"
    ended = puppet.task.ended().ok()
    assert str(idle.address_file) in ended.err and "no pvmd to enrol with" in ended.err
    assert mine.read_text() == "mine"
    assert idle.files() == [idle.address_file.name]


def test_address_of_another_users_socket(idle):
    """A task does not talk to a pvmd of another user, nor does a pvmd take it for one that runs already."""
    if not ROOT:
        make(idle, "pipe", idle.address_file)      # the user's own listener would be a fair one
        assert idle.run_own("pvmd").ended().status == 1
        return
    other = Task([*as_user(OTHER), sys.executable, "-c", LISTENING, idle.address_file], {"PATH": os.environ["PATH"]},
                 cwd="/", keep_input=True)
    assert other.line() == "ready"
    refused = idle.run_own("pvmd").ended()
    assert refused.status == 1 and f"but of user {OTHER}" in refused.err
    for variables in ({}, {"PVMSOCK": f"{idle.address_file}.own"}):
        idle.variables |= variables
        puppet = Puppet(idle, enrol=False)
        assert puppet.do("tid") == "-14"
        assert "not permitted" in (err := puppet.task.ended().ok().err) or "no file of this user" in err
    other.ended().ok()


@pytest.mark.parametrize("kind", KINDS)
def test_log_of_another_user(idle, kind):
    """The pvmd runs, and says where its log goes instead."""
    mine = make(idle, kind, idle.log_file)
    idle.boot()
    puppet = Puppet(idle)
    assert puppet.tid == "40001"
    puppet.leave()
    ended = idle.stop()
    assert f"cannot write the log {idle.log_file}" in ended.err
    assert mine.read_text() == "mine"
    assert idle.files() == [idle.log_file.name]


def test_names_that_another_user_took(idle):
    """Sockets and files of the names that the pvmd, and a task, will choose."""
    def started_with_names_taken(program):
        script = "echo $$; read go; exec \"$0\""
        task = Task([*as_user(OWNER), "sh", "-c", script, idle.programs / program], idle.environment(), cwd=idle.home,
                    keep_input=True)
        pid = int(task.line())
        for number, kind in enumerate(KINDS):
            make(idle, kind, idle.folder / f"pvmtmp{pid:06}.{number}")
        task.say("go\n")
        return task

    idle.pvmd = started_with_names_taken("pvmd")
    idle.socket = idle.pvmd.line()
    assert idle.socket == f"{idle.folder}/pvmtmp{idle.pvmd.pid:06}.{0 if not ROOT else len(KINDS)}" or not ROOT
    task = started_with_names_taken("puppet")
    idle.started.append(task)
    task.say("tid\n")
    assert task.line() == "40001"
    task.say("leave\n")
    assert task.line() == "0"
    task.ended().ok()
    idle.stop()
    assert (idle.home / "mine").read_text() == "mine"


def test_folder_where_others_can_replace_files(idle):
    """It is used, but not without a word."""
    idle.folder.chmod(0o777)
    idle.boot()
    assert f"other users can replace files in {idle.folder}" in idle.log()
    idle.stop()
    idle.log_file.unlink()
    idle.folder.chmod(0o1777)
    idle.boot()
    assert "other users" not in idle.log()
    idle.stop()
