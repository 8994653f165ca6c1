"""What do the programs do with their words, what does the log tell at which level, and does systemd like the unit?"""
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from support.machine import VirtualMachine
from support.places import OURS, PREFIX, TOP, WRAPPER
from support.puppet import Puppet
from support.task import Task

LINE = re.compile(r"\[(?:pvmd pid\d+|t[0-9a-f]+)\] \d\d/\d\d \d\d:\d\d:\d\d (.*)")
UNIT = PREFIX / "lib" / "systemd" / "user" / "pvmd.service"


@pytest.fixture(name="vm", scope="module")
def vm_fixture():
    """A machine that is not started: its folder and its environment are what is needed."""
    vm = VirtualMachine(OURS, OURS)
    yield vm
    try:
        assert vm.processes() == set() and vm.files() == []
    finally:
        vm.clean_up()


def run(vm, program, *words, **variables):
    return Task([OURS.pvmd.parent / program, *words], {**vm.environment(), **variables}, cwd=vm.home).ended()


@pytest.mark.parametrize("program", ["pvmd", "pvmd3", "pvm", "pvmgs", "pvm_gstat", "pvmgroups"])
def test_help_and_version(vm, program):
    """They are told to anybody, root included, and nothing is started."""
    known = run(vm, program, "--help", PVM_ALLOW_ROOT="").ok()
    assert known.out.startswith(f"usage: {program.rstrip('3')} ") and known.err == ""
    version = run(vm, program, "--version").ok()
    assert version.out.startswith(f"{program.rstrip('3')} (PVM) 3.4.6") and version.out.count("\n") == 1


def test_every_option_is_in_the_help(vm):
    told = run(vm, "pvmd", "--help").out
    for option in ("-nHOSTNAME", "-f, --foreground", "--log-level=LEVEL", "-dMASK", "-t", "--help, --version"):
        assert f"  {option}" in told


@pytest.mark.parametrize("words", [["--helpx"], ["-q"], ["-d"], ["-dmany"], ["-d-1"], ["-d0x100000000"], ["-n"],
                                   ["one", "two"], ["--log-level="], ["--log-level=loud"], ["-s"],
                                   ["-S", "1", "2", "3", "4"], ["-s", "-q"]], ids=" ".join)
def test_bad_words(vm, words):
    """One line says what is wrong, and the status is 1."""
    refused = run(vm, "pvmd", *words)
    assert refused.status == 1 and refused.out == ""
    assert refused.err.startswith("pvmd: ") and refused.err.count("\n") == 1, refused


@pytest.mark.parametrize("program", ["pvm", "pvmgs", "pvm_gstat", "pvmgroups"])
def test_bad_words_of_others(vm, program):
    refused = run(vm, program, "--nonsense")
    assert refused.status == 1 and refused.out == ""
    assert "--nonsense" in refused.err and refused.err.count("\n") == 1, refused


def test_bad_level_of_the_environment(vm):
    refused = run(vm, "pvmd", PVM_LOG_LEVEL="loud")
    assert refused.status == 1 and "PVM_LOG_LEVEL is 'loud'" in refused.err


def test_versions_of_the_protocols(vm):
    assert run(vm, "pvmd", "-t", "-dx").status == 1
    assert "ddpro 2316, tdpro 1318" in run(vm, "pvmd", "-t").ok().out


class LoggingMachine(VirtualMachine):
    """A machine that warns at its start, of a line of its host file, and tells of a task."""

    def __init__(self, *words, wrapper=(), **variables):
        super().__init__(OURS, OURS, variables, [*words, "hosts"], wrapper)
        (self.home / "hosts").write_text("one nonsense=1\n")

    def logged(self):
        """The texts behind tid and date, and all that was written to the standard error."""
        with self:
            Puppet(self).leave()
            (self.home / "hosts").unlink()
            self.stop()
        return [LINE.fullmatch(line)[1] for line in self.log_after.splitlines()], self.pvmd.err


WARNING = "warning: hosts, line 1: 'nonsense=1' is no option of a host: skipped"


def test_level_error():
    lines, seen = LoggingMachine("--log-level=error").logged()
    assert lines == [] and seen == ""


@pytest.mark.parametrize("variables,words", [({}, ["--log-level=warning"]), ({"PVM_LOG_LEVEL": "warning"}, []),
                                             ({"PVM_LOG_LEVEL": "debug"}, ["--log-level=warning"])], ids=str)
def test_level_warning(variables, words):
    lines, seen = LoggingMachine(*words, **variables).logged()
    assert lines == [WARNING] and seen.count("\n") == 1, "what is wrong before it is ready is on stderr, too"


