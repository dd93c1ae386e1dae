"""The last line of a message: version, state, costs, and small buttons."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt

from neodeskpet.core.blocks import MessageState, ToolStatus, Usage
from neodeskpet.core.errors import Action
from neodeskpet.language import tr
from neodeskpet.ui.chat.items import paint_primitives
from neodeskpet.ui.chat.items.item import (
    FixedHeightItem,
    HitRegion,
    Item,
    ItemAction,
    PaintContext,
    Scene,
)
from neodeskpet.ui.chat.items.item_style import ItemStyle
from neodeskpet.ui.chat.items.user_message import (
    ICON_BUTTON_SIZE,
    ActionNames,
    icon_regions,
    paint_icons,
)
from neodeskpet.ui.formatting import format_time, format_usage, short_model_name

_ARROW = 22.0


class VersionArrows:
    """The switch ‹ 2/3 › of a message with several versions."""

    def __init__(self, message_id: str) -> None:
        self.message_id = message_id

    def text(self, scene: Scene) -> str:
        version, count = scene.versions(self.message_id)
        return f"{version}/{count}" if count > 1 else ""

    def width(self, scene: Scene) -> float:
        """Return the width; 0 if there is only one version."""
        words = self.text(scene)
        return scene.style.small_metrics.horizontalAdvance(words) + 2 * _ARROW if words else 0.0

    def hit_regions(self, scene: Scene, left: float, height: float) -> list[HitRegion]:
        """Return the arrows that can be used."""
        version, count = scene.versions(self.message_id)
        top, right = (height - ICON_BUTTON_SIZE) / 2, left + self.width(scene) - _ARROW
        found = []
        if version > 1:
            rect = QRectF(left, top, _ARROW, ICON_BUTTON_SIZE)
            found.append(_arrow("version.older", rect, tr("Previous version"), "-1"))
        if version < count:
            rect = QRectF(right, top, _ARROW, ICON_BUTTON_SIZE)
            found.append(_arrow("version.newer", rect, tr("Next version"), "1"))
        return found

    def paint(self, scene: Scene, item: Item, brush: PaintContext, left: float) -> None:
        words = self.text(scene)
        if not words:
            return
        look, box, painter = scene.style, brush.box, brush.painter
        wide = self.width(scene)
        there = {part.key: part for part in self.hit_regions(scene, left, box.height())}
        for key, x in (("version.older", left), ("version.newer", left + wide - _ARROW)):
            rect = QRectF(
                box.left() + x, box.center().y() - ICON_BUTTON_SIZE / 2, _ARROW, ICON_BUTTON_SIZE
            )
            lit = key in there and scene.is_hovered(item, key)
            if lit:
                paint_primitives.draw_frame(painter, rect, look.color("pressed"), None, 6)
            color = look.color("text" if lit else "muted" if key in there else "line")
            paint_primitives.draw_chevron(
                painter, rect.center(), color, opened=False, back=key == "version.older"
            )
            if key in there and scene.is_focused(item, key):
                paint_primitives.draw_focus_ring(painter, rect, look, 6)
        rect = QRectF(box.left() + left + _ARROW, box.top(), wide - 2 * _ARROW, box.height())
        paint_primitives.draw_text(painter, rect, words, look.small, look.color("muted"))

    def accessible_text(self, scene: Scene) -> str:
        version, count = scene.versions(self.message_id)
        if count == 1:
            return ""
        return tr("Version {number} of {count}", number=str(version), count=str(count))


def _arrow(key: str, rect: QRectF, name: str, by: str) -> HitRegion:
    return HitRegion(key, rect, name, ItemAction.VERSION, by, is_icon=True)


class VersionsItem(FixedHeightItem):
    """The version switch of messages without a footer: the user's, at the right, and a reply that
    is still being written.
    """

    def __init__(self, message_id: str, *, right: bool) -> None:
        self.message_id = message_id
        self.actions: ActionNames = ()
        self.created = 0.0
        self._right = right
        self._versions = VersionArrows(message_id)
        self._spoken = ""

    def fixed_height(self, look: ItemStyle) -> int:
        return max(ICON_BUTTON_SIZE, look.small_line)

    def measure(self, scene: Scene, width: int) -> int:
        self._spoken = self._versions.accessible_text(scene)
        return super().measure(scene, width)

    def _left(self, scene: Scene) -> float:
        return self.width - self._versions.width(scene) if self._right else 0.0

    def hit_regions(self, scene: Scene) -> list[HitRegion]:
        left, step = self._left(scene), ICON_BUTTON_SIZE + 2.0
        first = left - len(self.actions) * step - 4
        icons = icon_regions(self.actions, first, (self.height - ICON_BUTTON_SIZE) / 2, step=step)
        return [*icons, *self._versions.hit_regions(scene, left, self.height)]

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        self._versions.paint(scene, self, brush, self._left(scene))
        if self.message_id not in (scene.hovered_message, scene.focused_message):
            return
        look = scene.style
        icons = [part for part in self.hit_regions(scene) if part.action is not ItemAction.VERSION]
        paint_icons(scene, self, brush, icons, f"message {self.message_id}")
        words = format_time(self.created, scene.clock()) if self.created and icons else ""
        wide = look.small_metrics.horizontalAdvance(words) + 2
        right = icons[0].rect.left() - 6 if icons else 0.0
        if words and right >= wide:
            rect = brush.box.adjusted(right - wide, 0, right - self.width, 0)
            paint_primitives.draw_text(brush.painter, rect, words, look.small, look.color("muted"))

    @property
    def accessible_text(self) -> str:
        return self._spoken


class EditFieldItem(Item):
    """Reserves the space of the message editor, a widget above it."""

    def __init__(self, height: int) -> None:
        self.room = height

    def estimate(self, scene: Scene, width: int) -> int:
        return self.room

    def measure(self, scene: Scene, width: int) -> int:
        self.width, self.height = width, self.room
        return self.height

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        """Paint nothing: the editor is a widget."""


class FooterItem(FixedHeightItem):
    """The footer of a reply. Its buttons are shown while the message has the mouse or the keyboard
    focus.
    """

    def __init__(self, message_id: str, actions: ActionNames) -> None:
        self.message_id = message_id
        self.actions = actions
        self.text = ""
        self.mark: ToolStatus | None = None
        self.created = 0.0
        self.can_retry = True
        """Whether it answers an input, so that it can be regenerated."""
        self.stopped = False
        self._versions = VersionArrows(message_id)
        self._said = ""

    def set_state(
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
        self.stopped = state is MessageState.CANCELLED
        self.mark, word = marks.get(state, (None, ""))
        self.text = " · ".join(
            part
            for part in (word, short_model_name(model), format_usage(rounds, usage, seconds))
            if part
        )

    def fixed_height(self, look: ItemStyle) -> int:
        return max(ICON_BUTTON_SIZE, look.small_line)

    def measure(self, scene: Scene, width: int) -> int:
        self._said = self._versions.accessible_text(scene)
        return super().measure(scene, width)

    def _begin(self, scene: Scene) -> float:
        """Return the left end of the text."""
        wide = self._versions.width(scene)
        return wide + 8 if wide else 0.0

    def _left(self, scene: Scene) -> float:
        """Return the left end of the buttons."""
        words = scene.style.small_metrics.horizontalAdvance(self.text) + 10 if self.text else 0.0
        return self._begin(scene) + words + (20 if self.mark is not None else 0)

    def text_rect(self, scene: Scene, *, busy: bool) -> QRectF:
        """Return the rectangle of the text; if `busy`, the buttons are shown after it."""
        left = self._begin(scene) + (20 if self.mark is not None else 0)
        icons = [
            part.rect.left()
            for part in self.hit_regions(scene)
            if part.action is not ItemAction.VERSION
        ]
        right = min(icons) - 6 if busy and icons else self.width
        return QRectF(left, 0.0, right - left, self.height)

    def _offered(self, scene: Scene) -> ActionNames:
        offered = {
            "retry": self.can_retry,
            Action.CONTINUE: self.stopped and self.can_retry and scene.is_newest(self.message_id),
        }
        return tuple(one for one in self.actions if offered.get(one[0], True))

    def hit_regions(self, scene: Scene) -> list[HitRegion]:
        step = ICON_BUTTON_SIZE + 2.0
        offered = self._offered(scene)
        left = min(self._left(scene), self.width - len(offered) * step)
        icons = icon_regions(offered, left, (self.height - ICON_BUTTON_SIZE) / 2, step=step)
        return [*self._versions.hit_regions(scene, 0.0, self.height), *icons]

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        look = scene.style
        self._versions.paint(scene, self, brush, 0.0)
        box = brush.box.adjusted(self._begin(scene), 0, 0, 0)
        if self.mark is not None:
            paint_primitives.draw_status_icon(
                brush.painter, QPointF(box.left() + 7, box.center().y()), self.mark, look
            )
        busy = self.message_id in (scene.hovered_message, scene.focused_message)
        rect = self.text_rect(scene, busy=busy)
        elide = Qt.TextElideMode.ElideRight
        shown = look.small_metrics.elidedText(self.text, elide, max(0.0, rect.width()))
        rect.translate(brush.box.topLeft())
        paint_primitives.draw_text(brush.painter, rect, shown, look.small, look.color("muted"))
        if busy:
            parts = [
                part for part in self.hit_regions(scene) if part.action is not ItemAction.VERSION
            ]
            paint_icons(scene, self, brush, parts, f"message {self.message_id}")
            if self.created:
                after = max((part.rect.right() for part in parts), default=self._left(scene)) + 8
                words = format_time(self.created, scene.clock())
                if after + look.small_metrics.horizontalAdvance(words) <= self.width:
                    rect = brush.box.adjusted(after, 0, 0, 0)
                    paint_primitives.draw_text(
                        brush.painter, rect, words, look.small, look.color("muted")
                    )

    @property
    def accessible_text(self) -> str:
        return " · ".join(filter(None, (self._said, self.text)))
