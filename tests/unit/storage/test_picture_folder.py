"""Pictures are kept as long as a message shows them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from neodeskpet.core.attachments import Picture
from neodeskpet.core.blocks import Image, Message, MessageState, Role, Text, ToolStatus, ToolUse
from neodeskpet.core.errors import StoreError
from neodeskpet.core.tool_result import ResultImage
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.storage.picture_folder import PICTURES_FOLDER, PictureFolder
from tests.support.pictures import picture

RED, BLUE = picture("red", "red.png"), picture("blue")


def showing(name: str, *pictures: Picture) -> Message:
    images = [Image(i, 0, p.digest, p.media_type, p.name) for i, p in enumerate(pictures)]
    blocks = (*images, Text(len(images), 0, "look"))
    return Message(name, Role.USER, blocks, MessageState.DONE, 1.0, 1.0)


def files(home: Path) -> set[str]:
    folder = home / PICTURES_FOLDER
    return {file.name for file in folder.iterdir()} if folder.exists() else set()


def test_they_are_stored_over_a_restart_and_deleted_with_the_last_message_that_shows_them(
    tmp_path: Path,
) -> None:
    async def first() -> None:
        store = await SqliteStore.open(tmp_path / CONVERSATIONS_FILE)
        one = await store.create_conversation("one")
        two = await store.create_conversation("two")
        await store.add_message(one.id, showing("a", RED, BLUE), (RED, BLUE))
        await store.add_message(two.id, showing("b", RED), (RED,))
        await store.update_description(RED.digest, "something red")
        await store.update_description(BLUE.digest, "blue")
        await store.update_description(BLUE.digest, "something blue")
        await store.aclose()

    async def second() -> None:
        store = await SqliteStore.open(tmp_path / CONVERSATIONS_FILE)
        two, one = sorted(await store.conversations(), key=lambda info: info.title, reverse=True)
        assert await store.picture(RED.digest) == RED.data
        (message,) = await store.messages(["a"])
        assert [b.description for b in message.blocks if isinstance(b, Image)] == [
            "something red", "something blue",
        ]  # fmt: skip
        await store.delete_conversation(one.id)
        assert files(tmp_path) == {RED.digest}
        assert await store.picture(BLUE.digest) is None
        await store.add_message(two.id, showing("c", BLUE), (BLUE,))
        (again,) = await store.messages(["c"])
        assert again.blocks[0] == Image(0, 0, BLUE.digest, "image/png")  # deleted with it
        await store.delete_conversation(two.id)
        assert files(tmp_path) == set()
        await store.aclose()

    asyncio.run(first())
    assert files(tmp_path) == {RED.digest, BLUE.digest}
    for file in (tmp_path / PICTURES_FOLDER).iterdir():
        assert file.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / PICTURES_FOLDER).stat().st_mode & 0o777 == 0o700
    asyncio.run(second())


def test_a_message_that_can_not_be_stored_leaves_no_picture(tmp_path: Path) -> None:
    async def scene() -> None:
        store = await SqliteStore.open(tmp_path / CONVERSATIONS_FILE)
        info = await store.create_conversation()
        await store.add_message(info.id, showing("a", RED), (RED,))
        with pytest.raises(StoreError):
            await store.add_message("nowhere", showing("b", RED, BLUE), (RED, BLUE))
        assert files(tmp_path) == {RED.digest}
        await store.aclose()

    asyncio.run(scene())


def test_a_folder_that_can_not_be_created_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / PICTURES_FOLDER).write_text("in the way", encoding="utf-8")

    async def scene() -> None:
        store = await SqliteStore.open(tmp_path / CONVERSATIONS_FILE)
        info = await store.create_conversation()
        with pytest.raises(StoreError):
            await store.add_message(info.id, showing("a", RED), (RED,))
        assert await store.history(info.id) == []
        await store.aclose()

    asyncio.run(scene())


def test_in_memory() -> None:
    async def scene() -> None:
        store = await SqliteStore.open(None)
        info = await store.create_conversation()
        await store.add_message(info.id, showing("a", RED), (RED,))
        assert await store.picture(RED.digest) == RED.data
        await store.delete_conversation(info.id)
        assert await store.picture(RED.digest) is None
        await store.aclose()

    asyncio.run(scene())


def test_only_a_digest_names_a_file(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x", encoding="utf-8")
    folder = PictureFolder(tmp_path / PICTURES_FOLDER)
    assert folder.get("../secret") is None
    folder.delete(["../secret"])
    assert (tmp_path / "secret").exists()
    folder.put([Picture("../evil", b"x", "image/png")])
    assert not (tmp_path / "evil").exists()


def test_pictures_of_a_result_are_kept_as_long_as_a_call_shows_them(tmp_path: Path) -> None:
    async def scene() -> None:
        store = await SqliteStore.open(tmp_path / "s.db")
        info = await store.create_conversation()
        await store.store_pictures([RED])
        image = ResultImage(RED.digest, RED.media_type, RED.name)
        use = ToolUse(0, 0, "c", "look", "{}", {}, ToolStatus.SUCCESS, "a cat", images=(image,))
        message = Message("m", Role.ASSISTANT, (use,), MessageState.DONE, 0.0)
        await store.add_message(info.id, message)
        assert await store.messages(["m"]) == [message]
        other = await store.create_conversation()
        await store.delete_conversation(other.id)
        assert await store.picture(RED.digest) == RED.data
        await store.delete_conversation(info.id)
        assert await store.picture(RED.digest) is None
        await store.aclose()

    asyncio.run(scene())
