"""The visible messages: finished and shown. The memory is made of them, and forgotten content is
deleted from them.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from neodeskpet.core.blocks import Message
from neodeskpet.storage import chat_imports, message_tree
from neodeskpet.storage.chat_imports import IMPORTED_MARKS_KEY
from neodeskpet.storage.message_rows import read_messages

_FINISHED = (
    "state <> 'running' "
    "AND conversation NOT IN (SELECT id FROM conversations WHERE discarded IS NOT NULL)"
)
_IS_VISIBLE = f"replaced = 0 AND {_FINISHED}"
_IS_VISIBLE_IN_ANY_VERSION = f"replaced <> 2 AND {_FINISHED}"
"""Visible in any version."""
_BATCH = 500


@dataclass(frozen=True, slots=True)
class VisibleMessage:
    """A message with its place, and the time of its last write (unix seconds)."""

    message: Message
    conversation: str
    last_written: float


def read_visible(
    connection: sqlite3.Connection, ids: Sequence[str], *, versions: bool = False
) -> list[VisibleMessage]:
    """Return those of these messages that are visible, in the order of `ids`."""
    stands = _IS_VISIBLE_IN_ANY_VERSION if versions else _IS_VISIBLE
    places: dict[str, tuple[str, float]] = {}
    for start in range(0, len(ids), _BATCH):
        batch = ids[start : start + _BATCH]
        marks = ", ".join("?" * len(batch))
        rows = connection.execute(
            f"SELECT id, conversation, touched FROM messages WHERE id IN ({marks}) AND {stands}",
            batch,
        )
        places.update((one, (conversation, touched)) for one, conversation, touched in rows)
    messages = read_messages(connection, [one for one in ids if one in places])
    return [VisibleMessage(message, *places[message.id]) for message in messages]


class LastWrite(NamedTuple):
    """When a message was last written. A later message has a larger `number`."""

    number: int
    id: str
    time: float


def read_last_written(
    connection: sqlite3.Connection, *, after: int, most: int, versions: bool = False
) -> list[LastWrite]:
    """Return when the next `most` messages after the one with the number `after` were last written,
    in the order of their creation.
    """
    stands = _IS_VISIBLE_IN_ANY_VERSION if versions else _IS_VISIBLE
    query = (
        "SELECT number, id, touched FROM messages "
        f"WHERE number > ? AND {stands} ORDER BY number LIMIT ?"
    )
    return [*map(LastWrite._make, connection.execute(query, (after, most)))]


def read_index_times(
    connection: sqlite3.Connection, table: str, ids: Sequence[str] | None
) -> dict[str, float]:
    """Return when the messages with these ids (None: all) had last been written when they were
    indexed, from the `table` of an index.
    """
    query = f"SELECT message, touched FROM {table}"
    if ids is None:
        return dict(connection.execute(query))
    among = " WHERE message IN (SELECT value FROM json_each(?))"
    return dict(connection.execute(query + among, (json.dumps(ids),)))


def count_indexed(connection: sqlite3.Connection, table: str) -> int:
    """Return how many messages are indexed, from the `table` of an index."""
    (count,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
    return int(count)


def read_shown(connection: sqlite3.Connection, conversation_id: str) -> set[str]:
    """Return the shown messages of a conversation."""
    query = "SELECT id FROM messages WHERE conversation = ? AND replaced = 0"
    return {one for (one,) in connection.execute(query, (conversation_id,))}


def message_with_answers(connection: sqlite3.Connection, message_id: str) -> list[str]:
    """Return this message, its answers if it is the user's (all versions), and copies of these in
    conversations that were branched from this one.
    """
    own = connection.execute("SELECT role FROM messages WHERE id = ?", (message_id,)).fetchone()
    if own is None:
        return []
    found = [message_id]
    if own[0] == "user":
        query = "SELECT id FROM messages WHERE parent = ? AND role <> 'user'"
        found += [one for (one,) in connection.execute(query, (message_id,))]
    return [*found, *(copy for one in found for copy in _copies_of(connection, one))]


def _copies_of(connection: sqlite3.Connection, message_id: str) -> list[str]:
    """Return the copies of a message: same time, role and length in another conversation."""
    rows = connection.execute(
        "SELECT c.id FROM messages AS c JOIN messages AS m ON c.created = m.created "
        "AND c.role = m.role AND c.chars = m.chars AND c.conversation <> m.conversation "
        "WHERE m.id = ?",
        (message_id,),
    )
    return [one for (one,) in rows]


def delete_from_tree(connection: sqlite3.Connection, message_id: str, at: float) -> None:
    """Remove a message from the tree; its children move up, its row stays."""
    query = "SELECT conversation FROM messages WHERE id = ? AND replaced <> 2"
    row = connection.execute(query, (message_id,)).fetchone()
    if row is not None:
        message_tree.delete_message(connection, row[0], message_id, below=False, at=at)


def delete_titles(connection: sqlite3.Connection, ids: Sequence[str]) -> None:
    """Delete the titles of conversations that begin with one of these messages, because titles are
    derived from them.
    """
    for one in ids:
        connection.execute(
            "UPDATE conversations SET title = '' WHERE id = (SELECT conversation "
            "FROM messages AS m WHERE m.id = ?1 AND NOT EXISTS (SELECT 1 FROM messages AS e "
            "WHERE e.conversation = m.conversation AND e.role = 'user' AND e.number < m.number))",
            (one,),
        )


def delete_rows(connection: sqlite3.Connection, ids: Sequence[str]) -> None:
    """Permanently delete the messages and conversations with these ids."""
    connection.execute("PRAGMA foreign_keys = ON")
    message_tree.delete_summaries(connection, ids)
    for table in ("messages", "conversations"):
        connection.executemany(f"DELETE FROM {table} WHERE id = ?", [(one,) for one in ids])
    delete_state(connection, ids)


def delete_rows_in_copy(connection: sqlite3.Connection, ids: Sequence[str]) -> None:
    """Delete the rows in a copy of the file, with the titles derived from them."""
    delete_titles(connection, ids)
    delete_rows(connection, ids)


def delete_state(connection: sqlite3.Connection, ids: Sequence[str]) -> None:
    """Delete state that belongs to conversations: drafts, summaries, and records of imports."""
    keys = [(f"{kind}:{one}",) for one in ids for kind in ("draft", "summary", IMPORTED_MARKS_KEY)]
    connection.executemany("DELETE FROM state WHERE key = ?", keys)
    chat_imports.forget_imported_conversations(connection, ids)
