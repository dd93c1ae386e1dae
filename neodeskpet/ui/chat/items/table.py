"""A table: in touching parts of some fifteen rows, and wider than its place where it has to be."""

from __future__ import annotations

from neodeskpet.core.markdown.markup import PreparedMarkdown
from neodeskpet.core.markdown.pieces import Piece
from neodeskpet.language import tr
from neodeskpet.ui.chat.items.documents import (
    SafeDocument,
    column_widths,
    min_column_widths,
    reset_columns,
    set_column_widths,
    write_table,
)
from neodeskpet.ui.chat.items.item import Scene
from neodeskpet.ui.chat.items.look import ItemStyle
from neodeskpet.ui.chat.items.prose import Insets, MarkdownItem
from neodeskpet.ui.chat.items.wide.sideways import ScrollState, WideItem
from neodeskpet.ui.formulas.drawer import FormulaCache

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
