"""An event loop whose clock jumps: sleeping costs nothing, and waiting for nothing is an error.

run_virtually(scene())  # inside, asyncio.get_running_loop().time() is the virtual clock
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Stuck(AssertionError):
    """Everything waits, and nothing will ever happen."""


class _JumpingSelector(selectors.SelectSelector):
    """Never blocks: the time it should wait is added to the clock."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready:
            return ready
        if timeout is None:
            raise Stuck("every task waits for something that nobody will do")
        self.now += timeout
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


def run_virtually(scene: Coroutine[Any, Any, T]) -> T:
    """`asyncio.run` on virtual time. Raises Stuck where a real loop would hang. No threads."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(scene)
