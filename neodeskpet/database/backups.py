"""A copy of each database for each of the last days, beside it.

The names fit the pattern of `copies`: what is deleted for good is deleted in them too.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import date
from functools import partial
from pathlib import Path

from neodeskpet.database.copies import locked_copies
from neodeskpet.database.file import (
    SIDE_SUFFIXES,
    copy_database,
    create_partial,
    delete_file,
    read_only_uri,
)
from neodeskpet.files import sync_file, sync_folder

BACKUPS_KEPT = 7
"""Days."""
_FIRST_DELAY, _INTERVAL = 60.0, 1800.0
"""Seconds until the first look after a start, and between two looks."""
_log = logging.getLogger(__name__)


def backup_path(path: Path, day: date) -> Path:
    return path.with_name(f"{path.stem}.daily-{day.isoformat()}{path.suffix}")


def list_backups(path: Path) -> list[Path]:
    """Those there are of a database, the oldest first."""
    return sorted(path.parent.glob(f"{path.stem}.daily-????-??-??{path.suffix}"))


def create_backup(path: Path, day: date, kept: int = BACKUPS_KEPT) -> bool:
    """Make the copy of this day, unless it is there or nothing has changed since the last one;
    whether it was made. Only the newest `kept` stay. Slow: for a thread. Raises OSError.
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
    """Whether the last copy has all that is in the database."""
    known = list_backups(path)
    if not known:
        return False
    parts = [path, *(path.with_name(path.name + ending) for ending in SIDE_SUFFIXES[:1])]
    written = max(one.stat().st_mtime for one in parts if one.exists())
    return known[-1].stat().st_mtime > written


def delete_backups(path: Path) -> None:
    """Take all of a database away. Raises OSError."""
    with locked_copies():
        for one in list_backups(path):
            delete_file(one)


async def _run_to_end(work: Callable[[], object]) -> None:
    """Do it in a thread. Who cancels this waits for its end: a thread that outlives the loop would
    report to nobody.
    """
    doing = asyncio.get_running_loop().run_in_executor(None, work)
    try:
        await asyncio.shield(doing)
    except asyncio.CancelledError:
        await asyncio.wait([doing])
        if not doing.cancelled():
            doing.exception()  # nobody else asks for it
        raise


async def run_daily_backups(
    paths: Sequence[Path],
    wanted: Callable[[], bool],
    today: Callable[[], date],
    *,
    first: float = _FIRST_DELAY,
    pause: float = _INTERVAL,
) -> None:
    """Back these up once a day while it is `wanted`, until it is cancelled; else no copy stays."""
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
