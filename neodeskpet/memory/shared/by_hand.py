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
from neodeskpet.memory.recall.by_hand import ByHand
from neodeskpet.memory.shared.ledger import read_value, written
from neodeskpet.memory.shared.record import Record, Version

ALL = (
    ("pin", "SELECT item AS id, time AS at FROM by_hand WHERE pinned = 1 AND message <> ''"),
    (
        "correction",
        "SELECT item AS id, time AS at FROM by_hand WHERE corrected <> '' AND message <> ''",
    ),
)
"""By their kinds the ids, and when each was last written (unix seconds)."""


@dataclass(slots=True)
class Hands:
    """What others' records did: `items` are those with which something else was done, `unsaid`
    those of which words are to be nowhere any more; `missed` the messages of such items that
    aren't here, though the message was looked at.
    """

    items: dict[str, None] = field(default_factory=dict)
    unsaid: dict[str, None] = field(default_factory=dict)
    missed: dict[str, None] = field(default_factory=dict)


def read_record(connection: sqlite3.Connection, kind: str, one: str, version: Version) -> Record:
    """The latest of this kind and id. What isn't pinned, or corrected, any more says so."""
    done = by_hand.read(connection, one)
    home = [done.message, done.conversation]
    value: object = None
    if kind == "pin" and done.pinned:
        value = [*home, True]
    elif kind == "correction" and done.corrected:
        value = [*home, done.said, done.corrected]
    return Record(kind, one, done.conversation, version, written(value))


def take(
    connection: sqlite3.Connection, record: Record, hands: Hands, *, trusted: bool = False
) -> None:
    """Write what another computer said, also of an item that isn't here yet. Of what was forgotten
    here nothing is taken in: it goes on the server too. Unless it is `trusted`, a correction that
    was not here before counts as untrusted. Raises ValueError, TypeError.
    """
    told = None if record.version.gone else read_value(record.value)
    before = by_hand.read(connection, record.id)
    now = _done(record.kind, before, told)
    if record.kind == "correction":
        known = now.corrected == before.corrected
        now = replace(now, synced=bool(now.corrected) and (before.synced if known else not trusted))
    if now == before or (told is not None and _is_forgotten(connection, record.id, now.message)):
        return
    by_hand.put(connection, record.id, now)
    here = index.put_again(connection, record.id)
    hands.items[record.id] = None
    if before.corrected and before.corrected != now.corrected:
        hands.unsaid[record.id] = None
    if not here and _look_again(connection, now.message):
        hands.missed[now.message] = None


def _done(kind: str, before: ByHand, told: Any) -> ByHand:
    if kind == "pin":
        if told is None:
            return replace(before, pinned=False)
        message, conversation, pinned = told
        home = replace(before, message=str(message), conversation=str(conversation))
        return replace(home, pinned=bool(pinned))
    if told is None:
        return replace(before, said="", corrected="")
    message, conversation, said, corrected = told
    home = replace(before, message=str(message), conversation=str(conversation))
    return replace(home, said=str(said), corrected=str(corrected))


def _is_forgotten(connection: sqlite3.Connection, item: str, message: str) -> bool:
    query = "SELECT 1 FROM forgotten WHERE id IN (?, ?)"
    return connection.execute(query, (item, message)).fetchone() is not None


def _look_again(connection: sqlite3.Connection, message: str) -> bool:
    """Whether it was looked at: that counts no more."""
    return connection.execute("DELETE FROM seen WHERE message = ?", (message,)).rowcount > 0
