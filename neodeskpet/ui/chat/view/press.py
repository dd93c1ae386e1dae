"""What happens when a part of an item is pressed, by mouse, keyboard or a screen reader."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit

from neodeskpet.language import tr
from neodeskpet.ui.chat.items.card import CardButtons, CardLinks
from neodeskpet.ui.chat.items.code import CodeItem
from neodeskpet.ui.chat.items.image import ImageItem
from neodeskpet.ui.chat.items.item import Does, Item, Part
from neodeskpet.ui.chat.items.table import TableItem
from neodeskpet.ui.chat.view.column import Place
from neodeskpet.ui.chat.view.entry import MessageEntry
from neodeskpet.ui.chat.view.surface import Surface

_COPIED_MS = 1500


class Press(QObject):
    """Carries out what a part does. The line for a reason is the only widget on the surface."""

    def __init__(self, view: Surface) -> None:
        super().__init__(view.viewport())
        self._view = view
        self.reason = QLineEdit(view.viewport())
        self.reason.setMaxLength(400)
        self.reason.hide()
        self.reason.returnPressed.connect(self._deny_asked)
        self._asked: tuple[str, CardButtons] | None = None
        self._copied = QTimer(self)
        self._copied.setSingleShot(True)
        self._copied.setInterval(_COPIED_MS)
        self._copied.timeout.connect(self._forget_copied)

    def press(self, place: Place, item: Item, part: Part) -> None:
        entry = self._view.column.entries[place.message]
        if entry is None:
            return
        match part.does:
            case Does.TOGGLE:
                self._toggle(entry, part.value, place, item)
            case Does.SHOW_ALL:
                self._show_all(entry, item, part, place)
            case Does.SHOW | Does.SCROLL:
                self._show(item)
            case Does.COPY:
                self._copy(entry, item)
            case Does.APPROVE | Does.DENY | Does.ASK_REASON | Does.FORGET_REASON:
                self._answer(entry, item, part, place)
            case Does.UNDO:
                self._view.undo_requested.emit(entry.id, int(item.key.split()[-1]))
            case Does.ACTION:
                self._view.action_requested.emit(entry.id, part.value)
            case Does.RETRY:
                self._view.retry_requested.emit(entry.id)

    def _show_all(self, entry: MessageEntry, item: Item, part: Part, place: Place) -> None:
        card = entry.card(int(item.key.split()[-1]))
        if card is not None:
            card.sections[part.value].shows_all ^= True
            entry.touch(card.call.index)
            self._rebuild(entry, place, card.head)

    # Opening and closing

    def _toggle(self, entry: MessageEntry, key: str, place: Place, item: Item) -> None:
        """Open or close something; its head stays where it is."""
        if entry.toggle(key):
            self._rebuild(entry, place, item)

    def _rebuild(self, entry: MessageEntry, place: Place, still: Item) -> None:
        """The person changed something in this message: show it, `still` not moving."""
        column, scroller = self._view.column, self._view.scroller
        now = column.place_of(still, entry.id) or place
        anchor = column.anchor_of(now, scroller.top)
        rows, total = len(entry.items), entry.rows.total
        self._view.selection.clear()
        column.refresh(place.message)
        scroller.hold(anchor, column.top(place.message))
        after = column.place_of(still, entry.id)
        if after is not None and column.anchor_of(after, scroller.top).offset == anchor.offset:
            self._glide(after, len(entry.items) - rows, entry.rows.total - total)

    def _glide(self, place: Place, rows: int, distance: int) -> None:
        """What is below `place` glides to where it is now. Not while text streams."""
        scene, room = self._view.scene, self._view.scroller.room
        if not scene.reduced and not self._view.ticker.streams(1.0):
            distance = max(-room, min(room, distance))
            self._view.slide.start(place, max(0, rows), distance, scene.look.theme.motion_ms)

    def _show(self, item: Item) -> None:
        """A picture large; of a wide table a page further, from its end the beginning."""
        if isinstance(item, ImageItem):
            self._view.picture_requested.emit(item.image)
        elif isinstance(item, TableItem):
            look = self._view.look
            if not item.scroll_by(item.width * 0.8, look):
                item.scroll_to(0, look)
            self._view.viewport().update()

    # Copying

    def _copy(self, entry: MessageEntry, item: Item) -> None:
        if isinstance(item, CodeItem):
            text, copied = item.block.text, item.copy_id
        elif isinstance(item, CardLinks):
            text, copied = item.text, item.key
        else:
            text, copied = entry.markdown, f"message {entry.id}"
        QGuiApplication.clipboard().setText(text)
        self._view.scene.copied = copied
        self._view.viewport().update()
        self._copied.start()

    def _forget_copied(self) -> None:
        self._view.scene.copied = ""
        self._view.viewport().update()

    # Approvals

    def _answer(self, entry: MessageEntry, item: Item, part: Part, place: Place) -> None:
        if not isinstance(item, CardButtons):
            return
        index = int(item.key.split()[-1])
        if part.does is Does.APPROVE:
            self._forget_reason(entry, item, place)
            self._view.approval_given.emit(entry.id, index, part.value, "")
        elif part.does is Does.ASK_REASON:
            item.denying = True
            item.outdate()
            entry.touch(index)
            self._asked = (entry.id, item)
            self._rebuild(entry, place, item)
            self.reason.clear()
            question = tr("Why not? (may stay empty)")
            self.reason.setPlaceholderText(question)
            self.reason.setAccessibleName(question)
            self.follow()
            self.reason.setFocus(Qt.FocusReason.OtherFocusReason)
        elif part.does is Does.DENY:
            self._deny(entry, item, place)
        else:
            self._forget_reason(entry, item, place)
            self._view.take_focus()

    def _deny(self, entry: MessageEntry, item: CardButtons, place: Place) -> None:
        reason = self.reason.text().strip() if self._asked is not None else ""
        self._forget_reason(entry, item, place)
        self._view.take_focus()
        self._view.approval_given.emit(entry.id, int(item.key.split()[-1]), "deny", reason)

    def _deny_asked(self) -> None:
        if self._asked is None:
            return
        message_id, item = self._asked
        entry = self._view.column.entry(message_id)
        place = self._view.column.place_of(item, message_id)
        if entry is not None and place is not None:
            self._deny(entry, item, place)

    def _forget_reason(self, entry: MessageEntry, item: CardButtons, place: Place) -> None:
        if item.denying:
            item.denying = False
            item.outdate()
            entry.touch(int(item.key.split()[-1]))
            self._rebuild(entry, place, item)
        self._asked = None
        self.reason.hide()

    def follow(self) -> None:
        """Put the line for the reason where its card is now; hide it when the card is gone."""
        if self._asked is None:
            return
        message_id, item = self._asked
        place = self._view.column.place_of(item, message_id)
        field = item.field(self._view.scene)
        if place is None or field is None:
            self._asked = None
            self.reason.hide()
            return
        box = self._view.scroller.box_of(place)
        self.reason.setGeometry(field.translated(box.topLeft()).toRect())
        self.reason.show()
