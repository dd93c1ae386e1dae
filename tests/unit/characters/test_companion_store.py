"""The further companions, and which conversation belongs to which."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from neodeskpet.characters.cards.character_card import Card
from neodeskpet.characters.character_assignments import CharacterAssignments
from neodeskpet.characters.character_library import CharacterLibrary
from neodeskpet.characters.companion_store import (
    MOST_COMPANIONS,
    CompanionState,
    CompanionStore,
    Speaker,
)
from neodeskpet.characters.persona import Persona
from neodeskpet.characters.persona_files import FigureName, PersonaStore
from neodeskpet.core.blocks import ConversationInfo
from neodeskpet.storage.conversation_store import SqliteStore


def figure_named(path: str) -> FigureName:
    return FigureName(path.strip("/").replace("/", "-"), Path(path).name)


async def opened(tmp_path: Path, store: SqliteStore) -> tuple[PersonaStore, CompanionStore]:
    personas = PersonaStore(tmp_path / "personas", FigureName("fig", "Figgy"))
    guests = CompanionStore(store, personas, figure_named)
    await guests.restore()
    return personas, guests


def test_companions_are_added_and_removed_and_their_conversations_stay_theirs(
    tmp_path: Path,
) -> None:
    async def scene() -> None:
        store = await SqliteStore.open(None)
        _, guests = await opened(tmp_path, store)
        told: list[int] = []
        end = guests.subscribe(lambda: told.append(1))
        one, other = await store.create_conversation(), await store.create_conversation()
        assert await guests.conversation_of("/m/Mo") == ""
        await guests.add("/m/Mo", one.id)
        await guests.add("/m/Lu", other.id)
        await guests.set_position("/m/Mo", feet=(30, 40))
        await guests.set_position("/m/Mo", scale=1.5)
        assert guests.guest("/m/Mo") == CompanionState("/m/Mo", one.id, (30, 40), 1.5)
        await guests.remove("/m/Lu")
        end()
        assert len(told) == 3

        _, later = await opened(tmp_path, store)
        assert list(later.present) == [CompanionState("/m/Mo", one.id, (30, 40), 1.5)]
        assert later.companion_of(other.id) == "/m/Lu"
        assert later.guest("/m/Lu") is None
        assert await later.conversation_of("/m/Lu") == other.id
        copy = await store.create_conversation()
        await later.conversation_copied(other.id, copy.id)
        await later.conversation_copied("unknown", "copy")
        assert (later.companion_of(copy.id), later.companion_of("copy")) == ("/m/Lu", None)
        again = await later.add("/m/Mo", copy.id)
        assert again == CompanionState("/m/Mo", copy.id, (30, 40), 1.5)

        await store.delete_conversation(copy.id)
        _, last = await opened(tmp_path, store)
        assert not last.present
        await store.aclose()

    asyncio.run(scene())


def test_an_unreadable_file_means_none_and_too_many_are_cut(tmp_path: Path) -> None:
    async def scene() -> None:
        store = await SqliteStore.open(None)
        talk: ConversationInfo = await store.create_conversation()
        here = [[f"/m/{number}", talk.id, None, 0] for number in range(MOST_COMPANIONS + 2)]
        await store.set_state("guests", json.dumps({"here": here, "owners": {}}))
        _, guests = await opened(tmp_path, store)
        assert len(guests.present) == MOST_COMPANIONS
        for torn in ("{torn", "[]", '{"here": [[1]]}', '{"here": [["a", "b", [1], 0]]}'):
            await store.set_state("guests", torn)
            _, guests = await opened(tmp_path, store)
            assert not guests.present
        await store.aclose()

    asyncio.run(scene())


def test_a_companion_speaks_by_its_own_card_unless_it_has_a_character(tmp_path: Path) -> None:
    async def scene() -> None:
        store = await SqliteStore.open(None)
        personas, guests = await opened(tmp_path, store)
        library = CharacterLibrary(tmp_path / "characters")
        mimi = library.add(Card("Mimi"))
        library.load()
        cast = CharacterAssignments(store, personas, library, guests)
        await cast.set_default(mimi)
        own, talk, copy = [await store.create_conversation() for _ in range(3)]
        await guests.add("/m/Mo", talk.id)
        assert (cast.companion_figure(talk.id), cast.companion_figure(own.id)) == ("/m/Mo", None)
        assert (cast.name(talk.id), cast.name(own.id)) == ("Mo", "Figgy")
        assert await cast.assign_new(talk.id) is None
        await cast.conversation_copied(talk.id, copy.id)
        assert cast.name(copy.id) == "Mo"
        for name in ("Moritz", "Max"):
            personas.update(figure_named("/m/Mo"), Persona(name, "You are calm."))
            assert cast.name(talk.id) == name
            assert cast.persona(talk.id) == cast.persona(talk.id)
        await cast.choose(talk.id, mimi)
        assert cast.name(talk.id) == "Mimi"
        await store.aclose()

    asyncio.run(scene())


def test_companions_of_a_dialogue_are_stored(tmp_path: Path) -> None:
    async def scene() -> None:
        store = await SqliteStore.open(None)
        personas, guests = await opened(tmp_path, store)
        talk, copy = await store.create_conversation(), await store.create_conversation()
        both = (Speaker(None, "Figgy"), Speaker("/m/Mo", "Mo"))
        assert not guests.dialogue_of(talk.id)
        await guests.start_dialogue(talk.id, both)
        await guests.conversation_copied(talk.id, copy.id)
        _, later = await opened(tmp_path, store)
        assert later.dialogue_of(talk.id) == later.dialogue_of(copy.id) == both
        assert later.persona_of(both[0]) == personas.current
        assert later.persona_of(both[1]).name == "Mo"
        assert later.companion_of(talk.id) is None
        await store.aclose()

    asyncio.run(scene())
