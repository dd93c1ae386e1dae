"""Reads a damaged database, range by range of its rows.

An unreadable page only loses the rows on it: a range that fails is halved until the rows of that
page are found.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from neodeskpet.storage.database_file import read_only_uri
from neodeskpet.storage.storage_errors import is_damage

_log = logging.getLogger(__name__)

_RANGE_ROWS = 4096  # rows
_MAX_FAILURES = 50_000
"""Ranges of one table that may fail: a torn inner page must not cost hours."""


@contextlib.contextmanager
def attached_damaged(fresh: sqlite3.Connection, damaged: Path) -> Iterator[bool]:
    """Attach `damaged` as the schema `damaged` of `fresh`, with foreign keys off meanwhile. Yields
    False if it can't be read at all. Raises sqlite3.Error only when `fresh` can't be written.
    """
    fresh.execute("PRAGMA foreign_keys = OFF")
    fresh.execute("PRAGMA writable_schema = ON")  # an unreadable index must not hide the tables
    readable = True
    try:
        fresh.execute("ATTACH ? AS damaged", (read_only_uri(damaged),))
        fresh.execute("SELECT count(*) FROM damaged.sqlite_schema").fetchone()
    except sqlite3.Error as error:
        if not is_damage(error):
            raise
        _log.warning("Nothing of %s can be read: %s", damaged, error)
        readable = False
    finally:
        fresh.execute("PRAGMA writable_schema = OFF")
    try:
        yield readable
    finally:
        if readable:
            fresh.execute("DETACH damaged")
            fresh.execute("PRAGMA foreign_keys = ON")


def copy_table(fresh: sqlite3.Connection, table: str) -> bool:
    """Copy the readable rows of `damaged.table` into the same table of `fresh`. Returns whether all
    rows could be read.
    """
    columns = _shared_columns(fresh, table)
    if not columns:
        return False
    names = ", ".join(columns)
    query = (
        f"INSERT OR IGNORE INTO main.{table} ({names}) "
        f"SELECT {names} FROM damaged.{table} NOT INDEXED WHERE rowid BETWEEN ? AND ?"
    )
    last = _last_row_number(fresh, table)
    ranges = deque(
        (low, min(low + _RANGE_ROWS - 1, last)) for low in range(1, last + 1, _RANGE_ROWS)
    )
    failures = 0
    while ranges and failures < _MAX_FAILURES:
        low, high = ranges.popleft()
        try:
            fresh.execute(query, (low, high))
        except sqlite3.Error as error:
            if not is_damage(error):
                raise
            failures += 1
            middle = (low + high) // 2
            if low < high:
                ranges += [(low, middle), (middle + 1, high)]
    return not failures


def _shared_columns(fresh: sqlite3.Connection, table: str) -> list[str]:
    """Return the columns that both have; an older database has fewer."""
    query = "SELECT name FROM pragma_table_info(?, ?)"
    there = {name for (name,) in fresh.execute(query, (table, "damaged"))}
    return [name for (name,) in fresh.execute(query, (table, "main")) if name in there]


def _last_row_number(fresh: sqlite3.Connection, table: str) -> int:
    """Return the highest row number, or an upper bound if the last page is damaged."""
    try:
        (last,) = fresh.execute(f"SELECT max(rowid) FROM damaged.{table} NOT INDEXED").fetchone()
    except sqlite3.Error as error:
        if not is_damage(error):
            raise
        (pages,) = fresh.execute("PRAGMA damaged.page_count").fetchone()
        return int(pages) * 100
    return int(last or 0)
