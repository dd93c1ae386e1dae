"""A notice: what happened, what to do, and one or two buttons. Never a modal dialog.

The message of a server or the system is part of it if our text doesn't give the reason; otherwise,
or if it is long, a button shows it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QBrush, QTextCharFormat, QTextCursor

from neodeskpet.core.blocks import Notice
from neodeskpet.core.errors import Action, content_class
from neodeskpet.core.markdown.pieces import Continuation
from neodeskpet.language import join_sentences, tr, translate_code, with_tool_title
from neodeskpet.ui.chat.items import paint_primitives
from neodeskpet.ui.chat.items.item import HitRegion, ItemAction, PaintContext, Scene
from neodeskpet.ui.chat.items.item_style import ItemStyle
from neodeskpet.ui.chat.items.text_documents import SafeDocument, plain_document
from neodeskpet.ui.chat.items.text_items import Insets, TextItem
from neodeskpet.ui.formatting import action_label, printable, single_line
from neodeskpet.ui.rendering.code_spans import utf16_length

_LEFT = 38
_VISIBLE_CHARS = 200  # characters of a foreign message


@dataclass(frozen=True, slots=True)
class ButtonRow:
    """Buttons side by side, in several rows where needed, relative to (0, 0)."""

    rects: tuple[QRectF, ...]
    height: int


def layout_buttons(words: list[str], width: int, look: ItemStyle) -> ButtonRow:
    x = y = 0.0
    tall, gap = look.theme.button_height, 8
    rects: list[QRectF] = []
    for one in words:
        wide = min(paint_primitives.button_width(one, look), max(40, width))
        if x and x + wide > width:
            x, y = 0.0, y + tall + gap
        rects.append(QRectF(x, y, wide, tall))
        x += wide + gap
    return ButtonRow(tuple(rects), int(y) + tall if rects else 0)


class NoticeItem(TextItem):
    """A notice whose text is a document, so that it can be selected and copied."""

    def __init__(self, block: Notice) -> None:
        self.block = block
        self.key = f"notice {block.index}"
        self.joint = Continuation.NONE
        self._row = ButtonRow((), 0)
        self._title: Callable[[str], str] = str
        self.opened = False

    def sync(self, scene: Scene) -> None:
        """Update the name of a tool in it to the current language."""
        self._title = scene.tool_title

    def update(self, block: Notice) -> None:
        self.block = block
        self.invalidate()

    def message_text(self) -> tuple[str, str]:
        """Return what happened, and what to do."""
        shown = ""
        if not self._has_own_reason:
            shown = single_line(self.block.detail, _VISIBLE_CHARS) + (
                "…" if self.is_foldable else ""
            )
        what, hint = translate_code(
            self.block.code, with_tool_title(self.block.params, self._title), shown
        )
        return what, "" if self.block.resolved else hint

    @property
    def _has_own_reason(self) -> bool:
        """Whether our own text gives the reason."""
        return "reason" in self.block.params or content_class(self.block.code).show_detail

    @property
    def is_foldable(self) -> bool:
        """Whether a part of a foreign message is only shown on request."""
        detail = self.block.detail.strip()
        return bool(detail) and (self._has_own_reason or len(detail) > _VISIBLE_CHARS)

    @property
    def source(self) -> str:
        return "\n".join(filter(None, (*self.message_text(), self._raw())))

    def _raw(self) -> str:
        return printable(self.block.detail.strip()) if self.opened and self.is_foldable else ""

    def make_document(self, look: ItemStyle) -> SafeDocument:
        what, hint = self.message_text()
        raw = self._raw()
        words = join_sentences(what, hint)
        text = f"{words}\n{raw}" if raw else words
        document = plain_document(text, look.font, look.theme.line_px)
        cursor = QTextCursor(document)
        cursor.setPosition(utf16_length(what))
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        form = QTextCharFormat()
        form.setForeground(QBrush(look.color("muted")))
        cursor.mergeCharFormat(form)
        return document

    def inset(self, look: ItemStyle) -> Insets:
        pad = max(7, (look.theme.notice_height - look.theme.line_px) // 2)
        below = self._row.height + look.theme.card_gap if self._row.height else 0
        return Insets(_LEFT, pad, look.theme.padding, pad + below)

    def measure(self, scene: Scene, width: int) -> int:
        labels = [name for _, name, _ in self._buttons()]
        self._row = layout_buttons(labels, width - _LEFT - scene.style.theme.padding, scene.style)
        return super().measure(scene, width)

    def _actions(self) -> list[Action]:
        return [] if self.block.resolved else list(self.block.actions)

    def _buttons(self) -> list[tuple[str, str, ItemAction]]:
        """Return key, name and action of the buttons."""
        buttons = [(str(one), action_label(one), ItemAction.ACTION) for one in self._actions()]
        return (
            [*buttons, ("details", tr("Details"), ItemAction.TOGGLE)]
            if self.is_foldable
            else buttons
        )

    def hit_regions(self, scene: Scene) -> list[HitRegion]:
        inset = self.inset(scene.style)
        top = self.height - inset.bottom + scene.style.theme.card_gap
        return [
            HitRegion(
                key,
                rect.translated(_LEFT, top),
                name,
                does,
                self.key if does is ItemAction.TOGGLE else key,
                self.opened if does is ItemAction.TOGGLE else None,
            )
            for (key, name, does), rect in zip(self._buttons(), self._row.rects, strict=False)
        ]

    def paint_ground(self, scene: Scene, brush: PaintContext) -> None:
        look, box, painter = scene.style, brush.box, brush.painter
        paint_primitives.draw_frame(
            painter, box, look.color("surface"), look.color("line"), look.theme.card_radius
        )
        top = box.top() + self.inset(look).top
        spot = QPointF(box.left() + 20, math.floor(top + look.theme.line_px / 2))
        if self.block.resolved:
            paint_primitives.draw_check_icon(painter, spot, look.color("muted"))
        else:
            paint_primitives.draw_warning_icon(painter, spot, look)
        for number, part in enumerate(self.hit_regions(scene)):
            paint_primitives.draw_button(
                painter,
                part.rect.translated(box.topLeft()),
                part.name,
                look,
                primary=number == 0 and part.action is ItemAction.ACTION,
                hovered=scene.is_hovered(self, part.key),
                focused=scene.is_focused(self, part.key),
            )
