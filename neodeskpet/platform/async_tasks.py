"""The only place that starts asyncio tasks: each has a name and a reference, and its failure is
reported.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

_running: set[asyncio.Task[Any]] = set()

T = TypeVar("T")


def spawn_task(coroutine: Coroutine[Any, Any, T], *, name: str) -> asyncio.Task[T]:
    """Run `coroutine` on the running loop. The task is kept alive until it ends; its exception goes
    to the loop's exception handler, which logs it.
    """
    task = asyncio.get_running_loop().create_task(coroutine, name=name)
    _running.add(task)
    task.add_done_callback(_on_done)
    return task


def running() -> frozenset[asyncio.Task[Any]]:
    """Return the tasks that have not ended, which must be cancelled when the app quits."""
    return frozenset(_running)


def _on_done(task: asyncio.Task[Any]) -> None:
    _running.discard(task)
    if task.cancelled():
        return
    error = task.exception()
    if error is not None:
        task.get_loop().call_exception_handler(
            {"message": f"Task {task.get_name()} failed", "exception": error, "task": task}
        )
