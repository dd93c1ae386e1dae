"""A formula that stands on its own: in the middle, scrolled sideways where it is too wide."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette, QTextBlockFormat, QTextCursor

from neodeskpet.core.markdown.formulas import Formula, formula_of
from neodeskpet.core.markdown.pieces import Piece
from neodeskpet.language import tr
from neodeskpet.ui.chat.items.documents import SafeDocument, new_document, plain_document
from neodeskpet.ui.chat.items.item import INDENT_WIDTH, Scene
from neodeskpet.ui.chat.items.look import ItemStyle
from neodeskpet.ui.chat.items.prose import Insets
from neodeskpet.ui.chat.items.wide.sideways import ScrollState, WideItem
from neodeskpet.ui.formulas.drawer import FormulaCache, FormulaListener
from neodeskpet.ui.formulas.drawing import FormulaDrawing
from neodeskpet.ui.formulas.inline import formula_width, write_display_formula


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
