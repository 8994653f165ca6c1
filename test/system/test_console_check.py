"""Does pvm --check find out why a machine does not come up? Each fault is a real one."""
import json
import os
import signal

import pytest
from support.console import Console
from support.hosts import MASTER, HostsMachine
from support.machine import VirtualMachine, wait_gone
from support.network import NetworkMachine
from support.places import OURS, STOCK
from support.task import LIMIT, process_state, text_of, wait_until

PVM = OURS.pvmd.parent / "pvm"
WAYS = "packets pass both ways"
# For what never answers; all others have the time that they need.
SHORT = {"PVM_START_PATIENCE": "5"}


def check(vm, *hosts, problems=0, options=(), **how):
    """What is found, as a list of (host, kind, text, hint); so many problems are expected."""
    ended = vm.run(PVM, "--json", *options, "--check", *hosts, **how).ok(1 if problems else 0)
    assert ended.err == "", f"{ended}"
    told = json.loads(ended.out)
    assert told["command"] == "check" and told["ok"] is (problems == 0)
    found = [(finding["host"], finding["kind"], finding["text"], finding["hint"]) for finding in told["findings"]]
    assert sum(kind == "PROBLEM" for _, kind, _, _ in found) == problems, f"{found}"
    assert all(bool(hint) == (kind == "PROBLEM") for _, kind, _, hint in found)
    return found


def problem(vm, *hosts, **how):
    """The only problem that is found: its host, text and hint."""
    (host, _, text, hint), = [finding for finding in check(vm, *hosts, problems=1, **how) if finding[1] == "PROBLEM"]
    return host, text, hint


def texts(found, host, kind="ok"):
    return [text for name, what, text, _ in found if (name, what) == (host, kind)]


# this host ----------------------------------------------------------------------------------------


@pytest.fixture(name="alone", scope="module")
def alone_fixture():
    """A machine that is not started."""
    vm = VirtualMachine(OURS, OURS)
    yield vm
    try:
        vm.check_nothing_left()
    finally:
        vm.clean_up()


def test_nothing_is_wrong(alone):
    found = check(alone, options=["-n127.0.0.2"])
    assert [kind for _, kind, _, _ in found] == ["note", "ok", "ok", "ok", "note"]
    assert "no pvmd runs" in found[-1][2] and "version 3.4.6, ddpro 2316" in found[2][2]


def test_text_is_for_people(alone):
    ended = alone.run(PVM, "-nnosuch.", "--check").ok(1)
    assert ended.out.startswith("nosuch.: PROBLEM: the name of this host, nosuch., has no address\n    put the name into")
    assert ended.err == ""


@pytest.mark.parametrize("name, text", [("nosuch.", "has no address"), ("192.0.2.1", "no address of this machine")])
def test_own_name(alone, name, text):
    assert text in problem(alone, options=[f"-n{name}"])[1]


def test_own_name_that_others_cannot_find():
    with HostsMachine(OURS, OURS) as vm:
        found = check(vm, "127.0.0.3", problems=1, options=["-n127.0.0.1"])
        assert "other hosts cannot find it" in found[0][2] and "pvm -nNAME" in found[0][3]
        assert not any(WAYS in text for _, _, text, _ in found)


@pytest.mark.parametrize("folder", ["/nowhere", "relative", "/proc", "/tmp/" + 300 * "x"])
def test_folder_for_sockets(alone, folder):
    _, text, hint = problem(alone, variables={"PVM_TMP": folder}, options=["-n127.0.0.2"])
    assert folder in text and "PVM_TMP" in hint


def test_root_folder(alone):
    assert "/nowhere" in problem(alone, variables={"PVM_ROOT": "/nowhere"}, options=["-n127.0.0.2"])[1]


def test_root(alone):
    if os.getuid() == 0:
        unset = ["env", "-u", "PVM_ALLOW_ROOT"]
        assert "PVM_ALLOW_ROOT" in problem(alone, wrapper=unset, options=["-n127.0.0.2"])[2]


def test_address_file_of_a_dead_pvmd(alone):
    alone.address_file.write_text(f"{alone.folder}/pvmtmp000001.0\n")
    assert "left by a pvmd that is dead" in check(alone, options=["-n127.0.0.2"])[-1][2]
    alone.address_file.unlink()
    alone.address_file.symlink_to("/etc/passwd")
    assert "is in the way" in problem(alone, options=["-n127.0.0.2"])[1]
    alone.address_file.unlink()


