"""Steps through the matches in the open conversation, however much of it is loaded.

Matches in visible messages are counted as they are painted; for the others the index tells the
number of matches, and a message is loaded when the user goes there.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial

from PySide6.QtCore import QObject, QRectF, QTimer, Signal

from neodeskpet.core.text_search import SearchPattern
from neodeskpet.ui.chat.items.code_items import CodeItem
from neodeskpet.ui.chat.items.item import HitRegion, ItemAction
from neodeskpet.ui.chat.items.text_items import TextItem
from neodeskpet.ui.chat.items.wide_items import WideItem
from neodeskpet.ui.chat.view.chat_view import ChatView
from neodeskpet.ui.chat.view.message_column import Anchor
from neodeskpet.ui.chat.view.message_entry import MessageEntry
from neodeskpet.ui.task_runner import TaskRunner

_RECOUNT_MS = 120
_EDGE = 64
"""Margin in pixels at the edges of the view in which a match isn't well visible."""

CountMatches = Callable[[SearchPattern], Awaitable[Mapping[str, int]]]


class MatchFinder(QObject):
    """`counts` returns the number of matches in each indexed message of the open conversation.

    Signal: `position_changed(which, count)`: number of the current match, from 1, and the number of
    matches; 0 of 0 if there is none.
    """

    position_changed = Signal(int, int)

    def __init__(self, view: ChatView, counts: CountMatches, work: TaskRunner) -> None:
        super().__init__(view)
        self._view = view
        self._ask = counts
        self._work = work
        self._counts: dict[str, int] = {}
        self._exact: set[str] = set()  # counted in the painted text
        self._at: tuple[str, int] | None = None  # message, and number of the match in it
        self._goal: tuple[str, int] | None = None  # the match to show when its message is loaded
        self._heads = 0
        self._soon = QTimer(self, singleShot=True, interval=_RECOUNT_MS)
        self._soon.timeout.connect(self._follow)
        view.scroller.arranged.subscribe(self._arranged)

    @property
    def _marks(self) -> SearchPattern:
        return self._view.scene.marks.needle

    def search(self, needle: SearchPattern, *, at: str = "") -> None:
        """Highlight matches and go to the first one from the visible part on, or to the first one
        in the message `at`, which is shown in any case.
        """
        self._view.scene.marks.set_needle(needle)
        self._counts, self._exact = {}, set()
        self._at = self._goal = None
        self._view.viewport().update()
        self._heads = len(self._view.column.heads)
        if at:
            self._go(at, 0)
        self._count_drawn()
        if not at:
            self._settle()
        if needle:
            self._work.replace("find here", partial(self._count, needle, start=not at))
        self._tell()

    def clear(self) -> None:
        """End the search."""
        self._work.replace("find here", _no_work)
        self.search(SearchPattern(()))

    def step(self, by: int) -> None:
        """Go to the next match (1) or the previous one (-1), wrapping around."""
        if not self._marks:
            return
        if self._at is None:
            self._settle()
            return
        message, place = self._at
        place += by
        if 0 <= place < self._counts.get(message, 0):
            self._go(message, place)
            return
        following = self._others(message, by)
        if following:
            self._go(following, 0 if by > 0 else -1)

    # Counts

    async def _count(self, needle: SearchPattern, *, start: bool) -> None:
        found = await self._ask(needle)
        if needle is not self._marks:
            return
        for message, count in found.items():
            if message not in self._exact:
                self._counts[message] = count
        if start and self._at is None:
            self._settle()
        self._tell()

    def _arranged(self) -> None:
        if self._marks and not self._soon.isActive():
            self._soon.start()

    def _follow(self) -> None:
        """Update the counts after messages were loaded, changed, opened or closed."""
        if not self._marks:
            return
        heads = len(self._view.column.heads)
        self._count_drawn()
        if heads != self._heads:
            self._heads = heads
            self._work.replace("find here", partial(self._count, self._marks, start=False))
        if self._goal is not None and self._view.column.entry(self._goal[0]) is not None:
            self._go(*self._goal)
        elif self._at is None:
            self._settle()
        self._tell()

    def _count_drawn(self) -> None:
        """Count the matches of visible messages and of the newest one, which may be growing, in
        their painted text.
        """
        column = self._view.column
        seen = {place.message for place in self._view.scroller.visible_places()}
        if column.heads:
            seen.add(len(column.heads) - 1)
        for number in seen:
            entry = column.entries[number]
            if entry is not None:
                self._note(entry)

    def _note(self, entry: MessageEntry) -> int:
        count = sum(len(places) for _, places in self._places(entry))
        self._exact.add(entry.id)
        self._counts[entry.id] = count
        return count

    def _places(self, entry: MessageEntry) -> Iterator[tuple[TextItem, list[tuple[int, int]]]]:
        scene = self._view.scene
        for item in entry.items:
            # Most texts have no match: their documents aren't created.
            if isinstance(item, TextItem) and self._may_hold(item):
                yield item, scene.marks.match_positions(item, scene.documents.get(item))

    def _may_hold(self, item: TextItem) -> bool:
        return bool(self._marks.spans(item.plain_text) or self._marks.spans(item.source))

    def _tell(self) -> None:
        if not self._marks:
            self.position_changed.emit(0, 0)
            return
        which = total = 0
        at = self._at
        for head in self._view.column.heads:
            if at is not None and head.id == at[0]:
                which = total + at[1] + 1
            total += self._counts.get(head.id, 0)
        self.position_changed.emit(min(which, total), total)

    # Navigation

    def _settle(self) -> None:
        """Go to the first match from the top of the view on, else to the last one above."""
        column = self._view.column
        if not self._marks or not column.heads:
            return
        top = column.row_at(self._view.scroller.top)
        first = top.message if top is not None else 0
        order = [*range(first, len(column.heads)), *range(first - 1, -1, -1)]
        for number in order:
            message = column.heads[number].id
            if self._counts.get(message, 0):
                self._go(message, 0 if number >= first else -1)
                return

    def _others(self, message: str, by: int) -> str:
        """Return the next message with a match, wrapping around."""
        heads = self._view.column.heads
        here = self._view.column.number_of(message) or 0
        for far in range(1, len(heads) + 1):
            one = heads[(here + by * far) % len(heads)].id
            if self._counts.get(one, 0):
                return one
        return ""

    def _go(self, message: str, place: int) -> None:
        """Go to a match; a negative `place` counts from the end of the message."""
        column = self._view.column
        number = column.number_of(message)
        if number is None:
            return
        entry = column.entries[number]
        if entry is None:
            self._goal = (message, place)
            self._at = (message, max(0, place))
            self._view.scroller.keep_top(message, _EDGE)
            self._tell()
            return
        self._goal = None
        count = self._note(entry)
        if not count:
            self._at = None
            self._view.go_to(message)
            return
        place = place % count if place < 0 else min(place, count - 1)
        self._at = (message, place)
        self._show(entry, place)
        self._tell()

    def _show(self, entry: MessageEntry, wanted: int) -> None:
        left = wanted
        for item, places in self._places(entry):
            if left < len(places):
                self._view.scene.marks.current = (item, left)
                self._uncover(entry, item)
                self._reveal(entry, item, places[left][0])
                self._view.viewport().update()
                return
            left -= len(places)

    def _uncover(self, entry: MessageEntry, item: TextItem) -> None:
        """Unfold folded code."""
        if isinstance(item, CodeItem) and item.block.folded:
            first = item.block.chunks[0]
            place = self._view.column.position_of(first, entry.id)
            if place is not None:
                self._view.press_region(
                    place, first, HitRegion("unfold", QRectF(), "", ItemAction.FOLD)
                )

    def _reveal(self, entry: MessageEntry, item: TextItem, position: int) -> None:
        view, column = self._view, self._view.column
        place = column.position_of(item, entry.id)
        if place is None:
            return
        column.measure(place)
        spot = item.character_rect(view.scene, position)
        if isinstance(item, WideItem) and item.scroll_state.total:
            room = item.visible_width(view.item_style, item.width)
            left = item.own_inset(view.item_style).left
            if not left <= spot.x() <= left + room - _EDGE:
                item.scroll_by(spot.x() - left - room / 3, view.item_style)
        top = view.scroller.row_rect(place).top() + spot.top()
        if _EDGE <= top <= view.scroller.viewport_height - _EDGE - spot.height():
            return
        offset = round(view.scroller.viewport_height / 3 - spot.top())
        view.scroller.rearrange_keeping(
            Anchor(entry.id, item, place.row, offset), column.message_top(place.message)
        )


async def _no_work() -> None:
    pass
