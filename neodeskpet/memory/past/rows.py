"""A conversation that was had elsewhere, in rows. Its id and those of its messages are made of what
they are called there: so what was taken in once is known again, and a later archive adds what is
new. Beside each conversation stands which messages were taken into it, so that one that the person
deleted doesn't come back with the next archive.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from neodeskpet.core.blocks import Image, Message
from neodeskpet.core.records import Node
from neodeskpet.database.columns import from_column, to_column
from neodeskpet.memory import branches
from neodeskpet.memory.importing import Imported
from neodeskpet.memory.past import came
from neodeskpet.memory.pictures import shown_pictures

LEDGER = "past"
"""The key of what was taken into a conversation, before its id."""
_MARK = 13

Insert = Callable[[str, Message, str], None]
"""Puts a message into a conversation, behind another."""


@dataclass(frozen=True, slots=True)
class Past:
    """`found` with ids of its own; `current` is the message that was shown last. Times are unix
    seconds.
    """

    id: str
    found: Imported
    created: float
    updated: float
    current: str = ""


def mark(message_id: str) -> str:
    """What a message is known again by."""
    return message_id[:_MARK]


def read_known(connection: sqlite3.Connection, ids: Iterable[str]) -> dict[str, frozenset[str]]:
    there = "SELECT 1 FROM conversations WHERE id = ? AND discarded IS NULL"
    return {
        one: frozenset(_ledger(connection, one))
        for one in ids
        if connection.execute(there, (one,)).fetchone() is not None
    }


def coming_pictures(connection: sqlite3.Connection, past: Past) -> set[str]:
    """The digests of those that `put_past` would bring: what shows them isn't known yet."""
    new = past.found.messages
    if past.id in read_known(connection, [past.id]):
        taken = _taken(connection, past.id)
        new = [one for one in new if mark(one.id) not in taken]
    return {block.digest for one in new for block in one.blocks if isinstance(block, Image)}


def put_past(connection: sqlite3.Connection, insert: Insert, past: Past, of: str) -> list[str]:
    """Write what isn't known yet; the ids of those messages, which are remembered as those of the
    import `of`. Inside a transaction.
    """
    _make_room(connection, past.id)
    ids = _put_new(connection, insert, past)
    came.add(connection, of, past.id, ids)
    return ids


def _put_new(connection: sqlite3.Connection, insert: Insert, past: Past) -> list[str]:
    known = _ledger(connection, past.id)
    here = _ids(connection, past.id)
    taken = _taken(connection, past.id)
    new = [one for one in past.found.messages if mark(one.id) not in taken]
    row = connection.execute("SELECT 1 FROM conversations WHERE id = ?", (past.id,)).fetchone()
    if not new:
        return []
    if row is None:
        _put_conversation(connection, past)
    shown = branches.end_of(connection, past.id)
    nodes = {node.id: node for node in past.found.nodes}
    for message in new:
        insert(past.id, message, _parent(nodes, message.id, here))
        here.add(message.id)
    ids = [one.id for one in new]
    connection.executemany(
        "UPDATE messages SET chosen = ? WHERE id = ?",
        [(int(row is None and nodes[one].chosen), one) for one in ids],
    )
    branches.mend_rows(connection, past.id)
    if row is not None and past.current in ids and (not shown or mark(shown) in taken & set(known)):
        branches.show(connection, past.id, past.current)
    _keep(connection, past.id, [*known, *map(mark, ids)])
    return ids


def remove_past(
    connection: sqlite3.Connection, taken: Mapping[str, Sequence[str]], of: str
) -> list[str]:
    """Delete these messages of these conversations; the ids of all that is gone. Of the import `of`
    only the pictures that nothing shows now are remembered: they go after that. Inside a
    transaction.
    """
    came.drop(connection, of)
    had = shown_pictures(connection)
    gone = _remove(connection, taken)
    came.expect(connection, of, "", sorted(had - shown_pictures(connection) if had else had))
    return gone


def _remove(connection: sqlite3.Connection, taken: Mapping[str, Sequence[str]]) -> list[str]:
    gone: list[str] = []
    for conversation, ids in taken.items():
        here = _ids(connection, conversation)
        named = [one for one in ids if one in here]
        gone += named
        branches.drop_summaries(connection, named)
        if here <= set(named):
            connection.execute("DELETE FROM conversations WHERE id = ?", (conversation,))
            connection.executemany(
                "DELETE FROM state WHERE key = ?",
                [(f"{kind}:{conversation}",) for kind in ("draft", "summary", LEDGER)],
            )
            came.forget(connection, [conversation])
            gone.append(conversation)
            continue
        connection.executemany("DELETE FROM messages WHERE id = ?", [(one,) for one in named])
        branches.mend_rows(connection, conversation)
        away = {mark(one) for one in ids}
        left = [one for one in _ledger(connection, conversation) if one not in away]
        _keep(connection, conversation, left)
    return gone


def _make_room(connection: sqlite3.Connection, conversation: str) -> None:
    """One that was thrown away, and could still be brought back, gives way."""
    connection.execute(
        "DELETE FROM conversations WHERE id = ? AND discarded IS NOT NULL", (conversation,)
    )
    there = "SELECT 1 FROM conversations WHERE id = ?"
    if connection.execute(there, (conversation,)).fetchone() is None:
        _keep(connection, conversation, [])
        came.forget(connection, [conversation])


def _put_conversation(connection: sqlite3.Connection, past: Past) -> None:
    found = past.found
    connection.execute(
        "INSERT INTO conversations (id, title, created, updated, folder, pinned, archived) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            *(past.id, to_column(found.title), past.created, past.updated),
            *(to_column(found.folder), int(found.pinned), int(found.archived)),
        ),
    )


def _parent(nodes: Mapping[str, Node], message_id: str, here: set[str]) -> str:
    """What it follows of what is here."""
    parent = nodes[message_id].parent
    while parent and parent not in here:
        parent = nodes[parent].parent if parent in nodes else ""
    return parent


def _ids(connection: sqlite3.Connection, conversation: str) -> set[str]:
    query = "SELECT id FROM messages WHERE conversation = ?"
    return {one for (one,) in connection.execute(query, (conversation,))}


def _taken(connection: sqlite3.Connection, conversation: str) -> set[str]:
    """The marks of what came or stands there."""
    here = (mark(one) for one in _ids(connection, conversation))
    return {*_ledger(connection, conversation), *here}


def _ledger(connection: sqlite3.Connection, conversation: str) -> list[str]:
    query = "SELECT value FROM state WHERE key = ?"
    row = connection.execute(query, (f"{LEDGER}:{conversation}",)).fetchone()
    try:
        return [str(one) for one in json.loads(from_column(row[0]))] if row else []
    except (ValueError, TypeError):
        return []


def _keep(connection: sqlite3.Connection, conversation: str, marks: Sequence[str]) -> None:
    key = f"{LEDGER}:{conversation}"
    connection.execute("DELETE FROM state WHERE key = ?", (key,))
    if marks:
        connection.execute("INSERT INTO state VALUES (?, ?)", (key, to_column(json.dumps(marks))))
