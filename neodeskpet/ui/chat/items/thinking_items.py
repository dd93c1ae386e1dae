"""Items of the model's thinking: a header, and the last three lines, fading upwards."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QTextLayout, QTextOption

from neodeskpet.core.blocks import Thinking
from neodeskpet.language import tr
from neodeskpet.ui.chat.items import paint_primitives
from neodeskpet.ui.chat.items.item import (
    FixedHeightItem,
    HitRegion,
    ItemAction,
    PaintContext,
    Scene,
)
from neodeskpet.ui.chat.items.item_style import ItemStyle
from neodeskpet.ui.formatting import format_duration
from neodeskpet.ui.theme import font_for_text

TAIL_LINES = 3
_TAIL = 900
_LEFT = 14


class ThinkingHead(FixedHeightItem):
    """Shows "Thinking… 2 s" while it runs, then "Thought for 3.2 s"; a click shows the
    whole text.
    """

    def __init__(self, block: Thinking, *, live: bool) -> None:
        self.block = block
        self.live = live
        self.opened = False
        self.key = f"thinking {block.index}"

    def fixed_height(self, look: ItemStyle) -> int:
        return look.theme.line_px + 6

    def title_text(self, scene: Scene) -> str:
        started, ended = self.block.started, self.block.ended
        if self.live:
            since = scene.clock() - started if started is not None else 0.0
            return tr("Thinking… {seconds} s", seconds=str(max(1, int(since))))
        if started is None or ended is None:
            return tr("Thought")
        return tr("Thought for {time}", time=format_duration(ended - started))

    def hit_regions(self, scene: Scene) -> list[HitRegion]:
        wide = scene.style.metrics.horizontalAdvance(self.title_text(scene)) + _LEFT + 24
        rect = QRectF(0, 0, min(wide, self.width), self.height)
        return [
            HitRegion(
                "toggle", rect, self.title_text(scene), ItemAction.TOGGLE, self.key, self.opened
            )
        ]

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        look, box = scene.style, brush.box
        brush.painter.fillRect(QRectF(box.left(), box.top(), 3, box.height()), look.color("line"))
        words = self.title_text(scene)
        hovered = scene.is_hovered(self, "toggle")
        color = look.color("text" if hovered else "muted")
        paint_primitives.draw_text(
            brush.painter, box.adjusted(_LEFT, 0, 0, 0), words, look.font, color
        )
        x = box.left() + _LEFT + look.metrics.horizontalAdvance(words) + 10
        paint_primitives.draw_chevron(
            brush.painter, QPointF(x, box.center().y()), color, opened=self.opened
        )
        if scene.is_focused(self, "toggle"):
            rect = self.hit_regions(scene)[0].rect.translated(box.topLeft()).adjusted(6, 0, 0, 0)
            paint_primitives.draw_focus_ring(brush.painter, rect, look, look.theme.control_radius)

    @property
    def is_animated(self) -> bool:
        return self.live

    @property
    def accessible_text(self) -> str:
        return tr("Thinking")


class ThinkingTail(FixedHeightItem):
    """The last three lines; the upper ones fade. The cost doesn't depend on the length of the
    thinking.
    """

    def __init__(self) -> None:
        self._tail = ""

    def set_text(self, tail: str) -> None:
        """Show the end of `tail`; its last 900 characters are enough."""
        self._tail = tail[-_TAIL:]

    def fixed_height(self, look: ItemStyle) -> int:
        return TAIL_LINES * look.theme.line_px

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        look, box, painter = scene.style, brush.box, brush.painter
        painter.fillRect(QRectF(box.left(), box.top(), 3, box.height()), look.color("line"))
        lines = self.last_lines(look, box.width() - _LEFT)
        for number, words in enumerate(reversed(lines)):
            bottom = box.bottom() - number * look.theme.line_px
            rect = QRectF(
                box.left() + _LEFT,
                bottom - look.theme.line_px,
                box.width() - _LEFT,
                look.theme.line_px,
            )
            painter.setOpacity((1.0, 0.7, 0.4)[number])
            font = font_for_text(words, look.font)
            paint_primitives.draw_text(painter, rect, words, font, look.color("muted"))
        painter.setOpacity(1.0)

    def last_lines(self, look: ItemStyle, width: float) -> list[str]:
        """Return the end of the text, wrapped at this width: at most three lines."""
        out: list[str] = []
        for paragraph in [p for p in self._tail.split("\n") if p.strip()][-TAIL_LINES:]:
            layout = QTextLayout(paragraph, font_for_text(paragraph, look.font))
            option = QTextOption(Qt.AlignmentFlag.AlignLeft)
            option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
            layout.setTextOption(option)
            layout.beginLayout()
            encoded = paragraph.encode("utf-16-le")
            while (line := layout.createLine()).isValid():
                line.setLineWidth(max(16.0, width))
                start, end = line.textStart(), line.textStart() + line.textLength()
                out.append(encoded[2 * start : 2 * end].decode("utf-16-le", "replace").strip())
            layout.endLayout()
        return out[-TAIL_LINES:]
