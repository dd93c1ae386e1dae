"""Writing that nobody waits for: done at once and in order, on a thread of its own.

A disk that is busy holds whoever writes and flushes for half a second and more. What the interface
keeps (settings, timers) is therefore written here. Being killed loses only what was about to be
written in that moment.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

Job = Callable[[], None]


class FileWriter(Protocol):
    """Who does the writing. A job writes the state as it is when it begins, not as it was when it
    was asked for: a job that waits already isn't done twice.
    """

    def run(self, job: Job) -> Future[None]:
        """Have `job` done. What it raises is in the future."""
        ...

    def tell(self, callback: Callable[[], None]) -> None:
        """Call `callback` on the thread of those who ask for work."""
        ...

    def flush(self) -> None:
        """Wait until all is done."""
        ...


class ImmediateWriter:
    """Whoever asks waits: for commands, which have nothing else to do."""

    def run(self, job: Job) -> Future[None]:
        done: Future[None] = Future()
        try:
            job()
        except OSError as error:
            done.set_exception(error)
        else:
            done.set_result(None)
        return done

    def tell(self, callback: Callable[[], None]) -> None:
        callback()

    def flush(self) -> None:
        """All is done."""


class FileThread:
    """`call_soon` is the loop's `call_soon_threadsafe`."""

    def __init__(self, call_soon: Callable[[Callable[[], None]], object]) -> None:
        self._call_soon = call_soon
        self._pool = ThreadPoolExecutor(1, "files")
        self._lock = threading.Lock()
        self._waiting: dict[Job, Future[None]] = {}

    def run(self, job: Job) -> Future[None]:
        with self._lock:
            if job not in self._waiting:
                self._waiting[job] = self._pool.submit(self._begin, job)
            return self._waiting[job]

    def _begin(self, job: Job) -> None:
        with self._lock:
            del self._waiting[job]
        job()

    def tell(self, callback: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
            self._call_soon(callback)

    def flush(self) -> None:
        self._pool.submit(lambda: None).result()

    def close(self) -> None:
        """Do what waits, and end. Nothing may be asked for afterwards."""
        self._pool.shutdown()
