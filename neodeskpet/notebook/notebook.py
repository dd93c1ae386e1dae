"""The private database of notes, to-dos, timers and appointments.

It repairs itself, imports the files of earlier versions once, and does all its work on a thread
of its own.
"""

from __future__ import annotations

import asyncio
import logging
import math
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from neodeskpet.core.errors import StoreError
from neodeskpet.core.json_text import read_json
from neodeskpet.notebook.notebook_tables import (
    KEPT_SECONDS,
    NOTEBOOK_CONTENT,
    OldFileDamaged,
    Row,
    erase_in_copy,
    purge,
    put_missing,
)
from neodeskpet.storage.backups import erase_in_copies
from neodeskpet.storage.database import (
    Database,
    Work,
    open_or_in_memory,
    report_on_loop,
    transaction,
)
from neodeskpet.storage.database_file import move_aside
from neodeskpet.storage.database_salvage import attached_damaged, copy_table
from neodeskpet.storage.database_schema import decode_lenient

NOTES, TIMERS = "notes.db", "timers.json"

_log = logging.getLogger(__name__)

_OLD_NOTES = """
CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT, tags TEXT, folded TEXT, created REAL,
deleted REAL)
"""


def import_old_files(connection: sqlite3.Connection, folder: Path) -> list[StoreError]:
    """Import the old files in `folder` into the notebook. Return the errors of damaged ones. Raises
    sqlite3.Error and OSError: the rest is then imported the next time.
    """
    faults: list[StoreError] = []
    for name, take in ((NOTES, _take_notes), (TIMERS, _take_timers)):
        path = folder / name
        try:
            if path.exists():
                take(connection, path, faults)
        except (sqlite3.Error, OSError):
            if path.exists():  # otherwise another process was faster
                raise
    return faults


def _take_notes(connection: sqlite3.Connection, path: Path, faults: list[StoreError]) -> None:
    rows, whole = _read_notes(path)
    names = "id, text, tags, folded, created, deleted"
    with transaction(connection):
        put_missing(connection, "notes", names, rows)
    _move_aside(path, whole, faults)


def _read_notes(path: Path) -> tuple[list[Row], bool]:
    """Return all readable rows, and whether those are all."""
    with suppress(sqlite3.DatabaseError):
        _finish_transaction(path)
    copy = sqlite3.connect(":memory:", isolation_level=None, uri=True)
    copy.text_factory = decode_lenient
    try:
        copy.execute(_OLD_NOTES)
        with attached_damaged(copy, path) as readable:
            whole = readable and copy_table(copy, "notes")
        rows = copy.execute(
            "SELECT id, text, coalesce(tags, '[]'), coalesce(folded, text), coalesce(created, 0), "
            "deleted FROM notes WHERE text IS NOT NULL"
        )
        return rows.fetchall(), whole
    finally:
        copy.close()


def _finish_transaction(path: Path) -> None:
    """Open the file for writing once, which rolls back the unfinished transaction of a killed
    process.
    """
    old = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=10)
    try:
        old.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    finally:
        old.close()


def _take_timers(connection: sqlite3.Connection, path: Path, faults: list[StoreError]) -> None:
    whole = True
    rows: list[Row] = []
    try:
        listed = read_json(path.read_text(encoding="utf-8"))
        entries = listed if isinstance(listed, list) else [listed]
    except ValueError as error:
        _log.warning("%s can't be read: %s", path, error)
        entries, whole = [], False
    for entry in entries:
        try:
            rows.append(_timer_row(entry))
        except (KeyError, TypeError, ValueError):
            whole = False
    with transaction(connection):
        put_missing(connection, "timers", "id, due, label, set_at, repeat", rows)
    _move_aside(path, whole, faults)


def _timer_row(entry: object) -> Row:
    """Convert an old timer to a row. Raises KeyError, TypeError and ValueError."""
    if not isinstance(entry, dict):
        raise TypeError(entry)
    number = str(entry["id"]).removeprefix("t")
    due, set_at = float(entry["due"]), float(entry["set_at"])
    if not (math.isfinite(due) and math.isfinite(set_at)):
        raise ValueError(due)
    known = int(number) if number.isdecimal() and len(number) < 10 else None
    return known, due, str(entry["label"]), set_at, ""


