"""Which model was chosen for which conversation."""

from __future__ import annotations

import asyncio

from neodeskpet.conversation.conversation_choices import ModelChoices
from neodeskpet.storage.conversation_store import SqliteStore


def test_the_choice_of_a_deleted_conversation_is_removed() -> None:
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


def test_unreadable_choices_count_as_none() -> None:
    async def live() -> None:
        store = await SqliteStore.open(None)
        for kept in ("{", "[]", '{"conversations": 3, "recent": []}'):
            await store.set_state("models.chosen", kept)
            choices = ModelChoices(store)
            await choices.load()
            assert choices.recent == ()
        await store.aclose()

    asyncio.run(live())
