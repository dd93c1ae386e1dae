"""Which model was chosen where."""

from __future__ import annotations

import asyncio

from neodeskpet.conversation.conversation_choices import ModelChoices
from neodeskpet.storage.conversation_store import SqliteStore


def test_a_conversation_that_is_gone_is_forgotten() -> None:
    async def live() -> None:
        store = await SqliteStore.open(None)
        here, gone = await store.create_conversation(), await store.create_conversation()
        choices = ModelChoices(store)
        await choices.choose(here.id, "large")
        await choices.choose(gone.id, "small")
        await store.delete_conversation(gone.id)

        again = ModelChoices(store)
        await again.load()
        assert (again.get(here.id), again.get(gone.id)) == ("large", "")
        assert again.recent == ("small", "large")

        await again.choose(here.id, "")
        await again.choose_for_all(here.id, "large")
        third = ModelChoices(store)
        await third.load()
        assert third.get(here.id) == ""
        assert third.recent == ("large", "small")
        await store.aclose()

    asyncio.run(live())


def test_what_cant_be_read_counts_as_nothing() -> None:
    async def live() -> None:
        store = await SqliteStore.open(None)
        for kept in ("{", "[]", '{"conversations": 3, "recent": []}'):
            await store.set_state("models.chosen", kept)
            choices = ModelChoices(store)
            await choices.load()
            assert choices.recent == ()
        await store.aclose()

    asyncio.run(live())
