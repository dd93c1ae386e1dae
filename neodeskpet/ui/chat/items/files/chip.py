"""A file of the person's message: its name and what was read of it, at the right."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, Qt

from neodeskpet.core.blocks import Block, Document
from neodeskpet.language import tr
from neodeskpet.ui.chat.items import draw
from neodeskpet.ui.chat.items.blocks import BlockModel
from neodeskpet.ui.chat.items.files.words import file_words
from neodeskpet.ui.chat.items.item import Brush, FixedItem, Item, Scene
from neodeskpet.ui.chat.items.look import Look
from neodeskpet.ui.chat.items.person import SHARE

_SIDE, _EDGE = 12, 6


class FileItem(FixedItem):
    def __init__(self, block: Document) -> None:
        self.block = block

    @property
    def words(self) -> str:
        b = self.block
        return file_words(b.size, b.pages, b.pages_read, cut=b.cut, omitted=b.omitted)

    def fixed_height(self, look: Look) -> int:
        return look.theme.line_px + look.small_line + 2 * _EDGE

    def paint(self, scene: Scene, brush: Brush) -> None:
        look, painter = scene.look, brush.painter
        name = self.block.name or tr("File")
        wide = max(
            look.metrics.horizontalAdvance(name), look.small_metrics.horizontalAdvance(self.words)
        )
        wide = min(math.ceil(wide) + 2 * _SIDE + 4, int(brush.box.width() * SHARE))
        box = QRectF(brush.box.right() - wide, brush.box.top(), wide, brush.box.height())
        draw.frame(painter, box, look.color("person"), look.color("line"), look.theme.card_radius)
        inner = box.adjusted(_SIDE, _EDGE, -_SIDE, -_EDGE)
        middle, room = Qt.TextElideMode.ElideMiddle, inner.width()
        upper = QRectF(inner.left(), inner.top(), room, look.theme.line_px)
        shown = look.metrics.elidedText(name, middle, room)
        draw.text(painter, upper, shown, look.font, look.color("text"))
        lower = QRectF(inner.left(), upper.bottom(), room, look.small_line)
        said = look.small_metrics.elidedText(self.words, Qt.TextElideMode.ElideRight, room)
        token = "asks" if self.block.cut or self.block.omitted else "muted"
        draw.text(painter, lower, said, look.small, look.color(token))

    @property
    def spoken(self) -> str:
        return tr("File {name}, {words}", name=self.block.name, words=self.words)


class FileModel(BlockModel):
    def __init__(self, block: Document) -> None:
        self.item = FileItem(block)

    def put(self, block: Block) -> None:
        assert isinstance(block, Document)
        self.item.block = block
        self.item.outdate()

    def sync(self, scene: Scene) -> list[Item]:
        return [self.item]

    def items(self) -> list[Item]:
        return [self.item]