def test_pvmd_that_is_stopped():
    with VirtualMachine(OURS, OURS, arguments=["-n127.0.0.2"]) as vm:
        assert any("and answers" in text for _, _, text, _ in check(vm, options=["-n127.0.0.2"]))
        vm.pvmd.signal(signal.SIGSTOP)
        wait_until(lambda: process_state(vm.pvmd.pid) == "T", "the pvmd is stopped")
        try:
            _, text, hint = problem(vm, options=["-n127.0.0.2"], variables=SHORT)
        finally:
            vm.pvmd.signal(signal.SIGCONT)
        assert "does not answer" in text and hint.startswith(f"it is stopped: kill -CONT {vm.pvmd.pid} ")


# another host -------------------------------------------------------------------------------------


@pytest.fixture(name="hosts", scope="module")
def hosts_fixture():
    """A machine with the pvmd of one host, and others that can be started."""
    with HostsMachine(OURS, OURS) as vm:
        yield vm


def ask(vm, *hosts, **how):
    return problem(vm, *hosts, options=[f"-n{MASTER}"], **how)


def test_names_of_hosts(hosts):
    assert "no address" in ask(hosts, "nosuch.")[1]
    assert "the address of this host" in ask(hosts, MASTER)[1]
    assert "is no host" in ask(hosts, "a;b")[1] and "is no host" in ask(hosts, "'x")[1]


def test_pvmd_is_not_found(hosts):
    host, text, hint = ask(hosts, "127.0.0.3 dx=/no/pvmd")
    assert host == "127.0.0.3" and text.endswith("/no/pvmd") and "dx=" in hint and "PATH /" in hint


@pytest.mark.parametrize("says, found", [("version 3.3.11, ddpro 1234, tdpro 5", "of another version"),
                                         ("cannot load libpvm3.so.3", "does not run: cannot load libpvm3.so.3")])
def test_pvmd_of_another_version(hosts, says, found):
    program = hosts.home / "other"
    program.write_text(f"#!/bin/sh\necho {says}\n")
    program.chmod(0o700)
    assert found in ask(hosts, f"127.0.0.3 dx={program}")[1]
    program.unlink()


@pytest.mark.parametrize("script, text, hint", [
    (None, "does not get there: cannot run the remote shell /no/shell", "install ssh"),
    ("echo 'me@beta: Permission denied (publickey,password).' >&2; exit 255", "Permission denied", "ssh-copy-id"),
    ("echo 'Host key verification failed.' >&2; exit 255", "Host key", "accept the key"),
    ("(: </dev/tty) 2>/dev/null && sleep 1000; exit 3", "without a word", "try it by hand"),
    ("exec sleep 1000", "no answer within 5 seconds", "try it by hand")])
def test_remote_shell(hosts, script, text, hint):
    shell = hosts.home / "broken"
    if script:
        shell.write_text(f"#!/bin/sh\n{script}\n")
        shell.chmod(0o700)
    found = ask(hosts, "127.0.0.3", variables={**SHORT, "PVM_RSH": str(shell) if script else "/no/shell"})
    assert found[0] == "127.0.0.3" and text in found[1] and hint in found[2]
    shell.unlink(missing_ok=True)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_remote_shell_ends_with_the_console(hosts, number):
    """Who does not want to wait for a host any more leaves nothing that does."""
    shell, told = hosts.home / "waits", hosts.home / "told"
    shell.write_text(f"#!/bin/sh\necho $$ > '{told}'; exec sleep 1000\n")
    shell.chmod(0o700)
    console = hosts.start(PVM, f"-n{MASTER}", "--check", "127.0.0.3", variables={"PVM_RSH": str(shell)})
    pid = int(wait_until(lambda: text_of(told).endswith("\n") and text_of(told), "the remote shell runs"))
    console.signal(number)
    assert console.ended().status == -number
    assert not wait_gone({pid}, LIMIT)
    shell.unlink()
    told.unlink()


def test_remote_shell_that_chatters(hosts):
    """What a profile prints does no harm, as it does none to a pvmd."""
    shell = hosts.home / "chatter"
    shell.write_text(f"#!/bin/sh\necho welcome; exec '{hosts.shell}' \"$@\"\n")
    shell.chmod(0o700)
    found = check(hosts, "127.0.0.3", options=[f"-n{MASTER}"], variables={"PVM_RSH": str(shell)})
    assert WAYS in texts(found, "127.0.0.3")[-1]
    shell.unlink()


def test_hosts_that_ask_are_left_alone(hosts):
    found = check(hosts, "127.0.0.3 so=ms", options=[f"-n{MASTER}"])
    assert found[-1][:2] == ("127.0.0.3", "note") and "so=ms" in found[-1][2]


