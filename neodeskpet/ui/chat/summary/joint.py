"""Keeps the mark where the summary of the open conversation ends."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Protocol

from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.chat_events import ChatEvent, ConversationChanged
from neodeskpet.conversation.errands.summaries import SummaryBook
from neodeskpet.core.errors import KnownError
from neodeskpet.ui.work import Work

_log = logging.getLogger(__name__)


class Marked(Protocol):
    def set_summary(self, until: str) -> None:
        """A summary stands for the messages up to this one, "" for none."""
        ...


class Messages(Protocol):
    def observe(self, hear: Callable[[Sequence[str]], object]) -> Callable[[], None]:
        """Have `hear` told the ids of messages that came, changed or went; returns what ends it."""
        ...


class SummaryJoint:
    """A `ChatListener`."""

    def __init__(self, chat: Chat, book: SummaryBook, messages: Messages, view: Marked) -> None:
        self._chat = chat
        self._book = book
        self._view = view
        self._work = Work("summary mark", failed=_log_fault)
        self._ends = (book.observe(self._see), messages.observe(lambda _ids: self._look()))
        chat.listen(self)

    def hear(self, event: ChatEvent) -> None:
        if isinstance(event, ConversationChanged):
            self._look()

    async def close(self) -> None:
        for end in self._ends:
            end()
        await self._work.close()

    def _see(self, _conversation: str) -> None:
        self._look()

    def _look(self) -> None:
        self._work.replace("look", self._show)

    async def _show(self) -> None:
        info = self._chat.conversation
        summary = await self._book.of(info.id) if info is not None else None
        self._view.set_summary(summary.until if summary is not None else "")


def _log_fault(error: KnownError) -> None:
    _log.info("Whether there is a summary can't be read: %s", error)
