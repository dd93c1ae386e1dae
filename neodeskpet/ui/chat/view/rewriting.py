"""The person writes a message of theirs anew, in its place."""

from __future__ import annotations

from PySide6.QtCore import QObject

from neodeskpet.core.blocks import Document, Image
from neodeskpet.ui.chat.compose.editor import MessageEditor
from neodeskpet.ui.chat.items.blocks import ImageModel
from neodeskpet.ui.chat.items.files.chip import FileModel
from neodeskpet.ui.chat.items.footer import EditFieldItem
from neodeskpet.ui.chat.view.surface import ChatViewInterface
from neodeskpet.ui.theme import Theme


class MessageEditing(QObject):
    """The field over a message, one at a time. It is left when its message is gone."""

    def __init__(self, view: ChatViewInterface) -> None:
        super().__init__(view.viewport())
        self._view = view
        self.editor: MessageEditor | None = None
        self._message = ""
        self._item = EditFieldItem(0)

    def start(self, message_id: str) -> None:
        """Open the field, with what the message says. Its pictures are the owner's to bring."""
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
        editor.cancelled.connect(self._leave)
        editor.height_changed.connect(self._fit)
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
        """Show the message as it was."""
        if self.editor is None:
            return
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
        """Put the field where its message is now."""
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
        """The field grew or shrank with what is written."""
        if self.editor is None:
            return
        tall = self.editor.height_for(self._view.scroller.frame.width)
        if tall != self._item.room:
            self._item.room = tall
            self._item.invalidate()
            self._show()

    def _show(self) -> None:
        """The message has another height now; its head stays where it is."""
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
        self._view.take_focus()

    def _leave(self) -> None:
        self.cancel()
        self._view.take_focus()
