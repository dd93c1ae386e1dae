"""Connects search with the chat: searches for the typed text and shows the chosen match."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import date, datetime
from functools import partial
from typing import Protocol

from PySide6.QtCore import QObject, QPoint, QTimer

from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.chat_events import ChatEvent, ConversationChanged
from neodeskpet.core.blocks import ConversationInfo
from neodeskpet.core.errors import KnownError
from neodeskpet.core.text_search import SearchPattern, SearchQuery
from neodeskpet.memory.message_search import SearchHit
from neodeskpet.ui.chat.chat_window import ChatWindow
from neodeskpet.ui.chat.find.match_finder import MatchFinder
from neodeskpet.ui.chat.find.search_results import SearchResult
from neodeskpet.ui.chat.view.chat_view import ChatView
from neodeskpet.ui.task_runner import TaskRunner

_PAGE = 50
_MOST_NAMED = 5
_AGAIN_MS = 1000
"""Pause before the next search while messages are indexed."""


class SearchIndex(Protocol):
    """The full-text index. Coroutines raise StoreError."""

    async def search(
        self, question: SearchQuery, *, limit: int, before: int | None = None
    ) -> list[SearchHit]: ...

    async def count_matches(
        self, conversation_id: str, needle: SearchPattern
    ) -> dict[str, int]: ...


class ConversationDates(Protocol):
    """What the search needs from the store. Coroutines raise StoreError."""

    async def conversations(self) -> list[ConversationInfo]: ...

    async def message_times(self, conversation_id: str) -> list[tuple[str, float]]: ...


class FindController(QObject):
    """`progress()` returns how many of all messages are indexed, None when the index is complete;
    `enter` opens a conversation at a message ("" for none) and returns whether it is in view.
    """

    def __init__(
        self,
        chat: Chat,
        store: ConversationDates,
        index: SearchIndex,
        window: ChatWindow,
        view: ChatView,
        *,
        enter: Callable[[str, str], Awaitable[bool]],
        progress: Callable[[], tuple[int, int] | None],
        failed: Callable[[KnownError], None],
    ) -> None:
        super().__init__(window)
        self._chat = chat
        self._store = store
        self._index = index
        self._window = window
        self._view = view
        self._enter_at = enter
        self._progress = progress
        self._again = QTimer(self, singleShot=True, interval=_AGAIN_MS)
        self._work = TaskRunner("find", failed=failed)
        self._again.timeout.connect(lambda: self._work.start_once("again", self._find_again))
        self._asked = self._looked = SearchQuery(())
        self._hits: list[SearchHit] = []
        self._times: list[tuple[str, float]] = []
        self.finder = MatchFinder(view, self._counts, self._work)
        self._finding = self._entered = False
        self._here = ""
        self._connect()
        chat.subscribe(self, ConversationChanged)

    def on_chat_event(self, event: ChatEvent) -> None:
        """Close the search when another conversation is shown."""
        if isinstance(event, ConversationChanged) and event.info.id != self._here:
            self._here = event.info.id
            self._window.find_bar.close_search()

    def _connect(self) -> None:
        bar, side = self._window.find_bar, self._window.sidebar
        bar.text_changed.connect(lambda text: self.finder.search(SearchPattern([text])))
        bar.step_requested.connect(self.finder.step)
        bar.closed.connect(self._leave)
        bar.date_requested.connect(self.choose_date)
        bar.announced.connect(self._view.access.announce)
        self.finder.position_changed.connect(bar.show_position)
        self._window.day_chosen.connect(self._go_to_day)
        side.search.textChanged.connect(self._look)
        side.search.returnPressed.connect(self._enter)
        side.results.more_requested.connect(lambda: self._work.start_once("more", self._find_more))
        side.found.chosen.connect(lambda row: self._work.replace("go", partial(self._go, row)))
        self._window.find_requested.connect(self._find_selected_text)
        self._window.date_requested.connect(self.choose_date)

    # Open conversation

    def _find_selected_text(self) -> None:
        self._window.find_bar.open(self._view.selected_text().split("\n")[0].strip())

    def _leave(self) -> None:
        self.finder.clear()
        self._window.composer.field.setFocus()

    async def _counts(self, needle: SearchPattern) -> Mapping[str, int]:
        info = self._chat.conversation
        return await self._index.count_matches(info.id, needle) if info is not None else {}

    # Date

    def choose_date(self) -> None:
        """Show the popup to choose a day to go to."""
        self._work.replace("days", self._ask_date)

    async def _ask_date(self) -> None:
        info = self._chat.conversation
        if info is None:
            return
        self._times = await self._store.message_times(info.id)
        days = {datetime.fromtimestamp(time).date() for _, time in self._times}
        bar, header = self._window.find_bar, self._window.header
        below = bar.date if bar.isVisible() else header.more
        corner = below.mapToGlobal(QPoint(below.width(), below.height() + 4))
        self._window.dates.open(corner, days, max(days, default=date.today()))

    def _go_to_day(self, day: date) -> None:
        """Go to the first message of that day, or the next one after it."""
        for message, time in self._times:
            if datetime.fromtimestamp(time).date() >= day:
                self._view.go_to(message)
                return
        self._view.scroller.scroll_to_end()

    # All conversations

    def _look(self, text: str) -> None:
        """Search for the latest text; only one search runs at a time."""
        self._asked = SearchQuery.of(text)
        self._entered = False
        if not self._asked.words:
            self._looked = self._asked
            self._window.sidebar.show_results(searching=False)
            return
        if not self._finding:
            self._work.start("all", self._find)

    def _enter(self) -> None:
        """Open the selected result, or the first one as soon as the search has finished."""
        if self._asked is self._looked:
            self._window.sidebar.found.choose_current()
        else:
            self._entered = True

    async def _find(self) -> None:
        self._finding = True
        try:
            await self._find_newest()
        finally:
            self._finding = False

    async def _find_newest(self) -> None:
        while self._asked is not self._looked:
            question = self._asked
            hits = await self._index.search(question, limit=_PAGE)
            infos = await self._store.conversations()
            self._looked = question
            if question is self._asked and question.words:
                self._hits = hits
                self._present(question, infos, more=len(hits) == _PAGE)

    async def _find_again(self) -> None:
        """Show what was indexed meanwhile, and the progress."""
        question = self._looked
        if not question.words or question is not self._asked:
            return
        limit = max(_PAGE, len(self._hits))
        hits = await self._index.search(question, limit=limit)
        infos = await self._store.conversations()
        if question is self._asked:
            self._hits = hits
            self._present(question, infos, more=len(hits) == limit, keep=True)

    async def _find_more(self) -> None:
        question = self._looked
        if not self._hits or not question.words:
            return
        last = min(hit.number for hit in self._hits)
        hits = await self._index.search(question, limit=_PAGE, before=last)
        infos = await self._store.conversations()
        if question is self._asked:
            self._hits += hits
            self._present(question, infos, more=len(hits) == _PAGE, keep=True)

    def _present(
        self,
        question: SearchQuery,
        infos: Sequence[ConversationInfo],
        *,
        more: bool,
        keep: bool = False,
    ) -> None:
        needle = question.pattern()
        named = [info for info in infos if _is_named(info, question)]
        side = self._window.sidebar
        current = side.found.currentIndex().row() if keep else -1
        by_id = {info.id: info for info in infos}
        side.results.set_results(named[:_MOST_NAMED], self._hits, by_id, needle, more=more)
        progress = self._progress()
        side.show_results(searching=True, progress=progress)
        if progress is not None:
            self._again.start()
        index = side.results.index(current, 0) if keep else side.results.first_hit()
        side.found.setCurrentIndex(index)
        if self._entered:
            self._entered = False
            side.found.choose_current()

    async def _go(self, row: SearchResult) -> None:
        needle = self._looked.pattern()
        message = row.hit.message if row.hit is not None else ""
        if not await self._enter_at(row.conversation, message):
            return
        self._window.close_overlay_sidebar()
        self._window.show_page(None)
        if not message:
            return
        self._window.find_bar.set_text(" ".join(self._looked.words))
        self.finder.search(needle, at=message)
        self._view.take_focus()

    async def aclose(self) -> None:
        """Stop running searches."""
        await self._work.aclose()


def _is_named(info: ConversationInfo, question: SearchQuery) -> bool:
    return all(SearchPattern([word]).count(info.title) for word in question.words)
