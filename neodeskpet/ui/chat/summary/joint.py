"""Keeps the mark where the summary of the open conversation ends."""

from __future__ import annotations

from typing import Protocol

from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.errands.summaries import SummaryBook
from neodeskpet.ui.chat.open_follower import Messages, OpenFollower


class Marked(Protocol):
    def set_summary(self, until: str) -> None:
        """A summary stands for the messages up to this one, "" for none."""
        ...


class SummaryJoint:
    """Until it is closed."""

    def __init__(self, chat: Chat, book: SummaryBook, messages: Messages, view: Marked) -> None:
        self._book = book
        self._view = view
        self._follower = OpenFollower(chat, messages, "Whether there is a summary", self._show)
        self._end = book.observe(lambda _conversation: self._follower.look())

    async def close(self) -> None:
        self._end()
        await self._follower.close()

    async def _show(self, conversation: str) -> None:
        summary = await self._book.of(conversation) if conversation else None
        self._view.set_summary(summary.until if summary is not None else "")
