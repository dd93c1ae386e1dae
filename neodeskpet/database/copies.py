"""Copies of a database that lie beside it: made before a migration, or moved aside when it was
damaged or replaced. What is deleted for good is deleted there too.
"""

from __future__ import annotations

import logging
import mmap
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from neodeskpet.database.file import SIDE_SUFFIXES, delete_file

_copies_lock = threading.Lock()
_log = logging.getLogger(__name__)

Erase = Callable[[sqlite3.Connection, Sequence[str]], None]


def erase_in_copies(path: Path, ids: Sequence[str], erase: Erase | None) -> None:
    """Take the rows of `ids` out of each copy of the database at `path` that holds any. One that
    can't be changed (it is damaged, or there is no `erase`) is removed as a whole: to delete counts
    more than to be able to look for what damage has cost.
    """
    with locked_copies():
        _erase_in_all_copies(path, ids, erase)


def locked_copies() -> threading.Lock:
    """Held while copies are made or changed: a copy that is being made while something is deleted
    is there when the deletion comes to the copies.
    """
    return _copies_lock


def _erase_in_all_copies(path: Path, ids: Sequence[str], erase: Erase | None) -> None:
    for copy in _list_copies(path):
        try:
            if not any(_contains_any(part, ids) for part in _with_side_files(copy)):
                continue
            if erase is None or not _erase_in_copy(copy, ids, erase):
                _log.warning("%s is removed: it held what was deleted", copy.name)
                delete_file(copy)
        except OSError as error:
            _log.error("What was deleted may still be in %s: %s", copy.name, error)


def _list_copies(path: Path) -> Iterator[Path]:
    for found in sorted(path.parent.glob(f"{path.stem}.*{path.suffix}")):
        if found != path and found.is_file():
            yield found


def _with_side_files(path: Path) -> Iterator[Path]:
    yield path
    for ending in SIDE_SUFFIXES:
        side = path.with_name(path.name + ending)
        if side.exists():
            yield side


def _contains_any(path: Path, ids: Sequence[str]) -> bool:
    with path.open("rb") as file:
        if not path.stat().st_size:
            return False
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return any(content.find(one.encode()) >= 0 for one in ids)


def _erase_in_copy(copy: Path, ids: Sequence[str], erase: Erase) -> bool:
    """Whether nothing of `ids` is left in it."""
    try:
        connection = sqlite3.connect(copy, isolation_level=None)
        try:
            connection.execute("PRAGMA secure_delete = ON")
            erase(connection, ids)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            connection.close()
    except sqlite3.Error as error:
        _log.info("%s can't be changed: %s", copy.name, error)
        return False
    return not any(_contains_any(part, ids) for part in _with_side_files(copy))
