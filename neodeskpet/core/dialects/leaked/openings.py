"""Finds where a call may begin: the openings of all families, with the names of the
offered tools.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from neodeskpet.core.dialects.leaked.source import NAME, Family

_Tree = dict[str, "_Tree"]
_END = ""
_NEVER = "(?!)"
"""Matches nothing."""
_WITHIN = re.compile(r"[\w.\-]\Z")
_ROOM = 300  # letters
_LONGEST = 12
_LOOKED_AT = 16
"""Characters before a word that determine whether it may begin a call within a line."""


class _Texts:
    """Finds which of many texts begins at a position, without trying each."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.known = frozenset(texts)
        self._sorted = sorted(self.known)
        lengths: dict[str, set[int]] = {}
        for one in self.known:
            lengths.setdefault(one[:1], set()).add(len(one))
        self._lengths = {letter: sorted(found) for letter, found in lengths.items()}

    def ends(self, text: str, at: int) -> Iterator[int]:
        """Yield the ends of the texts that begin at `at`, the shortest first."""
        for length in self._lengths.get(text[at : at + 1], ()):
            if at + length > len(text):
                return
            if text[at : at + length] in self.known:
                yield at + length

    def begun(self, text: str, at: int) -> bool:
        """Return whether `text` ends inside one that begins at `at`."""
        lengths = self._lengths.get(text[at : at + 1])
        if lengths is None or len(text) - at >= lengths[-1]:
            return False
        rest = text[at:]
        place = bisect_right(self._sorted, rest)
        return place < len(self._sorted) and self._sorted[place].startswith(rest)


class _Openings:
    """Openings, in which NAME represents any of `names`."""

    def __init__(self, openings: Iterable[str], names: _Texts) -> None:
        written = frozenset(openings)
        self._fixed = _Texts(one for one in written if NAME not in one)
        named = written if names.known else ()
        self._named = [one.partition(NAME)[::2] for one in named if NAME in one]
        self._names = names
        self._letters = self.beginnings(1)

    def end(self, text: str, at: int) -> int:
        """Return the end of the shortest opening at `at`; the end of the text if the text ends
        inside one; -1 if there is none.
        """
        if text[at] not in self._letters:
            return -1
        ends = [next(self._fixed.ends(text, at), -1)]
        begun = self._fixed.begun(text, at)
        for head, tail in self._named:
            end = _step(text, at, head)
            if end < 0:
                continue
            begun = begun or end == len(text) or self._names.begun(text, end)
            ends += (_step(text, after, tail) for after in self._names.ends(text, end))
        ends = [end for end in ends if end >= 0]
        return min(ends) if ends else len(text) if begun else -1

    def beginnings(self, length: int) -> set[str]:
        """Return the first `length` characters of each opening."""
        stems = {name[:length] for name in self._names.known}
        found = {one[:length] for one in self._fixed.known}
        for head, tail in self._named:
            found |= {(head + stem + tail)[:length] for stem in stems}
        return found


def _step(text: str, at: int, word: str) -> int:
    """Return the end of `word` at `at`, or of the text inside it; -1 if it isn't there."""
    shown = text[at : at + len(word)]
    return at + len(shown) if word.startswith(shown) else -1


