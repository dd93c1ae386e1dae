"""The store of conversations: `conversation.ports.Store` on SQLite, and some state of the app."""

from __future__ import annotations

import asyncio
import logging
import math
import sqlite3
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from neodeskpet.core.attachments import AttachedContent, FileText, Picture
from neodeskpet.core.background_tasks import Task
from neodeskpet.core.blocks import (
    ConversationInfo,
    Deletion,
    Message,
    MessageHead,
    MessageNode,
    MessageState,
    ShownPath,
    ToolUse,
)
from neodeskpet.core.errors import MessageNotFound, StoreError
from neodeskpet.platform.observers import Observers
from neodeskpet.platform.process_lease import ProcessLease, is_alive, remove_dead_leases
from neodeskpet.storage import chat_imports, message_tree
from neodeskpet.storage.backups import erase_in_copies
from neodeskpet.storage.chat_export_reader import ImportedConversation
from neodeskpet.storage.chat_imports import (
    ForeignConversation,
    ImportBatch,
    new_pictures,
    put_imported,
    read_known_marks,
    remove_imported,
)
from neodeskpet.storage.conversation_migrations import MIGRATIONS
from neodeskpet.storage.conversation_repair import (
    CONVERSATION_FAULTS,
    interrupt_dead_messages,
    merge_conversations,
    salvage_conversations,
)
from neodeskpet.storage.database import Database, DatabaseContent, open_or_in_memory, transaction
from neodeskpet.storage.database_schema import from_column, migrate, to_column
from neodeskpet.storage.message_journal import MessageJournal, update_head, write_block
from neodeskpet.storage.message_rows import (
    encode_usage,
    read_conversations,
    read_heads,
    read_history,
    read_messages,
    read_path,
    read_path_to,
)
from neodeskpet.storage.message_tree import copy_path
from neodeskpet.storage.picture_folder import (
    DRAFT_FILE_MEDIA_TYPE,
    PICTURES_FOLDER,
    PictureFolder,
    delete_descriptions,
    pack_file,
    put_draft_pictures,
    read_draft_pictures,
    shown_pictures,
    unpack_file,
)
from neodeskpet.storage.spending_store import SpendingStore
from neodeskpet.storage.task_store import SqliteTasks, mark_task_reported
from neodeskpet.storage.visible_messages import (
    LastWrite,
    VisibleMessage,
    delete_from_tree,
    delete_rows_in_copy,
    delete_state,
    delete_titles,
    message_with_answers,
    read_last_written,
    read_shown,
    read_visible,
)

_log = logging.getLogger(__name__)

_UNDO_SECONDS = 600.0
"""Seconds for which deletions of another process can still be undone."""

_T = TypeVar("_T")
Clock = Callable[[], float]
ReportFault = Callable[[StoreError], None]


def prepare_conversations(connection: sqlite3.Connection, path: Path | None) -> None:
    migrate(connection, path, MIGRATIONS)


CONVERSATIONS_CONTENT = DatabaseContent(
    prepare_conversations, salvage_conversations, merge_conversations, CONVERSATION_FAULTS
)


def put_character_apart(connection: sqlite3.Connection, character: str, apart: bool) -> None:
    """Set whether this character has a memory of its own."""
    connection.execute(
        "INSERT INTO apart VALUES (?, ?) ON CONFLICT (character) DO UPDATE SET "
        "apart = excluded.apart WHERE excluded.apart <> apart",
        (character, int(apart)),
    )


