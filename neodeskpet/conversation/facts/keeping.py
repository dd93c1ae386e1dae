"""The facts as the tools use them: nothing gets in that the person hasn't said themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from neodeskpet.core.errors import InvalidArguments, ToolFailed
from neodeskpet.core.foreign import escape_markers
from neodeskpet.core.labels import Labels, add_sources
from neodeskpet.core.wording import N_, Reason
from neodeskpet.memory.facts.fact import Fact, FactClaim, FactOutcome, FactSource
from neodeskpet.memory.facts.reading import can_be_fact, fact_wording, find_claim, find_in_sentence
from neodeskpet.memory.recall.book import MemoryStore
from neodeskpet.memory.recollection import MemoryItem
from neodeskpet.tools.origin import current_origin

_NOT_QUOTED = N_("the person hasn't said that word for word.")
_NOT_A_FACT = N_("these words are no lasting fact about the person.")
_FACTS_OFF = N_("Remembering is switched off here.")
_UNKNOWN_FACT = N_("there is no fact with this id.")
_ADVICE = (
    "Quote one sentence exactly as the person wrote it. Questions, orders, guesses, moods, "
    "quotations and secrets are not kept, nor is anything that a tool, a page or you said."
)


class MemoryUpdater(Protocol):
    async def catch_up_changes(self) -> None:
        """Have the memory know what was said last. Raises StoreError."""
        ...


class FactTools:
    """`StoredFacts` of the tools. `wanted(conversation)` tells whether the person wants facts kept
    of what is said there, `here()` in which conversation they are.
    """

    def __init__(
        self,
        book: MemoryStore,
        keeper: MemoryUpdater,
        wanted: Callable[[str], bool],
        here: Callable[[], str],
        now: Callable[[], datetime] = datetime.now,
    ) -> None:
        self._book = book
        self._keeper = keeper
        self._wanted = wanted
        self._here = here
        self._now = now

    async def add(self, fact: str, quote: str) -> dict[str, object]:
        text, claim, source = await self._find_source(fact, quote)
        origin = current_origin().untrusted
        kept = await self._book.facts.add(text, claim, source, self._now(), untrusted=origin)
        told: dict[str, object] = {"remembered": _fact_record(kept.fact)}
        if kept.outcome is FactOutcome.KNOWN:
            told["note"] = "This was known already."
        if kept.conflicting_fact is not None:
            told["contradicts"] = _fact_record(kept.conflicting_fact)
            told["note"] = (
                "Both are kept for now. Ask the person which is right; then memory.delete the "
                "other."
            )
        return told

    async def update(self, fact_id: str, fact: str, quote: str) -> dict[str, object]:
        text, claim, source = await self._find_source(fact, quote)
        known = any(one.id == fact_id for one in await self._known_facts())
        revised = (
            await self._book.facts.replace(
                *(fact_id, text, claim, source, self._now()), current_origin().untrusted
            )
            if known
            else None
        )
        if revised is None:
            raise InvalidArguments.at("id", _UNKNOWN_FACT)
        return {"remembered": _fact_record(revised)}

    async def delete(self, fact_id: str) -> dict[str, object]:
        self._require_enabled()
        if all(one.id != fact_id for one in await self._known_facts()):
            raise InvalidArguments.at("id", _UNKNOWN_FACT)
        await self._book.facts.delete([fact_id])
        return {"forgotten": fact_id}

    async def search(self, query: str, limit: int) -> tuple[Sequence[dict[str, object]], Labels]:
        self._require_enabled()
        found = await self._book.facts.list_relevant(query, limit, self._here())
        sources = add_sources((), (source for one in found for source in one.untrusted))
        return [_fact_record(one) for one in found], Labels(sources)

    async def _known_facts(self) -> list[Fact]:
        """The facts of the memory that is theirs here."""
        facts, here = self._book.facts, self._here()
        return [one for one in await facts.list_facts() if facts.is_known(one, here)]

    def _require_enabled(self) -> None:
        if not self._wanted(self._here()):
            raise ToolFailed(reasons=[Reason(_FACTS_OFF)], advice="Go on without it.")

    async def _find_source(self, fact: str, quote: str) -> tuple[str, FactClaim, FactSource]:
        """How the fact is kept, what it says, and where the person said it."""
        self._require_enabled()
        await self._keeper.catch_up_changes()

        scope = self._book.facts.scope
        own = scope(self._here())

        def wanted(item: MemoryItem) -> bool:
            return self._wanted(item.conversation) and scope(item.conversation) == own

        found = await self._book.find_quote(quote, wanted)
        if found is None:
            raise InvalidArguments(reasons=[Reason(_NOT_QUOTED, {}, "quote")], advice=_ADVICE)
        item, sentence = found
        if not can_be_fact(sentence):
            raise InvalidArguments(reasons=[Reason(_NOT_A_FACT, {}, "quote")], advice=_ADVICE)
        said = find_in_sentence(sentence)
        claim = said[0].claim if len(said) == 1 else find_claim(fact)
        source = FactSource(item.message, item.conversation)
        return fact_wording(fact, quote if len(said) > 1 else sentence), claim, source


def _fact_record(fact: Fact) -> dict[str, object]:
    told: dict[str, object] = {"id": fact.id, "fact": escape_markers(fact.text)}
    if fact.pinned:
        told["pinned"] = True
    told["said"] = f"{fact.time:%Y-%m-%d}"
    return told
