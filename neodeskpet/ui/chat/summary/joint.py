"""Keeps the mark where the summary of the open conversation ends."""

from __future__ import annotations

from typing import Protocol

from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.errands.summaries import StoredSummaries
from neodeskpet.ui.chat.open_follower import ConversationFollower, ObservedMessages


class SummaryView(Protocol):
    def set_summary_end(self, until: str) -> None:
        """A summary stands for the messages up to this one, "" for none."""
        ...


class SummaryController:
    """Until it is closed."""

    def __init__(
        self, chat: Chat, book: StoredSummaries, messages: ObservedMessages, view: SummaryView
    ) -> None:
        self._book = book
        self._view = view
        self._follower = ConversationFollower(
            chat, messages, "Whether there is a summary", self._show
        )
        self._end = book.subscribe(lambda _conversation: self._follower.refresh())

    async def aclose(self) -> None:
        self._end()
        await self._follower.aclose()

    async def _show(self, conversation: str) -> None:
        summary = await self._book.get(conversation) if conversation else None
        self._view.set_summary_end(summary.until if summary is not None else "")
