"""A table: in touching parts of some fifteen rows, and wider than its place where it has to be."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF

from neodeskpet.core.markdown.pieces import Piece
from neodeskpet.language import tr
from neodeskpet.ui.chat.items import draw
from neodeskpet.ui.chat.items.documents import (
    SafeDocument,
    column_widths,
    fix_columns,
    free_columns,
    longest_words,
    write_table,
)
from neodeskpet.ui.chat.items.item import Brush, Does, Part, Scene
from neodeskpet.ui.chat.items.look import Look
from neodeskpet.ui.chat.items.prose import Inset, MarkdownItem

_BOUNDLESS = 100_000
# In letters' heights: a column wraps down to the first; where it would have to be narrower the
# table is scrolled, and then a column is as wide as the second at most.
_LEAST, _MOST = 6, 16
_BAR = 6
_BAR_ROOM = 14


class TableShape:
    """What the parts of a table have in common: the widths of its columns, which the first part
    knows, how wide all of it is (0 where it fits), and how far it is scrolled.
    """

    def __init__(self) -> None:
        self.parts: list[TableItem] = []
        self.widths: list[float] = []
        self.width = 0
        self.total = 0
        self.offset = 0.0

    def fit(self, document: SafeDocument, room: int, look: Look) -> None:
        """Give the first part's columns their widths."""
        free_columns(document)
        document.setTextWidth(_BOUNDLESS)
        natural = column_widths(document)
        em = look.theme.font_px
        words = [min(wide, _MOST * em) for wide in longest_words(document, look)]
        least = [
            min(whole, max(_LEAST * em, word)) for whole, word in zip(natural, words, strict=True)
        ]
        self.total = 0
        if sum(least) + 1 > room:
            wide = [min(whole, _MOST * em) for whole in natural]
            fix_columns(document, wide, drop_head=False)
            self.total = round(sum(wide)) + 2
        document.setTextWidth(max(room, self.total))
        self.widths = column_widths(document)


class TableItem(MarkdownItem):
    """A part of a table; what goes beyond its place is scrolled to, all parts together."""

    def __init__(self, piece: Piece, *, muted: bool = False, ruled: str = "") -> None:
        super().__init__(piece, muted=muted, ruled=ruled)
        self.shape = TableShape()
        self.shape.parts.append(self)

    def join(self, shape: TableShape) -> None:
        """Be a further part of a table."""
        self.shape = shape
        shape.parts.append(self)

    def _write(self, document: SafeDocument, source: str, look: Look) -> None:
        write_table(document, source, look)
        if self.piece.head:
            fix_columns(document, self.shape.widths, drop_head=True)

    def measure(self, scene: Scene, width: int) -> int:
        owner = self.shape.parts[0]
        if owner is not self and self.shape.width != width:
            owner.measure(scene, width)
            scene.documents.drop(self)
        elif owner is self:
            self.shape.width = width
        return super().measure(scene, width)

    def lay_out(self, scene: Scene, document: SafeDocument, width: int) -> None:
        room = self._room(scene.look, width)
        if document.fitted == room:
            return
        if self.shape.parts[0] is self:
            self.shape.fit(document, room, scene.look)
        else:
            document.setTextWidth(max(room, self.shape.total))
        document.fitted = room

    def _room(self, look: Look, width: int) -> int:
        return max(16, width - super().inset(look).left)

    def inset(self, look: Look) -> Inset:
        inset = super().inset(look)
        wide = self.shape.total and self.shape.parts[-1] is self
        return Inset(inset.left, inset.top, 0, _BAR_ROOM if wide else inset.bottom)

    def origin(self, look: Look) -> QPointF:
        return super().origin(look) - QPointF(self.shape.offset, 0)

    # Scrolling

    def beyond(self, look: Look) -> int:
        """How many pixels of it don't fit."""
        return max(0, self.shape.total - self._room(look, self.width))

    def scroll_to(self, offset: float, look: Look) -> bool:
        """Show it from `offset` px on; False if it can't go there."""
        before = self.shape.offset
        self.shape.offset = min(max(0.0, offset), float(self.beyond(look)))
        return self.shape.offset != before

    def scroll_by(self, pixels: float, look: Look) -> bool:
        return self.scroll_to(self.shape.offset + pixels, look)

    def track(self, look: Look) -> QRectF:
        """Where the bar moves; empty where all is seen."""
        if not self.beyond(look) or self.shape.parts[-1] is not self:
            return QRectF()
        left = super().inset(look).left
        return QRectF(left, self.height - _BAR - 2, self._room(look, self.width), _BAR)

    def thumb(self, look: Look) -> QRectF:
        """The bar itself."""
        track = self.track(look)
        if track.isEmpty():
            return track
        scale = track.width() / self.shape.total
        left = track.left() + self.shape.offset * scale
        return QRectF(left, track.top(), track.width() * scale, track.height())

    def parts(self, scene: Scene) -> list[Part]:
        track = self.track(scene.look)
        if track.isEmpty():
            return []
        rect = track.adjusted(0, -4, 0, 2)
        return [Part("scroll", rect, tr("Scroll the table sideways"), Does.SCROLL)]

    def paint_above(self, scene: Scene, brush: Brush) -> None:
        super().paint_above(scene, brush)
        look = scene.look
        track = self.track(look)
        if track.isEmpty():
            return
        down = brush.box.topLeft()
        radius = _BAR / 2
        draw.frame(brush.painter, track.translated(down), look.color("pressed"), None, radius)
        hovered = scene.is_hovered(self, "scroll")
        color = look.color("muted" if hovered else "control_line")
        draw.frame(brush.painter, self.thumb(look).translated(down), color, None, radius)
        if scene.is_focused(self, "scroll"):
            draw.focus_ring(brush.painter, track.translated(down).adjusted(-2, -2, 2, 2), look, 5)
