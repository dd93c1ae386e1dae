"""What lies in a folder that a person added: looked at, never opened. Blocks: for a thread.

Links aren't followed: a folder that somebody else packed could lead anywhere by them, or in a
circle. Hidden names, and folders of what programs made, are left out.
"""

from __future__ import annotations

import mimetypes
import os
import stat
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from neodeskpet.core.file_targets import holds_secrets
from neodeskpet.core.wording import N_
from neodeskpet.memory.knowledge.reading import stamp_of

MOST_FILES = 20_000
"""Files of a folder."""
DEEPEST = 40
_NAMES_OF_MADE = """
    node_modules __pycache__ venv env site-packages target build dist vendor bower_components
    Thumbs.db desktop.ini
"""
_MADE = frozenset(_NAMES_OF_MADE.split())
_NAMES_OF_OTHERS = """
    .exe .dll .so .dylib .a .o .obj .lib .pyc .pyo .class .jar .war .zip .tar .gz .tgz .bz2 .xz
    .zst .7z .rar .iso .img .dmg .deb .rpm .apk .whl .bin .dat .db .sqlite .sqlite3 .db-wal
    .db-shm .pack .idx .woff .woff2 .ttf .otf .eot .ico .psd .ai .blend .fbx .glb .gltf .moc3
    .safetensors .gguf .onnx .pt .pth .npy .npz .parquet .part .tmp .swp .lock .map .djvu
"""
_OTHERS = frozenset(_NAMES_OF_OTHERS.split())
_KINDS = ("image/", "audio/", "video/", "font/")

GONE = N_("It isn't there at the moment. What was read of it can still be found.")
CLOSED = N_("It can't be opened: you may not read it.")
TOO_MANY = N_("There are too many files in it: the first 20,000 were taken.")
LINK = N_("It is a link: add what it points to.")
NO_FILE = N_("It is no file that can be read.")


@dataclass(slots=True)
class Seen:
    """`files`: by path, what each looks like (`stamp_of`); `odd`: what can't be read, with why;
    `skipped` counts files without text by the endings of their names; `fault`: what is wrong with
    the whole, "" for nothing.
    """

    files: dict[Path, str] = field(default_factory=dict)
    odd: dict[Path, str] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)
    fault: str = ""
    there: bool = True


def look_at_file(path: Path) -> Seen:
    """At a file that was added by itself; a link is followed, for the person pointed at it."""
    seen = Seen()
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            seen.odd[path] = NO_FILE
        else:
            seen.files[path] = stamp_of(path)
    except OSError:
        return Seen(fault=GONE, there=False)
    return seen


def look_into(folder: Path, most: int = MOST_FILES) -> Seen:
    """Into a folder and all below it."""
    seen = Seen()
    if not folder.is_dir():
        return Seen(fault=GONE, there=False)
    try:
        os.scandir(folder).close()
    except OSError:
        return Seen(fault=CLOSED, there=False)
    for entry in _entries(folder, 0, seen):
        path = Path(entry.path)
        kind = _kind_of(entry)
        if kind:
            seen.odd[path] = kind
            continue
        if len(seen.files) >= most:
            seen.fault = TOO_MANY
            break
        try:
            seen.files[path] = stamp_of(path)
        except OSError:
            continue  # gone meanwhile
    return seen


def _entries(folder: Path, depth: int, seen: Seen) -> Iterator[os.DirEntry[str]]:
    """Files, and what stands where a file could; by name, so that the first ones stay the same."""
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda one: one.name)
    except OSError:
        seen.odd[folder] = CLOSED
        return
    for entry in entries:
        if is_left_out(entry.name):
            continue
        if entry.is_dir(follow_symlinks=False):
            if depth < DEEPEST:
                yield from _entries(Path(entry.path), depth + 1, seen)
        elif _is_other(entry.name):
            seen.skipped[Path(entry.name).suffix.lower()] += 1
        else:
            yield entry


def is_left_out(name: str) -> bool:
    """Whether a file or folder of this name is hidden, was made by a program, or holds secrets."""
    return name.startswith(".") or name in _MADE or holds_secrets(name)


def _kind_of(entry: os.DirEntry[str]) -> str:
    """Why it is no file to be read; "" if it is one."""
    if entry.is_symlink():
        return LINK
    return "" if entry.is_file(follow_symlinks=False) else NO_FILE


def _is_other(name: str) -> bool:
    """Whether its name says that there is no text in it: pictures among documents are no faults."""
    lowered = name.lower()
    if Path(lowered).suffix in _OTHERS or lowered.endswith(".min.js"):
        return True
    guessed, _ = mimetypes.guess_type(lowered)
    text = lowered.endswith((".ts", ".mts", ".svg"))  # programs, which are taken for films
    return guessed is not None and guessed.startswith(_KINDS) and not text
