"""A table: in touching parts of some fifteen rows, and wider than its place where it has to be."""

from __future__ import annotations

from neodeskpet.core.markdown.markup import Prepared
from neodeskpet.core.markdown.pieces import Piece
from neodeskpet.language import tr
from neodeskpet.ui.chat.items.documents import (
    SafeDocument,
    column_widths,
    fix_columns,
    free_columns,
    longest_words,
    write_table,
)
from neodeskpet.ui.chat.items.item import Scene
from neodeskpet.ui.chat.items.look import Look
from neodeskpet.ui.chat.items.prose import Inset, MarkdownItem
from neodeskpet.ui.chat.items.wide.sideways import Band, WideItem
from neodeskpet.ui.formulas.drawer import Formulas

_BOUNDLESS = 100_000
# In letters' heights: a column wraps down to the first; where it would have to be narrower the
# table is scrolled, and then a column is as wide as the second at most.
_LEAST, _MOST = 6, 16


class TableShape(Band):
    """The widths of the columns too, which the first part knows."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[TableItem] = []
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
        return "\n".join(part.plain for part in self.parts)

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


class TableItem(WideItem, MarkdownItem):
    """A part of a table; what goes beyond its place is scrolled to, all parts together."""

    def __init__(
        self, piece: Piece, formulas: Formulas, *, muted: bool = False, ruled: str = ""
    ) -> None:
        super().__init__(piece, formulas, muted=muted, ruled=ruled)
        self.band = self.shape = TableShape()
        self.shape.parts.append(self)

    def join(self, shape: TableShape) -> None:
        """Be a further part of a table."""
        self.band = self.shape = shape
        shape.parts.append(self)

    def redraw(self, scene: Scene) -> None:
        for part in self.shape.parts:
            scene.documents.drop(part)
            part.outdate()

    def _write(self, document: SafeDocument, prepared: Prepared, look: Look) -> None:
        write_table(document, prepared.source, look)
        self.place(document, prepared)
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
        room = self.room(scene.look, width)
        if document.fitted == room:
            return
        if self.shape.parts[0] is self:
            self.shape.fit(document, room, scene.look)
        else:
            document.setTextWidth(max(room, self.shape.total))
        document.fitted = room

    def own_inset(self, look: Look) -> Inset:
        inset = super().own_inset(look)
        return Inset(inset.left, inset.top, 0, inset.bottom)

    @property
    def bears_bar(self) -> bool:
        return self.shape.parts[-1] is self

    @property
    def scroll_name(self) -> str:
        return tr("Scroll the table sideways")
