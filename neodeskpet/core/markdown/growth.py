"""What of a text that streams needs no new parsing: plain words at its end. Pure.

A Markdown parser has to read a paragraph anew when it grows, for what comes may change what stands
there (`**` closes, a link begins, a line of dashes makes a heading). Mostly it is only more words.
"""

from __future__ import annotations

import re

# Letters, digits and punctuation that mean nothing within a line.
_SAFE = r"[^\W_]|[,.;:!?'\"()%°…—–，。、；：！？（）「」『』“”‘’《》·-]"
_WORDS = re.compile(rf"(?:{_SAFE}| (?! ))+")
_TAIL = re.compile(rf"(?:{_SAFE})+\Z")
_CLOSING_MARKS = re.compile(r"[*~]*\Z")
_LETTER = re.compile(r"[^\W\d_]")
_PARTS = "*`~"
"""What may stand right before the words at the end: whether it opens or closes something is decided
by its two neighbours, and they are there.
"""


def added_words(before: str, now: str) -> tuple[str, str] | None:
    """`before` was parsed; `now` is the same text, grown. The word at the end of what `before`
    looks like, and what follows it now, or None if `now` may look otherwise before that. What
    `complete` closed at the end of both is no part of either.
    """
    closers = _closers(before)
    if _closers(now) != closers:
        return None
    before, now = before.removesuffix(closers).rstrip(" "), now.removesuffix(closers).rstrip(" ")
    if not now.startswith(before) or "]:" in before:  # where a link leads, or words in brackets
        return None
    added, tail = now[len(before) :], _TAIL.search(before)
    if tail is None or _WORDS.fullmatch(added) is None:
        return None
    line = before[before.rfind("\n") + 1 :]
    if not _is_settled(line, before[: tail.start()], tail[0] + added):
        return None
    return tail[0], added


def _closers(text: str) -> str:
    found = _CLOSING_MARKS.search(text)
    return found[0] if found is not None else ""


def _is_settled(line: str, before: str, words: str) -> bool:
    """Whether the last line is what it is, and `words` are nothing else together."""
    if _LETTER.search(line) is None:  # a number may become a list's, dashes a heading's
        return False
    if before and not before[-1].isspace() and before[-1] not in _PARTS:
        return False
    return "www" not in words.casefold()
