"""Items that can be wider than the column and scroll horizontally: base class, display formulas,
and tables.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPalette, QTextBlockFormat, QTextCursor

from neodeskpet.core.markdown.formulas import Formula, formula_of
from neodeskpet.core.markdown.pieces import Piece
from neodeskpet.core.markdown.preparation import PreparedMarkdown, table_cells
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
    """Shared state of the parts of one item: the total width (0 if it fits), and the
    scroll offset.
    """

    def __init__(self) -> None:
        self.total = 0
        self.offset = 0.0


class WideItem(TextItem):
    """Text that is partly visible. The last part has the scroll bar."""

    scroll_state: ScrollState

    @property
    def scroll_name(self) -> str:
        """Return what a press on the scroll bar does."""
        raise NotImplementedError

    @property
    def has_scroll_bar(self) -> bool:
        return True

    def own_inset(self, look: ItemStyle) -> Insets:
        """Return the insets around the text, without the scroll bar."""
        return super().inset(look)

    def inset(self, look: ItemStyle) -> Insets:
        inset = self.own_inset(look)
        room = _BAR_ROOM if self.scroll_state.total and self.has_scroll_bar else 0
        return Insets(inset.left, inset.top, inset.right, inset.bottom + room)

    def origin(self, look: ItemStyle) -> QPointF:
        return super().origin(look) - QPointF(self.scroll_state.offset, 0)

    def visible_width(self, look: ItemStyle, width: int) -> int:
        """Return the visible width."""
        inset = self.own_inset(look)
        return max(16, width - inset.left - inset.right)

    def overflow(self, look: ItemStyle) -> int:
        """Return how many pixels don't fit."""
        return max(0, self.scroll_state.total - self.visible_width(look, self.width))

    def scroll_to(self, offset: float, look: ItemStyle) -> bool:
        """Scroll to `offset` px; return False if nothing changed."""
        before = self.scroll_state.offset
        self.scroll_state.offset = min(max(0.0, offset), float(self.overflow(look)))
        return self.scroll_state.offset != before

    def scroll_by(self, pixels: float, look: ItemStyle) -> bool:
        return self.scroll_to(self.scroll_state.offset + pixels, look)

    def scroll_track(self, look: ItemStyle) -> QRectF:
        """Return the track of the scroll bar; empty if everything is visible."""
        if not self.has_scroll_bar or not self.overflow(look):
            return QRectF()
        left = self.own_inset(look).left
        return QRectF(left, self.height - _BAR - 2, self.visible_width(look, self.width), _BAR)

    def scroll_thumb(self, look: ItemStyle) -> QRectF:
        """Return the handle of the scroll bar."""
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
        """Return the area where its text may be painted."""
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
    """A display formula. Its source is shown until it is complete and drawn, or if it can't be
    drawn.
    """

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
        if self.formula is None:
            return self.source
        return tr("Formula: {tex}", tex=self.formula.tex)

    @property
    def scroll_name(self) -> str:
        return tr("Scroll the formula sideways")

    def accepts(self, piece: Piece) -> bool:
        """Whether `piece` is this piece after growth."""
        mine = self.piece
        same = piece.kind is mine.kind and piece.continuation is mine.continuation
        return same and piece.indent == mine.indent

    def update(self, piece: Piece, scene: Scene) -> bool:
        """Show the current piece; return False if nothing changed."""
        before, self.piece = self.piece, piece
        if before.lines == piece.lines and before.closed == piece.closed:
            return False
        self.formula = self._closed()
        self.redraw(scene)
        return True

    def redraw(self, scene: Scene) -> None:
        """Update after the formula was drawn or its source grew."""
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
# In multiples of the font size: a column is wrapped down to the first; if it needs to be narrower,
# the table is scrolled, and a column is then at most as wide as the second.
_MIN_COLUMN, _MAX_COLUMN = 6, 16


class TableShape(ScrollState):
    """The scroll state of a table and the widths of its columns, which the first part computes."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[MarkdownTableItem] = []
        self.widths: list[float] = []
        self.width = 0

    @property
    def rows(self) -> int:
        """Return the number of rows of the whole table, with the header."""
        below_mark = sum(len(part.piece.lines) - 2 for part in self.parts)
        return 1 + max(0, below_mark)

    @property
    def markdown(self) -> str:
        """Return the source of the whole table."""
        lines = [
            line
            for part in self.parts
            for line in (part.piece.lines[2:] if part.piece.head else part.piece.lines)
        ]
        return "\n".join(lines)

    @property
    def tsv(self) -> str:
        """Return the whole table as tab-separated text without markup."""
        return "\n".join(part.plain_text for part in self.parts)

    def fit_columns(self, document: SafeDocument, room: int, look: ItemStyle) -> None:
        """Compute the column widths in the first part."""
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
    """A part of a table. All parts scroll together."""

    def __init__(
        self, piece: Piece, formulas: FormulaCache, *, muted: bool = False, ruled: str = ""
    ) -> None:
        super().__init__(piece, formulas, muted=muted, ruled=ruled)
        self.scroll_state = self.shape = TableShape()
        self.shape.parts.append(self)

    def join_table(self, shape: TableShape) -> None:
        """Join a table as a further part."""
        self.scroll_state = self.shape = shape
        shape.parts.append(self)

    def redraw(self, scene: Scene) -> None:
        for part in self.shape.parts:
            scene.documents.drop(part)
            part.invalidate()
            part.forget_links()

    @property
    def accessible_text(self) -> str:
        """The rows, after the size of the whole table in its first part."""
        return f"{self._size_text()}{super().accessible_text}"

    @property
    def undrawn_length(self) -> int:
        return len(self._size_text())

    def _size_text(self) -> str:
        if self.shape.parts[0] is not self:
            return ""
        size = tr(
            "Table, {columns} columns, {rows} rows",
            columns=str(len(table_cells(self.piece.lines[0]))),
            rows=str(self.shape.rows),
        )
        return f"{size}\n"

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
