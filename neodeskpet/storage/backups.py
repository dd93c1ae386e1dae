"""Copies of a database beside it: one for each of the last days, and those made before a migration
or when a damaged file was moved aside. Permanent deletions are applied to the copies too.
"""

from __future__ import annotations

import asyncio
import logging
import mmap
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import date
from functools import partial
from pathlib import Path

from neodeskpet.platform.private_files import sync_file, sync_folder
from neodeskpet.storage.database_file import (
    SIDE_SUFFIXES,
    copy_database,
    create_partial,
    delete_file,
    read_only_uri,
)

_copies_lock = threading.Lock()
_log = logging.getLogger(__name__)

Erase = Callable[[sqlite3.Connection, Sequence[str]], None]


def erase_in_copies(path: Path, ids: Sequence[str], erase: Erase | None) -> None:
    """Delete the rows of `ids` from each copy of the database at `path`. A copy that can't be
    changed (it is damaged, or there is no `erase`) is deleted as a whole: deletion is more
    important than the copy.
    """
    with locked_copies():
        _erase_in_all_copies(path, ids, erase)


def locked_copies() -> threading.Lock:
    """Return the lock for making and changing copies. With it a copy that is made during a deletion
    exists before the deletion reaches the copies.
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
    """Delete the rows of `ids` from a copy. Returns whether none of them is left."""
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


BACKUPS_KEPT = 7
"""Backups to keep: one a day."""
_FIRST_DELAY, _INTERVAL = 60.0, 1800.0
"""Seconds until the first check after a start, and between checks."""


def backup_path(path: Path, day: date) -> Path:
    return path.with_name(f"{path.stem}.daily-{day.isoformat()}{path.suffix}")


def list_backups(path: Path) -> list[Path]:
    """Return the backups of a database, oldest first."""
    return sorted(path.parent.glob(f"{path.stem}.daily-????-??-??{path.suffix}"))


def create_backup(path: Path, day: date, kept: int = BACKUPS_KEPT) -> bool:
    """Make the backup of this day, unless it exists or nothing has changed since the last one.
    Returns whether it was made. Only the newest `kept` stay. Slow: call it on a thread. Raises
    OSError.
    """
    target = backup_path(path, day)
    if not path.exists() or target.exists() or _is_unchanged(path):
        return False
    with locked_copies():
        part = create_partial(path)
        try:
            with closing(sqlite3.connect(read_only_uri(path), uri=True)) as connection:
                copy_database(connection, part)
            sync_file(part)
            part.replace(target)
            sync_folder(path.parent)
        except sqlite3.Error as error:
            raise OSError(str(error)) from error
        finally:
            delete_file(part)
        for old in list_backups(path)[:-kept]:
            delete_file(old)
    return True


def _is_unchanged(path: Path) -> bool:
    """Return whether the last backup is up to date."""
    known = list_backups(path)
    if not known:
        return False
    parts = [path, *(path.with_name(path.name + ending) for ending in SIDE_SUFFIXES[:1])]
    written = max(one.stat().st_mtime for one in parts if one.exists())
    return known[-1].stat().st_mtime > written


def delete_backups(path: Path) -> None:
    """Delete all backups of a database. Raises OSError."""
    with locked_copies():
        for one in list_backups(path):
            delete_file(one)


async def _run_to_end(work: Callable[[], object]) -> None:
    """Run `work` on a thread. Cancelling this waits for its end, because a thread that outlives the
    event loop can't report errors.
    """
    doing = asyncio.get_running_loop().run_in_executor(None, work)
    try:
        await asyncio.shield(doing)
    except asyncio.CancelledError:
        await asyncio.wait([doing])
        if not doing.cancelled():
            doing.exception()  # marks the exception as retrieved
        raise


async def run_daily_backups(
    paths: Sequence[Path],
    wanted: Callable[[], bool],
    today: Callable[[], date],
    *,
    first: float = _FIRST_DELAY,
    pause: float = _INTERVAL,
) -> None:
    """Back these databases up once a day while it is `wanted`, until it is cancelled; otherwise
    delete the backups.
    """
    await asyncio.sleep(first)
    while True:
        for path in paths:
            try:
                work = (
                    partial(create_backup, path, today())
                    if wanted()
                    else partial(delete_backups, path)
                )
                await _run_to_end(work)
            except OSError as error:
                _log.warning("%s can't be backed up: %s", path.name, error)
        await asyncio.sleep(pause)
