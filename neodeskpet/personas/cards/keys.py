"""Whether a key of a world book was said.

Regular expressions of strangers can take for ever. One is run only if it is of a kind whose cost
can be told beforehand: no references, no looking around, no repeating of groups, and repeats are
bounded. Any other is looked for as the plain text it is, which `is_plain` tells.
"""

from __future__ import annotations

import re
from functools import lru_cache

_LONGEST_KEY = 300
_BOUND = 20
"""How often something without an end is repeated at most."""
_COSTLIEST = 400
"""Ways in which a text can be tried from one place."""
_READ = 2_000
"""Characters at the end of a text that are searched by an expression."""
_QUANTIFIER = re.compile(r"[*+?]\??|\{(\d{0,3})(?:(,)(\d{0,3}))?\}\??")
_CLASS = re.compile(r"\[\^?(?:\\[dwsDWSnt\]\\\-^.+*?()|/]|[^\\\[\]]){1,80}\]")
_ESCAPE = re.compile(r"\\[bBdwsDWSnt.^$*+?()\[\]{}|\\/\-]")
_SLASHED = re.compile(r"/(.+)/([a-z]{0,6})\Z", re.DOTALL)


def said(
    key: str, text: str, *, regex: bool, case: bool, whole: bool, folded: str | None = None
) -> bool:
    """Whether `key` is in `text`, whose `folded` form may be known."""
    key = key.strip()
    if not key:
        return False
    pattern = _pattern(key, regex, case)
    if pattern is not None:
        return pattern.search(text[-_READ:]) is not None
    inside = key in text if case else key.casefold() in (folded or text.casefold())
    return inside and (not whole or _whole(key, case).search(text) is not None)


def is_plain(key: str, *, regex: bool) -> bool:
    """Whether an expression is looked for as plain text, because it might take for ever."""
    return regex and _pattern(key.strip(), regex, False) is None


@lru_cache(maxsize=4096)
def _pattern(key: str, regex: bool, case: bool) -> re.Pattern[str] | None:
    if not regex:
        return None
    source, slashed = key, _SLASHED.match(key)
    if slashed is not None:
        source, case = slashed[1], "i" not in slashed[2]
    bounded = bound(source)
    if bounded is None:
        return None
    try:
        return re.compile(bounded, 0 if case else re.IGNORECASE)
    except (re.error, OverflowError, RecursionError):
        return None


@lru_cache(maxsize=4096)
def _whole(key: str, case: bool) -> re.Pattern[str]:
    """Scripts that set no spaces have no words to be whole."""
    before = r"(?<![A-Za-z0-9_])" if key[0].isascii() else ""
    after = r"(?![A-Za-z0-9_])" if key[-1].isascii() else ""
    return re.compile(before + re.escape(key) + after, 0 if case else re.IGNORECASE)


def bound(source: str) -> str | None:
    """An expression that finds what `source` finds, with an end to each repeat; None where its cost
    can't be told, or is too high.
    """
    if len(source) > _LONGEST_KEY:
        return None
    reader = _Reader(source)
    cost = reader.alternatives()
    if cost is None or reader.at < len(source) or cost > _COSTLIEST:
        return None
    return "".join(reader.made)


class _Reader:
    """`made` is what was read so far, bounded; each part gives back its cost, None for what isn't
    allowed.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        self.made: list[str] = []
        self._deep = 0

    def alternatives(self) -> int | None:
        total = self._sequence()
        while total is not None and self.source[self.at : self.at + 1] == "|":
            self._take("|")
            more = self._sequence()
            total = None if more is None else total + more
        return total

    def _sequence(self) -> int | None:
        total: int | None = 1
        while total is not None and self.at < len(self.source):
            if self.source[self.at] in "|)":
                break
            cost = self._atom()
            total = None if cost is None else min(total * cost, _COSTLIEST + 1)
        return total

    def _atom(self) -> int | None:
        char = self.source[self.at]
        if char == "(":
            cost = self._group()
            if cost is None:
                return None
            found = _QUANTIFIER.match(self.source, self.at)
            if found is None:
                return cost
            if found[0] not in ("?", "??"):
                return None  # a repeated group: the ways multiply
            self._take(found[0])
            return cost + 1
        if char in "*+?{":
            return None
        for kind in (_CLASS, _ESCAPE):
            if found := kind.match(self.source, self.at):
                self._take(found[0])
                return self._repeat()
        if char in "[\\":
            return None
        self._take(char)
        return self._repeat()

    def _group(self) -> int | None:
        self._deep += 1
        opening = "(?:" if self.source.startswith("(?:", self.at) else "("
        if self._deep > 10 or self.source.startswith("?", self.at + len(opening)):
            return None
        self._take(opening)
        cost = self.alternatives()
        if cost is None or self.source[self.at : self.at + 1] != ")":
            return None
        self._take(")")
        self._deep -= 1
        return cost

    def _repeat(self) -> int | None:
        found = _QUANTIFIER.match(self.source, self.at)
        if found is None:
            return 1
        sign = found[0]
        self.at += len(sign)
        lazy = "?" if len(sign) > 1 and sign.endswith("?") else ""
        if sign[0] != "{":
            least, most = (1, _BOUND) if sign[0] == "+" else (0, 1 if sign[0] == "?" else _BOUND)
        else:
            least = int(found[1] or 0)
            most = int(found[3] or _BOUND) if found[2] else least
        if most > _BOUND or least > most or _QUANTIFIER.match(self.source, self.at):
            return None
        self.made.append(f"{{{least},{most}}}{lazy}")
        return most - least + 1

    def _take(self, text: str) -> None:
        self.made.append(text)
        self.at += len(text)
