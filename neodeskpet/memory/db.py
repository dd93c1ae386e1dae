"""SQLite on one worker thread, with an async face.

The law: the connection is made, used and closed on the worker thread and nowhere else. Work is
done in the order it was posted; delayed work when it is due, whatever the asyncio loop does then
(a blocked window doesn't delay a write). Other processes may read and write the same file: WAL
lets readers be, and a writer is waited for `busy` seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import itertools
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from neodeskpet.core.errors import StoreError
from neodeskpet.memory.store_errors import StoreLocked, is_damage, translate

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]
Prepare = Callable[[sqlite3.Connection, Path | None], object]

_log = logging.getLogger(__name__)
_FILES = ("", "-wal", "-shm")


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """All or nothing. It is a writer's from its beginning, so that it waits its turn there."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


class Database:
    """A file, or a database in memory when `path` is None. `prepare` is run on the new connection.

    A damaged file is moved aside, to `moved_to`, and a new one begun.
    """

    def __init__(self, path: Path | None, prepare: Prepare, *, busy: float = 5.0) -> None:
        self.path = path
        self.moved_to: Path | None = None
        self._prepare = prepare
        self._busy = busy
        self._wake = threading.Condition()
        self._jobs: list[tuple[float, int, Work[Any], Future[Any]]] = []
        self._numbers = itertools.count()
        self._closing = False
        self._opened: Future[None] = Future()
        self._thread = threading.Thread(target=self._main, name="database", daemon=True)

    async def open(self) -> None:
        """Raises StoreError."""
        self._thread.start()
        await asyncio.wrap_future(self._opened)

    async def run(self, work: Work[T]) -> T:
        """What `work(connection)` returns. Raises StoreError."""
        return await asyncio.wrap_future(self.post(work))

    def post(self, work: Work[T], delay: float = 0.0) -> Future[T]:
        """Have it done in `delay` seconds; any thread may ask. The future raises StoreError."""
        future: Future[T] = Future()
        with self._wake:
            if self._closing:
                future.set_exception(StoreError("The database is closed."))
            else:
                due = time.monotonic() + delay
                heapq.heappush(self._jobs, (due, next(self._numbers), work, future))
                self._wake.notify()
        return future

    async def flush(self) -> None:
        """Return when all that was posted, the delayed too, is done."""
        with self._wake:
            self._hurry()
        await self.run(lambda connection: None)

    async def close(self) -> None:
        """Do what is posted, then close. Idempotent."""
        with self._wake:
            self._closing = True
            self._hurry()
            self._wake.notify()
        if self._thread.is_alive():
            await asyncio.to_thread(self._thread.join)

    def _hurry(self) -> None:
        now = time.monotonic()
        self._jobs = [(min(due, now), *job) for due, *job in self._jobs]  # type: ignore[misc]
        heapq.heapify(self._jobs)

    # On the worker thread

    def _main(self) -> None:
        connection = self._start()
        if connection is None:
            return
        try:
            while (job := self._next()) is not None:
                _do(connection, *job)
        finally:
            with contextlib.suppress(sqlite3.Error):
                connection.execute("PRAGMA optimize")
            connection.close()

    def _start(self) -> sqlite3.Connection | None:
        try:
            connection = self._connect_or_renew()
        except (sqlite3.Error, OSError) as error:
            self._refuse(translate(error))
            return None
        except BaseException as error:  # noqa: BLE001 - it belongs to whoever opens
            self._refuse(error)
            return None
        self._opened.set_result(None)
        return connection

    def _refuse(self, error: BaseException) -> None:
        with self._wake:
            self._closing = True
        self._opened.set_exception(error)

    def _next(self) -> tuple[Work[Any], Future[Any]] | None:
        """The next job when it is due; None when the database closes."""
        with self._wake:
            while True:
                wait = self._jobs[0][0] - time.monotonic() if self._jobs else None
                if wait is not None and wait <= 0:
                    _, _, work, future = heapq.heappop(self._jobs)
                    return work, future
                if self._closing and wait is None:
                    return None
                self._wake.wait(wait)

    def _connect_or_renew(self) -> sqlite3.Connection:
        try:
            return self._connect()
        except sqlite3.DatabaseError as error:
            if self.path is None or not is_damage(error):
                raise
            _log.error("The database %s is damaged (%s)", self.path, error)
            self.moved_to = _move_aside(self.path)
            return self._connect()

    def _connect(self) -> sqlite3.Connection:
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            _make_private(self.path)
        connection = sqlite3.connect(
            self.path or ":memory:", timeout=self._busy, isolation_level=None
        )
        try:
            self._set_up(connection)
            self._prepare(connection, self.path)
        except BaseException:
            connection.close()
            raise
        return connection

    def _set_up(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA foreign_keys = ON")
        # What the person deletes is overwritten, not left in free pages.
        connection.execute("PRAGMA secure_delete = ON")
        # A process's death loses nothing with NORMAL; a power cut at most the last transactions.
        connection.execute("PRAGMA synchronous = NORMAL")
        self._begin_wal(connection)
        (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            error = sqlite3.DatabaseError(verdict)
            error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise error

    def _begin_wal(self, connection: sqlite3.Connection) -> None:
        """SQLite doesn't wait by itself when two processes begin WAL at the same moment."""
        end = time.monotonic() + self._busy
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                busy = isinstance(translate(error), StoreLocked)
                if not busy or time.monotonic() > end:
                    raise
            threading.Event().wait(0.02)


def _do(connection: sqlite3.Connection, work: Work[T], future: Future[T]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = work(connection)
    except sqlite3.Error as error:
        future.set_exception(translate(error))
    except BaseException as error:  # noqa: BLE001 - it belongs to whoever waits for the future
        future.set_exception(error)
    else:
        future.set_result(result)


def _make_private(path: Path) -> None:
    """Make the file for the person alone; SQLite gives its side files the same rights.

    An existing file must not even be opened here: to close it would drop the locks that another
    connection of this process holds on it.
    """
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _move_aside(path: Path) -> Path:
    """Give the damaged file and its side files a name of their own; returns the new path."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    target = path.with_name(f"{path.stem}.damaged-{stamp}{path.suffix}")
    number = 1
    while target.exists():
        number += 1
        target = path.with_name(f"{path.stem}.damaged-{stamp}-{number}{path.suffix}")
    for ending in _FILES:
        part = path.with_name(path.name + ending)
        if part.exists():
            part.replace(target.with_name(target.name + ending))
    return target
