"""What was taken in stands beside its conversation, and goes with it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from neodeskpet.core.blocks import Message, MessageState, Role, Text
from neodeskpet.core.records import Node
from neodeskpet.memory.importing import Imported
from neodeskpet.memory.past.rows import LEDGER, Past, mark
from neodeskpet.memory.store import SqliteStore


def past(*ids: str, parents: dict[str, str] | None = None, current: str = "") -> Past:
    said = [Message(one, Role.USER, (Text(0, 0, one),), MessageState.DONE, 1e9) for one in ids]
    places = parents or dict(zip(ids, ("", *ids), strict=False))
    nodes = [Node(one, places[one]) for one in ids]
    return Past("conv", Imported("T", said, nodes, [], "Folder"), 1e9, 1e9, current or ids[-1])


def test_what_is_new_is_shown_where_nobody_went_on() -> None:
    async def scene() -> None:
        store = await SqliteStore.open(None)
        a, b, c = ("a" * 20, "b" * 20, "c" * 20)
        assert await store.take_past(past(a, b), "import") == [a, b]
        assert await store.take_past(past(a, b), "import") == []
        assert await store.past_known(["conv", "other"]) == {"conv": {mark(a), mark(b)}}
        parents = {a: "", b: a, c: a}
        assert await store.take_past(past(a, b, c, parents=parents), "import") == [c]
        assert [head.id for head in await store.heads("conv")] == [a, c]
        await store.close()

    asyncio.run(scene())


def test_a_note_that_was_spoilt_brings_nothing_twice(tmp_path: Path) -> None:
    async def scene() -> None:
        store = await SqliteStore.open(tmp_path / "a.db")
        a, b = "a" * 20, "b" * 20
        await store.take_past(past(a), "import")
        for odd in ("{", "5", "null"):
            await store.set_state(f"{LEDGER}:conv", odd)
            assert await store.take_past(past(a), "import") == []
        assert await store.take_past(past(a, b), "import") == [b]
        await store.delete_conversation("conv")
        assert await store.get_state(f"{LEDGER}:conv") is None
        assert await store.past_known(["conv"]) == {}
        await store.close()

    asyncio.run(scene())
