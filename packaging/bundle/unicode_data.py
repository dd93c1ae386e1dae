"""Makes ICU's data small: Qt brings the names of every currency, language, region and unit in five
hundred locales (32 MB), and asks ICU for nothing but the order of words, encodings, upper case and
the names of time zones. Names stay in English and Chinese; words are sorted as in every language.

Needs `icupkg` (Debian: icu-devtools) and binutils.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

_SYMBOL = re.compile(r"^\s*\d+: ([0-9a-f]+) +(\w+) OBJECT .* (icudt\d+)_dat$", re.MULTILINE)
_SECTION = re.compile(r"\.rodata +PROGBITS +([0-9a-f]+) ([0-9a-f]+)")
_NAMES = re.compile(r"(curr|lang|region|unit|rbnf|translit|brkitr)/")
"""What Qt never asks for: names, numbers in words, other scripts, and where words end."""
_LOCALE = re.compile(r"(zone/)?[a-z]{2,3}(_\w+)?\.res")
_OUR_LOCALES = re.compile(r"(zone/)?(en|zh)(_\w+)?\.res")
_OUR_ENCODINGS = re.compile(r"(gb18030|windows-9(36|50)|ibm-(943_P15A|1373|1386|5348)_?)")
_NOT_NEEDED = ("unames.icu", "confusables.cfu")
_SOURCE = """\
.section .rodata
.globl {name}_dat
.type {name}_dat, @object
.balign 16
{name}_dat: .incbin "{file}"
.size {name}_dat, . - {name}_dat
.section .note.GNU-stack,"",@progbits
"""
_PROGRAMS = ("icupkg", "readelf", "as", "ld")


class NotThinned(Exception):
    """The library stays as it is; the text says why."""


def is_needed(item: str) -> bool:
    """Whether Qt can come to ask for this item of ICU's data, in English or Chinese."""
    if item.endswith(".cnv"):
        return bool(_OUR_ENCODINGS.match(item))
    if item.endswith(".spp") or item in _NOT_NEEDED or _NAMES.match(item):
        return False
    return not _LOCALE.fullmatch(item) or bool(_OUR_LOCALES.fullmatch(item))


def thin(library: Path) -> None:
    """Put a library with what is needed in the place of this one (`libicudata.so.NN`). Raises
    NotThinned, also for one that is laid out in another way than ICU's own.
    """
    missing = [name for name in _PROGRAMS if _which(name) is None]
    if missing:
        raise NotThinned(f"{', '.join(missing)} missing (Debian: icu-devtools, binutils)")
    said = _run("readelf", "-sSW", "--dyn-syms", str(library))
    symbol, section = _SYMBOL.search(said), _SECTION.search(said)
    if symbol is None or section is None:
        raise NotThinned(f"{library.name} isn't laid out as expected")
    begin = int(section[2], 16) + int(symbol[1], 16) - int(section[1], 16)
    name = symbol[3]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        # Its name is part of the names of all that is in it.
        whole, less = place / f"{name}l.dat", place / "less" / f"{name}l.dat"
        less.parent.mkdir()
        whole.write_bytes(library.read_bytes()[begin : begin + int(symbol[2], 0)])
        items = _run("icupkg", "-l", str(whole)).split()
        unneeded = place / "unneeded.txt"
        unneeded.write_text("".join(f"{item}\n" for item in items if not is_needed(item)), "utf-8")
        _run("icupkg", "-r", str(unneeded), str(whole), str(less))
        source, compiled = place / "data.s", place / "data.o"
        source.write_text(_SOURCE.format(name=name, file=less), "utf-8")
        _run("as", "-o", str(compiled), str(source))
        linked = place / library.name
        _run("ld", "-shared", "-soname", library.name, "-o", str(linked), str(compiled))
        shutil.copyfile(linked, library)


def _which(name: str) -> str | None:
    # Debian keeps icupkg among the programs of the administrator.
    return shutil.which(name, path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin")))


def _run(name: str, *words: str) -> str:
    """What it says. Raises NotThinned when it fails."""
    done = subprocess.run(
        [_which(name) or name, *words],
        capture_output=True,
        text=True,
        env={**os.environ, "LC_ALL": "C"},
    )
    if done.returncode != 0:
        raise NotThinned(f"{name} says: {done.stderr.strip()}")
    return done.stdout
