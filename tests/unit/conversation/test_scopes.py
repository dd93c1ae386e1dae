"""Characters in the engine: their texts, greetings and memories."""

from __future__ import annotations

import asyncio
from datetime import datetime
from pathlib import Path

import pytest

from neodeskpet.app.engine import Engine, open_engine
from neodeskpet.app.run_options import RunOptions
from neodeskpet.characters.cards.character_card import Card
from neodeskpet.cli.chat_command import (
    AmbiguousPersona,
    NoSuchPersona,
    choose_persona,
    find_persona,
)
from neodeskpet.core import data_labels
from neodeskpet.core.blocks import Role, Text
from neodeskpet.llm.scripted_model import ScriptedModel, scripted_text
from neodeskpet.memory.facts.fact import FactClaim, FactSource

NOW = datetime(2026, 1, 4, 9)


async def open_with(home: Path, *cards: Card) -> tuple[Engine, ScriptedModel]:
    model = ScriptedModel(*[[scripted_text("Hm.")] for _ in range(12)])
    engine = await open_engine(home, model=model, options=RunOptions(recall_timeout=20))
    for card in cards:
        engine.storage.characters.library.add(card)
    engine.storage.characters.library.load()
    return engine, model


async def ask(engine: Engine, model: ScriptedModel, text: str) -> str:
    """Return what the model is sent."""
    engine.chat.send(text)
    await engine.chat.wait_idle()
    await engine.memory.indexer.catch_up_changes()
    return str(model.requests[-1].system)


def test_a_character_greets_answers_and_has_its_own_memory(tmp_path: Path) -> None:
    async def scene() -> None:
        mimi = Card(
            "Mimi", description="{{char}} is a cat.", greeting="Miau!", alternates=("Purr.",)
        )
        engine, model = await open_with(tmp_path, mimi, Card("Mo", description="Mo is slow."))
        chat = engine.chat
        try:
            await chat.open()
            await choose_persona(engine, find_persona(engine, "mimi"))
            info = chat.conversation
            assert info is not None
            heads = await engine.storage.store.heads(info.id)
            assert [(one.version, one.versions) for one in heads] == [(1, 2)]
            await chat.step_version(heads[0].id, 1)
            assert [one.text for one in await engine.storage.store.history(info.id)] == ["Purr."]

            await choose_persona(engine, find_persona(engine, "Mo"))
            assert await engine.storage.store.heads(info.id) == []
            await choose_persona(engine, find_persona(engine, "Mimi"))
            with pytest.raises(NoSuchPersona):
                find_persona(engine, "Nobody")
            twin = engine.storage.characters.library.add(Card("Mo"))
            engine.storage.characters.library.load()
            with pytest.raises(AmbiguousPersona, match="2 characters"):
                find_persona(engine, "mo")
            assert find_persona(engine, twin) is not None
            assert find_persona(engine, "") is None

            found = engine.storage.characters.character_of(info.id)
            assert found is not None
            await engine.storage.characters.set_own_memory(found.id, True)
            system = await ask(engine, model, "My parrot is called Zazu, the green one.")
            assert "Mimi is a cat." in system
            assert [one.role for one in await engine.storage.store.history(info.id)][:2] == [
                Role.ASSISTANT,
                Role.USER,
            ]
            await chat.greet(["again"])
            assert len(await engine.storage.store.heads(info.id)) == 3, "they have spoken"
            source = FactSource((await engine.storage.store.heads(info.id))[1].id, info.id)
            facts = engine.memory.store.facts
            await facts.add("Parrot Zazu", FactClaim("parrot", "zazu"), source, NOW)

            branch = await chat.create_branch((await engine.storage.store.heads(info.id))[-1].id)
            assert engine.storage.characters.character_of(branch.id) == found
            other = await chat.open_new()
            system = await ask(engine, model, "What is my green parrot called?")
            assert "Zazu" not in system
            kept = await facts.add(
                "Parrot Kiwi", FactClaim("parrot", "kiwi"), FactSource("x", other.id), NOW
            )
            assert kept.conflicting_fact is None, (
                "facts of different memories don't contradict each other"
            )
            again = await chat.open_new()
            await chat.greet(["Hello"], (data_labels.DataSource(data_labels.SourceKind.SYNC),))
            (greeting,) = await engine.storage.store.history(again.id)
            (words,) = greeting.blocks
            assert isinstance(words, Text) and words.untrusted, "others may have written the card"
            await engine.storage.characters.choose(again.id, found.id)
            system = await ask(engine, model, "What is my green parrot called?")
            assert "Zazu" in system
            assert "Kiwi" not in system

            await engine.storage.characters.set_own_memory(found.id, False)
            await chat.open_new()
            assert "Zazu, the green" in await ask(engine, model, "What is my green parrot called?")
            forgotten = [
                one.id for one in await engine.memory.store.facts.list_facts() if "Zazu" in one.text
            ]
            await facts.delete(forgotten)
            await engine.forget([source.message])
            for apart in (True, False):
                await engine.storage.characters.set_own_memory(found.id, apart)
                fresh = await chat.open_new()
                await engine.storage.characters.choose(fresh.id, found.id)
                assert "Parrot Zazu" not in await ask(engine, model, "The parrot's name?")
        finally:
            await engine.aclose()

    asyncio.run(scene())


def test_a_few_items_of_one_memory_are_found_among_many_others(tmp_path: Path) -> None:
    async def scene() -> None:
        engine, _ = await open_with(tmp_path, Card("Mimi"))
        try:
            from neodeskpet.memory.recall.recall_types import ItemSide, MemoryItem, MemoryQuery

            many = [
                MemoryItem(
                    f"i{n}", "user", ItemSide.PERSON, NOW, f"The red kettle number {n}", "", "other"
                )
                for n in range(600)
            ]
            own = MemoryItem(
                "own", "user", ItemSide.PERSON, NOW, "A red kettle of mine", "", "here"
            )
            await engine.memory.store.add([own, *many])
            question = MemoryQuery(
                "red kettle?", NOW, 500, is_allowed_conversation=lambda one: one == "here"
            )
            assert [one.item.id for one in await engine.memory.store.recall(question)] == ["own"]
        finally:
            await engine.aclose()

    asyncio.run(scene())


def test_a_start_knows_which_character_spoke(tmp_path: Path) -> None:
    async def scene() -> None:
        engine, model = await open_with(tmp_path, Card("Mimi", description="a cat"))
        await engine.chat.open()
        await choose_persona(engine, find_persona(engine, "Mimi"))
        await ask(engine, model, "Hi")
        await engine.aclose()
        engine, model = await open_with(tmp_path)
        await engine.chat.open()
        assert "You are Mimi." in await ask(engine, model, "Hi")
        await choose_persona(engine, find_persona(engine, ""))
        assert "Mimi" not in (await ask(engine, model, "Hello")).split("【")[0]
        await engine.aclose()

    asyncio.run(scene())
