"""Fuzzy matching of short names by a few typed letters: prefixes first, then substrings, then
letters that occur in this order, with at most one wrong letter.

Chinese names are found by any part of them, and by the pinyin initials.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from neodeskpet.core.text_search import SCRIPTS_WITHOUT_SPACES, fold_for_search

# GB 2312 sorts its 3755 common characters by pinyin: this list has the first character of
# each letter, and one after the last. A character with several readings has one here.
_LETTERS = "abcdefghjklmnopqrstwxyz"
_STARTS = [sign.encode("gb2312") for sign in "啊芭擦搭蛾发噶哈击喀垃妈拿哦啪期然撒塌挖昔压匝亍"]

_WORDS = re.compile(rf"[{SCRIPTS_WITHOUT_SPACES}]|(?:(?![{SCRIPTS_WITHOUT_SPACES}])[^\W_])+")
_LEAST_ODD = 4
"""With fewer letters no wrong letter is allowed: every name would match."""


@dataclass(frozen=True, slots=True)
class FuzzyTarget:
    """A name prepared for matching. It is also found by `words`, with a worse rank."""

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
    """The typed text, prepared for matching."""

    folded: str
    words: tuple[str, ...]
    letters: str

    @classmethod
    def of(cls, text: str) -> FuzzyQuery:
        words = tuple(fold_for_search(text).split())
        return cls(" ".join(words), words, "".join(words))

    def distance(self, target: FuzzyTarget) -> int | None:
        """Return 0 for an equal name, higher numbers for worse matches, None for no match."""
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
    """Yield the positions of the words in a name."""
    at = 0
    for word in words:
        at = name.index(word, at)
        yield at
        at += len(word)


def _are_initials(letters: str, words: tuple[str, ...]) -> bool:
    """Return whether the letters are prefixes of the words, in order ("opset": open settings)."""
    left = letters
    for word in words:
        taken = 0
        while taken < min(len(left), len(word)) and left[taken] == word[taken]:
            taken += 1
        left = left[taken:]
    return not left


def _is_near_prefix(typed: str, word: str) -> bool:
    """Return whether `typed` is a prefix of `word` with at most one letter that is wrong, missing,
    superfluous or swapped with its neighbour.
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
