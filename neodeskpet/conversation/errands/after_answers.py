"""What is done quietly after an answer, and never at the cost of the person's next words."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.chat_events import ChatEvent, MessageAdded, TurnAdvanced
from neodeskpet.conversation.tasks import spawn_task
from neodeskpet.core.blocks import MessageState, Role
from neodeskpet.core.errors import KnownError
from neodeskpet.core.records import ConversationInfo
from neodeskpet.core.turn.turn_events import TurnEnded

_log = logging.getLogger(__name__)


class AfterReply:
    """A `ChatListener` that does `work` of this name once an answer has ended well. Whoever goes on
    talking isn't made to wait: the work ends. What is wrong with it is only logged.
    """

    def __init__(
        self, chat: Chat, name: str, work: Callable[[ConversationInfo], Awaitable[None]]
    ) -> None:
        self._chat = chat
        self._name = name
        self._do = work
        self._task: asyncio.Task[None] | None = None
        chat.subscribe(self, MessageAdded, TurnEnded)

    @property
    def busy(self) -> bool:
        return self._task is not None and not self._task.done()

    def on_chat_event(self, event: ChatEvent) -> None:
        match event:
            case MessageAdded(message=message) if message.role is Role.USER:
                self.stop()
            case TurnAdvanced(event=TurnEnded(state=MessageState.DONE)):
                info = self._chat.conversation
                if info is not None:
                    self._task = spawn_task(self._try(info), name=self._name)
            case _:
                pass

    def stop(self) -> None:
        """Do nothing any more until the next answer."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _try(self, info: ConversationInfo) -> None:
        try:
            await self._do(info)
        except KnownError as error:
            _log.info("The work named %s was not done after an answer: %s", self._name, error)
