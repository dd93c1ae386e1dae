"""Items with text: Markdown pieces, text of the user, and plain monospace parts."""

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
    QTextLine,
)

from neodeskpet.core.markdown.pieces import Continuation, Piece, PieceKind, estimated_microseconds
from neodeskpet.core.markdown.preparation import (
    FOOTNOTE_SCHEME,
    PreparedMarkdown,
    SpokenNames,
    added_words,
    plain_text_of,
    prepare_markdown,
)
from neodeskpet.language import tr
from neodeskpet.ui.chat.items import paint_primitives
from neodeskpet.ui.chat.items.item import (
    INDENT_WIDTH,
    HitRegion,
    Item,
    ItemAction,
    PaintContext,
    Scene,
    paint_caret,
)
from neodeskpet.ui.chat.items.item_style import ItemStyle
from neodeskpet.ui.chat.items.text_documents import (
    QUOTE_INDENT,
    LinkSpan,
    SafeDocument,
    link_spans,
    new_document,
    single_edit,
    write_markdown,
)
from neodeskpet.ui.rendering.formula_cache import FormulaCache, FormulaListener
from neodeskpet.ui.rendering.formula_document import place_formulas
from neodeskpet.ui.theme import font_for_text

_BULLET = 12
_LINK = "link "
_WORDS = frozenset(
    {PieceKind.PROSE, PieceKind.HEADING, PieceKind.LIST, PieceKind.QUOTE, PieceKind.FOOTNOTE}
)


@dataclass(frozen=True, slots=True)
class Insets:
    left: int = 0
    top: int = 0
    right: int = 0
    bottom: int = 0


_AS_IT_IS = nullcontext()
_NO_INSET = Insets()
_RULED, _HEADED = Insets(left=14, top=2, bottom=2), Insets(top=4)


