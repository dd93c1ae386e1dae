"""Imports are recorded beside their conversations and deleted with them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from neodeskpet.core.blocks import Message, MessageNode, MessageState, Role, Text
from neodeskpet.storage.chat_export_reader import ImportedConversation
from neodeskpet.storage.chat_imports import IMPORTED_MARKS_KEY, ForeignConversation, message_mark
from neodeskpet.storage.conversation_store import SqliteStore


def past(
    *ids: str, parents: dict[str, str] | None = None, current: str = ""
) -> ForeignConversation:
    said = [Message(one, Role.USER, (Text(0, 0, one),), MessageState.DONE, 1e9) for one in ids]
    places = parents or dict(zip(ids, ("", *ids), strict=False))
    nodes = [MessageNode(one, places[one]) for one in ids]
    return ForeignConversation(
        "conv", ImportedConversation("T", said, nodes, [], "Folder"), 1e9, 1e9, current or ids[-1]
    )


def test_new_messages_are_shown_if_the_conversation_was_not_continued() -> None:
    async def scene() -> None:
        store = await SqliteStore.open(None)
        a, b, c = ("a" * 20, "b" * 20, "c" * 20)
        assert await store.add_imported(past(a, b), "import") == [a, b]
        assert await store.add_imported(past(a, b), "import") == []
        assert await store.known_imported(["conv", "other"]) == {
            "conv": {message_mark(a), message_mark(b)}
        }
        parents = {a: "", b: a, c: a}
        assert await store.add_imported(past(a, b, c, parents=parents), "import") == [c]
        assert [head.id for head in await store.heads("conv")] == [a, c]
        await store.aclose()

    asyncio.run(scene())


def test_a_damaged_record_imports_nothing_twice(tmp_path: Path) -> None:
    async def scene() -> None:
        store = await SqliteStore.open(tmp_path / "a.db")
        a, b = "a" * 20, "b" * 20
        await store.add_imported(past(a), "import")
        for odd in ("{", "5", "null"):
            await store.set_state(f"{IMPORTED_MARKS_KEY}:conv", odd)
            assert await store.add_imported(past(a), "import") == []
        assert await store.add_imported(past(a, b), "import") == [b]
        await store.delete_conversation("conv")
        assert await store.get_state(f"{IMPORTED_MARKS_KEY}:conv") is None
        assert await store.known_imported(["conv"]) == {}
        await store.aclose()

    asyncio.run(scene())
