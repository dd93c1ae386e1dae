"""A new conversation that begins with what was said in another."""

from __future__ import annotations

import sqlite3
import uuid

from neodeskpet.core.records import ConversationInfo
from neodeskpet.database.columns import to_column

_MESSAGE = (
    "role, state, created, ended, usage, rounds, model, paused, writer, touched, chars, blocks"
)
_BLOCK = "position, kind, chars, fields, body"


def copy_way(connection: sqlite3.Connection, message_id: str, made: ConversationInfo) -> bool:
    """Write the conversation `made` with copies of all that leads to this message, and of it
    itself. False when it isn't there. Inside a transaction.
    """
    way = _way(connection, message_id)
    if not way:
        return False
    connection.execute(
        "INSERT INTO conversations (id, title, created, updated) VALUES (?, ?, ?, ?)",
        (made.id, to_column(made.title), made.created, made.updated),
    )
    parent = ""
    for number in way:
        copy = str(uuid.uuid4())
        own = connection.execute(
            f"INSERT INTO messages (id, conversation, parent, {_MESSAGE}) "
            f"SELECT ?, ?, ?, {_MESSAGE} FROM messages WHERE number = ?",
            (copy, made.id, parent, number),
        ).lastrowid
        connection.execute(
            f"INSERT INTO blocks (message, {_BLOCK}) "
            f"SELECT ?, {_BLOCK} FROM blocks WHERE message = ?",
            (own, number),
        )
        connection.execute(
            "INSERT INTO segments (message, position, text) "
            "SELECT ?, position, text FROM segments WHERE message = ? ORDER BY number",
            (own, number),
        )
        parent = copy
    return True


def _way(connection: sqlite3.Connection, message_id: str) -> list[int]:
    """The numbers of what leads to a message, and its own."""
    found = connection.execute(
        "WITH RECURSIVE way (number, parent) AS ("
        "SELECT number, parent FROM messages WHERE id = ? AND replaced != 2 UNION ALL "
        "SELECT m.number, m.parent FROM messages AS m JOIN way ON m.id = way.parent) "
        "SELECT number FROM way ORDER BY number",
        (message_id,),
    )
    return [number for (number,) in found]
