"""Does pvmproto.h stand alone in every language that programs are written in?"""
import subprocess

import pytest
from support.places import OURS

LANGUAGES = [("c", "c89"), ("c", "c17"), ("c++", "c++98"), ("c++", "c++17")]
PROGRAM = """
#include <pvmproto.h>
#ifndef __cplusplus
int pvmproto_size[sizeof(TDSOCKNAME) + (SM_STTASK == SM_LAST)];
#endif
int main(void) { return SEQLESSTHAN(1, 2) && NEXTSEQNUM(0xffff) == 0 ? TM_LAST - TM_FIRST - 24 : 1; }
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("language, standard", LANGUAGES)
def test_compiles(tmp_path, compiler, language, standard):
    source = tmp_path / "program"
    source.write_text(PROGRAM)
    command = [compiler, "-x", language, f"-std={standard}", "-pedantic-errors", "-Wall", "-Wextra", "-Werror",
               f"-I{OURS.include}", str(source), "-o", str(tmp_path / "a.out")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert subprocess.run([tmp_path / "a.out"]).returncode == 0
