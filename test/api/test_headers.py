"""Do our headers say what those of 3.4.6 say, in every language that programs are written in?

Both sets of headers are given to the compiler; what it makes of them must be the same.
"""
import re
import subprocess

import pytest
from support.places import OURS, STOCK

HEADERS = ("pvm3.h", "pvmtev.h", "pvmproto.h")
LANGUAGES = [("c", "c89"), ("c", "c99"), ("c", "c17"), ("c++", "c++98"), ("c++", "c++17")]
COMPILERS = ["gcc", "clang"]
ADDED_MACROS = {"PVM_CONST", "PVM_THREADSAFE", "PvmTaskThread", "PvmTaskUlp"}
ADDED_FUNCTIONS = {"pvm_allgather", "pvm_allreduce", "pvm_alltoall", "pvm_interrupt_recv", "pvm_migrate",
                   "pvm_register", "pvm_resume_recv", "pvm_share", "pvm_shared", "pvm_spawnt", "pvm_threadsafe"}
# Of 3.4.6's own pvmd: struct mca and what makes and frees one, and a structure that is in no header.
OF_STOCK_DAEMON = {"mca_new", "mca_free", "mesg_new"}
# Its result is a pointer to a function of another type in the header of 3.4.6.
OTHER_TYPE = {"pvm_recvf"}
STRUCTURES = {
    "struct pvmhostinfo": "hi_tid hi_name hi_arch hi_speed hi_dsig",
    "struct pvmtaskinfo": "ti_tid ti_ptid ti_host ti_flag ti_a_out ti_pid",
    "struct pvmminfo": "len ctx tag wid enc crc src dst",
    "struct pvmmboxinfo": "mi_name mi_nentries mi_indices mi_owners mi_flags",
    "struct Pvmtevdid": "did desc",
    "struct Pvmtevinfo": "name desc_status mark total count",
    "Pvmtmask": "",
}
INCLUDES = "#include <stdio.h>\n#include <stddef.h>\n#include <string.h>\n" + \
    "".join(f"#include <{header}>\n" for header in HEADERS)
SEEING = """
#define SEE(value) see(_Generic((value), char *: 1, default: 0), (long)(value), sizeof(value))
static void see(int text, long value, size_t size)
{
    if (text)
        printf("%s\\n", (char *)value);
    else
        printf("%ld of %d bytes\\n", value, (int)size);
}
"""
USES = """
int main(void)
{
    int (*before)(int, int, int) = 0;
    struct pvmhostinfo host;
    struct pvmtaskinfo task;
    struct pvmminfo message;
    struct pvmmboxinfo box;
    (void)before, (void)host, (void)task, (void)message, (void)box;
    return pvm_mytid == 0 || pvm_recvf == 0 || pvm_packf == 0 || PvmMboxDirectIndexOf(PvmMboxDirectIndex(5)) != 5;
}
"""


def compile_text(folder, text, compiler, *flags):
    source = folder / "program"
    source.write_text(text)
    return subprocess.run([compiler, *flags, str(source), "-o", str(folder / "a.out")],
                          capture_output=True, text=True)


def printed(system, folder, text):
    """What a C program prints that is compiled with the headers of the system."""
    done = compile_text(folder, text, "gcc", "-x", "c", "-std=gnu17", "-w", f"-I{system.include}")
    assert done.returncode == 0, done.stderr
    return subprocess.run([folder / "a.out"], check=True, capture_output=True, text=True).stdout.splitlines()


def macros(system, folder, includes=INCLUDES):
    """Name to text of the macros that our headers or theirs define, parameters apart."""
    def defined(text):
        (folder / "program").write_text(text)
        out = subprocess.run(["gcc", "-x", "c", f"-I{system.include}", "-dM", "-E", str(folder / "program")],
                             check=True, capture_output=True, text=True).stdout
        return dict(re.findall(r"(?m)^#define (\w+(?:\([^)]*\))?) ?(.*)$", out))
    plain = re.sub(r"#include <pvm\w*.h>\n", "#include <sys/time.h>\n", includes)
    others = defined(plain)
    return {name: text for name, text in defined(includes).items() if name not in others}


def functions(system, folder, *flags):
    """Name to declaration of every function that the headers declare."""
    (folder / "program.c").write_text(INCLUDES)
    subprocess.run(["gcc", "-std=gnu17", *flags, f"-I{system.include}", "-fsyntax-only", "-aux-info",
                    str(folder / "out"), str(folder / "program.c")], check=True)
    found = {}
    for place, declaration in re.findall(r"(?m)^/\* (\S+?):\d+:\w+ \*/ (.*)$", (folder / "out").read_text()):
        if place.startswith(str(system.include)):
            found[re.search(r"(\w+) \(", declaration.replace("(*", "")).group(1)] = declaration
    return found


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("language, standard", LANGUAGES)
@pytest.mark.parametrize("headers", [*((header,) for header in HEADERS), HEADERS], ids=" ".join)
def test_compiles_without_a_warning(tmp_path, compiler, language, standard, headers):
    """Each header by itself, and all in a row, twice."""
    includes = "".join(f"#include <{header}>\n" for header in headers) * 2
    uses = "#include <stdio.h>\n" + includes + USES if "pvm3.h" in headers else "int main(void) { return 0; }\n"
    done = compile_text(tmp_path, includes + uses, compiler, "-x", language, f"-std={standard}", "-pedantic-errors",
                        "-Wall", "-Wextra", "-Wno-address", "-Wno-tautological-pointer-compare", "-Werror",
                        f"-I{OURS.include}", "-c")
    assert done.returncode == 0, done.stderr


