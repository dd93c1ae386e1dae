"""Widgets above items of the view: forms in the cards of running calls, and the editor of a
message.
"""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QWidget

from neodeskpet.core.blocks import Document, Image, ToolStatus
from neodeskpet.language import tr
from neodeskpet.ui.chat.argument_form import ArgumentForm
from neodeskpet.ui.chat.composer.message_editor import MessageEditor
from neodeskpet.ui.chat.items.block_models import FileModel, ImageModel
from neodeskpet.ui.chat.items.message_footer import EditFieldItem
from neodeskpet.ui.chat.items.tool_card_model import CardFormItem, ToolCardModel
from neodeskpet.ui.chat.view.view_interface import ChatViewInterface
from neodeskpet.ui.theme import Theme

CardKey = tuple[str, int]
"""Message id and block index."""


def has_focus_inside(form: QWidget) -> bool:
    """Whether the keyboard focus is in a form."""
    focused = QApplication.focusWidget()
    return focused is not None and form.isAncestorOf(focused)


class CardForms(QObject):
    """The forms in cards. A form is cancelled if its card disappears: `form.cancelled`
    reports it.
    """

    def __init__(self, view: ChatViewInterface) -> None:
        super().__init__(view.viewport())
        self._view = view
        self._open: dict[CardKey, CardFormItem] = {}

    def running_card(self, names: Collection[str]) -> CardKey | None:
        """Return the card of a running call of one of these tools that isn't asking
        anything yet.
        """
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
        """Show `form` in this card, which exists."""
        question = CardFormItem(card[1], form)
        form.setParent(self._view.viewport())
        form.setAccessibleName(form.heading.text().partition("\n")[0])
        self._view.attach_form(form, card[0])
        self._open[card] = question
        self._show(card, question)
        if self._view.scene.is_newest(card[0]):
            self._view.scroller.scroll_to_end()
        self.update_positions()

    def close(self, card: CardKey) -> None:
        """Remove the form of this card, if there is one."""
        question = self._open.pop(card, None)
        if question is None:
            return
        had_focus = has_focus_inside(question.form)
        self._view.detach_form(question.form)
        question.form.hide()
        question.form.deleteLater()
        self._show(card, None)
        if had_focus and not self._view.focus_part(card[0], "again", f"undo {card[1]}"):
            self._view.focus_part(card[0], "toggle", f"card {card[1]}")

    def cancel_focused(self) -> bool:
        """Cancel the form with the focus; return False if there is none."""
        for question in self._open.values():
            if has_focus_inside(question.form):
                question.form.cancelled.emit()
                return True
        return False

    def set_theme(self, theme: Theme) -> None:
        for question in self._open.values():
            question.form.set_theme(theme)
            question.invalidate()

    def update_positions(self) -> None:
        """Move each form to its card."""
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
        """Whether its card was replaced or removed, not just scrolled out of view."""
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


class MessageEditing(QObject):
    """The editor above a message, one at a time. It is cancelled when its message disappears."""

    def __init__(self, view: ChatViewInterface) -> None:
        super().__init__(view.viewport())
        self._view = view
        self.editor: MessageEditor | None = None
        self._message = ""
        self._item = EditFieldItem(0)

    def start(self, message_id: str) -> None:
        """Open the editor with the text of the message. The owner provides its pictures."""
        entry = self._view.column.entry(message_id)
        if entry is None or not entry.is_user:
            return
        self.cancel()
        images: list[Image | Document] = [
            model.item.image if isinstance(model, ImageModel) else model.item.block
            for model in entry.models
            if isinstance(model, ImageModel | FileModel)
        ]
        editor = MessageEditor(self._view.item_style.theme, self._view.viewport())
        editor.set_text(entry.markdown)
        editor.confirmed.connect(self._confirm)
        editor.cancelled.connect(self.leave)
        editor.height_changed.connect(self._fit)
        editor.setAccessibleName(tr("Edit the message"))
        self._view.attach_form(editor, message_id)
        self.editor, self._message = editor, message_id
        self._item = EditFieldItem(editor.height_for(self._view.scroller.frame.width))
        entry.is_edited = self._item
        self._show()
        self._view.editing_started.emit(editor, images)
        number = self._view.column.number_of(message_id)
        place = self._view.column.position_of(self._item, message_id)
        if number is not None and place is not None:
            self._view.scroller.reveal(place)
        self.update_positions()
        editor.take_focus()

    def cancel(self) -> None:
        """Close the editor and show the unchanged message."""
        if self.editor is None:
            return
        self._view.detach_form(self.editor)
        self.editor.hide()
        self.editor.deleteLater()
        self.editor = None
        entry = self._view.column.entry(self._message)
        if entry is not None:
            entry.is_edited = None
            self._show()

    def set_theme(self, theme: Theme) -> None:
        if self.editor is not None:
            self.editor.set_theme(theme)
            self._fit()

    def update_positions(self) -> None:
        """Move the editor to its message."""
        if self.editor is None:
            return
        place = self._view.column.position_of(self._item, self._message)
        if place is None:
            self.cancel()
            return
        box = self._view.scroller.row_rect(place)
        tall = self.editor.height_for(box.width())
        self.editor.setGeometry(box.left(), box.top(), box.width(), tall)
        self.editor.show()
        if tall != self._item.room:
            self._fit()

    def _fit(self) -> None:
        """Adjust the space to the height of the editor."""
        if self.editor is None:
            return
        tall = self.editor.height_for(self._view.scroller.frame.width)
        if tall != self._item.room:
            self._item.room = tall
            self._item.invalidate()
            self._show()

    def _show(self) -> None:
        """Update the view after a change of the message's height; its top stays in place."""
        view = self._view
        number = view.column.number_of(self._message)
        entry = view.column.entry(self._message)
        if number is None or entry is None:
            return
        offset = view.column.message_top(number) - view.scroller.top
        entry.rebuild_items()
        view.selection.clear()
        view.column.refresh(number)
        view.scroller.keep_top(self._message, offset)
        view.viewport().update()

    def _confirm(self, text: str) -> None:
        message = self._message
        if self.editor is not None:
            self._view.message_edited.emit(message, text)
        self.cancel()

    def leave(self) -> bool:
        """Close the editor; the focus goes to the button that opened it. Return False if it
        isn't open.
        """
        if self.editor is None:
            return False
        self.cancel()
        self._view.focus_part(self._message, "message.edit")
        return True
