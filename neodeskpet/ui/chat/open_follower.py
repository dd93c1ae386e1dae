"""Follows what is open in the chat: shows something anew whenever its messages are others."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.chat_events import ChatEvent, ConversationChanged
from neodeskpet.core.errors import KnownError
from neodeskpet.ui.work import Work

_log = logging.getLogger(__name__)


class Messages(Protocol):
    def observe(self, hear: Callable[[Sequence[str]], object]) -> Callable[[], None]:
        """Have `hear` told the ids of messages that came, changed or went; returns what ends it."""
        ...


class OpenFollower:
    """A `ChatListener`. `show(conversation id)` is "" for none; of several looks the last counts.
    `name` is what it follows, for the log.
    """

    def __init__(
        self, chat: Chat, messages: Messages, name: str, show: Callable[[str], Awaitable[None]]
    ) -> None:
        self._chat = chat
        self._name = name
        self._show = show
        self._work = Work(name, failed=self._log_fault)
        self._end = messages.observe(lambda _ids: self.look())
        chat.listen(self, ConversationChanged)

    def hear(self, event: ChatEvent) -> None:
        self.look()

    def look(self) -> None:
        """Something is another."""
        self._work.replace("look", self._look)

    async def _look(self) -> None:
        info = self._chat.conversation
        await self._show(info.id if info is not None else "")

    def _log_fault(self, error: KnownError) -> None:
        _log.info("%s can't be read: %s", self._name, error)

    async def close(self) -> None:
        self._end()
        await self._work.close()
