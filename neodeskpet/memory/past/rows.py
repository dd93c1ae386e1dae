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
from neodeskpet.core.records import MessageNode
from neodeskpet.database.columns import from_column, to_column
from neodeskpet.memory import branches
from neodeskpet.memory.importing import ImportedConversation
from neodeskpet.memory.past import came
from neodeskpet.memory.pictures import shown_pictures

IMPORTED_MARKS_KEY = "past"
"""The key of what was taken into a conversation, before its id."""
_MARK_CHARS = 13

InsertMessage = Callable[[str, Message, str], None]
"""Puts a message into a conversation, behind another."""


@dataclass(frozen=True, slots=True)
class ForeignConversation:
    """`found` with ids of its own; `current` is the message that was shown last. Times are unix
    seconds.
    """

    id: str
    content: ImportedConversation
    created: float
    updated: float
    current: str = ""


def message_mark(message_id: str) -> str:
    """What a message is known again by."""
    return message_id[:_MARK_CHARS]


def read_known_marks(
    connection: sqlite3.Connection, ids: Iterable[str]
) -> dict[str, frozenset[str]]:
    there = "SELECT 1 FROM conversations WHERE id = ? AND discarded IS NULL"
    return {
        one: frozenset(_read_marks(connection, one))
        for one in ids
        if connection.execute(there, (one,)).fetchone() is not None
    }


def new_pictures(connection: sqlite3.Connection, past: ForeignConversation) -> set[str]:
    """The digests of those that `put_imported` would bring: what shows them isn't known yet."""
    new = past.content.messages
    if past.id in read_known_marks(connection, [past.id]):
        taken = _known_marks(connection, past.id)
        new = [one for one in new if message_mark(one.id) not in taken]
    return {block.digest for one in new for block in one.blocks if isinstance(block, Image)}


def put_imported(
    connection: sqlite3.Connection, insert: InsertMessage, past: ForeignConversation, of: str
) -> list[str]:
    """Write what isn't known yet; the ids of those messages, which are remembered as those of the
    import `of`. Inside a transaction.
    """
    _replace_discarded(connection, past.id)
    ids = _put_new_messages(connection, insert, past)
    came.add_imported_messages(connection, of, past.id, ids)
    return ids


def _put_new_messages(
    connection: sqlite3.Connection, insert: InsertMessage, past: ForeignConversation
) -> list[str]:
    known = _read_marks(connection, past.id)
    here = _message_ids(connection, past.id)
    taken = _known_marks(connection, past.id)
    new = [one for one in past.content.messages if message_mark(one.id) not in taken]
    row = connection.execute("SELECT 1 FROM conversations WHERE id = ?", (past.id,)).fetchone()
    if not new:
        return []
    if row is None:
        _put_conversation(connection, past)
    shown = branches.last_shown_message(connection, past.id)
    nodes = {node.id: node for node in past.content.nodes}
    for message in new:
        insert(past.id, message, _existing_parent(nodes, message.id, here))
        here.add(message.id)
    ids = [one.id for one in new]
    connection.executemany(
        "UPDATE messages SET chosen = ? WHERE id = ?",
        [(int(row is None and nodes[one].chosen), one) for one in ids],
    )
    branches.repair_tree(connection, past.id)
    if (
        row is not None
        and past.current in ids
        and (not shown or message_mark(shown) in taken & set(known))
    ):
        branches.show_message(connection, past.id, past.current)
    _put_marks(connection, past.id, [*known, *map(message_mark, ids)])
    return ids


def remove_imported(
    connection: sqlite3.Connection, taken: Mapping[str, Sequence[str]], of: str
) -> list[str]:
    """Delete these messages of these conversations; the ids of all that is gone. Of the import `of`
    only the pictures that nothing shows now are remembered: they go after that. Inside a
    transaction.
    """
    came.delete_import(connection, of)
    had = shown_pictures(connection)
    gone = _remove_messages(connection, taken)
    came.expect_pictures(
        connection, of, "", sorted(had - shown_pictures(connection) if had else had)
    )
    return gone


def _remove_messages(
    connection: sqlite3.Connection, taken: Mapping[str, Sequence[str]]
) -> list[str]:
    gone: list[str] = []
    for conversation, ids in taken.items():
        here = _message_ids(connection, conversation)
        named = [one for one in ids if one in here]
        gone += named
        branches.delete_summaries(connection, named)
        if here <= set(named):
            connection.execute("DELETE FROM conversations WHERE id = ?", (conversation,))
            connection.executemany(
                "DELETE FROM state WHERE key = ?",
                [(f"{kind}:{conversation}",) for kind in ("draft", "summary", IMPORTED_MARKS_KEY)],
            )
            came.forget_imported_conversations(connection, [conversation])
            gone.append(conversation)
            continue
        connection.executemany("DELETE FROM messages WHERE id = ?", [(one,) for one in named])
        branches.repair_tree(connection, conversation)
        away = {message_mark(one) for one in ids}
        left = [one for one in _read_marks(connection, conversation) if one not in away]
        _put_marks(connection, conversation, left)
    return gone


def _replace_discarded(connection: sqlite3.Connection, conversation: str) -> None:
    """One that was thrown away, and could still be brought back, gives way."""
    connection.execute(
        "DELETE FROM conversations WHERE id = ? AND discarded IS NOT NULL", (conversation,)
    )
    there = "SELECT 1 FROM conversations WHERE id = ?"
    if connection.execute(there, (conversation,)).fetchone() is None:
        _put_marks(connection, conversation, [])
        came.forget_imported_conversations(connection, [conversation])


def _put_conversation(connection: sqlite3.Connection, past: ForeignConversation) -> None:
    found = past.content
    connection.execute(
        "INSERT INTO conversations (id, title, created, updated, folder, pinned, archived) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            *(past.id, to_column(found.title), past.created, past.updated),
            *(to_column(found.folder), int(found.pinned), int(found.archived)),
        ),
    )


def _existing_parent(nodes: Mapping[str, MessageNode], message_id: str, here: set[str]) -> str:
    """What it follows of what is here."""
    parent = nodes[message_id].parent
    while parent and parent not in here:
        parent = nodes[parent].parent if parent in nodes else ""
    return parent


def _message_ids(connection: sqlite3.Connection, conversation: str) -> set[str]:
    query = "SELECT id FROM messages WHERE conversation = ?"
    return {one for (one,) in connection.execute(query, (conversation,))}


def _known_marks(connection: sqlite3.Connection, conversation: str) -> set[str]:
    """The marks of what came or stands there."""
    here = (message_mark(one) for one in _message_ids(connection, conversation))
    return {*_read_marks(connection, conversation), *here}


def _read_marks(connection: sqlite3.Connection, conversation: str) -> list[str]:
    query = "SELECT value FROM state WHERE key = ?"
    row = connection.execute(query, (f"{IMPORTED_MARKS_KEY}:{conversation}",)).fetchone()
    try:
        return [str(one) for one in json.loads(from_column(row[0]))] if row else []
    except (ValueError, TypeError):
        return []


def _put_marks(connection: sqlite3.Connection, conversation: str, marks: Sequence[str]) -> None:
    key = f"{IMPORTED_MARKS_KEY}:{conversation}"
    connection.execute("DELETE FROM state WHERE key = ?", (key,))
    if marks:
        connection.execute("INSERT INTO state VALUES (?, ?)", (key, to_column(json.dumps(marks))))
