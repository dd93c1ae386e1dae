"""Items that hold monospace text: fenced code in touching parts, and plain text inside cards."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPalette, QTextCursor

from neodeskpet.core.markdown.pieces import Joint, Kind, Piece
from neodeskpet.language import tr
from neodeskpet.ui.chat.items import draw
from neodeskpet.ui.chat.items.documents import SafeDocument, plain_document
from neodeskpet.ui.chat.items.item import LEVEL, Brush, Does, Part, Scene
from neodeskpet.ui.chat.items.look import Look
from neodeskpet.ui.chat.items.prose import Inset, TextItem
from neodeskpet.ui.highlight.overlay import lay_over
from neodeskpet.ui.highlight.spans import Spans, utf16_length

_SHORT = 4_000
"""Code up to this long (characters) is coloured while it streams,"""
_EVERY_S = 0.3
"""and so often."""


class CodeBlock:
    """One fenced block of code: its parts and, as soon as they are known, its colours."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.chunks: list[CodeItem] = []
        self.spans: Spans | None = None
        self._asked: tuple[int, bool] | None = None  # how long it was, and whether closed
        self._asked_at = 0.0
        self._waits = False
        self._plain = False

    @property
    def text(self) -> str:
        out = ""
        for chunk in self.chunks:
            out += ("\n" if chunk.joint is Joint.LINE else "") + chunk.source
        return out

    def offset_of(self, wanted: CodeItem) -> int:
        """Where a part begins, as Qt counts."""
        offset = 0
        for chunk in self.chunks:
            offset += chunk.joint is Joint.LINE
            if chunk is wanted:
                return offset
            offset += utf16_length(chunk.source)
        return offset

    def ask_colors(self, scene: Scene) -> None:
        """Have the code lexed when it is complete, short code now and then before; its parts are
        painted anew when the colours are there.
        """
        if self._waits or self._plain or not self.chunks:
            return
        closed = self.chunks[-1].piece.closed
        state = (sum(chunk.piece.size for chunk in self.chunks), closed)
        now = scene.clock()
        if state == self._asked:
            return
        if not closed and (state[0] > _SHORT or now - self._asked_at < _EVERY_S):
            return
        self._asked, self._asked_at, self._waits = state, now, True

        def settle(spans: Spans | None) -> None:
            self._waits, self._plain = False, spans is None
            if spans is not None:
                self.spans = spans
                scene.ask_paint()

        scene.highlighter.ask(self.text, self.language, settle)


