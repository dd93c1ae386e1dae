"""Gets the colours of code from a child process, and applies them to a document. Code that takes
too long stays plain.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable
from hashlib import sha256

from PySide6.QtCore import QObject
from PySide6.QtGui import (
    QBrush,
    QColor,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextLayout,
)

from neodeskpet.ui.qt_child_worker import QtChildWorker
from neodeskpet.ui.rendering.code_spans import CodeSpans

TIMEOUT_SECONDS = 5.0
"""Time limit for one text."""
MAX_CHARS = 150_000
_PLAIN = frozenset(("", "text", "plain", "txt"))

SpansCallback = Callable[[CodeSpans | None], None]
"""Receives the colours; None if the text stays plain."""


class Highlighter(QObject):
    """Starts the child with the first code. `seconds` is the time limit for one text."""

    def __init__(self, parent: QObject | None = None, *, seconds: float = TIMEOUT_SECONDS) -> None:
        super().__init__(parent)
        self._child = QtChildWorker("colour", seconds, self)
        self._refused: set[bytes] = set()

    def ask(self, code: str, language: str, done: SpansCallback) -> None:
        """Call `done` when the colours are known, or at once if there will be none. The latest
        request comes first, since its code is visible.
        """
        digest = sha256(f"{language}\n{code}".encode("utf-8", "surrogatepass")).digest()
        if language in _PLAIN or len(code) > MAX_CHARS or digest in self._refused:
            done(None)
            return

        def take(answer: bytes | None) -> None:
            if answer is None:
                self._refused.add(digest)
            done(None if answer is None else CodeSpans.unpacked(answer))

        self._child.ask(json.dumps({"code": code, "language": language}).encode(), take)


def apply_spans(
    document: QTextDocument,
    spans: CodeSpans,
    offset: int,
    colour: Callable[[str], QColor],
    *,
    since: int = 0,
) -> None:
    """Colour `document`, which contains the code from `offset` on. Lines that end before `since` (a
    position in the code) are already coloured. `colour` returns the colour of a class.
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
    """Return the formats from `start` to `end` of the document by line number."""
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


def file_extension(language: str) -> str:
    """Return the usual file extension with its dot; `.txt` for an unknown language."""
    from pygments.lexers import get_all_lexers  # 0.6 MiB, only needed to save code

    for _, aliases, patterns, _ in get_all_lexers(plugins=False):
        if language.lower() in aliases:
            plain = (one.removeprefix("*") for one in patterns if one.startswith("*."))
            return next((one for one in plain if one[1:].isalnum()), ".txt")
    return ".txt"