class OfferedOpenings:
    """All openings of `families` with the `names` of the offered tools. The regular expressions
    contain only the first characters of openings: compiling all openings for many names takes
    seconds.
    """

    def __init__(self, families: Sequence[Family], names: Sequence[str]) -> None:
        self._families = families
        self._names = names
        self._at: dict[str, list[tuple[Family, tuple[str, ...]]]] = {}
        texts = _Texts(names)
        self._openings = _Openings((one for family in families for one in family.openings), texts)
        within: dict[re.Pattern[str], set[str]] = {}
        for family in families:
            if family.within is not None:
                within.setdefault(family.within, set()).update(family.openings)
        self._within = [(fits.search, _Openings(words, texts)) for fits, words in within.items()]
        beginnings = self._beginnings()
        # Every branch begins with a character, so `re` skips to the candidates in one loop.
        self.search = re.compile(_pattern(_tree(beginnings)) if beginnings else _NEVER).search
        """Returns None for a text without a candidate; a match need not be an opening."""
        self.glance = re.compile(_glance(beginnings)).search
        """The same for a text with a space before it, where openings that are words match only at
        the start of a word (prose contains their letters everywhere).
        """

    def _beginnings(self) -> set[str]:
        """Return the longest beginnings of openings with patterns that compile fast."""
        found: set[str] = set()
        for length in range(1, _LONGEST + 1):
            longer = self._openings.beginnings(length)
            if found and len({one[:end] for one in longer for end in range(1, length + 1)}) > _ROOM:
                break
            found = longer
        return found

    def find(self, text: str, before: Callable[[], str], *, blank: bool) -> int:
        """Return the position of an opening, or of a partial one at the end of the text; -1 if
        there is none. `before` returns the text before `text` on its line; `blank`: that is only
        white space. With a few exceptions an opening that is a word counts only at the beginning of
        a line: people write those words too, and ordinary prose must not be held back.
        """
        at = 0
        while (match := self.search(text, at)) is not None:
            begun = match.start()
            if is_word(text[begun]) and not is_blank(text, begun, blank):
                if self._begins_within(text, begun, before):
                    return begun
            elif self._openings.end(text, begun) >= 0:
                return begun
            at = begun + 1
        return -1

    def waits(self, text: str) -> bool:
        """Return whether `text` is only an opening, or a part of one."""
        return self._openings.end(text, 0) == len(text)

    def _begins_within(self, text: str, begun: int, before: Callable[[], str]) -> bool:
        shown = text[begun - _LOOKED_AT : begun] if begun >= _LOOKED_AT else before() + text[:begun]
        shown = shown[-_LOOKED_AT:]
        return any(
            fits(shown) is not None and openings.end(text, begun) >= 0
            for fits, openings in self._within
        )

    def at(
        self, letter: str, before: str, *, first: bool
    ) -> Sequence[tuple[Family, tuple[str, ...]]]:
        """Return the families with openings that begin with `letter`, and these openings. A word
        after other calls (not `first`) counts only if no letter is before it.
        """
        if letter not in self._at:
            self._at[letter] = self._begin_with(letter)
        found = self._at[letter]
        if not letter or not is_word(letter):
            return found
        if first and before.strip():
            shown = before[-_LOOKED_AT:]
            return [one for one in found if one[0].within and one[0].within.search(shown)]
        return () if _WITHIN.search(before) else found

    def _begin_with(self, letter: str) -> list[tuple[Family, tuple[str, ...]]]:
        written = {
            family: tuple(_written(family, self._names, letter)) for family in self._families
        }
        return [(family, begun) for family, begun in written.items() if begun]


@lru_cache(maxsize=64)
def offered_openings(families: tuple[Family, ...], names: tuple[str, ...]) -> OfferedOpenings:
    return OfferedOpenings(families, names)


def _written(family: Family, names: Sequence[str], letter: str) -> Iterator[str]:
    """Yield the openings of `family` that begin with `letter`."""
    for opening in family.openings:
        if not opening.startswith((letter, NAME)):
            continue
        for name in names if NAME in opening else ("",):
            written = opening.replace(NAME, name)
            if written[0] == letter:
                yield written


def is_blank(text: str, end: int, blank: bool) -> bool:
    """Return whether only white space precedes `end` on its line; `blank` says it for the text
    before `text`.
    """
    begun = text.rfind("\n", 0, end) + 1
    return (blank or begun > 0) and not text[begun:end].strip()


_TOKENS = ("<|", "<｜", "]<]")


@lru_cache(maxsize=8)
def in_tokens(families: tuple[Family, ...]) -> tuple[Family, ...]:
    """Return the families that begin with special tokens, with only those openings."""
    found = []
    for family in families:
        openings = tuple(one for one in family.openings if one.startswith(_TOKENS))
        if openings:
            found.append(replace(family, openings=openings))
    return tuple(found)


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
    """Return a pattern that matches a complete opening, or a part of one at the end of the text."""
    branches = [re.escape(letter) + _rest(inner) for letter, inner in sorted(tree.items())]
    return f"(?:{'|'.join(branches)})"


def _glance(openings: Iterable[str]) -> str:
    """Return a pattern for the start of openings. A word begins after a character that isn't a
    letter, so only such characters are examined.
    """
    marks = {one[0] for one in openings if not is_word(one)}
    words = _tree(one for one in openings if is_word(one))
    either = [rf"(?<=[{re.escape(''.join(sorted(marks)))}])"] if marks else []
    either += [_pattern(words)] if words else []
    return rf"[^A-Za-z0-9_](?:{'|'.join(either)})" if either else _NEVER


def _rest(tree: _Tree) -> str:
    if _END in tree:
        return ""
    here, text = tree, ""
    depth = 0
    while len(here) == 1 and _END not in here:  # a path without branches needs no alternatives
        (letter, here), *_ = here.items()
        text += rf"(?:\Z|{re.escape(letter)}"
        depth += 1
    tail = "" if _END in here else rf"(?:\Z|{_pattern(here)})"
    return text + tail + ")" * depth
