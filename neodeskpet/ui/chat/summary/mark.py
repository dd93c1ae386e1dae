"""The line below the last message that a summary stands for; it is opened from there."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt

from neodeskpet.language import tr
from neodeskpet.ui.chat.items import draw
from neodeskpet.ui.chat.items.item import (
    FixedHeightItem,
    HitRegion,
    ItemAction,
    PaintContext,
    Scene,
)
from neodeskpet.ui.chat.items.look import ItemStyle

SUMMARY_KEY = "summary"
"""The action that opens it."""
_MARK_PAD = 10


class SummaryMark(FixedHeightItem):
    """Words between two lines, like a day's."""

    key = SUMMARY_KEY

    def fixed_height(self, look: ItemStyle) -> int:
        return look.small_line + 8

    def measure(self, scene: Scene, width: int) -> int:
        look = scene.style
        self._words = tr("A summary stands for what is above")
        room = width - 2 * _MARK_PAD
        self._shown = look.small_metrics.elidedText(self._words, Qt.TextElideMode.ElideRight, room)
        self._wide = look.small_metrics.horizontalAdvance(self._shown) + 2 * _MARK_PAD
        return super().measure(scene, width)

    def hit_regions(self, scene: Scene) -> list[HitRegion]:
        side = max(0.0, (self.width - self._wide) / 2)
        rect = QRectF(side, 0, self._wide, self.height)
        return [HitRegion(SUMMARY_KEY, rect, self._words, ItemAction.ACTION, SUMMARY_KEY)]

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        look, painter, box = scene.style, brush.painter, brush.box
        (part,) = self.hit_regions(scene)
        rect = part.rect.translated(box.topLeft())
        line, y = look.color("line"), int(rect.center().y())
        painter.fillRect(QRectF(box.left(), y, rect.left() - box.left(), 1), line)
        painter.fillRect(QRectF(rect.right(), y, box.right() - rect.right(), 1), line)
        hovered = scene.is_hovered(self, SUMMARY_KEY)
        if hovered:
            draw.draw_frame(painter, rect, look.color("pressed"), None, 6)
        color = look.color("text" if hovered else "muted")
        middle = Qt.AlignmentFlag.AlignHCenter
        draw.draw_text(painter, rect, self._shown, look.small, color, middle)
        if scene.is_focused(self, SUMMARY_KEY):
            draw.draw_focus_ring(painter, rect, look, 6)

    @property
    def accessible_text(self) -> str:
        return tr("A summary stands for what is above")
