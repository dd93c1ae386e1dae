"""SQLite on one worker thread, with an asynchronous interface.

Rule: the writing connection is created, used and closed only on the worker thread. Jobs run in the
order in which they were posted; delayed jobs when they are due, even if the event loop is blocked.
Other processes may read and write the same file: WAL doesn't block readers, and the wait for
another writer is limited to `busy` seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import itertools
import logging
import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

from neodeskpet.core.errors import StoreError
from neodeskpet.core.i18n import N_
from neodeskpet.platform.private_files import make_private
from neodeskpet.storage.database_file import (
    OpenFile,
    copy_database,
    create_partial,
    delete_file,
    move_aside,
    replace_database,
)
from neodeskpet.storage.database_schema import decode_lenient, set_automerge
from neodeskpet.storage.integrity_check import CheckInterval, IntegrityCheck
from neodeskpet.storage.read_connection import CacheRelease, ReadConnection, snapshot
from neodeskpet.storage.storage_errors import (
    DEFAULT_FAULTS,
    FileFaults,
    SalvageCount,
    StoreLocked,
    damage_error,
    is_damage,
    to_read_error,
    to_store_error,
)

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]
PrepareConnection = Callable[[sqlite3.Connection, Path | None], object]

_log = logging.getLogger(__name__)
_MAX_WIPE_ATTEMPTS = 20
_REPAIR_PAUSE = 30.0  # seconds between attempts to repair
_WRITER_CACHE_KIB, _READER_CACHE_KIB, _INDEX_CACHE_KIB = 512, 256, 1024
"""The page cache in KiB of each connection: writer, window and index. The system caches these pages
too, so more gains little, and there are three databases with three connections each.
"""
_BULK_CACHE_KIB = 32_768
"""The writer's page cache while many rows are written: ids are random, so that each row changes
pages everywhere in the file.
"""
_CACHED_STATEMENTS = 40
"""The prepared statements kept per connection, about 15 KB each. Python's default of 128 filled up
with statements that differ only in the number of placeholders, and `shrink_memory` doesn't free
them.
"""


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Run a transaction. It takes the write lock at its start, so that it waits for other writers
    there.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


@contextlib.contextmanager
def durable_transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Run a transaction that is on disk when it ends, even after a power failure."""
    connection.execute("PRAGMA synchronous = FULL")
    try:
        with transaction(connection):
            yield connection
    finally:
        connection.execute("PRAGMA synchronous = NORMAL")


@dataclass(frozen=True, slots=True)
class DatabaseContent:
    """The content of a database. `prepare` runs on each new connection. `salvage` copies the
    readable rows of a damaged file into a new one. `merge` adds what only the first has to the
    second and returns how much. `faults` are the errors to report.
    """

    prepare: PrepareConnection
    salvage: Callable[[Path, sqlite3.Connection], SalvageCount] | None = None
    merge: Callable[[sqlite3.Connection, sqlite3.Connection], int] | None = None
    faults: FileFaults = DEFAULT_FAULTS


class DatabaseFile(Protocol):
    """A database file that several parts share. Both coroutines raise StoreError."""

    async def read(self, work: Work[T]) -> T:
        """Run `work(connection)` and return its result."""

    async def change(self, work: Work[T]) -> T:
        """Run `work(connection)` in a transaction and return its result."""


