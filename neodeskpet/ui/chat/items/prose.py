"""Items that hold text: Markdown pieces, code, what the person wrote, plain monospace parts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QPainterStateGuard,
    QPalette,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
)

from neodeskpet.core.markdown.growth import added_words
from neodeskpet.core.markdown.markup import NOTE_SCHEME, Prepared, markdown_of, plain_of
from neodeskpet.core.markdown.pieces import Joint, Kind, Piece, work_of
from neodeskpet.ui.chat.items import draw
from neodeskpet.ui.chat.items.documents import (
    QUOTE_STEP,
    SafeDocument,
    edited_at_once,
    new_document,
    write_markdown,
)
from neodeskpet.ui.chat.items.item import LEVEL, Brush, Item, Scene, paint_caret
from neodeskpet.ui.chat.items.look import Look
from neodeskpet.ui.formulas.drawer import Formulas, Waiter
from neodeskpet.ui.formulas.inline import place_formulas
from neodeskpet.ui.theme import font_for

_BULLET = 12
_WORDS = frozenset({Kind.PROSE, Kind.HEADING, Kind.LIST, Kind.QUOTE, Kind.NOTE})


@dataclass(frozen=True, slots=True)
class Inset:
    left: int = 0
    top: int = 0
    right: int = 0
    bottom: int = 0


_AS_IT_IS = nullcontext()
_NO_INSET = Inset()
_RULED, _HEADED = Inset(left=14, top=2, bottom=2), Inset(top=4)


class TextItem(Item):
    """Text in a document of its own. Positions count as Qt counts (UTF-16)."""

    caret = False
    joint = Joint.NONE

    def make_document(self, look: Look) -> SafeDocument:
        raise NotImplementedError

    @property
    def source(self) -> str:
        """What it is made of: Markdown, or the bare text."""
        raise NotImplementedError

    @property
    def plain(self) -> str:
        """Its text without marks."""
        return self.source

    def inset(self, _look: Look) -> Inset:
        return _NO_INSET

    def paint_ground(self, scene: Scene, brush: Brush) -> None:
        """What lies under the text."""

    def paint_above(self, scene: Scene, brush: Brush) -> None:
        """What lies over it."""

    def palette(self, look: Look) -> QPalette:
        return look.palette

    def estimate(self, scene: Scene, width: int) -> int:
        inset = self.inset(scene.look)
        source = self.source
        weight = len(source) if source.isascii() else int(len(source.encode()) * 0.62)
        height = scene.look.estimate(
            weight, width - inset.left - inset.right, source.count("\n") + 1
        )
        return height + inset.top + inset.bottom

    @property
    def work(self) -> int:
        return work_of(self.source)

    def measure(self, scene: Scene, width: int) -> int:
        document = scene.documents.get(self)
        self.lay_out(scene, document, width)
        inset = self.inset(scene.look)
        self.width = width
        self.height = math.ceil(document.size().height()) + inset.top + inset.bottom
        return self.height

    def lay_out(self, scene: Scene, document: SafeDocument, width: int) -> None:
        inset = self.inset(scene.look)
        wanted = max(16, width - inset.left - inset.right)
        if document.textWidth() != wanted:
            document.setTextWidth(wanted)
            self.broken_anew(document)

    def broken_anew(self, document: SafeDocument) -> None:
        """Its lines are other ones now."""
        document.last_line, self.same = 0.0, 0

    def grow(self, scene: Scene, document: SafeDocument) -> None:
        """Text was added at its end: the lines above the last one stay as they are."""
        measured = bool(self.width)
        self.outdate()
        self.near = measured
        if not scene.marks.needle:  # what is looked for may begin further up
            self.same = max(0, math.floor(document.last_line) - 1)

    def document(self, scene: Scene) -> SafeDocument:
        """Its document, laid out for the width it was measured for."""
        document = scene.documents.get(self)
        self.lay_out(scene, document, self.width)
        return document

    def origin(self, look: Look) -> QPointF:
        inset = self.inset(look)
        return QPointF(inset.left, inset.top)

    def paint(self, scene: Scene, brush: Brush) -> None:
        self.paint_ground(scene, brush)
        document = self.document(scene)
        origin = brush.box.topLeft() + self.origin(scene.look)
        painter = brush.painter
        context = QAbstractTextDocumentLayout.PaintContext()
        context.palette = self.palette(scene.look)
        clip = self.text_clip(scene, brush)
        context.clip = clip.translated(-origin)
        painted = [
            self._selection(scene, document, start, end, "mark_here" if here else "mark")
            for start, end, here in scene.marks.spans(self, document)
        ]
        if brush.selected is not None:
            painted.append(self._selection(scene, document, *brush.selected))
        if painted:
            context.selections = painted
        narrower = clip is not brush.clip  # which the painter has already
        with QPainterStateGuard(painter) if narrower else _AS_IT_IS:
            if narrower:
                painter.setClipRect(clip, Qt.ClipOperation.IntersectClip)
            painter.translate(origin)
            try:
                document.documentLayout().draw(painter, context)
            finally:  # whatever stands here instead has its place
                painter.translate(-origin)
        if self.caret:
            spot = self._end_of(document, scene.look)
            paint_caret(scene, painter, brush.box.left() + spot.x(), brush.box.top() + spot.y())
        self.paint_above(scene, brush)

    def text_clip(self, _scene: Scene, brush: Brush) -> QRectF:
        """Where its text may be painted."""
        return brush.clip

    def _selection(
        self, scene: Scene, document: SafeDocument, start: int, end: int, token: str = "selection"
    ) -> QAbstractTextDocumentLayout.Selection:
        selection = QAbstractTextDocumentLayout.Selection()
        cursor = QTextCursor(document)
        last = document.characterCount() - 1
        cursor.setPosition(min(start, last))
        cursor.setPosition(min(end, last), QTextCursor.MoveMode.KeepAnchor)
        selection.cursor = cursor
        form = QTextCharFormat()
        form.setBackground(scene.look.color(token))
        form.setForeground(scene.look.color("text"))
        if token == "mark_here":  # not by its colour alone
            form.setFontUnderline(True)
        selection.format = form
        return selection

    def caret_spot(self, scene: Scene) -> QPointF:
        """Top left of the caret after the last character."""
        document = self.document(scene)
        document.size()  # so that all of it is laid out
        return self._end_of(document, scene.look)

    def _end_of(self, document: SafeDocument, look: Look) -> QPointF:
        """The same, in its document, which is laid out."""
        block = document.lastBlock()
        while not block.text() and block.previous().isValid():
            block = block.previous()
        origin = self.origin(look)
        layout = block.layout()
        lines = layout.lineCount()
        if not lines:
            return origin + document.documentLayout().blockBoundingRect(block).topLeft()
        line = layout.lineAt(lines - 1)
        place = layout.position()
        if document.may_have_table and QTextCursor(block).currentTable() is not None:
            # The layout knows its place in its frame only, and that is a cell.
            rect = document.documentLayout().blockBoundingRect(block)
            place = rect.topLeft() - layout.boundingRect().topLeft()
        slack = max(0.0, line.height() - look.theme.line_px)
        spot = QPointF(line.x() + line.naturalTextWidth() + 1, line.y() + slack)
        document.last_line = origin.y() + place.y() + line.y()
        return origin + place + spot

    @property
    def moving(self) -> bool:
        return self.caret

    # For selections, and what is looked for

    def spot_of(self, scene: Scene, position: int) -> QRectF:
        """Where a character stands: as high as its line, and without a width."""
        document = self.document(scene)
        block = document.findBlock(position)
        layout = block.layout()
        line = layout.lineForTextPosition(position - block.position())
        top = document.documentLayout().blockBoundingRect(block).topLeft()
        if not line.isValid():
            return QRectF(top + self.origin(scene.look), QSizeF(0, scene.look.theme.line_px))
        found: object = line.cursorToX(position - block.position())
        across = float(found[0] if isinstance(found, tuple) else 0)
        place = QPointF(top.x() + across, top.y() + line.y() - layout.boundingRect().top())
        return QRectF(place + self.origin(scene.look), QSizeF(0, line.height()))

    def position_at(self, scene: Scene, point: QPointF) -> int:
        """The character boundary next to `point`."""
        document = self.document(scene)
        spot = point - self.origin(scene.look)
        found = document.documentLayout().hitTest(spot, Qt.HitTestAccuracy.FuzzyHit)
        return max(0, found)

    def link_at(self, scene: Scene, point: QPointF) -> str:
        document = self.document(scene)
        return document.documentLayout().anchorAt(point - self.origin(scene.look))

    def length(self, scene: Scene) -> int:
        return scene.documents.get(self).characterCount() - 1

    def text_between(self, scene: Scene, start: int, end: int) -> str:
        """Plain text of a part."""
        return tidy(scene.documents.get(self).text_between(start, end))

    @property
    def spoken(self) -> str:
        return self.plain


def _is_rtl(block: QTextBlock) -> bool:
    return block.textDirection() is Qt.LayoutDirection.RightToLeft


def tidy(text: str) -> str:
    """Qt's own separators as ordinary ones."""
    for odd, even in (
        ("\u2029", "\n"),
        ("\u2028", "\n"),
        ("\u00a0", " "),
        ("\ufdd0", ""),
        ("\ufdd1", "\n"),
        ("\u200b", ""),  # see markup.tell_emphasis
    ):
        text = text.replace(odd, even)
    return text


