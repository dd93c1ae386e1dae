"""World books: whether a key was mentioned, which entries are included in a request, and the file
formats of other programs. Pure. Untrusted regular expressions run in linear time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from neodeskpet.characters.cards.card_errors import NO_BOOK, CardFault
from neodeskpet.characters.cards.character_card import (
    MOST_ENTRIES,
    CardProblems,
    Lorebook,
    LoreEntry,
    Tree,
    read_book,
    read_tree,
)
from neodeskpet.core.i18n import Reason
from neodeskpet.core.token_budget import estimate_tokens
from neodeskpet.platform.untrusted_regex import (
    UntrustedRegex,
    compile_untrusted,
    without_surrogates,
)

_SLASHED = re.compile(r"/((?:[^/\\]|\\.)+)/([gimsuvy]{0,7})\Z", re.DOTALL)
"""SillyTavern's notation of a regular expression; it marks all entries as expressions, and searches
keys in any other form as plain text.
"""


def is_key_mentioned(
    key: str, text: str, *, regex: bool, case: bool, whole: bool, folded: str | None = None
) -> bool:
    """Return whether `key` is in `text`, whose `folded` form may be known."""
    key = key.strip()
    if not key:
        return False
    pattern = _pattern(key) if regex else None
    if pattern is not None:
        return bool(pattern.search(without_surrogates(text)))
    inside = key in text if case else key.casefold() in (folded or text.casefold())
    return inside and (not whole or _whole_word(key, case).search(text) is not None)


def runs_as_plain_text(key: str, *, regex: bool) -> bool:
    """Return whether an expression is searched as plain text, because it might run for ever."""
    return regex and is_expression(key) and _pattern(key.strip()) is None


def is_expression(key: str) -> bool:
    """Return whether a key is written as a regular expression."""
    return _SLASHED.match(key.strip()) is not None


def _pattern(key: str) -> UntrustedRegex | None:
    slashed = _SLASHED.match(key)
    return compile_untrusted(slashed[1], flags=slashed[2]) if slashed is not None else None


@lru_cache(maxsize=4096)
def _whole_word(key: str, case: bool) -> re.Pattern[str]:
    """Return the pattern of a whole word; scripts without spaces have no word boundaries."""
    before = r"(?<![A-Za-z0-9_])" if key[0].isascii() else ""
    after = r"(?![A-Za-z0-9_])" if key[-1].isascii() else ""
    return re.compile(before + re.escape(key) + after, 0 if case else re.IGNORECASE)


MOST_STEPS = 3
"""How many times activated entries may activate others."""
_READ = 8_000
"""Characters of a message that are searched for keys."""
_READ_AT_ALL = 40_000
MOST_EXPRESSIONS = 60
"""The largest number of keys of a book that are run as expressions; further ones are plain text."""


@dataclass(frozen=True, slots=True)
class IncludedEntries:
    """The included entries, by place and in order; and how many did not fit."""

    before: tuple[LoreEntry, ...] = ()
    after: tuple[LoreEntry, ...] = ()
    end: tuple[LoreEntry, ...] = ()
    left_out: int = 0

    @property
    def count(self) -> int:
        return len(self.before) + len(self.after) + len(self.end)


def included_entries(book: Lorebook, messages: Sequence[str], budget: int) -> IncludedEntries:
    """Return the entries of `book` to include after these `messages` (the newest last), in `budget`
    tokens, or fewer if the book limits them.
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
    """A text that is searched for many keys."""

    def __init__(self, text: str) -> None:
        self.text = text[-_READ_AT_ALL:]
        self.folded = self.text.casefold()


def _usable_entries(entries: Sequence[LoreEntry]) -> list[LoreEntry]:
    """Return the entries with content, limited to the number of expressions that may run."""
    left, sanitized = MOST_EXPRESSIONS, []
    for entry in entries:
        if not entry.enabled or not entry.content.strip():
            continue
        if entry.regex:
            left -= sum(map(is_expression, (*entry.keys, *entry.secondary)))
            entry = replace(entry, regex=left >= 0)
        sanitized.append(entry)
    return sanitized


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


_NOVELAI = {
    "text": "content",
    "displayName": "name",
    "keys": "keys",
    "enabled": "enabled",
    "forceActivation": "constant",
}
_AGNAI = {
    "entry": "content",
    "name": "name",
    "keywords": "keys",
    "enabled": "enabled",
    "priority": "priority",
    "weight": "insertion_order",
}


def read_world_book(tree: object) -> tuple[Lorebook, tuple[Reason, ...]]:
    """Return the world book of a tree, which may be a card, and the list of its unusable parts.
    Raises CardFault if there is none.
    """
    if not isinstance(tree, dict):
        raise CardFault(NO_BOOK)
    inside = tree.get("data")
    if tree.get("spec") == "lorebook_v3" and isinstance(inside, dict):
        tree = inside
    elif isinstance(inside, dict) or "entries" not in tree:
        card = read_tree(tree, "-")
        if card.book is None:
            raise CardFault(NO_BOOK)
        return card.book, card.problems
    odd: CardProblems = []
    book = read_book(_in_our_form(tree), "", odd)
    if not book.entries:
        raise CardFault(NO_BOOK)
    return book, tuple(odd)


def merge_books(book: Lorebook | None, more: Lorebook) -> Lorebook:
    """Return `book` with the missing entries of another book."""
    if book is None:
        return more
    new = tuple(one for one in more.entries if one not in book.entries)
    return replace(book, entries=(*book.entries, *new)[:MOST_ENTRIES])


def _in_our_form(tree: Tree) -> Tree:
    if "lorebookVersion" in tree:
        return _renamed(tree, _NOVELAI)
    return _renamed(tree, _AGNAI) if tree.get("kind") == "memory" else tree


def _renamed(tree: Tree, names: Mapping[str, str]) -> dict[str, Any]:
    entries = tree.get("entries")
    rows = entries if isinstance(entries, list) else []
    made = [
        {ours: row[theirs] for theirs, ours in names.items() if theirs in row} | {"use_regex": True}
        for row in rows
        if isinstance(row, dict)
    ]
    return {"name": tree.get("name"), "entries": made}
