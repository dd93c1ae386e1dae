"""Reads the last conversation before the store is open: the chat window is painted while
the rest of the app loads. It only reads, and gives up where the store would have to migrate or
repair the file first.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from neodeskpet.core.blocks import Message, MessageHead
from neodeskpet.storage.conversation_migrations import MIGRATIONS
from neodeskpet.storage.database_schema import decode_lenient, from_column
from neodeskpet.storage.message_rows import read_conversations, read_heads, read_messages

GUESTS_KEY = "guests"
"""The state key with the conversations of further companions (`characters.companion_store`)."""
_BUSY_SECONDS = 0.2
_NEWEST = 30
"""Messages that are read with their blocks: a tall window shows no more of short ones."""


@dataclass(frozen=True, slots=True)
class ConversationPreview:
    """The last conversation of the first companion; `newest` are its last messages. `state` has the
    stored values of the requested keys.
    """

    conversation_id: str
    heads: Sequence[MessageHead]
    newest: Sequence[Message]
    state: dict[str, str]


def read_preview(file: Path, keys: Sequence[str]) -> ConversationPreview | None:
    """Read the preview from the database `file`, with the state of `keys`; None if there is no
    conversation or the file can't be read as it is. Blocks for some milliseconds.
    """
    if not file.is_file():
        return None
    try:
        with closing(_connect(file)) as connection:
            return _read(connection, keys)
    except (sqlite3.Error, ValueError):
        return None  # the store reports what is wrong with the file


def read_previewed_messages(file: Path, ids: Sequence[str]) -> list[Message]:
    """Read these messages; an empty list if they can't be read. Blocks."""
    try:
        with closing(_connect(file)) as connection:
            return read_messages(connection, ids)
    except (sqlite3.Error, ValueError):
        return []


def _connect(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=_BUSY_SECONDS, isolation_level=None)
    connection.text_factory = decode_lenient
    connection.execute("PRAGMA query_only = ON")
    return connection


def _read(connection: sqlite3.Connection, keys: Sequence[str]) -> ConversationPreview | None:
    applied = [row[0] for row in connection.execute("SELECT name FROM migrations")]
    if set(applied) != set(MIGRATIONS):
        return None
    state = {
        key: from_column(value)
        for key, value in connection.execute(
            f"SELECT key, value FROM state WHERE key IN ({', '.join('?' * (len(keys) + 1))})",
            (*keys, GUESTS_KEY),
        )
    }
    guests = state.pop(GUESTS_KEY, "")
    own = [
        info
        for info in read_conversations(connection)
        if not info.archived and info.id not in guests
    ]
    newest = max(own, key=lambda info: info.updated, default=None)
    if newest is None:
        return None
    heads = read_heads(connection, newest.id)
    messages = read_messages(connection, [head.id for head in heads[-_NEWEST:]])
    return ConversationPreview(newest.id, heads, messages, state)