class CodeItem(TextItem):
    """A part of a fenced block: at most some eighty lines. The parts touch each other."""

    def __init__(self, piece: Piece, block: CodeBlock) -> None:
        self.piece = piece
        self.block = block
        self.joint = piece.joint
        self.indent = piece.indent * LEVEL

    @property
    def source(self) -> str:
        return self.piece.source

    @property
    def _is_first(self) -> bool:
        return self.block.chunks[0] is self

    @property
    def _is_last(self) -> bool:
        return self.block.chunks[-1] is self

    def accepts(self, piece: Piece) -> bool:
        mine = self.piece
        same = piece.kind is Kind.CODE and piece.joint is mine.joint
        return same and piece.indent == mine.indent and piece.language == mine.language

    def update(self, piece: Piece, scene: Scene) -> bool:
        before, self.piece = self.piece.source, piece
        after = piece.source
        if after == before:
            return False
        document = scene.documents.peek(self)
        if document is not None:
            if after.startswith(before):
                cursor = QTextCursor(document)
                cursor.movePosition(QTextCursor.MoveOperation.End)
                cursor.insertText(after[len(before) :])
            else:
                scene.documents.drop(self)
        self.outdate()
        return True

    def make_document(self, look: Look) -> SafeDocument:
        tab = look.code_metrics.horizontalAdvance(" ") * 4
        return plain_document(self.source, look.code, look.code_line, tab=tab)

    def inset(self, look: Look) -> Inset:
        pad = look.theme.padding
        top = self._head(look) + 6 if self._is_first else 0
        return Inset(pad, top, pad, pad if self._is_last else 0)

    def _head(self, look: Look) -> int:
        """How high the line with the language and the button is."""
        return look.small_line + 12

    def estimate(self, scene: Scene, width: int) -> int:
        inset = self.inset(scene.look)
        lines = self.source.count("\n") + 1
        return lines * scene.look.code_line + inset.top + inset.bottom

    def color_in(self, scene: Scene) -> None:
        document, spans = scene.documents.peek(self), self.block.spans
        if document is None or spans is None or document.spans is spans:
            return
        since = spans.differ_from(document.spans) if document.spans is not None else 0
        offset, look = self.block.offset_of(self), scene.look
        lay_over(document, spans, offset, lambda name: look.color(f"syntax.{name}"), since=since)
        document.spans = spans

    def paint_ground(self, scene: Scene, brush: Brush) -> None:
        self.document(scene)
        self.block.ask_colors(scene)
        self.color_in(scene)
        draw.frame(
            brush.painter,
            brush.box,
            scene.look.color("code"),
            None,
            scene.look.theme.card_radius,
            top=self._is_first,
            bottom=self._is_last,
        )

    def _is_pointed(self, scene: Scene) -> bool:
        return any(p is not None and p.item is self for p in (scene.hover, scene.focus))

    def parts(self, scene: Scene) -> list[Part]:
        if not self._is_first and not self._is_pointed(scene):
            return []
        words = self._copy_words(scene)
        wide = math.ceil(scene.look.small_metrics.horizontalAdvance(words)) + 16
        tall = scene.look.small_line + 2
        down = (self._head(scene.look) - tall) / 2 if self._is_first else 6
        rect = QRectF(self.width - wide - 6, down, wide, tall)
        return [Part("copy", rect, tr("Copy the code"), Does.COPY, "code")]

    def _copy_words(self, scene: Scene) -> str:
        return tr("copied") if scene.copied == self.copy_id else tr("copy")

    @property
    def copy_id(self) -> str:
        return f"code {id(self.block)}"

    def paint_above(self, scene: Scene, brush: Brush) -> None:
        if self._is_first:
            self._paint_head(scene, brush)
        look, pointed = scene.look, self._is_pointed(scene)
        for part in self.parts(scene):
            rect = part.rect.translated(brush.box.topLeft())
            hovered = scene.is_hovered(self, part.key)
            if pointed:
                fill = look.color("hover" if hovered else "surface")
                draw.frame(brush.painter, rect, fill, look.color("control_line"), 6)
            words = self._copy_words(scene)
            align = Qt.AlignmentFlag.AlignHCenter
            color = look.color("text" if pointed else "muted")
            draw.text(brush.painter, rect, words, look.small, color, align)
            if scene.is_focused(self, part.key):
                draw.focus_ring(brush.painter, rect.adjusted(-2, -2, 2, 2), look, 7)

    def _paint_head(self, scene: Scene, brush: Brush) -> None:
        """The language, and a line below it; the button is a part."""
        look, box = scene.look, brush.box
        head = self._head(look)
        rect = QRectF(box.left() + look.theme.padding, box.top(), box.width() * 0.6, head)
        language = look.small_metrics.elidedText(
            self.block.language, Qt.TextElideMode.ElideRight, rect.width()
        )
        draw.text(brush.painter, rect, language, look.small, look.color("muted"))
        line = QRectF(box.left(), box.top() + head, box.width(), 1)
        brush.painter.fillRect(line, look.color("line"))


class MonoItem(TextItem):
    """Plain monospace text inside a card (a slice of its frame)."""

    in_card = True

    def __init__(self, text: str, joint: Joint, *, failed: bool = False) -> None:
        self._text = text
        self.joint = joint
        self.failed = failed

    @property
    def source(self) -> str:
        return self._text

    def make_document(self, look: Look) -> SafeDocument:
        tab = look.code_metrics.horizontalAdvance(" ") * 4
        return plain_document(self._text, look.code, look.code_line, tab=tab)

    def inset(self, look: Look) -> Inset:
        return Inset(look.theme.padding, 0, look.theme.padding, 0)

    def palette(self, look: Look) -> QPalette:
        return look.failed_palette if self.failed else look.palette

    def paint_ground(self, scene: Scene, brush: Brush) -> None:
        look = scene.look
        surface, line = look.color("surface"), look.color("line")
        draw.frame(
            brush.painter, brush.box, surface, line, look.theme.card_radius, top=False, bottom=False
        )
