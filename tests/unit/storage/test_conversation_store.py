from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from neodeskpet.conversation.ports import Store
from neodeskpet.core.attachments import (
    AttachedContent,
    FileText,
    Omission,
    Omitted,
    Picture,
    name_by_content,
)
from neodeskpet.core.blocks import Message, MessageState, Notice, Role, Text
from neodeskpet.core.errors import MessageNotFound, StoreError
from neodeskpet.core.turn.turn_events import BlockStarted, TextAppended, TurnStarted
from neodeskpet.language import translate_error
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.storage.picture_folder import DRAFT_FILE_MEDIA_TYPE
from neodeskpet.storage.storage_errors import StoreDamaged, StoreLocked, StoreTooNew


def running(name: str = "m") -> Message:
    return Message(name, Role.ASSISTANT, (), MessageState.RUNNING, 1.0)


def test_it_is_a_store() -> None:
    async def scene() -> Store:
        store: Store = await SqliteStore.open(None)
        await store.aclose()
        return store

    assert asyncio.run(scene())


def test_everything_is_stored_over_a_restart(tmp_path: Path) -> None:
    path = tmp_path / CONVERSATIONS_FILE

    async def first() -> None:
        store = await SqliteStore.open(path)
        assert (store.fault, store.recovered_from, store.in_memory) == (None, None, False)
        conversation = await store.create_conversation("早上好 \ud83d")
        await store.rename_conversation(conversation.id, "Morning \ud83d")
        await store.rename_conversation("nobody", "x")
        await store.add_message(conversation.id, running())
        journal = store.journal("m")
        journal.on_turn_event("m", BlockStarted(Text(0, 0, "Hel")))
        journal.on_turn_event("m", TextAppended(0, "lo"))
        await store.set_state("window", '{"x": 3}')
        await store.aclose()

    async def second() -> None:
        store = await SqliteStore.open(path)
        (conversation,) = await store.conversations()
        assert conversation.title == "Morning \ud83d"
        (message,) = await store.history(conversation.id)
        assert message.text == "Hello"
        assert await store.get_state("window") == '{"x": 3}'
        await store.aclose()

    asyncio.run(first())
    asyncio.run(second())


def test_state_is_stored_changed_and_deleted() -> None:
    async def scene() -> None:
        store = await SqliteStore.open(None)
        assert await store.get_state("draft") is None
        await store.set_state("draft", "")
        assert await store.get_state("draft") == ""
        await store.set_state("draft", "half an emoji \ud83d")
        assert await store.get_state("draft") == "half an emoji \ud83d"
        await store.set_state("draft", None)
        assert await store.get_state("draft") is None
        await store.aclose()

    asyncio.run(scene())


def test_a_deleted_conversation_leaves_nothing_behind(tmp_path: Path) -> None:
    async def scene() -> None:
        store = await SqliteStore.open(tmp_path / CONVERSATIONS_FILE)
        conversation = await store.create_conversation("secret plans")
        await store.add_message(conversation.id, running())
        journal = store.journal("m")
        journal.on_turn_event("m", BlockStarted(Text(0, 0, "the password is ")))
        await store.flush()
        journal.on_turn_event("m", TextAppended(0, "xyzzy-plugh"))
        await store.flush()
        await store.delete_conversation(conversation.id)
        counts = await store.database.run(
            lambda db: [
                db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                for table in ("conversations", "messages", "blocks", "segments")
            ]
        )
        assert counts == [0, 0, 0, 0]
        await store.aclose()
        content = (tmp_path / CONVERSATIONS_FILE).read_bytes()
        for word in (b"secret plans", b"the password", b"xyzzy"):
            assert word not in content

    asyncio.run(scene())


