"""Items of tool results in a card: text, list, diff, terminal output, table."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QTextCharFormat, QTextCursor

from neodeskpet.core.blocks import Image, ToolUse
from neodeskpet.core.data_labels import FlowQuestion
from neodeskpet.core.markdown.pieces import Continuation
from neodeskpet.core.tool_result import (
    Shown,
    ShownDiff,
    ShownList,
    ShownTable,
    ShownTerminal,
    ShownText,
)
from neodeskpet.language import tr
from neodeskpet.language.approval_reason import private_spans
from neodeskpet.ui.chat.items import paint_primitives
from neodeskpet.ui.chat.items.code_items import MonospaceItem
from neodeskpet.ui.chat.items.image_item import ImageItem
from neodeskpet.ui.chat.items.item import FixedHeightItem, PaintContext, Scene
from neodeskpet.ui.chat.items.item_style import ItemStyle
from neodeskpet.ui.chat.items.text_documents import SafeDocument, plain_document
from neodeskpet.ui.chat.items.tool_card_items import CARD_INSET, paint_card_slice

_COLUMN_GAP = 14
_ABOVE, _ROOM = 6, 16
"""Space above a picture; space above and below it."""
_MIN_COLUMN = 36
"""Minimum width of a column that is narrowed."""


class ProportionalTextItem(MonospaceItem):
    """Text in the font of the interface; each line of a list begins with a dot."""

    def make_document(self, look: ItemStyle) -> SafeDocument:
        return plain_document(self._text, look.font, look.theme.line_px)


class ReasonItem(ProportionalTextItem):
    """Why a call asks for permission."""

    @property
    def accessible_text(self) -> str:
        return self.source


class SentDataItem(MonospaceItem):
    """Data that would be sent: pieces of private data in it are highlighted."""

    def __init__(
        self, text: str, joint: Continuation, *, failed: bool = False, question: FlowQuestion
    ) -> None:
        super().__init__(text, joint, failed=failed)
        self._question = question

    def make_document(self, look: ItemStyle) -> SafeDocument:
        document = super().make_document(look)
        form = QTextCharFormat()
        form.setBackground(look.color("mark"))
        form.setFontUnderline(True)
        for begin, end in private_spans(self._question, self.source):
            cursor = QTextCursor(document)
            cursor.setPosition(begin)
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            cursor.mergeCharFormat(form)
        return document


class ToolPictureItem(ImageItem):
    """A picture returned by a tool, below the header of its card."""

    in_card = True

    def __init__(self, image: Image, number: int) -> None:
        super().__init__(image)
        self.key = f"image {image.index} {number}"

    def estimate(self, scene: Scene, width: int) -> int:
        return super().estimate(scene, width) + _ROOM

    def measure(self, scene: Scene, width: int) -> int:
        self.height = super().measure(scene, width) + _ROOM
        return self.height

    def picture_rect(self, scene: Scene) -> QRectF:
        box = super().picture_rect(scene)
        box.moveTopLeft(QPointF(CARD_INSET, _ABOVE))
        return box

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        paint_card_slice(scene, brush)
        super().paint(scene, brush)


def pictures_of(call: ToolUse) -> list[ToolPictureItem]:
    """Return the pictures that the call returned."""
    return [
        ToolPictureItem(Image(call.index, call.round, one.digest, one.media_type, one.name), number)
        for number, one in enumerate(call.images)
    ]


class DiffItem(MonospaceItem):
    """A unified diff: added lines in the colour of "done", removed ones in that of "failed"."""

    def make_document(self, look: ItemStyle) -> SafeDocument:
        document = super().make_document(look)
        block = document.begin()
        while block.isValid():
            token = _diff_token(block.text())
            if token:
                form = QTextCharFormat()
                form.setForeground(look.color(token))
                cursor = QTextCursor(block)
                cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
                cursor.mergeCharFormat(form)
            block = block.next()
        return document


def _diff_token(line: str) -> str:
    if line.startswith(("+++", "---", "@@", "diff ")):
        return "muted"
    return {"+": "done", "-": "failed"}.get(line[:1], "")


class TerminalItem(MonospaceItem):
    """Terminal output on the background of code."""

    def paint_ground(self, scene: Scene, brush: PaintContext) -> None:
        super().paint_ground(scene, brush)
        edge = scene.style.theme.padding - 8
        brush.painter.fillRect(brush.box.adjusted(edge, 0, -edge, 0), scene.style.color("code"))


class QuotedTextItem(ProportionalTextItem):
    """The object of a question, on the background of code."""

    def paint_ground(self, scene: Scene, brush: PaintContext) -> None:
        super().paint_ground(scene, brush)
        edge = scene.style.theme.padding - 8
        brush.painter.fillRect(brush.box.adjusted(edge, 0, -edge, 0), scene.style.color("code"))


class ResultTableItem(FixedHeightItem):
    """A table with rows of one line: columns as wide as needed, narrowed and elided where there is
    less room.
    """

    in_card = True

    def __init__(self, table: ShownTable, rows: int) -> None:
        self.rows: list[Sequence[str]] = [table.header] if any(table.header) else []
        self._headed = bool(self.rows)
        self.rows += table.rows[:rows]

    def fixed_height(self, look: ItemStyle) -> int:
        return max(1, len(self.rows)) * self._line(look) + 4

    def _line(self, look: ItemStyle) -> int:
        return look.theme.line_px + 2

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        paint_card_slice(scene, brush)
        look, box, line = scene.style, brush.box, self._line(scene.style)
        left = box.left() + look.theme.padding
        widths = self.widths(look, box.width() - 2 * look.theme.padding)
        for number, row in enumerate(self.rows):
            top, x = box.top() + 2 + number * line, left
            head = self._headed and number == 0
            font = look.bold if head else look.font
            for cell, wide in zip(row, widths, strict=False):
                words = " ".join(cell.split())
                shown = look.metrics_of(font).elidedText(words, Qt.TextElideMode.ElideRight, wide)
                ink = look.color("text")
                paint_primitives.draw_text(
                    brush.painter, QRectF(x, top, wide, line), shown, font, ink
                )
                x += wide + _COLUMN_GAP
            if head or number < len(self.rows) - 1:
                rule = QRectF(left, top + line - 1, box.width() - 2 * look.theme.padding, 1)
                brush.painter.fillRect(rule, look.color("line"))

    def widths(self, look: ItemStyle, room: float) -> list[float]:
        """Return the widths of the columns; the widest are narrowed first."""
        count = max((len(row) for row in self.rows), default=0)
        wanted = [0.0] * count
        for number, row in enumerate(self.rows):
            metrics = look.bold_metrics if self._headed and number == 0 else look.metrics
            for column, cell in enumerate(row):
                wanted[column] = max(wanted[column], metrics.horizontalAdvance(cell[:200]) + 2)
        left, share = room - _COLUMN_GAP * max(0, count - 1), float("inf")
        for place, wide in enumerate(sorted(wanted)):
            if wide * (count - place) > left:
                share = max(_MIN_COLUMN, left / (count - place))
                break
            left -= wide
        return [min(wide, share) for wide in wanted]

    @property
    def accessible_text(self) -> str:
        return "\n".join(", ".join(row) for row in self.rows)


def item_class_for(shown: Shown) -> type[MonospaceItem]:
    """Return the item class for its text."""
    match shown:
        case ShownDiff():
            return DiffItem
        case ShownTerminal():
            return TerminalItem
        case ShownText() | ShownList():
            return ProportionalTextItem
        case _:
            return MonospaceItem


def label_for(shown: Shown) -> str:
    """Return the label above it; "" for the default."""
    match shown:
        case ShownDiff(path=path) if path:
            return tr("Change") + f" · {path}"
        case ShownDiff():
            return tr("Change")
        case ShownTerminal(exit_code=code) if code:
            return tr("Terminal · ended with {code}", code=str(code))
        case ShownTerminal():
            return tr("Terminal")
        case _:
            return ""
