"""Runs background tasks of the interface: by name, on the running loop, for an owner (a window, a
page, a row) that is notified of their end and can cancel them.

A known error is reported to the owner; any other is a bug, which the loop's exception handler
reports.
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
"""Called when its task runs, so a task that is cancelled earlier leaves nothing behind."""


class TaskRunner:
    """`failed(error)` receives each KnownError; `changed()` is called when a task has started or
    ended, also by `cancel_task`. Replaced or cancelled tasks report nothing.
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
        """Whether a task of one of these names runs; without names, whether any does."""
        return any(name in names or not names for name in self._tasks.values())

    @property
    def count(self) -> int:
        """Return the number of running tasks."""
        return len(self._tasks)

    def start(self, name: str, begin: CoroutineFactory) -> None:
        """Start a task in addition to running ones."""
        if self._closed:
            return
        task = spawn_task(self._carry_out(begin), name=f"{self._owner}: {name}")
        self._tasks[task] = name
        task.add_done_callback(self._settle)
        self._changed()

    def start_once(self, name: str, begin: CoroutineFactory) -> None:
        """Start a task unless it is running. An ended one doesn't count, even before its end was
        reported.
        """
        if all(task.done() for task in self._of(name)):
            self.start(name, begin)

    def replace(self, name: str, begin: CoroutineFactory) -> None:
        """Cancel the tasks of this name and start a new one: the last one wins."""
        self._drop(self._of(name))
        self.start(name, begin)

    def toggle(self, name: str, begin: CoroutineFactory) -> None:
        """Start a task, or cancel it if it is running."""
        if self.busy(name):
            self.cancel_task(name)
        else:
            self.start(name, begin)

    def cancel_task(self, name: str) -> None:
        """Cancel the tasks of this name; they run until they have cleaned up."""
        for task in self._of(name):
            task.cancel()

    def cancel_all(self) -> None:
        """Cancel all tasks without reports."""
        self._drop(tuple(self._tasks))

    async def wait_until_idle(self) -> None:
        """Wait until all tasks have ended."""
        while self._tasks:
            await asyncio.wait(tuple(self._tasks))
            await asyncio.sleep(0)  # their ends are reported

    async def aclose(self) -> None:
        """Cancel all tasks and wait for their end; no task can be started afterwards."""
        tasks = tuple(self._tasks)
        self._closed = True
        self.cancel_all()
        if tasks:
            await asyncio.wait(tasks)

    def detach(self) -> None:
        """Let the tasks run to their end without reporting to the owner."""
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