def test_level_info():
    lines, seen = LoggingMachine().logged()
    assert WARNING in lines and any(line.startswith("ready ") for line in lines)
    assert not any(line.startswith("debug") for line in lines) and seen.count("\n") == 1


def test_level_debug():
    lines, _ = LoggingMachine("--log-level=debug").logged()
    assert {line[:10] for line in lines} >= {"debug tsk:", "debug msg:", "debug net:"}


def test_mask():
    """Classes of the mask of 3.4.6 are told whatever the level is."""
    lines, _ = LoggingMachine("-d0x4", "--log-level=error").logged()
    assert lines and {line[:10] for line in lines} == {"debug tsk:"}


def test_foreground():
    """Every line of the log is on the standard error, too."""
    vm = LoggingMachine("--foreground")
    lines, seen = vm.logged()
    assert seen == vm.log_after and any(line.startswith("ready ") for line in lines)


@pytest.mark.parametrize("same", [True, False], ids=["journal", "something_else"])
def test_lines_of_the_journal_have_priorities(same):
    """If the standard error is what systemd names in JOURNAL_STREAM; the file has the lines without them."""
    script = f'JOURNAL_STREAM=$(stat -L -c %d:%i /dev/fd/2){"" if same else "0"} exec "$@"'
    vm = LoggingMachine("--foreground", wrapper=[*WRAPPER, "sh", "-c", script, "sh"])
    lines, seen = vm.logged()
    priorities = ["<4>" if text == WARNING else "<6>" for text in lines]
    assert set(priorities) == {"<4>", "<6>"}
    assert seen.splitlines() == [(priority if same else "") + line
                                 for priority, line in zip(priorities, vm.log_after.splitlines())]


def test_manual_is_true(vm):
    """It names every option of the help, every variable that the pvmd looks at, and every class of the mask."""
    page = (TOP / "pvm3" / "man" / "pvmd.1").read_text()
    words = set(re.split(r"[\s,]+", page))
    sources = "".join(path.read_text() for path in (TOP / "pvm3" / "daemon").rglob("*.c"))
    for_tasks = {"PVMSOCK", "PVM_ARCH", "PVMEPID", "PVMTMASK", "PVMTRCBUF", "PVMTRCOPT", "PVMSPAWNWD"}
    variables = set(re.findall(r'"(PVM_?[A-Z_]+)"', sources)) - for_tasks
    assert variables and variables <= words, f"the manual does not name {variables - words}"
    for option in re.findall(r"^  -(\w)", run(vm, "pvmd", "--help").out, re.MULTILINE):
        assert f"Fl {option}" in page
    classes = re.findall(r"LOG_\w+ = (0x[0-9a-f]+)", (TOP / "pvm3" / "daemon" / "base" / "log.h").read_text())
    assert re.findall(r"^\.It (0x\d+) Ta", page, re.MULTILINE) == classes
    for name in ("pvmd.1", "pvmd3.1"):
        assert (PREFIX / "share" / "man" / "man1" / name).exists()


KEYS = {"Unit": {"Description", "Documentation"}, "Install": {"WantedBy"},
        "Service": {"Type", "EnvironmentFile", "ExecStart", "KillMode", "OOMPolicy", "SuccessExitStatus",
                    "StandardOutput", "SyslogIdentifier"}}


def verify(unit, folder):
    """What systemd-analyze has to say of it."""
    done = subprocess.run(["systemd-analyze", "--user", "verify", "--man=no", unit], capture_output=True, text=True,
                          env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder)})
    return done.returncode, done.stdout + done.stderr


def test_unit():
    """The installed unit has the keys that it should, and its program is there."""
    section, keys = None, {}
    for line in UNIT.read_text().splitlines():
        if line.startswith("["):
            section = keys.setdefault(line.strip("[]"), set())
        elif line and not line.startswith("#"):
            section.add(line.split("=")[0])
    assert keys == KEYS
    assert f"ExecStart={OURS.pvmd} --foreground $PVMD_OPTIONS\n" in UNIT.read_text()


def test_unit_pleases_systemd():
    """Where there is no systemd, the unit is not for that machine: test_unit has looked at it."""
    if not shutil.which("systemd-analyze"):
        return
    # Other units want sockets in the folder: its name must be short.
    with tempfile.TemporaryDirectory(prefix="pv", dir="/tmp") as folder:
        assert verify(UNIT, folder) == (0, "")
        spoilt = Path(folder) / "pvmd.service"
        spoilt.write_text(UNIT.read_text().replace("KillMode", "Killmode"))
        assert "Killmode" in verify(spoilt, folder)[1], "the test itself: it sees what is wrong"
