"""Converts rows of conversations to records and back. All functions use the caller's connection and
transaction.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from neodeskpet.core.blocks import LATEST_TIME, MessageState, ToolUse
from neodeskpet.storage import sync_log
from neodeskpet.storage.conversation_store import put_character_apart
from neodeskpet.storage.database_schema import from_column, to_column
from neodeskpet.storage.message_tree import STATE_DELETED
from neodeskpet.storage.picture_folder import picture_digests
from neodeskpet.storage.sync_log import (
    APART_KIND,
    CONVERSATION_FIELDS,
    RUNNING_VALUE,
    RecordVersion,
    SyncRecord,
    decode_value,
    encode_value,
)
from neodeskpet.storage.visible_messages import delete_rows
from neodeskpet.sync.tree_merge import ExistingMessage, merge_tree

_MESSAGE_COLUMNS = (
    "conversation, role, state, created, ended, usage, rounds, model, paused, touched"
)


@dataclass(slots=True)
class AppliedChanges:
    """The effects of applied records: `changed` and `deleted` are ids of messages, `conversations`
    are deleted conversations, `rebuilt` are conversations whose tree must be made again.
    """

    changed: dict[str, None] = field(default_factory=dict)
    deleted: dict[str, None] = field(default_factory=dict)
    conversations: dict[str, None] = field(default_factory=dict)
    rebuilt: dict[str, None] = field(default_factory=dict)
    count: int = 0

    def add(self, other: AppliedChanges) -> None:
        self.changed |= other.changed
        self.deleted |= other.deleted
        self.conversations |= other.conversations
        self.rebuilt |= other.rebuilt
        self.count += other.count


# Start of sync


def start(connection: sqlite3.Connection, device: str) -> None:
    """Start sync on this computer: all rows are to be sent."""
    sync_log.start_logging(connection, device)
    for kind in ("conversation", *CONVERSATION_FIELDS):
        chosen = " WHERE character IS NOT NULL" if kind == "character" else ""
        sync_log.log_all(connection, kind, f"SELECT id, updated AS at FROM conversations{chosen}")
    sync_log.log_all(connection, APART_KIND, "SELECT character AS id, 0 AS at FROM apart")
    for kind in ("message", "place"):
        sync_log.log_all(connection, kind, "SELECT id, touched AS at FROM messages")
    place = "coalesce(nullif(parent, ''), conversation) AS id"
    chosen = f"SELECT {place}, touched AS at FROM messages WHERE chosen = 1 AND replaced <> 2"
    sync_log.log_all(connection, "choice", chosen)


# Sending


def collect_pending(
    connection: sqlite3.Connection, most: int = sync_log.MAX_RECORDS
) -> list[SyncRecord]:
    """Return the first records to send. Running replies, and conversations in which a deletion can
    still be undone, are sent later.
    """
    held = frozenset(one for (one,) in connection.execute(_HELD_CONVERSATIONS))
    return sync_log.collect_pending(connection, read_record, held, most)


_HELD_CONVERSATIONS = (
    "SELECT DISTINCT conversation FROM messages INDEXED BY deleted_messages WHERE replaced = 2 "
    "UNION SELECT id FROM conversations WHERE discarded IS NOT NULL"
)


def read_record(
    connection: sqlite3.Connection, kind: str, one: str, version: RecordVersion, value: str | None
) -> SyncRecord | None:
    """Return the current record; None if there is nothing to send."""
    if kind == "message":
        return _message_record(connection, one, version)
    if kind == "place":
        return _place_record(connection, one, version, value)
    if kind == "choice":
        return _choice_record(connection, one, version, value)
    if kind == APART_KIND:
        row = connection.execute("SELECT apart FROM apart WHERE character = ?", (one,)).fetchone()
        return (
            None if row is None else SyncRecord(kind, one, "", version, encode_value(bool(row[0])))
        )
    return _conversation_record(connection, kind, one, version)


def _conversation_record(
    connection: sqlite3.Connection, kind: str, one: str, version: RecordVersion
) -> SyncRecord | None:
    names = "created, updated" if kind == "conversation" else kind
    row = connection.execute(f"SELECT {names} FROM conversations WHERE id = ?", (one,)).fetchone()
    if row is None or None in row:
        return None
    plain = [from_column(value) if isinstance(value, bytes) else value for value in row]
    return SyncRecord(kind, one, one, version, encode_value(plain))


def _message_record(
    connection: sqlite3.Connection, one: str, version: RecordVersion
) -> SyncRecord | None:
    row = connection.execute(
        f"SELECT number, {_MESSAGE_COLUMNS} FROM messages WHERE id = ?", (one,)
    ).fetchone()
    if row is None:
        return None
    number, *head = row
    if head[2] == MessageState.RUNNING:
        return SyncRecord("message", one, head[0], version, RUNNING_VALUE)
    blocks = []
    pictures: set[str] = set()
    for position, kind, chars, fields, body in connection.execute(
        "SELECT position, kind, chars, fields, body FROM blocks WHERE message = ? "
        "ORDER BY position",
        (number,),
    ).fetchall():
        grown = connection.execute(
            "SELECT text FROM segments WHERE message = ? AND position = ? ORDER BY number",
            (number, position),
        )
        fields = _shared_fields(kind, from_column(fields))
        text = from_column(body) + "".join(from_column(piece) for (piece,) in grown)
        blocks.append([position, kind, chars, fields, text])
        pictures.update(picture_digests(fields))
    head = [from_column(value) if isinstance(value, bytes) else value for value in head]
    return SyncRecord(
        "message", one, head[0], version, encode_value([head, blocks]), frozenset(pictures)
    )


def _shared_fields(kind: str, fields: str) -> str:
    """Return a block's fields without the parts that concern one computer: the number of a
    background task, and undo data. Raises ValueError.
    """
    if kind != ToolUse.kind or not ('"task"' in fields or '"undo"' in fields):
        return fields
    named = json.loads(fields)
    data = named.get("data")
    if isinstance(data, dict) and "undo" in data:
        named["data"] = {name: value for name, value in data.items() if name != "undo"}
    if named.get("task"):
        named["task"] = ""
    return json.dumps(named, ensure_ascii=False)


def _place_record(
    connection: sqlite3.Connection, one: str, version: RecordVersion, value: str | None
) -> SyncRecord | None:
    row = connection.execute(
        "SELECT conversation, parent, state FROM messages WHERE id = ?", (one,)
    ).fetchone()
    if row is None:
        return None if value is None else SyncRecord("place", one, "", version, encode_value(value))
    if row[2] == MessageState.RUNNING:
        return SyncRecord("place", one, row[0], version, RUNNING_VALUE)
    return SyncRecord(
        "place", one, row[0], version, encode_value(row[1] if value is None else value)
    )


def _choice_record(
    connection: sqlite3.Connection, one: str, version: RecordVersion, value: str | None
) -> SyncRecord | None:
    """Return the record of a choice. Its value is "" if no message is left, because otherwise the
    server would keep the old value.
    """
    row = connection.execute("SELECT conversation FROM messages WHERE id = ?", (one,)).fetchone()
    at_top = row is None and _is_conversation(connection, one)
    if value is None and row is None and not at_top:
        return None
    conversation = str(row[0]) if row else one if at_top else ""
    chosen = (
        value if value is not None else _chosen_child(connection, conversation, one if row else "")
    )
    return SyncRecord("choice", one, conversation, version, encode_value(chosen))


def _is_conversation(connection: sqlite3.Connection, one: str) -> bool:
    query = "SELECT 1 FROM conversations WHERE id = ?"
    return connection.execute(query, (one,)).fetchone() is not None


def _chosen_child(connection: sqlite3.Connection, conversation: str, parent: str) -> str:
    row = connection.execute(
        "SELECT id FROM messages INDEXED BY chosen_messages "
        "WHERE conversation = ? AND parent = ? AND chosen = 1 "
        "AND replaced <> 2 ORDER BY number DESC LIMIT 1",
        (conversation, parent),
    ).fetchone()
    return "" if row is None else str(row[0])


# Receiving


def apply_records(
    connection: sqlite3.Connection,
    records: Sequence[SyncRecord],
    cursor: int,
    *,
    more: bool = False,
    trusted: bool = False,
) -> AppliedChanges:
    """Write records of other computers that are newer than the known state, and store the position
    up to which was read. While there is `more`, the tree of a conversation is made only after a
    batch without records of it: making it for each batch would take hours for a long one.
    """
    applied = AppliedChanges()

    def take(record: SyncRecord) -> str | None:
        return _apply_record(connection, record, applied, trusted=trusted)

    def fits(record: SyncRecord) -> bool:
        return _may_apply(connection, record)

    applied.count = sync_log.apply_records(connection, records, cursor, take, fits)
    for one in _trees_to_rebuild(connection, applied.rebuilt, more=more):
        if one not in applied.conversations:
            rebuild_tree(connection, one, applied)
    sync_log.resume_logging(connection)
    return applied


def _trees_to_rebuild(
    connection: sqlite3.Connection, grown: Iterable[str], *, more: bool
) -> list[str]:
    """Return the conversations whose tree is to be made now. The others are stored in the log, so
    that they are not lost in a crash.
    """
    query = "SELECT id FROM shared_known WHERE kind = ?"
    waiting = [one for (one,) in connection.execute(query, (sync_log.UNSETTLED_REASON,))]
    if not more:
        connection.execute("DELETE FROM shared_known WHERE kind = ?", (sync_log.UNSETTLED_REASON,))
        return [*dict.fromkeys([*waiting, *grown])]
    now = set(grown)
    due = [one for one in waiting if one not in now]
    connection.executemany(
        "DELETE FROM shared_known WHERE kind = ? AND id = ?",
        [(sync_log.UNSETTLED_REASON, one) for one in due],
    )
    connection.executemany(
        "INSERT OR IGNORE INTO shared_known (kind, id, stamp, device, gone) "
        "VALUES (?, ?, 0, '', 1)",
        [(sync_log.UNSETTLED_REASON, one) for one in now],
    )
    return due


def _may_apply(connection: sqlite3.Connection, record: SyncRecord) -> bool:
    """Return whether to apply a record: not in a deleted conversation, and not over a message that
    is being written on this computer, whose final state is sent later.
    """
    if record.kind == "message" and _is_running(connection, record.id):
        return record.version.deleted
    gone = record.conversation and sync_log.is_deleted(
        connection, "conversation", record.conversation
    )
    return not gone or (record.kind == "conversation" and record.version.deleted)


def _is_running(connection: sqlite3.Connection, message: str) -> bool:
    """Return whether the message is being written on this computer."""
    query = "SELECT 1 FROM messages WHERE id = ? AND state = 'running'"
    return connection.execute(query, (message,)).fetchone() is not None


def _apply_record(
    connection: sqlite3.Connection, record: SyncRecord, applied: AppliedChanges, *, trusted: bool
) -> str | None:
    """Write a record and return the value to store in the log."""
    if record.version.deleted:
        _delete(connection, record, applied)
    elif record.kind in ("place", "choice"):
        applied.rebuilt[record.conversation] = None
        return str(decode_value(record.value))
    elif record.kind == "message":
        _put_message(connection, record, applied, trusted=trusted)
    elif record.kind in ("conversation", *CONVERSATION_FIELDS):
        _put_conversation(connection, record, applied)
    elif record.kind == APART_KIND:
        apart = decode_value(record.value)
        if not isinstance(apart, bool):
            raise TypeError("true or false is expected")
        put_character_apart(connection, record.id, apart)
    return None


def _delete(connection: sqlite3.Connection, record: SyncRecord, applied: AppliedChanges) -> None:
    if record.kind == "conversation":
        query = "SELECT id FROM messages WHERE conversation = ?"
        applied.deleted |= dict.fromkeys(m for (m,) in connection.execute(query, (record.id,)))
        applied.conversations[record.id] = None
        connection.execute(
            "DELETE FROM shared_known WHERE id = ? "
            "AND kind IN ('title', 'pinned', 'archived', 'folder', 'character', 'choice')",
            (record.id,),
        )
    elif record.kind == "message":
        row = connection.execute(
            "SELECT conversation, parent FROM messages WHERE id = ?", (record.id,)
        ).fetchone()
        if row is None:
            return
        connection.execute(
            "UPDATE shared_known SET value = ? WHERE kind = 'place' AND id = ? AND value IS NULL",
            (row[1], record.id),
        )
        connection.execute(
            f"{_FIX_CHOICES} AND id IN (?2, ?3)", (row[0], row[1] or row[0], record.id)
        )
        applied.deleted[record.id] = None
        applied.rebuilt[row[0]] = None
    delete_rows(connection, [record.id])


def _put_conversation(
    connection: sqlite3.Connection, record: SyncRecord, applied: AppliedChanges
) -> None:
    _put_placeholder(connection, record.id)
    values = [
        value if isinstance(value, str) else _to_number(value)
        for value in decode_value(record.value)
    ]
    names = ("created", "updated") if record.kind == "conversation" else (record.kind,)
    if any(isinstance(value, str) is (record.kind in _NUMERIC_COLUMNS) for value in values):
        raise ValueError("it has a value of another type")
    if len(values) != len(names):
        raise ValueError("it has the wrong number of values")
    connection.execute(
        f"UPDATE conversations SET {', '.join(f'{name} = ?' for name in names)} WHERE id = ?",
        (*(_to_column_value(value) for value in values), record.id),
    )
    applied.rebuilt[record.id] = None


_NUMERIC_COLUMNS = ("conversation", "pinned", "archived")


def _to_number(value: Any) -> float:
    """Convert a time (unix seconds) or a number. Raises ValueError for impossible values."""
    number = float(value)
    if not 0 <= number <= LATEST_TIME:  # NaN fails too
        raise ValueError("a number is out of range")
    return number


def _to_integer(value: Any) -> int:
    """Convert to an integer. Raises ValueError."""
    return int(_to_number(value))


def _put_placeholder(connection: sqlite3.Connection, conversation: str) -> None:
    """Insert an empty conversation, because its own record may come after its messages."""
    connection.execute(
        "INSERT OR IGNORE INTO conversations (id, title, created, updated) VALUES (?, '', 0, 0)",
        (conversation,),
    )


def _put_message(
    connection: sqlite3.Connection, record: SyncRecord, applied: AppliedChanges, *, trusted: bool
) -> None:
    head, blocks = _message_columns(decode_value(record.value))
    conversation = str(head[0])
    _put_placeholder(connection, conversation)
    names = _MESSAGE_COLUMNS.split(", ")
    connection.execute(
        "INSERT INTO messages "
        f"(id, parent, chosen, replaced, synced, {_MESSAGE_COLUMNS}, chars, blocks) "
        f"VALUES (?, '', 0, 1, ?, {', '.join('?' for _ in names)}, ?, ?) "
        "ON CONFLICT (id) DO UPDATE SET chars = excluded.chars, blocks = excluded.blocks, "
        "synced = excluded.synced, " + ", ".join(f"{name} = excluded.{name}" for name in names),
        (
            record.id,
            int(not trusted),
            *(_to_column_value(one) for one in head),
            sum(b[2] for b in blocks),
            len(blocks),
        ),
    )
    query = "SELECT number FROM messages WHERE id = ?"
    (number,) = connection.execute(query, (record.id,)).fetchone()
    connection.execute("DELETE FROM blocks WHERE message = ?", (number,))
    connection.executemany(
        "INSERT INTO blocks (message, position, kind, chars, fields, body) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        [
            (number, at, kind, chars, _to_column_value(f), _to_column_value(b))
            for at, kind, chars, f, b in blocks
        ],
    )
    applied.changed[record.id] = None
    applied.rebuilt[conversation] = None


def _message_columns(value: Any) -> tuple[list[Any], list[tuple[int, str, int, str, str]]]:
    """Return the columns of a message and of its blocks. Raises ValueError and TypeError for
    impossible values.
    """
    (home, role, state, created, ended, usage, rounds, model, paused, touched), blocks = value
    if state == MessageState.RUNNING:
        state = MessageState.INTERRUPTED
    head = [
        str(home),
        str(role),
        str(state),
        _to_number(created),
        None if ended is None else _to_number(ended),
        None if usage is None else str(usage),
        _to_integer(rounds),
        str(model),
        _to_number(paused),
        _to_number(touched),
    ]
    return head, [
        (
            _to_integer(at),
            str(kind),
            _to_integer(chars),
            _shared_fields(kind, str(fields)),
            str(body),
        )
        for at, kind, chars, fields, body in blocks
    ]


def record_pictures(value: bytes) -> frozenset[str]:
    """Return the picture digests in a message's record; none if it can't be read."""
    try:
        _, blocks = decode_value(value)
        return frozenset(digest for block in blocks for digest in picture_digests(block[3]))
    except (ValueError, TypeError, LookupError):
        return frozenset()


def _to_column_value(value: Any) -> Any:
    return to_column(value) if isinstance(value, str) else value


# The tree


_FIX_CHOICES = """
    UPDATE shared_known SET value = coalesce((
        SELECT id FROM messages INDEXED BY chosen_messages WHERE conversation = ?1
        AND parent = CASE shared_known.id WHEN ?1 THEN '' ELSE shared_known.id END
        AND chosen = 1 AND replaced <> 2 ORDER BY number DESC LIMIT 1
    ), '')
    WHERE kind = 'choice' AND waits = 1 AND value IS NULL
