"""What a person says of models, kept when the hand rests: not at every step of a slider."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from neodeskpet.conversation.tasks import spawn
from neodeskpet.live2d.files.side_file import SideFile

REST = 0.25
"""Seconds without a change before it is kept."""


class NoteKeeper:
    """`keep(path, side)` is called once for what was noted last; it raises nothing."""

    def __init__(
        self, keep: Callable[[str, SideFile], Coroutine[Any, Any, None]], rest: float = REST
    ) -> None:
        self._keep = keep
        self._rest = rest
        self._pending: dict[str, SideFile] = {}
        self._count = 0
        self._hurry = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def note(self, path: str, side: SideFile) -> None:
        """Keep this soon, on the running loop. Another model's note isn't touched by it."""
        self._pending[path] = side
        self._count += 1
        if self._task is None:
            self._task = spawn(self._run(), name="keep notes about models")
            self._task.add_done_callback(self._settle)

    async def settle(self) -> None:
        """Keep now whatever isn't kept yet."""
        if self._task is not None:
            self._hurry.set()
            await asyncio.shield(self._task)

    async def _run(self) -> None:
        while self._pending:
            await self._wait()
            pending, self._pending = self._pending, {}
            for path, side in pending.items():
                await self._keep(path, side)

    async def _wait(self) -> None:
        seen = 0
        while seen != self._count and not self._hurry.is_set():
            seen = self._count
            try:
                async with asyncio.timeout(self._rest):
                    await self._hurry.wait()
            except TimeoutError:
                continue

    def _settle(self, task: asyncio.Task[None]) -> None:
        self._task = None
        self._hurry.clear()
