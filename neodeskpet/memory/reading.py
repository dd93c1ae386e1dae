"""Queries: rows → conversations, heads and whole messages."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from neodeskpet.core.blocks import Block, Image, Message
from neodeskpet.core.records import ConversationInfo, MessageHead, ShownPath
from neodeskpet.database.columns import from_column
from neodeskpet.memory.pictures import read_descriptions
from neodeskpet.memory.rows import MESSAGE_COLUMNS, decode_block, decode_message

_BATCH = 500  # SQLite's old limit of variables in one query is 999


def read_conversations(connection: sqlite3.Connection) -> list[ConversationInfo]:
    """Pinned ones first, then the latest."""
    rows = connection.execute(
        "SELECT id, title, created, updated, pinned, archived, folder FROM conversations "
        "WHERE discarded IS NULL ORDER BY pinned DESC, updated DESC, rowid DESC"
    )
    return [
        ConversationInfo(
            *(row_id, from_column(title), created, updated),
            *(bool(pinned), bool(archived), from_column(folder)),
        )
        for row_id, title, created, updated, pinned, archived, folder in rows
    ]


def read_heads(
    connection: sqlite3.Connection, conversation_id: str, after: str = ""
) -> list[MessageHead]:
    """What is shown below the message `after` ("": all of it). The index holds all that is asked
    for: not one block is touched.
    """
    number = 0
    if after:
        row = connection.execute("SELECT number FROM messages WHERE id = ?", (after,)).fetchone()
        number = row[0] if row else 0
    shown = connection.execute(
        "SELECT id, role, chars, blocks, number FROM messages "
        "WHERE conversation = ? AND replaced = 0 AND number > ? ORDER BY number",
        (conversation_id, number),
    ).fetchall()
    others: defaultdict[str, list[int]] = defaultdict(list)
    for parent, own in connection.execute(
        "SELECT parent, number FROM messages "
        "WHERE conversation = ? AND replaced = 1 AND number > ?",
        (conversation_id, number),
    ):
        others[parent].append(own)
    heads: list[MessageHead] = []
    for message_id, role, chars, blocks, own in shown:
        beside = others.get(heads[-1].id if heads else after, ())
        version = 1 + sum(number < own for number in beside)
        heads.append(MessageHead(message_id, role, chars, blocks, version, len(beside) + 1))
    return heads


def read_path(connection: sqlite3.Connection, conversation_id: str, after: str) -> ShownPath:
    return ShownPath(after, read_heads(connection, conversation_id, after))


def read_path_to(connection: sqlite3.Connection, message_id: str, limit: int) -> list[Message]:
    """The last `limit` messages that lead to this one and it itself, oldest first, shown or not."""
    return _read_whole_messages(
        connection,
        "WHERE number IN (WITH RECURSIVE way (number, parent, room) AS ("
        "SELECT number, parent, ? FROM messages WHERE id = ? UNION ALL "
        "SELECT m.number, m.parent, room - 1 FROM messages AS m JOIN way ON m.id = way.parent "
        "WHERE room > 1) SELECT number FROM way) ORDER BY number",
        (limit, message_id),
    )


def read_messages(connection: sqlite3.Connection, ids: Sequence[str]) -> list[Message]:
    """In the order of `ids`; unknown ones are skipped."""
    found: dict[str, Message] = {}
    for start in range(0, len(ids), _BATCH):
        batch = ids[start : start + _BATCH]
        where = f"WHERE id IN ({', '.join('?' * len(batch))})"
        for message in _read_whole_messages(connection, where, batch):
            found[message.id] = message
    return [found[message_id] for message_id in ids if message_id in found]


def read_history(connection: sqlite3.Connection, conversation_id: str, limit: int) -> list[Message]:
    """The last `limit` messages that are shown, oldest first."""
    where = (
        "WHERE number IN (SELECT number FROM messages WHERE conversation = ? AND replaced = 0 "
        "ORDER BY number DESC LIMIT ?) ORDER BY number"
    )
    return _read_whole_messages(connection, where, (conversation_id, limit))


def _read_whole_messages(
    connection: sqlite3.Connection, where: str, values: Sequence[object]
) -> list[Message]:
    names = MESSAGE_COLUMNS.split(", ")
    query = f"SELECT {MESSAGE_COLUMNS} FROM messages {where}"
    rows: list[dict[str, Any]] = [
        dict(zip(names, row, strict=True)) for row in connection.execute(query, tuple(values))
    ]
    blocks = _read_blocks(connection, [row["number"] for row in rows])
    return [decode_message(row, tuple(blocks[row["number"]])) for row in rows]


def _read_blocks(
    connection: sqlite3.Connection, numbers: Sequence[int]
) -> defaultdict[int, list[Block]]:
    """The blocks of these messages in order, by the message's number."""
    blocks: defaultdict[int, list[Block]] = defaultdict(list)
    for start in range(0, len(numbers), _BATCH):
        batch = tuple(numbers[start : start + _BATCH])
        marks = ", ".join("?" * len(batch))
        grown: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
        for message, position, text in connection.execute(
            f"SELECT message, position, text FROM segments WHERE message IN ({marks}) "
            "ORDER BY number",
            batch,
        ):
            grown[message, position].append(from_column(text))
        for message, position, kind, fields, body in connection.execute(
            "SELECT message, position, kind, fields, body FROM blocks "
            f"WHERE message IN ({marks}) ORDER BY message, position",
            batch,
        ):
            whole = "".join((from_column(body), *grown[message, position]))
            blocks[message].append(decode_block(position, kind, fields, whole))
    _add_descriptions(connection, blocks)
    return blocks


def _add_descriptions(
    connection: sqlite3.Connection, blocks: defaultdict[int, list[Block]]
) -> None:
    """A picture's description is kept once, however many messages show it."""
    shown = {b.digest for row in blocks.values() for b in row if isinstance(b, Image)}
    known = read_descriptions(connection, sorted(shown)) if shown else {}
    for row in blocks.values() if known else ():
        for place, block in enumerate(row):
            if isinstance(block, Image) and block.digest in known:
                row[place] = replace(block, description=known[block.digest])
