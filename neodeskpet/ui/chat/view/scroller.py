"""The visible part of the column: scroll bar, visible rows, and the anchor that keeps its place
while content changes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QAbstractScrollArea, QAbstractSlider, QPushButton, QScrollBar, QWidget

from neodeskpet.language import tr
from neodeskpet.platform.observers import Observers
from neodeskpet.ui.chat.items.item import Item, Scene
from neodeskpet.ui.chat.view.decorations import ColumnFrame
from neodeskpet.ui.chat.view.message_column import END_ANCHOR, Anchor, MessageColumn, RowPosition
from neodeskpet.ui.theme import MIN_HANDLE_LENGTH


class ConversationScrollBar(QScrollBar):
    """A scroll bar that paints its own background, and only when its handle changes. With a
    transparent one, all five widgets below it would be repainted for each new line.
    """

    def __init__(self, scene: Scene, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._scene = scene
        self._painted = (0, 0)  # last painted handle
        self._matching = False

    def set_values(self, most: int, page: int, step: int, value: int) -> None:
        """Set a range from 0 to `most`. Signals are only emitted if the bar appears or
        disappears.
        """
        was_blocked = self.blockSignals(most > 0 and self.maximum() > 0)
        self._matching = True
        self.setRange(0, most)
        self.setPageStep(page)
        self.setSingleStep(step)
        self.setValue(value)
        self._matching = False
        self.blockSignals(was_blocked)
        if self._handle() != self._painted:
            self.update()

    def sliderChange(self, change: QAbstractSlider.SliderChange) -> None:
        if not self._matching:
            super().sliderChange(change)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._be_opaque()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._be_opaque()

    def _be_opaque(self) -> None:
        """Set the attribute that style sheets clear."""
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._painted = self._handle()
        with QPainter(self) as painter:
            painter.fillRect(event.rect(), self._scene.style.color("window"))
        super().paintEvent(event)

    def _handle(self) -> tuple[int, int]:
        """Return the handle's length and start in pixels, approximating the style sheet."""
        room, most = self.height(), self.maximum()
        long = max(MIN_HANDLE_LENGTH, room * self.pageStep() // max(1, most + self.pageStep()))
        return long, (room - long) * self.value() // max(1, most)


SCROLLBAR = 10


class Scroller(QObject):
    """Emits `messages_requested(ids)` for messages near the viewport that aren't loaded."""

    messages_requested = Signal(list)

    def __init__(self, area: QAbstractScrollArea, column: MessageColumn, scene: Scene) -> None:
        """Install the scroll bar in `area`."""
        super().__init__(area)
        self.arranged: Observers[[]] = Observers()
        """Notified after each layout, also for each delta."""
        self._area = area
        self._viewport = area.viewport()  # used a dozen times per paint
        self._bar = ConversationScrollBar(scene, area)
        area.setVerticalScrollBar(self._bar)
        self._column = column
        self._scene = scene
        self.frame = ColumnFrame.for_room(480, scene.style)
        self.follows_end = True
        """Whether the end stays visible when content is added."""
        self.top = 0
        """The y of the conversation at the top of the viewport."""
        self._adjusting = False
        self._matched = (0, 0, 0, 0)  # last values of the scroll bar
        self._asked: set[str] = set()
        self._unsettled = END_ANCHOR  # the anchor while the remaining rows are laid out
        self._rest = QTimer(self, singleShot=True, interval=0)
        self._rest.timeout.connect(self._lay_out_rest)
        self.newest_button = QPushButton(area)
        self.newest_button.setProperty("pill", True)
        self.newest_button.setCursor(Qt.CursorShape.PointingHandCursor)
        self.newest_button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.newest_button.clicked.connect(self.scroll_to_end)
        self.newest_button.hide()

    # Positions

    @property
    def viewport_height(self) -> int:
        """Return the height of the viewport."""
        return self._viewport.height()

    @property
    def viewport_area(self) -> QRect:
        """Return the rectangle of the viewport."""
        return self._viewport.rect()

    def row_rect(self, place: RowPosition) -> QRect:
        """Return the rectangle of a row's item in the viewport."""
        item = self._column.item(place)
        y = self._column.row_top(place) - self.top
        if item is None:
            height = self._column.height_of(place.message)
            return QRect(self.frame.left, y, self.frame.width, height)
        left = self.frame.left + item.indent
        return QRect(left, y, self.frame.width - item.indent, item.height)

    def message_area(self, message_id: str) -> QRect | None:
        """Return the rectangle of a message in the viewport; None if it isn't here."""
        number = self._column.number_of(message_id)
        if number is None:
            return None
        top = self._column.message_top(number) - self.top
        return QRect(self.frame.left, top, self.frame.width, self._column.height_of(number))

    def card_area(self, message_id: str, index: int) -> QRect | None:
        """Return the rectangle of the card of a tool call in the viewport; None if it isn't here,
        or not loaded.
        """
        number, entry = self._column.number_of(message_id), self._column.entry(message_id)
        card = entry.card(index) if entry is not None else None
        if number is None or entry is None or card is None:
            return None
        rows = [row for row in map(entry.row_of, card.items()) if row is not None]
        boxes = [self.row_rect(RowPosition(number, row)) for row in rows]
        return boxes[0].united(boxes[-1]) if boxes else None

    def position_at(self, point: QPointF) -> RowPosition | None:
        return self._column.row_at(self.top + math.floor(point.y()))

    def local(self, place: RowPosition, point: QPointF) -> QPointF:
        """Convert a point of the viewport to the item's coordinates."""
        return point - QPointF(self.row_rect(place).topLeft())

    def visible_places(self) -> list[RowPosition]:
        return self._column.visible_rows(self.top, self.top + self.viewport_height)

    def update_place(self, place: RowPosition) -> None:
        """Repaint a row."""
        box = self.row_rect(place)
        # Decorations of a row can be in its gap and left of its box.
        viewport = self._viewport
        viewport.update(0, box.top() - 6, viewport.width(), box.height() + 12)

    def update_item(self, item: Item) -> None:
        for place in self.visible_places():
            if self._column.item(place) is item:
                self.update_place(place)

    def update_actions(self, message_id: str) -> None:
        """Repaint a message's small buttons, which are in its last row."""
        number = self._column.number_of(message_id)
        entry = self._column.entries[number] if number is not None else None
        if number is not None and entry is not None and entry.items:
            self.update_place(RowPosition(number, len(entry.items) - 1))

    # Layout

    def viewport_resized(self) -> None:
        """Follow a change of the viewport's size."""
        look = self._scene.style
        self.frame = ColumnFrame.for_room(max(200, self._area.width() - SCROLLBAR), look)
        self._column.width = self.frame.width
        self._scene.documents.set_visible_count(self.viewport_height // look.theme.line_px)

    def reset(self) -> None:
        """Show the end of another conversation, and drop requests for messages."""
        self._rest.stop()
        self._asked.clear()
        self.follows_end = True

    def mark_missing(self, ids: Iterable[str]) -> None:
        """Request these messages (again) when they come near."""
        self._asked.difference_update(ids)

    def anchor(self) -> Anchor:
        """Return the anchor for a change that happens now."""
        return END_ANCHOR if self.follows_end else self._column.anchor_at(self.top)

    def rearrange(self, anchor: Anchor, first: int | None, *, at_once: bool = False) -> None:
        """Lay out the visible rows with `anchor` in its place, and repaint from `first` (y) down.
        `at_once` paints before this returns. Rows beyond the budget are laid out in later
        iterations of the event loop.
        """
        viewport = self._viewport
        if not viewport.isVisible():
            self._match_scrollbar(self._column.offset_of(anchor, self.viewport_height))
            return
        offset, changed = self._column.layout_visible(anchor, self.viewport_height)
        if self._column.is_incomplete:
            self._unsettled = anchor
            self._rest.start()
        else:
            self._rest.stop()
        if changed is not None:
            first = changed if first is None else min(first, changed)
        self._move_to(offset)
        if first is not None:
            y = max(0, first - offset)
            dirty = QRect(0, y, viewport.width(), self.viewport_height - y)
            if dirty.height() > 0 and at_once:
                viewport.repaint(dirty)  # `update` would only cost a second event
            elif dirty.height() > 0:
                viewport.update(dirty)
        self._want()
        self.arranged.notify()

    def _lay_out_rest(self) -> None:
        self.rearrange(END_ANCHOR if self.follows_end else self._unsettled, None)

    def rearrange_keeping(self, anchor: Anchor, first: int) -> None:
        """Like `rearrange` for something the user opened: `anchor` keeps its place even
        at the end.
        """
        self.follows_end = False
        self.rearrange(anchor, first)
        self.follows_end = self.top >= self._bar.maximum()
        self._match_scrollbar(self.top)

    def keep_top(self, message_id: str, offset: int) -> None:
        """Keep a changed message's top `offset` px below the top of the viewport."""
        number = self._column.number_of(message_id)
        if number is None:
            self.rearrange(self.anchor(), 0)
            return
        entry = self._column.entries[number]
        item = entry.items[0] if entry is not None and entry.items else None
        gap = item.gap if item is not None else 0
        self.rearrange_keeping(
            Anchor(message_id, item, 0, offset + gap), self._column.message_top(number)
        )

    def keep_bottom(self, message_id: str, offset: int) -> None:
        """Like `keep_top`, for the last line of a message whose top isn't visible."""
        number = self._column.number_of(message_id)
        entry = self._column.entries[number] if number is not None else None
        if number is None or entry is None or not entry.items:
            self.rearrange(self.anchor(), 0)
            return
        row = len(entry.items) - 1
        self.rearrange_keeping(
            Anchor(message_id, entry.items[row], row, offset), self._column.message_top(number)
        )

    def _want(self) -> None:
        margin = self.viewport_height
        missing = self._column.missing_ids(
            self.top - margin, self.top + self.viewport_height + margin
        )
        new = [one for one in missing if one not in self._asked]
        if new:
            self._asked.update(new)
            self.messages_requested.emit(new)

    # Scrolling

    def _move_to(self, offset: int) -> None:
        """Scroll so that `offset` is at the top; remaining pixels are moved, not painted."""
        before, self.top = self.top, offset
        self._match_scrollbar(offset)
        moved = before - offset
        if not moved:
            return
        viewport = self._viewport
        whole = float(self._area.devicePixelRatioF()).is_integer()
        if abs(moved) < self.viewport_height and whole and not self.newest_button.isVisible():
            viewport.scroll(0, moved)
        else:
            viewport.update()

    def _match_scrollbar(self, offset: int) -> None:
        bar = self._bar
        room = self.viewport_height
        most = max(0, self._column.total - room)
        step = self._scene.style.theme.line_px
        self.top = offset
        if self._matched != (most, room, step, offset) or bar.value() != offset:
            self._matched = most, room, step, offset
            self._adjusting = True
            bar.set_values(most, room, step, offset)
            self._adjusting = False
            self.top = offset
        away = not self.follows_end and offset < most - 1
        if away != self.newest_button.isVisible():
            self.newest_button.setVisible(away)
            self.position_button()

    def scrolled(self) -> None:
        """Follow the scroll bar after the user moved it, or ignore our own move."""
        if self._adjusting:
            return
        bar = self._bar
        wanted = bar.value()
        self.follows_end = wanted >= bar.maximum()
        before, self.top = self.top, wanted
        anchor = END_ANCHOR if self.follows_end else self._column.anchor_at(wanted)
        self.top = before
        self.rearrange(anchor, None)

    def scroll_to_end(self) -> None:
        """Scroll to the newest message and follow it."""
        self.follows_end = True
        self.rearrange(END_ANCHOR, None)

    def scroll_by(self, pixels: int) -> None:
        bar = self._bar
        bar.setValue(bar.value() + pixels)

    def reveal(self, place: RowPosition) -> None:
        """Scroll as little as needed to make a row visible."""
        for _ in range(3):
            box = self.row_rect(place)
            above, below = box.top() - 8, box.bottom() + 8 - self.viewport_height
            if above < 0:
                self.scroll_by(above)
            elif below > 0:
                self.scroll_by(min(below, max(0, above)))
            else:
                return

    def position_button(self) -> None:
        """Set the button's text in the current language, and place it."""
        self.newest_button.setText(tr("↓ newest"))
        self.newest_button.adjustSize()
        x = self.frame.left + (self.frame.width - self.newest_button.width()) // 2
        self.newest_button.move(QPoint(x, self._area.height() - self.newest_button.height() - 12))
        self.newest_button.raise_()