def test_a_discarded_conversation_can_be_restored_until_the_end(tmp_path: Path) -> None:
    told: list[str] = []
    picture = Picture(name_by_content(b"pixels"), b"pixels", "image/png", "cat.png")

    async def first() -> None:
        store = await SqliteStore.open(tmp_path / CONVERSATIONS_FILE)
        store.subscribe(told.extend)
        here = await store.create_conversation("here")
        said = Message("q", Role.USER, (Text(0, 0, "word"),), MessageState.DONE, 1.0)
        await store.add_message(here.id, said)
        await store.update_draft(here.id, "half", [picture])
        told.clear()
        await store.discard_conversations([here.id])
        assert (
            told == ["q"] and await store.conversations() == [] and await store.last_written() == []
        )
        await store.restore_conversations([here.id])
        assert [one.id for one in await store.conversations()] == [here.id]
        assert await store.visible_messages(["q"]) != []
        assert await store.get_draft(here.id) == ("half", [picture])
        await store.archive_conversations([here.id], True)
        await store.set_folder([here.id], "Work")
        (info,) = await store.conversations()
        assert info.archived and info.folder == "Work"
        await store.discard_conversations([here.id])
        other = await store.create_conversation("other")
        await store.discard_conversations([other.id])
        with pytest.raises(MessageNotFound):
            await store.restore_conversations([here.id])  # another was deleted since
        await store.restore_conversations([other.id])
        await store.discard_conversations([other.id])
        await store.aclose()

    async def second() -> None:
        store = await SqliteStore.open(tmp_path / CONVERSATIONS_FILE)
        assert await store.conversations() == [] and await store.picture(picture.digest) is None
        await store.discard_conversations([])
        await store.aclose()

    asyncio.run(first())
    asyncio.run(second())


def test_a_picture_of_a_draft_is_deleted_with_it() -> None:
    picture = Picture(name_by_content(b"pixels"), b"pixels", "image/png")

    async def scene() -> None:
        store = await SqliteStore.open(None)
        here = await store.create_conversation()
        await store.update_draft(here.id, None, [picture])
        assert await store.get_draft(here.id) == ("", [picture])
        await store.update_draft(here.id, "words", [])
        assert await store.get_draft(here.id) == ("words", [])
        assert await store.picture(picture.digest) is None
        await store.update_draft("nobody", "words", [picture])
        assert await store.picture(picture.digest) is None
        await store.aclose()

    asyncio.run(scene())


def test_a_failed_write_is_a_store_error() -> None:
    async def scene() -> None:
        store = await SqliteStore.open(None)
        with pytest.raises(StoreError):
            await store.add_message("no such conversation", running())
        conversation = await store.create_conversation()
        await store.add_message(conversation.id, running())
        with pytest.raises(StoreError):
            await store.add_message(conversation.id, running())
        assert len(await store.heads(conversation.id)) == 1
        await store.aclose()
        with pytest.raises(StoreError):
            await store.conversations()

    asyncio.run(scene())


def test_a_damaged_file_is_kept_and_named(tmp_path: Path) -> None:
    async def scene() -> None:
        path = tmp_path / CONVERSATIONS_FILE
        path.write_bytes(b"\x00\x01\x02" * 4000)
        store = await SqliteStore.open(path)
        assert store.recovered_from is not None
        assert store.recovered_from.read_bytes() == b"\x00\x01\x02" * 4000
        assert isinstance(store.fault, StoreDamaged)
        assert store.recovered_from.name in translate_error(store.fault)[1]
        assert not store.in_memory
        await store.create_conversation()
        await store.aclose()

    asyncio.run(scene())


def test_a_database_of_a_newer_version_is_unchanged_and_the_app_still_runs(tmp_path: Path) -> None:
    async def scene() -> None:
        path = tmp_path / CONVERSATIONS_FILE
        store = await SqliteStore.open(path)
        await store.database.run(
            lambda db: db.execute("INSERT INTO migrations VALUES ('999-future', 0)")
        )
        await store.aclose()
        before = path.read_bytes()
        store = await SqliteStore.open(path)
        assert isinstance(store.fault, StoreTooNew)
        assert store.in_memory
        await store.create_conversation("works")
        assert await store.interrupt_running() == []
        await store.aclose()
        assert path.read_bytes() == before

    asyncio.run(scene())


def test_a_locked_database_is_unchanged_and_the_app_still_runs(tmp_path: Path) -> None:
    async def scene() -> None:
        path = tmp_path / CONVERSATIONS_FILE
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        store = await SqliteStore.open(path, busy=0.05)
        assert isinstance(store.fault, StoreLocked)
        assert store.in_memory
        assert store.recovered_from is None
        await store.aclose()
        other.close()

    asyncio.run(scene())


