"""Repairs the database of conversations: reads what is left of a damaged file, merges it into the
file that took its place, and marks messages of ended processes as interrupted.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from neodeskpet.core.blocks import Block, MessageState, Notice, Thinking, ToolStatus, ToolUse
from neodeskpet.core.errors import (
    NoticeContent,
    ToolFault,
    ToolInterrupted,
    TurnInterrupted,
)
from neodeskpet.core.i18n import N_
from neodeskpet.storage.database import transaction
from neodeskpet.storage.database_salvage import attached_damaged, copy_table
from neodeskpet.storage.message_journal import update_head, write_block
from neodeskpet.storage.message_rows import read_messages
from neodeskpet.storage.message_tree import repair_tree
from neodeskpet.storage.storage_errors import SalvageCount, create_faults, is_damage

CONVERSATION_FAULTS = create_faults(
    "conversations",
    damaged=N_("The conversations file was damaged, so a new one was created."),
    salvaged=N_(
        "The conversations file was damaged. {saved} of {known} messages could be recovered."
    ),
    deleted=N_("The conversations file was deleted while NeoDeskPet was running."),
    replaced=N_("The conversations file was replaced by another one while NeoDeskPet was running."),
    overwritten=N_("The conversations file was replaced by something else."),
    rewritten=N_("The conversations file was rebuilt; the other file is kept as {file}."),
)


class BlockLost(NoticeContent):
    """Replaces lost content in a message."""

    code = "block_lost"
    what = N_("A part of this message was lost when the conversations file was damaged.")
    hint = ""


_MERGED_MESSAGE_COLUMNS = (
    "id, conversation, role, state, created, ended, usage, rounds, model, paused, replaced, "
    "writer, touched, chars, blocks, parent, chosen"
)

_SPENDING_COLUMNS = (
    "at, conversation, purpose, model, input, output, cached, seconds, cost, currency"
)
_TASK_COLUMNS = "conversation, state, told, writer, begun, kind, fields, body"


def merge_conversations(ours: sqlite3.Connection, theirs: sqlite3.Connection) -> int:
    """Add everything that only `ours` has to `theirs`, inside its transaction. Of messages in both,
    the one written last is used. Returns the number of messages added.
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
    for conversation in grown:  # both may have continued from the same message
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
    """Copy tasks under their numbers (messages refer to them) where those are free."""
    for number, *rest in ours.execute(f"SELECT number, {_TASK_COLUMNS} FROM tasks").fetchall():
        known = "SELECT 1 FROM tasks WHERE conversation = ? AND begun = ?"
        if theirs.execute(known, (rest[0], rest[4])).fetchone() is not None:
            continue
        taken = theirs.execute("SELECT 1 FROM tasks WHERE number = ?", (number,)).fetchone()
        theirs.execute(
            f"INSERT INTO tasks (number, {_TASK_COLUMNS}) "
            f"VALUES ({_placeholders(f'number, {_TASK_COLUMNS}')})",
            (None if taken else number, *rest),
        )


