"""What the body did in mid-reply, in passing: small marks on one line, a card behind each."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt

from neodeskpet.core.blocks import ToolUse
from neodeskpet.language import tr
from neodeskpet.ui.chat.items import draw
from neodeskpet.ui.chat.items.item import HitRegion, Item, ItemAction, PaintContext, Scene
from neodeskpet.ui.chat.items.look import ItemStyle
from neodeskpet.ui.chat.items.wording import format_main_argument

_GESTURE_SIZE = 20
_GESTURE_PAD = 5
_GESTURE_STEP = 4
_MAX_NAME_CHARS = 24  # letters


def gesture_name(call: ToolUse, scene: Scene, language: str) -> str:
    """The name of the expression or motion. A script has none."""
    name = format_main_argument(call, scene, language) if call.arguments is not None else ""
    short = name and len(name) <= _MAX_NAME_CHARS and name[0] not in "[{"
    return name if short else tr("a gesture")


class GestureLine(Item):
    """Gestures that followed each other. Each is a part that opens its card below the line."""

    def __init__(self, index: int) -> None:
        self.key = f"gestures {index}"
        self._calls: list[tuple[ToolUse, bool]] = []
        self._spots: list[QRectF] = []
        self._names: list[str] = []
        self._language = ""

    def set_calls(self, calls: list[tuple[ToolUse, bool]], language: str) -> bool:
        """The calls, whether each is open, and the language of the names; False if nothing
        changed.
        """
        if (calls, language) == (self._calls, self._language):
            return False
        self._calls, self._language = calls, language
        self.invalidate()
        return True

    def _height(self, look: ItemStyle) -> int:
        return look.small_line + 4

    def estimate(self, scene: Scene, width: int) -> int:
        return self._height(scene.style)

    def measure(self, scene: Scene, width: int) -> int:
        """Marks beside each other, on further lines where there is no room."""
        look = scene.style
        tall = self._height(look)
        self._names, self._spots = [], []
        x, y = -float(_GESTURE_PAD), 0
        for call, _ in self._calls:
            room = width - _GESTURE_SIZE - 2 * _GESTURE_PAD
            name = gesture_name(call, scene, self._language)
            name = look.small_metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)
            wide = _GESTURE_SIZE + look.small_metrics.horizontalAdvance(name) + 2 * _GESTURE_PAD
            if x > 0 and x + wide > width:
                x, y = -float(_GESTURE_PAD), y + tall
            self._names.append(name)
            self._spots.append(QRectF(x, y, wide, tall))
            x += wide + _GESTURE_STEP
        self.width, self.height = width, y + tall
        return self.height

    def hit_regions(self, _scene: Scene) -> list[HitRegion]:
        return [
            HitRegion(
                f"mark {call.index}", spot, name, ItemAction.TOGGLE, f"card {call.index}", opened
            )
            for (call, opened), spot, name in zip(
                self._calls, self._spots, self._names, strict=False
            )
        ]

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        look, painter = scene.style, brush.painter
        for part in self.hit_regions(scene):
            rect = part.rect.translated(brush.box.topLeft())
            hovered = scene.is_hovered(self, part.key)
            if hovered or part.opened:
                draw.draw_frame(painter, rect, look.color("pressed"), None, 6)
            color = look.color("text" if hovered else "muted")
            middle = QPointF(rect.left() + _GESTURE_PAD + 7, rect.center().y())
            draw.draw_smile_icon(painter, middle, color)
            words = rect.adjusted(_GESTURE_PAD + _GESTURE_SIZE, 0, 0, 0)
            draw.draw_text(painter, words, part.name, look.small, color)
            if scene.is_focused(self, part.key):
                draw.draw_focus_ring(painter, rect, look, 6)

    @property
    def accessible_text(self) -> str:
        return ", ".join(self._names)
