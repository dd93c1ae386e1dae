"""Texts and questions as the index of an FTS5 table takes them.

The characters of scripts without spaces are words of their own there, and a run of them a phrase:
so that any part of what was said is found. Words of alphabets are found by their beginnings.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from neodeskpet.core.find.needle import DENSE, Needle, fold

_SLICE = 20_000
"""Characters that are read in one go: a pattern lets no other thread run until it is through."""
_DENSE_RUN = re.compile(f"([{DENSE}])")
_RUN = re.compile(rf"[{DENSE}]+|(?:(?![{DENSE}])[^\W_])+")
_PIECES = re.compile(rf"[{DENSE}]+|[^\s{DENSE}]+")


def spread(text: str) -> str:
    """`text` for the index."""
    if text.isascii():
        return fold(text)
    slices = (text[at : at + _SLICE] for at in range(0, len(text), _SLICE))
    return "".join(_DENSE_RUN.sub(r" \1 ", fold(one)) for one in slices)


@dataclass(frozen=True, slots=True)
class Question:
    """What a person looks for: all of its `words`, wherever they stand in a message."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Question:
        return cls(tuple(dict.fromkeys(_PIECES.findall(fold(text)))))

    @property
    def match(self) -> str:
        """The expression for FTS5; "" when no word has a letter."""
        runs = dict.fromkeys(run for word in self.words for run in _RUN.findall(word))
        return " AND ".join(_term(run) for run in runs)

    @property
    def signs(self) -> tuple[str, ...]:
        """Words of which the index doesn't know all: they must be looked for in the text too."""
        return tuple(word for word in self.words if not _RUN.fullmatch(word))

    def needle(self) -> Needle:
        """What is marked in a text that was found."""
        return Needle(self.words, at_starts=True)


def _term(run: str) -> str:
    if re.match(f"[{DENSE}]", run):
        return f'"{" ".join(run)}"'
    # Nearly every text has a word that begins with any one letter.
    return f'"{run}"*' if len(run) > 1 else f'"{run}"'
