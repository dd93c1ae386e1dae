"""Which of many short names a few typed letters mean: beginnings first, then parts, then letters
that are in them in that order, with one of them wrong at most.

Chinese names are found by any part of them, and by the first letters of how they are spoken.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from neodeskpet.core.text_search import SCRIPTS_WITHOUT_SPACES, fold_for_search

# GB 2312 lists its 3755 usual characters by their sound: these are the first of each letter, and
# one after the last of them. A character with several readings counts with one.
_LETTERS = "abcdefghjklmnopqrstwxyz"
_STARTS = [sign.encode("gb2312") for sign in "啊芭擦搭蛾发噶哈击喀垃妈拿哦啪期然撒塌挖昔压匝亍"]

_WORDS = re.compile(rf"[{SCRIPTS_WITHOUT_SPACES}]|(?:(?![{SCRIPTS_WITHOUT_SPACES}])[^\W_])+")
_LEAST_ODD = 4
"""With fewer letters than that none of them may be wrong: everything would fit."""


@dataclass(frozen=True, slots=True)
class FuzzyTarget:
    """A name, made ready. `words` find it too, but less well."""

    name: str
    words: tuple[str, ...]
    initials: str
    stack: str

    @classmethod
    def of(cls, name: str, words: str = "") -> FuzzyTarget:
        folded = fold_for_search(name)
        parts = tuple(_WORDS.findall(folded))
        initials = "".join(_initial(part) for part in parts)
        return cls(
            folded, parts, initials, f"{folded}\n{fold_for_search(words)}" if words else folded
        )


@dataclass(frozen=True, slots=True)
class FuzzyQuery:
    """What is looked for."""

    folded: str
    words: tuple[str, ...]
    letters: str

    @classmethod
    def of(cls, text: str) -> FuzzyQuery:
        words = tuple(fold_for_search(text).split())
        return cls(" ".join(words), words, "".join(words))

    def distance(self, target: FuzzyTarget) -> int | None:
        """0 where they are the same; the more, the worse; None where it isn't meant."""
        inside = all(word in target.stack for word in self.words)
        steps = self._inside(target) if inside else self._guessed(target)
        return next((step for step, fits in steps if fits), None)

    def _inside(self, target: FuzzyTarget) -> Iterator[tuple[int, bool]]:
        whole, name = self.folded, target.name
        yield 0, whole == name
        yield 1, name.startswith(whole)
        yield 2, any(name.startswith(whole, at) for at in _places(name, target.words))
        yield 3, whole in name
        yield 4, all(word in name for word in self.words)
        yield 6, True

    def _guessed(self, target: FuzzyTarget) -> Iterator[tuple[int, bool]]:
        several = len(self.letters) > 1
        yield 4, several and self.letters == target.initials
        yield 5, several and self.letters in target.initials
        yield 7, several and _are_initials(self.letters, target.words)
        yield (
            8,
            several
            and all(
                any(_is_near_prefix(word, other) for other in target.words) for word in self.words
            ),
        )


def _places(name: str, words: tuple[str, ...]) -> Iterator[int]:
    """Where the words of a name begin."""
    at = 0
    for word in words:
        at = name.index(word, at)
        yield at
        at += len(word)


def _are_initials(letters: str, words: tuple[str, ...]) -> bool:
    """Whether the letters are beginnings of words, in their order ("opset": open settings)."""
    left = letters
    for word in words:
        taken = 0
        while taken < min(len(left), len(word)) and left[taken] == word[taken]:
            taken += 1
        left = left[taken:]
    return not left


def _is_near_prefix(typed: str, word: str) -> bool:
    """Whether it is the beginning of the word but for one letter that is wrong, missing, too much
    or in its neighbour's place.
    """
    at = 0
    while at < min(len(typed), len(word)) and typed[at] == word[at]:
        at += 1
    if at == 0 or len(typed) < _LEAST_ODD:
        return False
    rest, right = typed[at:], word[at:]
    return (
        right.startswith((rest, rest[1:]))
        or right[1:].startswith((rest[1:], rest))
        or (rest[1:2] == right[:1] and right[1:].startswith(rest[:1] + rest[2:]))
    )


def _initial(word: str) -> str:
    first = word[0]
    if first.isascii():
        return first
    try:
        code = first.encode("gb2312")
    except UnicodeEncodeError:
        return first
    place = bisect_right(_STARTS, code) - 1
    return _LETTERS[place] if 0 <= place < len(_LETTERS) else first