def test_without_a_process_lease_it_still_works(tmp_path: Path) -> None:
    async def scene() -> None:
        (tmp_path / (CONVERSATIONS_FILE + ".writers")).touch()
        store = await SqliteStore.open(tmp_path / CONVERSATIONS_FILE)
        conversation = await store.create_conversation()
        await store.add_message(conversation.id, running())
        await store.aclose()

    asyncio.run(scene())


def test_running_turns_of_other_processes_are_unchanged(tmp_path: Path) -> None:
    """The app and the terminal share a folder; a second store in this process stands for it."""

    async def scene() -> None:
        path = tmp_path / CONVERSATIONS_FILE
        app, terminal = await SqliteStore.open(path), await SqliteStore.open(path)
        conversation = await app.create_conversation()
        await app.add_message(conversation.id, running("added"))
        await app.add_message(
            conversation.id, Message("resumed", Role.ASSISTANT, (), MessageState.LIMITED, 1.0)
        )
        app.journal("resumed").on_turn_event("resumed", TurnStarted("resumed", resumed=True))
        await app.flush()
        assert await terminal.interrupt_running() == []
        assert await app.interrupt_running() == []
        await app.aclose()  # without an end of the turns: the app was killed
        assert await terminal.interrupt_running() == ["added", "resumed"]
        assert await terminal.interrupt_running() == []
        states = {message.state for message in await terminal.history(conversation.id)}
        assert states == {MessageState.INTERRUPTED}
        await terminal.aclose()
        assert list((tmp_path / (CONVERSATIONS_FILE + ".writers")).iterdir()) == []

    asyncio.run(scene())


_WRITER = """
import asyncio, pathlib, sys
from neodeskpet.core.blocks import Message, MessageState, Role, Text
from neodeskpet.core.turn.turn_events import BlockStarted
from neodeskpet.storage.conversation_store import SqliteStore

async def main():
    store = await SqliteStore.open(pathlib.Path(sys.argv[1]))
    conversation = await store.create_conversation()
    await store.add_message(
        conversation.id, Message("m", Role.ASSISTANT, (), MessageState.RUNNING, 1.0)
    )
    store.journal("m").on_turn_event("m", BlockStarted(Text(0, 0, "cut off")))
    await store.flush()
    print("written", flush=True)
    sys.stdin.read()
asyncio.run(main())
"""


def test_a_killed_process_leaves_interrupted_messages(tmp_path: Path) -> None:
    path = tmp_path / CONVERSATIONS_FILE

    async def look() -> tuple[list[str], list[Message]]:
        store = await SqliteStore.open(path)
        ids = await store.interrupt_running()
        messages = await store.messages(["m"])
        await store.aclose()
        return ids, messages

    with subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "written\n"
        try:
            ids, (message,) = asyncio.run(look())
            assert ids == []
            assert message.state is MessageState.RUNNING
        finally:
            child.kill()
            child.wait(60)
    ids, (message,) = asyncio.run(look())
    assert ids == ["m"]
    assert message.state is MessageState.INTERRUPTED
    assert message.text == "cut off"
    assert isinstance(message.blocks[-1], Notice)
    assert message.ended is not None
    assert message.ended <= time.time()


def test_a_file_in_a_draft_is_stored_as_before_and_found_again(tmp_path: Path) -> None:
    """The stored form is that of version 0.1: JSON with a media type of its own."""
    read = FileText("a.pdf", "x", 9, 3, 1, cut=True, omitted=(Omitted(Omission.EMBEDDED, 2),))
    old = b'{"name": "old.txt", "text": "words", "size": 5, "omitted": []}'
    damaged = Picture(name_by_content(b"{}"), b"{}", DRAFT_FILE_MEDIA_TYPE)
    stored = Picture(name_by_content(old), old, DRAFT_FILE_MEDIA_TYPE, "old.txt")

    async def scene() -> tuple[str, list[AttachedContent]]:
        store = await SqliteStore.open(tmp_path / "store.db")
        try:
            here = await store.create_conversation()
            await store.update_draft(here.id, "half", [read, stored, damaged])
            return await store.get_draft(here.id)
        finally:
            await store.aclose()

    assert asyncio.run(scene()) == ("half", [read, FileText("old.txt", "words", 5)])
