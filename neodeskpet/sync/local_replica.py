"""This computer's side of sync: finds local changes and writes remote ones, in the local files."""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
import uuid
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

from neodeskpet.core.attachments import Picture
from neodeskpet.storage import sync_log
from neodeskpet.storage.backups import erase_in_copies
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.storage.database import Database, transaction
from neodeskpet.storage.picture_folder import delete_descriptions, shown_pictures
from neodeskpet.storage.sync_log import APART_KIND, CONVERSATION_FIELDS, RecordVersion, SyncRecord
from neodeskpet.storage.visible_messages import delete_rows_in_copy
from neodeskpet.sync import conversation_records
from neodeskpet.sync.encryption import SealValue
from neodeskpet.sync.server_connection import ServerPosition

T = TypeVar("T")


class SyncFile(Protocol):
    """A database in sync. Raises StoreError."""

    async def change(self, work: Callable[[sqlite3.Connection], T]) -> T: ...

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T: ...

    def subscribe(self, tell: Callable[[], object]) -> None: ...


class LocalReplica:
    """The base of all replicas. All coroutines raise only StoreError. `batch_size`: the number of
    records of one fetch.
    """

    batch_size = sync_log.MAX_RECORDS

    def __init__(
        self,
        file: SyncFile,
        begin: Callable[[sqlite3.Connection, str], None],
        read: sync_log.ReadRecord,
    ) -> None:
        self._file = file
        self._begin = begin
        self._read = read

    def subscribe(self, tell: Callable[[], object]) -> None:
        """Call `tell`, on another thread, when there may be changes to send."""
        self._file.subscribe(tell)

    async def start(self) -> str:
        """Start sync and return the id of this computer."""

        def work(connection: sqlite3.Connection) -> str:
            known = sync_log.read_self(connection)
            if known is None:
                self._begin(connection, uuid.uuid4().hex)
                known = sync_log.read_self(connection)
            assert known is not None
            return known[0]

        return await self._file.change(work)

    async def token(self) -> str:
        """Return the token of the last known push, "" for none."""

        def look(connection: sqlite3.Connection) -> str:
            known = sync_log.read_self(connection)
            return "" if known is None else known[3]

        return await self._file.read(look)

    async def resume_position(self, position: ServerPosition) -> int:
        """Return the number after which the server has new records: 0 if it is another server than
        last time, or was restored from a backup. Then everything is also sent again.
        """

        def work(connection: sqlite3.Connection) -> int:
            known = sync_log.read_self(connection)
            if known is None:  # the file was damaged and created again
                self._begin(connection, uuid.uuid4().hex)
            elif _is_same_server(known, position):
                return known[2]
            sync_log.use_server(connection, position.server)
            return 0

        known = await self._file.read(sync_log.read_self)
        if known is not None and _is_same_server(known, position):
            return known[2]
        return await self._file.change(work)

    async def set_token(self, token: str) -> None:
        """Store the token of the last known push."""
        if token and token != await self.token():
            await self._file.change(lambda db: sync_log.set_token(db, token))

    async def reset(self) -> None:
        """Forget the state of sync, so that everything is compared with the server."""

        def work(connection: sqlite3.Connection) -> None:
            known = sync_log.read_self(connection)
            if known is not None:
                sync_log.use_server(connection, known[1])

        await self._file.change(work)

    async def mark_sent(self, records: Sequence[SyncRecord]) -> None:
        """Mark records as stored on the server."""
        await self._file.change(lambda db: sync_log.mark_sent(db, records))

    async def mark_refused(self, records: Sequence[SyncRecord]) -> None:
        """Mark records as refused by the server."""
        await self._file.change(lambda db: sync_log.mark_refused(db, records))

    async def count_pending(self) -> int:
        """Count the records to send."""
        return await self._file.read(sync_log.count_waiting)

    async def count_set_aside(self) -> int:
        """Count the records that cannot be read here or were refused by the server."""
        return await self._file.read(sync_log.count_set_aside)

    async def counts(self) -> tuple[int, int]:
        """Count the records to send and those set aside."""
        return await self._file.read(count_both)

    async def hashes(self, seal: SealValue) -> dict[tuple[str, str], str]:
        """Return the SHA-256 of the server's form of each record, by kind and id; "" for records
        that only this computer no longer has.
        """

        def look(connection: sqlite3.Connection) -> dict[tuple[str, str], str]:
            found = {}
            for kind, one, value in connection.execute(
                "SELECT kind, id, value FROM shared_known WHERE gone = 0"
            ).fetchall():
                record = self._read(connection, kind, one, RecordVersion(0, ""), value)
                if record is None:
                    found[kind, one] = ""
                elif record.value != sync_log.RUNNING_VALUE:
                    sealed = seal(kind, one, record.value)
                    found[kind, one] = hashlib.sha256(sealed).hexdigest()
            return found

        return await self._file.read(look)

    async def active_conversations(self) -> list[str]:
        """Return the conversations with a running reply: none in most files."""
        return []

    async def picture(self, digest: str) -> bytes | None:
        """Return a picture of this file: most files have none."""
        return None

    async def store_picture(self, digest: str, data: bytes) -> None:
        """Store a picture of another computer: most files have none."""


