"""The geometry of a conversation: positions of messages and items, and the anchor of the view.

Messages that aren't loaded have an estimated height. Only visible items are laid out; if an
estimate turns out wrong, the view is scrolled so that the `Anchor` stays in place. All y are pixels
from the top of the conversation.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from neodeskpet.core.blocks import MessageHead, Role
from neodeskpet.ui.chat.items.item import Item
from neodeskpet.ui.chat.items.item_style import ItemStyle
from neodeskpet.ui.chat.view.height_tree import HeightTree
from neodeskpet.ui.chat.view.message_entry import MIN_ITEM_WIDTH, MessageEntry

MARGIN = 16
_MAX_PASSES = 40
LAYOUT_BUDGET = 8_000
"""Maximum sum of `Item.measure_cost` in one call of `MessageColumn.layout_visible`; about
microseconds.
"""
_ANSWERS = 20
"""Maximum number of messages after a user's message that take its language."""
_REACH = 6
"""Pixels by which parts of a message, such as the portrait, extend above its first row."""


@dataclass(frozen=True, slots=True)
class RowPosition:
    """Row `row` of message number `message`."""

    message: int
    row: int


@dataclass(frozen=True, slots=True)
class Anchor:
    """What must not move: `item` of the message `message_id` starts `offset` px below the top of
    the viewport. `item` is None for a message that isn't loaded. Without a message: the end of the
    conversation.
    """

    message_id: str = ""
    item: Item | None = None
    row: int = 0
    offset: int = 0

    @property
    def at_end(self) -> bool:
        return not self.message_id


END_ANCHOR = Anchor()


