"""Per-conversation choices, such as whether memory is used."""

import asyncio

from neodeskpet.conversation.conversation_choices import RecallChoices
from neodeskpet.storage.conversation_store import SqliteStore


def test_a_choice_is_kept_over_a_restart_for_existing_conversations() -> None:
    async def scene() -> None:
        store = await SqliteStore.open(None)
        kept, gone = await store.create_conversation(), await store.create_conversation()
        choices = RecallChoices(store)
        await choices.load()
        assert choices.is_on(kept.id)
        for one in (kept, gone):
            await choices.switch(one.id, False)
        await store.delete_conversation(gone.id)
        later = RecallChoices(store)
        await later.load()
        assert (later.is_on(kept.id), later.is_on(gone.id)) == (False, True)
        await later.switch(kept.id, True)
        await choices.load()
        assert choices.is_on(kept.id)
        await store.set_state("memory.off", "{torn")
        await later.load()
        assert later.is_on(kept.id)
        await store.aclose()

    asyncio.run(scene())
