"""Words that FTS5's tokenizer (`unicode61`) keeps in one piece, as one token.

The tokenizer splits at every character that its own tables don't know as a letter or a digit. A
word that it splits becomes a phrase in a MATCH expression, and a table without positions
(`detail = none`) refuses phrases. The tables differ between versions of SQLite, so only characters
that have been letters or digits since Unicode 3.2 are relied on. Any other one is written as its
number.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_OLD = unicodedata.ucd_3_2_0


@lru_cache(maxsize=16384)
def is_kept(char: str) -> bool:
    """Whether every version of the tokenizer takes this character as part of a word."""
    if char.isascii():
        return char.isalnum()
    return unicodedata.category(char)[0] in "LN" and _OLD.category(char)[0] in "LN"


def is_token(term: str) -> bool:
    """Whether the tokenizer keeps `term` as one token."""
    if term.isascii():
        return term.isalnum()
    return bool(term) and all(map(is_kept, term))


def as_token(term: str) -> str:
    """`term` as one token: itself, if it is one. "" for ""."""
    if is_token(term):
        return term
    return "".join(char if is_kept(char) else f"u{ord(char):x}" for char in term)
