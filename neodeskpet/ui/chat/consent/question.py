"""What a running call asks the person: the room in its card for the form that does it."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from neodeskpet.ui.chat.consent.form import ArgumentForm
from neodeskpet.ui.chat.items.card import CARD_INSET, paint_card_slice
from neodeskpet.ui.chat.items.item import Item, PaintContext, Scene


class CardFormItem(Item):
    """`form` lies over it; the view puts it there."""

    in_card = True

    def __init__(self, index: int, form: ArgumentForm) -> None:
        self.key = f"question {index}"
        self.form = form

    def estimate(self, scene: Scene, width: int) -> int:
        return self.measure(scene, width)

    def measure(self, scene: Scene, width: int) -> int:
        self.width = width
        self._room = self.form.fit_width(width - CARD_INSET - scene.style.theme.padding)
        self.height = self._room + 10
        return self.height

    def form_rect(self, scene: Scene) -> QRectF:
        """Where the form goes. Valid after `measure`."""
        return QRectF(
            CARD_INSET, 2, self.width - CARD_INSET - scene.style.theme.padding, self._room
        )

    def paint(self, scene: Scene, brush: PaintContext) -> None:
        paint_card_slice(scene, brush)

    @property
    def accessible_text(self) -> str:
        return self.form.heading.text()
