"""The last line of the companion's message: how it ended, what it cost, and small buttons."""

from __future__ import annotations

from PySide6.QtCore import QPointF

from neodeskpet.core.blocks import MessageState, ToolStatus, Usage
from neodeskpet.language import tr
from neodeskpet.ui.chat.items import draw
from neodeskpet.ui.chat.items.item import Brush, FixedItem, Part, Scene
from neodeskpet.ui.chat.items.look import Look
from neodeskpet.ui.chat.items.person import ICON, Actions, icon_parts, paint_icons
from neodeskpet.ui.chat.items.wording import footer, short_name, time_words


class FooterItem(FixedItem):
    """The buttons show when the mouse or the keyboard is at the message."""

    def __init__(self, message_id: str, actions: Actions) -> None:
        self.message_id = message_id
        self.actions = actions
        self.words = ""
        self.mark: ToolStatus | None = None
        self.created = 0.0

    def show(
        self,
        state: MessageState,
        rounds: int,
        usage: Usage | None,
        seconds: float | None,
        model: str = "",
    ) -> None:
        marks = {
            MessageState.CANCELLED: (ToolStatus.CANCELLED, tr("stopped")),
            MessageState.INTERRUPTED: (ToolStatus.INTERRUPTED, tr("interrupted")),
        }
        self.mark, word = marks.get(state, (None, ""))
        self.words = " · ".join(
            part for part in (word, short_name(model), footer(rounds, usage, seconds)) if part
        )

    def fixed_height(self, look: Look) -> int:
        return max(ICON, look.small_line)

    def _left(self, look: Look) -> float:
        """Where the buttons begin."""
        words = look.small_metrics.horizontalAdvance(self.words) + 10 if self.words else 0.0
        return words + (20 if self.mark is not None else 0)

    def _offered(self, scene: Scene) -> Actions:
        """Later messages build on an older answer: only the newest can be given anew."""
        if scene.is_newest(self.message_id):
            return self.actions
        return tuple(one for one in self.actions if one[0] != "retry")

    def parts(self, scene: Scene) -> list[Part]:
        step = ICON + 2.0
        offered = self._offered(scene)
        left = min(self._left(scene.look), self.width - len(offered) * step)
        return icon_parts(offered, left, (self.height - ICON) / 2, step=step)

    def paint(self, scene: Scene, brush: Brush) -> None:
        look, box = scene.look, brush.box
        left = 0
        if self.mark is not None:
            draw.glyph(brush.painter, QPointF(box.left() + 7, box.center().y()), self.mark, look)
            left = 20
        rect = box.adjusted(left, 0, 0, 0)
        draw.text(brush.painter, rect, self.words, look.small, look.color("muted"))
        if self.message_id in (scene.hovered_message, scene.focused_message):
            parts = self.parts(scene)
            paint_icons(scene, self, brush, parts, f"message {self.message_id}")
            if self.created:
                after = max((part.rect.right() for part in parts), default=self._left(look)) + 8
                words = time_words(self.created, scene.clock())
                if after + look.small_metrics.horizontalAdvance(words) <= self.width:
                    rect = box.adjusted(after, 0, 0, 0)
                    draw.text(brush.painter, rect, words, look.small, look.color("muted"))

    @property
    def spoken(self) -> str:
        return self.words