def test_macros_have_the_same_names(tmp_path):
    ours, theirs = (macros(system, tmp_path) for system in (OURS, STOCK))
    names = [{name.split("(")[0] for name in found} for found in (ours, theirs)]
    assert names[0] - ADDED_MACROS == names[1]
    assert ADDED_MACROS <= names[0]


@pytest.mark.parametrize("flags", [(), ("-DNOTMPNAM",)], ids=["plain", "NOTMPNAM"])
def test_constants_have_the_same_values(tmp_path, flags):
    """Every macro without parameters, as a number or a string, and its type."""
    prelude = "".join(f"#define {flag[2:]}\n" for flag in flags) + INCLUDES
    names = [name for name, text in macros(STOCK, tmp_path, prelude).items() if "(" not in name and text]
    # MAXHDR needs a name that no header defines.
    names = sorted(set(names) - {"MAXHDR"})
    lines = "".join(f'    SEE({name});\n' for name in names)
    program = prelude + SEEING + f"int main(void)\n{{\n{lines}    return 0;\n}}\n"
    theirs, ours = printed(STOCK, tmp_path, program), printed(OURS, tmp_path, program)
    assert len(names) > 300 and len(theirs) == len(names)
    differ = [f"{name}: {his}, ours {own}" for name, his, own in zip(names, theirs, ours) if his != own]
    assert not differ, "\n".join(differ)


def test_macros_with_parameters_do_the_same(tmp_path):
    program = INCLUDES + """
int main(void)
{
    static const unsigned long numbers[] = {0, 1, 2, 1023, 1024, 0x7fff, 0x8000, 0xffff, 2097151, 2097152, 0xffffffff};
    Pvmtmask mask;
    for (int i = 0; i < 11; i++) {
        int a = (int)numbers[i];
        printf("%d %d", (int)PvmMboxDirectIndexOf(a), (int)(a >= 0 && a < 2097152 ? PvmMboxDirectIndex(a) : -1));
        for (int j = 0; j < 8; j++) {
            int b = (int)numbers[j];
            printf(" %d %d %d", (int)NEXTSEQNUM(b), (int)SEQNUMCOMPARE(a & 0xffff, b), !!SEQLESSTHAN(a & 0xffff, b));
        }
        printf("\\n");
    }
    TEV_MASK_INIT(mask);
    for (int i = TEV_FIRST; i <= TEV_MAX; i += 3)
        TEV_MASK_SET(mask, i);
    TEV_MASK_UNSET(mask, 6);
    printf("%s\\n", mask);
    for (int i = TEV_FIRST; i <= TEV_MAX; i++)
        printf("%d", !!(TEV_MASK_CHECK(mask, i)));
    return 0;
}
"""
    assert printed(OURS, tmp_path, program) == printed(STOCK, tmp_path, program)


def test_structures_have_the_same_layout(tmp_path):
    lines = "".join(f'    printf("{kind} %d\\n", (int)sizeof({kind}));\n' +
                    "".join(f'    printf("{kind} {field} %d %d\\n", (int)offsetof({kind}, {field}), '
                            f'(int)sizeof((({kind} *)0)->{field}));\n' for field in fields.split())
                    for kind, fields in STRUCTURES.items())
    program = f"{INCLUDES}int main(void)\n{{\n{lines}    return 0;\n}}\n"
    assert printed(OURS, tmp_path, program) == printed(STOCK, tmp_path, program)


@pytest.mark.parametrize("flags", [(), ("-DNOTMPNAM",)], ids=["plain", "NOTMPNAM"])
def test_functions_are_declared_alike(tmp_path, flags):
    ours, theirs = (functions(system, tmp_path, "-DPVM_CONST=", *flags) for system in (OURS, STOCK))
    assert set(ours) - ADDED_FUNCTIONS == set(theirs) - OF_STOCK_DAEMON
    assert len(theirs) > 100 and ADDED_FUNCTIONS <= set(ours)
    differ = {name: (ours[name], theirs[name]) for name in set(ours) & set(theirs) if ours[name] != theirs[name]}
    assert set(differ) == OTHER_TYPE, differ


def test_what_is_only_read_is_const(tmp_path):
    """The declarations differ in nothing else, and no program has to cast what it may not change."""
    plain, ours = (functions(OURS, tmp_path, *flags) for flags in (("-DPVM_CONST=",), ()))
    differ = {name for name in ours if ours[name] != plain[name]}
    assert {ours[name].replace("const ", "") for name in differ} == {plain[name].replace("const ", "") for name in differ}
    assert {"pvm_pkint", "pvm_joingroup", "pvm_spawn", "pvm_psend", "pvm_mcast", "pvm_addhosts"} <= differ
    for language in ("c", "c++"):
        program = """#include <pvm3.h>
int send(const int *numbers, char **words);
int send(const int *numbers, char **words)
{
    return pvm_pkint(numbers, 2, 1) + pvm_pkstr("text") + pvm_spawn("task", words, PvmTaskDefault, "", 1, 0) +
        pvm_joingroup("group") + pvm_psend(1, 1, numbers, 2, PVM_INT) + pvm_mcast(numbers, 2, 1);
}
"""
        done = compile_text(tmp_path, program, "gcc", "-x", language, "-Wall", "-Wextra", "-Wwrite-strings", "-Werror",
                            f"-I{OURS.include}", "-c")
        assert done.returncode == 0, done.stderr


def test_catchout_needs_stdio(tmp_path):
    """It is declared only after stdio.h, as in 3.4.6."""
    for includes, declared in (("#include <stdio.h>\n#include <pvm3.h>\n", True), ("#include <pvm3.h>\n", False)):
        done = compile_text(tmp_path, includes + "int (*call)() = (int (*)())pvm_catchout;\n", "gcc", "-x", "c",
                            f"-I{OURS.include}", "-c")
        assert (done.returncode == 0) == declared, done.stderr
