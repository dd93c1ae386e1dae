"""The line below the last message that a summary stands for; it is opened from there."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt

from neodeskpet.language import tr
from neodeskpet.ui.chat.items import draw
from neodeskpet.ui.chat.items.item import Brush, Does, FixedItem, Part, Scene
from neodeskpet.ui.chat.items.look import Look

SUMMARY = "summary"
"""The action that opens it."""
_PAD = 10


class SummaryMark(FixedItem):
    """Words between two lines, like a day's."""

    key = SUMMARY

    def fixed_height(self, look: Look) -> int:
        return look.small_line + 8

    def measure(self, scene: Scene, width: int) -> int:
        look = scene.look
        self._words = tr("A summary stands for what is above")
        room = width - 2 * _PAD
        self._shown = look.small_metrics.elidedText(self._words, Qt.TextElideMode.ElideRight, room)
        self._wide = look.small_metrics.horizontalAdvance(self._shown) + 2 * _PAD
        return super().measure(scene, width)

    def parts(self, scene: Scene) -> list[Part]:
        side = max(0.0, (self.width - self._wide) / 2)
        rect = QRectF(side, 0, self._wide, self.height)
        return [Part(SUMMARY, rect, self._words, Does.ACTION, SUMMARY)]

    def paint(self, scene: Scene, brush: Brush) -> None:
        look, painter, box = scene.look, brush.painter, brush.box
        (part,) = self.parts(scene)
        rect = part.rect.translated(box.topLeft())
        line, y = look.color("line"), int(rect.center().y())
        painter.fillRect(QRectF(box.left(), y, rect.left() - box.left(), 1), line)
        painter.fillRect(QRectF(rect.right(), y, box.right() - rect.right(), 1), line)
        hovered = scene.is_hovered(self, SUMMARY)
        if hovered:
            draw.frame(painter, rect, look.color("pressed"), None, 6)
        color = look.color("text" if hovered else "muted")
        middle = Qt.AlignmentFlag.AlignHCenter
        draw.text(painter, rect, self._shown, look.small, color, middle)
        if scene.is_focused(self, SUMMARY):
            draw.focus_ring(painter, rect, look, 6)

    @property
    def spoken(self) -> str:
        return tr("A summary stands for what is above")
