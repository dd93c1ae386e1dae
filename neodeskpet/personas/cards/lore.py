"""Which entries of a world book are told now: pure.

The last messages are read for keys. What is found is put in order, and what doesn't fit into the
budget goes, the lowest priority first; what is always told goes last. Where the book wants it, what
an entry says wakes others, a few times over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from neodeskpet.core.context import estimate_tokens
from neodeskpet.personas.cards.card import Lorebook, LoreEntry
from neodeskpet.personas.cards.keys import said

MOST_STEPS = 3
"""How often what was woken may wake others."""
_READ = 8_000
"""Characters of a message that are read for keys."""


@dataclass(frozen=True, slots=True)
class Told:
    """The entries that are told, by place and in order; how many had no room."""

    before: tuple[LoreEntry, ...] = ()
    after: tuple[LoreEntry, ...] = ()
    end: tuple[LoreEntry, ...] = ()
    left_out: int = 0

    @property
    def count(self) -> int:
        return len(self.before) + len(self.after) + len(self.end)


def awake(book: Lorebook, messages: Sequence[str], budget: int) -> Told:
    """What of `book` is told after these `messages` (the newest last), in `budget` tokens, or fewer
    if the book wants it.
    """
    texts = [one[-_READ:] for one in messages[-100:]]
    found = {
        at: entry
        for at, entry in enumerate(book.entries)
        if entry.enabled and entry.content.strip() and _is_woken(entry, texts, book.depth)
    }
    if book.recursive:
        _wake_others(book, found)
    limit = budget if book.budget is None else min(budget, book.budget)
    return _packed(found, limit)


def _is_woken(entry: LoreEntry, texts: Sequence[str], depth: int) -> bool:
    if entry.constant:
        return True
    wanted = depth if entry.depth is None else entry.depth
    return _matches(entry, "\n".join(texts[-wanted:] if wanted else ()))


def _matches(entry: LoreEntry, text: str) -> bool:
    def has(key: str) -> bool:
        return said(key, text, regex=entry.regex, case=entry.case, whole=entry.whole)

    if not text or not any(map(has, entry.keys)):
        return False
    others = [key for key in entry.secondary if key.strip()]
    if not entry.selective or not others:
        return True
    match entry.logic:
        case "all":
            return all(map(has, others))
        case "not any":
            return not any(map(has, others))
        case "not all":
            return not all(map(has, others))
        case _:
            return any(map(has, others))


def _wake_others(book: Lorebook, found: dict[int, LoreEntry]) -> None:
    fresh = list(found.values())
    for _ in range(MOST_STEPS):
        text = "\n".join(one.content[:_READ] for one in fresh if one.wakes)
        woken = {
            at: entry
            for at, entry in enumerate(book.entries)
            if at not in found
            and entry.enabled
            and entry.woken
            and entry.content.strip()
            and _matches(entry, text)
        }
        if not woken:
            return
        found.update(woken)
        fresh = list(woken.values())


def _packed(found: dict[int, LoreEntry], budget: int) -> Told:
    by_worth = sorted(
        found.items(), key=lambda one: (not one[1].constant, -one[1].priority, one[1].order, one[0])
    )
    kept: dict[int, LoreEntry] = {}
    for at, entry in by_worth:
        cost = estimate_tokens(entry.content)
        if cost <= budget:
            budget -= cost
            kept[at] = entry
    ordered = sorted(kept.items(), key=lambda one: (one[1].order, one[0]))

    def standing(place: str) -> tuple[LoreEntry, ...]:
        return tuple(entry for _, entry in ordered if entry.at == place)

    return Told(standing("before"), standing("after"), standing("end"), len(found) - len(kept))
