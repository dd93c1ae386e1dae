"""Items that can be wider than the column and scroll sideways: their base, formulas of their own
line, and tables.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPalette, QTextBlockFormat, QTextCursor

from neodeskpet.core.markdown.formulas import Formula, formula_of
from neodeskpet.core.markdown.pieces import Piece
from neodeskpet.core.markdown.preparation import PreparedMarkdown
from neodeskpet.language import tr
from neodeskpet.ui.chat.items import paint_primitives
from neodeskpet.ui.chat.items.item import INDENT_WIDTH, HitRegion, ItemAction, PaintContext, Scene
from neodeskpet.ui.chat.items.item_style import ItemStyle
from neodeskpet.ui.chat.items.text_documents import (
    SafeDocument,
    column_widths,
    min_column_widths,
    new_document,
    plain_document,
    reset_columns,
    set_column_widths,
    write_table,
)
from neodeskpet.ui.chat.items.text_items import Insets, MarkdownItem, TextItem
from neodeskpet.ui.rendering.formula_cache import FormulaCache, FormulaListener
from neodeskpet.ui.rendering.formula_document import formula_width, write_display_formula
from neodeskpet.ui.rendering.formula_drawing import FormulaDrawing

_BAR = 6
_BAR_ROOM = 14


class ScrollState:
    """What the parts of one thing have in common: how wide all of it is (0 where it fits), and how
    far it is scrolled.
    """

    def __init__(self) -> None:
        self.total = 0
        self.offset = 0.0


class WideItem(TextItem):
    """Text of which a part is seen. The last part of a thing has the bar."""

    scroll_state: ScrollState

    @property
    def scroll_name(self) -> str:
        """What pressing the bar does."""
        raise NotImplementedError

    @property
    def has_scroll_bar(self) -> bool:
        return True

    def own_inset(self, look: ItemStyle) -> Insets:
        """What lies around the text, the bar aside."""
        return super().inset(look)

    def inset(self, look: ItemStyle) -> Insets:
        inset = self.own_inset(look)
        room = _BAR_ROOM if self.scroll_state.total and self.has_scroll_bar else 0
        return Insets(inset.left, inset.top, inset.right, inset.bottom + room)

    def origin(self, look: ItemStyle) -> QPointF:
        return super().origin(look) - QPointF(self.scroll_state.offset, 0)

    def visible_width(self, look: ItemStyle, width: int) -> int:
        """How much of it is seen."""
        inset = self.own_inset(look)
        return max(16, width - inset.left - inset.right)

    def overflow(self, look: ItemStyle) -> int:
        """How many pixels of it don't fit."""
        return max(0, self.scroll_state.total - self.visible_width(look, self.width))

    def scroll_to(self, offset: float, look: ItemStyle) -> bool:
        """Show it from `offset` px on; False if it can't go there."""
        before = self.scroll_state.offset
        self.scroll_state.offset = min(max(0.0, offset), float(self.overflow(look)))
        return self.scroll_state.offset != before

    def scroll_by(self, pixels: float, look: ItemStyle) -> bool:
        return self.scroll_to(self.scroll_state.offset + pixels, look)

    def scroll_track(self, look: ItemStyle) -> QRectF:
        """Where the bar moves; empty where all is seen."""
        if not self.has_scroll_bar or not self.overflow(look):
            return QRectF()
        left = self.own_inset(look).left
        return QRectF(left, self.height - _BAR - 2, self.visible_width(look, self.width), _BAR)

    def scroll_thumb(self, look: ItemStyle) -> QRectF:
        """The bar itself."""
        track = self.scroll_track(look)
        if track.isEmpty():
            return track
        scale = track.width() / self.scroll_state.total
        left = track.left() + self.scroll_state.offset * scale
        return QRectF(left, track.top(), track.width() * scale, track.height())

    def hit_regions(self, scene: Scene) -> list[HitRegion]:
        track = self.scroll_track(scene.style)
        if track.isEmpty():
            return super().hit_regions(scene)
        rect = track.adjusted(0, -4, 0, 2)
        return [
            *super().hit_regions(scene),
            HitRegion("scroll", rect, self.scroll_name, ItemAction.SCROLL),
        ]

    def text_clip(self, scene: Scene, brush: PaintContext) -> QRectF:
        """Where its text may be painted."""
        clip = super().text_clip(scene, brush)
        if not self.scroll_state.total:
            return clip
        left = brush.box.left() + self.own_inset(scene.style).left
        seen = QRectF(
            left, brush.box.top(), self.visible_width(scene.style, self.width), brush.box.height()
        )
        return clip.intersected(seen)

    def paint_above(self, scene: Scene, brush: PaintContext) -> None:
        super().paint_above(scene, brush)
        look = scene.style
        track = self.scroll_track(look)
        if track.isEmpty():
            return
        down = brush.box.topLeft()
        radius = _BAR / 2
        paint_primitives.draw_frame(
            brush.painter, track.translated(down), look.color("pressed"), None, radius
        )
        hovered = scene.is_hovered(self, "scroll")
        color = look.color("muted" if hovered else "control_line")
        paint_primitives.draw_frame(
            brush.painter, self.scroll_thumb(look).translated(down), color, None, radius
        )
        if scene.is_focused(self, "scroll"):
            paint_primitives.draw_focus_ring(
                brush.painter, track.translated(down).adjusted(-2, -2, 2, 2), look, 5
            )


