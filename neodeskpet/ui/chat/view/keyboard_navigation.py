"""Keyboard navigation: a visible focus that moves through messages and their clickable parts."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from neodeskpet.ui.chat.items.item import HitRegion, Item, PointedRegion
from neodeskpet.ui.chat.items.tool_card_items import ApprovalButtons, CardHead
from neodeskpet.ui.chat.items.wide_items import WideItem
from neodeskpet.ui.chat.view.message_column import RowPosition
from neodeskpet.ui.chat.view.view_interface import ChatViewInterface

_SIDEWAYS = 60
_FAR = 400


@dataclass(frozen=True, slots=True)
class FocusStop:
    """A stop of the focus: a message as a whole (no part) or a part of an item."""

    row: RowPosition
    region: HitRegion | None = None


class KeyboardNavigation:
    """Handles the view's key events."""

    def __init__(self, view: ChatViewInterface) -> None:
        self._view = view

    @property
    def current_stop(self) -> FocusStop | None:
        """The current stop of the focus."""
        scene = self._view.scene
        column = self._view.column
        if scene.focus is not None:
            place = column.position_of(scene.focus.item, scene.focused_message)
            if place is None:
                return None
            parts = scene.focus.item.focus_regions(scene)
            key = scene.focus.key
            return FocusStop(place, next((part for part in parts if part.key == key), None))
        number = column.number_of(scene.focused_message)
        return None if number is None else FocusStop(RowPosition(number, 0))

    def row_stops(self, place: RowPosition) -> list[FocusStop]:
        """Return the stops of a row: first the message (at its first row), then the row's parts."""
        out = [FocusStop(place)] if place.row == 0 else []
        item = self._view.column.item(place)
        if item is not None:
            if not item.width:
                self._view.column.measure(place)
            out += [FocusStop(place, part) for part in item.focus_regions(self._view.scene)]
        return out

    def _same(self, one: FocusStop, other: FocusStop) -> bool:
        key = one.region.key if one.region is not None else ""
        other_key = other.region.key if other.region is not None else ""
        return one.row == other.row and key == other_key

    def move_focus(self, step: int) -> bool:
        """Move to the next stop (1) or the previous one (-1); return False at the end."""
        here = self.current_stop
        if here is None:
            return self.focus_in(last=step < 0)
        place: RowPosition | None = here.row
        stops = self.row_stops(here.row)
        at = next((n for n, stop in enumerate(stops) if self._same(stop, here)), 0) + step
        for _ in range(_FAR):
            if 0 <= at < len(stops):
                self._go(stops[at])
                return True
            assert place is not None
            column = self._view.column
            place = column.next_row(place) if step > 0 else column.previous_row(place)
            if place is None:
                return False
            stops = self.row_stops(place)
            at = 0 if step > 0 else len(stops) - 1
        return False

    def focus_question(self) -> bool:
        """Move to the newest question, on the answer that changes nothing; return False if there is
        none.
        """
        stop = self._question_stop()
        if stop is not None:
            self._go(stop)
        return stop is not None

    def has_question(self) -> bool:
        """Whether a question waits for an answer."""
        return self._question_stop() is not None

    def allow_question(self) -> bool:
        """Answer yes to the newest question; return False if there is none, or if a part of it
        isn't visible.
        """
        stop = self._question_stop("once")
        if stop is None or stop.region is None or not self._shows_card(stop.row):
            return False
        item = self._view.column.item(stop.row)
        assert item is not None, "its region is there"
        self._view.press_region(stop.row, item, stop.region)
        return True

    def _shows_card(self, place: RowPosition) -> bool:
        """Whether the card that ends at `place` is visible from its title on."""
        entry = self._view.column.entries[place.message]
        assert entry is not None, "its question is there"
        rows = range(place.row, -1, -1)
        first = next((row for row in rows if isinstance(entry.items[row], CardHead)), place.row)
        top = self._view.scroller.row_rect(RowPosition(place.message, first)).top()
        bottom = self._view.scroller.row_rect(place).bottom()
        return top >= 0 and bottom <= self._view.scroller.viewport_height

    def _question_stop(self, key: str = "keep") -> FocusStop | None:
        column, scene = self._view.column, self._view.scene
        for entry in reversed(column.entries):
            if entry is None or not entry.running:
                continue
            for item in entry.items:
                place = column.position_of(item, entry.id)
                if not isinstance(item, ApprovalButtons) or place is None:
                    continue
                column.measure(place)
                regions = item.hit_regions(scene)
                answer = next((one for one in regions if one.key == key), None)
                if answer is not None:
                    return FocusStop(place, answer)
        return None

    def focus_part(self, message_id: str, key: str, item_key: str = "") -> bool:
        """Move to a part of a message, in the item of `item_key` if it isn't empty; return False if
        it doesn't exist.
        """
        number, entry = (
            self._view.column.number_of(message_id),
            self._view.column.entry(message_id),
        )
        if number is None or entry is None:
            return False
        for row, item in enumerate(entry.items):
            if item_key and item.key != item_key:
                continue
            stops = self.row_stops(RowPosition(number, row))
            found = next((one for one in stops if one.region and one.region.key == key), None)
            if found is not None:
                self._go(found)
                return True
        return False

    def focus_in(self, *, last: bool) -> bool:
        """Set the focus when the view gets it: on a question that waits, else on the first or last
        visible stop.
        """
        if self.focus_question():
            return True
        places = self._view.scroller.visible_places()
        stops = [stop for place in places for stop in self.row_stops(place)]
        if not stops:
            return False
        self._go(stops[-1 if last else 0])
        return True

    def _go(self, stop: FocusStop) -> None:
        view, scene = self._view, self._view.scene
        item: Item | None = view.column.item(stop.row)
        view.clear_focus()
        scene.focused_message = view.column.heads[stop.row.message].id
        if stop.region is not None and item is not None:
            scene.focus = PointedRegion(item, stop.region.key)
        view.scroller.reveal(stop.row)
        view.viewport().update()
        view.focus_moved(stop.row, stop.region)

    # Keys

    def handle_key(self, event: QKeyEvent) -> bool:
        """Handle a key; return False if it has no meaning here."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self._view.copy(markdown=False)
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self._view.select_all()
        elif self._is_markdown_copy(event):
            self._view.copy(markdown=True)
        elif self._is_control_enter(event) and self._view.allow_question():
            pass
        else:
            return self._take_plain(event)
        return True

    def _is_markdown_copy(self, event: QKeyEvent) -> bool:
        both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        return event.key() == Qt.Key.Key_C and event.modifiers() == both

    def _is_control_enter(self, event: QKeyEvent) -> bool:
        control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        return bool(control) and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)

    def _take_plain(self, event: QKeyEvent) -> bool:
        page = self._view.scroller.viewport_height - 40
        line = self._view.item_style.theme.line_px * 2
        match event.key():
            case Qt.Key.Key_Down | Qt.Key.Key_Up:
                down = event.key() == Qt.Key.Key_Down
                if self.current_stop is not None:
                    self.move_focus(1 if down else -1)
                else:
                    self._view.scroller.scroll_by(line if down else -line)
            case Qt.Key.Key_PageDown | Qt.Key.Key_Space:
                self._view.scroller.scroll_by(page)
            case Qt.Key.Key_PageUp:
                self._view.scroller.scroll_by(-page)
            case Qt.Key.Key_Home:
                self._view.scroller.scroll_by(-(1 << 28))
            case Qt.Key.Key_End:
                self._view.scroller.scroll_to_end()
            case _:
                return self._take_focused(event)
        return True

    def _take_focused(self, event: QKeyEvent) -> bool:
        here = self.current_stop
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if here is not None:
                item = self._view.column.item(here.row)
                if here.region is not None and item is not None:
                    self._view.press_region(here.row, item, here.region)
                return True
            case Qt.Key.Key_Left | Qt.Key.Key_Right if here is not None:
                return self._sideways(here, 1 if event.key() == Qt.Key.Key_Right else -1)
            case Qt.Key.Key_Escape if here is not None or not self._view.selection.is_empty:
                self._view.clear_focus()
                self._view.selection.clear()
                self._view.viewport().update()
                return True
            case _:
                return False

    def _sideways(self, here: FocusStop, step: int) -> bool:
        item = self._view.column.item(here.row)
        if not isinstance(item, WideItem):
            return False
        if item.scroll_by(step * _SIDEWAYS, self._view.item_style):
            self._view.viewport().update()
        return True