def _move_aside(path: Path, whole: bool, faults: list[StoreError]) -> None:
    if whole:
        path.replace(path.with_name(f"{path.name}.old"))
        return
    aside = move_aside(path, "damaged")
    path.unlink(missing_ok=True)  # it had two names so far
    _log.error("%s is damaged: moved to %s; all readable data was copied", path, aside)
    faults.append(OldFileDamaged(file=aside.name))


FILE_NAME = "notebook.db"

_FIRST, _PAUSE = 60.0, 3600.0
"""Seconds until the first purge after a start, and between two purges."""

T = TypeVar("T")


class Notebook:
    """The notebook; create it with `await Notebook.open()`. All coroutines raise StoreError and
    nothing else.

    `faults` are the errors of opening, for the user.
    """

    def __init__(self, database: Database, faults: list[StoreError]) -> None:
        self.faults = faults
        self._database = database

    @classmethod
    async def open(
        cls,
        path: Path | None,
        *,
        on_fault: Callable[[StoreError], None] | None = None,
        busy: float = 5.0,
        watch: float = 5.0,
        required: bool = False,
    ) -> Notebook:
        """Open the file `path`, which is created if it is missing; None keeps all data in memory,
        as does a file that can't be opened. Files of earlier versions beside it are imported.
        `on_fault` gets later errors of the file on the loop. `busy`, `watch`: see `Database`.
        `required`: raise StoreError if the file can't be opened.
        """
        database, fault = await open_or_in_memory(
            path, NOTEBOOK_CONTENT, busy=busy, watch=watch, required=required
        )
        faults = [fault] if fault is not None else []
        if database.path is not None:
            folder = database.path.parent
            try:
                faults += await database.run(
                    lambda connection: import_old_files(connection, folder)
                )
            except StoreError as error:
                faults.append(error)
        report_on_loop(database, on_fault)
        return cls(database, faults)

    async def read(self, work: Work[T]) -> T:
        """Return the result of `work(connection)`, which sees all earlier changes."""
        return await self._database.read(work)

    async def change(self, work: Work[T]) -> T:
        """Run work that changes data, completely or not at all."""
        return await self._database.change(work)

    async def purge(self, now: float) -> None:
        """Delete permanently what was deleted 30 days before `now` (Unix seconds) or earlier."""
        await self.erase_copies(await self.change(lambda db: purge(db, now - KEPT_SECONDS)))

    async def erase_copies(self, uids: Sequence[str]) -> None:
        """Erase these deleted entries in the journal and in copies of the file."""
        path = self._database.path
        if uids and path is not None:
            await self._database.wipe()
            await asyncio.to_thread(erase_in_copies, path, uids, erase_in_copy)

    def subscribe(self, tell: Callable[[], object]) -> None:
        """Call `tell` on another thread after each change."""
        self._database.subscribe(tell)

    async def changed_by_others(self) -> bool:
        """Return whether another process has written since the last call. Raises StoreError."""
        return await self._database.changed_by_others()

    async def aclose(self) -> None:
        """Idempotent."""
        await self._database.aclose()


async def purge_daily(
    notebook: Notebook,
    confirmed: Callable[[datetime], Awaitable[datetime | None]],
    *,
    now: Callable[[], datetime] = datetime.now,
    first: float = _FIRST,
    pause: float = _PAUSE,
) -> None:
    """Purge the notebook from time to time until cancelled. `confirmed` returns, for the clock's
    time, the moment to use for deletions, None for none: a wrong clock deletes nothing.
    """
    await asyncio.sleep(first)
    while True:
        with suppress(StoreError):
            moment = await confirmed(now())
            if moment is not None:
                await notebook.purge(moment.timestamp())
        await asyncio.sleep(pause)
