"""Asks a child process that answers frames, without blocking the event loop.

The process starts with the first question and stops when it was idle for a while.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from neodeskpet.platform.child_process import FrameWorker

IDLE_SECONDS = 600.0


class AsyncFrameWorker:
    """Starts the child `name` of `child_process.MODULES`. Questions are answered one after the
    other. `seconds`: the longest time for one answer; `idle`: seconds without questions until the
    process stops.
    """

    def __init__(
        self,
        name: str,
        seconds: float,
        *arguments: str,
        idle: float = IDLE_SECONDS,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._name = name
        self._idle = idle
        self._child = FrameWorker(name, seconds, *arguments, environment=environment)
        self._thread: ThreadPoolExecutor | None = None
        self._idle_timer: asyncio.TimerHandle | None = None
        self._closed = False

    @property
    def running(self) -> bool:
        return self._child.running

    @property
    def closed(self) -> bool:
        return self._closed

    async def ask(self, question: bytes) -> bytes | None:
        """Return the answer; None if the process ended, took too long or can't be started."""
        if self._closed:
            return None
        self._thread = self._thread or ThreadPoolExecutor(1, f"child {self._name}")
        loop = asyncio.get_running_loop()
        self._stop_timer()
        try:
            return await loop.run_in_executor(self._thread, self._child.ask, question)
        finally:
            self._stop_timer()
            if not self._closed:
                self._idle_timer = loop.call_later(self._idle, self._end)

    async def aclose(self) -> None:
        """Stop the process without waiting for running work. Idempotent."""
        self._closed = True
        self._stop_timer()
        if self._thread is not None:
            thread, self._thread = self._thread, None
            self._child.stop()
            await asyncio.wrap_future(thread.submit(self._child.close))
            thread.shutdown()

    def _stop_timer(self) -> None:
        if self._idle_timer is not None:
            self._idle_timer.cancel()
            self._idle_timer = None

    def _end(self) -> None:
        if self._thread is not None:
            self._thread.submit(self._child.close)
