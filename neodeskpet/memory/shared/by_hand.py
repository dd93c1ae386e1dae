"""What the person did by hand with items of the memory ↔ records. All on a connection, inside the
caller's transaction.

A pin and a correction are two records of one item: who pins on one computer and corrects on another
has both. With their message the server takes them out (`schema.BURY`).
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field, replace
from typing import Any

from neodeskpet.memory.recall import by_hand, index
from neodeskpet.memory.recall.by_hand import UserEdit
from neodeskpet.memory.shared.ledger import decode_value, encode_value
from neodeskpet.memory.shared.record import RecordVersion, SyncRecord

USER_EDIT_RECORDS = (
    ("pin", "SELECT item AS id, time AS at FROM by_hand WHERE pinned = 1 AND message <> ''"),
    (
        "correction",
        "SELECT item AS id, time AS at FROM by_hand WHERE corrected <> '' AND message <> ''",
    ),
)
"""By their kinds the ids, and when each was last written (unix seconds)."""


@dataclass(slots=True)
class ManualEdits:
    """What others' records did: `items` are those with which something else was done, `removed`
    those of which words are to be nowhere any more; `missed` the messages of such items that
    aren't here, though the message was looked at.
    """

    items: dict[str, None] = field(default_factory=dict)
    removed: dict[str, None] = field(default_factory=dict)
    missed: dict[str, None] = field(default_factory=dict)


def read_user_edit_record(
    connection: sqlite3.Connection, kind: str, one: str, version: RecordVersion
) -> SyncRecord:
    """The latest of this kind and id. What isn't pinned, or corrected, any more says so."""
    done = by_hand.read_edit(connection, one)
    home = [done.message, done.conversation]
    value: object = None
    if kind == "pin" and done.pinned:
        value = [*home, True]
    elif kind == "correction" and done.correction:
        value = [*home, done.original, done.correction]
    return SyncRecord(kind, one, done.conversation, version, encode_value(value))


def apply_user_edit(
    connection: sqlite3.Connection, record: SyncRecord, hands: ManualEdits, *, trusted: bool = False
) -> None:
    """Write what another computer said, also of an item that isn't here yet. Of what was forgotten
    here nothing is taken in: it goes on the server too. Unless it is `trusted`, a correction that
    was not here before counts as untrusted. Raises ValueError, TypeError.
    """
    told = None if record.version.deleted else decode_value(record.value)
    before = by_hand.read_edit(connection, record.id)
    now = _edit_after(record.kind, before, told)
    if record.kind == "correction":
        known = now.correction == before.correction
        now = replace(
            now, synced=bool(now.correction) and (before.synced if known else not trusted)
        )
    if now == before or (
        told is not None and _is_item_forgotten(connection, record.id, now.message)
    ):
        return
    by_hand.put_edit(connection, record.id, now)
    here = index.reindex_item(connection, record.id)
    hands.items[record.id] = None
    if before.correction and before.correction != now.correction:
        hands.removed[record.id] = None
    if not here and _mark_unseen(connection, now.message):
        hands.missed[now.message] = None


def _edit_after(kind: str, before: UserEdit, told: Any) -> UserEdit:
    if kind == "pin":
        if told is None:
            return replace(before, pinned=False)
        message, conversation, pinned = told
        home = replace(before, message=str(message), conversation=str(conversation))
        return replace(home, pinned=bool(pinned))
    if told is None:
        return replace(before, original="", correction="")
    message, conversation, said, corrected = told
    home = replace(before, message=str(message), conversation=str(conversation))
    return replace(home, original=str(said), correction=str(corrected))


def _is_item_forgotten(connection: sqlite3.Connection, item: str, message: str) -> bool:
    query = "SELECT 1 FROM forgotten WHERE id IN (?, ?)"
    return connection.execute(query, (item, message)).fetchone() is not None


def _mark_unseen(connection: sqlite3.Connection, message: str) -> bool:
    """Whether it was looked at: that counts no more."""
    return connection.execute("DELETE FROM seen WHERE message = ?", (message,)).rowcount > 0
