"""Full-text search of all conversations, in a database of its own (`find.db`) that can be rebuilt
at any time. Writes run in order on the database's thread; a search does not wait for them.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from neodeskpet.core.blocks import LATEST_TIME, Role
from neodeskpet.core.errors import StoreError
from neodeskpet.core.text_search import (
    Passage,
    SearchPattern,
    SearchQuery,
    fold_for_search,
    index_text,
    passage_around,
    searchable_text,
)
from neodeskpet.storage.backups import erase_in_copies
from neodeskpet.storage.database import (
    Database,
    DatabaseContent,
    open_or_in_memory,
    report_on_loop,
    transaction,
)
from neodeskpet.storage.database_schema import (
    from_column,
    migrate,
    restore_automerge,
    to_column,
)
from neodeskpet.storage.visible_messages import (
    VisibleMessage,
    count_indexed,
    read_index_times,
)

SEARCH_FILE = "find.db"

SEARCH_MIGRATIONS: dict[str, str] = {
    "001-find": """
        CREATE TABLE texts (
            number INTEGER PRIMARY KEY,
            message TEXT NOT NULL UNIQUE,
            conversation TEXT NOT NULL,
            person INTEGER NOT NULL,
            time REAL NOT NULL,
            touched REAL NOT NULL,
            text TEXT NOT NULL
        );
        CREATE INDEX texts_of_conversation ON texts (conversation);
        CREATE VIRTUAL TABLE found USING fts5 (
            terms, content = '', columnsize = 0, prefix = '2 3',
            tokenize = "unicode61 remove_diacritics 2"
        );
    """,
    # The index contained texts with their symbols: it is rebuilt from the conversations.
    "002-without-signs": """
        DELETE FROM texts;
        DROP TABLE found;
        CREATE VIRTUAL TABLE found USING fts5 (
            terms, content = '', columnsize = 0, prefix = '2 3',
            tokenize = "unicode61 remove_diacritics 2"
        );
    """,
}


def prepare_search(connection: sqlite3.Connection, path: Path | None) -> None:
    migrate(connection, path, SEARCH_MIGRATIONS)
    restore_automerge(connection, "found")
    # Otherwise a full `optimize` does it (`overwrite_deleted_text`).
    if sqlite3.sqlite_version_info >= (3, 42):
        connection.execute("INSERT INTO found (found, rank) VALUES ('secure-delete', 1)")


SEARCH_CONTENT = DatabaseContent(prepare_search)


_NUMBERS_PER_SECOND = 100
"""Numbers for each second of time: messages of the same second get consecutive numbers."""
_MAX_CANDIDATES = 20_000
"""Highest number of texts that are read for words that the index contains only in part (`C++`)."""


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A found message: its place, its author and time (Unix seconds), and the excerpt. `number`
    orders hits: later messages have higher numbers.
    """

    number: int
    message: str
    conversation: str
    by_user: bool
    time: float
    passage: Passage


def index_messages(connection: sqlite3.Connection, found: Iterable[VisibleMessage]) -> None:
    """Insert or replace messages in the index."""
    for one in found:
        message = one.message
        remove_messages(connection, [message.id])
        text = searchable_text(message)
        number = _free_number(connection, message.created)
        connection.execute(
            "INSERT INTO texts VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                number,
                message.id,
                one.conversation,
                message.role is Role.USER,
                message.created,
                one.last_written,
                to_column(text),
            ),
        )
        terms = (number, index_text(text))
        connection.execute("INSERT INTO found (rowid, terms) VALUES (?, ?)", terms)


def _free_number(connection: sqlite3.Connection, time: float) -> int:
    """Return a free number for this time. Many messages of one time (a copied conversation) get
    consecutive numbers.
    """
    first = number = max(1, int(min(max(time, 0.0), LATEST_TIME) * _NUMBERS_PER_SECOND))
    room = _NUMBERS_PER_SECOND
    while True:
        row = connection.execute("SELECT 1 FROM texts WHERE number = ?", (number,)).fetchone()
        if row is None:
            return number
        (last,) = connection.execute(
            "SELECT max(number) FROM texts WHERE number BETWEEN ? AND ?", (number, first + room - 1)
        ).fetchone()
        number = last + 1
        if number >= first + room:
            room *= 10


def remove_messages(connection: sqlite3.Connection, ids: Iterable[str]) -> int:
    """Remove messages from the index; return how many existed."""
    dropped = 0
    for one in ids:
        row = connection.execute(
            "SELECT number, text FROM texts WHERE message = ?", (one,)
        ).fetchone()
        if row is not None:
            terms = (row[0], index_text(from_column(row[1])))
            connection.execute(
                "INSERT INTO found (found, rowid, terms) VALUES ('delete', ?, ?)", terms
            )
            connection.execute("DELETE FROM texts WHERE number = ?", (row[0],))
            dropped += 1
    return dropped


def overwrite_deleted_text(connection: sqlite3.Connection) -> None:
    """Erase deleted text from the index. Call it outside a transaction."""
    if sqlite3.sqlite_version_info < (3, 42):
        connection.execute("INSERT INTO found (found) VALUES ('optimize')")


