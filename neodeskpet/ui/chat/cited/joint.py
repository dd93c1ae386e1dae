"""Keeps the chips of the open conversation as the knowledge base says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from neodeskpet.conversation.chat import Chat
from neodeskpet.core.records import MessageHead
from neodeskpet.memory.knowledge.library import KnowledgeHit
from neodeskpet.ui.chat.items.item import Citation
from neodeskpet.ui.chat.open_follower import ConversationFollower
from neodeskpet.ui.chat.open_follower import ObservedMessages as Observed


class CitationSource(Protocol):
    """Coroutines raise StoreError."""

    async def recalled_for_replies(
        self, replies: Sequence[str]
    ) -> Mapping[str, Sequence[KnowledgeHit]]:
        """What each of these messages was told, if anything."""
        ...

    def subscribe_told(self, observer: Callable[[], object]) -> Callable[[], None]: ...


class CitedMessages(Observed, Protocol):
    async def heads(self, conversation_id: str) -> list[MessageHead]: ...


class CitationsView(Protocol):
    def set_citations(self, cited: Mapping[str, Sequence[Citation]]) -> None:
        """The sources of each message that has any, by its id."""
        ...


class CitationsController:
    """Until it is closed."""

    def __init__(
        self, chat: Chat, book: CitationSource, messages: CitedMessages, view: CitationsView
    ) -> None:
        self._book = book
        self._messages = messages
        self._view = view
        self._follower = ConversationFollower(chat, messages, "What answers were told", self._show)
        self._end = book.subscribe_told(self._follower.refresh)

    async def aclose(self) -> None:
        self._end()
        await self._follower.aclose()

    async def _show(self, conversation: str) -> None:
        heads = await self._messages.heads(conversation) if conversation else []
        told = await self._book.recalled_for_replies([one.id for one in heads])
        self._view.set_citations(
            {
                reply: tuple(Citation(one.passage.id, one.label) for one in hits)
                for reply, hits in told.items()
            }
        )
