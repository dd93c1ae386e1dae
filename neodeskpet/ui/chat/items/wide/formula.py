"""A formula that stands on its own: in the middle, scrolled sideways where it is too wide."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette, QTextBlockFormat, QTextCursor

from neodeskpet.core.markdown.formulas import Formula, formula_of
from neodeskpet.core.markdown.pieces import Piece
from neodeskpet.language import tr
from neodeskpet.ui.chat.items.documents import SafeDocument, new_document, plain_document
from neodeskpet.ui.chat.items.item import LEVEL, Scene
from neodeskpet.ui.chat.items.look import Look
from neodeskpet.ui.chat.items.prose import Inset
from neodeskpet.ui.chat.items.wide.sideways import Band, WideItem
from neodeskpet.ui.formulas.drawer import Formulas, Waiter
from neodeskpet.ui.formulas.drawing import Drawing
from neodeskpet.ui.formulas.inline import width_of, write_display


class FormulaItem(WideItem, Waiter):
    """Its source is shown until it is closed and drawn, and where it can't be drawn."""

    def __init__(self, piece: Piece, formulas: Formulas, *, muted: bool = False) -> None:
        self.piece = piece
        self.muted = muted
        self.joint = piece.joint
        self.indent = piece.indent * LEVEL
        self.band = Band()
        self._formulas = formulas
        self.formula = self._closed()

    def _closed(self) -> Formula | None:
        return formula_of(self.piece) if self.piece.closed else None

    @property
    def source(self) -> str:
        return self.piece.source

    @property
    def spoken(self) -> str:
        return self.formula.tex if self.formula is not None else self.source

    @property
    def scroll_name(self) -> str:
        return tr("Scroll the formula sideways")

    def accepts(self, piece: Piece) -> bool:
        """Whether `piece` is this one, grown."""
        mine = self.piece
        same = piece.kind is mine.kind and piece.joint is mine.joint
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
        self.outdate()

    def _drawing(self) -> Drawing | None:
        return self._formulas.get(self.formula, self) if self.formula is not None else None

    def make_document(self, look: Look) -> SafeDocument:
        drawing = self._drawing()
        if drawing is None or self.formula is None:
            return plain_document(self.source, look.code, look.code_line)
        document = new_document(look.font)
        write_display(document, self.formula, drawing)
        middle = QTextBlockFormat()
        middle.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        QTextCursor(document).mergeBlockFormat(middle)
        return document

    def lay_out(self, scene: Scene, document: SafeDocument, width: int) -> None:
        room = self.room(scene.look, width)
        if document.fitted == room:
            return
        wide = 0
        if document.formulas:
            wide = round(width_of(document.formulas[0], scene.look.font)) + 4
        self.band.total = wide if wide > room else 0
        self.band.offset = min(self.band.offset, float(max(0, self.band.total - room)))
        document.setTextWidth(max(room, self.band.total))
        document.fitted = room

    def own_inset(self, _look: Look) -> Inset:
        return Inset(top=4, bottom=2)

    def palette(self, look: Look) -> QPalette:
        return look.muted_palette if self.muted else look.palette
