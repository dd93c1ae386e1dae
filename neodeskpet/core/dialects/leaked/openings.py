"""Where a call may begin: every opening of every family in one pattern."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from neodeskpet.core.dialects.leaked.source import NAME, Family

_Tree = dict[str, "_Tree"]
_END = ""
_WITHIN = re.compile(r"[\w.\-]\Z")


class Menu:
    """All openings of `families` with the `names` on offer."""

    def __init__(self, families: Sequence[Family], names: Sequence[str]) -> None:
        self._at: dict[str, list[tuple[Family, tuple[str, ...]]]] = {}
        openings: set[str] = set()
        for family in families:
            written = _written(family, names)
            openings |= set(written)
            for letter in dict.fromkeys(one[0] for one in written):
                begun = tuple(one for one in written if one[0] == letter)
                self._at.setdefault(letter, []).append((family, begun))
        # Every branch begins with a letter, so that `re` skips to those in one loop.
        self.search = re.compile(_pattern(_tree(openings))).search
        """None for a text in which nothing can begin."""

    def find(self, text: str, *, blank: bool) -> int:
        """Where an opening is, or at the end of the text may begin; -1 if there is none. `blank`:
        only white space is before `text` on its line. One of letters counts only there: people
        write those words too, and ordinary prose must not wait.
        """
        at = 0
        while (match := self.search(text, at)) is not None:
            begun = match.start()
            if not is_word(text[begun]) or is_blank(text, begun, blank):
                return begun
            at = begun + 1
        return -1

    def at(self, letter: str, before: str) -> Sequence[tuple[Family, tuple[str, ...]]]:
        """Who may begin with `letter`, and how; a word is only one where no letter is before it."""
        if letter and is_word(letter) and _WITHIN.search(before):
            return ()
        return self._at.get(letter, ())


@lru_cache(maxsize=64)
def menu(families: tuple[Family, ...], names: tuple[str, ...]) -> Menu:
    return Menu(families, names)


def _written(family: Family, names: Sequence[str]) -> tuple[str, ...]:
    out: list[str] = []
    for opening in family.openings:
        out += [opening.replace(NAME, name) for name in names] if NAME in opening else [opening]
    return tuple(out)


def is_blank(text: str, end: int, blank: bool) -> bool:
    """Whether only white space is on the line before `end`, where `blank` says so of what is
    before `text`.
    """
    begun = text.rfind("\n", 0, end) + 1
    return (blank or begun > 0) and not text[begun:end].strip()


def is_word(opening: str) -> bool:
    return opening[0].isalnum() or opening[0] == "_"


def _tree(openings: Iterable[str]) -> _Tree:
    tree: _Tree = {}
    for opening in openings:
        here = tree
        for letter in opening:
            here = here.setdefault(letter, {})
        here[_END] = {}
    return tree


def _pattern(tree: _Tree) -> str:
    """Matches as soon as an opening is complete, or where the text ends within one."""
    branches = [re.escape(letter) + _rest(inner) for letter, inner in sorted(tree.items())]
    return f"(?:{'|'.join(branches)})"


def _rest(tree: _Tree) -> str:
    if _END in tree:
        return ""
    here, text = tree, ""
    depth = 0
    while len(here) == 1 and _END not in here:  # a straight branch nests without alternatives
        (letter, here), *_ = here.items()
        text += rf"(?:\Z|{re.escape(letter)}"
        depth += 1
    tail = "" if _END in here else rf"(?:\Z|{_pattern(here)})"
    return text + tail + ")" * depth
