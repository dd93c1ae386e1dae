"""The scrolled surface: lays out what is visible, paints what changed, keeps what is read in place.

Base of `ChatView`. It knows messages and items, but nothing of events, mouse or keyboard.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QHideEvent,
    QPainter,
    QPainterStateGuard,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QPushButton, QWidget

from neodeskpet.language import tr
from neodeskpet.ui.chat.items.documents import Documents
from neodeskpet.ui.chat.items.item import Brush, Item, Scene
from neodeskpet.ui.chat.items.look import Look
from neodeskpet.ui.chat.items.prose import TextItem
from neodeskpet.ui.chat.view.column import END, Anchor, Column, Place
from neodeskpet.ui.chat.view.entry import MessageEntry
from neodeskpet.ui.chat.view.scenery import (
    Frame,
    Portraits,
    message_ring,
    paint_empty,
    paint_placeholder,
)
from neodeskpet.ui.chat.view.selection import Selection
from neodeskpet.ui.chat.view.slide import Slide
from neodeskpet.ui.highlight.highlighter import Highlighter
from neodeskpet.ui.theme import Theme

SCROLLBAR = 10
_TICK_MS = 80
_CALM_TICK_MS = 1000
_STREAMS_S = 0.4


class Canvas(QAbstractScrollArea):
    """Signals: `messages_wanted(ids)`, messages that came into view and aren't there;
    `painted(rect)` after a part of the viewport was painted.
    """

    messages_wanted = Signal(list)
    painted = Signal(QRect)

    def __init__(
        self,
        theme: Theme,
        parent: QWidget | None = None,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(parent)
        look = Look(theme)
        self.highlighter = Highlighter(self)
        self.scene = Scene(
            look=look,
            documents=Documents(look),
            highlighter=self.highlighter,
            clock=clock,
            picture=lambda _digest: None,
            main_argument=lambda _name: "",
            ask_paint=self.viewport().update,
            is_newest=lambda message_id: self.column.ends_with(message_id),
        )
        self.column = Column(look)
        self.selection = Selection(self.column, self.scene)
        self.portraits = Portraits()
        self.frame = Frame.fit(480, look)
        self.follows = True
        self.top = 0
        self._adjusting = False
        self._wanted: set[str] = set()
        self._streamed = 0.0
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.viewport().setAutoFillBackground(False)
        self.slide = Slide(self, self.viewport().update)
        self.newest = QPushButton(self)
        self.newest.setProperty("pill", True)
        self.newest.setCursor(Qt.CursorShape.PointingHandCursor)
        self.newest.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.newest.clicked.connect(self.scroll_to_end)
        self.newest.hide()
        self._ticker = QTimer(self)
        self._ticker.timeout.connect(self._tick)

    @property
    def look(self) -> Look:
        return self.scene.look

    # Places

    @property
    def room(self) -> int:
        """Height of the window onto the conversation."""
        return self.viewport().height()

    def box_of(self, place: Place) -> QRect:
        """A row's item in the viewport."""
        item = self.column.item(place)
        y = self.column.row_top(place) - self.top
        if item is None:
            height = self.column.height_of(place.message)
            return QRect(self.frame.left, y, self.frame.width, height)
        left = self.frame.left + item.indent
        return QRect(left, y, self.frame.width - item.indent, item.height)

    def place_at(self, point: QPointF) -> Place | None:
        return self.column.at(self.top + math.floor(point.y()))

    def local(self, place: Place, point: QPointF) -> QPointF:
        """A point of the viewport in the item's own coordinates."""
        return point - QPointF(self.box_of(place).topLeft())

    def visible_places(self) -> list[Place]:
        return self.column.visible(self.top, self.top + self.room)

    # Arranging and scrolling

    def anchor(self) -> Anchor:
        """What must stay in place if something changes now."""
        return END if self.follows else self.column.anchor_at(self.top)

    def rearrange(self, anchor: Anchor, first: int | None, *, at_once: bool = False) -> None:
        """Lay out what is visible, with `anchor` in its place; paint from `first` (y) downwards.
        `at_once` paints before this returns.
        """
        if not self.viewport().isVisible():
            self._match_scrollbar(self.column.offset_of(anchor, self.room))
            return
        offset, changed = self.column.settle(anchor, self.room)
        if changed is not None:
            first = changed if first is None else min(first, changed)
        self._move_to(offset)
        if first is not None:
            y = max(0, first - offset)
            dirty = QRect(0, y, self.viewport().width(), self.room - y)
            if dirty.height() > 0:
                self.viewport().update(dirty)
                if at_once:
                    self.viewport().repaint(dirty)
        self._want()
        self.arranged()

    def arranged(self) -> None:
        """Hook: the items have their places."""

    def _move_to(self, offset: int) -> None:
        """Scroll so that `offset` is at the top; pixels that stay are moved, not painted."""
        before, self.top = self.top, offset
        self._match_scrollbar(offset)
        moved = before - offset
        if not moved:
            return
        whole = float(self.devicePixelRatioF()).is_integer()
        if abs(moved) < self.room and whole and not self.newest.isVisible():
            self.viewport().scroll(0, moved)
        else:
            self.viewport().update()

    def _match_scrollbar(self, offset: int) -> None:
        bar = self.verticalScrollBar()
        most = max(0, self.column.total - self.room)
        self._adjusting = True
        bar.setRange(0, most)
        bar.setPageStep(self.room)
        bar.setSingleStep(self.look.theme.line_px)
        bar.setValue(offset)
        self._adjusting = False
        self.top = offset
        away = not self.follows and offset < most - 1
        if away != self.newest.isVisible():
            self.newest.setVisible(away)
            self._place_button()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """The person scrolled (or the bar was set by us, which is arranged already)."""
        if self._adjusting:
            return
        bar = self.verticalScrollBar()
        wanted = bar.value()
        self.follows = wanted >= bar.maximum()
        before, self.top = self.top, wanted
        anchor = END if self.follows else self.column.anchor_at(wanted)
        self.top = before
        self.rearrange(anchor, None)

    def scroll_to_end(self) -> None:
        """Go to the newest message and stay there."""
        self.follows = True
        self.rearrange(END, None)

    def scroll_by(self, pixels: int) -> None:
        self.verticalScrollBar().setValue(self.verticalScrollBar().value() + pixels)

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

    def _want(self) -> None:
        margin = self.room
        missing = self.column.missing(self.top - margin, self.top + self.room + margin)
        new = [one for one in missing if one not in self._wanted]
        if new:
            self._wanted.update(new)
            self.messages_wanted.emit(new)

    def resizeEvent(self, event: QResizeEvent) -> None:
        anchor = self.anchor()
        self._fit()
        self._place_button()
        self.rearrange(anchor, None)
        self.viewport().update()
        super().resizeEvent(event)

    def _fit(self) -> None:
        self.frame = Frame.fit(max(200, self.width() - SCROLLBAR), self.look)
        self.column.width = self.frame.width
        self.scene.documents.expect(self.room // self.look.theme.line_px)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit()
        self.rearrange(self.anchor(), None)

    def hideEvent(self, event: QHideEvent) -> None:
        self._ticker.stop()
        super().hideEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._place_button()
            self.viewport().update()
        super().changeEvent(event)

    def _place_button(self) -> None:
        self.newest.setText(tr("↓ newest"))
        self.newest.adjustSize()
        x = self.frame.left + (self.frame.width - self.newest.width()) // 2
        self.newest.move(QPoint(x, self.height() - self.newest.height() - 12))
        self.newest.raise_()

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self.viewport()) as painter:
            rect = event.rect()
            painter.setClipRect(rect)
            painter.fillRect(rect, self.look.color("window"))
            if self.column.heads:
                self._paint_rows(painter, rect)
            else:
                area = QRectF(self.viewport().rect())
                paint_empty(painter, area, self.look, self.portraits)
        self.painted.emit(rect)
        self._keep_time()

    def _paint_rows(self, painter: QPainter, rect: QRect) -> None:
        keys = self.selection.keys()
        last = len(self.column.heads) - 1
        left = self.slide.left
        # A little more above: a rule or a portrait reaches out of its row.
        reach = self.look.theme.portrait
        start = self.top + rect.top() - reach - max(0, -left)
        for place in self.column.visible(start, self.top + rect.bottom() + 1 + max(0, left)):
            box = QRectF(self.box_of(place))
            if self.slide.is_below(place):
                box.translate(0, -left)
            entry = self.column.entries[place.message]
            if entry is None:
                person = self.column.heads[place.message].role == "user"
                paint_placeholder(painter, box, self.look, person=person)
                continue
            if place.row == 0:
                self._paint_message(painter, entry, box, newest=place.message == last)
            if entry.items:
                selected = self.selection.within(keys, place)
                self._paint_item(painter, rect, entry, place, box, selected)

    def _paint_item(
        self,
        painter: QPainter,
        rect: QRect,
        entry: MessageEntry,
        place: Place,
        box: QRectF,
        selected: tuple[int, int] | None,
    ) -> None:
        item = self.column.item(place)
        clip = QRectF(rect).intersected(box)
        if item is None or not item.width or clip.isEmpty():
            return
        with QPainterStateGuard(painter):
            if self.slide.is_body(place):
                edge = self.column.start(self.slide.edge) - self.top - self.slide.left
                clip.setBottom(min(clip.bottom(), edge))
                painter.setClipRect(clip, Qt.ClipOperation.IntersectClip)
            brush = Brush(painter, box, clip, selected)
            try:
                item.paint(self.scene, brush)
            except Exception:  # noqa: BLE001 - whatever is wrong with it, the others are shown
                entry.give_up(place.row).paint(self.scene, brush)
        focus = self.scene.focus
        if focus is not None and focus.item is item and not focus.key:
            message_ring(painter, box.adjusted(-4, -2, 4, 2), self.look)

    def _paint_message(
        self, painter: QPainter, entry: MessageEntry, box: QRectF, *, newest: bool
    ) -> None:
        top = box.top()
        if not entry.is_person and entry.items:
            size = self.frame.portrait
            x = self.frame.left - self.frame.gutter
            self.portraits.paint(painter, QRectF(x, top - 4, size, size), self.look, newest=newest)
        if self.scene.focused_message == entry.id and self.scene.focus is None:
            height = entry.rows.total
            rect = QRectF(self.frame.left - 8, top - 6, self.frame.width + 16, height + 10)
            message_ring(painter, rect, self.look)

    def update_place(self, place: Place) -> None:
        """Paint a row again."""
        box = self.box_of(place)
        # What belongs to a row can lie in its gap and left of its box.
        self.viewport().update(0, box.top() - 6, self.viewport().width(), box.height() + 12)

    def update_item(self, item: Item) -> None:
        for place in self.visible_places():
            if self.column.item(place) is item:
                self.update_place(place)

    # Time

    def _moving(self) -> list[tuple[Place, Item]]:
        out = []
        for place in self.visible_places():
            item = self.column.item(place)
            if item is not None and item.moving:
                out.append((place, item))
        return out

    @property
    def is_ticking(self) -> bool:
        """Whether something in sight moves by itself."""
        return self._ticker.isActive()

    def _keep_time(self) -> None:
        if not self._ticker.isActive() and self._moving():
            self._ticker.start(_CALM_TICK_MS if self.scene.reduced else _TICK_MS)

    def _tick(self) -> None:
        """Signs that swell, times that run, the caret. Stops when nothing of it is in sight."""
        moving = self._moving()
        if not moving:
            self._ticker.stop()
            return
        now = self.scene.clock()
        phase = (now * 1000 % self.look.theme.pulse_ms) / self.look.theme.pulse_ms
        streams = now - self._streamed < _STREAMS_S
        self.scene.pulse = 0.0 if streams else 0.5 - 0.5 * math.cos(2 * math.pi * phase)
        for place, item in moving:
            box = self.box_of(place)
            if isinstance(item, TextItem):
                if streams:
                    continue
                spot = item.caret_spot(self.scene)
                box = QRect(box.left() + int(spot.x()) - 1, box.top() + int(spot.y()) - 4, 14, 34)
            self.viewport().update(box)

    def set_picture_of(self, picture: Callable[[str], QPixmap | None]) -> None:
        """Where the pictures of a message come from, by their digest."""
        self.scene.picture = picture
        self.viewport().update()
