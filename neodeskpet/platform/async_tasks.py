"""The one place that starts asyncio tasks: each is named, held, and its failure told."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

_running: set[asyncio.Task[Any]] = set()

T = TypeVar("T")


def spawn_task(coroutine: Coroutine[Any, Any, T], *, name: str) -> asyncio.Task[T]:
    """Run `coroutine` on the running loop. The task is kept alive until it ends; what it raises
    goes to the loop's exception handler, which logs it.
    """
    task = asyncio.get_running_loop().create_task(coroutine, name=name)
    _running.add(task)
    task.add_done_callback(_on_done)
    return task


def running() -> frozenset[asyncio.Task[Any]]:
    """The tasks that have not ended: what is left to cancel when the app quits."""
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
