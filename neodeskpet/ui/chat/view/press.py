"""What happens when a part of an item is pressed, by mouse, keyboard or a screen reader."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QObject, QPointF, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit

from neodeskpet.core.approval import ConsentAnswer
from neodeskpet.language import tr
from neodeskpet.ui.chat.consent.fields import fields_of
from neodeskpet.ui.chat.consent.form import ArgumentForm
from neodeskpet.ui.chat.items.card import CardButtons, CardLinks
from neodeskpet.ui.chat.items.code import CodeItem
from neodeskpet.ui.chat.items.image import ImageItem
from neodeskpet.ui.chat.items.item import Does, Item, Part
from neodeskpet.ui.chat.items.wide.sideways import WideItem
from neodeskpet.ui.chat.view.column import Place
from neodeskpet.ui.chat.view.entry import MessageEntry
from neodeskpet.ui.chat.view.surface import Surface

_COPIED_MS = 1500


class Press(QObject):
    """Carries out what a part does. The line for a reason and the form for the arguments are the
    only widgets on the surface.
    """

    def __init__(self, view: Surface) -> None:
        super().__init__(view.viewport())
        self._view = view
        self.reason = QLineEdit(view.viewport())
        self.reason.setMaxLength(400)
        self.reason.hide()
        self.reason.returnPressed.connect(self._deny_asked)
        self._asked: tuple[str, CardButtons] | None = None
        self.form: ArgumentForm | None = None
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
            case Does.COPY | Does.WRAP | Does.FOLD | Does.SAVE:
                self._treat(entry, item, part, place)
            case Does.EDIT | Does.APPROVE | Does.DENY | Does.ASK_REASON | Does.FORGET_REASON:
                self._answer(entry, item, part, place)
            case Does.UNDO | Does.LEAVE:
                self._change_call(entry, int(item.key.split()[-1]), part.does)
            case Does.ACTION:
                self._view.action_requested.emit(entry.id, part.value)
            case _:
                self._press_message(entry, item, part, place)

    def _change_call(self, entry: MessageEntry, index: int, does: Does) -> None:
        card = entry.card(index)
        if does is Does.UNDO:
            self._view.undo_requested.emit(entry.id, index)
        elif card is not None:
            self._view.leave_requested.emit(card.call)

    def _press_message(self, entry: MessageEntry, item: Item, part: Part, place: Place) -> None:
        """What is done to a message as a whole."""
        match part.does:
            case Does.RETRY:
                self._view.retry_requested.emit(entry.id)
            case Does.VERSION:
                self._view.version_requested.emit(entry.id, int(part.value))
            case Does.REWRITE:
                self._view.rewrite(entry.id)
            case Does.MENU:
                corner = (
                    QPointF(self._view.scroller.box_of(place).topLeft()) + part.rect.bottomLeft()
                )
                where = self._view.viewport().mapToGlobal(corner.toPoint())
                self._view.show_message_menu(entry, where)
            case _:
                pass

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

    def _treat(self, entry: MessageEntry, item: Item, part: Part, place: Place) -> None:
        """Copy something; or another word in the head of code."""
        if part.does is Does.COPY:
            self._copy(entry, item)
            return
        if not isinstance(item, CodeItem):
            return
        block = item.block
        if part.does is Does.SAVE:
            self._view.save_requested.emit(block.text, block.language)
            return
        if part.does is Does.WRAP:
            block.wraps = not block.wraps
        else:
            block.fold(not block.folded)
        for chunk in block.chunks:
            self._view.scene.documents.drop(chunk)
        self._rebuild(entry, place, item, tuple(block.chunks))

    def _rebuild(
        self, entry: MessageEntry, place: Place, still: Item, resized: tuple[Item, ...] = ()
    ) -> None:
        """The person changed something in this message: show it, `still` not moving. `resized` are
        other items than before only in their heights.
        """
        column, scroller = self._view.column, self._view.scroller
        now = column.place_of(still, entry.id) or place
        anchor = column.anchor_of(now, scroller.top)
        rows, total = len(entry.items), entry.rows.total
        self._view.selection.clear()
        column.resize(place.message, resized)
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
        elif isinstance(item, WideItem):
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
        if self._asked is not None and self._asked[1] is not item:
            self._leave()  # one card at a time
        if part.does is Does.EDIT:
            self._edit(entry, item, place)
        elif part.does is Does.APPROVE:
            self._forget_reason(entry, item, place)
            self._view.approval_given.emit(entry.id, index, part.answer, "")
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

    def _edit(self, entry: MessageEntry, item: CardButtons, place: Place) -> None:
        """Open the form in the place of the buttons."""
        index = int(item.key.split()[-1])
        card = entry.card(index)
        if card is None:
            return
        call = card.call
        fields = fields_of(self._view.scene.consent.schema(call), call.arguments or {})
        form = ArgumentForm(fields, self._view.look.theme, self._view.viewport())
        form.confirmed.connect(partial(self._confirm, entry.id, index))
        form.left.connect(self._leave_form)
        self.form = form
        item.form = form.fit(item.form_width(self._view.scene))
        item.outdate()
        entry.touch(index)
        self._asked = (entry.id, item)
        self._rebuild(entry, place, item)
        self.follow()
        if self._view.scene.is_newest(entry.id):
            self._view.scroller.scroll_to_end()
        self._view.scroller.reveal(self._view.column.place_of(item, entry.id) or place)
        form.take_focus()

    def _confirm(self, message_id: str, index: int, arguments: object) -> None:
        if self.form is None or not isinstance(arguments, Mapping):
            return
        fault = self._view.scene.consent.fault(message_id, index, arguments)
        if fault:
            self.form.show_fault(fault)
            return
        self._leave_form()
        self._view.edit_given.emit(message_id, index, arguments)

    def _leave_form(self) -> None:
        self._leave()
        self._view.take_focus()

    def _leave(self) -> None:
        """Back to the buttons, where a reason or the arguments were being written."""
        if found := self._find_asked():
            self._forget_reason(*found)

    def _find_asked(self) -> tuple[MessageEntry, CardButtons, Place] | None:
        """Where a reason or arguments are being written, if that is still there."""
        if self._asked is None:
            return None
        message_id, item = self._asked
        entry = self._view.column.entry(message_id)
        place = self._view.column.place_of(item, message_id)
        return (entry, item, place) if entry is not None and place is not None else None

    def _close_form(self) -> None:
        if self.form is not None:
            self.form.hide()
            self.form.deleteLater()
            self.form = None

    def _deny(self, entry: MessageEntry, item: CardButtons, place: Place) -> None:
        reason = self.reason.text().strip() if self._asked is not None else ""
        self._forget_reason(entry, item, place)
        self._view.take_focus()
        index = int(item.key.split()[-1])
        self._view.approval_given.emit(entry.id, index, ConsentAnswer.DENY, reason)

    def _deny_asked(self) -> None:
        if found := self._find_asked():
            self._deny(*found)

    def _forget_reason(self, entry: MessageEntry, item: CardButtons, place: Place) -> None:
        if item.denying or item.form:
            item.denying = False
            item.form = 0
            item.outdate()
            entry.touch(int(item.key.split()[-1]))
            self._rebuild(entry, place, item)
        self._asked = None
        self.reason.hide()
        self._close_form()

    def follow(self) -> None:
        """Put the line for the reason, or the form, where its card is now; hide it when the card
        is gone.
        """
        if self._asked is None:
            return
        message_id, item = self._asked
        place = self._view.column.place_of(item, message_id)
        field = item.field(self._view.scene)
        if place is None or field is None:
            self._asked = None
            self.reason.hide()
            self._close_form()
            return
        box = self._view.scroller.box_of(place)
        spot = field.translated(box.topLeft()).toRect()
        if self.form is not None and item.form:
            self.form.setFixedWidth(spot.width())
            self.form.setGeometry(spot)
            self.form.show()
        else:
            self._close_form()
            self.reason.setGeometry(spot)
            self.reason.show()
