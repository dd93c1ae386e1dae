"""What can still be read of damaged conversations.

Heads of messages also stand in an index, on other pages, so that a message whose row is lost is
still known. What is missing within a message says so in its place.
"""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from neodeskpet.database.errors import SalvageCount, is_damage
from neodeskpet.database.salvage import attached_damaged, copy_table
from neodeskpet.memory.branches import repair_tree
from neodeskpet.memory.journal import update_head
from neodeskpet.memory.store_errors import BlockLost

_TREE_COLUMNS = ", parent, chosen"
_SALVAGED_TABLES = (
    *("conversations", "messages", "blocks", "segments", "descriptions", "state", "tasks"),
    *("draft_pictures", "spending", "apart"),
)


def salvage_conversations(damaged: Path, fresh: sqlite3.Connection) -> SalvageCount:
    """Copy what can be read of `damaged` into `fresh`, which is migrated and empty. Raises
    sqlite3.Error only when `fresh` can't be written.
    """
    with attached_damaged(fresh, damaged) as readable:
        if not readable:
            return SalvageCount()
        for table in _SALVAGED_TABLES:
            copy_table(fresh, table)
        return _repair_references(fresh)


def _repair_references(fresh: sqlite3.Connection) -> SalvageCount:
    """Let what was saved stand on its own again."""
    _add_lost_messages(fresh)
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
    torn = _add_lost_block_notices(fresh)
    for (conversation,) in fresh.execute("SELECT id FROM conversations").fetchall():
        repair_tree(fresh, conversation)
    (count,) = fresh.execute("SELECT count(*) FROM messages").fetchone()
    return SalvageCount(count - torn, count + lost)


def _add_lost_messages(fresh: sqlite3.Connection) -> None:
    """Messages whose rows are lost, from the index of heads."""
    found = fresh.execute(
        "SELECT id FROM conversations UNION SELECT conversation FROM messages"
    ).fetchall()
    place = (
        _TREE_COLUMNS if _TREE_COLUMNS in _read_head_index(fresh) else ""
    )  # an earlier version knew no branches
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


def _read_head_index(fresh: sqlite3.Connection) -> str:
    """What the damaged file's index of heads holds."""
    row = fresh.execute(
        "SELECT sql FROM damaged.sqlite_schema WHERE name = 'message_heads'"
    ).fetchone()
    return str(row[0]) if row else ""


def _add_lost_block_notices(fresh: sqlite3.Connection) -> int:
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
        update_head(fresh.execute, number, touched)
    return len(rows)
