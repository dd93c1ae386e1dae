"""Where conversations live: `conversation.ports.Store` on SQLite, and a little state of the app."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from neodeskpet.core.blocks import Message, MessageState
from neodeskpet.core.errors import StoreError
from neodeskpet.core.picture import Picture
from neodeskpet.core.records import ConversationInfo, MessageHead
from neodeskpet.memory.db import Content, Database, transaction
from neodeskpet.memory.journal import MessageJournal, put_block, sum_up
from neodeskpet.memory.lease import Lease, is_alive, sweep
from neodeskpet.memory.merge import merge
from neodeskpet.memory.migrations import migrate
from neodeskpet.memory.pictures import (
    FOLDER,
    PictureFolder,
    forget_descriptions,
    shown_pictures,
)
from neodeskpet.memory.reading import (
    read_conversations,
    read_heads,
    read_history,
    read_messages,
)
from neodeskpet.memory.recovery import interrupt_dead
from neodeskpet.memory.rows import encode_usage, from_column, to_column
from neodeskpet.memory.salvage import salvage

FILE_NAME = "neodeskpet.db"

_log = logging.getLogger(__name__)

Clock = Callable[[], float]
OnFault = Callable[[StoreError], None]

CONTENT = Content(migrate, salvage, merge)


class SqliteStore:
    """All coroutines raise StoreError and nothing else. Make one with `await SqliteStore.open()`.

    `fault` is what went wrong while opening, for the person: `StoreDamaged` (or `StoreSalvaged`)
    when a damaged file was moved aside (to `recovered_from`) and a new one begun; any other when
    nothing could be opened and this run is kept in memory only (`in_memory`). None when all is
    well.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock = time.time,
        on_fault: OnFault | None = None,
        fault: StoreError | None = None,
    ) -> None:
        """`database` is open, migrated, and the store's own from now on."""
        self.fault = fault
        self._database = database
        self._lease = _take_lease(database.path)
        path = database.path
        self._pictures = PictureFolder(None if path is None else path.with_name(FOLDER))
        self._clock = clock
        self._on_fault = on_fault
        self._loop = asyncio.get_running_loop()
        self._failing: dict[MessageJournal, StoreError] = {}
        database.listen(self._take_fault)

    @classmethod
    async def open(
        cls,
        path: Path | None,
        *,
        on_fault: OnFault | None = None,
        clock: Clock = time.time,
        busy: float = 5.0,
        watch: float = 5.0,
    ) -> SqliteStore:
        """`path` is the database file, made if it isn't there; None keeps all in memory.

        `on_fault` hears on the loop, once for each time of trouble, that a turn can't be written
        to disk (the turn goes on and what is missing is tried again), and that the file was
        damaged, deleted or replaced. `busy`: seconds to wait for another process that writes;
        `watch`: between two looks at whether the file is still there.
        """
        database = Database(path, CONTENT, busy=busy, watch=watch)
        try:
            await database.open()
        except StoreError as error:
            fault: StoreError | None = error
            database = Database(None, CONTENT)
            await database.open()
        else:
            fault = database.fault
        return cls(database, clock, on_fault, fault)

    @property
    def recovered_from(self) -> Path | None:
        """The damaged file, where it lies now."""
        return self._database.moved_to

    @property
    def in_memory(self) -> bool:
        return self._database.path is None

    # Conversations

    async def conversations(self) -> list[ConversationInfo]:
        """Pinned ones first, then the latest."""
        return await self._database.read(read_conversations)

    async def create_conversation(self, title: str = "") -> ConversationInfo:
        now = self._clock()
        made = ConversationInfo(str(uuid.uuid4()), title, now, now)
        await self._change(
            "INSERT INTO conversations (id, title, created, updated) VALUES (?, ?, ?, ?)",
            (made.id, to_column(title), now, now),
        )
        return made

    async def rename_conversation(
        self, conversation_id: str, title: str, *, instead_of: str | None = None
    ) -> bool:
        """Whether it was renamed: with `instead_of` only if that is what it is called."""
        old = None if instead_of is None else to_column(instead_of)
        changed = await self._change(
            "UPDATE conversations SET title = ? WHERE id = ? AND title = coalesce(?, title)",
            (to_column(title), conversation_id, old),
        )
        return changed > 0

    async def pin_conversation(self, conversation_id: str, pinned: bool) -> None:
        await self._change(
            "UPDATE conversations SET pinned = ? WHERE id = ?", (int(pinned), conversation_id)
        )

    async def delete_conversation(self, conversation_id: str) -> None:
        """With all its messages, and the pictures that no other shows. A turn that still writes to
        one of them writes nothing more.
        """

        def work(connection: sqlite3.Connection) -> None:
            with transaction(connection):
                had = shown_pictures(connection, conversation_id)
                connection.execute("DELETE FROM conversations WHERE id = ?", (conversation_id,))
                gone = had - shown_pictures(connection) if had else had
                forget_descriptions(connection, gone)
            self._pictures.drop(gone)

        await self._database.run(work)

    # Messages

    async def heads(self, conversation_id: str) -> list[MessageHead]:
        """All messages of a conversation in order, without blocks, those replaced left out."""
        return await self._database.read(lambda db: read_heads(db, conversation_id))

    async def messages(self, ids: Sequence[str]) -> list[Message]:
        """These messages whole, in the order of `ids`; unknown ids are skipped."""
        return await self._database.read(lambda db: read_messages(db, ids))

    async def history(self, conversation_id: str, limit: int = 200) -> list[Message]:
        """The last `limit` messages, oldest first, those replaced left out."""
        return await self._database.read(lambda db: read_history(db, conversation_id, limit))

    async def add_message(
        self, conversation_id: str, message: Message, pictures: Sequence[Picture] = ()
    ) -> None:
        """Put `message` at the end, with the `pictures` it shows. A RUNNING one is ours until its
        turn ends or we die.
        """

        def work(connection: sqlite3.Connection) -> None:
            try:
                self._pictures.put(pictures)
                self._insert(connection, conversation_id, message)
            except (OSError, sqlite3.Error):
                lost = {picture.digest for picture in pictures}
                self._pictures.drop(lost - shown_pictures(connection) if lost else ())
                raise

        await self._database.run(work)

    # Pictures

    async def keep_pictures(self, pictures: Sequence[Picture]) -> None:
        """Store pictures of a tool's result, before the message that shows them."""
        try:
            await asyncio.to_thread(self._pictures.put, pictures)
        except OSError as error:
            raise StoreError(str(error)) from error

    async def picture(self, digest: str) -> bytes | None:
        """A message's picture, encoded; None when it is gone."""
        return await asyncio.to_thread(self._pictures.get, digest)

    async def keep_description(self, digest: str, text: str) -> None:
        """Remember what is in a picture. All messages that show it are read with it from now on."""
        await self._change(
            "INSERT INTO descriptions (digest, text, created) VALUES (?, ?, ?) "
            "ON CONFLICT (digest) DO UPDATE SET text = excluded.text, created = excluded.created",
            (digest, to_column(text), self._clock()),
        )

    async def replace_message(self, message_id: str) -> None:
        """Take a message out of the conversation (it was answered anew); its row is kept."""
        await self._change("UPDATE messages SET replaced = 1 WHERE id = ?", (message_id,))

    async def interrupt_running(self) -> list[str]:
        """Mark what dead processes left running as interrupted; the ids of those messages."""
        folder = _lease_folder(self._database.path)
        if folder is None:
            return []
        ids = await self._database.run(
            lambda db: interrupt_dead(db, lambda writer: is_alive(folder, writer))
        )
        await asyncio.to_thread(sweep, folder)
        return ids

    def journal(self, message_id: str) -> MessageJournal:
        """A listener that writes the assistant message `message_id` as it grows."""
        return MessageJournal(
            self._database, message_id, self._writer, self._clock, self._take_report
        )

    async def flush(self) -> None:
        """Return when everything seen so far is on disk. Raises StoreError when it can't be."""
        await self._database.flush()
        for error in list(self._failing.values())[:1]:
            raise error

    async def close(self) -> None:
        """Write what is left, then close. Idempotent."""
        await self._database.close()
        if self._lease is not None:
            self._lease.end()

    # The app's own state

    async def get_state(self, key: str) -> str | None:
        """What was stored under `key` (window places, drafts, timers), None if nothing was."""
        row = await self._database.read(
            lambda db: db.execute("SELECT value FROM state WHERE key = ?", (key,)).fetchone()
        )
        return None if row is None else from_column(row[0])

    async def set_state(self, key: str, value: str | None) -> None:
        """Store `value`, None to forget the key."""
        if value is None:
            await self._change("DELETE FROM state WHERE key = ?", (key,))
            return
        await self._change(
            "INSERT INTO state (key, value) VALUES (?, ?) "
            "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (key, to_column(value)),
        )

    # Inside

    @property
    def _writer(self) -> str:
        return "" if self._lease is None else self._lease.id

    async def _change(self, statement: str, values: tuple[object, ...]) -> int:
        """Run it; how many rows it changed."""

        def work(connection: sqlite3.Connection) -> int:
            with transaction(connection):
                return connection.execute(statement, values).rowcount

        return await self._database.run(work)

    def _insert(
        self, connection: sqlite3.Connection, conversation_id: str, message: Message
    ) -> None:
        now = self._clock()
        running = message.state is MessageState.RUNNING
        with transaction(connection):
            cursor = connection.execute(
                "INSERT INTO messages (id, conversation, role, state, created, ended, usage, "
                "rounds, model, writer, touched) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    message.id,
                    conversation_id,
                    message.role,
                    message.state,
                    message.created,
                    message.ended,
                    encode_usage(message.usage),
                    message.rounds,
                    message.model,
                    self._writer if running else None,
                    now,
                ),
            )
            number = int(cursor.lastrowid or 0)
            for block in message.blocks:
                put_block(connection.execute, number, block)
            sum_up(connection.execute, number, now)
            connection.execute(
                "UPDATE conversations SET updated = max(updated, ?) WHERE id = ?",
                (message.created, conversation_id),
            )

    def _take_report(self, journal: MessageJournal, error: StoreError | None) -> None:
        """On the worker thread. The first failure of a time of trouble is told, the others not."""
        if error is None:
            self._failing.pop(journal, None)
            return
        first = not self._failing
        self._failing[journal] = error
        if first:
            self._pass_on(error)

    def _take_fault(self, error: StoreError) -> None:
        """On the worker thread. What lay beside the file may be gone with it."""
        if self._lease is not None:
            with suppress(OSError):
                self._lease.renew()
        self._pass_on(error)

    def _pass_on(self, error: StoreError) -> None:
        if self._on_fault is not None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._on_fault, error)


def _lease_folder(path: Path | None) -> Path | None:
    return None if path is None else path.with_name(path.name + ".writers")


def _take_lease(path: Path | None) -> Lease | None:
    """None in memory, and where the folder takes no new files (the database may still work)."""
    folder = _lease_folder(path)
    if folder is None:
        return None
    try:
        return Lease(folder)
    except OSError as error:
        _log.warning("The store can't show that it is alive: %s", error)
        return None
