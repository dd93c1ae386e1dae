"""What earlier versions kept in `notes.db` and `timers.json` is taken over, once.

Rows are put in first, in one transaction, and only then is the old file given another name: being
killed in between loses nothing, and what is there already isn't put in again.
"""

from __future__ import annotations

import logging
import math
import sqlite3
from contextlib import suppress
from pathlib import Path

from neodeskpet.core.errors import StoreError
from neodeskpet.core.json_text import read_json
from neodeskpet.database.columns import decode_lenient
from neodeskpet.database.database import transaction
from neodeskpet.database.file import move_aside
from neodeskpet.database.salvage import attached_damaged, copy_table
from neodeskpet.notebook.errors import OldFileDamaged
from neodeskpet.notebook.tables import Row, put_missing

NOTES, TIMERS = "notes.db", "timers.json"

_log = logging.getLogger(__name__)

_OLD_NOTES = """
CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT, tags TEXT, folded TEXT, created REAL,
deleted REAL)
"""


def import_old_files(connection: sqlite3.Connection, folder: Path) -> list[StoreError]:
    """Put what the old files in `folder` hold into the notebook. Returns what was damaged. Raises
    sqlite3.Error and OSError: then the rest is there for the next time.
    """
    faults: list[StoreError] = []
    for name, take in ((NOTES, _take_notes), (TIMERS, _take_timers)):
        path = folder / name
        try:
            if path.exists():
                take(connection, path, faults)
        except (sqlite3.Error, OSError):
            if path.exists():  # else another process was faster
                raise
    return faults


def _take_notes(connection: sqlite3.Connection, path: Path, faults: list[StoreError]) -> None:
    rows, whole = _read_notes(path)
    names = "id, text, tags, folded, created, deleted"
    with transaction(connection):
        put_missing(connection, "notes", names, rows)
    _put_away(path, whole, faults)


def _read_notes(path: Path) -> tuple[list[Row], bool]:
    """All rows that can be read, and whether those are all."""
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
    """What a killed process left half done is undone by whoever may write to the file."""
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
    _put_away(path, whole, faults)


def _timer_row(entry: object) -> Row:
    """Raises KeyError, TypeError and ValueError."""
    if not isinstance(entry, dict):
        raise TypeError(entry)
    number = str(entry["id"]).removeprefix("t")
    due, set_at = float(entry["due"]), float(entry["set_at"])
    if not (math.isfinite(due) and math.isfinite(set_at)):
        raise ValueError(due)
    known = int(number) if number.isdecimal() and len(number) < 10 else None
    return known, due, str(entry["label"]), set_at, ""


def _put_away(path: Path, whole: bool, faults: list[StoreError]) -> None:
    if whole:
        path.replace(path.with_name(f"{path.name}.old"))
        return
    aside = move_aside(path, "damaged")
    path.unlink(missing_ok=True)  # it had two names until here
    _log.error("%s is damaged: kept as %s, taken over as far as it can be read", path, aside)
    faults.append(OldFileDamaged(file=aside.name))
