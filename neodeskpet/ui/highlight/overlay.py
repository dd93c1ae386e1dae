"""Lays the colours of code over its document."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

from PySide6.QtGui import (
    QBrush,
    QColor,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextLayout,
)

from neodeskpet.ui.highlight.spans import CodeSpans


def apply_spans(
    document: QTextDocument,
    spans: CodeSpans,
    offset: int,
    colour: Callable[[str], QColor],
    *,
    since: int = 0,
) -> None:
    """Colour `document`, which holds the code from `offset` on. Lines that end before `since` (a
    place in the code) are coloured already. `colour` knows the colour of a class.
    """
    formats: dict[str, QTextCharFormat] = {}
    begin, end = max(offset, since), offset + document.characterCount()
    first = document.findBlock(begin - offset)
    if not first.isValid():
        return
    begin = offset + first.position()
    ranges: dict[int, list[QTextLayout.FormatRange]] = {}
    at = max(0, bisect_left(spans.starts, begin) - 1)
    for start, length, name in spans.as_parts(at):
        if start >= end:
            break
        form = formats.get(name)
        if form is None:
            form = formats[name] = QTextCharFormat()
            form.setForeground(QBrush(colour(name)))
        for number, one in _per_line(document, max(begin, start) - offset, start + length - offset):
            one.format = form
            ranges.setdefault(number, []).append(one)
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    block = first
    while block.isValid():
        found = ranges.get(block.blockNumber(), [])
        if found or block.layout().formats():
            block.layout().setFormats(found)
        block = block.next()
    cursor.endEditBlock()


def _per_line(
    document: QTextDocument, start: int, end: int
) -> list[tuple[int, QTextLayout.FormatRange]]:
    """From `start` to `end` of the document, by the numbers of its lines."""
    out: list[tuple[int, QTextLayout.FormatRange]] = []
    block = document.findBlock(start)
    while block.isValid() and block.position() < end:
        one = QTextLayout.FormatRange()
        one.start = max(0, start - block.position())
        one.length = min(end - block.position(), block.length() - 1) - one.start
        if one.length > 0:
            out.append((block.blockNumber(), one))
        block = block.next()
    return out
