"""The text of a message for screen readers and magnifiers: what is read, and where each character
of it is on the screen.

What is read differs from what is drawn: a list has its bullets, a table its size, a formula its
source. So positions are translated between the two texts. All positions count UTF-16 units, as Qt's
do.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QPoint, QPointF, QRect
from PySide6.QtGui import QAccessibleTextInterface

from neodeskpet.ui.chat.items.item import Item
from neodeskpet.ui.chat.items.text_items import TextItem
from neodeskpet.ui.chat.view.message_column import RowPosition
from neodeskpet.ui.chat.view.text_selection import TextPosition
from neodeskpet.ui.chat.view.view_interface import ChatViewInterface
from neodeskpet.ui.rendering.code_spans import utf16_length

_REACH = 24
"""Characters of the drawn text that may be missing in the text that is read, in one place."""
_MOST_OF_WORD = 8


@dataclass(frozen=True, slots=True)
class TextPart:
    """What is read of an item, and its position in the text of the message."""

    item: Item
    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + utf16_length(self.text)


def text_parts(items: Sequence[Item]) -> list[TextPart]:
    """Return what is read of these items; there is a line break between two of them."""
    parts: list[TextPart] = []
    at = 0
    for item in items:
        text = item.accessible_text
        if text:
            parts.append(TextPart(item, at, text))
            at = parts[-1].end + 1
    return parts


def joined_text(parts: Sequence[TextPart]) -> str:
    return "\n".join(part.text for part in parts)


def utf16_slice(text: str, start: int, end: int) -> str:
    """Return a part of `text`; half of a character outside the basic plane is replaced."""
    if text.isascii():
        return text[start:end]
    return text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le", "replace")


@lru_cache(maxsize=32)
def matched_positions(spoken: str, drawn: str, first: int = 0) -> tuple[int, ...]:
    """Return the position in `drawn` of each character of `spoken`, and of its end. A character
    that isn't drawn, such as those before `first`, has the position of the next one that is.
    """
    heard = array("H", spoken.encode("utf-16-le"))
    seen = array("H", drawn.encode("utf-16-le"))
    found: list[int] = []
    at = 0
    for number, unit in enumerate(heard):
        place = at
        if number < first:
            place = -1
        elif at >= len(seen) or seen[at] != unit:
            place = _find_word(heard, number, seen, at)
        found.append(at if place < 0 else place)
        at = at if place < 0 else place + 1
    return (*found, at)


def _find_word(heard: array[int], number: int, seen: array[int], at: int) -> int:
    """Return where the word that begins at `number` is in `seen`; -1 if nowhere near."""
    end = number
    while end < min(number + _MOST_OF_WORD, len(heard)) and chr(heard[end]).isalnum():
        end += 1
    if end == number or (number and chr(heard[number - 1]).isalnum()):
        return -1
    wanted = heard[number:end]
    for place in range(at, min(at + _REACH, len(seen))):
        if seen[place : place + len(wanted)] == wanted:
            return place
    return -1


class MessageText:
    """The text of one message of `view`."""

    def __init__(self, view: ChatViewInterface, message_id: str) -> None:
        self._view = view
        self._message_id = message_id

    @property
    def parts(self) -> list[TextPart]:
        entry = self._view.column.entry(self._message_id)
        return text_parts(entry.items) if entry is not None else []

    @property
    def length(self) -> int:
        parts = self.parts
        return parts[-1].end if parts else 0

    def between(self, start: int, end: int) -> str:
        """Return the text between two positions."""
        taken = [part for part in self.parts if part.start <= end and part.end >= start]
        if not taken:
            return ""
        first = taken[0].start
        return utf16_slice(joined_text(taken), max(0, start - first), max(0, end - first))

    def part_at(self, position: int) -> TextPart | None:
        """Return the part with this character; the line break after a part belongs to it."""
        return next((part for part in self.parts if part.start <= position <= part.end), None)

    def row_of(self, part: TextPart) -> RowPosition | None:
        return self._view.column.position_of(part.item, self._message_id)

    # From the text to the screen

    def rect(self, position: int) -> QRect:
        """Return the rectangle of a character in the viewport; of its row if the text isn't
        laid out.
        """
        part = self.part_at(position)
        place = self.row_of(part) if part is not None else None
        if part is None or place is None:
            return QRect()
        row, item = self._view.scroller.row_rect(place), part.item
        drawn = self._drawn_position(part, position)
        if drawn is None or not isinstance(item, TextItem):
            return row
        scene = self._view.scene
        rects = item.span_rects(scene, drawn, drawn + 1)
        rect = rects[0] if rects else item.character_rect(scene, drawn)
        return rect.translated(QPointF(row.topLeft())).toAlignedRect()

    def position_in_items(self, position: int) -> TextPosition | None:
        """Return the position for a selection."""
        part = self.part_at(position)
        if part is None:
            return None
        drawn = self._drawn_position(part, position)
        return TextPosition(self._message_id, part.item, drawn or 0)

    def _drawn_position(self, part: TextPart, position: int) -> int | None:
        """Return the position in the item's document; None if the item isn't laid out."""
        matched = self._matched(part)
        if matched is None:
            return None
        return matched[min(position - part.start, len(matched) - 1)]

    def _matched(self, part: TextPart) -> tuple[int, ...] | None:
        item = part.item
        if not isinstance(item, TextItem) or not item.width:
            return None
        drawn = item.document(self._view.scene).toRawText()
        return matched_positions(part.text, drawn, item.undrawn_length)

    # From the screen to the text

    def position_at(self, point: QPoint) -> int:
        """Return the position of the character at a point of the viewport; -1 for a point outside
        the message.
        """
        view = self._view
        place = view.scroller.position_at(QPointF(point))
        if place is None or view.column.heads[place.message].id != self._message_id:
            return -1
        item = view.column.item(place)
        part = next((one for one in self.parts if one.item is item), None)
        if part is None:
            return -1
        if self._matched(part) is None or not isinstance(item, TextItem):
            return part.start
        local = view.scroller.local(place, QPointF(point))
        return self._spoken_position(part, item.position_at(view.scene, local))

    def _spoken_position(self, part: TextPart, drawn: int) -> int:
        matched = self._matched(part)
        return part.start if matched is None else part.start + bisect_left(matched, drawn)

    def selected_range(self) -> tuple[int, int] | None:
        """Return the selected part of the text; None if nothing of the message is selected."""
        selection, column = self._view.selection, self._view.column
        keys = selection.ordered_ends()
        number = column.number_of(self._message_id)
        entry = column.entry(self._message_id)
        if keys is None or number is None or entry is None:
            return None
        ends: list[tuple[int, int]] = []
        for part in self.parts:
            row = entry.row_of(part.item)
            span = (
                selection.selected_range(keys, RowPosition(number, row))
                if row is not None
                else None
            )
            if span is not None:
                first, last = (self._spoken_position(part, end) for end in span)
                ends.append((first, min(last, part.end)))
        return (ends[0][0], ends[-1][1]) if ends else None


class TextInterface(QAccessibleTextInterface):
    """The text of a message, read-only. The caret is at the end of the selection.

    PySide doesn't let Python return the ends of a selection, so none is reported.
    """

    def __init__(self, view: ChatViewInterface, message_id: str) -> None:
        super().__init__()
        self._view = view
        self._text = MessageText(view, message_id)

    def text(self, start: int, end: int) -> str:
        return self._text.between(start, end)

    def characterCount(self) -> int:
        return self._text.length

    def characterRect(self, offset: int) -> QRect:
        rect = self._text.rect(offset)
        return QRect(self._view.viewport().mapToGlobal(rect.topLeft()), rect.size())

    def cursorPosition(self) -> int:
        selected = self._text.selected_range()
        return 0 if selected is None else selected[1]

    def offsetAtPoint(self, point: QPoint) -> int:
        return self._text.position_at(self._view.viewport().mapFromGlobal(point))

    def selectionCount(self) -> int:
        return 0

    def addSelection(self, start: int, end: int) -> None:
        ends = self._text.position_in_items(start), self._text.position_in_items(end)
        if ends[0] is not None and ends[1] is not None:
            self._view.selection.start(ends[0])
            self._view.selection.extend(ends[1])
            self._view.viewport().update()

    def removeSelection(self, _index: int) -> None:
        self._view.selection.clear()
        self._view.viewport().update()

    def setSelection(self, _index: int, start: int, end: int) -> None:
        self.addSelection(start, end)

    def setCursorPosition(self, position: int) -> None:
        """Scroll there: text that can't be edited has no cursor."""
        self.scrollToSubstring(position, position)

    def scrollToSubstring(self, start: int, _end: int) -> None:
        part = self._text.part_at(start)
        place = self._text.row_of(part) if part is not None else None
        if place is not None:
            self._view.scroller.reveal(place)
