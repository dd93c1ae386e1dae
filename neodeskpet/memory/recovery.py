"""What a dead process left running becomes interrupted, and offers to go on."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace

from neodeskpet.core.blocks import Block, MessageState, Notice, Thinking, ToolStatus, ToolUse
from neodeskpet.core.errors import ToolFault, ToolInterrupted, TurnInterrupted
from neodeskpet.database.database import transaction
from neodeskpet.memory.journal import update_head, write_block
from neodeskpet.memory.reading import read_messages


def interrupt_dead_messages(
    connection: sqlite3.Connection, alive: Callable[[str], bool]
) -> list[str]:
    """The ids of the messages that were running and whose writer isn't `alive(writer)`."""
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
    """`blocks` as they stand when nobody writes on: closed at `at` (unix seconds, the last sign
    of life, so that no card counts the time the app was off), and a notice that offers to go on.
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
