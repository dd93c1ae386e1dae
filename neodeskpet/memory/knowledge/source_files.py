"""Lists the files of a folder that the user added, without opening them or following links, and
watches files and folders for changes.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import mimetypes
import os
import stat
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from neodeskpet.core.i18n import N_
from neodeskpet.core.sensitive_paths import holds_secrets
from neodeskpet.memory.knowledge.passage_reader import file_fingerprint

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


_POLL_SECONDS = 2.0
"""Seconds between two looks at single files: who writes a file often puts a new one in its place,
which no watch on the old one sees.
"""
_log = logging.getLogger(__name__)


class FileWatcher:
    """A `Watcher`. What can't be watched is looked at from time to time by the keeper."""

    async def changes(self, places: Sequence[Path], stop: asyncio.Event) -> AsyncIterator[object]:
        """See `Watcher`. Many changes at once are one."""
        changed = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            folders = await asyncio.to_thread(_folders_of, places)
            files = [one for one in places if one not in folders]
            tasks = [
                group.create_task(_watch(folders, changed, stop)),
                group.create_task(_poll_files(files, changed)),
                group.create_task(_stop_or_change(stop, changed)),
            ]
            try:
                while True:
                    await changed.wait()
                    if stop.is_set():
                        break
                    changed.clear()
                    yield None
            finally:
                for task in tasks:
                    task.cancel()


def _folders_of(places: Sequence[Path]) -> list[Path]:
    return [one for one in places if one.is_dir()]


async def _stop_or_change(stop: asyncio.Event, changed: asyncio.Event) -> None:
    await stop.wait()
    changed.set()


async def _watch(folders: Sequence[Path], changed: asyncio.Event, stop: asyncio.Event) -> None:
    def counts(_change: object, path: str) -> bool:
        return not any(is_ignored(part) for part in Path(path).parts)

    if not folders:
        return
    await asyncio.to_thread(_load_watchfiles)
    from watchfiles import awatch

    try:
        async for _ in awatch(*folders, watch_filter=counts, stop_event=stop):
            changed.set()
    except (OSError, RuntimeError) as error:  # no more watches are to be had
        _log.warning("Folders of the knowledge base can't be watched: %s", error)


def _load_watchfiles() -> None:
    """Few have a knowledge base, so what watches is loaded late; but not on the window's thread,
    where watchfiles' anyio would load the part for asyncio at its first use.
    """
    importlib.import_module("watchfiles")
    with suppress(ImportError):
        importlib.import_module("anyio._backends._asyncio")


async def _poll_files(files: Sequence[Path], changed: asyncio.Event) -> None:
    before = await asyncio.to_thread(_fingerprints, files)
    while files:
        await asyncio.sleep(_POLL_SECONDS)
        now = await asyncio.to_thread(_fingerprints, files)
        if now != before:
            before = now
            changed.set()


def _fingerprints(files: Sequence[Path]) -> list[str]:
    found = []
    for one in files:
        try:
            found.append(file_fingerprint(one))
        except OSError:
            found.append("")
    return found
