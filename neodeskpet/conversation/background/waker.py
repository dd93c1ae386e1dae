"""Has the companion speak up when a background task has ended, at a moment that disturbs nobody."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from neodeskpet.conversation.background.tasks import BackgroundTasks
from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.chat_events import ChatEvent, ConversationChanged, RunningChanged
from neodeskpet.conversation.ports import Store
from neodeskpet.conversation.tasks import spawn_task
from neodeskpet.core.background.task import Task
from neodeskpet.core.background.waking import (
    MOST_WOKEN_REPLIES,
    WakeContext,
    WakeDecision,
    decide_wake,
)
from neodeskpet.core.errors import StoreError, WakeLimitReached

_log = logging.getLogger(__name__)

_MAX_HISTORY = 40


class TaskAnnouncer:
    """A `ChatListener` from `begin` on. `wanted`: the person wants it, and somebody can answer.
    `writing` says whether there is something in the composer; the window sets it, and calls `look`
    when that is gone.
    """

    def __init__(
        self, chat: Chat, store: Store, tasks: BackgroundTasks, wanted: Callable[[], bool]
    ) -> None:
        self.user_is_writing: Callable[[], bool] = lambda: False
        self._chat = chat
        self._store = store
        self._wanted = wanted
        self._looking: asyncio.Task[None] | None = None
        self._again = False
        self._closed = False
        self._tasks = tasks

    def start(self) -> None:
        """From now on; what has ended before is told too."""
        self._tasks.subscribe(self._on_task_changed)
        self._chat.subscribe(self, RunningChanged, ConversationChanged)
        self.check()

    def on_chat_event(self, event: ChatEvent) -> None:
        if event == RunningChanged(False) or isinstance(event, ConversationChanged):
            self.check()

    def check(self) -> None:
        """Something has changed: may it be told now?"""
        self._again = True
        if self._looking is None and not self._closed:
            self._looking = spawn_task(self._run_check(), name="waker")
            self._looking.add_done_callback(self._on_check_done)

    def moment(self) -> WakeContext:
        return WakeContext(self._wanted(), self._chat.busy, self.user_is_writing())

    async def wait_idle(self) -> None:
        """Return when nothing is told any more, and nothing is about to be."""
        while self._looking is not None or self._chat.running:
            if self._looking is not None:
                await asyncio.wait([self._looking])
            await self._chat.wait_idle()
            await asyncio.sleep(0)

    def aclose(self) -> None:
        self._closed = True
        if self._looking is not None:
            self._looking.cancel()

    def _on_task_changed(self, task: Task) -> None:
        if not task.running:
            self.check()

    def _on_check_done(self, _task: asyncio.Task[None]) -> None:
        self._looking = None
        if self._again:
            self.check()

    async def _run_check(self) -> None:
        while self._again:
            self._again = False
            info = self._chat.conversation
            if info is None or not self._wanted():
                continue
            try:
                ended = await self._store.untold_tasks(info.id)
                if not ended or self._chat.busy:
                    continue
                history = await self._store.history(info.id, _MAX_HISTORY)
            except StoreError:
                _log.exception("Whether something has ended can't be read")
                continue
            if self._chat.conversation is None or self._chat.conversation.id != info.id:
                continue  # it was left: that is told, and looked at then
            match decide_wake(self.moment(), ended, history):
                case WakeDecision.NOW:
                    self._chat.report_ended_tasks()
                case WakeDecision.LIMIT:
                    await self._report_limit(history[-1].id)
                case WakeDecision.LATER | WakeDecision.NEXT:
                    pass

    async def _report_limit(self, last: str) -> None:
        try:
            await self._chat.add_notice(WakeLimitReached(count=str(MOST_WOKEN_REPLIES)), key=last)
        except StoreError:
            _log.exception("That it waits can't be told")