class MarkdownItem(TextItem, Waiter):
    """A piece of Markdown that isn't code."""

    def __init__(
        self, piece: Piece, formulas: Formulas, *, muted: bool = False, ruled: str = ""
    ) -> None:
        """`ruled` names the colour of a rule at the left ("" for none)."""
        self.piece = piece
        self.notes: Mapping[str, str] = {}
        self._prepared: Prepared | None = None  # of the piece, once it grew
        self._formulas = formulas
        self.muted = muted
        self.ruled = ruled or ("control_line" if piece.kind is Kind.QUOTE else "")
        self.joint = piece.joint
        self.indent = piece.indent * LEVEL

    @property
    def source(self) -> str:
        return self.piece.source

    @property
    def plain(self) -> str:
        return plain_of(self.piece)

    def accepts(self, piece: Piece) -> bool:
        """Whether `piece` is this one, grown."""
        mine = self.piece
        same = piece.kind is mine.kind and piece.indent == mine.indent
        return same and piece.joint is mine.joint and piece.head == mine.head

    def update(self, piece: Piece, scene: Scene) -> bool:
        """Show the piece as it is now; False if nothing changed."""
        before, self.piece = self.piece, piece
        if before.lines == piece.lines and before.closed == piece.closed:
            return False
        earlier, prepared = self._prepared or markdown_of(before), markdown_of(piece)
        self._prepared = prepared
        if prepared == earlier:
            return False
        document = scene.documents.peek(self)
        if document is not None and self._add(document, earlier, prepared, scene.look):
            self.grow(scene, document)
            return True
        if document is not None:
            self._write(document, prepared, scene.look)
        self.outdate()
        return True

    def make_document(self, look: Look) -> SafeDocument:
        document = new_document(look.font)
        self._write(document, self._prepared or markdown_of(self.piece), look)
        return document

    def _add(
        self, document: SafeDocument, earlier: Prepared, prepared: Prepared, look: Look
    ) -> bool:
        """Add what came to what stands there, without parsing all of it anew; False if it could be
        more than words.
        """
        if self.piece.kind not in _WORDS or prepared.formulas != earlier.formulas:
            return False
        found = added_words(earlier.source, prepared.source)
        if found is None or not document.lastBlock().text().endswith(found[0]):
            return False
        if font_for(found[1], look.font) is not look.font is font_for(earlier.source, look.font):
            return False
        cursor = QTextCursor(document)
        cursor.beginEditBlock()  # within, a cursor doesn't ask where it is: that shapes its line
        cursor.setPosition(document.characterCount() - 1)  # `End` would ask for the layout
        cursor.insertText(found[1])
        cursor.endEditBlock()
        return True

    def note_at(self, scene: Scene, point: QPointF) -> str:
        """What the footnote says whose number is there; "" where there is none."""
        address = self.link_at(scene, point)
        label = address.removeprefix(NOTE_SCHEME) if address.startswith(NOTE_SCHEME) else ""
        return self.notes.get(label, "")

    def redraw(self, scene: Scene) -> None:
        """Formulas of it have been drawn."""
        scene.documents.drop(self)
        self.outdate()

    def _write(self, document: SafeDocument, prepared: Prepared, look: Look) -> None:
        # A paragraph's lines are blocks to Qt, not paragraphs of their own.
        gap = 0 if self.piece.kind is Kind.PROSE else 4
        with edited_at_once(document):
            write_markdown(document, prepared.source, look, gap)
            self.place(document, prepared)

    def place(self, document: SafeDocument, prepared: Prepared) -> None:
        """Put the formulas into what was written."""
        document.set_formulas(())
        if prepared.formulas:
            place_formulas(document, prepared.formulas, self._formulas, self)

    def inset(self, _look: Look) -> Inset:
        if self.ruled:
            return _RULED
        return _HEADED if self.piece.kind is Kind.HEADING else _NO_INSET

    def palette(self, look: Look) -> QPalette:
        muted = self.muted or self.piece.kind in (Kind.QUOTE, Kind.NOTE)
        return look.muted_palette if muted else look.palette

    def paint_above(self, scene: Scene, brush: Brush) -> None:
        if self.piece.kind not in (Kind.LIST, Kind.QUOTE, Kind.NOTE):
            return
        document = self.document(scene)
        origin = brush.box.topLeft() + self.origin(scene.look)
        for number, depth in document.bullets:
            spot = self._mark_spot(document, number, scene.look)
            if spot is not None:
                draw.bullet(brush.painter, origin + spot, scene.look, hollow=depth > 1)
        for number, done, numbered in document.boxes:
            spot = self._mark_spot(document, number, scene.look)
            if spot is not None:
                inwards = _BULLET + scene.look.theme.font_px * 0.6 if numbered else 0.0
                block = document.findBlockByNumber(number)
                spot += QPointF(-inwards if _is_rtl(block) else inwards, 0)
                draw.task_box(brush.painter, origin + spot, scene.look, done=done)
        self._paint_inner_rules(document, origin, scene.look, brush)

    def _mark_spot(self, document: SafeDocument, number: int, look: Look) -> QPointF | None:
        """Where the mark before this block is, its middle."""
        block = document.findBlockByNumber(number)
        layout = block.layout()
        line = layout.lineAt(0)
        if not line.isValid():
            return None
        # A line's extra height lies above its text.
        down = line.y() + line.height() - look.theme.line_px / 2
        across = line.x() + line.width() + _BULLET if _is_rtl(block) else line.x() - _BULLET
        return layout.position() + QPointF(across, down)

    def _paint_inner_rules(
        self, document: SafeDocument, origin: QPointF, look: Look, brush: Brush
    ) -> None:
        """The rules of quotes within quotes."""
        levels = dict(document.quotes)
        for number, level in document.quotes:
            block = document.findBlockByNumber(number)
            rect = document.documentLayout().blockBoundingRect(block)
            for depth in range(2, level + 1):
                top = rect.top()
                if levels.get(number - 1, 0) >= depth:
                    before = document.findBlockByNumber(number - 1)
                    top = document.documentLayout().blockBoundingRect(before).bottom() - 1
                left = QUOTE_STEP * (depth - 2)
                rule = QRectF(left, top, 3, rect.bottom() - top).translated(origin)
                brush.painter.fillRect(rule, look.color("control_line"))

    def paint_ground(self, scene: Scene, brush: Brush) -> None:
        if self.ruled:
            up = self.gap if self.muted or self.joint is not Joint.NONE else 0
            rule = QRectF(brush.box.left(), brush.box.top() - up, 3, brush.box.height() + up)
            brush.painter.fillRect(rule, scene.look.color(self.ruled))
