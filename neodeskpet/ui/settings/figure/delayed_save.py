"""Saves the user's settings of figures after a pause in the changes, not at every step of
a slider.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

from neodeskpet.core.errors import KnownError
from neodeskpet.ui.task_runner import TaskRunner

Note = TypeVar("Note")

DELAY_SECONDS = 0.25
"""Seconds without a change before a note is saved."""


class DelayedSaver(Generic[Note]):
    """Calls `keep(path, note)` once with the newest note of a path; `failed` gets the errors that
    it raises.
    """

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
        """Save this note soon, on the running event loop. It replaces only an older note of the
        same model.
        """
        self._pending[path] = note
        self._count += 1
        self._work.start_once("keep", self._run)

    async def flush(self) -> None:
        """Save all pending notes now."""
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
                    self._failed(error)  # the notes of other models are still saved

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
