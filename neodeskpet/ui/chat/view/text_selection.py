"""Text selection from one character to another, across items and messages; and copying."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QPointF
from PySide6.QtGui import QTextCursor

from neodeskpet.core.markdown.pieces import Continuation
from neodeskpet.ui.chat.items.code_items import CodeItem
from neodeskpet.ui.chat.items.item import Item, RuleItem, Scene
from neodeskpet.ui.chat.items.text_items import MarkdownItem, TextItem
from neodeskpet.ui.chat.view.message_column import MessageColumn, RowPosition

_FAR = 1 << 30

SelectionKey = tuple[int, int, int]
"""Number of the message, row, position: sorts in reading order."""


class SelectionUnit(StrEnum):
    """The unit of selecting by drag."""

    CHARACTER = "character"
    WORD = "word"
    PARAGRAPH = "paragraph"


@dataclass(frozen=True, slots=True)
class TextPosition:
    """A boundary between characters. `item` is None in a message that isn't loaded."""

    message_id: str
    item: Item | None
    position: int


class TextSelection:
    """Stored by message and item, so that it is stable while text streams in."""

    def __init__(self, column: MessageColumn, scene: Scene) -> None:
        self._column = column
        self._scene = scene
        self._unit = SelectionUnit.CHARACTER
        self._from: tuple[TextPosition, TextPosition] | None = None
        self._to: tuple[TextPosition, TextPosition] | None = None

    def clear(self) -> None:
        self._from = self._to = None

    @property
    def is_empty(self) -> bool:
        return self.ordered_ends() is None

    def position_at(self, place: RowPosition, point: QPointF) -> TextPosition:
        """Return the text position at `point` (item coordinates)."""
        item = self._column.item(place)
        head = self._column.heads[place.message]
        if isinstance(item, TextItem):
            return TextPosition(head.id, item, item.position_at(self._scene, point))
        below = item is not None and point.y() > item.height / 2
        return TextPosition(head.id, item, int(below))

    def start(self, spot: TextPosition, unit: SelectionUnit = SelectionUnit.CHARACTER) -> None:
        self._unit = unit
        self._from = self._to = self._around(spot)

    def extend(self, spot: TextPosition) -> None:
        """Extend the selection to `spot`, or start one there."""
        if self._from is None:
            self.start(spot)
        else:
            self._to = self._around(spot)

    def select_all(self) -> None:
        if not self._column.heads:
            return
        self._unit = SelectionUnit.CHARACTER
        first, last = self._column.heads[0], self._column.heads[-1]
        entry = self._column.entries[-1]
        item = entry.items[-1] if entry is not None and entry.items else None
        start = TextPosition(first.id, None, 0)
        end = TextPosition(last.id, item, _FAR)
        self._from, self._to = (start, start), (end, end)

    def _around(self, spot: TextPosition) -> tuple[TextPosition, TextPosition]:
        """Return the ends of the unit around a position."""
        item = spot.item
        if self._unit is SelectionUnit.CHARACTER or not isinstance(item, TextItem):
            return spot, spot
        cursor = QTextCursor(item.document(self._scene))
        cursor.setPosition(min(spot.position, item.length(self._scene)))
        if self._unit is SelectionUnit.WORD:
            cursor.select(QTextCursor.SelectionType.WordUnderCursor)
            start, end = cursor.selectionStart(), cursor.selectionEnd()
        else:
            block = cursor.block()
            start, end = block.position(), block.position() + block.length() - 1
        return TextPosition(spot.message_id, item, start), TextPosition(spot.message_id, item, end)

    def _key(self, spot: TextPosition) -> SelectionKey | None:
        number = self._column.number_of(spot.message_id)
        if number is None:
            return None
        entry = self._column.entries[number]
        if spot.item is None or entry is None:
            return number, 0 if spot.position == 0 else _FAR, spot.position
        row = entry.row_of(spot.item)
        return None if row is None else (number, row, spot.position)

    def ordered_ends(self) -> tuple[SelectionKey, SelectionKey] | None:
        """Return start and end in reading order; None if nothing is selected."""
        if self._from is None or self._to is None:
            return None
        found = [self._key(spot) for spot in (*self._from, *self._to)]
        keys = [key for key in found if key is not None]
        if len(keys) < len(found) or min(keys) == max(keys):
            return None
        return min(keys), max(keys)

    def selected_range(
        self, keys: tuple[SelectionKey, SelectionKey] | None, place: RowPosition
    ) -> tuple[int, int] | None:
        """Return the selected characters of a row; None if none."""
        if keys is None:
            return None
        start, end = keys
        here = (place.message, place.row)
        if here < start[:2] or here > end[:2]:
            return None
        first = start[2] if here == start[:2] else 0
        last = end[2] if here == end[:2] else _FAR
        return (first, last) if first < last else None

    # Copying

    def missing_ids(self) -> list[str]:
        """Return the ids of selected messages that aren't loaded."""
        keys = self.ordered_ends()
        if keys is None:
            return []
        span = range(keys[0][0], keys[1][0] + 1)
        return [self._column.heads[n].id for n in span if self._column.entries[n] is None]

    def text(self, *, markdown: bool) -> str:
        """Return the selected text of the loaded messages."""
        keys = self.ordered_ends()
        if keys is None:
            return ""
        out: list[str] = []
        place: RowPosition | None = RowPosition(
            keys[0][0], min(keys[0][1], self._last_row(keys[0][0]))
        )
        before: TextItem | None = None
        while place is not None and (place.message, place.row) <= keys[1][:2]:
            item = self._column.item(place)
            span = self.selected_range(keys, place)
            if isinstance(item, TextItem) and span is not None:
                if before is not None:
                    out.append(_between(before, item, markdown=markdown))
                out.append(self._taken(item, span, markdown=markdown))
                before = item
            elif isinstance(item, RuleItem) and markdown and span is not None:
                out.append("\n\n---")
            place = self._column.next_row(place)
        return "".join(out)

    def _last_row(self, message: int) -> int:
        entry = self._column.entries[message]
        return max(0, len(entry.items) - 1) if entry is not None else 0

    def _taken(self, item: TextItem, span: tuple[int, int], *, markdown: bool) -> str:
        start, end = span
        whole = start == 0 and (end == _FAR or end >= item.length(self._scene))
        if not whole:
            return item.text_between(self._scene, start, end)
        return markdown_source(item) if markdown else item.plain_text


def markdown_source(item: TextItem) -> str:
    """Return an item's Markdown source, including fences and indents."""
    text = item.source
    levels = 0
    if isinstance(item, CodeItem):
        chunks = item.block.chunks
        if chunks[0] is item:
            text = f"```{item.block.language}\n{text}"
        if chunks[-1] is item:
            text += "\n```"
        levels = item.piece.indent
    elif isinstance(item, MarkdownItem):
        lines = item.piece.lines
        text = "\n".join(lines[2:] if item.piece.head else lines)
        levels = item.piece.indent
    pad = "   " * levels
    return "\n".join(pad + line if line else line for line in text.split("\n")) if pad else text


def _between(before: TextItem, item: TextItem, *, markdown: bool) -> str:
    if item.joint is Continuation.INLINE:
        return ""
    if item.joint is Continuation.LINE or (before.in_card and item.in_card):
        return "\n"
    listed = isinstance(item, MarkdownItem) and item.indent and not markdown
    return "\n" if listed else "\n\n"
