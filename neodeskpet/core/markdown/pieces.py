"""Pieces of Markdown: what the splitter cuts a text into. Pure: no Qt."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum

MOST_PIECE_CHARACTERS = 1500
MOST_LIST_ITEMS = 12
MOST_TABLE_ROWS = 15
MOST_TABLE_CELLS = 150
MOST_TABLE_COLUMNS = 50
"""A table with more is shown as it is written."""
MOST_MARK_WEIGHT = 160
"""Of a piece of text (`mark_weight`): the cost grows with marks more than with characters."""
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
    """How a piece hangs on the one before: not at all, on its next line, or inside a line."""

    NONE = "none"
    LINE = "line"
    INLINE = "inline"


@dataclass(slots=True)
class Piece:
    """`indent` counts the list levels around it. `head` is a continued table's first two lines.

    A LIST's or TABLE's `source` is complete Markdown of its own; a CODE's is the bare code; a
    FORMULA's has what encloses it; a NOTE is what a footnote says.
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
        """Whether `line` fits into it, as a piece of text."""
        return (
            self.size + len(line) <= MOST_PIECE_CHARACTERS
            and self.marks + mark_weight(line) <= MOST_MARK_WEIGHT
        )


def mark_weight(text: str) -> int:
    """How much of the parser's and the layout's work is in it. The weight of two texts is that of
    both together, wherever a stream is cut.
    """
    light = sum(text.count(mark) for mark in "`*~[@")
    return light + 4 * (text.count("$") + text.count("\\"))


_SMALL_MARKS = re.compile(r"[_&]|www|://")


def estimated_microseconds(text: str) -> int:
    """A guess of how many microseconds parsing and laying out this much Markdown take."""
    marks = 12 * mark_weight(text) + 5 * len(_SMALL_MARKS.findall(text))
    marks += 60 * (text.count("$") + text.count("|"))
    return 300 + len(text) * 3 // 5 + 25 * text.count("\n") + marks


# Greedy: the last one of all.
_LAST_BREAK = re.compile(r".*[\s。，、；：！？…)）】」』](?=\S)", re.DOTALL)


def longest_part(text: str) -> int:
    """How much of a line is looked at to cut it: `LIMIT` characters, or fewer that have `MARKS`."""
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
    """Where to cut a line of at least `most` characters; depends on the first `most` only."""
    found = _LAST_BREAK.match(text, most // 2, most)
    if found is not None:
        return found.end()
    cut = max(1, most - 16)
    while cut < most - 1 and _joins(text[cut]):
        cut += 1
    return cut


def _joins(char: str) -> bool:
    """A mark that belongs to the character before it (accents, emoji joiners and selectors)."""
    return "\u0300" <= char <= "\u036f" or char in "\u200d\ufe0f\ufe0e" or "🏻" <= char <= "🏿"


def without_table_head(tail: list[Piece]) -> list[Piece]:
    """A last line that begins with a bar will most likely be a table's head: not shown as text."""
    last = tail[-1] if tail else None
    if last is None or last.closed or last.kind is not PieceKind.PROSE:
        return tail
    if not last.lines or not last.lines[-1].lstrip().startswith("|"):
        return tail
    last.lines.pop()
    return tail if last.lines else tail[:-1]
