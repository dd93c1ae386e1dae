"""Background work that a part of the settings has begun, by name."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from neodeskpet.conversation.tasks import spawn


class Work:
    """`changed` is called when something begins or ends. `cancel` it before the widgets go."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def running(self, name: str) -> bool:
        return name in self._tasks

    def toggle(self, name: str, begin: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Begin it, or stop it if it runs."""
        task = self._tasks.pop(name, None)
        if task is not None:
            task.cancel()
        else:
            task = spawn(begin(), name=f"settings {name}")
            self._tasks[name] = task
            task.add_done_callback(lambda done: self._ended(name, done))
        self._changed()

    def cancel(self) -> None:
        """Stop everything, without a word."""
        tasks, self._tasks = self._tasks, {}
        for task in tasks.values():
            task.cancel()

    def _ended(self, name: str, task: asyncio.Task[None]) -> None:
        if self._tasks.get(name) is task:
            del self._tasks[name]
            self._changed()
