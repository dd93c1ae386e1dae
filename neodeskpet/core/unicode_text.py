"""Unicode text: cutting between visible characters, and writing out hidden characters."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

JOINERS = "\u200c\u200d"
"""They control whether two letters, or two emoji, are drawn as one."""
_JOIN = "\u200d"


def cut_graphemes(text: str, most: int) -> str:
    """Return at most `most` code points of `text`, without a partial character at the end."""
    if len(text) <= most:
        return text
    end = most
    while end > 0 and _belongs_to_last(text, end):
        end -= 1
    return text[:end] or text[:most]


def _belongs_to_last(text: str, at: int) -> bool:
    """Return whether the code point at `at` is part of the preceding character."""
    letter, before = text[at], text[at - 1]
    if letter in JOINERS or before == _JOIN or _extends(letter):
        return True
    if _is_flag(letter) and _is_flag(before):
        count = 0
        while count < at and _is_flag(text[at - 1 - count]):
            count += 1
        return count % 2 == 1
    return False


def _extends(letter: str) -> bool:
    marks = unicodedata.category(letter) in ("Mn", "Me", "Mc")
    return marks or "\U0001f3fb" <= letter <= "\U0001f3ff" or "\u1160" <= letter <= "\u11ff"


def _is_flag(letter: str) -> bool:
    """Return whether the code point is half of a flag."""
    return "\U0001f1e6" <= letter <= "\U0001f1ff"


def is_joining(text: str, at: int) -> bool:
    """Return whether a joiner at `at` is between two letters, marks or symbols."""
    if not 0 < at < len(text) - 1:
        return False
    around = (text[at - 1], text[at + 1])
    return all(unicodedata.category(one)[0] in "LMS" for one in around)


_DOUBTFUL = re.compile(
    "[^\n\t\x20-\x7e\u00a1-\u00ac\u00ae-\u034e\u0350-\u0377\u038e-\u03a1\u03a3-\u052f"
    "\u05d0-\u05ea\u0620-\u064a\u0904-\u0939\u0e01-\u0e30\u2010-\u2027\u2030-\u205e\u20a0-\u20bf"
    "\u2100-\u218b\u2190-\u23ff\u2500-\u27ff\u3000-\u3029\u3041-\u3096\u3099-\u30ff\u3400-\u9fff"
    "\uac00-\ud7a3\uff01-\uff5e\U0001f300-\U0001f64f]+"
)
"""Characters outside the usual scripts are checked one by one."""
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
"""Letters and marks that are drawn as nothing."""
_UNSEEN = [*_BLANK, *map(chr, range(0xFE00, 0xFE0F))]
"""Characters that count as printable but are invisible."""
_FAR_SELECTOR = "\U000e0100".encode()[:2]
"""The first bytes of the other variation selectors, up to U+E01EF."""
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


_SLICE = 16_384
_KEPT = "\n\t\u3000"
"""White space that is kept, although `str.isprintable` rejects it."""


def show_hidden_chars(text: str) -> str:
    """Return `text` with all hidden characters written out; line breaks and tabs stay."""
    if len(text) <= _SLICE:
        return _written_out(text)
    slices = (text[at : at + _SLICE] for at in range(0, len(text), _SLICE))
    return "".join(one if is_surely_visible(one) else _written_out(one) for one in slices)


def is_surely_visible(text: str) -> bool:
    """Return whether `text` certainly has no hidden characters (fast); False if uncertain."""
    for kept in _KEPT:
        text = text.replace(kept, "")
    return (
        text.isprintable()
        and not any(letter in text for letter in _UNSEEN)
        and (text.isascii() or _FAR_SELECTOR not in text.encode())
    )


def _written_out(text: str) -> str:
    return _DOUBTFUL.sub(lambda found: "".join(map(_shown, found[0])), text)


def has_hidden_chars(text: str) -> bool:
    """Return whether `text` has hidden characters."""
    return show_hidden_chars(text) != text


@lru_cache(maxsize=4096)
def _shown(character: str) -> str:
    if not _is_hidden(character):
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def _is_hidden(character: str) -> bool:
    kind = unicodedata.category(character)
    odd_space = kind == "Zs"  # the ASCII and the ideographic space were already accepted
    selector = "\ufe00" <= character <= "\ufe0e" or "\U000e0100" <= character <= "\U000e01ef"
    return kind in _HIDDEN or odd_space or selector or character in _BLANK
