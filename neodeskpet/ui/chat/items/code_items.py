"""Items with monospace text: fenced code in adjoining parts, and plain text inside cards."""

from __future__ import annotations

import math
from heapq import nlargest
from itertools import count

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPalette, QTextCursor, QTextOption

from neodeskpet.core.markdown.pieces import Continuation, Piece, PieceKind
from neodeskpet.language import tr
from neodeskpet.ui.chat.items import paint_primitives
from neodeskpet.ui.chat.items.item import INDENT_WIDTH, HitRegion, ItemAction, PaintContext, Scene
from neodeskpet.ui.chat.items.item_style import ItemStyle
from neodeskpet.ui.chat.items.text_documents import SafeDocument, plain_document
from neodeskpet.ui.chat.items.text_items import Insets, TextItem
from neodeskpet.ui.chat.items.wide_items import ScrollState, WideItem
from neodeskpet.ui.rendering.code_highlighter import apply_spans
from neodeskpet.ui.rendering.code_spans import CodeSpans, utf16_length

_SHORT = 4_000
"""Code of at most this many characters is highlighted while it streams, every
_HIGHLIGHT_INTERVAL_S.
"""
_HIGHLIGHT_INTERVAL_S = 0.3
"""Seconds between two highlightings of streaming code."""
FOLD_ABOVE_LINES = 60
"""A code block that arrives complete with more lines is folded."""
FOLDED_LINES = 20
"""Lines shown of a folded code block."""
_DIAGRAMS = frozenset(
    ("mermaid", "plantuml", "puml", "dot", "graphviz", "d2", "vega", "vega-lite", "tikz")
)
_FOOT = 30


_numbers = count()  # id() could be reused while "copied" is shown


class CodeBlock:
    """One fenced block of code: its parts and, once known, its colours."""

    def __init__(self, language: str) -> None:
        self.number = next(_numbers)
        self.language = language
        self.chunks: list[CodeItem] = []
        self.spans: CodeSpans | None = None
        self._asked: tuple[int, bool] | None = (
            None  # size, and whether closed, at the last highlighting
        )
        self._asked_at = 0.0
        self._waits = False
        self._plain = False
        self.band = ScrollState()
        self.wraps = True
        self._folded: bool | None = None  # None until it is shown

    @property
    def closed(self) -> bool:
        return self.chunks[-1].piece.closed

    @property
    def lines(self) -> int:
        return sum(len(chunk.piece.lines) for chunk in self.chunks)

    @property
    def is_long(self) -> bool:
        """Whether it can be folded."""
        return self.lines > FOLD_ABOVE_LINES

    @property
    def folded(self) -> bool:
        """Whether only the first lines are shown. A block that was seen growing never folds by
        itself.
        """
        if self._folded is None:
            return self.closed and self.is_long
        return self._folded

    def fold(self, folded: bool) -> None:
        self._folded = folded

    def freeze_folding(self) -> None:
        """Keep the state of folding from the first display on, until the user changes it."""
        if self._folded is None:
            self._folded = self.folded

    def widest_line(self, look: ItemStyle) -> int:
        """Return the width of the longest line in pixels."""
        lines = (line.expandtabs(4) for chunk in self.chunks for line in chunk.piece.lines)
        longest = nlargest(12, lines, key=lambda line: len(line.encode()))
        return round(max(map(look.code_metrics.horizontalAdvance, longest), default=0)) + 8

    @property
    def text(self) -> str:
        out = ""
        for chunk in self.chunks:
            out += ("\n" if chunk.joint is Continuation.LINE else "") + chunk.source
        return out

    def offset_of(self, wanted: CodeItem) -> int:
        """Return the offset of a part in UTF-16 units."""
        offset = 0
        for chunk in self.chunks:
            offset += chunk.joint is Continuation.LINE
            if chunk is wanted:
                return offset
            offset += utf16_length(chunk.source)
        return offset

    def request_colors(self, scene: Scene) -> None:
        """Request the colours of the complete code, and of short code at intervals while it grows;
        its parts are repainted when the colours arrive.
        """
        if self._waits or self._plain or not self.chunks:
            return
        closed = self.chunks[-1].piece.closed
        state = (sum(chunk.piece.size for chunk in self.chunks), closed)
        now = scene.clock()
        if state == self._asked:
            return
        if not closed and (state[0] > _SHORT or now - self._asked_at < _HIGHLIGHT_INTERVAL_S):
            return
        self._asked, self._asked_at, self._waits = state, now, True

        def settle(spans: CodeSpans | None) -> None:
            self._waits, self._plain = False, spans is None
            if spans is not None:
                self.spans = spans
                scene.ask_paint()

        scene.highlighter.ask(self.text, self.language, settle)


