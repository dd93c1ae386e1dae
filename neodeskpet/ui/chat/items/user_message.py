"""Items of the user's message: the box at the right."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF

from neodeskpet.core.errors import Action
from neodeskpet.core.markdown.pieces import Continuation
from neodeskpet.ui.chat.items import paint_primitives
from neodeskpet.ui.chat.items.item import HitRegion, Item, ItemAction, PaintContext, Scene
from neodeskpet.ui.chat.items.item_style import ItemStyle
from neodeskpet.ui.chat.items.text_documents import SafeDocument, plain_document
from neodeskpet.ui.chat.items.text_items import Insets, TextItem
from neodeskpet.ui.formatting import format_time

MAX_WIDTH_SHARE = 0.86
ICON_BUTTON_SIZE = 26
_GUTTER = 30  # px left of the column, where the companion's face is shown
INSPECT_ACTION = "inspect"
WHY_ACTION = "why"
READ_ACTION = "read aloud"
"""The action of the button for the reasons of a reply."""
_ICONS = {
    "copy": paint_primitives.draw_copy_icon,
    "retry": paint_primitives.draw_retry_icon,
    Action.CONTINUE: paint_primitives.draw_continue_icon,
    "edit": paint_primitives.draw_edit_icon,
    "more": paint_primitives.draw_more_icon,
    INSPECT_ACTION: paint_primitives.draw_info_icon,
}
_ITEM_ACTIONS = {
    "copy": ItemAction.COPY,
    "retry": ItemAction.RETRY,
    "edit": ItemAction.EDIT_MESSAGE,
    "more": ItemAction.MENU,
}

ActionNames = tuple[tuple[str, str], ...]
"""Small buttons of a message: (action, name). The view handles "copy", "edit", "more" and "retry";
others are emitted as `action_requested`.
"""


def icon_regions(actions: ActionNames, x: float, y: float, *, step: float) -> list[HitRegion]:
    """Return the parts of a row of small buttons, starting at `x`."""
    parts = []
    for number, (action, name) in enumerate(actions):
        does = _ITEM_ACTIONS.get(action, ItemAction.ACTION)
        value = "message" if action == "copy" else action
        rect = QRectF(x + number * step, y, ICON_BUTTON_SIZE, ICON_BUTTON_SIZE)
        parts.append(HitRegion(f"message.{action}", rect, name, does, value, is_icon=True))
    return parts


def paint_icons(
    scene: Scene, item: Item, brush: PaintContext, parts: list[HitRegion], copied: str
) -> None:
    look = scene.style
    for part in parts:
        rect = part.rect.translated(brush.box.topLeft())
        hovered = scene.is_hovered(item, part.key)
        if hovered:
            paint_primitives.draw_frame(brush.painter, rect, look.color("pressed"), None, 6)
        color = look.color("text" if hovered else "muted")
        action = part.key.removeprefix("message.")
        if action == "copy" and scene.copied == copied:
            paint_primitives.draw_check_icon(brush.painter, rect.center(), look.color("done"))
        else:
            _ICONS.get(action, paint_primitives.draw_edit_icon)(brush.painter, rect.center(), color)
        if scene.is_focused(item, part.key):
            paint_primitives.draw_focus_ring(brush.painter, rect, look, 6)


class UserTextItem(TextItem):
    """A part of the user's text, shown as it is (no Markdown). The parts touch each other."""

    def __init__(self, text: str, joint: Continuation, message_id: str) -> None:
        self._text = text
        self.joint = joint
        self.message_id = message_id
        self.is_first = True
        self.is_last = True
        self.actions: ActionNames = ()
        self.created = 0.0
        self._box = 0  # width of the box

    @property
    def source(self) -> str:
        return self._text

    def make_document(self, look: ItemStyle) -> SafeDocument:
        return plain_document(self._text, look.font, look.theme.line_px)

    def inset(self, look: ItemStyle) -> Insets:
        pad = look.theme.padding - 2
        return Insets(14, pad if self.is_first else 0, 14, pad if self.is_last else 0)

    def layout(self, scene: Scene, document: SafeDocument, width: int) -> None:
        inset = self.inset(scene.style)
        room = int(width * MAX_WIDTH_SHARE) - inset.left - inset.right
        if self.is_first and self.is_last:
            if self._box and document.textWidth() == self._box - inset.left - inset.right:
                return
            document.setTextWidth(room)
            wide = min(room, math.ceil(document.idealWidth()) + 1)
            document.setTextWidth(wide)
        else:
            wide = room
            if document.textWidth() != wide:
                document.setTextWidth(wide)
        self._box = wide + inset.left + inset.right

    def measure(self, scene: Scene, width: int) -> int:
        self._box = 0
        return super().measure(scene, width)

    def origin(self, look: ItemStyle) -> QPointF:
        inset = self.inset(look)
        return QPointF(self.width - self._box + inset.left, inset.top)

    def paint_ground(self, scene: Scene, brush: PaintContext) -> None:
        left = brush.box.right() - self._box
        rect = QRectF(left, brush.box.top(), self._box, brush.box.height())
        radius = scene.style.theme.message_radius
        paint_primitives.draw_frame(
            brush.painter,
            rect,
            scene.style.color("person"),
            None,
            radius,
            top=self.is_first,
            bottom=self.is_last,
        )
        if self._is_active(scene):
            paint_icons(scene, self, brush, self.hit_regions(scene), f"message {self.message_id}")
            if self.is_last and self.created:
                self._paint_time(scene, brush)

    def _paint_time(self, scene: Scene, brush: PaintContext) -> None:
        """Paint the time left of the small buttons, or above them if there is no room."""
        look = scene.style
        words = format_time(self.created, scene.clock())
        rect = self._time_spot(scene, words)
        if rect is None:  # only the time of day
            words = words.split()[-1]
            rect = self._time_spot(scene, words)
        if rect is not None:
            rect.translate(brush.box.topLeft())
            paint_primitives.draw_text(brush.painter, rect, words, look.small, look.color("muted"))

    def _time_spot(self, scene: Scene, words: str) -> QRectF | None:
        """Return the rectangle for `words`; None if there is no room."""
        look = scene.style
        wide = look.small_metrics.horizontalAdvance(words) + 2
        parts = self.hit_regions(scene)
        right = self.width - self._box - 8.0
        left = min((part.rect.left() for part in parts), default=right) - 4
        rect = QRectF(left - wide, self.height - ICON_BUTTON_SIZE - 4, wide, ICON_BUTTON_SIZE)
        if rect.left() < -_GUTTER and self.height > ICON_BUTTON_SIZE + 8 + look.small_line:
            rect.moveTopLeft(QPointF(right - wide, self.height - 2 * ICON_BUTTON_SIZE - 4))
        return rect if rect.left() >= -_GUTTER else None

    def _is_active(self, scene: Scene) -> bool:
        return self.message_id in (scene.hovered_message, scene.focused_message)

    def hit_regions(self, scene: Scene) -> list[HitRegion]:
        if not self.is_last:
            return []
        left = self.width - self._box - 6
        step = -(ICON_BUTTON_SIZE + 2.0)
        room = max(1, int((left + _GUTTER) / -step))  # the menu has the other actions
        return icon_regions(
            self.actions[-room:],
            left - ICON_BUTTON_SIZE,
            self.height - ICON_BUTTON_SIZE - 4,
            step=step,
        )