"""
_FIX_PLACES = """
    UPDATE shared_known SET value = (SELECT parent FROM messages WHERE id = shared_known.id)
    WHERE kind = 'place' AND waits = 1 AND value IS NULL
    AND id IN (SELECT id FROM messages WHERE conversation = ? AND state <> 'running')
"""


def _fix_unsent(connection: sqlite3.Connection, conversation: str) -> None:
    """Store the values of places and choices that the server did not confirm yet. It may have them,
    so the same version must not get another value from the rows, which are about to change.
    """
    if connection.execute("SELECT 1 FROM shared_known WHERE waits = 1 LIMIT 1").fetchone():
        connection.execute(_FIX_PLACES, (conversation,))
        ids = "id IN (SELECT id FROM messages WHERE conversation = ?1 UNION SELECT ?1)"
        connection.execute(f"{_FIX_CHOICES} AND {ids}", (conversation,))


def rebuild_tree(
    connection: sqlite3.Connection, conversation: str, applied: AppliedChanges
) -> None:
    """Update the rows of a conversation to the tree that results from all its records."""
    _fix_unsent(connection, conversation)
    rows = connection.execute(
        "SELECT id, created, parent, chosen, replaced, number FROM messages "
        "WHERE conversation = ? ORDER BY number",
        (conversation,),
    ).fetchall()
    parents = {row[0]: row[2] or "" for row in rows}
    rows = [row for row in rows if row[4] != STATE_DELETED]
    choices = {row[2] or conversation: row[0] for row in rows if row[3]}
    parents |= _stored_records(connection, "place", _ancestors(connection, parents))
    choices |= _stored_records(connection, "choice", [conversation, *parents])
    nodes = merge_tree(
        (ExistingMessage(row[0], row[1]) for row in rows), parents, choices, conversation
    )
    shown: set[str] = set()
    path = ""
    for node in nodes:
        if node.chosen and node.parent == path:
            shown.add(node.id)
            path = node.id
    before = {row[0]: (row[2], row[3], row[4], row[5]) for row in rows}
    (top,) = connection.execute("SELECT coalesce(max(number), 0) FROM messages").fetchone()
    last = 0
    moved: list[tuple[int, int]] = []
    for node in nodes:
        parent, chosen, replaced, number = before[node.id]
        now = (node.parent, int(node.chosen), int(node.id not in shown))
        if now != (parent, chosen, replaced):
            connection.execute(
                "UPDATE messages SET parent = ?, chosen = ?, replaced = ? WHERE id = ?",
                (*now, node.id),
            )
        if now[2] != replaced:
            applied.changed[node.id] = None
        if number < last:
            top += 1
            moved.append((top, number))
            number = top
        last = number
    _renumber(connection, moved)


def _ancestors(connection: sqlite3.Connection, parents: Mapping[str, str]) -> Iterator[str]:
    """Yield the messages and their deleted ancestors."""
    yield from parents
    seen = set(parents)
    wanted = [*parents, *parents.values()]
    while wanted:
        one = wanted.pop()
        kept = _stored_records(connection, "place", [one]).get(one, "")
        if one not in seen:
            seen.add(one)
            yield one
        if kept and kept not in seen:
            wanted.append(kept)


def _stored_records(
    connection: sqlite3.Connection, kind: str, ids: Iterable[str]
) -> dict[str, str]:
    query = "SELECT value FROM shared_known WHERE kind = ? AND id = ? AND value IS NOT NULL"
    found = {}
    for one in ids:
        row = connection.execute(query, (kind, one)).fetchone()
        if row is not None:
            found[one] = str(row[0])
    return found


def _renumber(connection: sqlite3.Connection, moved: Iterable[tuple[int, int]]) -> None:
    """Give messages new numbers, so that each is higher than that of its parent."""
    moved = list(moved)
    if not moved:
        return
    connection.execute("PRAGMA defer_foreign_keys = ON")
    connection.executemany("UPDATE messages SET number = ? WHERE number = ?", moved)
    connection.executemany("UPDATE blocks SET message = ? WHERE message = ?", moved)
    connection.executemany("UPDATE segments SET message = ? WHERE message = ?", moved)