class CodeItem(WideItem):
    """A part of a fenced block, of at most about 80 lines. The parts touch each other."""

    def __init__(self, piece: Piece, block: CodeBlock) -> None:
        self.piece = piece
        self.block = block
        self.scroll_state = block.band
        self.joint = piece.continuation
        self.indent = piece.indent * INDENT_WIDTH

    @property
    def source(self) -> str:
        return self.piece.source

    @property
    def _is_first(self) -> bool:
        return self.block.chunks[0] is self

    @property
    def _is_last(self) -> bool:
        """Whether it is the last visible part."""
        return self._is_first if self.block.folded else self.block.chunks[-1] is self

    @property
    def is_hidden(self) -> bool:
        return self.block.folded and not self._is_first

    @property
    def has_scroll_bar(self) -> bool:
        return self._is_last

    @property
    def scroll_name(self) -> str:
        return tr("Scroll the code sideways")

    def accepts(self, piece: Piece) -> bool:
        mine = self.piece
        same = piece.kind is PieceKind.CODE and piece.continuation is mine.continuation
        return same and piece.indent == mine.indent and piece.language == mine.language

    def update(self, piece: Piece, scene: Scene) -> bool:
        before, long = self.piece.source, self.block.is_long
        self.piece, after = piece, piece.source
        if after == before:
            return False
        document = scene.documents.peek(self)
        if document is not None:
            if after.startswith(before):
                cursor = QTextCursor(document)
                cursor.movePosition(QTextCursor.MoveOperation.End)
                cursor.insertText(after[len(before) :])
                self.grow(scene, document)
                if self.block.is_long != long:
                    self.unchanged_height = 0  # its header has one more button
                return True
            scene.documents.drop(self)
        self.invalidate()
        return True

    def make_document(self, look: ItemStyle) -> SafeDocument:
        tab = look.code_metrics.horizontalAdvance(" ") * 4
        document = plain_document(self.source, look.code, look.code_line, tab=tab)
        if not self.block.wraps:
            option = document.defaultTextOption()
            option.setWrapMode(QTextOption.WrapMode.NoWrap)
            document.setDefaultTextOption(option)
        return document

    def layout(self, scene: Scene, document: SafeDocument, width: int) -> None:
        room = self.visible_width(scene.style, width)
        band = self.scroll_state
        if self._is_first:
            widest = 0 if self.block.wraps else self.block.widest_line(scene.style)
            band.total = widest if widest > room else 0
            band.offset = min(band.offset, float(max(0, band.total - room)))
        wanted = max(room, band.total)
        if document.textWidth() != wanted:
            document.setTextWidth(wanted)
            self.on_lines_changed(document)

    def measure(self, scene: Scene, width: int) -> int:
        self.block.freeze_folding()
        if self.is_hidden:
            self.width, self.height = width, 0
            return 0
        height = super().measure(scene, width)
        if self.block.folded:
            self.height = height = self._folded_height(scene.style)
        return height

    def _folded_height(self, look: ItemStyle) -> int:
        inset = self.inset(look)
        return inset.top + FOLDED_LINES * look.code_line + inset.bottom

    def own_inset(self, look: ItemStyle) -> Insets:
        pad = look.theme.padding
        top = self._head(look) + 6 if self._is_first else 0
        bottom = pad if self._is_last else 0
        return Insets(pad, top, pad, bottom + (_FOOT if self.block.folded else 0))

    def _head(self, look: ItemStyle) -> int:
        """Return the height of the header line."""
        return look.small_line + 12

    def estimate(self, scene: Scene, width: int) -> int:
        if self.block.folded:
            return self._folded_height(scene.style) if self._is_first else 0
        inset = self.inset(scene.style)
        lines = self.source.count("\n") + 1
        return lines * scene.style.code_line + inset.top + inset.bottom

    def color_in(self, scene: Scene) -> None:
        document, spans = scene.documents.peek(self), self.block.spans
        if document is None or spans is None or document.spans is spans:
            return
        since = spans.differ_from(document.spans) if document.spans is not None else 0
        offset, look = self.block.offset_of(self), scene.style
        apply_spans(document, spans, offset, lambda name: look.color(f"syntax.{name}"), since=since)
        document.spans = spans

    def paint_ground(self, scene: Scene, brush: PaintContext) -> None:
        self.document(scene)
        self.block.request_colors(scene)
        self.color_in(scene)
        paint_primitives.draw_frame(
            brush.painter,
            brush.box,
            scene.style.color("code"),
            None,
            scene.style.theme.card_radius,
            top=self._is_first,
            bottom=self._is_last,
        )

    def _is_pointed(self, scene: Scene) -> bool:
        return any(p is not None and p.item is self for p in (scene.hover, scene.focus))

    def hit_regions(self, scene: Scene) -> list[HitRegion]:
        """Return the buttons of the header in reading order; further parts only have the copy
        button, while they are pointed at.
        """
        if self.is_hidden or (not self._is_first and not self._is_pointed(scene)):
            return super().hit_regions(scene) if not self.is_hidden else []
        out: list[HitRegion] = []
        look, right = scene.style, self.width - 6.0
        tall = look.small_line + 2
        down = (self._head(look) - tall) / 2 if self._is_first else 6
        for key, does, name in reversed(self._tools()):
            wide = math.ceil(look.small_metrics.horizontalAdvance(self._words(scene, key))) + 16
            right -= wide
            if right > 0 or not self.width:
                out.insert(0, HitRegion(key, QRectF(right, down, wide, tall), name, does, "code"))
        if self.block.folded:
            foot = QRectF(6, self.height - _FOOT, self.width - 12, _FOOT - 4)
            name = tr("Show all {count} lines", count=str(self.block.lines))
            out.append(HitRegion("unfold", foot, name, ItemAction.FOLD, "code"))
        return [*out, *super().hit_regions(scene)]

    def _tools(self) -> list[tuple[str, ItemAction, str]]:
        """Return key, action and name of the header's buttons."""
        copy = ("copy", ItemAction.COPY, tr("Copy the code"))
        if not self._is_first:
            return [copy]
        block = self.block
        wrap = tr("Scroll long lines") if block.wraps else tr("Wrap long lines")
        out = [
            ("wrap", ItemAction.WRAP, wrap),
            ("save", ItemAction.SAVE, tr("Save the code…")),
            copy,
        ]
        if block.is_long:
            fold = tr("Unfold the code") if block.folded else tr("Fold the code")
            out.insert(0, ("fold", ItemAction.FOLD, fold))
        return out

    def _words(self, scene: Scene, key: str) -> str:
        match key:
            case "copy":
                return tr("copied") if scene.copied == self.copy_id else tr("copy")
            case "wrap":
                return tr("scroll") if self.block.wraps else tr("wrap")
            case "fold":
                return tr("unfold") if self.block.folded else tr("fold")
            case _:
                return tr("save")

    def scroll_track(self, look: ItemStyle) -> QRectF:
        track = super().scroll_track(look)
        return track.translated(0, -_FOOT) if self.block.folded else track

    @property
    def copy_id(self) -> str:
        return f"code {self.block.number}"

    def text_clip(self, scene: Scene, brush: PaintContext) -> QRectF:
        clip = super().text_clip(scene, brush)
        if not self.block.folded:
            return clip
        inset = self.inset(scene.style)
        return clip.intersected(brush.box.adjusted(0, 0, 0, -inset.bottom))

    def paint_above(self, scene: Scene, brush: PaintContext) -> None:
        super().paint_above(scene, brush)
        look, pointed = scene.style, self._is_pointed(scene)
        if brush.clip.top() > brush.box.top() + self._head(look) + 4 and not self.block.folded:
            return  # only an area below the text is to be painted
        if self._is_first:
            self._paint_head(scene, brush)
        for part in self.hit_regions(scene):
            if part.action is ItemAction.SCROLL:
                continue
            rect = part.rect.translated(brush.box.topLeft())
            hovered = scene.is_hovered(self, part.key)
            if part.key == "unfold":
                words, lit = part.name, hovered
            else:
                words, lit = self._words(scene, part.key), pointed
            if lit:
                fill = look.color("hover" if hovered else "surface")
                paint_primitives.draw_frame(
                    brush.painter, rect, fill, look.color("control_line"), 6
                )
            align = Qt.AlignmentFlag.AlignHCenter
            color = look.color("text" if lit else "muted")
            paint_primitives.draw_text(brush.painter, rect, words, look.small, color, align)
            if scene.is_focused(self, part.key):
                paint_primitives.draw_focus_ring(
                    brush.painter, rect.adjusted(-2, -2, 2, 2), look, 7
                )

    def _paint_head(self, scene: Scene, brush: PaintContext) -> None:
        """Paint the language and a line below it; the buttons are hit regions."""
        look, box = scene.style, brush.box
        head = self._head(look)
        ends = min(
            (p.rect.left() for p in self.hit_regions(scene) if p.key != "unfold"), default=0.0
        )
        left = look.theme.padding
        rect = QRectF(box.left() + left, box.top(), max(0.0, ends - left - 8), head)
        words = self.block.language
        if words in _DIAGRAMS:
            words += " · " + tr("diagram source")
        words = look.small_metrics.elidedText(words, Qt.TextElideMode.ElideRight, rect.width())
        paint_primitives.draw_text(brush.painter, rect, words, look.small, look.color("muted"))
        line = QRectF(box.left(), box.top() + head, box.width(), 1)
        brush.painter.fillRect(line, look.color("line"))


class MonospaceItem(TextItem):
    """Plain monospace text inside a card (a slice of the card's frame)."""

    in_card = True

    def __init__(self, text: str, joint: Continuation, *, failed: bool = False) -> None:
        self._text = text
        self.joint = joint
        self.failed = failed

    @property
    def source(self) -> str:
        return self._text

    def make_document(self, look: ItemStyle) -> SafeDocument:
        tab = look.code_metrics.horizontalAdvance(" ") * 4
        return plain_document(self._text, look.code, look.code_line, tab=tab)

    def inset(self, look: ItemStyle) -> Insets:
        return Insets(look.theme.padding, 0, look.theme.padding, 0)

    def palette(self, look: ItemStyle) -> QPalette:
        return look.failed_palette if self.failed else look.palette

    def paint_ground(self, scene: Scene, brush: PaintContext) -> None:
        look = scene.style
        surface, line = look.color("surface"), look.color("line")
        paint_primitives.draw_frame(
            brush.painter, brush.box, surface, line, look.theme.card_radius, top=False, bottom=False
        )
