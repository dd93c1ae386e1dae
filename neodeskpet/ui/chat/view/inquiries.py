"""The forms in which running calls ask the person: each lies in its card and goes where it goes."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QObject

from neodeskpet.core.blocks import ToolStatus
from neodeskpet.ui.chat.consent.form import ArgumentForm
from neodeskpet.ui.chat.consent.question import CardFormItem
from neodeskpet.ui.chat.items.card_block import ToolCardModel
from neodeskpet.ui.chat.view.surface import ChatViewInterface
from neodeskpet.ui.theme import Theme

CardKey = tuple[str, int]
"""Message and block."""


class CardForms(QObject):
    """A form whose card is gone is left: `form.left` tells its owner."""

    def __init__(self, view: ChatViewInterface) -> None:
        super().__init__(view.viewport())
        self._view = view
        self._open: dict[CardKey, CardFormItem] = {}

    def running_card(self, names: Collection[str]) -> CardKey | None:
        """The card of a call that runs, of one of these tools, and that asks nothing yet."""
        for entry in reversed(self._view.column.entries):
            if entry is None or not entry.running:
                continue
            for model in entry.models:
                if (
                    not isinstance(model, ToolCardModel)
                    or (entry.id, model.call.index) in self._open
                ):
                    continue
                if model.call.status is ToolStatus.RUNNING and model.call.name in names:
                    return entry.id, model.call.index
        return None

    def open(self, card: CardKey, form: ArgumentForm) -> None:
        """Put `form` into this card, which is there."""
        question = CardFormItem(card[1], form)
        form.setParent(self._view.viewport())
        self._open[card] = question
        self._show(card, question)
        if self._view.scene.is_newest(card[0]):
            self._view.scroller.scroll_to_end()
        self.update_positions()

    def close(self, card: CardKey) -> None:
        """Take the form away; one that is gone already is passed over."""
        question = self._open.pop(card, None)
        if question is None:
            return
        question.form.hide()
        question.form.deleteLater()
        self._show(card, None)

    def set_theme(self, theme: Theme) -> None:
        for question in self._open.values():
            question.form.set_theme(theme)
            question.invalidate()

    def update_positions(self) -> None:
        """Put each form where its card is now."""
        for card, question in list(self._open.items()):
            place = self._view.column.position_of(question, card[0])
            if place is None:
                question.form.hide()
                if self._is_lost(card, question):
                    question.form.cancelled.emit()
                continue
            box = self._view.scroller.row_rect(place)
            question.form.setGeometry(
                question.form_rect(self._view.scene).translated(box.topLeft()).toRect()
            )
            question.form.show()

    def _is_lost(self, card: CardKey, question: CardFormItem) -> bool:
        """Whether its card is another now, or gone: not only out of sight."""
        entry = self._view.column.entry(card[0])
        model = entry.card(card[1]) if entry is not None else None
        return model is None or model.question is not question

    def _show(self, card: CardKey, question: CardFormItem | None) -> None:
        entry = self._view.column.entry(card[0])
        model = entry.card(card[1]) if entry is not None else None
        if entry is None or model is None:
            return
        anchor = self._view.scroller.anchor()
        model.question = question
        entry.mark_changed(card[1])
        number = self._view.column.number_of(card[0])
        assert number is not None, "its entry is there"
        self._view.scroller.rearrange(anchor, self._view.column.refresh(number))
        self._view.viewport().update()
