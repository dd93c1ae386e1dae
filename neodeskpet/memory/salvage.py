"""What can still be read of a damaged database, range by range of its rows.

A page that can't be read costs the rows on it and no others: a range that fails is halved until
the rows around the page are found. Heads of messages also stand in an index, on other pages, so
that a message whose row is lost is still known. What is missing within a message says so in its
place.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections import deque
from pathlib import Path

from neodeskpet.memory.db_file import reading_address
from neodeskpet.memory.journal import sum_up
from neodeskpet.memory.store_errors import BlockLost, Saved, is_damage

_log = logging.getLogger(__name__)

_TABLES = ("conversations", "messages", "blocks", "segments", "descriptions", "state")
_RANGE = 4096  # rows
_FAILURES = 50_000
"""Ranges of one table that may fail: a torn inner page must not cost hours."""


def salvage(damaged: Path, fresh: sqlite3.Connection) -> Saved:
    """Copy what can be read of `damaged` into `fresh`, which is migrated and empty. Raises
    sqlite3.Error only when `fresh` can't be written.
    """
    fresh.execute("PRAGMA foreign_keys = OFF")
    fresh.execute("PRAGMA writable_schema = ON")  # an unreadable index must not hide the tables
    try:
        fresh.execute("ATTACH ? AS damaged", (reading_address(damaged),))
        fresh.execute("SELECT count(*) FROM damaged.sqlite_schema").fetchone()
    except sqlite3.Error as error:
        if not is_damage(error):
            raise
        _log.warning("Nothing of %s can be read: %s", damaged, error)
        return Saved(0, 0)
    finally:
        fresh.execute("PRAGMA writable_schema = OFF")
    try:
        for table in _TABLES:
            _copy(fresh, table)
        return _make_whole(fresh)
    finally:
        fresh.execute("DETACH damaged")
        fresh.execute("PRAGMA foreign_keys = ON")


def _copy(fresh: sqlite3.Connection, table: str) -> None:
    columns = _shared_columns(fresh, table)
    if not columns:
        return
    names = ", ".join(columns)
    query = (
        f"INSERT OR IGNORE INTO main.{table} ({names}) "
        f"SELECT {names} FROM damaged.{table} NOT INDEXED WHERE rowid BETWEEN ? AND ?"
    )
    last = _last_row(fresh, table)
    ranges = deque((low, min(low + _RANGE - 1, last)) for low in range(1, last + 1, _RANGE))
    failures = 0
    while ranges and failures < _FAILURES:
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


def _shared_columns(fresh: sqlite3.Connection, table: str) -> list[str]:
    """Those both have: an older database has fewer tables and columns."""
    query = "SELECT name FROM pragma_table_info(?, ?)"
    there = {name for (name,) in fresh.execute(query, (table, "damaged"))}
    return [name for (name,) in fresh.execute(query, (table, "main")) if name in there]


def _last_row(fresh: sqlite3.Connection, table: str) -> int:
    """The highest row number, or what it can be at most when the last page is torn."""
    try:
        (last,) = fresh.execute(f"SELECT max(rowid) FROM damaged.{table} NOT INDEXED").fetchone()
    except sqlite3.Error as error:
        if not is_damage(error):
            raise
        (pages,) = fresh.execute("PRAGMA damaged.page_count").fetchone()
        return int(pages) * 100
    return int(last or 0)


def _make_whole(fresh: sqlite3.Connection) -> Saved:
    """Let what was saved stand on its own again."""
    _add_heads(fresh)
    fresh.execute(
        "INSERT INTO conversations (id, title, created, updated) "
        "SELECT conversation, '', min(created), max(created) FROM messages "
        "WHERE conversation NOT IN (SELECT id FROM conversations) GROUP BY conversation"
    )
    (lost,) = fresh.execute(
        "SELECT count(DISTINCT message) FROM blocks "
        "WHERE message NOT IN (SELECT number FROM messages)"
    ).fetchone()
    fresh.execute("DELETE FROM blocks WHERE message NOT IN (SELECT number FROM messages)")
    fresh.execute(
        "DELETE FROM segments WHERE (message, position) NOT IN "
        "(SELECT message, position FROM blocks)"
    )
    torn = _fill_gaps(fresh)
    (count,) = fresh.execute("SELECT count(*) FROM messages").fetchone()
    return Saved(count - torn, count + lost)


def _add_heads(fresh: sqlite3.Connection) -> None:
    """Messages whose rows are lost, from the index of heads."""
    found = fresh.execute(
        "SELECT id FROM conversations UNION SELECT conversation FROM messages"
    ).fetchall()
    for (conversation,) in found:
        try:
            fresh.execute(
                "INSERT OR IGNORE INTO main.messages "
                "(number, id, conversation, role, state, created, rounds, model, replaced, "
                "touched, chars, blocks) "
                "SELECT h.number, h.id, h.conversation, h.role, 'done', coalesce(c.updated, 0), "
                "0, '', h.replaced, coalesce(c.updated, 0), h.chars, h.blocks "
                "FROM damaged.messages AS h INDEXED BY message_heads "
                "LEFT JOIN main.conversations AS c ON c.id = h.conversation "
                "WHERE h.conversation = ?",
                (conversation,),
            )
        except sqlite3.Error as error:
            if not is_damage(error):
                raise


def _fill_gaps(fresh: sqlite3.Connection) -> int:
    """A notice in the place of each block that is lost; how many messages have one."""
    rows = fresh.execute(
        "SELECT number, max(m.blocks, coalesce(max(position) + 1, 0)), touched "
        "FROM messages AS m LEFT JOIN blocks ON message = number GROUP BY number "
        "HAVING count(position) < max(m.blocks, coalesce(max(position) + 1, 0))"
    ).fetchall()
    fields = json.dumps({"round": 0, "code": BlockLost.code, "actions": [], "resolved": True})
    for number, wanted, touched in rows:
        there = {
            place
            for (place,) in fresh.execute(
                "SELECT position FROM blocks WHERE message = ?", (number,)
            )
        }
        fresh.executemany(
            "INSERT INTO blocks (message, position, kind, chars, fields, body) "
            "VALUES (?, ?, 'notice', 0, ?, '')",
            [(number, place, fields) for place in range(wanted) if place not in there],
        )
        sum_up(fresh.execute, number, touched)
    return len(rows)
