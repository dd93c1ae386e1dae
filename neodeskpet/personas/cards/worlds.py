"""World books that come without a character, in the forms in which programs exchange them.

SillyTavern keeps the entries as an object by their numbers; V3 of the cards has a form of its own
(`lorebook_v3`), and so have NovelAI (`lorebookVersion`) and Agnai (`kind: memory`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from neodeskpet.core.wording import Reason
from neodeskpet.personas.cards.card import (
    MOST_ENTRIES,
    CardProblems,
    Lorebook,
    Tree,
    read_book,
    read_tree,
)
from neodeskpet.personas.cards.faults import NO_BOOK, CardFault

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
    """The world book of a tree, which may be a card; and what of it can't be used. Raises Refusal
    if there is none.
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
    """`book` with the entries of another that it doesn't have."""
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