class Database:
    """A database in a file, or in memory if `path` is None.

    A damaged file is moved aside, to `moved_to`, and its readable rows are copied into a new one,
    as soon as the damage is found: while opening, in a job, or by the background check. A file that
    is deleted or replaced while it is open is written again. `fault` is the error of opening;
    subscribers receive later ones.
    """

    def __init__(
        self,
        path: Path | None,
        content: DatabaseContent,
        *,
        busy: float = 5.0,
        watch: float = 5.0,
    ) -> None:
        """`watch`: seconds of inactivity before the first check whether the file still exists."""
        self.path = path
        self.moved_to: Path | None = None
        self.fault: StoreError | None = None
        self._content = content
        self._busy = busy
        self._check_interval = CheckInterval(watch)
        self._on_fault: Callable[[StoreError], None] | None = None
        self._unreported: list[StoreError] = []
        self._on_change: Callable[[], object] = _no_subscriber
        self._open_file: OpenFile | None = None
        self._last_version: tuple[sqlite3.Connection, int] | None = None
        self._retry_at = 0.0
        self._complaint = ""
        self._readers: tuple[ReadConnection, ReadConnection] | None = (
            None  # one for the window, one for the index
        )
        if path is not None:
            self._readers = (
                self._new_reader(path, _READER_CACHE_KIB),
                self._new_reader(path, _INDEX_CACHE_KIB),
            )
        self._check: IntegrityCheck | None = None
        self._wake = threading.Condition()
        self._jobs: list[tuple[float, int, Work[Any], Future[Any]]] = []
        self._numbers = itertools.count()
        self._closing = False
        self._opened: Future[None] = Future()
        self._thread = threading.Thread(target=self._main, name="database", daemon=True)

    async def open(self) -> None:
        """Open the database. Raises StoreError."""
        self._thread.start()
        await asyncio.wrap_future(self._opened)

    def subscribe_faults(self, tell: Callable[[StoreError], None]) -> None:
        """Call `tell` on the worker thread with each fault, and at once with earlier ones."""
        with self._wake:
            self._on_fault = tell
            untold, self._unreported = self._unreported, []
        for fault in untold:
            tell(fault)

    def subscribe(self, tell: Callable[[], object]) -> None:
        """Call `tell` on the worker thread after each job that changed rows."""
        self._on_change = tell

    async def run(self, work: Work[T]) -> T:
        """Run `work(connection)` and return its result. Raises StoreError."""
        return await asyncio.wrap_future(self.post(work))

    async def change(self, work: Work[T]) -> T:
        """Run `work(connection)` in a transaction and return its result."""

        def whole(connection: sqlite3.Connection) -> T:
            with transaction(connection):
                return work(connection)

        return await self.run(whole)

    async def read(self, work: Work[T], *, index: bool = False, fresh: bool = True) -> T:
        """Run a job that only reads. It sees everything posted before it, and later jobs don't wait
        for it. Long reads (`index`) use a connection and a thread of their own, so that other reads
        don't wait. All reads of one job see the same state. A quick read that may miss the latest
        changes (`fresh=False`) doesn't wait for pending writes.
        """

        def whole(connection: sqlite3.Connection) -> T:
            try:
                with snapshot(connection):
                    return work(connection)
            except sqlite3.Error as error:
                if is_damage(error):
                    raise
                raise to_read_error(error) from error

        if self._readers is None:
            return await self.run(whole)
        if fresh:
            await self.run(_no_work)
        try:
            return await self._readers[index].run(work)
        except sqlite3.Error as error:
            if is_damage(error):
                return await self.run(whole)  # this also repairs the file
            raise to_read_error(error) from error

    @contextlib.asynccontextmanager
    async def bulk_writes(self, table: str) -> AsyncIterator[None]:
        """Write many rows of the full-text index `table` inside the block: with a larger page
        cache, and without merging the index after each transaction. The caller merges it
        afterwards. Raises StoreError.
        """

        def set_bulk(connection: sqlite3.Connection, *, on: bool) -> None:
            set_automerge(connection, table, on=not on)
            kept = _BULK_CACHE_KIB if on else _WRITER_CACHE_KIB
            connection.execute(f"PRAGMA cache_size = -{kept}")

        await self.run(partial(set_bulk, on=True))
        try:
            yield
        finally:
            with contextlib.suppress(StoreError):  # closed; the next start restores it
                await self.run(partial(set_bulk, on=False))

    def post(self, work: Work[T], delay: float = 0.0) -> Future[T]:
        """Post a job to run in `delay` seconds, from any thread. The future raises StoreError."""
        future: Future[T] = Future()
        with self._wake:
            if self._closing:
                future.set_exception(StoreError(reason=N_("The file is already closed.")))
            else:
                due = time.monotonic() + delay
                heapq.heappush(self._jobs, (due, next(self._numbers), work, future))
                self._wake.notify()
        return future

    async def flush(self) -> None:
        """Wait until all posted jobs, including delayed ones, are done."""
        with self._wake:
            self._run_delayed_now()
        await self.run(_no_work)

    async def changed_by_others(self) -> bool:
        """Return whether another process wrote since the last call; False at the first call. Raises
        StoreError.
        """

        def look(connection: sqlite3.Connection) -> bool:
            (version,) = connection.execute("PRAGMA data_version").fetchone()
            before, self._last_version = self._last_version, (connection, version)
            return before is not None and before[0] is connection and before[1] != version

        return await self.run(look)

    async def wipe(self) -> None:
        """Remove deleted data from the journal: checkpoint and truncate it. A reader in another
        process can prevent that; then the next close does it.
        """
        for _ in range(_MAX_WIPE_ATTEMPTS):
            if await self.run(_empty_journal):
                return
            await asyncio.sleep(0.05)

    async def aclose(self) -> None:
        """Run the posted jobs, then close. Idempotent."""
        with self._wake:
            self._closing = True
            self._run_delayed_now()
            self._wake.notify()
        if self._thread.is_alive():
            await asyncio.to_thread(self._thread.join)

    def _run_delayed_now(self) -> None:
        now = time.monotonic()
        self._jobs = [(min(due, now), *job) for due, *job in self._jobs]  # type: ignore[misc]
        heapq.heapify(self._jobs)

    # On the worker thread

    def _main(self) -> None:
        connection = self._start()
        if connection is None:
            return
        shrinking = CacheRelease()
        try:
            while (job := self._next()) is not None:
                connection = self._keep(connection)
                connection = self._run_job(connection, *job)
                shrinking.release_if_due(connection)
        finally:
            self._end(connection)

    def _end(self, connection: sqlite3.Connection) -> None:
        """Close this connection last, so that its journal is checkpointed."""
        if self._check is not None:
            self._check.stop()
        for reader in self._readers or ():
            reader.close()
        with contextlib.suppress(sqlite3.Error):
            connection.execute("PRAGMA optimize")
        with contextlib.suppress(sqlite3.Error):  # the disk is full; committed data is not lost
            connection.close()

    def _start(self) -> sqlite3.Connection | None:
        there = self.path is not None and self.path.exists()
        try:
            connection = self._connect_or_renew()
        except (sqlite3.Error, OSError) as error:
            self._fail_open(to_store_error(error))
            return None
        except BaseException as error:  # noqa: BLE001 - raised again by `open`
            self._fail_open(error)
            return None
        if there and self.path is not None and self.moved_to is None:
            self._check = IntegrityCheck(self.path, self._recheck_damage)
        self._opened.set_result(None)
        return connection

    def _fail_open(self, error: BaseException) -> None:
        with self._wake:
            self._closing = True
        for reader in self._readers or ():
            reader.close()
        self._opened.set_exception(error)

    def _next(self) -> tuple[Work[Any], Future[Any]] | None:
        """Return the next job when it is due, an empty one when the file should be checked; None
        when the database closes.
        """
        look = time.monotonic() + self._check_interval.pause
        with self._wake:
            while True:
                now = time.monotonic()
                wait = self._jobs[0][0] - now if self._jobs else None
                if wait is not None and wait <= 0:
                    _, _, work, future = heapq.heappop(self._jobs)
                    self._check_interval.note_work()
                    return work, future
                if self._closing and wait is None:
                    return None
                if now >= look:
                    self._check_interval.note_idle()
                    return _no_work, Future()
                self._wake.wait(look - now if wait is None else min(wait, look - now))

    def _run_job(
        self, connection: sqlite3.Connection, work: Work[T], future: Future[T]
    ) -> sqlite3.Connection:
        """Run a job; if it finds damage, repair the file and run it again. Returns the connection
        to use from now on.
        """
        if not future.set_running_or_notify_cancel():
            return connection
        before = connection.total_changes
        try:
            try:
                result = work(connection)
            except sqlite3.Error as error:
                if not is_damage(error) or self.path is None:
                    raise
                connection = self._repair(connection, self.path, error)
                result = work(connection)
        except (sqlite3.Error, OSError) as error:
            future.set_exception(to_store_error(error))
        except BaseException as error:  # noqa: BLE001 - raised again by the future
            future.set_exception(error)
        else:
            future.set_result(result)
            if connection.total_changes != before:
                self._on_change()
        return connection

    def _report(self, fault: StoreError) -> None:
        _log.error("%s: %s", fault.code, fault)
        if not self._opened.done():
            self.fault = fault
            return
        with self._wake:
            tell = self._on_fault
            if tell is None:
                self._unreported.append(fault)
        if tell is not None:
            tell(fault)

    # Connecting

    def _connect_or_renew(self) -> sqlite3.Connection:
        try:
            return self._connect()
        except sqlite3.DatabaseError as error:
            if self.path is None or not is_damage(error):
                raise
            return self._rebuild(self.path, error)

    def _connect(self) -> sqlite3.Connection:
        if self.path is not None:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            make_private(self.path)
        connection = sqlite3.connect(
            self.path or ":memory:",
            timeout=self._busy,
            isolation_level=None,
            cached_statements=_CACHED_STATEMENTS,
        )
        try:
            self._set_up(connection)
            self._content.prepare(connection, self.path)
            if self.path is not None:
                self._open_file = OpenFile(self.path)
        except BaseException:
            connection.close()
            raise
        return connection

    def _new_reader(self, path: Path, kept: int) -> ReadConnection:
        return ReadConnection(lambda: self._connect_to_read(path, kept))

    def _connect_to_read(self, path: Path, kept: int) -> sqlite3.Connection:
        connection = sqlite3.connect(
            path,
            timeout=self._busy,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=_CACHED_STATEMENTS,
        )
        connection.text_factory = decode_lenient
        connection.execute(f"PRAGMA cache_size = -{kept}")
        connection.execute("PRAGMA query_only = ON")
        return connection

    def _set_up(self, connection: sqlite3.Connection) -> None:
        connection.text_factory = decode_lenient
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA cache_size = -{_WRITER_CACHE_KIB}")
        # Deleted data is overwritten, not left in free pages.
        connection.execute("PRAGMA secure_delete = ON")
        # With NORMAL a crash of the process loses nothing, a power failure at most the last
        # transactions.
        # Data that must not be lost is written in a `durable_transaction`.
        connection.execute("PRAGMA synchronous = NORMAL")
        self._begin_wal(connection)

    def _begin_wal(self, connection: sqlite3.Connection) -> None:
        """Switch to WAL, with retries, because SQLite doesn't wait when two processes do so at the
        same time.
        """
        end = time.monotonic() + self._busy
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                busy = isinstance(to_store_error(error), StoreLocked)
                if not busy or time.monotonic() > end:
                    raise
            threading.Event().wait(0.02)

    # A damaged file

    def _recheck_damage(self) -> None:
        """Request another check of the file. Runs on the thread of the integrity check."""

        def look_again(connection: sqlite3.Connection) -> None:
            """Check again, because another process may have repaired it."""
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            if verdict != "ok":
                raise damage_error(verdict)

        self.post(look_again)

    def _repair(
        self, connection: sqlite3.Connection, path: Path, error: sqlite3.Error
    ) -> sqlite3.Connection:
        """Repair the file. Raises the error if it can't be written again; then nothing is
        changed.
        """
        if time.monotonic() < self._retry_at:
            raise error
        self._retry_at = time.monotonic() + _REPAIR_PAUSE
        renewed = self._rebuild(path, error)
        self._retry_at = 0.0
        connection.close()  # now that its file was replaced, it writes nothing there
        return renewed

    def _rebuild(self, path: Path, error: sqlite3.Error) -> sqlite3.Connection:
        """Copy the readable rows into a new file that replaces the damaged one."""
        _log.error("The database %s is damaged (%s)", path, error)
        part = create_partial(path)
        try:
            saved = self._salvage(path, part)
            self._release_readers()
            self.moved_to = move_aside(path, "damaged")
            replace_database(part, path)
        finally:
            delete_file(part)
        fresh = self._connect()
        name, faults = self.moved_to.name, self._content.faults
        if saved.known:
            counts = {"saved": str(saved.saved), "known": str(saved.known)}
            self._report(faults.salvaged(file=name, **counts))
        else:
            self._report(faults.damaged(file=name))
        return fresh

    def _salvage(self, path: Path, part: Path) -> SalvageCount:
        fresh = sqlite3.connect(part.as_uri(), uri=True, isolation_level=None)
        try:
            fresh.execute("PRAGMA journal_mode = MEMORY")
            fresh.execute("PRAGMA synchronous = OFF")  # not used until it is complete
            self._content.prepare(fresh, None)
            return self._content.salvage(path, fresh) if self._content.salvage else SalvageCount()
        finally:
            fresh.close()

    def _release_readers(self) -> None:
        for reader in self._readers or ():
            reader.release()

    # Missing files

    def _keep(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        """Check that the file is still in its place, and write it again if not. Returns the
        connection to use from now on.
        """
        if self._open_file is None or self.path is None or not self._open_file.is_missing():
            return connection
        if time.monotonic() < self._retry_at:
            return connection
        self._retry_at = time.monotonic() + _REPAIR_PAUSE
        try:
            fresh, fault = self._return(connection, self.path)
        except (sqlite3.Error, OSError, StoreError) as error:
            self._complain(error if isinstance(error, StoreError) else to_store_error(error))
            return connection
        self._retry_at, self._complaint = 0.0, ""
        self._release_readers()
        connection.close()
        if fault is not None:
            self._report(fault)
        return fresh

    def _complain(self, error: StoreError) -> None:
        """Report a fault once, however often the repair is retried."""
        if error.code != self._complaint:
            self._complaint = error.code
            self._report(error)

    def _return(
        self, connection: sqlite3.Connection, path: Path
    ) -> tuple[sqlite3.Connection, StoreError | None]:
        """Write the content of `connection` to `path` again."""
        fault: StoreError = self._content.faults.deleted()
        if path.exists() and not self._is_ours(path):
            merged = self._merge(connection)
            if merged is not None:
                return merged
            fault = self._content.faults.overwritten(file=move_aside(path, "replaced").name)
        part = create_partial(path)
        try:
            copy_database(connection, part)
            replace_database(part, path)
        finally:
            delete_file(part)
        return self._connect(), fault

    def _is_ours(self, path: Path) -> bool:
        """Return whether only the journal is missing."""
        return self._open_file is not None and self._open_file.is_at(path)

    def _merge(
        self, connection: sqlite3.Connection
    ) -> tuple[sqlite3.Connection, StoreError | None] | None:
        """Merge into the database that is there now; None if it isn't one."""
        if self._content.merge is None:
            return None
        before = self._open_file
        if before is not None:
            before.remove_journal()
        try:
            theirs = self._connect()
        except sqlite3.Error as error:
            if is_damage(error):
                return None
            raise
        try:
            with transaction(theirs):
                added = self._content.merge(connection, theirs)
        except BaseException as error:
            if isinstance(error, sqlite3.Error) and is_damage(error):
                _log.warning("The open database is damaged: %s", error)
                return theirs, None  # another process repaired it
            self._open_file = before
            theirs.close()
            raise
        return theirs, self._content.faults.replaced() if added else None


def _empty_journal(connection: sqlite3.Connection) -> bool:
    busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def _no_subscriber() -> None:
    """Do nothing."""


def _no_work(connection: sqlite3.Connection) -> None:
    """Do nothing. This job runs after all that were due before it."""


def report_on_loop(database: Database, on_fault: Callable[[StoreError], None] | None) -> None:
    """Call `on_fault` on the running event loop for later faults."""
    loop = asyncio.get_running_loop()

    def tell(error: StoreError) -> None:
        if on_fault is not None:
            with contextlib.suppress(RuntimeError):  # the loop was closed
                loop.call_soon_threadsafe(on_fault, error)

    database.subscribe_faults(tell)


async def open_or_in_memory(
    path: Path | None,
    content: DatabaseContent,
    *,
    busy: float,
    watch: float,
    required: bool = False,
) -> tuple[Database, StoreError | None]:
    """Open a database. Returns it and the error, if any. If the file can't be opened the database
    is in memory (`path` is None) and its content is lost at the end. If it is `required`,
    StoreError is raised instead.
    """
    database = Database(path, content, busy=busy, watch=watch)
    try:
        await database.open()
    except StoreError as error:
        if required:
            raise
        database = Database(None, content)
        await database.open()
        return database, error
    return database, database.fault
