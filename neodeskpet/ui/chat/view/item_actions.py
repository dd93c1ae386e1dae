"""Actions of the parts of items, pressed by mouse, keyboard or a screen reader."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QObject, QPointF, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from neodeskpet.core.approval import ConsentAnswer
from neodeskpet.language import tr
from neodeskpet.ui.chat.argument_form import ArgumentForm, argument_fields
from neodeskpet.ui.chat.items.code_items import CodeItem
from neodeskpet.ui.chat.items.image_item import ImageItem
from neodeskpet.ui.chat.items.item import HitRegion, Item, ItemAction
from neodeskpet.ui.chat.items.tool_card_items import ApprovalButtons, CardLinks
from neodeskpet.ui.chat.items.wide_items import WideItem
from neodeskpet.ui.chat.view.context_menu import open_choice_menu
from neodeskpet.ui.chat.view.message_column import RowPosition
from neodeskpet.ui.chat.view.message_entry import MessageEntry
from neodeskpet.ui.chat.view.view_interface import ChatViewInterface

_COPIED_MS = 1500


class ItemActions(QObject):
    """Performs the action of a part. The field for a reason and the form for arguments are the only
    widgets in the view.
    """

    def __init__(self, view: ChatViewInterface) -> None:
        super().__init__(view.viewport())
        self._view = view
        self._reason_form = QWidget(view.viewport())
        self.reason_field = QLineEdit()
        self.reason_field.setMaxLength(400)
        policy = QSizePolicy.Policy.Expanding
        self.reason_field.setSizePolicy(policy, policy)
        box = QVBoxLayout(self._reason_form)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self.reason_field)
        self._reason_form.hide()
        self.reason_field.returnPressed.connect(self._deny_asked)
        self._asked: tuple[str, ApprovalButtons] | None = None
        self.form: ArgumentForm | None = None
        self._copied = QTimer(self)
        self._copied.setSingleShot(True)
        self._copied.setInterval(_COPIED_MS)
        self._copied.timeout.connect(self._forget_copied)

    def perform(self, place: RowPosition, item: Item, part: HitRegion) -> None:
        entry = self._view.column.entries[place.message]
        if entry is None:
            return
        match part.action:
            case ItemAction.TOGGLE:
                self._toggle(entry, part.value, place, item)
            case ItemAction.SHOW_ALL:
                self._show_all(entry, item, part, place)
            case ItemAction.SHOW | ItemAction.SCROLL:
                self._show(item)
            case ItemAction.COPY | ItemAction.WRAP | ItemAction.FOLD | ItemAction.SAVE:
                self._treat(entry, item, part, place)
            case ItemAction.CHOICES:
                self._open_choices(entry.id, item, part, place)
            case (
                ItemAction.EDIT
                | ItemAction.APPROVE
                | ItemAction.DENY
                | ItemAction.ASK_REASON
                | ItemAction.CANCEL_REASON
            ):
                self._answer(entry, item, part, place)
            case ItemAction.UNDO | ItemAction.DETACH | ItemAction.STOP | ItemAction.RUN_AGAIN:
                self._change_call(entry, int(item.key.split()[-1]), part.action)
            case ItemAction.ACTION:
                self._view.action_requested.emit(entry.id, part.value)
            case _:
                self._press_message(entry, item, part, place)

    def _open_choices(
        self, message_id: str, item: Item, part: HitRegion, place: RowPosition
    ) -> None:
        """Open the menu of a part, at its lower left corner."""
        corner = QPointF(self._view.scroller.row_rect(place).topLeft()) + part.rect.bottomLeft()
        open_choice_menu(
            self._view.viewport(),
            [(one.name, partial(self._choose, message_id, item, one)) for one in part.choices],
            self._view.viewport().mapToGlobal(corner.toPoint()),
        )

    def _choose(self, message_id: str, item: Item, choice: HitRegion) -> None:
        """Perform a menu entry, unless its item has disappeared while the menu was open."""
        place = self._view.column.position_of(item, message_id)
        if place is not None:
            self.perform(place, item, choice)

    def _change_call(self, entry: MessageEntry, index: int, does: ItemAction) -> None:
        card = entry.card(index)
        if does is ItemAction.UNDO:
            self._view.undo_requested.emit(entry.id, index)
        elif card is not None and does is ItemAction.RUN_AGAIN:
            self._view.run_again_requested.emit(entry.id, card.call)
        elif card is not None and does is ItemAction.STOP:
            self._view.stop_requested.emit(card.call)
        elif card is not None:
            self._view.detach_requested.emit(card.call)

    def _press_message(
        self, entry: MessageEntry, item: Item, part: HitRegion, place: RowPosition
    ) -> None:
        """Perform an action on a whole message, or open a link in it."""
        match part.action:
            case ItemAction.RETRY:
                self._view.retry_requested.emit(entry.id)
            case ItemAction.VERSION:
                self._view.version_requested.emit(entry.id, int(part.value))
            case ItemAction.EDIT_MESSAGE:
                self._view.edit_message(entry.id)
            case ItemAction.LINK:
                self._view.link_activated.emit(part.value)
            case ItemAction.MENU:
                corner = (
                    QPointF(self._view.scroller.row_rect(place).topLeft()) + part.rect.bottomLeft()
                )
                where = self._view.viewport().mapToGlobal(corner.toPoint())
                self._view.show_message_menu(entry, where)
            case _:
                pass

    def _show_all(
        self, entry: MessageEntry, item: Item, part: HitRegion, place: RowPosition
    ) -> None:
        card = entry.card(int(item.key.split()[-1]))
        if card is not None:
            card.sections[part.value].shows_all ^= True
            entry.mark_changed(card.call.index)
            self._rebuild(entry, place, card.head)

    # Opening and closing

    def _toggle(self, entry: MessageEntry, key: str, place: RowPosition, item: Item) -> None:
        """Open or close a part; its header stays in place."""
        if entry.toggle(key):
            self._rebuild(entry, place, item)

    def _treat(self, entry: MessageEntry, item: Item, part: HitRegion, place: RowPosition) -> None:
        """Copy a text, or perform a button in the header of code."""
        if part.action is ItemAction.COPY:
            self._copy(entry, item)
            return
        if not isinstance(item, CodeItem):
            return
        block = item.block
        if part.action is ItemAction.SAVE:
            self._view.save_requested.emit(block.text, block.language)
            return
        if part.action is ItemAction.WRAP:
            block.wraps = not block.wraps
        else:
            block.fold(not block.folded)
        for chunk in block.chunks:
            self._view.scene.documents.drop(chunk)
        self._rebuild(entry, place, item, tuple(block.chunks))

    def _rebuild(
        self, entry: MessageEntry, place: RowPosition, still: Item, resized: tuple[Item, ...] = ()
    ) -> None:
        """Show a change by the user in this message with `still` in place. Only the heights of
        `resized` have changed.
        """
        column, scroller = self._view.column, self._view.scroller
        now = column.position_of(still, entry.id) or place
        anchor = column.anchor_of(now, scroller.top)
        rows, total = len(entry.items), entry.rows.total
        self._view.selection.clear()
        column.update_heights(place.message, resized)
        column.refresh(place.message)
        scroller.rearrange_keeping(anchor, column.message_top(place.message))
        after = column.position_of(still, entry.id)
        if after is not None and column.anchor_of(after, scroller.top).offset == anchor.offset:
            self._glide(after, len(entry.items) - rows, entry.rows.total - total)

    def _glide(self, place: RowPosition, rows: int, distance: int) -> None:
        """Slide what is below `place` to its new position, unless text is streaming."""
        scene, room = self._view.scene, self._view.scroller.viewport_height
        if not scene.reduced and not self._view.animation_timer.is_streaming(1.0):
            distance = max(-room, min(room, distance))
            self._view.slide.start(place, max(0, rows), distance, scene.style.theme.motion_ms)

    def _show(self, item: Item) -> None:
        """Show a picture large; scroll a wide table by a page, and from its end to its
        beginning.
        """
        if isinstance(item, ImageItem):
            self._view.picture_requested.emit(item.image)
        elif isinstance(item, WideItem):
            look = self._view.item_style
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

    def _answer(self, entry: MessageEntry, item: Item, part: HitRegion, place: RowPosition) -> None:
        if not isinstance(item, ApprovalButtons):
            return
        index = int(item.key.split()[-1])
        if self._asked is not None and self._asked[1] is not item:
            self._leave()  # one card at a time
        if part.action is ItemAction.EDIT:
            self._edit(entry, item, place)
        elif part.action is ItemAction.APPROVE:
            self._forget_reason(entry, item, place)
            self._view.approval_given.emit(entry.id, index, part.answer, "")
        elif part.action is ItemAction.ASK_REASON:
            item.denying = True
            item.invalidate()
            entry.mark_changed(index)
            self._asked = (entry.id, item)
            self._rebuild(entry, place, item)
            self.reason_field.clear()
            question = tr("Reason (optional)")
            self.reason_field.setPlaceholderText(question)
            self.reason_field.setAccessibleName(question)
            self._reason_form.setAccessibleName(part.name)
            self._view.attach_form(self._reason_form, entry.id)
            self.update_positions()
            self.reason_field.setFocus(Qt.FocusReason.OtherFocusReason)
        elif part.action is ItemAction.DENY:
            self._deny(entry, item, place)
        else:
            self._leave_form()

    def _edit(self, entry: MessageEntry, item: ApprovalButtons, place: RowPosition) -> None:
        """Open the form in place of the buttons."""
        index = int(item.key.split()[-1])
        card = entry.card(index)
        if card is None:
            return
        call = card.call
        fields = argument_fields(self._view.scene.approval.schema(call), call.arguments or {})
        form = ArgumentForm(fields, self._view.item_style.theme, self._view.viewport())
        form.confirmed.connect(partial(self._confirm, entry.id, index))
        form.cancelled.connect(self._leave_form)
        form.setAccessibleName(tr("Edit before it runs…"))
        self._view.attach_form(form, entry.id)
        self.form = form
        item.form = form.fit_width(item.form_width(self._view.scene))
        item.invalidate()
        entry.mark_changed(index)
        self._asked = (entry.id, item)
        self._rebuild(entry, place, item)
        self.update_positions()
        if self._view.scene.is_newest(entry.id):
            self._view.scroller.scroll_to_end()
        self._view.scroller.reveal(self._view.column.position_of(item, entry.id) or place)
        form.take_focus()

    def _confirm(self, message_id: str, index: int, arguments: object) -> None:
        if self.form is None or not isinstance(arguments, Mapping):
            return
        fault = self._view.scene.approval.argument_error(message_id, index, arguments)
        if fault:
            self.form.show_error(fault)
            return
        self._leave_form()
        self._view.arguments_edited.emit(message_id, index, arguments)

    def _leave_form(self) -> None:
        """Close the form; the focus goes to the menu that opened it."""
        found = self._find_asked()
        self._leave()
        if found is None:
            self._view.take_focus()
        else:
            self._view.focus_part(found[0].id, "more", found[1].key)

    def leave_question(self) -> bool:
        """Return from the reason or the arguments to the answers; return False if neither is
        open.
        """
        if self._asked is None:
            return False
        self._leave_form()
        return True

    def _leave(self) -> None:
        """Return from the reason or the arguments to the buttons."""
        if found := self._find_asked():
            self._forget_reason(*found)

    def _find_asked(self) -> tuple[MessageEntry, ApprovalButtons, RowPosition] | None:
        """Return the buttons with the open reason or form, if they still exist."""
        if self._asked is None:
            return None
        message_id, item = self._asked
        entry = self._view.column.entry(message_id)
        place = self._view.column.position_of(item, message_id)
        return (entry, item, place) if entry is not None and place is not None else None

    def _close_form(self) -> None:
        if self.form is not None:
            self._view.detach_form(self.form)
            self.form.hide()
            self.form.deleteLater()
            self.form = None

    def _hide_reason(self) -> None:
        self._view.detach_form(self._reason_form)
        self._reason_form.hide()

    def _deny(self, entry: MessageEntry, item: ApprovalButtons, place: RowPosition) -> None:
        reason = self.reason_field.text().strip() if self._asked is not None else ""
        self._forget_reason(entry, item, place)
        self._view.take_focus()
        index = int(item.key.split()[-1])
        self._view.approval_given.emit(entry.id, index, ConsentAnswer.DENY, reason)

    def _deny_asked(self) -> None:
        if found := self._find_asked():
            self._deny(*found)

    def _forget_reason(
        self, entry: MessageEntry, item: ApprovalButtons, place: RowPosition
    ) -> None:
        if item.denying or item.form:
            item.denying = False
            item.form = 0
            item.invalidate()
            entry.mark_changed(int(item.key.split()[-1]))
            self._rebuild(entry, place, item)
        self._asked = None
        self._hide_reason()
        self._close_form()

    def update_positions(self) -> None:
        """Move the field for the reason or the form to its card; hide it if the card is gone."""
        if self._asked is None:
            return
        message_id, item = self._asked
        place = self._view.column.position_of(item, message_id)
        field = item.form_rect(self._view.scene)
        if place is None or field is None:
            self._asked = None
            self._hide_reason()
            self._close_form()
            return
        box = self._view.scroller.row_rect(place)
        spot = field.translated(box.topLeft()).toRect()
        if self.form is not None and item.form:
            self.form.setFixedWidth(spot.width())
            self.form.setGeometry(spot)
            self.form.show()
        else:
            self._close_form()
            self._reason_form.setGeometry(spot)
            self._reason_form.show()
