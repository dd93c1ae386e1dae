"""A limit on waits that come one after the other, as those for the chunks of a reply do.

`asyncio.timeout` and anyio's `fail_after` make a timer for each wait and take it away again. Of a
reply that comes in thousands of chunks, none of them late, that is a good part of the cost. Here
one timer serves them all: it looks, when it rings, whether the present wait has lasted too long.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

T = TypeVar("T")


class TimeLimit:
    """Used from one loop, for one wait at a time."""

    def __init__(self) -> None:
        self._timer: asyncio.TimerHandle | None = None
        self._waiting: asyncio.Task[Any] | None = None
        self._until = 0.0
        self._passed = False  # the present wait was cancelled from here

    async def wait(self, coming: Awaitable[T], seconds: float) -> T:
        """What `coming` gives. Cancels it and raises TimeoutError if that takes longer."""
        task = asyncio.current_task()
        assert task is not None, "a coroutine runs in a task"
        before, self._waiting, self._passed = task.cancelling(), task, False
        self._expect(seconds)
        try:
            return await coming
        except asyncio.CancelledError:
            if self._passed and task.cancelling() == before + 1:  # nobody else cancelled it
                raise TimeoutError from None
            raise
        finally:
            self._waiting = None
            if self._passed:
                task.uncancel()

    def _expect(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        self._until = loop.time() + seconds
        if self._timer is not None and self._timer.when() > self._until:
            self.end()
        if self._timer is None:
            self._timer = loop.call_at(self._until, self._look)

    def _look(self) -> None:
        self._timer = None
        if self._waiting is None:
            return
        loop = asyncio.get_running_loop()
        if loop.time() < self._until:
            self._timer = loop.call_at(self._until, self._look)
        else:
            self._passed = True
            self._waiting.cancel()

    def end(self) -> None:
        """No wait follows for now."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
