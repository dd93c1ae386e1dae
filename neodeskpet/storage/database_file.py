"""The database as a file of the system: who may read it, whether it is still in its place, and
how another takes its place.
"""

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
    """Device and inode of what lies at `path`; None when nothing does. Raises OSError."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino


class OpenFile:
    """What lay at `path` when it was opened. An open file that is deleted or replaced works on, in
    a file that nobody finds again: SQLite doesn't notice.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._journal = path.with_name(path.name + "-wal")
        self._known = file_identity(path), file_identity(self._journal)

    def is_at(self, path: Path) -> bool:
        """Whether the open file itself lies there."""
        return file_identity(path) == self._known[0]

    def remove_journal(self) -> None:
        """What belongs to the open file must not be read into another that lies there now."""
        if self._known[1] is not None and file_identity(self._journal) == self._known[1]:
            delete_side_files(self._path)

    def is_missing(self) -> bool:
        """Whether the open file, or the journal beside it, isn't there any more."""
        known, journal = self._known
        try:
            if known is None or file_identity(self._path) != known:
                return True
            return journal is not None and file_identity(self._journal) != journal
        except OSError:  # the folder can't be looked at now, which says nothing about the file
            return False


def read_only_uri(path: Path) -> str:
    """The URI that opens `path` to be read and never written."""
    return f"file:{quote(str(path))}?mode=ro"


def create_partial(path: Path) -> Path:
    """An empty private file beside `path`, to become it. Raises OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.new-{os.getpid()}")
    delete_file(part)
    make_private(part)
    return part


def copy_database(connection: sqlite3.Connection, part: Path) -> None:
    """Everything that `connection` reaches, also when its file has no name any more. Raises
    sqlite3.Error.
    """
    copy = sqlite3.connect(part)
    try:
        connection.backup(copy)
    finally:
        copy.close()


def replace_database(part: Path, path: Path) -> None:
    """Let `part` be the database. A journal of the one before must never be read into it."""
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
    """Give the file and its side files a name of their own, with `why` in it; the new path. Until
    another is put into its place the file is still there too: a process that dies in between
    leaves no empty place, in which the next start would begin anew without a word.
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
