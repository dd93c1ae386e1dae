"""A database that replaces the open one keeps its data and gets what is missing."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from pathlib import Path

from neodeskpet.core.blocks import Message, MessageState, Role, Text
from neodeskpet.core.errors import StoreError
from neodeskpet.core.turn.turn_events import BlockStarted, TextAppended
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.storage.storage_errors import StoreReplaced


def said(name: str, text: str, state: MessageState = MessageState.DONE) -> Message:
    return Message(name, Role.ASSISTANT, (Text(0, 0, text),), state, 1.0)


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


def test_a_restored_backup_gets_the_later_data(tmp_path: Path) -> None:
    async def scene() -> None:
        path, copy = tmp_path / CONVERSATIONS_FILE, tmp_path / "copy"
        told: asyncio.Queue[StoreError] = asyncio.Queue()
        store = await SqliteStore.open(path, on_fault=told.put_nowait)
        made = await store.create_conversation("both have it")
        await store.add_message(made.id, said("old", "told before"))
        await store.add_message(made.id, said("grown", "Once", MessageState.RUNNING))
        journal = store.journal("grown")
        await store.set_state("window", "here")
        source = sqlite3.connect(path)
        target = sqlite3.connect(copy)
        source.backup(target)
        source.close()
        target.close()
        only_there = await SqliteStore.open(copy)
        other = await only_there.create_conversation("only there")
        await only_there.add_message(other.id, said("theirs", "from the copy"))
        await only_there.aclose()
        journal.on_turn_event("grown", BlockStarted(Text(1, 0, "upon ")))
        journal.on_turn_event("grown", TextAppended(1, "a time"))
        await store.add_message(made.id, said("new", "told since"))
        await store.flush()

        copy.replace(path)
        for _ in range(2):
            titles = {info.title for info in await store.conversations()}
            assert titles == {"both have it", "only there"}
            assert [m.text for m in await store.history(made.id)] == [
                "told before",
                "Onceupon a time",
                "told since",
            ]
            assert [m.text for m in await store.history(other.id)] == ["from the copy"]
            assert await store.get_state("window") == "here"
            await store.aclose()
            store = await SqliteStore.open(path)
        await store.aclose()
        assert isinstance(told.get_nowait(), StoreReplaced)
        assert told.empty()

    asyncio.run(scene())


def test_a_file_that_another_process_repaired_is_used(tmp_path: Path) -> None:
    async def scene() -> None:
        path = tmp_path / CONVERSATIONS_FILE
        app = await SqliteStore.open(path)
        made = await app.create_conversation("shared")
        for number in range(200):
            await app.add_message(made.id, said(f"m{number}", "x" * 500))
        await app.aclose()
        content = bytearray(path.read_bytes())
        connection = sqlite3.connect(path)
        query = "SELECT rootpage FROM sqlite_schema WHERE name = 'blocks'"
        (page,) = connection.execute(query).fetchone()
        connection.close()
        app = await SqliteStore.open(path)
        terminal = await SqliteStore.open(path)
        content[(page - 1) * 4096 : page * 4096] = b"\xff" * 4096
        repaired = tmp_path / "repaired.db"
        fresh = await SqliteStore.open(repaired)
        await fresh.create_conversation("repaired")
        await fresh.aclose()
        path.write_bytes(content)
        repaired.replace(path)
        for store in (app, terminal):
            assert {info.title for info in await store.conversations()} == {"repaired"}
            await store.aclose()
        assert not [name for name in names(tmp_path) if "replaced" in name]

    asyncio.run(scene())


def test_two_processes_agree_on_one_file(tmp_path: Path) -> None:
    """The app and the terminal share a folder; a second store in this process stands for it."""

    async def scene() -> None:
        path = tmp_path / "data" / CONVERSATIONS_FILE
        app, terminal = await SqliteStore.open(path), await SqliteStore.open(path)
        made = await app.create_conversation("shared")
        running = said("m", "going", MessageState.RUNNING)
        await app.add_message(made.id, running)
        shutil.rmtree(path.parent)
        await app.create_conversation("of the app")
        await terminal.create_conversation("of the terminal")
        for store in (app, terminal):
            titles = {info.title for info in await store.conversations()}
            assert titles == {"shared", "of the app", "of the terminal"}
        assert await terminal.interrupt_running() == []  # the app still runs
        await app.aclose()
        await terminal.aclose()
        assert names(path.parent) == {CONVERSATIONS_FILE, f"{CONVERSATIONS_FILE}.writers"}

    asyncio.run(scene())
