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

from neodeskpet.database.copies import changing
from neodeskpet.database.file import SIDES, copy_whole, drop, new_part, reading_address
from neodeskpet.files import sync_file, sync_folder

KEPT = 7
"""Days."""
_FIRST, _PAUSE = 60.0, 1800.0
"""Seconds until the first look after a start, and between two looks."""
_log = logging.getLogger(__name__)


def backup_of(path: Path, day: date) -> Path:
    return path.with_name(f"{path.stem}.daily-{day.isoformat()}{path.suffix}")


def backups(path: Path) -> list[Path]:
    """Those there are of a database, the oldest first."""
    return sorted(path.parent.glob(f"{path.stem}.daily-????-??-??{path.suffix}"))


def back_up(path: Path, day: date, kept: int = KEPT) -> bool:
    """Make the copy of this day, unless it is there or nothing has changed since the last one;
    whether it was made. Only the newest `kept` stay. Slow: for a thread. Raises OSError.
    """
    target = backup_of(path, day)
    if not path.exists() or target.exists() or _is_as_new(path):
        return False
    with changing():
        part = new_part(path)
        try:
            with closing(sqlite3.connect(reading_address(path), uri=True)) as connection:
                copy_whole(connection, part)
            sync_file(part)
            part.replace(target)
            sync_folder(path.parent)
        except sqlite3.Error as error:
            raise OSError(str(error)) from error
        finally:
            drop(part)
        for old in backups(path)[:-kept]:
            drop(old)
    return True


def _is_as_new(path: Path) -> bool:
    """Whether the last copy has all that is in the database."""
    known = backups(path)
    if not known:
        return False
    parts = [path, *(path.with_name(path.name + ending) for ending in SIDES[:1])]
    written = max(one.stat().st_mtime for one in parts if one.exists())
    return known[-1].stat().st_mtime > written


def remove_backups(path: Path) -> None:
    """Take all of a database away. Raises OSError."""
    with changing():
        for one in backups(path):
            drop(one)


async def _finish(work: Callable[[], object]) -> None:
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


async def keep_backups(
    paths: Sequence[Path],
    wanted: Callable[[], bool],
    today: Callable[[], date],
    *,
    first: float = _FIRST,
    pause: float = _PAUSE,
) -> None:
    """Back these up once a day while it is `wanted`, until it is cancelled; else no copy stays."""
    await asyncio.sleep(first)
    while True:
        for path in paths:
            try:
                work = (
                    partial(back_up, path, today()) if wanted() else partial(remove_backups, path)
                )
                await _finish(work)
            except OSError as error:
                _log.warning("%s can't be backed up: %s", path.name, error)
        await asyncio.sleep(pause)
