"""Characters in the engine: their words, their greetings, their memories."""

from __future__ import annotations

import asyncio
from datetime import datetime
from pathlib import Path

import pytest

from neodeskpet.commands.personas import (
    AmbiguousPersona,
    NoSuchPersona,
    choose_persona,
    find_persona,
)
from neodeskpet.core import labels
from neodeskpet.core.blocks import Role, Text
from neodeskpet.engine import Engine, open_engine
from neodeskpet.llm.scripted import ScriptedModel, say
from neodeskpet.memory.facts.fact import Claim, Source
from neodeskpet.options import Options
from neodeskpet.personas.cards.card import Card

NOW = datetime(2026, 1, 4, 9)


async def open_with(home: Path, *cards: Card) -> tuple[Engine, ScriptedModel]:
    model = ScriptedModel(*[[say("Hm.")] for _ in range(12)])
    engine = await open_engine(home, model=model, options=Options(recall_within=20))
    for card in cards:
        engine.cast.shelf.add(card)
    engine.cast.shelf.load()
    return engine, model


async def ask(engine: Engine, model: ScriptedModel, text: str) -> str:
    """What the model is told then."""
    engine.chat.send(text)
    await engine.chat.wait()
    await engine.keeper.settle()
    return str(model.requests[-1].system)


def test_a_character_greets_answers_and_keeps_its_memory_to_itself(tmp_path: Path) -> None:
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
            heads = await engine.store.heads(info.id)
            assert [(one.version, one.versions) for one in heads] == [(1, 2)]
            await chat.step(heads[0].id, 1)
            assert [one.text for one in await engine.store.history(info.id)] == ["Purr."]

            await choose_persona(engine, find_persona(engine, "Mo"))
            assert await engine.store.heads(info.id) == []
            await choose_persona(engine, find_persona(engine, "Mimi"))
            with pytest.raises(NoSuchPersona):
                find_persona(engine, "Nobody")
            twin = engine.cast.shelf.add(Card("Mo"))
            engine.cast.shelf.load()
            with pytest.raises(AmbiguousPersona, match="2 characters"):
                find_persona(engine, "mo")
            assert find_persona(engine, twin) is not None
            assert find_persona(engine, "") is None

            found = engine.cast.of(info.id)
            assert found is not None
            await engine.cast.set_apart(found.id, True)
            system = await ask(engine, model, "My parrot is called Zazu, the green one.")
            assert "Mimi is a cat." in system
            assert [one.role for one in await engine.store.history(info.id)][:2] == [
                Role.ASSISTANT,
                Role.USER,
            ]
            await chat.greet(["again"])
            assert len(await engine.store.heads(info.id)) == 3, "they have spoken"
            source = Source((await engine.store.heads(info.id))[1].id, info.id)
            facts = engine.memory.facts
            await facts.keep("Parrot Zazu", Claim("parrot", "zazu"), source, NOW)

            branch = await chat.branch_off((await engine.store.heads(info.id))[-1].id)
            assert engine.cast.of(branch.id) == found
            other = await chat.open_new()
            system = await ask(engine, model, "What is my green parrot called?")
            assert "Zazu" not in system
            kept = await facts.keep(
                "Parrot Kiwi", Claim("parrot", "kiwi"), Source("x", other.id), NOW
            )
            assert kept.rival is None, "one memory doesn't contradict the other"
            again = await chat.open_new()
            await chat.greet(["Hello"], (labels.Source(labels.Material.SYNC),))
            (greeting,) = await engine.store.history(again.id)
            (words,) = greeting.blocks
            assert isinstance(words, Text) and words.untrusted, "others may have written the card"
            await engine.cast.choose(again.id, found.id)
            system = await ask(engine, model, "What is my green parrot called?")
            assert "Zazu" in system
            assert "Kiwi" not in system

            await engine.cast.set_apart(found.id, False)
            await chat.open_new()
            assert "Zazu, the green" in await ask(engine, model, "What is my green parrot called?")
            forgotten = [one.id for one in await engine.memory.facts.all() if "Zazu" in one.text]
            await facts.forget(forgotten)
            await engine.forget([source.message])
            for apart in (True, False):
                await engine.cast.set_apart(found.id, apart)
                fresh = await chat.open_new()
                await engine.cast.choose(fresh.id, found.id)
                assert "Parrot Zazu" not in await ask(engine, model, "The parrot's name?")
        finally:
            await engine.close()

    asyncio.run(scene())


def test_the_few_words_of_one_memory_are_found_among_many_others(tmp_path: Path) -> None:
    async def scene() -> None:
        engine, _ = await open_with(tmp_path, Card("Mimi"))
        try:
            from neodeskpet.memory.recollection import Item, MemoryQuery, Side

            many = [
                Item(f"i{n}", "user", Side.PERSON, NOW, f"The red kettle number {n}", "", "other")
                for n in range(600)
            ]
            own = Item("own", "user", Side.PERSON, NOW, "A red kettle of mine", "", "here")
            await engine.memory.add([own, *many])
            question = MemoryQuery("red kettle?", NOW, 500, among=lambda one: one == "here")
            assert [one.item.id for one in await engine.memory.recall(question)] == ["own"]
        finally:
            await engine.close()

    asyncio.run(scene())


def test_a_start_knows_who_spoke(tmp_path: Path) -> None:
    async def scene() -> None:
        engine, model = await open_with(tmp_path, Card("Mimi", description="a cat"))
        await engine.chat.open()
        await choose_persona(engine, find_persona(engine, "Mimi"))
        await ask(engine, model, "Hi")
        await engine.close()
        engine, model = await open_with(tmp_path)
        await engine.chat.open()
        assert "You are Mimi." in await ask(engine, model, "Hi")
        await choose_persona(engine, find_persona(engine, ""))
        assert "Mimi" not in (await ask(engine, model, "Hello")).split("【")[0]
        await engine.close()

    asyncio.run(scene())
