"""Under which tools do test programs run, and what did a tool find?

A Tool is a libpvm3 of the flavour that fits (conf/build thread, conf/build debug), the words before the
program, and environment. A program that a tool finds fault with ends with the status FOUND.
"""
import functools
import platform
import subprocess
from dataclasses import dataclass, field, replace

from support.places import OURS, TOP, System

FOUND = 66
SUPPRESSIONS = TOP / "conf" / "suppressions"
FLAGS = {"thread": ("-fsanitize=thread",)}


def flavour(name):
    """OURS with pvmd and libraries of another flavour of the build."""
    prefix = TOP / "build" / name / "prefix"
    system = replace(OURS, name=f"ours-{name}", pvmd=prefix / "bin" / "pvmd", libraries=prefix / "lib",
                     include=prefix / "include", flags=FLAGS.get(name, ()))
    assert (system.libraries / "libpvm3.so.3").exists(), f"run conf/build {name}"
    return system


@dataclass(frozen=True)
class Tool:
    system: System
    wrapper: tuple
    variables: dict = field(default_factory=dict)

    def start(self, vm, program, *arguments, variables=None):
        """The program, started on a virtual machine."""
        return vm.start(program, *map(str, arguments), library=self.system, wrapper=self.wrapper,
                        variables={**self.variables, **(variables or {})})

    def run(self, vm, program, *arguments, limit, variables=None):
        """What the program prints to its end, with which the tool must find no fault."""
        return self.check(self.start(vm, program, *arguments, variables=variables).ended(limit))

    @staticmethod
    def check(ended):
        """What a program printed that has ended well; the tool has nothing to say."""
        assert ended.status == 0 and "==" not in ended.err and "ThreadSanitizer" not in ended.err, \
            f"{ended}"
        return ended.out


@functools.lru_cache(maxsize=None)
def thread_sanitizer():
    # It cannot run where addresses are very random; setarch makes them less so.
    setarch = ("setarch", platform.machine(), "-R")
    allowed = subprocess.run([*setarch, "true"], capture_output=True).returncode == 0
    return Tool(flavour("thread"), setarch if allowed else (),
                {"TSAN_OPTIONS": f"exitcode={FOUND} second_deadlock_stack=1"})


@functools.lru_cache(maxsize=None)
def helgrind():
    # Without fair-sched a thread that asks again and again may keep all others from running.
    return Tool(flavour("debug"), ("valgrind", "--tool=helgrind", "--quiet", "--fair-sched=yes",
                                   f"--error-exitcode={FOUND}",
                                   f"--suppressions={SUPPRESSIONS / 'helgrind.supp'}"))
