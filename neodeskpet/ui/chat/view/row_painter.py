"""Paints the visible rows and their decorations, limited to the requested area."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterStateGuard, QPixmap

from neodeskpet.ui.chat.items.item import PaintContext, Scene
from neodeskpet.ui.chat.view.animations import SlideAnimation
from neodeskpet.ui.chat.view.decorations import (
    Portraits,
    draw_message_focus,
    paint_day,
    paint_empty,
    paint_placeholder,
)
from neodeskpet.ui.chat.view.message_column import MessageColumn, RowPosition
from neodeskpet.ui.chat.view.message_entry import MessageEntry
from neodeskpet.ui.chat.view.scroller import Scroller
from neodeskpet.ui.chat.view.text_selection import TextSelection
from neodeskpet.ui.formatting import format_day


class RowPainter:
    """Reads the layout and doesn't change it."""

    def __init__(
        self,
        column: MessageColumn,
        scene: Scene,
        scroller: Scroller,
        selection: TextSelection,
        slide: SlideAnimation,
    ) -> None:
        self._column = column
        self._scene = scene
        self._scroller = scroller
        self._selection = selection
        self._slide = slide
        self.portraits = Portraits()
        self.portrait_of: Callable[[str], QPixmap | None] = lambda _opening: None

    def paint(self, painter: QPainter, rect: QRect) -> None:
        """Paint `rect` of the viewport, which is also the painter's clip."""
        painter.fillRect(rect, self._scene.style.color("window"))
        if self._column.heads:
            self._paint_rows(painter, rect)
        else:
            area = QRectF(self._scroller.viewport_area)
            paint_empty(painter, area, self._scene.style, self.portraits)

    def _paint_rows(self, painter: QPainter, rect: QRect) -> None:
        keys = self._selection.ordered_ends()
        last = len(self._column.heads) - 1
        left = self._slide.remaining
        top = self._scroller.top
        # Include an area above: a rule or a portrait extends out of its row.
        reach = self._scene.style.theme.portrait
        start = top + rect.top() - reach - max(0, -left)
        gliding = self._slide.is_moving
        for place in self._column.visible_rows(start, top + rect.bottom() + 1 + max(0, left)):
            entry = self._column.entries[place.message]
            inside = entry is not None and 0 < place.row < len(entry.items) - 1
            frame = self._scroller.row_rect(place)
            if inside and not gliding and frame.bottom() < rect.top():
                continue  # only decorations of the first and the last row extend beyond it
            box = QRectF(frame)
            if gliding and self._slide.is_below(place):
                box.translate(0, -left)
            if entry is None:
                person = self._column.heads[place.message].role == "user"
                paint_placeholder(painter, box, self._scene.style, person=person)
                continue
            if place.row == 0:
                self._paint_message(painter, entry, box, newest=place.message == last)
            self._paint_days(painter, place, entry)
            if entry.items:
                selected = self._selection.selected_range(keys, place)
                self._paint_item(painter, rect, entry, place, box, selected)

    def _paint_days(self, painter: QPainter, place: RowPosition, entry: MessageEntry) -> None:
        """Paint the day above the first message, and the next day below the last message
        of a day.
        """
        if place.message == place.row == 0:
            self._paint_day(painter, -1, self._column.day_above())
        if place.row >= len(entry.items) - 1:
            self._paint_day(painter, place.message, self._column.day_below(place.message))

    def _paint_day(self, painter: QPainter, above: int, said: float | None) -> None:
        if said is None:
            return
        look, frame = self._scene.style, self._scroller.frame
        y = self._column.day_top(above) - self._scroller.top
        area = QRectF(frame.left, y, frame.width, look.small_line)
        paint_day(painter, area, look, format_day(said, self._scene.clock()))

    def _paint_item(
        self,
        painter: QPainter,
        rect: QRect,
        entry: MessageEntry,
        place: RowPosition,
        box: QRectF,
        selected: tuple[int, int] | None,
    ) -> None:
        scene = self._scene
        item = self._column.item(place)
        clip = QRectF(rect).intersected(box)
        if item is None or not item.width or clip.isEmpty():
            return
        with QPainterStateGuard(painter):
            if self._slide.is_revealed(place):
                edge = (
                    self._column.row_start(self._slide.body_end)
                    - self._scroller.top
                    - self._slide.remaining
                )
                clip.setBottom(min(clip.bottom(), edge))
                painter.setClipRect(clip, Qt.ClipOperation.IntersectClip)
            brush = PaintContext(painter, box, clip, selected)
            try:
                item.paint(scene, brush)
            except Exception:  # noqa: BLE001 - whatever is wrong with it, the others are shown
                entry.replace_broken_item(place.row).paint(scene, brush)
        focus = scene.focus if scene.focus_visible else None
        if focus is not None and focus.item is item and not focus.key:
            draw_message_focus(painter, box.adjusted(-4, -2, 4, 2), scene.style)

    def _paint_message(
        self, painter: QPainter, entry: MessageEntry, box: QRectF, *, newest: bool
    ) -> None:
        top = box.top()
        look, frame = self._scene.style, self._scroller.frame
        if not entry.is_user and entry.items:
            size = frame.portrait
            x = frame.left - frame.gutter
            place, face = QRectF(x, top - 4, size, size), self.portrait_of(entry.opening_text)
            self.portraits.paint(painter, place, look, newest=newest, other=face)
        if not self._scene.focus_visible:
            return
        if self._scene.focused_message == entry.id and self._scene.focus is None:
            height = entry.rows.total
            rect = QRectF(frame.left - 8, top - 6, frame.width + 16, height + 10)
            draw_message_focus(painter, rect, look)