def search_messages(
    connection: sqlite3.Connection, question: SearchQuery, *, limit: int, before: int | None
) -> list[SearchHit]:
    """Return the latest `limit` messages that contain all words, only those with a lower number
    than `before`, if given.
    """
    if not question.words:
        return []
    needle = question.pattern()
    hits: list[SearchHit] = []
    for row in _candidates(connection, question, before):
        number, message, conversation, person, time, text = row
        shown = passage_around(from_column(text), needle)
        hits.append(SearchHit(number, message, conversation, bool(person), time, shown))
        if len(hits) >= limit:
            break
    return hits


def _candidates(
    connection: sqlite3.Connection, question: SearchQuery, before: int | None
) -> Iterator[tuple[Any, ...]]:
    columns = "t.number, t.message, t.conversation, t.person, t.time, t.text"
    last = before if before is not None else 1 << 62
    if question.match:
        rows = connection.execute(
            f"SELECT {columns} FROM found JOIN texts AS t ON t.number = found.rowid "
            "WHERE found MATCH ? AND found.rowid < ? ORDER BY found.rowid DESC",
            (question.match, last),
        )
    else:
        rows = connection.execute(
            f"SELECT {columns} FROM texts AS t WHERE t.number < ? ORDER BY t.number DESC", (last,)
        )
    if not question.unindexed_words:
        yield from rows
        return
    for looked, row in enumerate(rows):
        if looked > _MAX_CANDIDATES:
            return
        text = fold_for_search(from_column(row[5]))
        if all(sign in text for sign in question.unindexed_words):
            yield row


def count_matches(
    connection: sqlite3.Connection, conversation: str, needle: SearchPattern
) -> dict[str, int]:
    """Return the number of matches in each message of a conversation that has any."""
    rows = connection.execute(
        "SELECT message, text FROM texts WHERE conversation = ?", (conversation,)
    )
    found = ((message, needle.count(from_column(text))) for message, text in rows)
    return {message: count for message, count in found if count}


T = TypeVar("T")


class MessageSearch:
    """Create it with `await MessageSearch.open()`. All coroutines raise only StoreError."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    async def open(
        cls,
        path: Path | None,
        *,
        busy: float = 5.0,
        watch: float = 5.0,
        required: bool = False,
    ) -> MessageSearch:
        """Open the index. `path` is the file, created if it doesn't exist; None, or a file that
        can't be opened, keeps everything in memory: it is rebuilt from the conversations. `busy`,
        `watch`: see `Database`. `required`: raise StoreError if the file can't be opened.
        """
        database, _ = await open_or_in_memory(
            path, SEARCH_CONTENT, busy=busy, watch=watch, required=required
        )
        return cls(database)

    def subscribe_faults(self, on_fault: Callable[[StoreError], None]) -> None:
        """Call `on_fault` on the loop with faults of the file, which may be empty afterwards."""
        report_on_loop(self._database, on_fault)

    # Implementation of `memory_indexer.MessageIndex`

    async def last_written(self, ids: Sequence[str] | None = None) -> dict[str, float]:
        """Return the last write time of these indexed messages (None: of all) at indexing time."""
        return await self._database.read(partial(read_index_times, table="texts", ids=ids))

    async def count_indexed(self) -> int:
        """Return how many messages are indexed."""
        return await self._database.read(partial(count_indexed, table="texts"))

    async def update_messages(self, found: Sequence[VisibleMessage]) -> None:
        """Index these messages in their present form."""
        await self._database.change(partial(index_messages, found=found))

    def bulk_update(self) -> AbstractAsyncContextManager[None]:
        """Return a block in which many messages are indexed."""
        return self._database.bulk_writes("found")

    async def delete_messages(self, ids: Sequence[str]) -> None:
        """Erase messages that no longer exist. A call that was cancelled can be repeated: what it
        removed is also overwritten, and the copies are erased by the next call.
        """

        def work(connection: sqlite3.Connection) -> int:
            with transaction(connection):
                removed = remove_messages(connection, ids)
            if removed:
                overwrite_deleted_text(connection)
            return removed

        if await self._database.run(work):
            await self._database.wipe()
        if self._database.path is not None:
            await asyncio.to_thread(erase_in_copies, self._database.path, ids, None)

    # Searching

    async def search(
        self, question: SearchQuery, *, limit: int = 50, before: int | None = None
    ) -> list[SearchHit]:
        """Return the latest messages that contain all words; with `before` (the number of a hit)
        earlier ones.
        """
        look = partial(search_messages, question=question, limit=limit, before=before)
        return await self._database.read(look, fresh=False)

    async def count_matches(self, conversation_id: str, needle: SearchPattern) -> dict[str, int]:
        """Return the number of matches in each message of a conversation, in all versions, if it
        has any.
        """
        look = partial(count_matches, conversation=conversation_id, needle=needle)
        return await self._database.read(look, index=True, fresh=False)

    async def aclose(self) -> None:
        """Close the index. Idempotent."""
        await self._database.aclose()