class MessageColumn:
    """Messages one below the other. `clock` returns Unix seconds."""

    def __init__(self, look: ItemStyle, clock: Callable[[], float] = time.time) -> None:
        self.style = look
        self._clock = clock
        self._lead = MARGIN  # pixels above the first message
        self.width = 320
        self.heads: list[MessageHead] = []
        self.entries: list[MessageEntry | None] = []
        self.is_incomplete = False
        """Whether the last `layout_visible` stopped before all visible rows were laid out."""
        self._numbers: dict[str, int] = {}
        self._heights = HeightTree()
        self._work = 0  # what is left of `LAYOUT_BUDGET`

    def __len__(self) -> int:
        return len(self.heads)

    @property
    def total(self) -> int:
        """Return the total height, with the margin at both ends."""
        return self._lead + self._heights.total + MARGIN if self.heads else 0

    # Contents

    def set_heads(self, heads: Sequence[MessageHead]) -> None:
        self.heads = list(heads)
        self.entries = [None] * len(self.heads)
        self._renumber()
        self._heights = HeightTree(self._estimates(self.heads))
        self._lead = MARGIN

    def replace_below(self, number: int, heads: Sequence[MessageHead]) -> None:
        """Show `heads` from message `number` on. Entries of messages that remain are kept; the cost
        only depends on what is replaced.
        """
        kept = {entry.id: entry for entry in self.entries[number:] if entry is not None}
        for head in self.heads[number:]:
            del self._numbers[head.id]
        self.heads[number:] = heads
        self.entries[number:] = [kept.get(head.id) for head in heads]
        self._heights.splice(number, self._estimates(heads))
        for place, head in enumerate(heads, number):
            self._numbers[head.id] = place
        for place in range(max(0, number - 1), len(self.heads)):
            entry = self.entries[place]
            if entry is not None:
                entry.rebuild_items()
                entry.set_asked_in(self._asked_in(place))
                entry.refresh(self.width)
                self._update(place)

    def versions_of(self, message_id: str) -> tuple[int, int]:
        """Return the version of a message and the number of versions."""
        number = self._numbers.get(message_id)
        head = self.heads[number] if number is not None else None
        return (1, 1) if head is None else (head.version, head.versions)

    def _renumber(self) -> None:
        self._numbers = {head.id: number for number, head in enumerate(self.heads)}

    def _estimates(self, heads: Sequence[MessageHead]) -> list[int]:
        """Return estimated heights from the numbers of characters and blocks; ten thousand in a few
        ms.
        """
        theme = self.style.theme
        per_line, line = self.style.chars_per_line(self.width), theme.line_px
        card = theme.card_height + theme.card_gap
        least = line + theme.message_gap + 24 - card
        return [head.chars // per_line * line + head.blocks * card + least for head in heads]

    def number_of(self, message_id: str) -> int | None:
        return self._numbers.get(message_id)

    def ends_with(self, message_id: str) -> bool:
        """Whether this message is the last one."""
        return bool(self.heads) and self.heads[-1].id == message_id

    def entry(self, message_id: str) -> MessageEntry | None:
        number = self._numbers.get(message_id)
        return None if number is None else self.entries[number]

    def set_entry(self, entry: MessageEntry) -> int:
        """Set the entry of a known message, or add one at the end; return its number."""
        number = self._numbers.get(entry.id)
        if number is None:
            number = len(self.heads)
            self.heads.append(MessageHead(entry.id, str(entry.role), 0))
            self.entries.append(entry)
            self._numbers[entry.id] = number
            self._heights.append(0)
        self.entries[number] = entry
        entry.set_asked_in(self._asked_in(number))
        entry.refresh(self.width)
        self._update(number)
        if number:
            self._update(number - 1)  # a new day may begin here
        if entry.is_user:
            self._tell_language(number)
        return number

    def unload_far(self, first: int, last: int, kept: int) -> list[str]:
        """Unload the messages that are farthest from the messages `first` to `last` until only
        `kept` are loaded; return their ids. Their heights stay.
        """
        loaded = [
            (max(first - number, number - last, 0), number)
            for number, entry in enumerate(self.entries)
            if entry is not None
        ]
        gone: list[str] = []
        for distance, number in sorted(loaded, reverse=True):
            if not distance or len(loaded) - len(gone) <= kept:
                break
            entry = self.entries[number]
            if entry is not None and entry.can_unload:
                self.entries[number] = None
                gone.append(entry.id)
        return gone

    def loaded_count(self) -> int:
        return len(self.entries) - self.entries.count(None)

    def _asked_in(self, number: int) -> str:
        """Return the language of the last user message before message `number`; "" if unknown."""
        for place in range(number - 1, max(-1, number - 1 - _ANSWERS), -1):
            if self.heads[place].role == Role.USER:
                entry = self.entries[place]
                return entry.language if entry is not None else ""
        return ""

    def _tell_language(self, number: int) -> None:
        """Pass the language of user message `number` to replies that were loaded before it."""
        person = self.entries[number]
        for place in range(number + 1, min(len(self.heads), number + 1 + _ANSWERS)):
            answer = self.entries[place]
            if self.heads[place].role == Role.USER or person is None:
                return
            if answer is not None and answer.set_asked_in(person.language):
                answer.refresh(self.width)
                self._update(place)

    def refresh(self, number: int) -> int | None:
        """Update a message; return y of the first change, or None."""
        entry = self.entries[number]
        row = entry.refresh(self.width) if entry is not None else None
        if entry is None or row is None:
            return None
        self._update(number)
        reach = 0 if row or entry.repaint_from else _REACH
        return self.message_top(number) + entry.rows.offset_of(row) + entry.repaint_from - reach

    def update_heights(self, number: int, items: Sequence[Item]) -> None:
        """Update the heights of these items."""
        entry = self.entries[number]
        if entry is not None and items:
            entry.update_heights(items, self.width)
            self._update(number)

    def _update(self, number: int) -> None:
        entry = self.entries[number]
        if entry is not None:
            gap = self.style.theme.message_gap if entry.rows.total else 0
            if self.day_below(number) is not None:
                gap += self.day_room
            self._heights.set_height(number, entry.rows.total + gap)
        if number == 0:
            self._lead = MARGIN + (self.day_room if self.day_above() is not None else 0)

    @property
    def day_room(self) -> int:
        """Return the height of a day's line in pixels."""
        return self.style.small_line + self.style.theme.message_gap

    def day_above(self) -> float | None:
        """Return the time of the first message (Unix seconds) if it is known and not from today."""
        first = self.entries[0] if self.entries else None
        if first is None or _day(first.created) == _day(self._clock()):
            return None
        return first.created

    def day_below(self, number: int) -> float | None:
        """Return the time of the message below (Unix seconds) if it is from another day and both
        are loaded.
        """
        pair = self.entries[number : number + 2]
        if len(pair) < 2 or pair[0] is None or pair[1] is None:
            return None
        return pair[1].created if _day(pair[0].created) != _day(pair[1].created) else None

    def day_top(self, number: int) -> int:
        """Return y of the day's line below a message; -1: of the one above the first message."""
        if number < 0:
            return MARGIN
        return self.message_top(number) + self._heights[number] - self.day_room

    # Positions

    def message_top(self, number: int) -> int:
        """Return the top of message `number`."""
        return self._lead + self._heights.offset_of(number)

    def row_top(self, place: RowPosition) -> int:
        """Return the top of a row's item, below its gap."""
        entry = self.entries[place.message]
        top = self.message_top(place.message)
        if entry is None or place.row >= len(entry.items):
            return top
        return top + entry.rows.offset_of(place.row) + entry.items[place.row].gap

    def height_of(self, number: int) -> int:
        return self._heights[number]

    def row_at(self, y: int) -> RowPosition | None:
        """Return the row at `y` or the nearest one; None if there is no message."""
        if not self.heads:
            return None
        number = self._heights.row_at(y - self._lead)
        entry = self.entries[number]
        if entry is None or not entry.items:
            return RowPosition(number, 0)
        return RowPosition(number, entry.rows.row_at(y - self.message_top(number)))

    def item(self, place: RowPosition) -> Item | None:
        entry = self.entries[place.message]
        if entry is None or place.row >= len(entry.items):
            return None
        return entry.items[place.row]

    def measure(self, place: RowPosition) -> None:
        """Lay out a row that isn't visible."""
        entry = self.entries[place.message]
        if entry is not None:
            entry.measure(place.row, self.width)

    def position_of(self, item: Item, message_id: str = "") -> RowPosition | None:
        """Return the position of an item; search in the message of this id, or from the end."""
        known = self._numbers.get(message_id)
        numbers = [known] if known is not None else range(len(self.entries) - 1, -1, -1)
        for number in numbers:
            entry = self.entries[number]
            row = entry.row_of(item) if entry is not None else None
            if row is not None:
                return RowPosition(number, row)
        return None

    def visible_rows(self, top: int, bottom: int) -> list[RowPosition]:
        """Return the rows between two y, in order; one position (row 0) for a message without
        blocks.
        """
        return [RowPosition(number, row) for number, row, _ in self._between(top, bottom)]

    def _between(self, top: int, bottom: int) -> Iterator[tuple[int, int, int]]:
        """Yield message, row and top of the rows between two y, in order; (number, 0, top) for a
        message without blocks. The height of a yielded row may change meanwhile. It runs several
        times for each paint, so sums are carried along.
        """
        place = self.row_at(top)
        if place is None:
            return
        number, row, y = place.message, place.row, self.row_start(place)
        while y < bottom:
            entry = self.entries[number]
            last = len(entry.items) - 1 if entry is not None else 0
            yield number, row, y
            while entry is not None and row < last:
                y += entry.rows[row]
                row += 1
                if y >= bottom:
                    return
                yield number, row, y
            number, row = number + 1, 0
            if number == len(self.heads):
                return
            y = self.message_top(number)

    def row_start(self, place: RowPosition) -> int:
        """Return the top of a row including its gap; `row` may be one past the last."""
        entry = self.entries[place.message]
        before = entry.rows.offset_of(place.row) if entry is not None else 0
        return self.message_top(place.message) + before

    def next_row(self, place: RowPosition) -> RowPosition | None:
        """Return the next row; None after the last one."""
        entry = self.entries[place.message]
        if entry is not None and place.row + 1 < len(entry.items):
            return RowPosition(place.message, place.row + 1)
        return RowPosition(place.message + 1, 0) if place.message + 1 < len(self.heads) else None

    def previous_row(self, place: RowPosition) -> RowPosition | None:
        if place.row:
            return RowPosition(place.message, place.row - 1)
        if not place.message:
            return None
        entry = self.entries[place.message - 1]
        rows = len(entry.items) if entry is not None else 1
        return RowPosition(place.message - 1, max(0, rows - 1))

    # Anchors

    def anchor_at(self, top: int) -> Anchor:
        """Return the anchor at `top`: the first row that starts in view, or the one that covers
        `top`.
        """
        place = self.row_at(top)
        if place is None:
            return END_ANCHOR
        following = self.next_row(place)
        if self.row_start(place) < top and following is not None:
            gap = self.row_start(following) - top
            if gap < 160:
                place = following
        return self.anchor_of(place, top)

    def anchor_of(self, place: RowPosition, top: int) -> Anchor:
        head = self.heads[place.message]
        return Anchor(head.id, self.item(place), place.row, self.row_top(place) - top)

    def offset_of(self, anchor: Anchor, height: int) -> int:
        """Return the scroll offset that puts the anchor in its place."""
        most = max(0, self.total - height)
        number = self._numbers.get(anchor.message_id)
        if anchor.at_end or number is None:
            return most
        entry = self.entries[number]
        row = None
        if entry is not None and entry.items:
            row = entry.row_of(anchor.item) if anchor.item is not None else 0
            if row is None:
                row = min(anchor.row, len(entry.items) - 1)
        top = self.row_top(RowPosition(number, row or 0))
        return min(most, max(0, top - anchor.offset))

    def layout_visible(self, anchor: Anchor, height: int) -> tuple[int, int | None]:
        """Lay out the visible rows of a viewport of this height. Return the scroll offset, and y of
        the first row whose height changed. Stops after `LAYOUT_BUDGET` and sets `is_incomplete`:
        the remaining rows keep their estimated heights until the next call.
        """
        first: int | None = None
        self._work, self.is_incomplete = LAYOUT_BUDGET, False
        offset = self.offset_of(anchor, height)
        for _ in range(_MAX_PASSES):
            changed = self._measure(offset, offset + height)
            if changed is None:
                break
            first = changed if first is None else min(first, changed)
            offset = self.offset_of(anchor, height)
            if self.is_incomplete:
                break
        return offset, first

    def _measure(self, top: int, bottom: int) -> int | None:
        """Lay out the rows between two y; return the top of the first one that changed."""
        first: int | None = None
        for number, row, start in self._between(top, bottom):
            entry = self.entries[number]
            if entry is None or row >= len(entry.items):
                continue
            item = entry.items[row]
            if item.width and item.width == max(MIN_ITEM_WIDTH, self.width - item.indent):
                continue  # the usual case: saves the call
            if self._work <= 0:
                self.is_incomplete = True
                break
            self._work -= item.measure_cost
            fresh = item.repaint_from
            if entry.measure(row, self.width):
                self._update(number)
            elif item.repaint_from == fresh:
                continue
            first = start + item.repaint_from if first is None else first
        return first

    def missing_ids(self, top: int, bottom: int) -> list[str]:
        """Return the ids of messages between two y that aren't loaded."""
        if not self.heads:
            return []
        out = []
        number = self._heights.row_at(top - self._lead)
        while number < len(self.heads) and self.message_top(number) < bottom:
            if self.entries[number] is None:
                out.append(self.heads[number].id)
            number += 1
        return out


def _day(seconds: float) -> date:
    return datetime.fromtimestamp(seconds).date()
