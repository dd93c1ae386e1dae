"""The user's edits of items: pins and corrections. All functions run inside the caller's
transaction.

They are stored separately from the items, which are rebuilt from their messages and may arrive
later on another computer.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from neodeskpet.storage.database_schema import from_column, to_column

_NOW = "(julianday('now') - 2440587.5) * 86400"


@dataclass(frozen=True, slots=True)
class UserEdit:
    """An edit of an item of a message. `correction` is used instead of `original`, as long as the
    item has that text; "" for no correction. `synced`: the correction came unencrypted from the
    sync server, so others may have written it.
    """

    message: str = ""
    conversation: str = ""
    pinned: bool = False
    original: str = ""
    correction: str = ""
    synced: bool = False


def read_edit(connection: sqlite3.Connection, item: str) -> UserEdit:
    """Return the edit of an item; an empty one if there is no row."""
    row = connection.execute(
        "SELECT message, conversation, pinned, said, corrected, synced FROM by_hand WHERE item = ?",
        (to_column(item),),
    ).fetchone()
    if row is None:
        return UserEdit()
    message, conversation, pinned, said, corrected, synced = row
    return UserEdit(
        message,
        conversation,
        bool(pinned),
        from_column(said),
        from_column(corrected),
        bool(synced),
    )


def put_edit(connection: sqlite3.Connection, item: str, now: UserEdit) -> None:
    """Store the edit of an item."""
    if not now.pinned and not now.correction:
        delete_edits(connection, [item])
        return
    connection.execute(
        "INSERT INTO by_hand (item, message, conversation, pinned, said, corrected, synced, time) "
        f"VALUES (?, ?, ?, ?, ?, ?, ?, {_NOW}) ON CONFLICT (item) DO UPDATE SET "
        "message = excluded.message, conversation = excluded.conversation, "
        "pinned = excluded.pinned, said = excluded.said, corrected = excluded.corrected, "
        "synced = excluded.synced, time = excluded.time",
        (
            to_column(item),
            now.message,
            now.conversation,
            int(now.pinned),
            to_column(now.original if now.correction else ""),
            to_column(now.correction),
            int(bool(now.correction) and now.synced),
        ),
    )


def delete_edits(connection: sqlite3.Connection, items: Iterable[str]) -> None:
    """Delete the edits of these items."""
    connection.executemany(
        "DELETE FROM by_hand WHERE item = ?", [(to_column(one),) for one in items]
    )


def delete_edits_of_messages(connection: sqlite3.Connection, messages: Iterable[str]) -> None:
    """Delete the edits of all items of these messages."""
    connection.executemany(
        "DELETE FROM by_hand WHERE message = ? AND message <> ''", [(one,) for one in messages]
    )


def edited_items(connection: sqlite3.Connection, messages: Sequence[str]) -> set[str]:
    """Return the edited items of these messages."""
    query = "SELECT item FROM by_hand WHERE message = ?"
    return {from_column(item) for one in messages for (item,) in connection.execute(query, (one,))}
