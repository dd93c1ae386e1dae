"""The facts as the tools use them: nothing gets in that the person hasn't said themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from neodeskpet.core.errors import InvalidArguments, ToolFailed
from neodeskpet.core.foreign import defuse
from neodeskpet.core.labels import Labels, add_sources
from neodeskpet.core.wording import N_, Reason
from neodeskpet.memory.facts.fact import Claim, Fact, Outcome, Source
from neodeskpet.memory.facts.reading import claim_of, may_become, read_sentence, worded
from neodeskpet.memory.recall.book import MemoryBook
from neodeskpet.memory.recollection import Item
from neodeskpet.tools.origin import current_origin

_UNSAID = N_("the person hasn't said that word for word.")
_NO_FACT = N_("these words are no lasting fact about the person.")
_OFF = N_("Remembering is switched off here.")
_GONE = N_("there is no fact with this id.")
_ADVICE = (
    "Quote one sentence exactly as the person wrote it. Questions, orders, guesses, moods, "
    "quotations and secrets are not kept, nor is anything that a tool, a page or you said."
)


class Keeper(Protocol):
    async def settle(self) -> None:
        """Have the memory know what was said last. Raises StoreError."""
        ...


class FactKeeping:
    """`KeptFacts` of the tools. `wanted(conversation)` tells whether the person wants facts kept of
    what is said there, `here()` in which conversation they are.
    """

    def __init__(
        self,
        book: MemoryBook,
        keeper: Keeper,
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
        text, claim, source = await self._grounded(fact, quote)
        origin = current_origin().untrusted
        kept = await self._book.facts.keep(text, claim, source, self._now(), untrusted=origin)
        told: dict[str, object] = {"remembered": _told(kept.fact)}
        if kept.outcome is Outcome.KNOWN:
            told["note"] = "This was known already."
        if kept.rival is not None:
            told["contradicts"] = _told(kept.rival)
            told["note"] = (
                "Both are kept for now. Ask the person which is right; then memory.delete the "
                "other."
            )
        return told

    async def update(self, fact_id: str, fact: str, quote: str) -> dict[str, object]:
        text, claim, source = await self._grounded(fact, quote)
        known = any(one.id == fact_id for one in await self._known())
        revised = (
            await self._book.facts.revise(
                *(fact_id, text, claim, source, self._now()), current_origin().untrusted
            )
            if known
            else None
        )
        if revised is None:
            raise InvalidArguments.at("id", _GONE)
        return {"remembered": _told(revised)}

    async def delete(self, fact_id: str) -> dict[str, object]:
        self._check()
        if all(one.id != fact_id for one in await self._known()):
            raise InvalidArguments.at("id", _GONE)
        await self._book.facts.forget([fact_id])
        return {"forgotten": fact_id}

    async def search(self, query: str, limit: int) -> tuple[Sequence[dict[str, object]], Labels]:
        self._check()
        found = await self._book.facts.near(query, limit, self._here())
        sources = add_sources((), (source for one in found for source in one.untrusted))
        return [_told(one) for one in found], Labels(sources)

    async def _known(self) -> list[Fact]:
        """The facts of the memory that is theirs here."""
        facts, here = self._book.facts, self._here()
        return [one for one in await facts.all() if facts.known(one, here)]

    def _check(self) -> None:
        if not self._wanted(self._here()):
            raise ToolFailed(reasons=[Reason(_OFF)], advice="Go on without it.")

    async def _grounded(self, fact: str, quote: str) -> tuple[str, Claim, Source]:
        """How the fact is kept, what it says, and where the person said it."""
        self._check()
        await self._keeper.settle()

        scope = self._book.facts.scope
        own = scope(self._here())

        def wanted(item: Item) -> bool:
            return self._wanted(item.conversation) and scope(item.conversation) == own

        found = await self._book.said(quote, wanted)
        if found is None:
            raise InvalidArguments(reasons=[Reason(_UNSAID, {}, "quote")], advice=_ADVICE)
        item, sentence = found
        if not may_become(sentence):
            raise InvalidArguments(reasons=[Reason(_NO_FACT, {}, "quote")], advice=_ADVICE)
        said = read_sentence(sentence)
        claim = said[0].claim if len(said) == 1 else claim_of(fact)
        source = Source(item.message, item.conversation)
        return worded(fact, quote if len(said) > 1 else sentence), claim, source


def _told(fact: Fact) -> dict[str, object]:
    told: dict[str, object] = {"id": fact.id, "fact": defuse(fact.text)}
    if fact.pinned:
        told["pinned"] = True
    told["said"] = f"{fact.time:%Y-%m-%d}"
    return told
