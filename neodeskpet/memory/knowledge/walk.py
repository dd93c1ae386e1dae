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
from neodeskpet.memory.knowledge.reading import file_fingerprint

MAX_FILES = 20_000
"""Files of a folder."""
MAX_DEPTH = 40
_GENERATED_NAME_LIST = """
    node_modules __pycache__ venv env site-packages target build dist vendor bower_components
    Thumbs.db desktop.ini
"""
_GENERATED_NAMES = frozenset(_GENERATED_NAME_LIST.split())
_BINARY_SUFFIX_LIST = """
    .exe .dll .so .dylib .a .o .obj .lib .pyc .pyo .class .jar .war .zip .tar .gz .tgz .bz2 .xz
    .zst .7z .rar .iso .img .dmg .deb .rpm .apk .whl .bin .dat .db .sqlite .sqlite3 .db-wal
    .db-shm .pack .idx .woff .woff2 .ttf .otf .eot .ico .psd .ai .blend .fbx .glb .gltf .moc3
    .safetensors .gguf .onnx .pt .pth .npy .npz .parquet .part .tmp .swp .lock .map .djvu
"""
_BINARY_SUFFIXES = frozenset(_BINARY_SUFFIX_LIST.split())
_BINARY_TYPES = ("image/", "audio/", "video/", "font/")

SOURCE_MISSING = N_("It isn't there at the moment. What was read of it can still be found.")
NOT_READABLE = N_("It can't be opened: you may not read it.")
TOO_MANY_FILES = N_("There are too many files in it: the first 20,000 were taken.")
IS_LINK = N_("It is a link: add what it points to.")
NOT_A_FILE = N_("It is no file that can be read.")


@dataclass(slots=True)
class FolderContents:
    """`files`: by path, what each looks like (`stamp_of`); `odd`: what can't be read, with why;
    `skipped` counts files without text by the endings of their names; `fault`: what is wrong with
    the whole, "" for nothing.
    """

    files: dict[Path, str] = field(default_factory=dict)
    unreadable: dict[Path, str] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)
    fault: str = ""
    exists: bool = True


def inspect_file(path: Path) -> FolderContents:
    """At a file that was added by itself; a link is followed, for the person pointed at it."""
    seen = FolderContents()
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            seen.unreadable[path] = NOT_A_FILE
        else:
            seen.files[path] = file_fingerprint(path)
    except OSError:
        return FolderContents(fault=SOURCE_MISSING, exists=False)
    return seen


def scan_folder(folder: Path, most: int = MAX_FILES) -> FolderContents:
    """Into a folder and all below it."""
    seen = FolderContents()
    if not folder.is_dir():
        return FolderContents(fault=SOURCE_MISSING, exists=False)
    try:
        os.scandir(folder).close()
    except OSError:
        return FolderContents(fault=NOT_READABLE, exists=False)
    for entry in _entries(folder, 0, seen):
        path = Path(entry.path)
        kind = _file_fault(entry)
        if kind:
            seen.unreadable[path] = kind
            continue
        if len(seen.files) >= most:
            seen.fault = TOO_MANY_FILES
            break
        try:
            seen.files[path] = file_fingerprint(path)
        except OSError:
            continue  # gone meanwhile
    return seen


def _entries(folder: Path, depth: int, seen: FolderContents) -> Iterator[os.DirEntry[str]]:
    """Files, and what stands where a file could; by name, so that the first ones stay the same."""
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda one: one.name)
    except OSError:
        seen.unreadable[folder] = NOT_READABLE
        return
    for entry in entries:
        if is_ignored(entry.name):
            continue
        if entry.is_dir(follow_symlinks=False):
            if depth < MAX_DEPTH:
                yield from _entries(Path(entry.path), depth + 1, seen)
        elif _is_binary_name(entry.name):
            seen.skipped[Path(entry.name).suffix.lower()] += 1
        else:
            yield entry


def is_ignored(name: str) -> bool:
    """Whether a file or folder of this name is hidden, was made by a program, or holds secrets."""
    return name.startswith(".") or name in _GENERATED_NAMES or holds_secrets(name)


def _file_fault(entry: os.DirEntry[str]) -> str:
    """Why it is no file to be read; "" if it is one."""
    if entry.is_symlink():
        return IS_LINK
    return "" if entry.is_file(follow_symlinks=False) else NOT_A_FILE


def _is_binary_name(name: str) -> bool:
    """Whether its name says that there is no text in it: pictures among documents are no faults."""
    lowered = name.lower()
    if Path(lowered).suffix in _BINARY_SUFFIXES or lowered.endswith(".min.js"):
        return True
    guessed, _ = mimetypes.guess_type(lowered)
    text = lowered.endswith((".ts", ".mts", ".svg"))  # programs, which are taken for films
    return guessed is not None and guessed.startswith(_BINARY_TYPES) and not text
