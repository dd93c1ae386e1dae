"""The message view: one scroll area over all items of a conversation, no widget per block.

The owner gives it heads (`open_conversation`), then the messages it asks for by `messages_wanted`
(`provide`), and a turn's events (`apply`). It tells what the person did by its signals and opens
nothing itself. Everything a delta costs is bounded: only the open piece is parsed, only what is
visible is laid out, only what changed is painted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
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
from neodeskpet.ui.chat.access import Access, install
from neodeskpet.ui.chat.canvas import Canvas
from neodeskpet.ui.chat.column import END, Place
from neodeskpet.ui.chat.context_menu import open_menu
from neodeskpet.ui.chat.entry import Entry
from neodeskpet.ui.chat.items import Item, Part
from neodeskpet.ui.chat.keys import Keys
from neodeskpet.ui.chat.loader import Loader
from neodeskpet.ui.chat.look import Look
from neodeskpet.ui.chat.person import Actions
from neodeskpet.ui.chat.pointer import Pointer
from neodeskpet.ui.chat.press import Press
from neodeskpet.ui.theme import Theme

_SPOKEN = 2_000


class ChatView(Canvas):
    """Signals: `messages_wanted(ids)`; `action_requested(message id, action)` from a notice's or a
    message's own button; `approval_given(message id, block index, "once" | "always" | "deny",
    reason)`; `retry_requested(message id)`; `link_activated(address)`, http, https or mailto, which
    the owner lets the person confirm; `picture_requested(Image)` to be shown large,
    `picture_copy_requested(Image)`, `quote_requested(Image)` to be replied to.
    """

    action_requested = Signal(str, str)
    approval_given = Signal(str, int, str, str)
    retry_requested = Signal(str)
    link_activated = Signal(str)
    picture_requested = Signal(object)
    picture_copy_requested = Signal(object)
    quote_requested = Signal(object)

    def __init__(
        self,
        theme: Theme,
        parent: QWidget | None = None,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        install()
        super().__init__(theme, parent, clock=clock)
        self._own_actions: dict[Role, Actions] | None = None
        self._copying: bool | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._loader = Loader(self)
        self.access = Access(self)
        self._press = Press(self)
        self._pointer = Pointer(self)
        self._keys = Keys(self)
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
        self._copying = None
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
        number = self.column.put(self._entry(message))
        self.rearrange(anchor, self.column.top(number))

    def remove_message(self, message_id: str) -> None:
        """Take a message out of the view. Unknown ids are passed over."""
        anchor = self.anchor()
        if self.column.remove(message_id):
            self.selection.clear()
            self.unfocus()
            self.rearrange(anchor, 0)

    def loaded(self, entries: Sequence[Entry]) -> None:
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

    def _entry(self, message: Message) -> Entry:
        return Entry(message, self.scene, self.actions_of(message.role))

    def actions_of(self, role: Role) -> Actions:
        """The small buttons of this side's messages."""
        if self._own_actions is not None:
            return self._own_actions[role]
        copy = ("copy", tr("Copy"))
        return (copy,) if role is Role.USER else (copy, ("retry", tr("Retry")))

    def message_text(self, message_id: str) -> str:
        """The message's text as Markdown; "" when it isn't there."""
        entry = self.column.entry(message_id)
        return entry.markdown if entry is not None else ""

    # A turn

    def apply(self, batch: Sequence[tuple[str, TurnEvent]]) -> None:
        """Show a turn's events, in order. What is visible is painted before this returns."""
        anchor = self.anchor()
        changed: dict[str, Entry] = {}
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

    def _entry_for(self, message_id: str, event: TurnEvent) -> Entry | None:
        """The message an event is about; made when its turn begins. None while it isn't loaded:
        what is loaded later holds the event's effect.
        """
        entry = self.column.entry(message_id)
        if entry is not None or self.column.number_of(message_id) is not None:
            return entry
        if not isinstance(event, TurnStarted):
            return None
        message = Message(message_id, Role.ASSISTANT, (), MessageState.RUNNING, self.scene.clock())
        entry = self._entry(message)
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
        self._own_actions = {Role.USER: person, Role.ASSISTANT: companion}

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

    # What the person does

    def press(self, place: Place, item: Item, part: Part) -> None:
        """A part was pressed."""
        self._press.press(place, item, part)

    def toggle(self, entry: Entry, key: str, place: Place, item: Item) -> None:
        """Open or close something; its head stays where it is."""
        if entry.toggle(key):
            self.rebuild(entry, place, item)

    def rebuild(self, entry: Entry, place: Place, still: Item) -> None:
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

    def arranged(self) -> None:
        self._press.follow()

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
        self.access.focus(place, part)

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
