"""The one way in which the interface does something in the background: by name, on the running
loop, for an owner (a window, a page, a row) that hears of its end and can end it.

A known error is told to the owner; any other is a bug, which the loop's handler reports.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from neodeskpet.core.errors import KnownError
from neodeskpet.platform.async_tasks import spawn_task

_log = logging.getLogger(__name__)

CoroutineFactory = Callable[[], Coroutine[Any, Any, object]]
"""Called only when its task runs: one that is cancelled before leaves nothing behind."""


class TaskRunner:
    """`failed(error)` tells a KnownError, `changed()` that something has begun or ended, also by
    `stop`. What is replaced or cancelled tells nothing.
    """

    def __init__(
        self,
        owner: str,
        *,
        failed: Callable[[KnownError], None],
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self._owner = owner
        self._failed = failed
        self._changed = changed
        self._tasks: dict[asyncio.Task[None], str] = {}
        self._closed = False

    def busy(self, *names: str) -> bool:
        """Whether something runs under one of these names; without names, whether anything does."""
        return any(name in names or not names for name in self._tasks.values())

    @property
    def count(self) -> int:
        """How much runs."""
        return len(self._tasks)

    def start(self, name: str, begin: CoroutineFactory) -> None:
        """Do this beside whatever runs."""
        if self._closed:
            return
        task = spawn_task(self._carry_out(begin), name=f"{self._owner}: {name}")
        self._tasks[task] = name
        task.add_done_callback(self._settle)
        self._changed()

    def start_once(self, name: str, begin: CoroutineFactory) -> None:
        """Do this unless it is being done. What has ended is not, also before that was told."""
        if all(task.done() for task in self._of(name)):
            self.start(name, begin)

    def replace(self, name: str, begin: CoroutineFactory) -> None:
        """Drop what runs under this name and do this: the last one counts."""
        self._drop(self._of(name))
        self.start(name, begin)

    def toggle(self, name: str, begin: CoroutineFactory) -> None:
        """Do this, or stop it if it is being done."""
        if self.busy(name):
            self.cancel_task(name)
        else:
            self.start(name, begin)

    def cancel_task(self, name: str) -> None:
        """Cancel what runs under this name; it runs until it has cleaned up."""
        for task in self._of(name):
            task.cancel()

    def cancel_all(self) -> None:
        """Drop everything, without a word."""
        self._drop(tuple(self._tasks))

    async def wait_until_idle(self) -> None:
        """Wait until nothing runs any more."""
        while self._tasks:
            await asyncio.wait(tuple(self._tasks))
            await asyncio.sleep(0)  # their ends are told

    async def aclose(self) -> None:
        """Drop everything and wait for its end; nothing begins after this."""
        tasks = tuple(self._tasks)
        self._closed = True
        self.cancel_all()
        if tasks:
            await asyncio.wait(tasks)

    def detach(self) -> None:
        """What runs goes on to its end, but the owner goes and hears of nothing any more."""
        self._failed = self._tell_log
        self._changed = lambda: None

    def _tell_log(self, error: KnownError) -> None:
        _log.info("%s: too late: %s", self._owner, error)

    def _of(self, name: str) -> tuple[asyncio.Task[None], ...]:
        return tuple(task for task, own in self._tasks.items() if own == name)

    def _drop(self, tasks: tuple[asyncio.Task[None], ...]) -> None:
        for task in tasks:
            del self._tasks[task]
            task.cancel()

    async def _carry_out(self, begin: CoroutineFactory) -> None:
        try:
            await begin()
        except KnownError as error:
            if asyncio.current_task() in self._tasks:
                self._failed(error)

    def _settle(self, task: asyncio.Task[None]) -> None:
        if self._tasks.pop(task, None) is not None:
            self._changed()
