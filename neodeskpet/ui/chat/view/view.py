"""The message view: one scroll area over all items of a conversation, no widget per block.

The owner gives it heads (`open_conversation`), then the messages it asks for by `messages_wanted`
(`provide`), and a turn's events (`apply`). It tells what the person did by its signals and opens
nothing itself. Everything a delta costs is bounded: only the open piece is parsed, only what is
visible is laid out, only what changed is painted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPixmap,
    QWheelEvent,
)
from PySide6.QtWidgets import QLineEdit, QWidget

from neodeskpet.core.blocks import Message, MessageState, Role, ToolStatus, ToolUse
from neodeskpet.core.records import MessageHead
from neodeskpet.core.turn_events import (
    BlockChanged,
    TextAppended,
    TurnEnded,
    TurnEvent,
    TurnStarted,
)
from neodeskpet.language import tr
from neodeskpet.ui.chat.items.look import Look
from neodeskpet.ui.chat.items.person import Actions
from neodeskpet.ui.chat.view.access import Access, install
from neodeskpet.ui.chat.view.column import END, Place
from neodeskpet.ui.chat.view.context_menu import open_menu
from neodeskpet.ui.chat.view.entry import MessageEntry
from neodeskpet.ui.chat.view.keyboard import Keys
from neodeskpet.ui.chat.view.loader import Loader
from neodeskpet.ui.chat.view.pointer import Pointer
from neodeskpet.ui.chat.view.press import Press
from neodeskpet.ui.chat.view.sheet import Sheet
from neodeskpet.ui.theme import Theme

_SPOKEN = 2_000


class ChatView(Sheet):
    """What the owner and Qt say to the view; the signals are the `Sheet`'s."""

    def __init__(
        self,
        theme: Theme,
        parent: QWidget | None = None,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        install()
        super().__init__(theme, parent, clock=clock)
        self._loader = Loader(self)
        self.access = Access(self)
        self._press = Press(self)
        self._pointer = Pointer(self)
        self._keys = Keys(self)
        self.pressed.connect(self._press.press)
        self.focused.connect(self.access.focus)
        self.access.take_over()

    # The conversation

    def open_conversation(self, heads: Sequence[MessageHead]) -> None:
        """Show another conversation, its end first. What is in sight is asked for."""
        self._forget()
        self.column.open(heads)
        self.follows = True
        self.rearrange(END, 0)
        self.viewport().update()

    def _forget(self) -> None:
        self.selection.clear()
        self._loader.forget()
        self._wanted.clear()
        self.stop_copying()
        self.scene.hover = self.scene.focus = None
        self.scene.hovered_message = self.scene.focused_message = ""
        self.scene.documents.clear(self.look)

    def provide(self, messages: Sequence[Message]) -> None:
        """Messages that were asked for. Ids that have no place here any more are passed over.

        The newest come first; what takes longer than a few ms goes on with the next events.
        """
        self._loader.load(messages)

    def add_message(self, message: Message) -> None:
        """A new message at the end (or the new form of one that is there). The person's own is
        scrolled to.
        """
        if message.role is Role.USER:
            self.follows = True
        anchor = self.anchor()
        number = self.column.put(self.entry_of(message))
        self.rearrange(anchor, self.column.top(number))

    def remove_message(self, message_id: str) -> None:
        """Take a message out of the view. Unknown ids are passed over."""
        anchor = self.anchor()
        if self.column.remove(message_id):
            self.selection.clear()
            self.unfocus()
            self.rearrange(anchor, 0)

    def message_text(self, message_id: str) -> str:
        """The message's text as Markdown; "" when it isn't there."""
        entry = self.column.entry(message_id)
        return entry.markdown if entry is not None else ""

    # A turn

    def apply(self, batch: Sequence[tuple[str, TurnEvent]]) -> None:
        """Show a turn's events, in order. What is visible is painted before this returns."""
        anchor = self.anchor()
        changed: dict[str, MessageEntry] = {}
        for message_id, event in batch:
            entry = self._entry_for(message_id, event)
            if entry is not None:
                entry.apply(event)
                changed[message_id] = entry
            self._note(message_id, event)
        first: int | None = None
        for message_id in changed:
            number = self.column.number_of(message_id)
            top = self.column.refresh(number) if number is not None else None
            if top is not None:
                first = top if first is None else min(first, top)
        if changed:
            self.slide.stop()
            self.rearrange(anchor, first, at_once=True)

    def _note(self, message_id: str, event: TurnEvent) -> None:
        """What besides the picture follows from an event."""
        match event:
            case TextAppended():
                self._streamed = self.scene.clock()
            case BlockChanged(block=ToolUse(status=ToolStatus.ASKING, name=name)):
                self.access.announce(tr("The companion asks for permission: {name}", name=name))
            case TurnEnded():
                self.access.announce(self.message_text(message_id)[:_SPOKEN])
            case _:
                pass

    def _entry_for(self, message_id: str, event: TurnEvent) -> MessageEntry | None:
        """The message an event is about; made when its turn begins. None while it isn't loaded:
        what is loaded later holds the event's effect.
        """
        entry = self.column.entry(message_id)
        if entry is not None or self.column.number_of(message_id) is not None:
            return entry
        if not isinstance(event, TurnStarted):
            return None
        message = Message(message_id, Role.ASSISTANT, (), MessageState.RUNNING, self.scene.clock())
        entry = self.entry_of(message)
        self.column.put(entry)
        return entry

    # How it looks

    def set_theme(self, theme: Theme) -> None:
        before = self.look.theme
        anchor = self.anchor()
        look = Look(theme)
        self.scene.look = self.column.look = look
        self.scene.documents.clear(look)
        if before.font_px != theme.font_px:
            for entry in self.column.entries:
                for item in entry.items if entry is not None else ():
                    item.outdate()
            self._fit()
        self.rearrange(anchor, 0)
        self.viewport().update()

    def set_portrait(self, picture: QPixmap, resting: QPixmap | None = None) -> None:
        """The companion's face, beside the newest message. Older ones keep `resting` (the first
        face that was set, by default).
        """
        if self.portraits.set(picture, resting):
            self.viewport().update()
        else:
            self._update_newest_portrait()

    def _update_newest_portrait(self) -> None:
        """The face changes several times in a second; the text beside it doesn't."""
        if not self.column.heads:
            self.viewport().update()
            return
        size = self.frame.portrait
        top = self.column.row_top(Place(len(self.column.heads) - 1, 0)) - self.top
        left = self.frame.left - self.frame.gutter
        self.viewport().update(left, top - 6, size + 2, size + 4)

    def set_reduced_motion(self, reduced: bool) -> None:
        self.scene.reduced = reduced
        self._ticker.stop()
        self.viewport().update()

    def set_main_arguments(self, named: Mapping[str, str]) -> None:
        """Which argument a closed card shows, by the tool's name (`ToolSpec.main_argument`)."""
        self.scene.main_argument = lambda name: named.get(name, "")
        self.viewport().update()

    def set_message_actions(self, person: Actions, companion: Actions) -> None:
        """The small buttons of messages added from now on: (action, name). "copy" is done here,
        "retry" leaves as `retry_requested`, any other as `action_requested`.
        """
        self.own_actions = {Role.USER: person, Role.ASSISTANT: companion}

    def retranslate(self) -> None:
        """The language changed: say everything in the new one."""
        anchor = self.anchor()
        self.scene.documents.clear(self.look)
        for number, entry in enumerate(self.column.entries):
            if entry is not None:
                entry.reword(self.actions_of(entry.role))
                self.column.refresh(number)
        self._place_button()
        self.rearrange(anchor, 0)
        self.viewport().update()

    def arranged(self) -> None:
        self._press.follow()

    # Events

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pointer.press(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._pointer.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointer.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._pointer.release(event)

    @property
    def reason_field(self) -> QLineEdit:
        """The line in which the person may say why not. Hidden unless asked for."""
        return self._press.reason

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not self._pointer.wheel_sideways(event):
            super().wheelEvent(event)
        self._pointer.hover(event.position())

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave:
            self._pointer.leave()
        return super().viewportEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._keys.take(event):
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        reasons = {Qt.FocusReason.TabFocusReason: False, Qt.FocusReason.BacktabFocusReason: True}
        if event.reason() in reasons and self._keys.here is None:
            self._keys.enter(last=reasons[event.reason()])
        super().focusInEvent(event)

    def focusNextPrevChild(self, forwards: bool) -> bool:
        if not self.reason_field.hasFocus() and self._keys.move(1 if forwards else -1):
            return True
        self.unfocus()
        return super().focusNextPrevChild(forwards)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        point = QPointF(event.pos())
        open_menu(self, point, self._pointer.link_at(point), event.globalPos())
