"""A new conversation that begins with what was said in another."""

from __future__ import annotations

import sqlite3
import uuid

from neodeskpet.core.records import ConversationInfo
from neodeskpet.database.columns import to_column

_COPIED_MESSAGE_COLUMNS = (
    "role, state, created, ended, usage, rounds, model, paused, writer, touched, chars, blocks"
)
_COPIED_BLOCK_COLUMNS = "position, kind, chars, fields, body"


def copy_path(connection: sqlite3.Connection, message_id: str, made: ConversationInfo) -> bool:
    """Write the conversation `made` with copies of all that leads to this message, and of it
    itself. False when it isn't there. Inside a transaction.
    """
    way = _path_numbers(connection, message_id)
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
            f"INSERT INTO messages (id, conversation, parent, {_COPIED_MESSAGE_COLUMNS}) "
            f"SELECT ?, ?, ?, {_COPIED_MESSAGE_COLUMNS} FROM messages WHERE number = ?",
            (copy, made.id, parent, number),
        ).lastrowid
        connection.execute(
            f"INSERT INTO blocks (message, {_COPIED_BLOCK_COLUMNS}) "
            f"SELECT ?, {_COPIED_BLOCK_COLUMNS} FROM blocks WHERE message = ?",
            (own, number),
        )
        connection.execute(
            "INSERT INTO segments (message, position, text) "
            "SELECT ?, position, text FROM segments WHERE message = ? ORDER BY number",
            (own, number),
        )
        parent = copy
    return True


def _path_numbers(connection: sqlite3.Connection, message_id: str) -> list[int]:
    """The numbers of what leads to a message, and its own."""
    found = connection.execute(
        "WITH RECURSIVE way (number, parent) AS ("
        "SELECT number, parent FROM messages WHERE id = ? AND replaced != 2 UNION ALL "
        "SELECT m.number, m.parent FROM messages AS m JOIN way ON m.id = way.parent) "
        "SELECT number FROM way ORDER BY number",
        (message_id,),
    )
    return [number for (number,) in found]