class SqliteStore:
    """The store. All coroutines raise StoreError and nothing else. Create it with `await
    SqliteStore.open()`.

    `fault` is the error of opening, for the user: `StoreDamaged` (or `StoreSalvaged`) when a
    damaged file was moved aside (to `recovered_from`) and a new one created; any other when the
    file could not be opened and this run is kept in memory only (`in_memory`). None if there was no
    error.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock = time.time,
        on_fault: ReportFault | None = None,
        fault: StoreError | None = None,
    ) -> None:
        """`database` is open and migrated; the store owns it from now on."""
        self.fault = fault
        self.database = database
        self._lease = _take_lease(database.path)
        self.tasks = SqliteTasks(database, self._writer, partial(_is_writer_alive, database.path))
        self.spending = SpendingStore(database, clock)
        path = database.path
        self.pictures = PictureFolder(None if path is None else path.with_name(PICTURES_FOLDER))
        self._clock = clock
        self._on_fault = on_fault
        self._loop = asyncio.get_running_loop()
        self._importing: set[str] = set()
        self._failing: dict[MessageJournal, StoreError] = {}
        self._observers: Observers[[Sequence[str]]] = Observers()
        self.notify_changed = self._observers.notify
        database.subscribe_faults(self._on_database_fault)

    @classmethod
    async def open(
        cls,
        path: Path | None,
        *,
        on_fault: ReportFault | None = None,
        clock: Clock = time.time,
        busy: float = 5.0,
        watch: float = 5.0,
        required: bool = False,
    ) -> SqliteStore:
        """`path` is the database file, created if missing; None keeps everything in memory.

        `on_fault` is called on the event loop, once per problem, when a turn can't be written to
        disk (the turn continues and the write is retried), and when the file was damaged, deleted
        or replaced. `busy`: seconds to wait for another process that is writing; `watch`: seconds
        between checks whether the file still exists. `required`: raise StoreError when the file
        can't be opened.
        """
        database, fault = await open_or_in_memory(
            path, CONVERSATIONS_CONTENT, busy=busy, watch=watch, required=required
        )
        return cls(database, clock, on_fault, fault)

    @property
    def recovered_from(self) -> Path | None:
        """Return the new path of the damaged file."""
        return self.database.moved_to

    @property
    def in_memory(self) -> bool:
        return self.database.path is None

    def subscribe(self, observer: Callable[[Sequence[str]], object]) -> Callable[[], None]:
        """Call `observer` on the event loop with the ids of messages that were added whole, ended,
        replaced or deleted. Returns a function that unsubscribes.
        """
        return self._observers.subscribe(observer)

    async def changed_by_others(self) -> bool:
        """Return whether another process wrote since the last call. Raises StoreError."""
        return await self.database.changed_by_others()

    # Conversations

    async def conversations(self) -> list[ConversationInfo]:
        """Return the conversations: pinned ones first, then the latest."""
        return await self.database.read(read_conversations)

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
        """Rename a conversation; with `instead_of` only if that is its present title. Returns
        whether it was renamed.
        """
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
        """Delete a conversation with its messages and the pictures that no other shows. A turn that
        is still writing to it writes nothing more. Nothing of it stays in the file or in backups.
        """

        def work(connection: sqlite3.Connection) -> list[str]:
            query = "SELECT id FROM messages WHERE conversation = ?"
            ids = [one for (one,) in connection.execute(query, (conversation_id,))]
            connection.execute("DELETE FROM conversations WHERE id = ?", (conversation_id,))
            delete_state(connection, [conversation_id])
            return ids

        await self._erase(work, conversation_id)

    # The list: archive, folders, and deleted conversations that can be restored

    async def archive_conversations(self, ids: Sequence[str], archived: bool) -> None:
        """Archive conversations, or move them back into the list."""
        rows = [(int(archived), one) for one in ids]
        await self._change_all("UPDATE conversations SET archived = ? WHERE id = ?", rows)

    async def set_folder(self, ids: Sequence[str], folder: str) -> None:
        """Move conversations into the folder of this name ("": none). An empty folder
        disappears.
        """
        rows = [(to_column(folder), one) for one in ids]
        await self._change_all("UPDATE conversations SET folder = ? WHERE id = ?", rows)

    # Characters of conversations

    async def characters(self) -> dict[str, str]:
        """Return the id of the character chosen for each conversation, "" for the figure."""
        query = "SELECT id, character FROM conversations WHERE character IS NOT NULL"
        return await self.database.read(
            lambda db: {one: from_column(who) for one, who in db.execute(query)}
        )

    async def choose_character(self, conversation_id: str, character: str) -> None:
        await self._change(
            "UPDATE conversations SET character = ? WHERE id = ?",
            (to_column(character), conversation_id),
        )

    async def characters_apart(self) -> frozenset[str]:
        """Return the ids of the characters with a memory of their own."""
        query = "SELECT character FROM apart WHERE apart = 1"
        return await self.database.read(lambda db: frozenset(one for (one,) in db.execute(query)))

    async def set_character_apart(self, character: str, apart: bool) -> None:
        await self.database.change(lambda db: put_character_apart(db, character, apart))

    async def discard_conversations(self, ids: Sequence[str]) -> None:
        """Delete conversations. Until the next deletion, or the end, they can be restored."""
        now = self._clock()
        await self._purge(now)
        rows = [(now, one) for one in ids]
        await self._change_all("UPDATE conversations SET discarded = ? WHERE id = ?", rows)
        await self._notify_messages_of(ids)

    async def restore_conversations(self, ids: Sequence[str]) -> None:
        """Restore discarded conversations. Raises MessageNotFound if it is too late for one of
        them.
        """
        rows = [(one,) for one in ids]
        query = "UPDATE conversations SET discarded = NULL WHERE id = ?"
        if await self._change_all(query, rows) < len(ids):
            raise MessageNotFound
        await self._notify_messages_of(ids)

    async def _notify_messages_of(self, conversations: Sequence[str]) -> None:
        """Report that all their messages were added or removed."""
        query = "SELECT id FROM messages WHERE conversation = ?"

        def look(connection: sqlite3.Connection) -> list[str]:
            return [m for one in conversations for (m,) in connection.execute(query, (one,))]

        self._observers.notify(await self.database.read(look))

    async def _change_all(self, statement: str, rows: Sequence[tuple[object, ...]]) -> int:
        def work(connection: sqlite3.Connection) -> int:
            with transaction(connection):
                return connection.executemany(statement, rows).rowcount

        return await self.database.run(work) if rows else 0

    # Drafts

    async def update_draft(
        self, conversation_id: str, text: str | None, attachments: Sequence[AttachedContent]
    ) -> None:
        """Store the draft of a conversation; None and no attachments for none."""
        key = f"draft:{conversation_id}"
        pictures = [pack_file(one) if isinstance(one, FileText) else one for one in attachments]

        def put(connection: sqlite3.Connection) -> set[str]:
            connection.execute("DELETE FROM state WHERE key = ?", (key,))
            if text is not None:
                connection.execute("INSERT INTO state VALUES (?, ?)", (key, to_column(text)))
            return put_draft_pictures(connection, conversation_id, pictures)

        self.pictures.delete(await self._put(pictures, put))

    async def get_draft(self, conversation_id: str) -> tuple[str, list[AttachedContent]]:
        """Return the draft: text and attachments, without deleted and damaged ones."""
        text = await self.get_state(f"draft:{conversation_id}")
        named = await self.database.read(lambda db: read_draft_pictures(db, conversation_id))
        whole: list[AttachedContent] = []
        for one in named:
            data = await self.picture(one.digest)
            if data is None:
                continue
            found = replace(one, data=data)
            if one.media_type != DRAFT_FILE_MEDIA_TYPE:
                whole.append(found)
            elif (read := unpack_file(found)) is not None:
                whole.append(read)
        return text or "", whole

    async def get_summary(self, conversation_id: str) -> str | None:
        """Return the stored summary of older messages."""
        return await self.get_state(f"summary:{conversation_id}")

    async def update_summary(
        self,
        conversation_id: str,
        value: str | None,
        *,
        instead: Callable[[str | None], bool],
        tells_of: Sequence[str],
    ) -> bool:
        """Store the summary if `instead` accepts the present one and all messages in `tells_of`
        still exist. Returns whether it was stored.
        """

        def put(connection: sqlite3.Connection) -> bool:
            with transaction(connection):
                return message_tree.update_summary(
                    connection, conversation_id, value, instead=instead, tells_of=tells_of
                )

        return await self.database.run(put)

    async def delete_messages(self, ids: Sequence[str]) -> list[str]:
        """Delete messages permanently, those of the user with their replies. Returns the ids of
        all. Nothing of them stays in the file or in backups.
        """

        now = self._clock()

        def work(connection: sqlite3.Connection) -> list[str]:
            named = [one for message in ids for one in message_with_answers(connection, message)]
            delete_titles(connection, named)
            for one in named:
                delete_from_tree(connection, one, now)
            return self._drop_rows(connection, named)

        return await self._erase(work)

    async def _erase(
        self, work: Callable[[sqlite3.Connection], list[str]], more: str = ""
    ) -> list[str]:
        """Delete messages permanently with `work`, which returns their ids. Nothing of them or of
        the conversation `more` is left.
        """

        def whole(connection: sqlite3.Connection) -> tuple[list[str], set[str]]:
            with transaction(connection):
                had = shown_pictures(connection)
                ids = work(connection)
                gone = had - shown_pictures(connection) if had else had
                delete_descriptions(connection, gone)
            return ids, gone

        ids, gone = await self.database.run(whole)
        if not ids and not more:
            return ids
        self.pictures.delete(gone)
        await self.database.wipe()
        if self.database.path is not None:
            named = [*ids, more] if more else ids
            await asyncio.to_thread(erase_in_copies, self.database.path, named, delete_rows_in_copy)
        self._observers.notify(ids)
        return ids

    @staticmethod
    def _drop_rows(connection: sqlite3.Connection, ids: Sequence[str]) -> list[str]:
        message_tree.delete_summaries(connection, ids)
        connection.executemany("DELETE FROM messages WHERE id = ?", [(one,) for one in ids])
        return [*dict.fromkeys(ids)]

    # Messages

    async def heads(self, conversation_id: str) -> list[MessageHead]:
        """Return the shown messages of a conversation in order, without blocks."""
        return await self.database.read(lambda db: read_heads(db, conversation_id))

    async def messages(self, ids: Sequence[str]) -> list[Message]:
        """Return these messages with their blocks, in the order of `ids`; unknown ids are
        skipped.
        """
        return await self.database.read(lambda db: read_messages(db, ids))

    async def history(
        self, conversation_id: str, limit: int = 200, *, until: str = ""
    ) -> list[Message]:
        """Return the last `limit` shown messages, oldest first; with `until` those that lead to and
        include that message, shown or not.
        """
        if until:
            return await self.database.read(lambda db: read_path_to(db, until, limit))
        return await self.database.read(lambda db: read_history(db, conversation_id, limit))

    async def add_message(
        self, conversation_id: str, message: Message, pictures: Sequence[Picture] = ()
    ) -> None:
        """Append `message` with its `pictures`. A RUNNING message belongs to this process until its
        turn or the process ends.
        """

        def put(connection: sqlite3.Connection) -> None:
            self._insert(
                connection,
                conversation_id,
                message,
                message_tree.last_shown_message(connection, conversation_id),
            )

        await self._put(pictures, put)
        if message.state is not MessageState.RUNNING:
            self._observers.notify([message.id])

    async def add_version(
        self,
        conversation_id: str,
        message: Message,
        pictures: Sequence[Picture] = (),
        *,
        beside: str,
    ) -> ShownPath:
        """Add `message` as a version of the message `beside`, and show it. Raises
        MessageNotFound.
        """

        def put(connection: sqlite3.Connection) -> tuple[ShownPath, list[str]]:
            parent = message_tree.parent_of(connection, beside)
            if parent is None:
                raise MessageNotFound
            self._insert(connection, conversation_id, message, parent)
            path = _existing(message_tree.show_message(connection, conversation_id, message.id))
            return path, sorted({message.id, *path.changed})

        path, changed = await self._put(pictures, put)
        self._observers.notify(changed)
        return path

    async def _put(
        self, pictures: Sequence[Picture], put: Callable[[sqlite3.Connection], _T]
    ) -> _T:
        def work(connection: sqlite3.Connection) -> _T:
            try:
                self.pictures.put(pictures)
                with transaction(connection):
                    return put(connection)
            except (OSError, sqlite3.Error):
                lost = {picture.digest for picture in pictures}
                self.pictures.delete(lost - shown_pictures(connection) if lost else ())
                raise

        return await self.database.run(work)

    # Versions: `message_tree.py` decides which messages are shown

    async def show_message(self, conversation_id: str, message_id: str) -> ShownPath:
        """Show this message, in whichever version it is. Returns the messages shown below the last
        unchanged one. Raises MessageNotFound.
        """
        return self._notify_path(
            await self._change_tree(
                lambda db: message_tree.show_message(db, conversation_id, message_id)
            )
        )

    async def step_version(self, conversation_id: str, message_id: str, by: int) -> ShownPath:
        """Show the version `by` places after (or before) this one, and below it what was last shown
        there. Raises MessageNotFound if there is none.
        """
        return self._notify_path(
            await self._change_tree(
                lambda db: message_tree.step_version(db, conversation_id, message_id, by)
            )
        )

    async def path(self, conversation_id: str, after: str = "") -> ShownPath:
        """Return the messages shown below the message `after`."""
        return await self.database.read(lambda db: read_path(db, conversation_id, after))

    async def delete_message(
        self, conversation_id: str, message_id: str, *, below: bool
    ) -> tuple[ShownPath, Deletion]:
        """Delete a message, with all `below` it if requested. It can be restored until the next
        deletion, or the end of the app. Raises MessageNotFound.
        """
        now = self._clock()

        await self._purge(now)
        path, deletion = await self._change_tree(
            lambda db: message_tree.delete_message(
                db, conversation_id, message_id, below=below, at=now
            )
        )
        return self._notify_path(path), deletion

    async def restore_messages(self, conversation_id: str, deletion: Deletion) -> ShownPath:
        """Restore deleted messages. Raises MessageNotFound if it is too late."""
        return self._notify_path(
            await self._change_tree(
                lambda db: message_tree.restore_messages(db, conversation_id, deletion)
            )
        )

    async def message_times(self, conversation_id: str) -> list[tuple[str, float]]:
        """Return the shown messages in order, with their times (unix seconds)."""
        query = (
            "SELECT id, created FROM messages WHERE conversation = ? AND replaced = 0 "
            "ORDER BY number"
        )
        return await self.database.read(
            lambda db: db.execute(query, (conversation_id,)).fetchall(), index=True
        )

    async def nodes(self, conversation_id: str) -> list[MessageNode]:
        """Return all messages in the order of their time, shown or not."""
        return await self.database.read(lambda db: message_tree.read_nodes(db, conversation_id))

    async def copy_conversation(self, message_id: str, title: str) -> ConversationInfo:
        """Create a conversation with copies of this message and all its ancestors. Raises
        MessageNotFound.
        """
        now = self._clock()
        made = ConversationInfo(str(uuid.uuid4()), title, now, now)

        def work(connection: sqlite3.Connection) -> set[str] | None:
            copied = copy_path(connection, message_id, made)
            return read_shown(connection, made.id) if copied else None

        self._observers.notify(sorted(await self._change_tree(work)))
        return made

    async def import_conversation(self, found: ImportedConversation) -> ConversationInfo:
        """Create a conversation from a file that was read."""
        now = self._clock()
        made = ConversationInfo(str(uuid.uuid4()), found.title, now, now)

        def put(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT INTO conversations (id, title, created, updated, folder, pinned, archived) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    made.id,
                    to_column(made.title),
                    now,
                    now,
                    to_column(found.folder),
                    int(found.pinned),
                    int(found.archived),
                ),
            )
            places = {node.id: node for node in found.nodes}
            for message in found.messages:
                self._insert(connection, made.id, message, places[message.id].parent)
            connection.executemany(
                "UPDATE messages SET chosen = ? WHERE id = ?",
                [(int(node.chosen), node.id) for node in found.nodes],
            )
            message_tree.repair_tree(connection, made.id)

        await self._put(found.pictures, put)
        self._observers.notify([message.id for message in found.messages])
        return made

    # Imports from other programs

    async def known_imported(self, ids: Sequence[str]) -> dict[str, frozenset[str]]:
        """Return which of these conversations exist, with the marks (`chat_imports.message_mark`)
        of all messages imported into each, deleted or not.
        """
        return await self.database.read(lambda db: read_known_marks(db, ids))

    async def begin_import(self, name: str, among: Sequence[str]) -> ImportBatch:
        """Start an import with this name. Returns its id, and what it already stored if it
        continues an interrupted import with some of these conversations (`among`).
        """
        own = ImportBatch(uuid.uuid4().hex, name, self._clock())

        def work(connection: sqlite3.Connection) -> ImportBatch:
            self._tidy_imports(connection)
            with transaction(connection):
                begun = chat_imports.begin_import(
                    connection, own, self._writer, among, self._is_import_running
                )
                self._importing.add(begun.id)
                return begun

        return await self.database.run(work)

    async def add_imported(self, past: ForeignConversation, of: str) -> list[str]:
        """Store its new messages for the import `of`, and return their ids. They are recorded as
        part of the import even if the process is killed.
        """
        pictures = past.content.pictures
        if pictures:
            coming = await self.database.run(lambda db: _expect_pictures(db, past, of))
            pictures = [one for one in pictures if one.digest in coming]

        def put(connection: sqlite3.Connection) -> list[str]:
            return put_imported(connection, partial(self._insert, connection), past, of)

        added = await self._put(pictures, put)
        self._observers.notify(added)
        return added

    async def end_import(self, of: str) -> ImportBatch | None:
        """Finish the import and record it as the last one. Returns it, None if it
        imported nothing.
        """
        try:
            return await self.database.change(lambda db: chat_imports.end_import(db, of))
        finally:
            self._importing.discard(of)

    async def unfinished_imports(self) -> list[ImportBatch]:
        """Return the interrupted imports, latest first."""

        def work(connection: sqlite3.Connection) -> list[ImportBatch]:
            self._tidy_imports(connection)
            return chat_imports.unfinished_imports(connection, self._is_import_running)

        return (
            await self.database.run(work)
            if await self.database.read(chat_imports.has_unfinished_imports)
            else []
        )

    async def undo_import(self, taken: Mapping[str, Sequence[str]], of: str = "") -> None:
        """Delete these messages permanently, conversations that become empty, and the records of
        the import `of`. If the process is killed meanwhile, the next clean-up removes the pictures.
        """
        of = of or uuid.uuid4().hex
        await self._erase(lambda db: remove_imported(db, taken, of))
        await self.database.change(lambda db: chat_imports.delete_import(db, of))

    def _tidy_imports(self, connection: sqlite3.Connection) -> None:
        """Remove unused pictures: those that an interrupted import was about to add, and those
        about to be removed.
        """
        if left := chat_imports.expected_pictures(connection, self._is_import_running):
            self.pictures.delete_partial(left)
            self.pictures.delete(left - shown_pictures(connection))
        with transaction(connection):
            chat_imports.clean_up_imports(connection, self._is_import_running)

    def _is_import_running(self, of: str, writer: str) -> bool:
        """Return whether an import is running, in this store or in another process."""
        if writer == self._writer:
            return of in self._importing
        return _is_writer_alive(self.database.path, writer)

    async def _change_tree(self, work: Callable[[sqlite3.Connection], _T | None]) -> _T:
        """Change the tree of a conversation."""

        def run(connection: sqlite3.Connection) -> _T:
            with transaction(connection):
                return _existing(work(connection))

        return await self.database.run(run)

    def _notify_path(self, path: ShownPath) -> ShownPath:
        """Report which messages are shown now and which aren't any more."""
        self._observers.notify(list(path.changed))
        return path

    async def unreported_tasks(self, conversation_id: str) -> list[Task]:
        """Return the background tasks of a conversation that ended and that no message reports."""
        return await self.tasks.unreported_tasks(conversation_id)

    # Pictures

    async def store_pictures(self, pictures: Sequence[Picture]) -> None:
        """Store pictures of a tool's result, before the message that shows them."""
        try:
            await asyncio.to_thread(self.pictures.put, pictures)
        except OSError as error:
            raise StoreError(str(error)) from error

    async def picture(self, digest: str) -> bytes | None:
        """Return a picture of a message, encoded; None if it was deleted."""
        return await asyncio.to_thread(self.pictures.get, digest)

    async def update_description(self, digest: str, text: str) -> None:
        """Store the description of a picture. All messages that show it contain it from now on."""
        await self._change(
            "INSERT INTO descriptions (digest, text, created) VALUES (?, ?, ?) "
            "ON CONFLICT (digest) DO UPDATE SET text = excluded.text, created = excluded.created",
            (digest, to_column(text), self._clock()),
        )

    async def purge_deleted(self) -> None:
        """Permanently delete messages that were deleted a while ago."""
        await self._purge(self._clock() - _UNDO_SECONDS)

    async def interrupt_running(self) -> list[str]:
        """Mark messages of ended processes as interrupted and return their ids. Messages deleted a
        while ago are deleted permanently.
        """
        await self.purge_deleted()
        folder = _lease_folder(self.database.path)
        if folder is None:
            return []
        ids = await self.database.run(
            lambda db: interrupt_dead_messages(db, lambda writer: is_alive(folder, writer))
        )
        await asyncio.to_thread(remove_dead_leases, folder)
        return ids

    def journal(self, message_id: str) -> MessageJournal:
        """Return a listener that writes the assistant message `message_id` as it grows."""
        return MessageJournal(
            self.database,
            message_id,
            self._writer,
            self._clock,
            self._on_journal_report,
            lambda: self._call_on_loop(self._observers.notify, [message_id]),
        )

    # For memory and search

    async def visible_messages(
        self, ids: Sequence[str], *, versions: bool = False
    ) -> list[VisibleMessage]:
        """Return those of these messages that are finished and shown, with blocks; with `versions`
        those of other versions too.
        """
        read = partial(read_visible, ids=ids, versions=versions)
        return await self.database.read(read, index=True)

    async def last_written(
        self, *, after: int = 0, most: int = 1_000, versions: bool = False
    ) -> list[LastWrite]:
        """Return when the next messages that `visible_messages` would return were last written,
        beginning after the message with the number `after`; at most `most` of them.
        """
        read = partial(read_last_written, after=after, most=most, versions=versions)
        return await self.database.read(read, index=True)

    async def flush(self) -> None:
        """Wait until all events so far are on disk. Raises StoreError if that fails."""
        await self.database.flush()
        for error in list(self._failing.values())[:1]:
            raise error

    async def aclose(self) -> None:
        """Write pending data, then close. Idempotent."""
        with suppress(StoreError):  # the next start repeats it
            await self._purge(math.inf)
        await self.database.aclose()
        if self._lease is not None:
            self._lease.release()

    # The app's own state

    async def get_state(self, key: str) -> str | None:
        """Return the value of `key` (window places, drafts, timers), None if there is none."""
        row = await self.database.read(
            lambda db: db.execute("SELECT value FROM state WHERE key = ?", (key,)).fetchone()
        )
        return None if row is None else from_column(row[0])

    async def set_state(self, key: str, value: str | None) -> None:
        """Store `value`; None deletes the key."""
        if value is None:
            await self._change("DELETE FROM state WHERE key = ?", (key,))
            return
        await self._change(
            "INSERT INTO state (key, value) VALUES (?, ?) "
            "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (key, to_column(value)),
        )

    # Implementation

    async def _purge(self, before: float) -> None:
        """Permanently delete messages that were deleted before, with the pictures that no other
        shows.
        """
        query = "SELECT id FROM messages WHERE replaced = 2 AND touched < ?"

        def look(connection: sqlite3.Connection) -> list[str]:
            return [one for (one,) in connection.execute(query, (before,))]

        if await self.database.run(look):
            await self._erase(lambda db: self._drop_rows(db, look(db)))
        thrown = "SELECT id FROM conversations WHERE discarded < ?"
        old = await self.database.run(lambda db: db.execute(thrown, (before,)).fetchall())
        for (one,) in old:
            await self.delete_conversation(one)

    @property
    def _writer(self) -> str:
        return "" if self._lease is None else self._lease.id

    async def _change(self, statement: str, values: tuple[object, ...]) -> int:
        """Run the statement and return the number of changed rows."""

        def work(connection: sqlite3.Connection) -> int:
            with transaction(connection):
                return connection.execute(statement, values).rowcount

        return await self.database.run(work)

    def _insert(
        self, connection: sqlite3.Connection, conversation_id: str, message: Message, parent: str
    ) -> None:
        """Insert a message. Call it in a transaction."""
        now = self._clock()
        running = message.state is MessageState.RUNNING
        cursor = connection.execute(
            "INSERT INTO messages (id, conversation, role, state, created, ended, usage, "
            "rounds, model, paused, writer, touched, parent) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
                message.paused,
                self._writer if running else None,
                now,
                parent,
            ),
        )
        number = int(cursor.lastrowid or 0)
        for block in message.blocks:
            write_block(connection.execute, number, block)
            if isinstance(block, ToolUse) and block.task:
                mark_task_reported(connection, block.task)
        update_head(connection.execute, number, now)
        connection.execute(
            "UPDATE conversations SET updated = max(updated, ?) WHERE id = ?",
            (message.created, conversation_id),
        )

    def _on_journal_report(self, journal: MessageJournal, error: StoreError | None) -> None:
        """Report the first failure of a series. Runs on the worker thread."""
        if error is None:
            self._failing.pop(journal, None)
            return
        first = not self._failing
        self._failing[journal] = error
        if first:
            self._report_fault(error)

    def _on_database_fault(self, error: StoreError) -> None:
        """Report a database fault. Runs on the worker thread. Files beside the database may be lost
        too.
        """
        if self._lease is not None:
            with suppress(OSError):
                self._lease.renew()
        self._report_fault(error)

    def _report_fault(self, error: StoreError) -> None:
        if self._on_fault is not None:
            self._call_on_loop(self._on_fault, error)

    def _call_on_loop(self, work: Callable[[_T], object], value: _T) -> None:
        with suppress(RuntimeError):  # the loop was closed
            self._loop.call_soon_threadsafe(work, value)


def _existing(found: _T | None) -> _T:
    if found is None:
        raise MessageNotFound
    return found


def _expect_pictures(
    connection: sqlite3.Connection, past: ForeignConversation, of: str
) -> set[str]:
    """Return the pictures that come with the import, after recording them. The record is on the
    disk before the pictures are written, because they are on the disk at once.
    """
    connection.execute("PRAGMA synchronous = FULL")
    try:
        with transaction(connection):
            coming = new_pictures(connection, past)
            chat_imports.expect_pictures(connection, of, past.id, sorted(coming))
        return coming
    finally:
        connection.execute("PRAGMA synchronous = NORMAL")


def _lease_folder(path: Path | None) -> Path | None:
    return None if path is None else path.with_name(path.name + ".writers")


def _is_writer_alive(path: Path | None, writer: str) -> bool:
    folder = _lease_folder(path)
    return folder is not None and is_alive(folder, writer)


def _take_lease(path: Path | None) -> ProcessLease | None:
    """Take the lease of this process. None in memory, and if the folder accepts no new files (the
    database may still work).
    """
    folder = _lease_folder(path)
    if folder is None:
        return None
    try:
        return ProcessLease(folder)
    except OSError as error:
        _log.warning("The store can't show that it is alive: %s", error)
        return None
