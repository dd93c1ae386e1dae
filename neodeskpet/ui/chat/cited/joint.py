"""Keeps the chips of the open conversation as the knowledge base says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from neodeskpet.conversation.chat import Chat
from neodeskpet.core.records import MessageHead
from neodeskpet.memory.knowledge.library import Hit
from neodeskpet.ui.chat.items.item import Cited
from neodeskpet.ui.chat.open_follower import Messages as Observed
from neodeskpet.ui.chat.open_follower import OpenFollower


class Told(Protocol):
    """Coroutines raise StoreError."""

    async def told(self, replies: Sequence[str]) -> Mapping[str, Sequence[Hit]]:
        """What each of these messages was told, if anything."""
        ...

    def observe_told(self, observer: Callable[[], object]) -> Callable[[], None]: ...


class Messages(Observed, Protocol):
    async def heads(self, conversation_id: str) -> list[MessageHead]: ...


class Shows(Protocol):
    def set_cited(self, cited: Mapping[str, Sequence[Cited]]) -> None:
        """The sources of each message that has any, by its id."""
        ...


class CitedJoint:
    """Until it is closed."""

    def __init__(self, chat: Chat, book: Told, messages: Messages, view: Shows) -> None:
        self._book = book
        self._messages = messages
        self._view = view
        self._follower = OpenFollower(chat, messages, "What answers were told", self._show)
        self._end = book.observe_told(self._follower.look)

    async def close(self) -> None:
        self._end()
        await self._follower.close()

    async def _show(self, conversation: str) -> None:
        heads = await self._messages.heads(conversation) if conversation else []
        told = await self._book.told([one.id for one in heads])
        self._view.set_cited(
            {
                reply: tuple(Cited(one.passage.id, one.label) for one in hits)
                for reply, hits in told.items()
            }
        )
