"""This computer's side of sync: what is to be sent, and what came from others, in its files."""

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
    """Raises StoreError."""

    async def change(self, work: Callable[[sqlite3.Connection], T]) -> T: ...

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T: ...

    def subscribe(self, tell: Callable[[], object]) -> None: ...


class LocalReplica:
    """What all sides have in common. All coroutines raise StoreError and nothing else. `most`:
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
        """`tell` is called, on another thread, when there may be something to send."""
        self._file.subscribe(tell)

    async def start(self) -> str:
        """Take part in sync from now on; the id of this computer."""

        def work(connection: sqlite3.Connection) -> str:
            known = sync_log.read_self(connection)
            if known is None:
                self._begin(connection, uuid.uuid4().hex)
                known = sync_log.read_self(connection)
            assert known is not None
            return known[0]

        return await self._file.change(work)

    async def token(self) -> str:
        """That of the last push that is known here, "" for none."""

        def look(connection: sqlite3.Connection) -> str:
            known = sync_log.read_self(connection)
            return "" if known is None else known[3]

        return await self._file.read(look)

    async def resume_position(self, position: ServerPosition) -> int:
        """From which number on the server has something new for this computer: 0 if it is another
        server than last time, or was restored from a backup. Then everything is sent again, too.
        """

        def work(connection: sqlite3.Connection) -> int:
            known = sync_log.read_self(connection)
            if known is None:  # the file was damaged, and created again
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
        """This push is the last one that is known here."""
        if token and token != await self.token():
            await self._file.change(lambda db: sync_log.set_token(db, token))

    async def reset(self) -> None:
        """Compare everything with the server, whatever is known of it."""

        def work(connection: sqlite3.Connection) -> None:
            known = sync_log.read_self(connection)
            if known is not None:
                sync_log.use_server(connection, known[1])

        await self._file.change(work)

    async def mark_sent(self, records: Sequence[SyncRecord]) -> None:
        """These are on the server."""
        await self._file.change(lambda db: sync_log.mark_sent(db, records))

    async def mark_refused(self, records: Sequence[SyncRecord]) -> None:
        """The server does not accept these."""
        await self._file.change(lambda db: sync_log.mark_refused(db, records))

    async def count_pending(self) -> int:
        """How many records are to be sent."""
        return await self._file.read(sync_log.count_waiting)

    async def count_set_aside(self) -> int:
        """How many records cannot be read here, or were refused by the server."""
        return await self._file.read(sync_log.count_set_aside)

    async def counts(self) -> tuple[int, int]:
        """Both: how many are to be sent, and how many are set aside."""
        return await self._file.read(count_both)

    async def hashes(self, seal: SealValue) -> dict[tuple[str, str], str]:
        """The SHA-256 of what the server holds for each record, by kind and id; "" for what this
        computer alone does not keep any more.
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


def count_both(connection: sqlite3.Connection) -> tuple[int, int]:
    """How many records are to be sent, and how many are set aside."""
    return sync_log.count_waiting(connection), sync_log.count_set_aside(connection)


def _is_same_server(known: tuple[str, str, int, str], position: ServerPosition) -> bool:
    """Whether this is the server of last time, with everything it had then. Without a token (of a
    server that had none yet) that is not known.
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
    """The conversations."""

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
        """The first records to be sent."""
        return await self._database.change(conversation_records.collect_pending)

    async def active_conversations(self) -> list[str]:
        """The conversations in which a reply runs."""
        query = "SELECT DISTINCT conversation FROM messages WHERE state = 'running'"
        return await self._database.read(
            lambda db: [one for (one,) in db.execute(query)], fresh=False
        )

    async def written_by_others(self, ids: Sequence[str], since: float) -> set[str]:
        """Which of these messages other computers wrote since then (unix seconds)."""
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
        """Store a picture, unless its content does not match its digest."""
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
        """Write records of other computers; what that changed, for `tell`. With `more`, further
        records follow at once. `trusted`: nobody but the person can have written them.
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
        """Erase what other computers deleted permanently, in the copies of the file too."""
        await asyncio.to_thread(self._pictures.delete, pictures)
        await self._database.wipe()
        if self._database.path is not None:
            await asyncio.to_thread(erase_in_copies, self._database.path, ids, delete_rows_in_copy)
