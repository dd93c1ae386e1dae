"""A second connection only for reading, on a thread of its own, so that writing never waits for
reading; and the release of a connection's page cache.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from neodeskpet.core.errors import StoreError
from neodeskpet.core.i18n import N_

RELEASE_INTERVAL = 60.0


class CacheRelease:
    """Releases the page cache of one connection, on its thread."""

    def __init__(self, every: float = RELEASE_INTERVAL) -> None:
        """`every`: fewest seconds between two releases."""
        self._every = every
        self._due = time.monotonic() + every

    def release_if_due(self, connection: sqlite3.Connection) -> None:
        """Release the cache after use, if it is time."""
        now = time.monotonic()
        if now >= self._due:
            self._due = now + self._every
            with contextlib.suppress(sqlite3.Error):
                connection.execute("PRAGMA shrink_memory")


T = TypeVar("T")


class ReadConnection:
    """A connection for reading, opened at the first read. With WAL, it sees everything that is
    committed when a read begins.
    """

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        """`connect` may be called on any thread, and its connection used on any."""
        self._connect = connect
        self._thread = ThreadPoolExecutor(1, "database reader")
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._shrinking = CacheRelease()

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work(connection)` and return its result. Raises sqlite3.Error; StoreError
        if closed.
        """
        try:
            future = self._thread.submit(self._do, work)
        except RuntimeError as error:
            raise StoreError(reason=N_("The file is already closed.")) from error
        return await asyncio.wrap_future(future)

    def release(self) -> None:
        """Close the connection after the current read; the next read opens a new one."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def close(self) -> None:
        """Close the connection and interrupt a running read. Blocks until it has ended;
        idempotent.
        """
        connection = self._connection
        if connection is not None:
            with contextlib.suppress(sqlite3.Error):  # it was closed meanwhile
                connection.interrupt()
        self._thread.shutdown()
        self.release()

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._lock:
            if self._connection is None:
                self._connection = self._connect()
            try:
                with snapshot(self._connection):
                    return work(self._connection)
            finally:
                self._shrinking.release_if_due(self._connection)


@contextlib.contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """Let all reads see the state of the first one, whatever is written meanwhile."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN")
    try:
        yield
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
