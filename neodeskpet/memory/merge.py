"""Conversations of one database put into another that took its place."""

from __future__ import annotations

import sqlite3

from neodeskpet.memory.branches import mend_rows

_MESSAGE = (
    "id, conversation, role, state, created, ended, usage, rounds, model, paused, replaced, "
    "writer, touched, chars, blocks, parent, chosen"
)

_SPENT = "at, conversation, purpose, model, input, output, cached, seconds, cost, currency"
_TASK = "conversation, state, told, writer, begun, kind, fields, body"


def merge(ours: sqlite3.Connection, theirs: sqlite3.Connection) -> int:
    """Add to `theirs`, inside its transaction, what only `ours` has; of messages that both have,
    the one written last stands. How many messages were put in.
    """
    listed = "id, title, created, updated, pinned, archived, folder, discarded, character"
    _copy(ours, theirs, "conversations", listed)
    _copy(ours, theirs, "apart", "character, apart")
    drawn = "conversation, position, digest, media_type, name, quoted"
    _copy(ours, theirs, "draft_pictures", drawn)
    _copy(ours, theirs, "descriptions", "digest, text, created")
    _copy(ours, theirs, "state", "key, value")
    _copy_tasks(ours, theirs)
    _copy_spending(ours, theirs)
    there = dict(theirs.execute("SELECT id, touched FROM messages").fetchall())
    count = 0
    grown = set()
    for number, message_id, conversation, touched in ours.execute(
        "SELECT number, id, conversation, touched FROM messages ORDER BY number"
    ).fetchall():
        if message_id not in there or there[message_id] < touched:
            _put_message(ours, theirs, number, message_id)
            grown.add(conversation)
            count += 1
    for conversation in grown:  # both may have gone on from the same message
        mend_rows(theirs, conversation)
    return count


def _copy(ours: sqlite3.Connection, theirs: sqlite3.Connection, table: str, names: str) -> None:
    marks = _marks(names)
    theirs.executemany(
        f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})",
        ours.execute(f"SELECT {names} FROM {table}"),
    )


def _copy_tasks(ours: sqlite3.Connection, theirs: sqlite3.Connection) -> None:
    """Under their numbers, which messages name, where those are free."""
    for number, *rest in ours.execute(f"SELECT number, {_TASK} FROM tasks").fetchall():
        known = "SELECT 1 FROM tasks WHERE conversation = ? AND begun = ?"
        if theirs.execute(known, (rest[0], rest[4])).fetchone() is not None:
            continue
        taken = theirs.execute("SELECT 1 FROM tasks WHERE number = ?", (number,)).fetchone()
        theirs.execute(
            f"INSERT INTO tasks (number, {_TASK}) VALUES ({_marks(f'number, {_TASK}')})",
            (None if taken else number, *rest),
        )


def _copy_spending(ours: sqlite3.Connection, theirs: sqlite3.Connection) -> None:
    """A request is another where its moment is, or what it was for."""
    same = "at = ? AND conversation = ? AND purpose = ?"
    for row in ours.execute(f"SELECT {_SPENT} FROM spending ORDER BY number").fetchall():
        if theirs.execute(f"SELECT 1 FROM spending WHERE {same}", row[:3]).fetchone() is None:
            theirs.execute(f"INSERT INTO spending ({_SPENT}) VALUES ({_marks(_SPENT)})", row)


def _put_message(
    ours: sqlite3.Connection, theirs: sqlite3.Connection, number: int, message_id: str
) -> None:
    row = ours.execute(f"SELECT {_MESSAGE} FROM messages WHERE number = ?", (number,)).fetchone()
    place = theirs.execute("SELECT number FROM messages WHERE id = ?", (message_id,)).fetchone()
    theirs.execute("DELETE FROM messages WHERE id = ?", (message_id,))
    names = f"number, {_MESSAGE}"
    cursor = theirs.execute(
        f"INSERT INTO messages ({names}) VALUES ({_marks(names)})",
        (place[0] if place else None, *row),
    )
    for table, rest in (
        ("blocks", "position, kind, chars, fields, body"),
        ("segments", "position, text"),
    ):
        order = "number" if table == "segments" else "position"
        theirs.executemany(
            f"INSERT INTO {table} (message, {rest}) VALUES ({_marks('message, ' + rest)})",
            [
                (cursor.lastrowid, *values)
                for values in ours.execute(
                    f"SELECT {rest} FROM {table} WHERE message = ? ORDER BY {order}", (number,)
                )
            ],
        )


def _marks(names: str) -> str:
    return ", ".join("?" for _ in names.split(", "))
