"""Conversations of one database put into another that took its place."""

from __future__ import annotations

import sqlite3

from neodeskpet.memory.branches import repair_tree

_MERGED_MESSAGE_COLUMNS = (
    "id, conversation, role, state, created, ended, usage, rounds, model, paused, replaced, "
    "writer, touched, chars, blocks, parent, chosen"
)

_SPENDING_COLUMNS = (
    "at, conversation, purpose, model, input, output, cached, seconds, cost, currency"
)
_TASK_COLUMNS = "conversation, state, told, writer, begun, kind, fields, body"


def merge_conversations(ours: sqlite3.Connection, theirs: sqlite3.Connection) -> int:
    """Add to `theirs`, inside its transaction, what only `ours` has; of messages that both have,
    the one written last stands. How many messages were put in.
    """
    listed = "id, title, created, updated, pinned, archived, folder, discarded, character"
    _copy_rows(ours, theirs, "conversations", listed)
    _copy_rows(ours, theirs, "apart", "character, apart")
    drawn = "conversation, position, digest, media_type, name, quoted"
    _copy_rows(ours, theirs, "draft_pictures", drawn)
    _copy_rows(ours, theirs, "descriptions", "digest, text, created")
    _copy_rows(ours, theirs, "state", "key, value")
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
        repair_tree(theirs, conversation)
    return count


def _copy_rows(
    ours: sqlite3.Connection, theirs: sqlite3.Connection, table: str, names: str
) -> None:
    marks = _placeholders(names)
    theirs.executemany(
        f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})",
        ours.execute(f"SELECT {names} FROM {table}"),
    )


def _copy_tasks(ours: sqlite3.Connection, theirs: sqlite3.Connection) -> None:
    """Under their numbers, which messages name, where those are free."""
    for number, *rest in ours.execute(f"SELECT number, {_TASK_COLUMNS} FROM tasks").fetchall():
        known = "SELECT 1 FROM tasks WHERE conversation = ? AND begun = ?"
        if theirs.execute(known, (rest[0], rest[4])).fetchone() is not None:
            continue
        taken = theirs.execute("SELECT 1 FROM tasks WHERE number = ?", (number,)).fetchone()
        theirs.execute(
            f"INSERT INTO tasks (number, {_TASK_COLUMNS}) VALUES ({_placeholders(f'number, {_TASK_COLUMNS}')})",
            (None if taken else number, *rest),
        )


def _copy_spending(ours: sqlite3.Connection, theirs: sqlite3.Connection) -> None:
    """A request is another where its moment is, or what it was for."""
    same = "at = ? AND conversation = ? AND purpose = ?"
    for row in ours.execute(f"SELECT {_SPENDING_COLUMNS} FROM spending ORDER BY number").fetchall():
        if theirs.execute(f"SELECT 1 FROM spending WHERE {same}", row[:3]).fetchone() is None:
            theirs.execute(
                f"INSERT INTO spending ({_SPENDING_COLUMNS}) VALUES ({_placeholders(_SPENDING_COLUMNS)})",
                row,
            )


def _put_message(
    ours: sqlite3.Connection, theirs: sqlite3.Connection, number: int, message_id: str
) -> None:
    row = ours.execute(
        f"SELECT {_MERGED_MESSAGE_COLUMNS} FROM messages WHERE number = ?", (number,)
    ).fetchone()
    place = theirs.execute("SELECT number FROM messages WHERE id = ?", (message_id,)).fetchone()
    theirs.execute("DELETE FROM messages WHERE id = ?", (message_id,))
    names = f"number, {_MERGED_MESSAGE_COLUMNS}"
    cursor = theirs.execute(
        f"INSERT INTO messages ({names}) VALUES ({_placeholders(names)})",
        (place[0] if place else None, *row),
    )
    for table, rest in (
        ("blocks", "position, kind, chars, fields, body"),
        ("segments", "position, text"),
    ):
        order = "number" if table == "segments" else "position"
        theirs.executemany(
            f"INSERT INTO {table} (message, {rest}) VALUES ({_placeholders('message, ' + rest)})",
            [
                (cursor.lastrowid, *values)
                for values in ours.execute(
                    f"SELECT {rest} FROM {table} WHERE message = ? ORDER BY {order}", (number,)
                )
            ],
        )


def _placeholders(names: str) -> str:
    return ", ".join("?" for _ in names.split(", "))
