"""Fetches new records from the server, and sends local changes.

One thread uses the server's connection, the database's own thread reads and writes rows; the event
loop only passes data on. A crash at any point loses nothing: sending twice changes nothing, and the
position in the server's records is stored in the transaction that writes the fetched records.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from neodeskpet.storage.sync_log import MAX_RECORDS, SyncRecord
from neodeskpet.sync.conversation_records import AppliedChanges
from neodeskpet.sync.encryption import SealValue
from neodeskpet.sync.server_connection import FetchedRecords, ServerConnection, ServerPosition
from neodeskpet.sync.sync_errors import RecordRefused, ServerUnreachable, SyncError

T = TypeVar("T")
RecordKey = tuple[str, str]
"""The kind and the id of a record."""

_LATEST_FIRST_RECORDS = 2000
"""If the server has more records than this, a new computer fetches the latest
conversations first.
"""
REQUEST_TIMEOUT = 120.0
"""Time limit of one request in seconds, including the connection. The server's own limits are
shorter; this one is for a server that hangs.
"""


class Replica(Protocol):
    """The local rows of some kinds. Coroutines raise StoreError."""

    @property
    def kinds(self) -> Sequence[str]: ...

    @property
    def batch_size(self) -> int: ...

    async def start(self) -> str: ...

    async def token(self) -> str: ...

    async def resume_position(self, position: ServerPosition) -> int: ...

    async def set_token(self, token: str) -> None: ...

    async def collect_pending(self) -> list[SyncRecord]: ...

    async def mark_sent(self, records: Sequence[SyncRecord]) -> None: ...

    async def mark_refused(self, records: Sequence[SyncRecord]) -> None: ...

    async def count_pending(self) -> int: ...

    async def count_set_aside(self) -> int: ...

    async def counts(self) -> tuple[int, int]: ...

    async def active_conversations(self) -> list[str]: ...

    async def picture(self, digest: str) -> bytes | None: ...

    async def store_picture(self, digest: str, data: bytes) -> None: ...

    async def apply(
        self,
        records: Sequence[SyncRecord],
        cursor: int,
        *,
        more: bool = False,
        trusted: bool = False,
    ) -> AppliedChanges: ...

    def notify(self, ids: Sequence[str]) -> object: ...

    def subscribe(self, tell: Callable[[], object]) -> None: ...

    async def hashes(self, seal: SealValue) -> dict[RecordKey, str]: ...

    async def reset(self) -> None: ...


class ConnectionThread:
    """The connection to the server, and the one thread that uses it. It is a daemon thread: a
    server that does not answer never delays the app's exit.
    """

    def __init__(
        self, connect: Callable[[], ServerConnection], *, deadline: float = REQUEST_TIMEOUT
    ) -> None:
        self._connect = connect
        self._deadline = deadline
        self._server: ServerConnection | None = None
        self._start()

    def _start(self) -> None:
        self._jobs: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None]
        self._jobs = queue.SimpleQueue()
        threading.Thread(target=self._main, args=(self._jobs,), name="sharing", daemon=True).start()

    async def run(self, what: Callable[[ServerConnection], T]) -> T:
        """Run `what` on the connection. Raises SyncError; then the next request connects again."""
        future: Future[T] = Future()
        jobs = self._jobs
        jobs.put((lambda: self._ask(what, jobs), future))
        try:
            async with asyncio.timeout(self._deadline):
                return await asyncio.wrap_future(future)
        except TimeoutError:
            self._abandon()
            raise ServerUnreachable from None

    @property
    def number(self) -> int:
        """The server's number of the connection, 0 if there is none."""
        server = self._server
        return 0 if server is None else server.connection_number

    def close(self) -> None:
        """Close the connection without waiting for a running request."""
        self._jobs.put(None)

    def _abandon(self) -> None:
        """Give up the thread, which waits for a hanging server, and start another one."""
        server, self._server = self._server, None
        self._jobs.put(None)
        if server is not None:
            server.cancel()
        self._start()

    def _main(self, jobs: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None]) -> None:
        while (job := jobs.get()) is not None:
            work, future = job
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001 - raised again for the caller of `run`
                future.set_exception(error)
        if jobs is self._jobs:
            self._drop()

    def _ask(self, what: Callable[[ServerConnection], T], jobs: object) -> T:
        server = self._server
        if server is None:
            server = self._connect()
            if jobs is not self._jobs:  # the request has timed out
                server.close()
                raise ServerUnreachable
            self._server = server
        try:
            return what(server)
        except SyncError as error:
            if not error.keeps_connection:
                server.close()
                if self._server is server:
                    self._server = None
            raise

    def _drop(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """The numbers of records on this computer, on the server, and equal on both."""

    local: int
    remote: int
    same: int

    @property
    def is_equal(self) -> bool:
        return self.local == self.remote == self.same


def _comparable(sums: Mapping[RecordKey, str]) -> dict[RecordKey, str]:
    """Leave out places of deleted messages and choices in them: each computer keeps those that it
    needs, and the server drops them with their conversation.
    """

    def has_target(kind: str, one: str) -> bool:
        if kind == "place":
            return ("message", one) in sums
        return kind != "choice" or ("message", one) in sums or ("conversation", one) in sums

    return {key: digest for key, digest in sums.items() if has_target(*key)}


class SyncEngine:
    """Runs the steps of sync one after another."""

    def __init__(
        self,
        sides: Sequence[Replica],
        link: ConnectionThread,
        device: str,
        name: str,
        report: Callable[[AppliedChanges], object] = lambda applied: None,
        progress: Callable[[int, int], object] | None = None,
    ) -> None:
        """`sides` are in the order in which they are synced. `device` is the id of this computer,
        `name` its name. `report` gets the changes of other computers, `progress` the numbers of
        records done and in total, first for fetching, then for sending.
        """
        self._sides = sides
        self._link = link
        self._device = device
        self._name = name
        self._report = report
        self._progress = progress
        self._writing: list[str] | None = None
        self.sent = 0
        self.received = 0
        """Numbers of records of the last step."""

    async def sync(self) -> dict[str, str]:
        """Fetch and send everything; return the names of the computers with a running reply, by
        conversation. Raises StoreError.
        """
        self.sent = self.received = 0
        positions: dict[str, ServerPosition] = {}
        for side in self._sides:
            token = await side.token()
            if token not in positions:  # usually all replicas know the same push
                positions[token] = await self._link.run(lambda server, t=token: server.position(t))  # type: ignore[misc]
            self.received += await self._pull(side, positions[token])
        for side in self._sides:
            self.sent += await self.push(side)
        return await self._report_active(await self._list_active())

    async def sync_all(self) -> None:
        """Fetch and send everything as on the first sync, because this computer and the server
        differ. Raises StoreError.
        """
        for side in self._sides:
            await side.reset()
        await self.sync()

    async def send(self) -> dict[str, str] | None:
        """Send changes; without any, no request is made. Return the names of the computers with a
        running reply, by conversation; None if that wasn't requested. Raises StoreError.
        """
        self.sent = 0
        for side in self._sides:
            self.sent += await self.push(side)
        writing = await self._list_active()
        return None if writing == self._writing else await self._report_active(writing)

    async def _list_active(self) -> list[str]:
        return [one for side in self._sides for one in await side.active_conversations()]

    async def _report_active(self, writing: list[str]) -> dict[str, str]:
        found = await self._link.run(
            lambda server: server.report_active(self._device, self._name, writing)
        )
        self._writing = writing
        return found

    async def _pull(self, side: Replica, position: ServerPosition) -> int:
        """Fetch new records and return their number. Listeners are called after the last one."""
        last = position.last
        cursor = await side.resume_position(position)
        count = 0
        if not cursor and last > _LATEST_FIRST_RECORDS:
            latest = await self._link.run(lambda server: server.pull_latest(side.kinds))
            count = await self._apply_latest(side, latest, trusted=position.trusted)
        total = AppliedChanges()
        try:
            while cursor < last:
                found = await self._fetch(cursor, side)
                await self._keep_pictures(side, found.records)
                applied = await side.apply(
                    found.records, found.cursor, more=found.more, trusted=position.trusted
                )
                total.add(applied)
                cursor = found.cursor if found.more else last
                if self._progress is not None:
                    self._progress(cursor, last)
        finally:
            self._notify(side, total)
        await side.set_token(position.token)
        return count + total.count

    async def _apply_latest(
        self, side: Replica, records: Sequence[SyncRecord], *, trusted: bool
    ) -> int:
        """Apply the records that a new computer needs first, because the rest may take minutes."""
        total = AppliedChanges()
        for start in range(0, len(records), MAX_RECORDS):
            batch = records[start : start + MAX_RECORDS]
            await self._keep_pictures(side, batch)
            more = start + MAX_RECORDS < len(records)
            total.add(await side.apply(batch, 0, more=more, trusted=trusted))
        self._notify(side, total)
        return total.count

    def _notify(self, side: Replica, total: AppliedChanges) -> None:
        if total.count:
            side.notify(list(total.changed | total.deleted))
            self._report(total)

    async def _fetch(self, cursor: int, side: Replica) -> FetchedRecords:
        return await self._link.run(lambda server: server.pull(cursor, side.batch_size, side.kinds))

    async def push(self, side: Replica) -> int:
        """Send changes and return the number of records sent."""
        count = 0
        total = await side.count_pending() if self._progress is not None else 0
        while records := await side.collect_pending():
            named = sorted({digest for one in records for digest in one.pictures})
            missing: list[str] = await self._link.run(
                lambda server, named=named: server.missing_pictures(named)  # type: ignore[misc]
            )
            pictures = {digest: await side.picture(digest) for digest in missing}
            there = {digest: data for digest, data in pictures.items() if data is not None}
            sent = await self._push_records(side, records, there)
            await side.mark_sent(sent)
            count += len(sent)
            if self._progress is not None:
                self._progress(count, max(count, total))
        return count

    async def _push_records(
        self, side: Replica, records: Sequence[SyncRecord], pictures: Mapping[str, bytes]
    ) -> Sequence[SyncRecord]:
        """Write records to the server and return the accepted ones. A refused record does not stop
        the others.
        """
        try:
            token = await self._link.run(lambda server: server.push(records, pictures))
        except RecordRefused:
            if len(records) == 1:
                await side.mark_refused(records)
                return ()
            taken = [await self._push_records(side, [one], pictures) for one in records]
            return [one for part in taken for one in part]
        await side.set_token(token)
        return records

    async def compare(self) -> Comparison:
        """Compare this computer with the server, by hash."""
        there = await self._link.run(lambda server: server.hashes())
        seal = await self._link.run(lambda server: server.seal)
        here: dict[RecordKey, str] = {}
        for side in self._sides:
            here |= await side.hashes(seal)
        there = {key: digest for key, digest in there.items() if here.get(key) != ""}
        here = {key: digest for key, digest in here.items() if digest}
        kinds = {kind for side in self._sides for kind in side.kinds}
        there = _comparable({key: digest for key, digest in there.items() if key[0] in kinds})
        here = _comparable(here)
        same = sum(there.get(key) == digest for key, digest in here.items())
        return Comparison(len(here), len(there), same)

    async def _keep_pictures(self, side: Replica, records: Sequence[SyncRecord]) -> None:
        for digest in sorted({digest for one in records for digest in one.pictures}):
            if await side.picture(digest) is None:
                data = await self._link.run(lambda server, d=digest: server.picture(d))  # type: ignore[misc]
                if data is not None:
                    await side.store_picture(digest, data)