class FormulaItem(WideItem, FormulaListener):
    """Its source is shown until it is closed and drawn, and where it can't be drawn."""

    def __init__(self, piece: Piece, formulas: FormulaCache, *, muted: bool = False) -> None:
        self.piece = piece
        self.muted = muted
        self.joint = piece.continuation
        self.indent = piece.indent * INDENT_WIDTH
        self.scroll_state = ScrollState()
        self._formulas = formulas
        self.formula = self._closed()

    def _closed(self) -> Formula | None:
        return formula_of(self.piece) if self.piece.closed else None

    @property
    def source(self) -> str:
        return self.piece.source

    @property
    def accessible_text(self) -> str:
        return self.formula.tex if self.formula is not None else self.source

    @property
    def scroll_name(self) -> str:
        return tr("Scroll the formula sideways")

    def accepts(self, piece: Piece) -> bool:
        """Whether `piece` is this one, grown."""
        mine = self.piece
        same = piece.kind is mine.kind and piece.continuation is mine.continuation
        return same and piece.indent == mine.indent

    def update(self, piece: Piece, scene: Scene) -> bool:
        """Show the piece as it is now; False if nothing changed."""
        before, self.piece = self.piece, piece
        if before.lines == piece.lines and before.closed == piece.closed:
            return False
        self.formula = self._closed()
        self.redraw(scene)
        return True

    def redraw(self, scene: Scene) -> None:
        """Its drawing has come, or its source has grown."""
        scene.documents.drop(self)
        self.invalidate()

    def _drawing(self) -> FormulaDrawing | None:
        return self._formulas.get(self.formula, self) if self.formula is not None else None

    def make_document(self, look: ItemStyle) -> SafeDocument:
        drawing = self._drawing()
        if drawing is None or self.formula is None:
            return plain_document(self.source, look.code, look.code_line)
        document = new_document(look.font)
        write_display_formula(document, self.formula, drawing)
        middle = QTextBlockFormat()
        middle.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        QTextCursor(document).mergeBlockFormat(middle)
        return document

    def layout(self, scene: Scene, document: SafeDocument, width: int) -> None:
        room = self.visible_width(scene.style, width)
        if document.fitted_width == room:
            return
        wide = 0
        if document.formulas:
            wide = round(formula_width(document.formulas[0], scene.style.font)) + 4
        self.scroll_state.total = wide if wide > room else 0
        self.scroll_state.offset = min(
            self.scroll_state.offset, float(max(0, self.scroll_state.total - room))
        )
        document.setTextWidth(max(room, self.scroll_state.total))
        document.fitted_width = room

    def own_inset(self, _look: ItemStyle) -> Insets:
        return Insets(top=4, bottom=2)

    def palette(self, look: ItemStyle) -> QPalette:
        return look.muted_palette if self.muted else look.palette


