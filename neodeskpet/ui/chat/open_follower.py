"""Follows what is open in the chat: shows something anew whenever its messages are others."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.chat_events import ChatEvent, ConversationChanged
from neodeskpet.core.errors import KnownError
from neodeskpet.ui.work import TaskRunner

_log = logging.getLogger(__name__)


class ObservedMessages(Protocol):
    def subscribe(self, hear: Callable[[Sequence[str]], object]) -> Callable[[], None]:
        """Have `hear` told the ids of messages that came, changed or went; returns what ends it."""
        ...


class ConversationFollower:
    """A `ChatListener`. `show(conversation id)` is "" for none; of several looks the last counts.
    `name` is what it follows, for the log.
    """

    def __init__(
        self,
        chat: Chat,
        messages: ObservedMessages,
        name: str,
        show: Callable[[str], Awaitable[None]],
    ) -> None:
        self._chat = chat
        self._name = name
        self._show = show
        self._work = TaskRunner(name, failed=self._log_fault)
        self._end = messages.subscribe(lambda _ids: self.refresh())
        chat.subscribe(self, ConversationChanged)

    def on_chat_event(self, event: ChatEvent) -> None:
        self.refresh()

    def refresh(self) -> None:
        """Something is another."""
        self._work.replace("look", self._look)

    async def _look(self) -> None:
        info = self._chat.conversation
        await self._show(info.id if info is not None else "")

    def _log_fault(self, error: KnownError) -> None:
        _log.info("%s can't be read: %s", self._name, error)

    async def aclose(self) -> None:
        self._end()
        await self._work.aclose()
