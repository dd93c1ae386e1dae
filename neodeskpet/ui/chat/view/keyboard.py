"""The keyboard: a visible focus that walks over messages and what can be pressed in them."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from neodeskpet.ui.chat.items.item import Item, Part, Pointed
from neodeskpet.ui.chat.items.wide.sideways import WideItem
from neodeskpet.ui.chat.view.column import Place
from neodeskpet.ui.chat.view.surface import Surface

_SIDEWAYS = 60
_FAR = 400


@dataclass(frozen=True, slots=True)
class Stop:
    """A place the focus stands at: a message as a whole (no part) or a part of an item."""

    place: Place
    part: Part | None = None


class Keys:
    """Handles the view's key events."""

    def __init__(self, view: Surface) -> None:
        self._view = view

    @property
    def here(self) -> Stop | None:
        """Where the focus is."""
        scene = self._view.scene
        column = self._view.column
        if scene.focus is not None:
            place = column.place_of(scene.focus.item, scene.focused_message)
            if place is None:
                return None
            parts = scene.focus.item.parts(scene)
            key = scene.focus.key
            return Stop(place, next((part for part in parts if part.key == key), None))
        number = column.number_of(scene.focused_message)
        return None if number is None else Stop(Place(number, 0))

    def stops_of(self, place: Place) -> list[Stop]:
        """The stops of a row: first the message (at its first row), then the row's parts."""
        out = [Stop(place)] if place.row == 0 else []
        item = self._view.column.item(place)
        if item is not None:
            if not item.width:
                self._view.column.measure(place)
            out += [Stop(place, part) for part in item.parts(self._view.scene)]
        return out

    def _same(self, one: Stop, other: Stop) -> bool:
        key = one.part.key if one.part is not None else ""
        other_key = other.part.key if other.part is not None else ""
        return one.place == other.place and key == other_key

    def move(self, step: int) -> bool:
        """To the next (1) or the one before (-1); False at the end."""
        here = self.here
        if here is None:
            return self.enter(last=step < 0)
        place: Place | None = here.place
        stops = self.stops_of(here.place)
        at = next((n for n, stop in enumerate(stops) if self._same(stop, here)), 0) + step
        for _ in range(_FAR):
            if 0 <= at < len(stops):
                self._go(stops[at])
                return True
            assert place is not None
            column = self._view.column
            place = column.following(place) if step > 0 else column.preceding(place)
            if place is None:
                return False
            stops = self.stops_of(place)
            at = 0 if step > 0 else len(stops) - 1
        return False

    def enter(self, *, last: bool) -> bool:
        """The focus comes in: to the first or last stop that is in sight."""
        places = self._view.scroller.visible_places()
        stops = [stop for place in places for stop in self.stops_of(place)]
        if not stops:
            return False
        self._go(stops[-1 if last else 0])
        return True

    def _go(self, stop: Stop) -> None:
        view, scene = self._view, self._view.scene
        item: Item | None = view.column.item(stop.place)
        view.unfocus()
        scene.focused_message = view.column.heads[stop.place.message].id
        if stop.part is not None and item is not None:
            scene.focus = Pointed(item, stop.part.key)
        view.scroller.reveal(stop.place)
        view.viewport().update()
        view.focus_moved(stop.place, stop.part)

    # Keys

    def take(self, event: QKeyEvent) -> bool:
        """Handle a key; False if it means nothing here."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self._view.copy(markdown=False)
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self._view.select_all()
        elif self._is_markdown_copy(event):
            self._view.copy(markdown=True)
        else:
            return self._take_plain(event)
        return True

    def _is_markdown_copy(self, event: QKeyEvent) -> bool:
        both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        return event.key() == Qt.Key.Key_C and event.modifiers() == both

    def _take_plain(self, event: QKeyEvent) -> bool:
        page = self._view.scroller.room - 40
        line = self._view.look.theme.line_px * 2
        match event.key():
            case Qt.Key.Key_Down | Qt.Key.Key_Up:
                down = event.key() == Qt.Key.Key_Down
                if self.here is not None:
                    self.move(1 if down else -1)
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
        here = self.here
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if here is not None:
                item = self._view.column.item(here.place)
                if here.part is not None and item is not None:
                    self._view.press(here.place, item, here.part)
                return True
            case Qt.Key.Key_Left | Qt.Key.Key_Right if here is not None:
                return self._sideways(here, 1 if event.key() == Qt.Key.Key_Right else -1)
            case Qt.Key.Key_Escape if here is not None or not self._view.selection.is_empty:
                self._view.unfocus()
                self._view.selection.clear()
                self._view.viewport().update()
                return True
            case _:
                return False

    def _sideways(self, here: Stop, step: int) -> bool:
        item = self._view.column.item(here.place)
        if not isinstance(item, WideItem):
            return False
        if item.scroll_by(step * _SIDEWAYS, self._view.look):
            self._view.viewport().update()
        return True
