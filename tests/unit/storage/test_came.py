"""The data of an import is known at any moment, and which process imports it."""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
from pathlib import Path

from neodeskpet.core.attachments import Picture
from neodeskpet.core.blocks import Image, Message, MessageNode, MessageState, Role, Text
from neodeskpet.storage import chat_imports
from neodeskpet.storage.chat_export_reader import ImportedConversation
from neodeskpet.storage.chat_imports import ForeignConversation, remove_imported
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from neodeskpet.storage.conversation_store import SqliteStore

A, B, C = ("a" * 20, "b" * 20, "c" * 20)


def drawn(words: bytes) -> Picture:
    return Picture(hashlib.sha256(words).hexdigest(), words, "image/png")


def past(conversation: str, *ids: str, pictures: tuple[Picture, ...] = ()) -> ForeignConversation:
    """Each of the messages shows the picture of its place, if there is one."""
    said = []
    for place, one in enumerate(ids):
        blocks: list[Text | Image] = [Text(0, 0, one)]
        blocks += [Image(1, 0, p.digest, p.media_type) for p in pictures[place : place + 1]]
        said.append(Message(one, Role.USER, tuple(blocks), MessageState.DONE, 1e9))
    nodes = [MessageNode(one, parent) for one, parent in zip(ids, ("", *ids), strict=False)]
    found = ImportedConversation("T", said, nodes, [*pictures], "Folder")
    return ForeignConversation(conversation, found, 1e9, 1e9, ids[-1])


def states(file: Path) -> set[str]:
    connection = sqlite3.connect(file)
    try:
        return {key for (key,) in connection.execute("SELECT key FROM state")}
    finally:
        connection.close()


def test_a_running_import_of_another_process_is_its_own(tmp_path: Path) -> None:
    async def scene() -> None:
        ours = await SqliteStore.open(tmp_path / CONVERSATIONS_FILE)
        theirs = await SqliteStore.open(tmp_path / CONVERSATIONS_FILE)
        begun = await theirs.begin_import("a.zip", ["one", "two"])
        await theirs.add_imported(past("one", A), begun.id)
        assert await ours.unfinished_imports() == [] == await theirs.unfinished_imports()
        own = await ours.begin_import("a.zip", ["one", "two"])
        assert own.id != begun.id and own.messages == {}
        assert await ours.end_import(own.id) is None

        await theirs.aclose()  # as if it was killed: the import never ended
        (found,) = await ours.unfinished_imports()
        assert (found.id, found.name, found.messages) == (begun.id, "a.zip", {"one": [A]})
        other = await ours.begin_import("b.zip", ["three"])
        assert other.id != begun.id
        await ours.end_import(other.id)
        again = await ours.begin_import("a (1).zip", ["two", "one"])
        assert (again.id, again.messages) == (begun.id, {"one": [A]})
        assert await ours.unfinished_imports() == []
        await ours.add_imported(past("one", A, B), again.id)
        await ours.add_imported(past("two", C), again.id)
        ended = await ours.end_import(again.id)
        assert ended is not None and ended.name == "a (1).zip"
        assert ended.messages == {"one": [A, B], "two": [C]}
        assert await ours.unfinished_imports() == []
        await ours.aclose()
        assert states(tmp_path / CONVERSATIONS_FILE) == {
            chat_imports.LAST_IMPORT_KEY,
            "past:one",
            "past:two",
        }

    asyncio.run(scene())


def test_pictures_of_an_unfinished_import_are_deleted(tmp_path: Path) -> None:
    shown, lost, half = drawn(b"shown"), drawn(b"lost"), drawn(b"half")
    folder = tmp_path / "pictures"

    async def scene() -> None:
        store = await SqliteStore.open(tmp_path / CONVERSATIONS_FILE)
        begun = await store.begin_import("a.zip", [])
        await store.add_imported(past("one", A, pictures=(shown,)), begun.id)
        connection = sqlite3.connect(tmp_path / CONVERSATIONS_FILE)
        with connection:  # here it was killed
            chat_imports.expect_pictures(
                connection, begun.id, "two", [shown.digest, lost.digest, half.digest]
            )
        connection.close()
        (folder / lost.digest).write_bytes(lost.data)
        (folder / f".{half.digest}.123.part").write_bytes(b"ha")
        await store.aclose()

        store = await SqliteStore.open(tmp_path / CONVERSATIONS_FILE)
        (found,) = await store.unfinished_imports()
        assert found.messages == {"one": [A]}
        assert [file.name for file in folder.iterdir()] == [shown.digest]
        await store.undo_import(found.messages, found.id)
        await store.aclose()
        assert list(folder.iterdir()) == [] and states(tmp_path / CONVERSATIONS_FILE) == set()

    asyncio.run(scene())


