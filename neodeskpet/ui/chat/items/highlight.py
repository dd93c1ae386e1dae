"""Colours of closed code: lexed once, long code in a worker thread, laid over the document."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Token, _TokenType
from pygments.util import ClassNotFound
from PySide6.QtCore import QObject, QRunnable, Qt, QThreadPool, Signal, Slot
from PySide6.QtGui import QBrush, QTextCharFormat, QTextCursor, QTextDocument, QTextLayout
from shiboken6 import isValid

from neodeskpet.ui.chat.items.look import Look

IN_WORKER = 4_000
TOO_LONG = 300_000

_CLASSES: dict[_TokenType, str] = {
    Token.Comment: "comment",
    Token.Literal.String: "string",
    Token.Literal.Number: "number",
    Token.Keyword.Constant: "number",
    Token.Keyword: "keyword",
    Token.Operator.Word: "keyword",
    Token.Name.Builtin: "builtin",
    Token.Name.Class: "name",
    Token.Name.Function: "name",
    Token.Name.Tag: "keyword",
    Token.Name.Attribute: "name",
    Token.Name.Decorator: "name",
    Token.Generic.Deleted: "number",
    Token.Generic.Inserted: "string",
    Token.Generic.Heading: "keyword",
}


@dataclass(frozen=True, slots=True)
class Span:
    """`length` characters (as Qt counts them) from `start` on are of this class of the theme's
    `syntax`.
    """

    start: int
    length: int
    name: str


def lexer_for(language: str) -> Lexer | None:
    """The lexer of a fence's language; None if there is none, or none is needed."""
    if not language or language in ("text", "plain", "txt"):
        return None
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def lex(code: str, language: str) -> list[Span]:
    """The coloured spans of `code`, in order. [] for an unknown language or a huge text."""
    lexer = lexer_for(language)
    if lexer is None or len(code) > TOO_LONG:
        return []
    spans: list[Span] = []
    position = 0
    for _, kind, text in lexer.get_tokens_unprocessed(code):
        length = utf16_length(text)
        name = _class_of(kind)
        if name and text.strip():
            spans.append(Span(position, length, name))
        position += length
    return spans


def utf16_length(text: str) -> int:
    """Length of `text` as Qt counts: characters beyond the base plane are two."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def _class_of(kind: _TokenType | None) -> str:
    while kind is not None and kind not in _CLASSES:
        kind = kind.parent
    return _CLASSES[kind] if kind is not None else ""


def lay_over(document: QTextDocument, spans: list[Span], offset: int, look: Look) -> None:
    """Colour `document`, which holds the code from `offset` on."""
    formats: dict[str, QTextCharFormat] = {}
    end = offset + document.characterCount()
    at = max(0, bisect_left(spans, offset, key=lambda span: span.start) - 1)
    ranges: dict[int, list[QTextLayout.FormatRange]] = {}
    for span in spans[at:]:
        if span.start >= end:
            break
        form = formats.get(span.name)
        if form is None:
            form = formats[span.name] = QTextCharFormat()
            form.setForeground(QBrush(look.color(f"syntax.{span.name}")))
        for number, one in _per_line(document, span, offset, form):
            ranges.setdefault(number, []).append(one)
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    for number, found in ranges.items():
        document.findBlockByNumber(number).layout().setFormats(found)
    cursor.endEditBlock()


def _per_line(
    document: QTextDocument, span: Span, offset: int, form: QTextCharFormat
) -> list[tuple[int, QTextLayout.FormatRange]]:
    start, end = max(0, span.start - offset), span.start + span.length - offset
    out: list[tuple[int, QTextLayout.FormatRange]] = []
    block = document.findBlock(start)
    while block.isValid() and block.position() < end:
        one = QTextLayout.FormatRange()
        one.start = max(0, start - block.position())
        one.length = min(end - block.position(), block.length() - 1) - one.start
        one.format = form
        if one.length > 0:
            out.append((block.blockNumber(), one))
        block = block.next()
    return out


class Highlighter(QObject):
    """Lexes on demand and calls back in the interface's thread."""

    _lexed = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._lexed.connect(self._settle, Qt.ConnectionType.QueuedConnection)

    def ask(self, code: str, language: str, done: Callable[[list[Span]], None]) -> None:
        """Call `done` with the spans: at once for short code, else when the worker is ready."""
        if len(code) < IN_WORKER:
            done(lex(code, language))
            return

        def work() -> None:
            spans = lex(code, language)
            if isValid(self):
                self._lexed.emit(done, spans)

        self._pool.start(QRunnable.create(work))

    @Slot(object, object)
    def _settle(self, done: Callable[[list[Span]], None], spans: list[Span]) -> None:
        done(spans)

    def wait(self) -> None:
        """Return when the worker has nothing left (its callbacks come with the next events)."""
        self._pool.waitForDone()
