"""The adapter between the memory and its windows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from neodeskpet.app.engine import Engine
from neodeskpet.core.data_labels import SourceKind
from neodeskpet.memory.facts.fact import Fact
from neodeskpet.memory.facts.fact_extraction import find_claim
from neodeskpet.memory.knowledge.knowledge_types import KnowledgeHit
from neodeskpet.memory.recall.recall_types import ItemSide, RecalledItem
from neodeskpet.ui.windows.memory_port import MemoryItem, MemoryKind, MemorySource

_KINDS = {
    ItemSide.PERSON: MemoryKind.USER,
    ItemSide.COMPANION: MemoryKind.COMPANION,
    ItemSide.TOOL: MemoryKind.TOOL,
    ItemSide.DOCUMENT: MemoryKind.DOCUMENT,
}


class MemoryAdapter:
    """A `MemoryPort`."""

    def __init__(self, engine: Engine, now: Callable[[], datetime] = datetime.now) -> None:
        self._engine = engine
        self._now = now

    async def used_in_reply(self, reply: str) -> list[MemoryItem]:
        memory = self._engine.memory.store
        titles = await self._titles()
        facts = [_from_fact(one, titles) for one in await memory.facts.recalled_for(reply)]
        said = [_from_item(one, titles) for one in await memory.recalled_for(reply)]
        known = await self._engine.memory.knowledge.store.recalled_for(reply)
        return [*facts, *said, *map(_from_passage, known)]

    async def facts(self, query: str) -> list[MemoryItem]:
        store, titles = self._engine.memory.store.facts, await self._titles()
        known = {fact.id: fact for fact in await store.list_facts()}
        wanted = query.casefold().split()
        found = [
            _from_fact(fact, titles, known.get(fact.conflicting_id))
            for fact in known.values()
            if all(word in fact.text.casefold() for word in wanted)
        ]
        return sorted(found, key=lambda one: one.contradicted is None)

    async def add(self, text: str) -> None:
        facts = self._engine.memory.store.facts
        await facts.add(text, find_claim(text), None, self._now(), own=True)

    async def correct(self, one: MemoryItem, text: str) -> None:
        if one.kind is MemoryKind.FACT:
            await self._engine.memory.store.facts.update(one.id, text, self._now())
        else:
            await self._engine.memory.store.correct(one.id, text)

    async def pin(self, one: MemoryItem, pinned: bool) -> None:
        if one.kind is MemoryKind.FACT:
            await self._engine.memory.store.facts.set_pinned(one.id, pinned)
        else:
            await self._engine.memory.store.set_pinned(one.id, pinned)

    async def forget(self, one: MemoryItem) -> Sequence[str]:
        if one.kind is not MemoryKind.FACT:
            if not await self._engine.memory.knowledge.store.delete_passages([one.id]):
                await self._engine.forget([one.id])
            return ()
        messages = await self._engine.memory.store.facts.delete([one.id])
        return [item.message for item in await self._engine.memory.store.get(messages)]

    async def forget_messages(self, ids: Sequence[str]) -> None:
        await self._engine.forget(ids)

    async def resolve_conflict(self, right: MemoryItem, wrong: MemoryItem) -> None:
        await self._engine.memory.store.facts.resolve_conflict(right.id, wrong.id)

    async def keep_both(self, one: MemoryItem) -> None:
        await self._engine.memory.store.facts.keep_both(one.id)

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        return self._engine.memory.store.facts.subscribe(observer)

    async def _titles(self) -> dict[str, str]:
        return {info.id: info.title for info in await self._engine.storage.store.conversations()}


def _source_places(
    places: Iterable[tuple[str, str]], titles: dict[str, str]
) -> tuple[MemorySource, ...]:
    """Return the places of sources that can be opened."""
    return tuple(
        MemorySource(message, conversation, titles[conversation])
        for message, conversation in places
        if message and conversation in titles
    )


def _from_item(one: RecalledItem, titles: dict[str, str]) -> MemoryItem:
    item = one.item
    named = item.side in (ItemSide.TOOL, ItemSide.DOCUMENT)
    return MemoryItem(
        item.id,
        _KINDS[item.side],
        item.text,
        item.time,
        _source_places([(item.message, item.conversation)], titles),
        item.speaker if named else "",
        item.pinned,
        item.corrected,
        is_unverified_remote=item.corrected_elsewhere,
    )


def _from_passage(one: KnowledgeHit) -> MemoryItem:
    return MemoryItem(
        one.passage.id,
        MemoryKind.DOCUMENT,
        one.passage.text.strip(),
        datetime.min,
        (MemorySource(one.passage.id, one.file, one.label, document=True),),
        one.label,
    )


def _from_fact(fact: Fact, titles: dict[str, str], rival: Fact | None = None) -> MemoryItem:
    places = [(source.message, source.conversation) for source in fact.sources]
    return MemoryItem(
        fact.id,
        MemoryKind.FACT,
        fact.text,
        fact.time,
        _source_places(places, titles),
        pinned=fact.pinned,
        corrected=fact.by_user,
        contradicted=_from_fact(rival, titles) if rival is not None else None,
        is_unverified_remote=any(one.material is SourceKind.SYNC for one in fact.untrusted),
    )
