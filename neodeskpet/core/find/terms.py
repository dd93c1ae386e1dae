"""Texts and questions as the index of an FTS5 table takes them.

The characters of scripts without spaces are words of their own there, and a run of them a phrase:
so that any part of what was said is found. Words of alphabets are found by their beginnings.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from neodeskpet.core.find.needle import SCRIPTS_WITHOUT_SPACES, SearchPattern, fold_for_search
from neodeskpet.core.find.tokens import is_kept, is_token

_SLICE = 20_000
"""Characters that are read in one go: a pattern lets no other thread run until it is through."""
_SIGN = re.compile(r"[\W_]")
_DENSE_RUN = re.compile(f"([{SCRIPTS_WITHOUT_SPACES}])")
_RUN = re.compile(rf"[{SCRIPTS_WITHOUT_SPACES}]+|(?:(?![{SCRIPTS_WITHOUT_SPACES}])[^\W_])+")
_PIECES = re.compile(rf"[{SCRIPTS_WITHOUT_SPACES}]+|[^\s{SCRIPTS_WITHOUT_SPACES}]+")


def index_text(text: str) -> str:
    """`text` for the index."""
    if text.isascii():
        return fold_for_search(text)
    slices = (text[at : at + _SLICE] for at in range(0, len(text), _SLICE))
    return "".join(_DENSE_RUN.sub(r" \1 ", _without_signs(fold_for_search(one))) for one in slices)


def _without_signs(text: str) -> str:
    """`text` with a space for whatever is no letter or digit: what the tokenizer's tables don't
    know (a new emoji) would be part of the word beside it.
    """
    return _SIGN.sub(" ", text)


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What a person looks for: all of its `words`, wherever they stand in a message."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> SearchQuery:
        return cls(tuple(dict.fromkeys(_PIECES.findall(fold_for_search(text)))))

    @property
    def match(self) -> str:
        """The expression for FTS5; "" when no word has a letter."""
        found = (run for word in self.words for run in _RUN.findall(word))
        runs = dict.fromkeys(run for run in found if any(map(is_kept, run)))
        return " AND ".join(_term(run) for run in runs)

    @property
    def unindexed_words(self) -> tuple[str, ...]:
        """Words of which the index doesn't know all: they must be looked for in the text too."""
        return tuple(word for word in self.words if not (_RUN.fullmatch(word) and is_token(word)))

    def pattern(self) -> SearchPattern:
        """What is marked in a text that was found."""
        return SearchPattern(self.words, at_starts=True)


def _term(run: str) -> str:
    if re.match(f"[{SCRIPTS_WITHOUT_SPACES}]", run):
        return f'"{" ".join(filter(str.isalnum, run))}"'
    # Nearly every text has a word that begins with any one letter.
    return f'"{run}"*' if len(run) > 1 else f'"{run}"'
