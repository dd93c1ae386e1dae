"""Imported conversations are previewed, added, recognised again, and removed."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as Pillow

from neodeskpet.conversation.import_chats.archive_reader import ArchiveReader, ArchiveUnreadable
from neodeskpet.conversation.import_chats.chat_importer import (
    ChatImporter,
    ImportedMessages,
    ImportPreview,
    is_foreign_archive,
    last_import,
    undo_import,
)
from neodeskpet.core.blocks import Image, Message, MessageState, Role, Text
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.storage.chat_imports import LAST_IMPORT_KEY
from neodeskpet.storage.conversation_store import SqliteStore
from tests.support.pasts import (
    BEGUN,
    archive,
    chatgpt_conversation,
    chatgpt_message,
    chatgpt_talk,
    claude_conversation,
    claude_message,
    words,
)


def play(scene: Coroutine[Any, Any, None]) -> None:
    asyncio.run(scene)


async def bring(store: SqliteStore, path: Path) -> tuple[ImportPreview, ImportedMessages]:
    intake = ChatImporter(store, path)
    try:
        preview = await intake.preview_archive()
        return preview, await intake.import_conversations([one.id for one in preview.new])
    finally:
        await intake.aclose()


async def texts(store: SqliteStore) -> dict[str, list[str]]:
    found = await store.conversations()
    return {one.title: [m.text for m in await store.history(one.id)] for one in found}


def test_an_import_keeps_its_times_and_can_be_undone_completely(tmp_path: Path) -> None:
    talks = [
        chatgpt_talk("c", "Cats", "hello zyxxyqword", "hi"),
        claude_conversation("d", "Dogs", claude_message("m", "human", words("woof"))),
    ]
    path = archive(tmp_path / "a.zip", talks)

    async def scene() -> None:
        store = await SqliteStore.open(tmp_path / "a.db")
        told: list[str] = []
        store.subscribe(told.extend)
        preview, taken = await bring(store, path)
        assert (len(preview.choices), preview.messages, len(preview.new)) == (2, 3, 2)
        assert preview.time_span == (BEGUN, 1_768_471_200.0)
        assert await texts(store) == {"Cats": ["hello zyxxyqword", "hi"], "Dogs": ["woof"]}
        cats = next(one for one in await store.conversations() if one.title == "Cats")
        assert (cats.created, cats.updated, cats.folder) == (BEGUN, BEGUN + 1, "ChatGPT")
        assert [m.created for m in await store.history(cats.id)] == [BEGUN, BEGUN + 1]
        assert sorted(told) == sorted(one for ids in taken.messages.values() for one in ids)
        assert len(await store.visible_messages(told)) == 3

        last = await last_import(store)
        assert last is not None and last.messages == taken.messages
        await undo_import(store, last)
        assert await store.conversations() == [] and await last_import(store) is None
        await store.aclose()
        for file in (tmp_path / "a.db", tmp_path / "a.db-wal"):
            assert not file.exists() or b"zyxxyqword" not in file.read_bytes()

    play(scene())


def test_nothing_is_imported_twice_and_a_newer_archive_adds_only_new_messages(
    tmp_path: Path,
) -> None:
    old = archive(tmp_path / "old.zip", [chatgpt_talk("c", "Cats", "q", "a")])
    longer = [chatgpt_talk("c", "Renamed", "q", "a", "q2", "a2"), chatgpt_talk("d", "Dogs", "x")]
    newer = archive(tmp_path / "new.zip", longer)

    async def scene() -> None:
        store = await SqliteStore.open(tmp_path / "a.db")
        await bring(store, old)
        preview, taken = await bring(store, old)
        assert (preview.new, taken.count) == ([], 0)
        assert preview.choices[0].exists

        preview, taken = await bring(store, newer)
        assert [(one.new, one.count, one.exists) for one in preview.choices] == [
            (2, 4, True),
            (1, 1, False),
        ]
        assert await texts(store) == {"Cats": ["q", "a", "q2", "a2"], "Dogs": ["x"]}
        await undo_import(store, taken)
        assert await texts(store) == {"Cats": ["q", "a"]}
        preview, _ = await bring(store, newer)
        assert len(preview.new) == 2
        await store.aclose()

    play(scene())


def test_conversations_that_the_user_deleted_or_continued_are_unchanged(tmp_path: Path) -> None:
    old = archive(tmp_path / "old.zip", [chatgpt_talk("c", "Cats", "q", "a", "q2", "a2")])
    newer = [chatgpt_talk("c", "Cats", "q", "a", "q2", "a2", "q3", "a3")]

    async def scene() -> None:
        store = await SqliteStore.open(tmp_path / "a.db")
        _, taken = await bring(store, old)
        (here,) = taken.messages
        await store.delete_messages([taken.messages[here][2]])
        own = Message("own", Role.USER, (Text(0, 0, "mine"),), MessageState.DONE, 9e8)
        await store.add_message(here, own)
        assert (await texts(store))["Cats"] == ["q", "a", "mine"]

        _, more = await bring(store, archive(tmp_path / "new.zip", newer))
        assert more.count == 2  # a deleted conversation isn't imported again
        assert (await texts(store))["Cats"] == ["q", "a", "mine"]
        nodes = {node.id: node.parent for node in await store.nodes(here)}
        assert nodes[more.messages[here][0]] == taken.messages[here][1]

        await undo_import(store, more)
        await undo_import(store, taken)
        assert await texts(store) == {"Cats": ["mine"]}
        await store.aclose()

    play(scene())


def test_a_conversation_whose_import_was_undone_is_imported_again(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.zip", [chatgpt_talk("c", "Cats", "q", "a")])

    async def scene() -> None:
        store = await SqliteStore.open(tmp_path / "a.db")
        _, taken = await bring(store, path)
        await store.discard_conversations([*taken.messages])
        preview, again = await bring(store, path)
        assert len(preview.new) == 1 and again.messages == taken.messages
        assert await texts(store) == {"Cats": ["q", "a"]}
        await store.aclose()

    play(scene())


def test_versions_and_pictures(tmp_path: Path) -> None:
    raw = io.BytesIO()
    Pillow.new("RGB", (30, 20), "red").save(raw, "PNG")
    pointer = {
        "content_type": "image_asset_pointer",
        "asset_pointer": "file-service://file-Red",
    }
    gone = pointer | {"asset_pointer": "file-service://file-Gone"}
    shown = {"content_type": "multimodal_text", "parts": [pointer, gone, "look"]}
    nodes: list[tuple[str, str | None, Any]] = [
        ("r", None, None),
        ("q", "r", chatgpt_message("user", shown, at=1e9)),
        ("a1", "q", chatgpt_message("assistant", "one", at=1e9 + 1)),
        ("a2", "q", chatgpt_message("assistant", "two", at=1e9 + 2)),
    ]
    talk = chatgpt_conversation("c", "Red", nodes, current_node="a1")
    path = archive(tmp_path / "a.zip", [talk], {"file-Red-photo.png": raw.getvalue()})

    async def scene() -> None:
        store = await SqliteStore.open(tmp_path / "a.db")
        _, taken = await bring(store, path)
        (here,) = taken.messages
        question, answer = await store.history(here)
        assert answer.text == "one"
        assert [h.versions for h in await store.heads(here)] == [1, 2]
        images = [block for block in question.blocks if isinstance(block, Image)]
        data = await store.picture(images[0].digest)
        assert data is not None and Pillow.open(io.BytesIO(data)).size == (30, 20)
        assert await store.picture(images[1].digest) is None
        await undo_import(store, taken)
        assert await store.picture(images[0].digest) is None
        await store.aclose()

    play(scene())


def test_long_conversations_are_imported_in_pieces_and_completely(tmp_path: Path) -> None:
    said = [f"{place} " + "x" * 20_000 for place in range(120)]
    path = archive(tmp_path / "a.zip", [chatgpt_talk("c", "Long", *said)] * 2)

    async def scene() -> None:
        store = await SqliteStore.open(None)
        steps: list[int] = []
        intake = ChatImporter(store, path)
        preview = await intake.preview_archive()
        assert len(preview.choices) == 1
        taken = await intake.import_conversations(
            [preview.choices[0].id], lambda so_far: steps.append(so_far.count)
        )
        await intake.aclose()
        assert taken.count == 120 and len(steps) > 3
        assert (await texts(store))["Long"] == said
        await store.aclose()

    play(scene())


def test_an_import_that_was_cancelled_can_still_be_undone(tmp_path: Path) -> None:
    talks = [chatgpt_talk(f"c{n}", f"T{n}", "q" * 40_000, "a" * 40_000) for n in range(60)]
    path = archive(tmp_path / "a.zip", talks)

    async def scene() -> None:
        store = await SqliteStore.open(None)
        intake = ChatImporter(store, path)
        preview = await intake.preview_archive()
        begun = asyncio.Event()
        taking = spawn_task(
            intake.import_conversations(
                [one.id for one in preview.new], lambda _taken: begun.set()
            ),
            name="take",
        )
        await begun.wait()
        taking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await taking
        await intake.aclose()
        here = len(await store.conversations())
        assert here == len(intake.imported.messages) < 60
        last = await last_import(store)
        assert last is not None
        await undo_import(store, last)
        assert await store.conversations() == []
        await store.aclose()

    play(scene())


def test_an_unreadable_archive_has_a_reason(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04 and nothing more")
    (tmp_path / "b.json").write_text("no JSON", "utf-8")

    async def look(path: Path) -> ImportPreview:
        intake = ChatImporter(store := await SqliteStore.open(None), path)
        try:
            return await intake.preview_archive()
        finally:
            await intake.aclose()
            await store.aclose()

    preview = asyncio.run(look(tmp_path / "a.zip"))
    assert [one.reason for one in preview.skipped] == ["item_broken"] and preview.time_span is None
    assert [one.reason for one in asyncio.run(look(tmp_path / "b.json")).skipped] == ["item_broken"]
    with pytest.raises(ArchiveUnreadable, match="still there"):
        asyncio.run(look(tmp_path / "gone.zip"))
    late = ArchiveReader(archive(tmp_path / "c.zip", [chatgpt_talk("c", "x", "y")]))
    with pytest.raises(ArchiveUnreadable, match="damaged"):
        late.survey()  # it wasn't opened
    late.close()


def test_an_archive_is_distinguished_from_an_export(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.zip", [])
    assert is_foreign_archive(path)
    (tmp_path / "b.json").write_text('\ufeff [{"mapping": {}}]', "utf-8")
    (tmp_path / "c.json").write_text('{"title": "x", "messages": []}', "utf-8")
    assert is_foreign_archive(tmp_path / "b.json")
    assert not is_foreign_archive(tmp_path / "c.json") and not is_foreign_archive(tmp_path / "gone")


def test_an_unreadable_note_is_ignored(tmp_path: Path) -> None:
    async def scene() -> None:
        store = await SqliteStore.open(None)
        assert await last_import(store) is None
        for odd in ("[]", "{", json.dumps({"messages": 5, "name": ""})):
            await store.set_state(LAST_IMPORT_KEY, odd)
            assert await last_import(store) is None
        await store.aclose()

    play(scene())
