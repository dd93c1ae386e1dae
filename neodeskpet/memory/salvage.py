"""What can still be read of damaged conversations.

Heads of messages also stand in an index, on other pages, so that a message whose row is lost is
still known. What is missing within a message says so in its place.
"""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from neodeskpet.database.errors import Saved, is_damage
from neodeskpet.database.salvage import attached, copy_table
from neodeskpet.memory.branches import mend_rows
from neodeskpet.memory.journal import sum_up
from neodeskpet.memory.store_errors import BlockLost

_PLACE = ", parent, chosen"
_TABLES = (
    *("conversations", "messages", "blocks", "segments", "descriptions", "state", "tasks"),
    *("draft_pictures", "spending", "apart"),
)


def salvage(damaged: Path, fresh: sqlite3.Connection) -> Saved:
    """Copy what can be read of `damaged` into `fresh`, which is migrated and empty. Raises
    sqlite3.Error only when `fresh` can't be written.
    """
    with attached(fresh, damaged) as readable:
        if not readable:
            return Saved()
        for table in _TABLES:
            copy_table(fresh, table)
        return _make_whole(fresh)


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
    for (conversation,) in fresh.execute("SELECT id FROM conversations").fetchall():
        mend_rows(fresh, conversation)
    (count,) = fresh.execute("SELECT count(*) FROM messages").fetchone()
    return Saved(count - torn, count + lost)


def _add_heads(fresh: sqlite3.Connection) -> None:
    """Messages whose rows are lost, from the index of heads."""
    found = fresh.execute(
        "SELECT id FROM conversations UNION SELECT conversation FROM messages"
    ).fetchall()
    place = _PLACE if _PLACE in _indexed(fresh) else ""  # an earlier version knew no branches
    own = place.replace(", ", ", h.")
    for (conversation,) in found:
        try:
            fresh.execute(
                "INSERT OR IGNORE INTO main.messages "
                "(number, id, conversation, role, state, created, rounds, model, replaced, "
                f"touched, chars, blocks{place}) "
                "SELECT h.number, h.id, h.conversation, h.role, 'done', coalesce(c.updated, 0), "
                f"0, '', h.replaced, coalesce(c.updated, 0), h.chars, h.blocks{own} "
                "FROM damaged.messages AS h INDEXED BY message_heads "
                "LEFT JOIN main.conversations AS c ON c.id = h.conversation "
                "WHERE h.conversation = ?",
                (conversation,),
            )
        except sqlite3.Error as error:
            if not is_damage(error):
                raise


def _indexed(fresh: sqlite3.Connection) -> str:
    """What the damaged file's index of heads holds."""
    row = fresh.execute(
        "SELECT sql FROM damaged.sqlite_schema WHERE name = 'message_heads'"
    ).fetchone()
    return str(row[0]) if row else ""


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
