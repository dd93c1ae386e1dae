"""The window onto the column: what is in sight, where, and what stays put while things change.

It gives the area a scroll bar, and owns that and the button that leads back to the newest message.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from PySide6.QtCore import QObject, QPoint, QPointF, QRect, Qt, QTimer, Signal
from PySide6.QtWidgets import QAbstractScrollArea, QPushButton

from neodeskpet.language import tr
from neodeskpet.observers import Observers
from neodeskpet.ui.chat.items.item import Item, Scene
from neodeskpet.ui.chat.view.bar import Bar
from neodeskpet.ui.chat.view.column import END, Anchor, Column, Place
from neodeskpet.ui.chat.view.scenery import Frame

SCROLLBAR = 10


class Scroller(QObject):
    """`wanted(ids)`: messages that came near and aren't loaded."""

    wanted = Signal(list)

    def __init__(self, area: QAbstractScrollArea, column: Column, scene: Scene) -> None:
        """Gives `area` its scroll bar."""
        super().__init__(area)
        self.arranged: Observers[[]] = Observers()
        """Told when the items have their places, with each piece of a reply."""
        self._area = area
        self._viewport = area.viewport()  # asked for a dozen times a paint
        self._bar = Bar(scene, area)
        area.setVerticalScrollBar(self._bar)
        self._column = column
        self._scene = scene
        self.frame = Frame.fit(480, scene.look)
        self.follows = True
        """Whether the end of all stays in sight when something is added."""
        self.top = 0
        """The y of the conversation that is at the top of the window."""
        self._adjusting = False
        self._matched = (0, 0, 0, 0)  # what the scroll bar was told
        self._asked: set[str] = set()
        self._unsettled = END  # what must stay in place while the rest is laid out
        self._rest = QTimer(self, singleShot=True, interval=0)
        self._rest.timeout.connect(self._lay_out_rest)
        self.newest = QPushButton(area)
        self.newest.setProperty("pill", True)
        self.newest.setCursor(Qt.CursorShape.PointingHandCursor)
        self.newest.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.newest.clicked.connect(self.scroll_to_end)
        self.newest.hide()

    # What is where

    @property
    def room(self) -> int:
        """Height of the window onto the conversation."""
        return self._viewport.height()

    @property
    def area(self) -> QRect:
        """The window onto the conversation."""
        return self._viewport.rect()

    def box_of(self, place: Place) -> QRect:
        """A row's item in the viewport."""
        item = self._column.item(place)
        y = self._column.row_top(place) - self.top
        if item is None:
            height = self._column.height_of(place.message)
            return QRect(self.frame.left, y, self.frame.width, height)
        left = self.frame.left + item.indent
        return QRect(left, y, self.frame.width - item.indent, item.height)

    def place_at(self, point: QPointF) -> Place | None:
        return self._column.at(self.top + math.floor(point.y()))

    def local(self, place: Place, point: QPointF) -> QPointF:
        """A point of the viewport in the item's own coordinates."""
        return point - QPointF(self.box_of(place).topLeft())

    def visible_places(self) -> list[Place]:
        return self._column.visible(self.top, self.top + self.room)

    def update_place(self, place: Place) -> None:
        """Paint a row again."""
        box = self.box_of(place)
        # What belongs to a row can lie in its gap and left of its box.
        viewport = self._viewport
        viewport.update(0, box.top() - 6, viewport.width(), box.height() + 12)

    def update_item(self, item: Item) -> None:
        for place in self.visible_places():
            if self._column.item(place) is item:
                self.update_place(place)

    def update_actions(self, message_id: str) -> None:
        """Paint a message's small buttons again: they are in its last row."""
        number = self._column.number_of(message_id)
        entry = self._column.entries[number] if number is not None else None
        if number is not None and entry is not None and entry.items:
            self.update_place(Place(number, len(entry.items) - 1))

    # Arranging

    def fit(self) -> None:
        """The area has another size."""
        look = self._scene.look
        self.frame = Frame.fit(max(200, self._area.width() - SCROLLBAR), look)
        self._column.width = self.frame.width
        self._scene.documents.expect(self.room // look.theme.line_px)

    def forget(self) -> None:
        """Another conversation: its end is shown, and what was asked for isn't wanted any more."""
        self._rest.stop()
        self._asked.clear()
        self.follows = True

    def miss(self, ids: Iterable[str]) -> None:
        """These aren't there (any more): ask for them when they come near."""
        self._asked.difference_update(ids)

    def anchor(self) -> Anchor:
        """What must stay in place if something changes now."""
        return END if self.follows else self._column.anchor_at(self.top)

    def rearrange(self, anchor: Anchor, first: int | None, *, at_once: bool = False) -> None:
        """Lay out what is visible, with `anchor` in its place; paint from `first` (y) downwards.
        `at_once` paints before this returns. What is too much for one pass of the event loop is
        laid out in the next ones.
        """
        viewport = self._viewport
        if not viewport.isVisible():
            self._match_scrollbar(self._column.offset_of(anchor, self.room))
            return
        offset, changed = self._column.settle(anchor, self.room)
        if self._column.unsettled:
            self._unsettled = anchor
            self._rest.start()
        else:
            self._rest.stop()
        if changed is not None:
            first = changed if first is None else min(first, changed)
        self._move_to(offset)
        if first is not None:
            y = max(0, first - offset)
            dirty = QRect(0, y, viewport.width(), self.room - y)
            if dirty.height() > 0 and at_once:
                viewport.repaint(dirty)  # `update` first would be a second event, for nothing
            elif dirty.height() > 0:
                viewport.update(dirty)
        self._want()
        self.arranged.tell()

    def _lay_out_rest(self) -> None:
        self.rearrange(END if self.follows else self._unsettled, None)

    def hold(self, anchor: Anchor, first: int) -> None:
        """Like `rearrange`, for what the person opened: `anchor` stays, even at the end of all."""
        self.follows = False
        self.rearrange(anchor, first)
        self.follows = self.top >= self._bar.maximum()
        self._match_scrollbar(self.top)

    def hold_top(self, message_id: str, offset: int) -> None:
        """A message has become another, or taller: it begins `offset` px below the top of the
        window, as before.
        """
        number = self._column.number_of(message_id)
        if number is None:
            self.rearrange(self.anchor(), 0)
            return
        entry = self._column.entries[number]
        item = entry.items[0] if entry is not None and entry.items else None
        gap = item.gap if item is not None else 0
        self.hold(Anchor(message_id, item, 0, offset + gap), self._column.top(number))

    def hold_foot(self, message_id: str, offset: int) -> None:
        """Like `hold_top`, for the last line of a message whose head is out of sight."""
        number = self._column.number_of(message_id)
        entry = self._column.entries[number] if number is not None else None
        if number is None or entry is None or not entry.items:
            self.rearrange(self.anchor(), 0)
            return
        row = len(entry.items) - 1
        self.hold(Anchor(message_id, entry.items[row], row, offset), self._column.top(number))

    def _want(self) -> None:
        margin = self.room
        missing = self._column.missing(self.top - margin, self.top + self.room + margin)
        new = [one for one in missing if one not in self._asked]
        if new:
            self._asked.update(new)
            self.wanted.emit(new)

    # Scrolling

    def _move_to(self, offset: int) -> None:
        """Scroll so that `offset` is at the top; pixels that stay are moved, not painted."""
        before, self.top = self.top, offset
        self._match_scrollbar(offset)
        moved = before - offset
        if not moved:
            return
        viewport = self._viewport
        whole = float(self._area.devicePixelRatioF()).is_integer()
        if abs(moved) < self.room and whole and not self.newest.isVisible():
            viewport.scroll(0, moved)
        else:
            viewport.update()

    def _match_scrollbar(self, offset: int) -> None:
        bar = self._bar
        room = self.room
        most = max(0, self._column.total - room)
        step = self._scene.look.theme.line_px
        self.top = offset
        if self._matched != (most, room, step, offset) or bar.value() != offset:
            self._matched = most, room, step, offset
            self._adjusting = True
            bar.match(most, room, step, offset)
            self._adjusting = False
            self.top = offset
        away = not self.follows and offset < most - 1
        if away != self.newest.isVisible():
            self.newest.setVisible(away)
            self.place_button()

    def scrolled(self) -> None:
        """The bar moved: by the person, or by us, when all is arranged already."""
        if self._adjusting:
            return
        bar = self._bar
        wanted = bar.value()
        self.follows = wanted >= bar.maximum()
        before, self.top = self.top, wanted
        anchor = END if self.follows else self._column.anchor_at(wanted)
        self.top = before
        self.rearrange(anchor, None)

    def scroll_to_end(self) -> None:
        """Go to the newest message and stay there."""
        self.follows = True
        self.rearrange(END, None)

    def scroll_by(self, pixels: int) -> None:
        bar = self._bar
        bar.setValue(bar.value() + pixels)

    def reveal(self, place: Place) -> None:
        """Scroll as little as needed for a row to be seen."""
        for _ in range(3):
            box = self.box_of(place)
            above, below = box.top() - 8, box.bottom() + 8 - self.room
            if above < 0:
                self.scroll_by(above)
            elif below > 0:
                self.scroll_by(min(below, max(0, above)))
            else:
                return

    def place_button(self) -> None:
        """Say the button's name in the present language, and put it where the column is."""
        self.newest.setText(tr("↓ newest"))
        self.newest.adjustSize()
        x = self.frame.left + (self.frame.width - self.newest.width()) // 2
        self.newest.move(QPoint(x, self._area.height() - self.newest.height() - 12))
        self.newest.raise_()
