"""Work that a page begins and may drop: one at a time, of several the last one counts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from neodeskpet.conversation.tasks import spawn
from neodeskpet.core.errors import KnownError

Work = Callable[[], Coroutine[Any, Any, None]]
"""Begun only when its task runs: one that is cancelled before leaves nothing behind."""


class LatestWork:
    """`failed(error)` tells a KnownError, `ended()` that nothing runs any more, also after `stop`.
    A work that another one replaces, or that `close` ends, tells nothing.
    """

    def __init__(
        self,
        name: str,
        *,
        failed: Callable[[KnownError], None],
        ended: Callable[[], None] = lambda: None,
    ) -> None:
        self._name = name
        self._failed = failed
        self._ended = ended
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def running(self) -> bool:
        return self._task is not None

    def start(self, work: Work) -> None:
        """Drop what runs and do this, on the running loop."""
        if self._closed:
            return
        if self._task is not None:
            self._task.cancel()
        self._task = spawn(self._carry_out(work), name=self._name)
        self._task.add_done_callback(self._settle)

    def stop(self) -> None:
        """Drop what runs."""
        if self._task is not None:
            self._task.cancel()

    async def close(self) -> None:
        """Drop what runs and wait for its end; nothing begins after this."""
        self._closed = True
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    async def _carry_out(self, work: Work) -> None:
        try:
            await work()
        except KnownError as error:
            if self._task is asyncio.current_task():
                self._failed(error)

    def _settle(self, task: asyncio.Task[None]) -> None:
        if self._task is task:
            self._task = None
            self._ended()
