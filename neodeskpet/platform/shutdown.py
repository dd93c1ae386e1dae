"""Collects the parts that must be closed, while they are built.

A failure while building, or a failure of one closer, must not prevent the other closers: one of
them may be the journal of a conversation.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

Closer = Callable[[], Awaitable[object] | object]
"""A function or a coroutine function."""

CLOSE_SECONDS = 30.0
"""Time limit of one closer in seconds; after that the next ones are called."""

_log = logging.getLogger(__name__)


def exit_after(seconds: float, code: int = 1) -> Callable[[], None]:
    """Kill the process after `seconds`, unless the returned function is called first: a thread that
    waits for an unresponsive disk would keep the process alive forever.
    """
    timer = threading.Timer(seconds, os._exit, (code,))
    timer.daemon = True
    timer.start()
    return timer.cancel


@contextmanager
def exit_deadline(seconds: float) -> Iterator[None]:
    """Kill the process if the block takes longer."""
    cancel = exit_after(seconds)
    try:
        yield
    finally:
        cancel()


class CloserStack:
    """Closers in the order in which their parts were built; they are called in reverse order."""

    def __init__(self, seconds: float = CLOSE_SECONDS) -> None:
        self._seconds = seconds
        self._closers: list[Closer] = []

    def __len__(self) -> int:
        return len(self._closers)

    def add(self, *closers: Closer) -> None:
        """Add closers; several are also called in reverse order."""
        self._closers += closers

    def wrap(self, wrapped: Callable[[int, Closer], Closer]) -> None:
        """Replace each closer by the result of `wrapped` for its number and itself, so that tests
        can make closers fail.
        """
        self._closers = [wrapped(number, one) for number, one in enumerate(self._closers)]

    async def aclose(self) -> None:
        """Call all closers, even if some fail. Every failure is logged, and the first one is raised
        at the end. A second call does nothing.
        """
        failed: BaseException | None = None
        while self._closers:
            closer = self._closers.pop()
            try:
                await self._call(closer)
            except BaseException as error:  # noqa: BLE001 - it is raised when the others are closed
                _log.error("Closing failed: %s", _name(closer), exc_info=error)
                failed = failed or error
        if failed is not None:
            raise failed

    async def _call(self, closer: Closer) -> None:
        async with asyncio.timeout(self._seconds):
            result = closer()
            if inspect.isawaitable(result):
                await result


def _name(closer: Closer) -> str:
    return str(getattr(closer, "__qualname__", closer))
