"""A notice: what happened, what to do, and one or two buttons. Never a modal box.

What a server or the system said itself stands in it where no words of ours say why; else it, or
what of it is long, is one click away.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QBrush, QTextCharFormat, QTextCursor

from neodeskpet.core.blocks import Notice
from neodeskpet.core.errors import Action, kind_of
from neodeskpet.core.markdown.pieces import Joint
from neodeskpet.language import say_code, sentences, titled, tr
from neodeskpet.ui.chat.items import draw
from neodeskpet.ui.chat.items.documents import SafeDocument, plain_document
from neodeskpet.ui.chat.items.item import Brush, Does, Part, Scene
from neodeskpet.ui.chat.items.look import Look
from neodeskpet.ui.chat.items.prose import Inset, TextItem
from neodeskpet.ui.chat.items.wording import action_label, one_line, printable
from neodeskpet.ui.highlight.spans import utf16_length

_LEFT = 38
_SHOWN = 200  # characters of foreign words


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
        self._title: Callable[[str], str] = str
        self.opened = False

    def sync(self, scene: Scene) -> None:
        """Call a tool in it as people do, in the language of now."""
        self._title = scene.tool_title

    def update(self, block: Notice) -> None:
        self.block = block
        self.outdate()

    def said(self) -> tuple[str, str]:
        """What happened, and what to do."""
        shown = ""
        if not self._told:
            shown = one_line(self.block.detail, _SHOWN) + ("…" if self.folds else "")
        what, hint = say_code(self.block.code, titled(self.block.params, self._title), shown)
        return what, "" if self.block.resolved else hint

    @property
    def _told(self) -> bool:
        """Whether our own words say why."""
        return "reason" in self.block.params or kind_of(self.block.code).tells_all

    @property
    def folds(self) -> bool:
        """Whether there are foreign words that aren't shown until they are asked for."""
        detail = self.block.detail.strip()
        return bool(detail) and (self._told or len(detail) > _SHOWN)

    @property
    def source(self) -> str:
        return "\n".join(filter(None, (*self.said(), self._raw())))

    def _raw(self) -> str:
        return printable(self.block.detail.strip()) if self.opened and self.folds else ""

    def make_document(self, look: Look) -> SafeDocument:
        what, hint = self.said()
        raw = self._raw()
        words = sentences(what, hint)
        text = f"{words}\n{raw}" if raw else words
        document = plain_document(text, look.font, look.theme.line_px)
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
        labels = [name for _, name, _ in self._buttons()]
        self._row = lay_buttons(labels, width - _LEFT - scene.look.theme.padding, scene.look)
        return super().measure(scene, width)

    def _actions(self) -> list[Action]:
        return [] if self.block.resolved else list(self.block.actions)

    def _buttons(self) -> list[tuple[str, str, Does]]:
        """Key, name and what it does."""
        buttons = [(str(one), action_label(one), Does.ACTION) for one in self._actions()]
        return [*buttons, ("details", tr("Details"), Does.TOGGLE)] if self.folds else buttons

    def parts(self, scene: Scene) -> list[Part]:
        inset = self.inset(scene.look)
        top = self.height - inset.bottom + scene.look.theme.card_gap
        return [
            Part(
                *(key, rect.translated(_LEFT, top), name, does),
                self.key if does is Does.TOGGLE else key,
                self.opened if does is Does.TOGGLE else None,
            )
            for (key, name, does), rect in zip(self._buttons(), self._row.rects, strict=False)
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
                primary=number == 0 and part.does is Does.ACTION,
                hovered=scene.is_hovered(self, part.key),
                focused=scene.is_focused(self, part.key),
            )
