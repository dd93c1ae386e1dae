"""What has to be closed, noted while it is built.

A failure while building, and a failure of one closer, must not keep the others from being closed:
the journal of a conversation may be among them.
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
"""A function, or a coroutine function."""

CLOSE_SECONDS = 30.0
"""What one closer may take; it is given up then, and the others follow."""

_log = logging.getLogger(__name__)


def exit_after(seconds: float, code: int = 1) -> Callable[[], None]:
    """End the process by force in so many seconds, unless what is returned is called before: a
    thread that waits for a disk that doesn't answer would keep it from ending for ever.
    """
    timer = threading.Timer(seconds, os._exit, (code,))
    timer.daemon = True
    timer.start()
    return timer.cancel


@contextmanager
def exit_deadline(seconds: float) -> Iterator[None]:
    """End the process by force if the block takes longer."""
    cancel = exit_after(seconds)
    try:
        yield
    finally:
        cancel()


class CloserStack:
    """Closers in the order in which what they close was built; they are called in reverse."""

    def __init__(self, seconds: float = CLOSE_SECONDS) -> None:
        self._seconds = seconds
        self._closers: list[Closer] = []

    def __len__(self) -> int:
        return len(self._closers)

    def add(self, *closers: Closer) -> None:
        """Several are called from the last to the first, too."""
        self._closers += closers

    def wrap(self, wrapped: Callable[[int, Closer], Closer]) -> None:
        """Replace each closer by what `wrapped` makes of its number and itself; a test has them
        fail in this way.
        """
        self._closers = [wrapped(number, one) for number, one in enumerate(self._closers)]

    async def aclose(self) -> None:
        """Call all closers, whatever each does. Raises the first failure when all were called;
        every failure is logged. A second time does nothing.
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
