"""A message in clauses: "what time is it and calculate 2+2" asks for two things."""

from __future__ import annotations

import re

_BREAK = re.compile(
    r"""
    [,;:.?]+(?=\s|$) | (?<![\d)])!+(?=\s|$) | !+(?=\s)    # not in 3.5, 1,234 or 5!
    | (?<!\d)，|，(?!\d) | [；。？！\n]+ | [~～]+
    | \s+(?:and\s+then|and\s+also|and|then|also)\s+
    | (?:然后|接着|并且|而且|顺便|另外|还有|同时|之后再|再(?![见次说来]))
    """,
    re.VERBOSE | re.IGNORECASE,
)


class Clauses:
    """The clauses of a text; `rest(n)` is the text from the n-th on, as it was written."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._spans = [
            (start, end) for start, end in _spans(text) if re.search(r"\w", text[start:end])
        ]

    def __len__(self) -> int:
        return len(self._spans)

    def __getitem__(self, at: int) -> str:
        start, end = self._spans[at]
        return self._text[start:end].strip()

    def rest(self, at: int) -> str:
        return self._text[self._spans[at][0] :].strip()


def _spans(text: str) -> list[tuple[int, int]]:
    spans, start = [], 0
    for found in _BREAK.finditer(text):
        if _depth(text[: found.start()]) > 0:
            continue  # inside parentheses: max(1, 2)
        spans.append((start, found.start()))
        start = found.end()
    spans.append((start, len(text)))
    return spans


def _depth(text: str) -> int:
    return sum(char in "(（" for char in text) - sum(char in ")）" for char in text)
