"""Is a program of the tests compiled anew when something has changed that it is made of, and only then?"""
import os
import subprocess
from dataclasses import replace

from support import programs
from support.places import OURS


def test_what_is_included_counts(tmp_path, monkeypatch):
    system = replace(OURS, name="ours-anew")
    monkeypatch.setattr(programs, "_FOLDERS", [tmp_path])
    monkeypatch.setattr(programs, "PROGRAMS", tmp_path / "programs")
    (tmp_path / "inner").mkdir()
    (tmp_path / "shown.c").write_text('#include "inner/outer.h"\nint main(void) { return puts(WORD) < 0; }\n')
    (tmp_path / "inner" / "outer.h").write_text('#include <stdio.h>\n# include "word.h"\n')
    deepest = tmp_path / "inner" / "word.h"

    def shown():
        target = programs.build.__wrapped__("shown", system)
        return subprocess.run([target], capture_output=True, text=True, check=True).stdout, target.stat().st_mtime_ns
    deepest.write_text('#define WORD "old"\n')
    first = shown()
    assert first[0] == "old\n" and shown() == first
    deepest.write_text('#define WORD "new"\n')
    os.utime(deepest, ns=(first[1] + 1, first[1] + 1))
    assert shown()[0] == "new\n"