def count_both(connection: sqlite3.Connection) -> tuple[int, int]:
    """Count the records to send and those set aside."""
    return sync_log.count_waiting(connection), sync_log.count_set_aside(connection)


def apply_to_file(
    connection: sqlite3.Connection,
    records: Sequence[SyncRecord],
    cursor: int,
    take: Callable[[SyncRecord], str | None],
) -> int:
    """Write records with `take`, without logging them as local changes; return their number. Does
    nothing if sync has been turned off for this file.
    """
    if sync_log.read_self(connection) is None:
        return 0
    count = sync_log.apply_records(connection, records, cursor, take)
    sync_log.resume_logging(connection)
    return count


def _is_same_server(known: tuple[str, str, int, str], position: ServerPosition) -> bool:
    """Return whether this is the last used server with all its data. Without a token (the server
    had none yet) this is unknown.
    """
    _, server, cursor, token = known
    certain = bool(token) or not cursor or not position.token
    return (
        server == position.server and cursor <= position.last and position.knows_token and certain
    )


class _ConversationFile:
    def __init__(self, database: Database) -> None:
        self.change = database.change
        self.read = database.read
        self.subscribe = database.subscribe


class ConversationReplica(LocalReplica):
    """The conversations in sync."""

    kinds = ("conversation", *CONVERSATION_FIELDS, "message", "place", "choice", APART_KIND)

    def __init__(self, store: SqliteStore) -> None:
        super().__init__(
            _ConversationFile(store.database),
            conversation_records.start,
            conversation_records.read_record,
        )
        self._database = store.database
        self._pictures = store.pictures
        self.notify = store.notify_changed

    async def collect_pending(self) -> list[SyncRecord]:
        """Return the first records to send."""
        return await self._database.change(conversation_records.collect_pending)

    async def active_conversations(self) -> list[str]:
        """Return the conversations with a running reply."""
        query = "SELECT DISTINCT conversation FROM messages WHERE state = 'running'"
        return await self._database.read(
            lambda db: [one for (one,) in db.execute(query)], fresh=False
        )

    async def written_by_others(self, ids: Sequence[str], since: float) -> set[str]:
        """Return those of the messages that other computers wrote since then (unix seconds)."""
        query = (
            "SELECT 1 FROM shared_known, shared_self WHERE kind = 'message' AND id = ? "
            "AND shared_known.device <> shared_self.device AND stamp > ?"
        )

        def look(connection: sqlite3.Connection) -> set[str]:
            stamp = int(since * 1e6)
            return {one for one in ids if connection.execute(query, (one, stamp)).fetchone()}

        return await self._database.read(look)

    async def picture(self, digest: str) -> bytes | None:
        return await asyncio.to_thread(self._pictures.get, digest)

    async def store_picture(self, digest: str, data: bytes) -> None:
        """Store a picture if its content matches its digest."""
        if hashlib.sha256(data).hexdigest() == digest:
            picture = Picture(digest, data, "")
            await asyncio.to_thread(self._pictures.put, [picture])

    async def apply(
        self,
        records: Sequence[SyncRecord],
        cursor: int,
        *,
        more: bool = False,
        trusted: bool = False,
    ) -> conversation_records.AppliedChanges:
        """Write records of other computers and return the effects, for `notify`. With `more`,
        further records follow at once. `trusted`: only the user can have written the records.
        """

        def work(
            connection: sqlite3.Connection,
        ) -> tuple[conversation_records.AppliedChanges, set[str]]:
            deletes = any(one.version.deleted for one in records)
            with transaction(connection):
                if sync_log.read_self(connection) is None:
                    return conversation_records.AppliedChanges(), set()
                had = shown_pictures(connection) if deletes else set()
                applied = conversation_records.apply_records(
                    connection, records, cursor, more=more, trusted=trusted
                )
                gone = had - shown_pictures(connection) if had else had
                delete_descriptions(connection, gone)
            return applied, gone

        applied, pictures = await self._database.run(work)
        erased = [*applied.deleted, *applied.conversations]
        if erased:
            await self._erase(erased, pictures)
        return applied

    async def _erase(self, ids: Sequence[str], pictures: Iterable[str]) -> None:
        """Erase what other computers deleted permanently, also in the copies of the file."""
        await asyncio.to_thread(self._pictures.delete, pictures)
        await self._database.wipe()
        if self._database.path is not None:
            await asyncio.to_thread(erase_in_copies, self._database.path, ids, delete_rows_in_copy)
