"""Pieces of Markdown, as made by the splitter. Pure: no Qt."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum

MOST_PIECE_CHARACTERS = 1500
MOST_LIST_ITEMS = 12
MOST_TABLE_ROWS = 15
MOST_TABLE_CELLS = 150
MOST_TABLE_COLUMNS = 50
"""A table with more columns is shown as written."""
MOST_MARK_WEIGHT = 160
"""Highest `mark_weight` of a text piece: the cost grows more with marks than with characters."""
MOST_CODE_LINES = 80
MOST_CODE_CHARACTERS = 4000


class PieceKind(StrEnum):
    PROSE = "prose"
    HEADING = "heading"
    LIST = "list"
    QUOTE = "quote"
    TABLE = "table"
    CODE = "code"
    FORMULA = "formula"
    FOOTNOTE = "note"
    RULE = "rule"


class Continuation(StrEnum):
    """How a piece continues the previous one: not at all, on its next line, or inside a line."""

    NONE = "none"
    LINE = "line"
    INLINE = "inline"


@dataclass(slots=True)
class Piece:
    """`indent` is the number of surrounding list levels. `head` is the first two lines of a
    continued table.

    The `source` of a LIST or TABLE is complete Markdown; of CODE it is the bare code, of a FORMULA
    it includes the marks; a FOOTNOTE has the text of a footnote.
    """

    kind: PieceKind
    lines: list[str] = field(default_factory=list)
    continuation: Continuation = Continuation.NONE
    indent: int = 0
    language: str = ""
    head: tuple[str, ...] = ()
    closed: bool = False
    size: int = 0
    marks: int = 0
    items: int = 0

    @property
    def source(self) -> str:
        return "\n".join(self.lines)

    def add(self, line: str) -> None:
        self.lines.append(line)
        self.size += len(line) + 1
        if self.kind is not PieceKind.CODE:
            self.marks += mark_weight(line)

    def has_room(self, line: str) -> bool:
        """Return whether `line` fits into this text piece."""
        return (
            self.size + len(line) <= MOST_PIECE_CHARACTERS
            and self.marks + mark_weight(line) <= MOST_MARK_WEIGHT
        )


def mark_weight(text: str) -> int:
    """Return the share of `text` in the work of parser and layout. The weight of two texts is the
    sum of both, wherever a stream is cut.
    """
    light = sum(text.count(mark) for mark in "`*~[@")
    return light + 4 * (text.count("$") + text.count("\\"))


_SMALL_MARKS = re.compile(r"[_&]|www|://")


def estimated_microseconds(text: str) -> int:
    """Estimate the microseconds to parse and lay out this Markdown."""
    marks = 12 * mark_weight(text) + 5 * len(_SMALL_MARKS.findall(text))
    marks += 60 * (text.count("$") + text.count("|"))
    return 300 + len(text) * 3 // 5 + 25 * text.count("\n") + marks


# Greedy, so it finds the last one.
_LAST_BREAK = re.compile(r".*[\s。，、；：！？…)）】」』](?=\S)", re.DOTALL)


def longest_part(text: str) -> int:
    """Return how much of a line is examined to cut it: MOST_PIECE_CHARACTERS, or fewer with a
    weight of MOST_MARK_WEIGHT.
    """
    if (
        len(text) < MOST_MARK_WEIGHT // 8
        or mark_weight(text[:MOST_PIECE_CHARACTERS]) <= MOST_MARK_WEIGHT
    ):
        return MOST_PIECE_CHARACTERS
    low, high = 1, min(len(text), MOST_PIECE_CHARACTERS)
    while low < high:
        middle = (low + high) // 2
        if mark_weight(text[:middle]) > MOST_MARK_WEIGHT:
            high = middle
        else:
            low = middle + 1
    return max(low, 4)


def cut_point(text: str, most: int = MOST_PIECE_CHARACTERS) -> int:
    """Return where to cut a line of at least `most` characters; depends only on the first
    `most`.
    """
    found = _LAST_BREAK.match(text, most // 2, most)
    if found is not None:
        return found.end()
    cut = max(1, most - 16)
    while cut < most - 1 and _joins(text[cut]):
        cut += 1
    return cut


def _joins(char: str) -> bool:
    """Return whether the character belongs to the one before it (accents, emoji joiners and
    selectors).
    """
    return "\u0300" <= char <= "\u036f" or char in "\u200d\ufe0f\ufe0e" or "🏻" <= char <= "🏿"


def without_table_head(tail: list[Piece]) -> list[Piece]:
    """Return the pieces without a last line that begins with a bar: it will probably become the
    head of a table.
    """
    last = tail[-1] if tail else None
    if last is None or last.closed or last.kind is not PieceKind.PROSE:
        return tail
    if not last.lines or not last.lines[-1].lstrip().startswith("|"):
        return tail
    last.lines.pop()
    return tail if last.lines else tail[:-1]
