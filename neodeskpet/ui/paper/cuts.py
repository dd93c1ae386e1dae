"""Where a laid out document can be cut into pages: between its lines, never through one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from PySide6.QtGui import QTextDocument


def break_positions(document: QTextDocument) -> list[float]:
    """The heights at which no line is cut through, in order. Lines may stand beside one another (in
    a table), so these are the ends of what overlaps.
    """
    spans: list[tuple[float, float]] = []
    layout = document.documentLayout()
    block = document.begin()
    while block.isValid():
        top = layout.blockBoundingRect(block).top()
        lines = block.layout()
        for number in range(lines.lineCount()):
            line = lines.lineAt(number)
            spans.append((top + line.y(), top + line.y() + line.height()))
        block = block.next()
    return line_ends(spans)


def line_ends(spans: Sequence[tuple[float, float]]) -> list[float]:
    ends: list[float] = []
    for top, bottom in sorted(spans):
        if ends and top < ends[-1] - 0.5:
            ends[-1] = max(ends[-1], bottom)
        else:
            ends.append(bottom)
    return ends


def next_break(cuts: Sequence[float], top: float, room: float, total: float) -> float:
    """The last cut within `room` below `top`; the end if there is room, `top` if there is none."""
    if total - top <= room:
        return total
    place = bisect_right(cuts, top + room)
    return max(top, cuts[place - 1]) if place else top
