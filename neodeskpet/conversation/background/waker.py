"""Has the companion speak up when a background task has ended, at a moment that disturbs nobody."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from neodeskpet.conversation.background.tasks import BackgroundTasks
from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.chat_events import ChatEvent, ConversationChanged, RunningChanged
from neodeskpet.conversation.ports import Store
from neodeskpet.conversation.tasks import spawn
from neodeskpet.core.background.task import Task
from neodeskpet.core.background.waking import IN_A_ROW, Moment, Wake, decide
from neodeskpet.core.errors import StoreError, WakesUsedUp

_log = logging.getLogger(__name__)

_HISTORY = 40


class Waker:
    """A `ChatListener` from `begin` on. `wanted`: the person wants it, and somebody can answer.
    `writing` says whether there is something in the composer; the window sets it, and calls `look`
    when that is gone.
    """

    def __init__(
        self, chat: Chat, store: Store, tasks: BackgroundTasks, wanted: Callable[[], bool]
    ) -> None:
        self.writing: Callable[[], bool] = lambda: False
        self._chat = chat
        self._store = store
        self._wanted = wanted
        self._looking: asyncio.Task[None] | None = None
        self._again = False
        self._closed = False
        self._tasks = tasks

    def begin(self) -> None:
        """From now on; what has ended before is told too."""
        self._tasks.observe(self._see)
        self._chat.listen(self, RunningChanged, ConversationChanged)
        self.look()

    def hear(self, event: ChatEvent) -> None:
        if event == RunningChanged(False) or isinstance(event, ConversationChanged):
            self.look()

    def look(self) -> None:
        """Something has changed: may it be told now?"""
        self._again = True
        if self._looking is None and not self._closed:
            self._looking = spawn(self._look(), name="waker")
            self._looking.add_done_callback(self._looked)

    def moment(self) -> Moment:
        return Moment(self._wanted(), self._chat.busy, self.writing())

    async def settled(self) -> None:
        """Return when nothing is told any more, and nothing is about to be."""
        while self._looking is not None or self._chat.running:
            if self._looking is not None:
                await asyncio.wait([self._looking])
            await self._chat.wait()
            await asyncio.sleep(0)

    def close(self) -> None:
        self._closed = True
        if self._looking is not None:
            self._looking.cancel()

    def _see(self, task: Task) -> None:
        if not task.running:
            self.look()

    def _looked(self, _task: asyncio.Task[None]) -> None:
        self._looking = None
        if self._again:
            self.look()

    async def _look(self) -> None:
        while self._again:
            self._again = False
            info = self._chat.conversation
            if info is None or not self._wanted():
                continue
            try:
                ended = await self._store.untold(info.id)
                if not ended or self._chat.busy:
                    continue
                history = await self._store.history(info.id, _HISTORY)
            except StoreError:
                _log.exception("Whether something has ended can't be read")
                continue
            if self._chat.conversation is None or self._chat.conversation.id != info.id:
                continue  # it was left: that is told, and looked at then
            match decide(self.moment(), ended, history):
                case Wake.NOW:
                    self._chat.tell()
                case Wake.LIMIT:
                    await self._say_limit(history[-1].id)
                case Wake.LATER | Wake.NEXT:
                    pass

    async def _say_limit(self, last: str) -> None:
        try:
            await self._chat.note(WakesUsedUp(count=str(IN_A_ROW)), key=last)
        except StoreError:
            _log.exception("That it waits can't be told")