def test_if_a_killed_process_undid_an_import_its_pictures_are_deleted_too(tmp_path: Path) -> None:
    shown, own = drawn(b"shown"), drawn(b"own")

    async def scene() -> None:
        store = await SqliteStore.open(tmp_path / CONVERSATIONS_FILE)
        begun = await store.begin_import("a.zip", [])
        await store.add_imported(past("one", A, B, pictures=(shown, own)), begun.id)
        here = await store.create_conversation("mine")
        blocks = (Image(0, 0, own.digest, own.media_type),)
        await store.add_message(here.id, Message(C, Role.USER, blocks, MessageState.DONE, 1e9))
        await store.end_import(begun.id)
        await store.aclose()
        connection = sqlite3.connect(tmp_path / CONVERSATIONS_FILE)
        connection.execute("PRAGMA foreign_keys = ON")
        with connection:  # and killed
            assert remove_imported(connection, {"one": [A, B]}, "import") == [A, B, "one"]
        connection.close()

        store = await SqliteStore.open(tmp_path / CONVERSATIONS_FILE)
        assert await store.unfinished_imports() == []
        assert [file.name for file in (tmp_path / "pictures").iterdir()] == [own.digest]
        await store.aclose()
        assert states(tmp_path / CONVERSATIONS_FILE) == {chat_imports.LAST_IMPORT_KEY}

    asyncio.run(scene())


def test_without_an_import_nothing_is_reported(tmp_path: Path) -> None:
    async def scene() -> None:
        store = await SqliteStore.open(tmp_path / CONVERSATIONS_FILE)
        await store.begin_import("a.zip", ["one"])
        begun = await store.begin_import("b.zip", ["two"])
        await store.add_imported(past("two", A), begun.id)
        await store.aclose()
        store = await SqliteStore.open(tmp_path / CONVERSATIONS_FILE)
        assert [one.name for one in await store.unfinished_imports()] == ["b.zip"]
        await store.delete_conversation("two")
        assert await store.unfinished_imports() == []
        await store.aclose()
        assert states(tmp_path / CONVERSATIONS_FILE) == set()

    asyncio.run(scene())


def test_a_picture_of_a_deleted_message_does_not_come_back(tmp_path: Path) -> None:
    first, second = drawn(b"first"), drawn(b"second")

    async def scene() -> None:
        store = await SqliteStore.open(tmp_path / CONVERSATIONS_FILE)
        begun = await store.begin_import("a.zip", [])
        await store.add_imported(past("one", A, B, pictures=(first, second)), begun.id)
        await store.delete_messages([B])
        added = await store.add_imported(past("one", A, B, C, pictures=(first, second)), begun.id)
        assert added == [C]
        assert [file.name for file in (tmp_path / "pictures").iterdir()] == [first.digest]
        # A discarded conversation is replaced, and everything is imported again.
        await store.discard_conversations(["one"])
        assert await store.add_imported(past("one", A, B, pictures=(first, second)), begun.id)
        assert await store.picture(second.digest) == second.data
        await store.aclose()

    asyncio.run(scene())


def test_damaged_records_are_ignored(tmp_path: Path) -> None:
    async def scene() -> None:
        store = await SqliteStore.open(tmp_path / CONVERSATIONS_FILE)
        begun = await store.begin_import("a.zip", [])
        await store.add_imported(past("one", A), begun.id)
        await store.set_state(f"past.import:{begun.id}", "[]")
        await store.end_import("another")
        await store.aclose()
        store = await SqliteStore.open(tmp_path / CONVERSATIONS_FILE)
        (found,) = await store.unfinished_imports()
        assert (found.name, found.started, found.messages) == ("", 0.0, {"one": [A]})
        for odd in ("{", "5", '{"messages": 5}'):
            await store.set_state(f"past.came:one:{begun.id}", odd)
            assert await store.unfinished_imports() == []
        await store.aclose()

    asyncio.run(scene())
