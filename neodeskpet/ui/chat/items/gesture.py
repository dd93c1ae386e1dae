"""What the body did in mid-reply, in passing: small marks on one line, a card behind each."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt

from neodeskpet.core.blocks import ToolUse
from neodeskpet.language import tr
from neodeskpet.ui.chat.items import draw
from neodeskpet.ui.chat.items.item import Brush, Does, Item, Part, Scene
from neodeskpet.ui.chat.items.look import Look
from neodeskpet.ui.chat.items.wording import argument_words

_SIGN = 20
_PAD = 5
_STEP = 4
_LONGEST = 24  # letters


def gesture_name(call: ToolUse, scene: Scene, language: str) -> str:
    """The name of the expression or motion. A script has none."""
    name = argument_words(call, scene, language) if call.arguments is not None else ""
    short = name and len(name) <= _LONGEST and name[0] not in "[{"
    return name if short else tr("a gesture")


class GestureLine(Item):
    """Gestures that followed each other. Each is a part that opens its card below the line."""

    def __init__(self, index: int) -> None:
        self.key = f"gestures {index}"
        self._calls: list[tuple[ToolUse, bool]] = []
        self._spots: list[QRectF] = []
        self._names: list[str] = []
        self._language = ""

    def put(self, calls: list[tuple[ToolUse, bool]], language: str) -> bool:
        """The calls, whether each is open, and the language of the names; False if nothing
        changed.
        """
        if (calls, language) == (self._calls, self._language):
            return False
        self._calls, self._language = calls, language
        self.outdate()
        return True

    def _height(self, look: Look) -> int:
        return look.small_line + 4

    def estimate(self, scene: Scene, width: int) -> int:
        return self._height(scene.look)

    def measure(self, scene: Scene, width: int) -> int:
        """Marks beside each other, on further lines where there is no room."""
        look = scene.look
        tall = self._height(look)
        self._names, self._spots = [], []
        x, y = -float(_PAD), 0
        for call, _ in self._calls:
            room = width - _SIGN - 2 * _PAD
            name = gesture_name(call, scene, self._language)
            name = look.small_metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)
            wide = _SIGN + look.small_metrics.horizontalAdvance(name) + 2 * _PAD
            if x > 0 and x + wide > width:
                x, y = -float(_PAD), y + tall
            self._names.append(name)
            self._spots.append(QRectF(x, y, wide, tall))
            x += wide + _STEP
        self.width, self.height = width, y + tall
        return self.height

    def parts(self, _scene: Scene) -> list[Part]:
        return [
            Part(f"mark {call.index}", spot, name, Does.TOGGLE, f"card {call.index}", opened)
            for (call, opened), spot, name in zip(
                self._calls, self._spots, self._names, strict=False
            )
        ]

    def paint(self, scene: Scene, brush: Brush) -> None:
        look, painter = scene.look, brush.painter
        for part in self.parts(scene):
            rect = part.rect.translated(brush.box.topLeft())
            hovered = scene.is_hovered(self, part.key)
            if hovered or part.opened:
                draw.frame(painter, rect, look.color("pressed"), None, 6)
            color = look.color("text" if hovered else "muted")
            middle = QPointF(rect.left() + _PAD + 7, rect.center().y())
            draw.smile_sign(painter, middle, color)
            words = rect.adjusted(_PAD + _SIGN, 0, 0, 0)
            draw.text(painter, words, part.name, look.small, color)
            if scene.is_focused(self, part.key):
                draw.focus_ring(painter, rect, look, 6)

    @property
    def spoken(self) -> str:
        return ", ".join(self._names)
