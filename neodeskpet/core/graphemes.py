"""Characters as people see them, of which some are several code points. Pure.

A short form of Unicode's rules (UAX 29) for where a text may be cut: combining marks, joined emoji,
skin tones, flags and conjoining Hangul stay with what they belong to.
"""

from __future__ import annotations

import unicodedata

JOINERS = "\u200c\u200d"
"""They say whether two letters, or two emoji, are drawn as one."""
_JOIN = "\u200d"


def cut_graphemes(text: str, most: int) -> str:
    """At most `most` code points of `text`, without a part of a character at the end."""
    if len(text) <= most:
        return text
    end = most
    while end > 0 and _belongs_to_last(text, end):
        end -= 1
    return text[:end] or text[:most]


def _belongs_to_last(text: str, at: int) -> bool:
    """Whether the code point at `at` is a part of the character before it."""
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
    """Half of a flag."""
    return "\U0001f1e6" <= letter <= "\U0001f1ff"


def is_joining(text: str, at: int) -> bool:
    """Whether a joiner at `at` stands between two letters, marks or symbols."""
    if not 0 < at < len(text) - 1:
        return False
    around = (text[at - 1], text[at + 1])
    return all(unicodedata.category(one)[0] in "LMS" for one in around)