class TextItem(Item):
    """Text in its own document. Positions count UTF-16 units."""

    shows_caret = False
    joint = Continuation.NONE

    def make_document(self, look: ItemStyle) -> SafeDocument:
        raise NotImplementedError

    @property
    def source(self) -> str:
        """The source: Markdown or plain text."""
        raise NotImplementedError

    @property
    def plain_text(self) -> str:
        """The text without markup."""
        return self.source

    def inset(self, _look: ItemStyle) -> Insets:
        return _NO_INSET

    def paint_ground(self, scene: Scene, brush: PaintContext) -> None:
        """Paint below the text."""

    def paint_above(self, scene: Scene, brush: PaintContext) -> None:
        """Paint above the text."""

    def palette(self, look: ItemStyle) -> QPalette:
        return look.palette

    def estimate(self, scene: Scene, width: int) -> int:
        inset = self.inset(scene.style)
        source = self.source
        weight = len(source) if source.isascii() else int(len(source.encode()) * 0.62)
        height = scene.style.estimate(
            weight, width - inset.left - inset.right, source.count("\n") + 1
        )
        return height + inset.top + inset.bottom

    @property
    def measure_cost(self) -> int:
        return estimated_microseconds(self.source)

    def measure(self, scene: Scene, width: int) -> int:
        document = scene.documents.get(self)
        self.layout(scene, document, width)
        inset = self.inset(scene.style)
        self.width = width
        self.height = math.ceil(document.size().height()) + inset.top + inset.bottom
        return self.height

    def layout(self, scene: Scene, document: SafeDocument, width: int) -> None:
        inset = self.inset(scene.style)
        wanted = max(16, width - inset.left - inset.right)
        if document.textWidth() != wanted:
            document.setTextWidth(wanted)
            self.on_lines_changed(document)

    def on_lines_changed(self, document: SafeDocument) -> None:
        """Forget state of the lines after they changed."""
        document.last_line, self.unchanged_height = 0.0, 0

    def grow(self, scene: Scene, document: SafeDocument) -> None:
        """Update after text was added at the end: the lines above the last one are unchanged."""
        measured = bool(self.width)
        self.invalidate()
        self.is_nearly_measured = measured
        if not scene.marks.needle:  # a match may begin further up
            self.unchanged_height = max(0, math.floor(document.last_line) - 1)

    def document(self, scene: Scene) -> SafeDocument:
        """Return the document, laid out for the measured width."""
        document = scene.documents.get(self)
        self.layout(scene, document, self.width)
        return document

    def origin(self, look: ItemStyle) -> QPointF:
        inset = self.inset(look)
        return QPointF(inset.left, inset.top)

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        self.paint_ground(scene, brush)
        document = self.document(scene)
        origin = brush.box.topLeft() + self.origin(scene.style)
        painter = brush.painter
        context = QAbstractTextDocumentLayout.PaintContext()
        context.palette = self.palette(scene.style)
        clip = self.text_clip(scene, brush)
        context.clip = clip.translated(-origin)
        painted = [
            self._selection(scene, document, start, end, "mark_current" if here else "mark")
            for start, end, here in scene.marks.marked_spans(self, document)
        ]
        if brush.selected is not None:
            painted.append(self._selection(scene, document, *brush.selected))
        if painted:
            context.selections = painted
        narrower = clip is not brush.clip  # the painter already has brush.clip
        with QPainterStateGuard(painter) if narrower else _AS_IT_IS:
            if narrower:
                painter.setClipRect(clip, Qt.ClipOperation.IntersectClip)
            painter.translate(origin)
            try:
                document.documentLayout().draw(painter, context)
            finally:  # the painter's origin is restored after an error
                painter.translate(-origin)
        if self.shows_caret:
            spot = self._end_of(document, scene.style)
            paint_caret(scene, painter, brush.box.left() + spot.x(), brush.box.top() + spot.y())
        self.paint_above(scene, brush)
        if scene.focus is not None and scene.focus.item is self:
            self._paint_link_focus(scene, brush)

    def _paint_link_focus(self, scene: Scene, brush: PaintContext) -> None:
        """Paint a frame around the link with the focus."""
        for number, link in enumerate(self.links(scene)):
            if scene.is_focused(self, f"{_LINK}{number}"):
                for rect in self.span_rects(scene, link.start, link.end):
                    ring = rect.translated(brush.box.topLeft()).adjusted(-2, 0, 2, 0)
                    paint_primitives.draw_focus_ring(brush.painter, ring, scene.style, 4)

    def text_clip(self, _scene: Scene, brush: PaintContext) -> QRectF:
        """Return the area where its text may be painted."""
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
        form.setBackground(scene.style.color(token))
        form.setForeground(scene.style.color("text"))
        if token == "mark_current":  # not by colour alone
            form.setFontUnderline(True)
        selection.format = form
        return selection

    def caret_position(self, scene: Scene) -> QPointF:
        """Return the top left corner of the caret after the last character."""
        document = self.document(scene)
        document.size()  # lays out the whole document
        return self._end_of(document, scene.style)

    def _end_of(self, document: SafeDocument, look: ItemStyle) -> QPointF:
        """Return the caret position in the document, which is laid out."""
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
            # A block's layout only knows its position in its frame, which is a cell in tables.
            rect = document.documentLayout().blockBoundingRect(block)
            place = rect.topLeft() - layout.boundingRect().topLeft()
        slack = max(0.0, line.height() - look.theme.line_px)
        spot = QPointF(line.x() + line.naturalTextWidth() + 1, line.y() + slack)
        document.last_line = origin.y() + place.y() + line.y()
        return origin + place + spot

    @property
    def is_animated(self) -> bool:
        return self.shows_caret

    # For selections and search

    def character_rect(self, scene: Scene, position: int) -> QRectF:
        """Return the position of a character, with the height of its line and no width."""
        document = self.document(scene)
        block = document.findBlock(position)
        layout = block.layout()
        line = layout.lineForTextPosition(position - block.position())
        top = document.documentLayout().blockBoundingRect(block).topLeft()
        if not line.isValid():
            return QRectF(top + self.origin(scene.style), QSizeF(0, scene.style.theme.line_px))
        across = _line_x(line, position - block.position())
        place = QPointF(top.x() + across, top.y() + line.y() - layout.boundingRect().top())
        return QRectF(place + self.origin(scene.style), QSizeF(0, line.height()))

    def span_rects(self, scene: Scene, start: int, end: int) -> list[QRectF]:
        """Return the rectangles of the characters from `start` to `end` in one paragraph, one for
        each line.
        """
        document = self.document(scene)
        block = document.findBlock(start)
        layout, base = block.layout(), block.position()
        corner = document.documentLayout().blockBoundingRect(block).topLeft()
        corner += self.origin(scene.style) - QPointF(0, layout.boundingRect().top())
        rects: list[QRectF] = []
        for number in range(layout.lineCount()):
            line = layout.lineAt(number)
            first = max(start - base, line.textStart())
            last = min(end - base, line.textStart() + line.textLength())
            if first < last:
                left, right = sorted(_line_x(line, at) for at in (first, last))
                rects.append(
                    QRectF(corner + QPointF(left, line.y()), QSizeF(right - left, line.height()))
                )
        return rects

    def position_at(self, scene: Scene, point: QPointF) -> int:
        """Return the character boundary next to `point`."""
        document = self.document(scene)
        spot = point - self.origin(scene.style)
        found = document.documentLayout().hitTest(spot, Qt.HitTestAccuracy.FuzzyHit)
        return max(0, found)

    def link_at(self, scene: Scene, point: QPointF) -> str:
        document = self.document(scene)
        return document.documentLayout().anchorAt(point - self.origin(scene.style))

    def length(self, scene: Scene) -> int:
        return scene.documents.get(self).characterCount() - 1

    def text_between(self, scene: Scene, start: int, end: int) -> str:
        """Return the plain text of a range."""
        return ordinary_separators(scene.documents.get(self).text_between(start, end))

    # For the keyboard and screen readers

    def links(self, _scene: Scene) -> tuple[LinkSpan, ...]:
        """Return the links in the text that may be opened."""
        return ()

    def focus_regions(self, scene: Scene) -> list[HitRegion]:
        links = [
            HitRegion(
                f"{_LINK}{number}",
                self._link_rect(scene, link),
                ordinary_separators(link.text).strip() or link.address,
                ItemAction.LINK,
                link.address,
            )
            for number, link in enumerate(self.links(scene))
        ]
        return [*links, *super().focus_regions(scene)]

    def _link_rect(self, scene: Scene, link: LinkSpan) -> QRectF:
        """Return the rectangle around a link; empty if the text isn't laid out."""
        rect = QRectF()
        for line in self.span_rects(scene, link.start, link.end) if self.width else ():
            rect = rect.united(line)
        return rect

    @property
    def accessible_text(self) -> str:
        return self.plain_text

    @property
    def undrawn_length(self) -> int:
        """Return the number of characters at the beginning of `accessible_text` that aren't in the
        document.
        """
        return 0


