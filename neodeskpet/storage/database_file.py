"""The database file: its permissions, whether it is still in its place, and how it is replaced."""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path
from urllib.parse import quote

from neodeskpet.platform.private_files import make_private, sync_file, sync_folder

SIDE_SUFFIXES = ("-wal", "-shm")

FileIdentity = tuple[int, int] | None


def file_identity(path: Path) -> FileIdentity:
    """Return device and inode of the file at `path`, None if there is none. Raises OSError."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino


class OpenFile:
    """The identity of the file at `path` when it was opened. A file that is deleted or replaced
    while open can still be written without an error, but the data is lost: SQLite doesn't notice.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._journal = path.with_name(path.name + "-wal")
        self._known = file_identity(path), file_identity(self._journal)

    def is_at(self, path: Path) -> bool:
        """Return whether the open file is at `path`."""
        return file_identity(path) == self._known[0]

    def remove_journal(self) -> None:
        """Remove the journal of the open file, so that it isn't applied to another file there."""
        if self._known[1] is not None and file_identity(self._journal) == self._known[1]:
            delete_side_files(self._path)

    def is_missing(self) -> bool:
        """Return whether the open file or its journal is missing."""
        known, journal = self._known
        try:
            if known is None or file_identity(self._path) != known:
                return True
            return journal is not None and file_identity(self._journal) != journal
        except OSError:  # the folder can't be read now, so nothing is known about the file
            return False


def read_only_uri(path: Path) -> str:
    """Return the URI that opens `path` read-only."""
    return f"file:{quote(str(path))}?mode=ro"


def create_partial(path: Path) -> Path:
    """Create an empty private file beside `path` that will replace it. Raises OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.new-{os.getpid()}")
    delete_file(part)
    make_private(part)
    return part


def copy_database(connection: sqlite3.Connection, part: Path) -> None:
    """Copy everything in `connection` to `part`, even if its file was deleted. Raises
    sqlite3.Error.
    """
    copy = sqlite3.connect(part)
    try:
        connection.backup(copy)
    finally:
        copy.close()


def replace_database(part: Path, path: Path) -> None:
    """Replace the database by `part`. The journal of the old one is removed, because it must never
    be applied to the new one.
    """
    sync_file(part)
    delete_side_files(path)
    part.replace(path)
    sync_folder(path.parent)


def delete_file(path: Path) -> None:
    path.unlink(missing_ok=True)
    delete_side_files(path)


def delete_side_files(path: Path) -> None:
    for ending in SIDE_SUFFIXES:
        path.with_name(path.name + ending).unlink(missing_ok=True)


def move_aside(path: Path, why: str) -> Path:
    """Rename the file and its side files, with `why` in the name. Returns the new path. The file
    also stays in its place until a new one replaces it, so that a crash in between doesn't make the
    next start create an empty one.
    """
    stamp = time.strftime("%Y%m%d-%H%M%S")
    target = path.with_name(f"{path.stem}.{why}-{stamp}{path.suffix}")
    number = 1
    while target.exists():
        number += 1
        target = path.with_name(f"{path.stem}.{why}-{stamp}-{number}{path.suffix}")
    for ending in SIDE_SUFFIXES:
        part = path.with_name(path.name + ending)
        if part.exists():
            part.replace(target.with_name(target.name + ending))
    try:
        target.hardlink_to(path)
    except OSError:  # not every file system can
        path.replace(target)
    return target