_BOUNDLESS = 100_000
# In letters' heights: a column wraps down to the first; where it would have to be narrower the
# table is scrolled, and then a column is as wide as the second at most.
_MIN_COLUMN, _MAX_COLUMN = 6, 16


class TableShape(ScrollState):
    """The widths of the columns too, which the first part knows."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[MarkdownTableItem] = []
        self.widths: list[float] = []
        self.width = 0

    @property
    def markdown(self) -> str:
        """The whole table as it was written."""
        lines = [
            line
            for part in self.parts
            for line in (part.piece.lines[2:] if part.piece.head else part.piece.lines)
        ]
        return "\n".join(lines)

    @property
    def tsv(self) -> str:
        """The whole table for a spreadsheet, without marks."""
        return "\n".join(part.plain_text for part in self.parts)

    def fit_columns(self, document: SafeDocument, room: int, look: ItemStyle) -> None:
        """Give the first part's columns their widths."""
        reset_columns(document)
        document.setTextWidth(_BOUNDLESS)
        natural = column_widths(document)
        em = look.theme.font_px
        words = [min(wide, _MAX_COLUMN * em) for wide in min_column_widths(document, look)]
        least = [
            min(whole, max(_MIN_COLUMN * em, word))
            for whole, word in zip(natural, words, strict=True)
        ]
        self.total = 0
        if sum(least) + 1 > room:
            wide = [min(whole, _MAX_COLUMN * em) for whole in natural]
            set_column_widths(document, wide, drop_head=False)
            self.total = round(sum(wide)) + 2
        document.setTextWidth(max(room, self.total))
        self.widths = column_widths(document)


class MarkdownTableItem(WideItem, MarkdownItem):
    """A part of a table; what goes beyond its place is scrolled to, all parts together."""

    def __init__(
        self, piece: Piece, formulas: FormulaCache, *, muted: bool = False, ruled: str = ""
    ) -> None:
        super().__init__(piece, formulas, muted=muted, ruled=ruled)
        self.scroll_state = self.shape = TableShape()
        self.shape.parts.append(self)

    def join_table(self, shape: TableShape) -> None:
        """Be a further part of a table."""
        self.scroll_state = self.shape = shape
        shape.parts.append(self)

    def redraw(self, scene: Scene) -> None:
        for part in self.shape.parts:
            scene.documents.drop(part)
            part.invalidate()

    def _write(self, document: SafeDocument, prepared: PreparedMarkdown, look: ItemStyle) -> None:
        write_table(document, prepared.source, look)
        self.insert_formulas(document, prepared)
        if self.piece.head:
            set_column_widths(document, self.shape.widths, drop_head=True)

    def measure(self, scene: Scene, width: int) -> int:
        owner = self.shape.parts[0]
        if owner is not self and self.shape.width != width:
            owner.measure(scene, width)
            scene.documents.drop(self)
        elif owner is self:
            self.shape.width = width
        return super().measure(scene, width)

    def layout(self, scene: Scene, document: SafeDocument, width: int) -> None:
        room = self.visible_width(scene.style, width)
        if document.fitted_width == room:
            return
        if self.shape.parts[0] is self:
            self.shape.fit_columns(document, room, scene.style)
        else:
            document.setTextWidth(max(room, self.shape.total))
        document.fitted_width = room

    def own_inset(self, look: ItemStyle) -> Insets:
        inset = super().own_inset(look)
        return Insets(inset.left, inset.top, 0, inset.bottom)

    @property
    def has_scroll_bar(self) -> bool:
        return self.shape.parts[-1] is self

    @property
    def scroll_name(self) -> str:
        return tr("Scroll the table sideways")
