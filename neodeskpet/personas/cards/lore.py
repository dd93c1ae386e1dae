"""Which entries of a world book are told now: pure.

The last messages are read for keys. What is found is put in order, and what doesn't fit into the
budget goes, the lowest priority first; what is always told goes last. Where the book wants it, what
an entry says wakes others, a few times over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from neodeskpet.core.context import estimate_tokens
from neodeskpet.personas.cards.card import Lorebook, LoreEntry
from neodeskpet.personas.cards.keys import is_expression, is_key_mentioned

MOST_STEPS = 3
"""How often what was woken may wake others."""
_READ = 8_000
"""Characters of a message that are read for keys."""
_READ_AT_ALL = 40_000
MOST_EXPRESSIONS = 60
"""Keys of a book that are run as expressions; further ones are plain text."""


@dataclass(frozen=True, slots=True)
class IncludedEntries:
    """The entries that are told, by place and in order; how many had no room."""

    before: tuple[LoreEntry, ...] = ()
    after: tuple[LoreEntry, ...] = ()
    end: tuple[LoreEntry, ...] = ()
    left_out: int = 0

    @property
    def count(self) -> int:
        return len(self.before) + len(self.after) + len(self.end)


def included_entries(book: Lorebook, messages: Sequence[str], budget: int) -> IncludedEntries:
    """What of `book` is told after these `messages` (the newest last), in `budget` tokens, or fewer
    if the book wants it.
    """
    texts = [one[-_READ:] for one in messages[-100:]]
    passages: dict[int, _Passage] = {}
    found: dict[int, LoreEntry] = {}
    entries = _usable_entries(book.entries)
    for at, entry in enumerate(entries):
        depth = book.depth if entry.depth is None else entry.depth
        if depth not in passages:
            passages[depth] = _Passage("\n".join(texts[-depth:] if depth else ()))
        if entry.constant or _matches(entry, passages[depth]):
            found[at] = entry
    if book.recursive:
        _trigger_others(entries, found)
    limit = budget if book.budget is None else min(budget, book.budget)
    return _packed(found, limit)


class _Passage:
    """A text that is read for many keys."""

    def __init__(self, text: str) -> None:
        self.text = text[-_READ_AT_ALL:]
        self.folded = self.text.casefold()


def _usable_entries(entries: Sequence[LoreEntry]) -> list[LoreEntry]:
    """Those that have something to say, with no more expressions than can be run."""
    left, tamed = MOST_EXPRESSIONS, []
    for entry in entries:
        if not entry.enabled or not entry.content.strip():
            continue
        if entry.regex:
            left -= sum(map(is_expression, (*entry.keys, *entry.secondary)))
            entry = replace(entry, regex=left >= 0)
        tamed.append(entry)
    return tamed


def _matches(entry: LoreEntry, passage: _Passage) -> bool:
    text, folded = passage.text, passage.folded
    kinds = {"regex": entry.regex, "case": entry.case, "whole": entry.whole}

    def has(key: str) -> bool:
        return is_key_mentioned(key, text, folded=folded, **kinds)

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


def _trigger_others(entries: Sequence[LoreEntry], found: dict[int, LoreEntry]) -> None:
    fresh = list(found.values())
    for _ in range(MOST_STEPS):
        text = _Passage("\n".join(one.content[:_READ] for one in fresh if one.wakes))
        woken = {
            at: entry
            for at, entry in enumerate(entries)
            if at not in found and entry.woken and _matches(entry, text)
        }
        if not woken:
            return
        found.update(woken)
        fresh = list(woken.values())


def _packed(found: dict[int, LoreEntry], budget: int) -> IncludedEntries:
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

    return IncludedEntries(
        standing("before"), standing("after"), standing("end"), len(found) - len(kept)
    )
