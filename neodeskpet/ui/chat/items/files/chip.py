"""A file of the person's message: its name and what was read of it, at the right."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, Qt

from neodeskpet.core.blocks import Block, Document
from neodeskpet.language import tr
from neodeskpet.ui.chat.items import draw
from neodeskpet.ui.chat.items.blocks import BlockModel
from neodeskpet.ui.chat.items.files.words import format_file_info
from neodeskpet.ui.chat.items.item import FixedHeightItem, Item, PaintContext, Scene
from neodeskpet.ui.chat.items.look import ItemStyle
from neodeskpet.ui.chat.items.person import MAX_WIDTH_SHARE

_SIDE, _EDGE = 12, 6


class FileItem(FixedHeightItem):
    def __init__(self, block: Document) -> None:
        self.block = block

    @property
    def status_text(self) -> str:
        b = self.block
        return format_file_info(b.size, b.pages, b.pages_read, cut=b.cut, omitted=b.omitted)

    def fixed_height(self, look: ItemStyle) -> int:
        return look.theme.line_px + look.small_line + 2 * _EDGE

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        look, painter = scene.style, brush.painter
        name = self.block.name or tr("File")
        wide = max(
            look.metrics.horizontalAdvance(name),
            look.small_metrics.horizontalAdvance(self.status_text),
        )
        wide = min(math.ceil(wide) + 2 * _SIDE + 4, int(brush.box.width() * MAX_WIDTH_SHARE))
        box = QRectF(brush.box.right() - wide, brush.box.top(), wide, brush.box.height())
        draw.draw_frame(
            painter, box, look.color("person"), look.color("line"), look.theme.card_radius
        )
        inner = box.adjusted(_SIDE, _EDGE, -_SIDE, -_EDGE)
        middle, room = Qt.TextElideMode.ElideMiddle, inner.width()
        upper = QRectF(inner.left(), inner.top(), room, look.theme.line_px)
        shown = look.metrics.elidedText(name, middle, room)
        draw.draw_text(painter, upper, shown, look.font, look.color("text"))
        lower = QRectF(inner.left(), upper.bottom(), room, look.small_line)
        said = look.small_metrics.elidedText(self.status_text, Qt.TextElideMode.ElideRight, room)
        token = "asks" if self.block.cut or self.block.omitted else "muted"
        draw.draw_text(painter, lower, said, look.small, look.color(token))

    @property
    def accessible_text(self) -> str:
        return tr("File {name}, {words}", name=self.block.name, words=self.status_text)


class FileModel(BlockModel):
    def __init__(self, block: Document) -> None:
        self.item = FileItem(block)

    def set_block(self, block: Block) -> None:
        assert isinstance(block, Document)
        self.item.block = block
        self.item.invalidate()

    def sync(self, scene: Scene) -> list[Item]:
        return [self.item]

    def items(self) -> list[Item]:
        return [self.item]