def test_pvmd_that_hangs(hosts):
    program = hosts.home / "silent"
    program.write_text("#!/bin/sh\n[ \"$1\" = -t ] && echo ddpro 2316 && exit\nexec sleep 1000\n")
    program.chmod(0o700)
    assert "does not tell of itself within 5 seconds" in ask(hosts, f"127.0.0.3 dx={program}", variables=SHORT)[1]
    program.write_text("#!/bin/sh\n[ \"$1\" = -t ] && echo ddpro 2316 && exit\necho 'no luck' >&2\n")
    assert "ends at once: no luck" in ask(hosts, f"127.0.0.3 dx={program}")[1]
    program.unlink()


def test_add_looks_for_reasons(hosts):
    """The lines around what is found are those of 3.4.6."""
    console = Console(hosts, OURS)
    answer = console.do("add '127.0.0.3 dx=/no/pvmd' nosuch. 127.0.0.4")
    start = answer.index("Auto-Diagnosing Failed Hosts...")
    assert answer[0] == "1 successful" and answer[start - 1] == "" and answer[-1] == ""
    assert answer[start + 1] == "127.0.0.3 dx=/no/pvmd..." and "..." not in answer[start + 2]
    assert any(line.startswith("127.0.0.3: PROBLEM: no pvmd is found there") for line in answer)
    assert console.do("check 127.0.0.4")[-2].endswith("ddpro 2316, tdpro 1318, sdpro 4302")
    assert console.do("delete 127.0.0.4")[0] == "1 successful"
    console.quit().ok()


# across a network ---------------------------------------------------------------------------------


@pytest.fixture(name="network", scope="module")
def network_fixture():
    more = {"node4": {"PVM_TMP": "/proc"}, "node5": {"PVM_ROOT": "/nowhere"}}
    settings = {"PVM_HOST_PATIENCE": "10"}
    with NetworkMachine([OURS, OURS, STOCK, OURS, OURS], OURS, variables=settings, host_variables=more) as vm:
        for one, other in (("node1", "node2"), ("node2", "node1")):     # packets alone are to be lost, not questions
            hardware = json.loads(vm.network.run(other, "ip", "-j", "link", "show", "eth0"))[0]["address"]
            vm.network.run(one, "ip", "neigh", "replace", f"10.0.0.{other[-1]}", "lladdr", hardware, "dev", "eth0",
                           "nud", "permanent")
        yield vm


@pytest.mark.parametrize("host", ["node2", "node3"])
def test_host_that_can_be_added(network, host):
    """Ours and one of 3.4.6; what was tried there is gone."""
    found = check(network, host)
    assert WAYS in texts(found, host)[-1]
    network.until_empty(host)


@pytest.mark.parametrize("lost, text", [("node1", "packets from here do not arrive there"),
                                        ("node2", "its answers do not come back")])
def test_firewall(network, lost, text):
    network.network.impair(lost, loss=1.0)
    try:
        _, found, hint = problem(network, "node2")
    finally:
        network.network.mend(lost)
    assert text in found and "10.0.0.1" in found and "10.0.0.2" in found and "PVMNETSOCKPORT" in hint
    network.until_empty("node2")


def test_name_that_means_another_host(network):
    hosts = network.network.run("node1", "cat", "/etc/hosts")
    network.network.run("node1", "sh", "-c", "printf '10.0.0.1 node1\\n10.0.0.3 node2\\n' > /etc/hosts")
    try:
        assert problem(network, "node2")[1] == "the name means 10.0.0.3 here, which is no address of that host"
    finally:
        network.network.run("node1", "sh", "-c", f"printf '{hosts}' > /etc/hosts")
    network.until_empty("node2")


def test_settings_there(network):
    assert "no file can be written in /proc" in problem(network, "node4")[1]
    assert "PVM_ROOT is /nowhere there" in problem(network, "node5")[1]


def test_loopback_is_no_way_to_others(network):
    assert "has to find this host at a loopback address" in problem(network, "node2", options=["-n127.0.0.2"])[1]


def test_pvmd_there(network):
    """One that is a member, one that is stopped, one that is dead."""
    network.add("node2")
    found = check(network, "node2")
    assert "it is in the virtual machine" in texts(found, "node2") and WAYS in texts(found, "node2")[-1]
    pvmd = network.host_pvmd("node2")
    network.freeze("node2")
    wait_until(lambda: process_state(pvmd) == "T", "it is stopped")
    _, text, hint = problem(network, "node2", variables=SHORT)
    assert text == f"a pvmd runs there, process {pvmd}, but it is stopped" and f"kill -CONT {pvmd}" in hint
    os.kill(pvmd, signal.SIGKILL)
    network.until_empty("node2")
    network.until_hosts("node1")
    assert "left there by a pvmd that is dead" in texts(check(network, "node2"), "node2", "note")[0]
    network.remove_files("node2")
