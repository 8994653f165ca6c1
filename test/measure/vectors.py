"""Which functions of an object file work on several numbers at once?"""
import re
import subprocess

# What only instructions on vectors name, by how objdump calls the machine.
REGISTERS = {"i386": r"%[xyz]mm\d", "x86-64": r"%[xyz]mm\d", "aarch64": r"\bv\d+\.\d+[bhsd]\b"}


def _output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def functions(path):
    """Name to True if it has instructions on vectors, of every function."""
    machine = re.search(r"architecture: (?:i386:)?([\w-]+)", _output("objdump", "-f", path)).group(1)
    if machine not in REGISTERS:
        raise LookupError(f"test/measure/vectors.py does not know the vectors of {machine}")
    text = _output("objdump", "--disassemble", "--no-show-raw-insn", path)
    parts = re.split(r"^[0-9a-f]+ <([^>]+)>:$", text, flags=re.MULTILINE)
    return {name: bool(re.search(REGISTERS[machine], body)) for name, body in zip(parts[1::2], parts[2::2])}
