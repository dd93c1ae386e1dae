"""What is remembered, as its windows show it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from neodeskpet.core.labels import Material
from neodeskpet.engine import Engine
from neodeskpet.memory.facts.fact import Fact
from neodeskpet.memory.facts.reading import claim_of
from neodeskpet.memory.knowledge.library import Hit
from neodeskpet.memory.recollection import Recalled, Side
from neodeskpet.ui.memory.port import Kind, Remembered, Spot

_KINDS = {
    Side.PERSON: Kind.PERSON,
    Side.COMPANION: Kind.COMPANION,
    Side.TOOL: Kind.TOOL,
    Side.DOCUMENT: Kind.DOCUMENT,
}


class MemoryAdapter:
    """A `MemoryPort`."""

    def __init__(self, engine: Engine, now: Callable[[], datetime] = datetime.now) -> None:
        self._engine = engine
        self._now = now

    async def told(self, reply: str) -> list[Remembered]:
        book = self._engine.memory
        titles = await self._titles()
        facts = [_of_fact(one, titles) for one in await book.facts.told_to(reply)]
        said = [_of_item(one, titles) for one in await book.recalled_for(reply)]
        known = await self._engine.knowledge.recalled_for(reply)
        return [*facts, *said, *map(_of_passage, known)]

    async def facts(self, query: str) -> list[Remembered]:
        book, titles = self._engine.memory.facts, await self._titles()
        known = {fact.id: fact for fact in await book.all()}
        wanted = query.casefold().split()
        found = [
            _of_fact(fact, titles, known.get(fact.rival))
            for fact in known.values()
            if all(word in fact.text.casefold() for word in wanted)
        ]
        return sorted(found, key=lambda one: one.rival is None)

    async def add(self, text: str) -> None:
        facts = self._engine.memory.facts
        await facts.keep(text, claim_of(text), None, self._now(), own=True)

    async def correct(self, one: Remembered, text: str) -> None:
        if one.kind is Kind.FACT:
            await self._engine.memory.facts.change(one.id, text, self._now())
        else:
            await self._engine.memory.correct(one.id, text)

    async def pin(self, one: Remembered, pinned: bool) -> None:
        if one.kind is Kind.FACT:
            await self._engine.memory.facts.pin(one.id, pinned)
        else:
            await self._engine.memory.pin(one.id, pinned)

    async def forget(self, one: Remembered) -> Sequence[str]:
        if one.kind is not Kind.FACT:
            if not await self._engine.knowledge.forget([one.id]):
                await self._engine.forget([one.id])
            return ()
        messages = await self._engine.memory.facts.forget([one.id])
        return [item.message for item in await self._engine.memory.items(messages)]

    async def forget_messages(self, ids: Sequence[str]) -> None:
        await self._engine.forget(ids)

    async def decide(self, right: Remembered, wrong: Remembered) -> None:
        await self._engine.memory.facts.decide(right.id, wrong.id)

    async def keep_both(self, one: Remembered) -> None:
        await self._engine.memory.facts.keep_both(one.id)

    def observe(self, observer: Callable[[], object]) -> Callable[[], None]:
        return self._engine.memory.facts.observe(observer)

    async def _titles(self) -> dict[str, str]:
        return {info.id: info.title for info in await self._engine.store.conversations()}


def _spots(places: Iterable[tuple[str, str]], titles: dict[str, str]) -> tuple[Spot, ...]:
    """Only what can be gone to."""
    return tuple(
        Spot(message, conversation, titles[conversation])
        for message, conversation in places
        if message and conversation in titles
    )


def _of_item(one: Recalled, titles: dict[str, str]) -> Remembered:
    item = one.item
    named = item.side in (Side.TOOL, Side.DOCUMENT)
    return Remembered(
        item.id,
        _KINDS[item.side],
        item.text,
        item.time,
        _spots([(item.message, item.conversation)], titles),
        item.speaker if named else "",
        one.relevance,
        item.pinned,
        item.corrected,
        elsewhere=item.corrected_elsewhere,
    )


def _of_passage(one: Hit) -> Remembered:
    return Remembered(
        one.passage.id,
        Kind.DOCUMENT,
        one.passage.text.strip(),
        datetime.min,
        (Spot(one.passage.id, one.file, one.label, document=True),),
        one.label,
        one.relevance,
    )


def _of_fact(fact: Fact, titles: dict[str, str], rival: Fact | None = None) -> Remembered:
    places = [(source.message, source.conversation) for source in fact.sources]
    return Remembered(
        fact.id,
        Kind.FACT,
        fact.text,
        fact.time,
        _spots(places, titles),
        pinned=fact.pinned,
        corrected=fact.own,
        rival=_of_fact(rival, titles) if rival is not None else None,
        elsewhere=any(one.material is Material.SYNC for one in fact.untrusted),
    )
