"""Where a call may begin: every opening of every family in one pattern."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_Tree = dict[str, "_Tree"]
_END = ""
_WITHIN = re.compile(r"[\w.\-]\Z")


@lru_cache(maxsize=64)
def watch(openings: frozenset[str]) -> re.Pattern[str]:
    """A pattern for what is one of `openings`, or at the end of the text may become one. A word is
    only one where no letter stands before it.
    """
    signs = [one for one in openings if not is_word(one)]
    words = [one for one in openings if is_word(one)]
    parts = [_pattern(_tree(signs))] if signs else []
    parts += [r"(?<![\w.\-])" + _pattern(_tree(words))] if words else []
    return re.compile("|".join(parts) if parts else r"(?!)")


def within_word(before: str) -> bool:
    """Whether a word can't begin after `before`."""
    return _WITHIN.search(before) is not None


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
