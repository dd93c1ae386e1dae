"""A notice: what happened, what to do, and one or two buttons. Never a modal box."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QBrush, QTextCharFormat, QTextCursor

from neodeskpet.core.blocks import Notice
from neodeskpet.core.errors import Action
from neodeskpet.core.markdown.pieces import Joint
from neodeskpet.language import say_code
from neodeskpet.ui.chat.items import draw
from neodeskpet.ui.chat.items.documents import SafeDocument, plain_document
from neodeskpet.ui.chat.items.item import Brush, Does, Part, Scene
from neodeskpet.ui.chat.items.look import Look
from neodeskpet.ui.chat.items.prose import Inset, TextItem
from neodeskpet.ui.chat.items.wording import action_label, one_line
from neodeskpet.ui.highlight.spans import utf16_length

_LEFT = 38


@dataclass(frozen=True, slots=True)
class ButtonRow:
    """Buttons side by side, in further rows if there is no room. Rects from (0, 0)."""

    rects: tuple[QRectF, ...]
    height: int


def lay_buttons(words: list[str], width: int, look: Look) -> ButtonRow:
    x = y = 0.0
    tall, gap = look.theme.button_height, 8
    rects: list[QRectF] = []
    for one in words:
        wide = min(draw.button_width(one, look), max(40, width))
        if x and x + wide > width:
            x, y = 0.0, y + tall + gap
        rects.append(QRectF(x, y, wide, tall))
        x += wide + gap
    return ButtonRow(tuple(rects), int(y) + tall if rects else 0)


class NoticeItem(TextItem):
    """Its words are a document of their own, so that they can be selected and copied."""

    def __init__(self, block: Notice) -> None:
        self.block = block
        self.key = f"notice {block.index}"
        self.joint = Joint.NONE
        self._row = ButtonRow((), 0)

    def update(self, block: Notice) -> None:
        self.block = block
        self.outdate()

    def said(self) -> tuple[str, str]:
        """What happened, and what to do."""
        what, hint = say_code(
            self.block.code, dict(self.block.params), one_line(self.block.detail, 400)
        )
        return what, "" if self.block.resolved else hint

    @property
    def source(self) -> str:
        return "\n".join(part for part in self.said() if part)

    def make_document(self, look: Look) -> SafeDocument:
        what, hint = self.said()
        document = plain_document(f"{what} {hint}".strip(), look.font, look.theme.line_px)
        cursor = QTextCursor(document)
        cursor.setPosition(utf16_length(what))
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        form = QTextCharFormat()
        form.setForeground(QBrush(look.color("muted")))
        cursor.mergeCharFormat(form)
        return document

    def inset(self, look: Look) -> Inset:
        pad = max(7, (look.theme.notice_height - look.theme.line_px) // 2)
        below = self._row.height + look.theme.card_gap if self._row.height else 0
        return Inset(_LEFT, pad, look.theme.padding, pad + below)

    def measure(self, scene: Scene, width: int) -> int:
        labels = [action_label(a) for a in self._actions()]
        self._row = lay_buttons(labels, width - _LEFT - scene.look.theme.padding, scene.look)
        return super().measure(scene, width)

    def _actions(self) -> list[Action]:
        return [] if self.block.resolved else list(self.block.actions)

    def parts(self, scene: Scene) -> list[Part]:
        inset = self.inset(scene.look)
        top = self.height - inset.bottom + scene.look.theme.card_gap
        return [
            Part(
                str(action), rect.translated(_LEFT, top), action_label(action), Does.ACTION, action
            )
            for action, rect in zip(self._actions(), self._row.rects, strict=False)
        ]

    def paint_ground(self, scene: Scene, brush: Brush) -> None:
        look, box, painter = scene.look, brush.box, brush.painter
        draw.frame(painter, box, look.color("surface"), look.color("line"), look.theme.card_radius)
        top = box.top() + self.inset(look).top
        spot = QPointF(box.left() + 20, math.floor(top + look.theme.line_px / 2))
        if self.block.resolved:
            draw.check_sign(painter, spot, look.color("muted"))
        else:
            draw.warning_sign(painter, spot, look)
        for number, part in enumerate(self.parts(scene)):
            draw.button(
                painter,
                part.rect.translated(box.topLeft()),
                part.name,
                look,
                primary=number == 0,
                hovered=scene.is_hovered(self, part.key),
                focused=scene.is_focused(self, part.key),
            )