def _copy_spending(ours: sqlite3.Connection, theirs: sqlite3.Connection) -> None:
    """Copy costs. Requests are different if their time or purpose differs."""
    same = "at = ? AND conversation = ? AND purpose = ?"
    for row in ours.execute(f"SELECT {_SPENDING_COLUMNS} FROM spending ORDER BY number").fetchall():
        if theirs.execute(f"SELECT 1 FROM spending WHERE {same}", row[:3]).fetchone() is None:
            theirs.execute(
                f"INSERT INTO spending ({_SPENDING_COLUMNS}) "
                f"VALUES ({_placeholders(_SPENDING_COLUMNS)})",
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


_TREE_COLUMNS = ", parent, chosen"
_SALVAGED_TABLES = (
    "conversations",
    "messages",
    "blocks",
    "segments",
    "descriptions",
    "state",
    "tasks",
    "draft_pictures",
    "spending",
    "apart",
)


def salvage_conversations(damaged: Path, fresh: sqlite3.Connection) -> SalvageCount:
    """Copy all readable rows of `damaged` into `fresh`, which is migrated and empty. Raises
    sqlite3.Error only when `fresh` can't be written.
    """
    with attached_damaged(fresh, damaged) as readable:
        if not readable:
            return SalvageCount()
        for table in _SALVAGED_TABLES:
            copy_table(fresh, table)
        return _repair_references(fresh)


def _repair_references(fresh: sqlite3.Connection) -> SalvageCount:
    """Repair the references between the saved rows."""
    _add_lost_messages(fresh)
    fresh.execute(
        "INSERT INTO conversations (id, title, created, updated) "
        "SELECT conversation, '', min(created), max(created) FROM messages "
        "WHERE conversation NOT IN (SELECT id FROM conversations) GROUP BY conversation"
    )
    (lost,) = fresh.execute(
        "SELECT count(DISTINCT message) FROM blocks "
        "WHERE message NOT IN (SELECT number FROM messages)"
    ).fetchone()
    fresh.execute("DELETE FROM blocks WHERE message NOT IN (SELECT number FROM messages)")
    fresh.execute(
        "DELETE FROM segments WHERE (message, position) NOT IN "
        "(SELECT message, position FROM blocks)"
    )
    torn = _add_lost_block_notices(fresh)
    for (conversation,) in fresh.execute("SELECT id FROM conversations").fetchall():
        repair_tree(fresh, conversation)
    (count,) = fresh.execute("SELECT count(*) FROM messages").fetchone()
    return SalvageCount(count - torn, count + lost)


def _add_lost_messages(fresh: sqlite3.Connection) -> None:
    """Add messages whose rows are lost, from the index of heads."""
    found = fresh.execute(
        "SELECT id FROM conversations UNION SELECT conversation FROM messages"
    ).fetchall()
    # An earlier version knew no branches.
    place = _TREE_COLUMNS if _TREE_COLUMNS in _read_head_index(fresh) else ""
    own = place.replace(", ", ", h.")
    for (conversation,) in found:
        try:
            fresh.execute(
                "INSERT OR IGNORE INTO main.messages "
                "(number, id, conversation, role, state, created, rounds, model, replaced, "
                f"touched, chars, blocks{place}) "
                "SELECT h.number, h.id, h.conversation, h.role, 'done', coalesce(c.updated, 0), "
                f"0, '', h.replaced, coalesce(c.updated, 0), h.chars, h.blocks{own} "
                "FROM damaged.messages AS h INDEXED BY message_heads "
                "LEFT JOIN main.conversations AS c ON c.id = h.conversation "
                "WHERE h.conversation = ?",
                (conversation,),
            )
        except sqlite3.Error as error:
            if not is_damage(error):
                raise


def _read_head_index(fresh: sqlite3.Connection) -> str:
    """Return the content of the damaged file's index of heads."""
    row = fresh.execute(
        "SELECT sql FROM damaged.sqlite_schema WHERE name = 'message_heads'"
    ).fetchone()
    return str(row[0]) if row else ""


def _add_lost_block_notices(fresh: sqlite3.Connection) -> int:
    """Add a notice in the place of each lost block. Returns the number of messages with one."""
    rows = fresh.execute(
        "SELECT number, max(m.blocks, coalesce(max(position) + 1, 0)), touched "
        "FROM messages AS m LEFT JOIN blocks ON message = number GROUP BY number "
        "HAVING count(position) < max(m.blocks, coalesce(max(position) + 1, 0))"
    ).fetchall()
    fields = json.dumps({"round": 0, "code": BlockLost.code, "actions": [], "resolved": True})
    for number, wanted, touched in rows:
        there = {
            place
            for (place,) in fresh.execute(
                "SELECT position FROM blocks WHERE message = ?", (number,)
            )
        }
        fresh.executemany(
            "INSERT INTO blocks (message, position, kind, chars, fields, body) "
            "VALUES (?, ?, 'notice', 0, ?, '')",
            [(number, place, fields) for place in range(wanted) if place not in there],
        )
        update_head(fresh.execute, number, touched)
    return len(rows)


def interrupt_dead_messages(
    connection: sqlite3.Connection, alive: Callable[[str], bool]
) -> list[str]:
    """Mark running messages whose writer isn't `alive(writer)` as interrupted, and return their
    ids.
    """
    with transaction(connection):
        rows = connection.execute(
            "SELECT number, id, writer, touched FROM messages WHERE state = ? ORDER BY number",
            (MessageState.RUNNING,),
        ).fetchall()
        dead = [row for row in rows if row[2] is None or not alive(row[2])]
        for number, message_id, _, touched in dead:
            (message,) = read_messages(connection, [message_id])
            for block in as_interrupted(message.blocks, touched):
                write_block(connection.execute, number, block)
            connection.execute(
                "UPDATE messages SET state = ?, writer = NULL, ended = ? WHERE number = ?",
                (MessageState.INTERRUPTED, touched, number),
            )
            update_head(connection.execute, number, touched)
    return [message_id for _, message_id, _, _ in dead]


def as_interrupted(blocks: tuple[Block, ...], at: float) -> tuple[Block, ...]:
    """Return `blocks` as those of an interrupted message: closed at `at` (unix seconds, the last
    sign of activity, so that no card counts the time in between), with a notice that offers to
    continue.
    """
    last = blocks[-1] if blocks else None
    notice = Notice(
        len(blocks),
        last.round if last is not None else 0,
        TurnInterrupted.code,
        actions=TurnInterrupted.actions,
    )
    return (*(_closed_block(block, at) for block in blocks), notice)


def _closed_block(block: Block, at: float) -> Block:
    if isinstance(block, ToolUse) and not block.status.ended:
        closed = replace(block, status=ToolStatus.INTERRUPTED, ended=at)
        if block.status is not ToolStatus.RUNNING:
            return closed
        error = ToolInterrupted(advice="Look before you call it again.")
        return replace(closed, error=str(error), fault=ToolFault.of(error))
    if isinstance(block, Thinking) and block.ended is None:
        return replace(block, ended=at)
    return block
