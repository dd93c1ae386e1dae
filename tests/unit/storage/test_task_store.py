"""Background tasks as they are stored: exactly, beside the conversations, across processes."""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import replace
from pathlib import Path

from neodeskpet.conversation.ports import TaskStore
from neodeskpet.core.background_tasks import (
    Task,
    TaskProgressed,
    start_task,
    task_end_block,
    update_task,
)
from neodeskpet.core.blocks import Message, MessageState, Role, ToolStatus
from neodeskpet.core.tool_result import ShownTerminal, ToolResult
from neodeskpet.core.turn.signals import ToolFinished
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from neodeskpet.storage.conversation_repair import merge_conversations, salvage_conversations
from neodeskpet.storage.conversation_store import (
    SqliteStore,
    prepare_conversations,
)

RESULT = ToolResult("made \ud83d", {"exit_code": 0}, ShownTerminal("made", "make", 0))
DONE = ToolFinished(0, ToolStatus.SUCCESS, RESULT)


def new(conversation: str = "c", at: float = 1.0) -> Task:
    return start_task(conversation, "shell.run", {"command": "make"}, "{}", at, foreign=True)


async def kept(store: SqliteStore, *, ended: bool = True, conversation: str = "c") -> Task:
    tasks: TaskStore = store.tasks
    task = await tasks.add_task(new(conversation))
    if ended:
        task = update_task(update_task(task, TaskProgressed(0.5, "half"), 2), DONE, 3)
        await tasks.update_task(task)
    return task


def test_they_are_stored_over_a_restart(tmp_path: Path) -> None:
    async def first() -> list[Task]:
        store = await SqliteStore.open(tmp_path / CONVERSATIONS_FILE)
        made = [await kept(store), await kept(store, conversation="d")]
        await store.aclose()
        return made

    async def second(made: list[Task]) -> None:
        store = await SqliteStore.open(tmp_path / CONVERSATIONS_FILE)
        assert await store.tasks.tasks(9) == [made[1], made[0]]
        assert await store.tasks.tasks(1) == [made[1]]
        assert await store.unreported_tasks("c") == [made[0]]
        await store.tasks.delete_tasks([made[0].id, "t", "nobody"])
        assert await store.tasks.tasks(9) == [made[1]]
        await store.aclose()

    made = asyncio.run(first())
    assert [task.id for task in made] == ["t1", "t2"]
    asyncio.run(second(made))


def test_a_message_that_reports_a_task_marks_it() -> None:
    async def scene() -> None:
        store = await SqliteStore.open(None)
        info = await store.create_conversation()
        first, second = [await kept(store, conversation=info.id) for _ in range(2)]
        message = Message("m", Role.ASSISTANT, (task_end_block(first, 0),), MessageState.DONE, 4.0)
        await store.add_message(info.id, message)
        assert (await store.history(info.id))[0].blocks == (task_end_block(first, 0),)
        assert await store.unreported_tasks(info.id) == [second]
        await store.tasks.mark_task_reported(second.id)
        assert await store.unreported_tasks(info.id) == []
        assert await store.tasks.tasks(9) == [replace(t, reported=True) for t in (second, first)]
        await store.aclose()

    asyncio.run(scene())


def test_tasks_of_an_ended_process_are_lost_and_those_of_another_are_not(tmp_path: Path) -> None:
    async def scene() -> None:
        dead = await SqliteStore.open(tmp_path / CONVERSATIONS_FILE)
        await kept(dead, ended=False)
        await dead.aclose()
        living = await SqliteStore.open(tmp_path / CONVERSATIONS_FILE)
        theirs = await kept(living, ended=False)
        store = await SqliteStore.open(tmp_path / CONVERSATIONS_FILE)
        (lost,) = await store.tasks.mark_tasks_lost(9.0)
        assert (lost.id, lost.call.status) == ("t1", ToolStatus.INTERRUPTED)
        assert await store.tasks.mark_tasks_lost(9.0) == []
        assert await store.tasks.tasks(9) == [lost]
        await living.tasks.update_task(update_task(theirs, DONE, 10))
        assert len(await store.unreported_tasks("c")) == 2
        await living.aclose()
        await store.aclose()

    asyncio.run(scene())


def _filled(path: Path, *numbers: int, at: float = 1.0) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    prepare_conversations(connection, None)
    for number in numbers:
        connection.execute(
            "INSERT INTO tasks (number, conversation, state, begun, kind, fields, body) "
            "VALUES (?, 'c', 'success', ?, 'tool_use', '{}', '')",
            (number, at + number),
        )
    return connection


def _numbers(connection: sqlite3.Connection) -> list[tuple[int, float]]:
    return connection.execute("SELECT number, begun FROM tasks ORDER BY number").fetchall()


def test_they_are_saved_from_a_damaged_file(tmp_path: Path) -> None:
    _filled(tmp_path / "damaged.db", 1, 2).close()
    fresh = _filled(tmp_path / "fresh.db")
    salvage_conversations(tmp_path / "damaged.db", fresh)
    assert _numbers(fresh) == [(1, 2.0), (2, 3.0)]
    fresh.close()


def test_two_merged_files_keep_the_tasks_of_both(tmp_path: Path) -> None:
    ours = _filled(tmp_path / "ours.db", 1, 2, 5)
    theirs = _filled(tmp_path / "theirs.db", 1)
    theirs.execute("UPDATE tasks SET begun = 50")
    merge_conversations(ours, theirs)
    merge_conversations(ours, theirs)
    assert [begun for _, begun in _numbers(theirs)] == [50.0, 2.0, 3.0, 6.0]
    ours.close()
    theirs.close()
