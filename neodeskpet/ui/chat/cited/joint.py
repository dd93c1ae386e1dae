"""Keeps the chips of the open conversation as the knowledge base says."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.chat_events import ChatEvent, ConversationChanged
from neodeskpet.core.errors import KnownError
from neodeskpet.core.records import MessageHead
from neodeskpet.memory.knowledge.library import Hit
from neodeskpet.ui.chat.items.item import Cited
from neodeskpet.ui.work import Work

_log = logging.getLogger(__name__)


class Told(Protocol):
    """Coroutines raise StoreError."""

    async def told(self, replies: Sequence[str]) -> Mapping[str, Sequence[Hit]]:
        """What each of these messages was told, if anything."""
        ...

    def observe_told(self, observer: Callable[[], object]) -> Callable[[], None]: ...


class Messages(Protocol):
    async def heads(self, conversation_id: str) -> list[MessageHead]: ...

    def observe(self, hear: Callable[[Sequence[str]], object]) -> Callable[[], None]: ...


class Shows(Protocol):
    def set_cited(self, cited: Mapping[str, Sequence[Cited]]) -> None:
        """The sources of each message that has any, by its id."""
        ...


class CitedJoint:
    """A `ChatListener`."""

    def __init__(self, chat: Chat, book: Told, messages: Messages, view: Shows) -> None:
        self._chat = chat
        self._book = book
        self._messages = messages
        self._view = view
        self._work = Work("cited", failed=_log_fault)
        self._ends = (book.observe_told(self._look), messages.observe(lambda _ids: self._look()))
        chat.listen(self)

    def hear(self, event: ChatEvent) -> None:
        if isinstance(event, ConversationChanged):
            self._look()

    async def close(self) -> None:
        for end in self._ends:
            end()
        await self._work.close()

    def _look(self) -> None:
        self._work.replace("look", self._show)

    async def _show(self) -> None:
        info = self._chat.conversation
        heads = await self._messages.heads(info.id) if info is not None else []
        told = await self._book.told([one.id for one in heads])
        self._view.set_cited(
            {
                reply: tuple(Cited(one.passage.id, one.label) for one in hits)
                for reply, hits in told.items()
            }
        )


def _log_fault(error: KnownError) -> None:
    _log.info("What answers were told of documents can't be read: %s", error)
