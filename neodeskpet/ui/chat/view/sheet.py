"""What can be done with the messages on the canvas: the ground on which pointer, keys and screen
readers act. It knows none of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from neodeskpet.core.blocks import Message, Role
from neodeskpet.language import tr
from neodeskpet.ui.chat.items.item import Item, Part
from neodeskpet.ui.chat.items.person import Actions
from neodeskpet.ui.chat.view.canvas import Canvas
from neodeskpet.ui.chat.view.column import Place
from neodeskpet.ui.chat.view.entry import MessageEntry
from neodeskpet.ui.theme import Theme


class Sheet(Canvas):
    """Signals: `messages_wanted(ids)`; `action_requested(message id, action)` from a notice's or a
    message's own button; `approval_given(message id, block index, "once" | "always" | "deny",
    reason)`; `retry_requested(message id)`; `link_activated(address)`, http, https or mailto, which
    the owner lets the person confirm; `picture_requested(Image)` to be shown large,
    `picture_copy_requested(Image)`, `quote_requested(Image)` to be replied to.

    Within the view: `pressed(place, item, part)`, and `focused(place, part)` by the keyboard.
    """

    action_requested = Signal(str, str)
    approval_given = Signal(str, int, str, str)
    retry_requested = Signal(str)
    link_activated = Signal(str)
    picture_requested = Signal(object)
    picture_copy_requested = Signal(object)
    quote_requested = Signal(object)
    pressed = Signal(object, object, object)
    focused = Signal(object, object)

    def __init__(
        self,
        theme: Theme,
        parent: QWidget | None = None,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(theme, parent, clock=clock)
        self.own_actions: dict[Role, Actions] | None = None
        self._copying: bool | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    # Messages

    def loaded(self, entries: Sequence[MessageEntry]) -> None:
        """The loader made these."""
        anchor = self.anchor()
        first: int | None = None
        for entry in entries:
            number = self.column.number_of(entry.id)
            if number is None or self.column.entries[number] is not None:
                continue
            self.column.put(entry)
            top = self.column.top(number)
            first = top if first is None else min(first, top)
        self.rearrange(anchor, first)
        if self._copying is not None and not self.selection.missing():
            markdown, self._copying = self._copying, None
            self.copy(markdown=markdown)

    def entry_of(self, message: Message) -> MessageEntry:
        return MessageEntry(message, self.scene, self.actions_of(message.role))

    def actions_of(self, role: Role) -> Actions:
        """The small buttons of this side's messages."""
        if self.own_actions is not None:
            return self.own_actions[role]
        copy = ("copy", tr("Copy"))
        return (copy,) if role is Role.USER else (copy, ("retry", tr("Retry")))

    # Pressing and opening

    def press(self, place: Place, item: Item, part: Part) -> None:
        """A part was pressed."""
        self.pressed.emit(place, item, part)

    def toggle(self, entry: MessageEntry, key: str, place: Place, item: Item) -> None:
        """Open or close something; its head stays where it is."""
        if entry.toggle(key):
            self.rebuild(entry, place, item)

    def rebuild(self, entry: MessageEntry, place: Place, still: Item) -> None:
        """The person changed something in this message: show it, `still` not moving."""
        now = self.column.place_of(still, entry.id) or place
        anchor = self.column.anchor_of(now, self.top)
        rows, total = len(entry.items), entry.rows.total
        self.selection.clear()
        self.column.refresh(place.message)
        self.follows = False
        self.rearrange(anchor, self.column.top(place.message))
        self.follows = self.top >= self.verticalScrollBar().maximum()
        self._match_scrollbar(self.top)
        after = self.column.place_of(still, entry.id)
        if after is not None and self.column.anchor_of(after, self.top).offset == anchor.offset:
            self._glide(after, len(entry.items) - rows, entry.rows.total - total)

    def _glide(self, place: Place, rows: int, distance: int) -> None:
        """What is below `place` glides to where it is now. Not while text streams."""
        streams = self.scene.clock() - self._streamed < 1.0
        if not self.scene.reduced and not streams:
            distance = max(-self.room, min(self.room, distance))
            self.slide.start(place, max(0, rows), distance, self.look.theme.motion_ms)

    # The keyboard, and what is selected

    def measure(self, place: Place) -> None:
        """Lay out a row that isn't in sight."""
        entry = self.column.entries[place.message]
        if entry is not None:
            entry.measure(place.row, self.column.width)

    def unfocus(self) -> None:
        """The keyboard points at nothing."""
        message, self.scene.focused_message = self.scene.focused_message, ""
        if self.scene.focus is not None or message:
            self.scene.focus = None
            self.viewport().update()

    def focus_moved(self, place: Place, part: Part | None) -> None:
        """The keyboard points at something else now."""
        self.focused.emit(place, part)

    def update_actions(self, message_id: str) -> None:
        """Paint a message's small buttons again: they are in its last row."""
        number = self.column.number_of(message_id)
        entry = self.column.entries[number] if number is not None else None
        if number is not None and entry is not None and entry.items:
            self.update_place(Place(number, len(entry.items) - 1))

    def select_all(self) -> None:
        self.selection.select_all()
        self.viewport().update()

    def selected_text(self) -> str:
        """The selection as plain text."""
        return self.selection.text(markdown=False)

    def selected_markdown(self) -> str:
        """The selection as Markdown: whole pieces as they were written, parts as plain text."""
        return self.selection.text(markdown=True)

    def copy(self, *, markdown: bool) -> None:
        """Put the selection on the clipboard; what isn't loaded is asked for first."""
        missing = self.selection.missing()
        if missing:
            self._copying = markdown
            self.messages_wanted.emit(missing)
            return
        text = self.selected_markdown() if markdown else self.selected_text()
        if text:
            QGuiApplication.clipboard().setText(text)

    def stop_copying(self) -> None:
        """What was waited for isn't wanted any more."""
        self._copying = None
