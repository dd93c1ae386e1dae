"""Stores background tasks with their conversations: each is a call, stored as a block.

An id is `t` and the row's number.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import replace

from neodeskpet.core.background_tasks import Task, TaskOrphaned, update_task
from neodeskpet.core.blocks import Block, ToolStatus, ToolUse
from neodeskpet.storage.database import Database, transaction
from neodeskpet.storage.database_schema import from_column
from neodeskpet.storage.message_rows import decode_block, encode_block

_TASK_ROW_COLUMNS = "number, conversation, told, kind, fields, body"


class SqliteTasks:
    """A `conversation.ports.TaskStore`. `writer` identifies this process; `alive` returns whether
    the process of another writer still runs.
    """

    def __init__(self, database: Database, writer: str, alive: Callable[[str], bool]) -> None:
        self._database = database
        self._writer = writer
        self._alive = alive

    async def add_task(self, task: Task) -> Task:
        def work(connection: sqlite3.Connection) -> int:
            with transaction(connection):
                cursor = connection.execute(
                    "INSERT INTO tasks "
                    "(conversation, state, told, writer, begun, kind, fields, body) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        task.conversation,
                        task.call.status,
                        int(task.reported),
                        self._writer,
                        task.call.started,
                        *encode_block(task.call),
                    ),
                )
            return int(cursor.lastrowid or 0)

        return replace(task, id=f"t{await self._database.run(work)}")

    async def update_task(self, task: Task) -> None:
        await self._database.run(lambda connection: _put_task(connection, task))

    async def tasks(self, limit: int) -> list[Task]:
        """Return the last `limit` ended tasks, the newest first."""
        where = f"state != ? ORDER BY number DESC LIMIT {int(limit)}"
        return await self._database.read(lambda db: _read_tasks(db, where, (ToolStatus.RUNNING,)))

    async def unreported_tasks(self, conversation_id: str) -> list[Task]:
        """Return the ended tasks of a conversation that no message reports, the oldest first."""
        where = "conversation = ? AND told = 0 AND state != ? ORDER BY number"
        values = (conversation_id, ToolStatus.RUNNING)
        return await self._database.read(lambda db: _read_tasks(db, where, values))

    async def mark_task_reported(self, task_id: str) -> None:
        def work(connection: sqlite3.Connection) -> None:
            with transaction(connection):
                mark_task_reported(connection, task_id)

        await self._database.run(work)

    async def delete_tasks(self, task_ids: Sequence[str]) -> None:
        def work(connection: sqlite3.Connection) -> None:
            with transaction(connection):
                connection.executemany(
                    "DELETE FROM tasks WHERE number = ?", [(_row_number(one),) for one in task_ids]
                )

        await self._database.run(work)

    async def mark_tasks_lost(self, now: float) -> list[Task]:
        """Mark running tasks of ended processes as lost at the time `now`, and return them."""

        def work(connection: sqlite3.Connection) -> list[Task]:
            with transaction(connection):
                rows = connection.execute(
                    "SELECT number, writer FROM tasks WHERE state = ?", (ToolStatus.RUNNING,)
                ).fetchall()
                dead = [number for number, writer in rows if not self._is_alive(writer)]
                lost = [
                    update_task(task, TaskOrphaned(), now)
                    for number in dead
                    for task in _read_tasks(connection, "number = ?", (number,))
                ]
                for task in lost:
                    _encode_task(connection, task)
            return lost

        return await self._database.run(work)

    def _is_alive(self, writer: str | None) -> bool:
        return bool(writer) and writer != self._writer and self._alive(str(writer))


def mark_task_reported(connection: sqlite3.Connection, task_id: str) -> None:
    """Record that a message reports this task's end. Call it in a transaction."""
    connection.execute("UPDATE tasks SET told = 1 WHERE number = ?", (_row_number(task_id),))


def _put_task(connection: sqlite3.Connection, task: Task) -> None:
    with transaction(connection):
        _encode_task(connection, task)


def _encode_task(connection: sqlite3.Connection, task: Task) -> None:
    connection.execute(
        "UPDATE tasks SET state = ?, kind = ?, fields = ?, body = ? WHERE number = ?",
        (task.call.status, *encode_block(task.call), _row_number(task.id)),
    )


def _read_tasks(
    connection: sqlite3.Connection, where: str, values: tuple[object, ...]
) -> list[Task]:
    """Read tasks; unreadable values of a row are left out."""
    rows = connection.execute(
        f"SELECT {_TASK_ROW_COLUMNS} FROM tasks WHERE {where}", values
    ).fetchall()
    found = []
    for number, conversation, reported, kind, fields, body in rows:
        call: Block = decode_block(0, kind, fields, from_column(body))
        if isinstance(call, ToolUse):
            found.append(Task(f"t{number}", conversation, call, bool(reported)))
    return found


def _row_number(task_id: str) -> int:
    """Return the row's number; 0, which no row has, for an invalid id."""
    digits = task_id[1:]
    known = task_id.startswith("t") and digits.isascii() and digits.isdecimal()
    return int(digits) if known and len(digits) < 16 else 0
