from __future__ import annotations

import asyncio

from hypothesis import given, settings

from neodeskpet.core.blocks import Block, Message, MessageHead, MessageState, Role, Text, Usage
from neodeskpet.storage.conversation_store import SqliteStore
from tests.unit.memory.strategies import block_runs


def said(number: int, role: Role = Role.USER) -> Message:
    return Message(f"m{number}", role, (Text(0, 0, f"say {number}"),), MessageState.DONE, number)


@settings(max_examples=60, deadline=None)
@given(block_runs())
def test_an_added_message_is_read_back_completely(run: tuple[Block, ...]) -> None:
    async def scene() -> None:
        store = await SqliteStore.open(None)
        conversation = await store.create_conversation()
        message = Message(
            "m", Role.ASSISTANT, run, MessageState.DONE, 1.25, 2.5, Usage(1, 2, 3, 4), 2, "tiny"
        )
        await store.add_message(conversation.id, message)
        assert await store.messages(["m"]) == [message]
        assert await store.history(conversation.id) == [message]
        await store.aclose()

    asyncio.run(scene())


def test_heads_history_and_messages_of_a_long_conversation() -> None:
    async def scene() -> None:
        store = await SqliteStore.open(None)
        here = await store.create_conversation("here")
        other = await store.create_conversation("other")
        all_of_them = [said(n, Role.ASSISTANT if n % 2 else Role.USER) for n in range(1100)]
        for message in all_of_them:
            await store.add_message(here.id, message)
        await store.add_message(other.id, said(9999))

        heads = await store.heads(here.id)
        assert [head.id for head in heads] == [message.id for message in all_of_them]
        assert heads[10] == MessageHead("m10", "user", len("say 10"), 1)
        assert await store.history(here.id, limit=3) == all_of_them[-3:]
        assert len(await store.history(here.id)) == 200
        assert await store.history(here.id, limit=5000) == all_of_them
        backwards = [message.id for message in reversed(all_of_them)]
        assert await store.messages([*backwards, "nobody"]) == all_of_them[::-1]
        assert await store.messages([]) == []
        assert await store.heads("nowhere") == []
        await store.aclose()

    asyncio.run(scene())


def test_the_list_of_heads_reads_only_the_index() -> None:
    async def scene() -> None:
        store = await SqliteStore.open(None)
        plan = await store.database.run(
            lambda db: db.execute(
                "EXPLAIN QUERY PLAN SELECT id, role, chars, blocks, number FROM messages "
                "WHERE conversation = ? AND replaced = 0 AND number > ? ORDER BY number",
                ("x", 0),
            ).fetchall()
        )
        assert [row[3] for row in plan] == [
            "SEARCH messages USING COVERING INDEX message_heads "
            "(conversation=? AND replaced=? AND number>?)"
        ]
        await store.aclose()

    asyncio.run(scene())


def test_conversations_pinned_first_then_the_latest() -> None:
    async def scene() -> None:
        now = iter(range(100, 200))
        store = await SqliteStore.open(None, clock=lambda: float(next(now)))
        old, middle, new = [await store.create_conversation(title) for title in "abc"]
        assert [c.title for c in await store.conversations()] == ["c", "b", "a"]
        await store.pin_conversation(old.id, True)
        await store.add_message(middle.id, said(500))
        assert [(c.title, c.pinned) for c in await store.conversations()] == [
            ("a", True),
            ("b", False),
            ("c", False),
        ]
        await store.pin_conversation(old.id, False)
        assert [c.id for c in await store.conversations()] == [middle.id, new.id, old.id]
        await store.aclose()

    asyncio.run(scene())