def _line_x(line: QTextLine, position: int) -> float:
    """Return the x of a position in a line."""
    found: object = line.cursorToX(position)
    return float(found[0] if isinstance(found, tuple) else 0)


def _is_rtl(block: QTextBlock) -> bool:
    return block.textDirection() is Qt.LayoutDirection.RightToLeft


def ordinary_separators(text: str) -> str:
    """Return the text with Qt's separators replaced by ordinary ones."""
    for odd, even in (
        ("\u2029", "\n"),
        ("\u2028", "\n"),
        ("\u00a0", " "),
        ("\ufdd0", ""),
        ("\ufdd1", "\n"),
        ("\u200b", ""),  # see separate_emphasis
    ):
        text = text.replace(odd, even)
    return text


class MarkdownItem(TextItem, FormulaListener):
    """A piece of Markdown other than code."""

    def __init__(
        self, piece: Piece, formulas: FormulaCache, *, muted: bool = False, ruled: str = ""
    ) -> None:
        """`ruled` names the colour of a rule at the left, "" for none."""
        self.piece = piece
        self.notes: Mapping[str, str] = {}
        self._prepared: PreparedMarkdown | None = None  # prepared form of the piece after growth
        self._links: tuple[LinkSpan, ...] | None = None
        self._spoken: str | None = None
        self._formulas = formulas
        self.muted = muted
        self.ruled = ruled or ("control_line" if piece.kind is PieceKind.QUOTE else "")
        self.joint = piece.continuation
        self.indent = piece.indent * INDENT_WIDTH

    @property
    def source(self) -> str:
        return self.piece.source

    @property
    def plain_text(self) -> str:
        return plain_text_of(self.piece)

    def accepts(self, piece: Piece) -> bool:
        """Whether `piece` is this piece after growth."""
        mine = self.piece
        same = piece.kind is mine.kind and piece.indent == mine.indent
        return same and piece.continuation is mine.continuation and piece.head == mine.head

    def update(self, piece: Piece, scene: Scene) -> bool:
        """Show the current piece; return False if nothing changed."""
        before, self.piece = self.piece, piece
        if before.lines == piece.lines and before.closed == piece.closed:
            return False
        self._links = self._spoken = None
        earlier, prepared = self._prepared or prepare_markdown(before), prepare_markdown(piece)
        self._prepared = prepared
        if prepared == earlier:
            return False
        document = scene.documents.peek(self)
        if document is not None and self._add(document, earlier, prepared, scene.style):
            self.grow(scene, document)
            return True
        if document is not None:
            self._write(document, prepared, scene.style)
        self.invalidate()
        return True

    def make_document(self, look: ItemStyle) -> SafeDocument:
        document = new_document(look.font)
        self._write(document, self._prepared or prepare_markdown(self.piece), look)
        return document

    def _add(
        self,
        document: SafeDocument,
        earlier: PreparedMarkdown,
        prepared: PreparedMarkdown,
        look: ItemStyle,
    ) -> bool:
        """Append the added text without parsing the whole again; return False if it may be more
        than plain words.
        """
        if self.piece.kind not in _WORDS or prepared.formulas != earlier.formulas:
            return False
        found = added_words(earlier.source, prepared.source)
        if found is None or not document.lastBlock().text().endswith(found[0]):
            return False
        if (
            font_for_text(found[1], look.font)
            is not look.font
            is font_for_text(earlier.source, look.font)
        ):
            return False
        cursor = QTextCursor(document)
        cursor.beginEditBlock()  # inside, a cursor doesn't query the layout
        # MoveOperation.End would require the layout.
        cursor.setPosition(document.characterCount() - 1)
        cursor.insertText(found[1])
        cursor.endEditBlock()
        return True

    def footnote_at(self, scene: Scene, point: QPointF) -> str:
        """Return the text of the footnote whose number is at `point`, "" if there is none."""
        address = self.link_at(scene, point)
        label = address.removeprefix(FOOTNOTE_SCHEME) if address.startswith(FOOTNOTE_SCHEME) else ""
        return self.notes.get(label, "")

    def redraw(self, scene: Scene) -> None:
        """Recreate the document after its formulas were drawn."""
        scene.documents.drop(self)
        self.forget_links()
        self.invalidate()

    def _write(self, document: SafeDocument, prepared: PreparedMarkdown, look: ItemStyle) -> None:
        # Qt makes a block of each line, not of each paragraph.
        gap = 0 if self.piece.kind is PieceKind.PROSE else 4
        with single_edit(document):
            write_markdown(document, prepared.source, look, gap)
            self.insert_formulas(document, prepared)

    def insert_formulas(self, document: SafeDocument, prepared: PreparedMarkdown) -> None:
        """Insert the formulas into the document."""
        document.set_formulas(())
        if prepared.formulas:
            place_formulas(document, prepared.formulas, self._formulas, self)

    def forget_links(self) -> None:
        """Note that the positions in the document may have changed."""
        self._links = None

    def links(self, scene: Scene) -> tuple[LinkSpan, ...]:
        if self._links is None:
            source = self.source
            may_have = "](" in source or "://" in source or "@" in source
            self._links = link_spans(scene.documents.get(self)) if may_have else ()
        return self._links

    @property
    def accessible_text(self) -> str:
        if self._spoken is None:
            names = SpokenNames(picture=tr("Picture"), formula=tr("Formula"))
            self._spoken = plain_text_of(self.piece, names)
        return self._spoken

    def invalidate(self) -> None:
        super().invalidate()
        # The language may have changed.
        self._spoken = None

    def inset(self, _look: ItemStyle) -> Insets:
        if self.ruled:
            return _RULED
        return _HEADED if self.piece.kind is PieceKind.HEADING else _NO_INSET

    def palette(self, look: ItemStyle) -> QPalette:
        muted = self.muted or self.piece.kind in (PieceKind.QUOTE, PieceKind.FOOTNOTE)
        return look.muted_palette if muted else look.palette

    def paint_above(self, scene: Scene, brush: PaintContext) -> None:
        if self.piece.kind not in (PieceKind.LIST, PieceKind.QUOTE, PieceKind.FOOTNOTE):
            return
        document = self.document(scene)
        origin = brush.box.topLeft() + self.origin(scene.style)
        for number, depth in document.bullets:
            spot = self._mark_spot(document, number, scene.style)
            if spot is not None:
                paint_primitives.draw_bullet(
                    brush.painter, origin + spot, scene.style, hollow=depth > 1
                )
        for number, done, numbered in document.task_boxes:
            spot = self._mark_spot(document, number, scene.style)
            if spot is not None:
                inwards = _BULLET + scene.style.theme.font_px * 0.6 if numbered else 0.0
                block = document.findBlockByNumber(number)
                spot += QPointF(-inwards if _is_rtl(block) else inwards, 0)
                paint_primitives.draw_task_box(brush.painter, origin + spot, scene.style, done=done)
        self._paint_inner_rules(document, origin, scene.style, brush)

    def _mark_spot(self, document: SafeDocument, number: int, look: ItemStyle) -> QPointF | None:
        """Return the centre of the mark before this block."""
        block = document.findBlockByNumber(number)
        layout = block.layout()
        line = layout.lineAt(0)
        if not line.isValid():
            return None
        # The extra height of a line is above its text.
        down = line.y() + line.height() - look.theme.line_px / 2
        across = line.x() + line.width() + _BULLET if _is_rtl(block) else line.x() - _BULLET
        return layout.position() + QPointF(across, down)

    def _paint_inner_rules(
        self, document: SafeDocument, origin: QPointF, look: ItemStyle, brush: PaintContext
    ) -> None:
        """Paint the rules of nested quotes."""
        levels = dict(document.quotes)
        for number, level in document.quotes:
            block = document.findBlockByNumber(number)
            rect = document.documentLayout().blockBoundingRect(block)
            for depth in range(2, level + 1):
                top = rect.top()
                if levels.get(number - 1, 0) >= depth:
                    before = document.findBlockByNumber(number - 1)
                    top = document.documentLayout().blockBoundingRect(before).bottom() - 1
                left = QUOTE_INDENT * (depth - 2)
                rule = QRectF(left, top, 3, rect.bottom() - top).translated(origin)
                brush.painter.fillRect(rule, look.color("control_line"))

    def paint_ground(self, scene: Scene, brush: PaintContext) -> None:
        if self.ruled:
            up = self.gap if self.muted or self.joint is not Continuation.NONE else 0
            rule = QRectF(brush.box.left(), brush.box.top() - up, 3, brush.box.height() + up)
            brush.painter.fillRect(rule, scene.style.color(self.ruled))
