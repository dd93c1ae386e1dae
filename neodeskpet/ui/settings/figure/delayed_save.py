"""What a person says of figures, kept once the hand is still: not at every step of a slider."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

from neodeskpet.core.errors import KnownError
from neodeskpet.ui.task_runner import TaskRunner

Note = TypeVar("Note")

DELAY_SECONDS = 0.25
"""Seconds without a change before it is kept."""


class DelayedSaver(Generic[Note]):
    """`keep(path, note)` is called once for what was noted last; `failed` hears what it raises."""

    def __init__(
        self,
        keep: Callable[[str, Note], Coroutine[Any, Any, None]],
        failed: Callable[[KnownError], None],
        rest: float = DELAY_SECONDS,
    ) -> None:
        self._keep = keep
        self._failed = failed
        self._rest = rest
        self._pending: dict[str, Note] = {}
        self._count = 0
        self._hurry = asyncio.Event()
        self._work = TaskRunner("notes about models", failed=failed, changed=self._look)

    def save_later(self, path: str, note: Note) -> None:
        """Keep this soon, on the running loop. Another model's note isn't touched by it."""
        self._pending[path] = note
        self._count += 1
        self._work.start_once("keep", self._run)

    async def flush(self) -> None:
        """Keep now whatever isn't kept yet."""
        if self._work.busy():
            self._hurry.set()
            await self._work.wait_until_idle()

    async def _run(self) -> None:
        while self._pending:
            await self._wait()
            pending, self._pending = self._pending, {}
            for path, note in pending.items():
                try:
                    await self._keep(path, note)
                except KnownError as error:
                    self._failed(error)  # another model's note is kept nevertheless

    async def _wait(self) -> None:
        seen = 0
        while seen != self._count and not self._hurry.is_set():
            seen = self._count
            try:
                async with asyncio.timeout(self._rest):
                    await self._hurry.wait()
            except TimeoutError:
                continue

    def _look(self) -> None:
        if not self._work.busy():
            self._hurry.clear()
