"""A message in clauses: "what time is it and calculate 2+2" asks for two things."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

_BREAK = re.compile(
    r"""
    (?<![,;:.?])[,;:.?]++(?=\s|$)    # not in 3.5, 1,234 or 5!
    | (?<![\d)!])!++(?=\s|$) | (?<!!)!++(?=\s)
    | (?<!\d)，|，(?!\d) | [；。？！\n]+ | [~～]+
    | (?<!\s)\s+(?:and\s+then|and\s+also|and|then|also)\s+
    | (?:然后|接着|并且|而且|顺便|另外|还有(?!多少|几|多久|什么|哪些|啥)|同时|之后再)
    | 再(?![见次说来])
    """,
    re.VERBOSE | re.IGNORECASE,
)


_MOST = 12
"""Clauses that are read; nobody asks for more at once."""


class Clauses:
    """The clauses of a text; `rest(n)` is the text from the n-th on, as it was written."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._spans = list(islice(_spans(text), _MOST))

    def __len__(self) -> int:
        return len(self._spans)

    def __getitem__(self, at: int) -> str:
        start, end = self._spans[at]
        return self._text[start:end].strip()

    def rest(self, at: int) -> str:
        return self._text[self._spans[at][0] :].strip()


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Begin and end of what stands between breaks, outside parentheses: not in max(1, 2)."""
    start = seen = depth = 0
    for end, following in (*(found.span() for found in _BREAK.finditer(text)), (len(text), 0)):
        depth += sum(text.count(char, seen, end) for char in "(（")
        depth -= sum(text.count(char, seen, end) for char in ")）")
        seen = end
        if depth > 0 and end < len(text):
            continue
        if re.search(r"\w", text[start:end]):
            yield start, end
        start = following
