"""The memory: a database of its own beside the conversations.

Writes run in order on the database's thread; a search has its own connection and thread. The
database can be rebuilt from the conversations, except for imported items.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, TypeVar

from neodeskpet.core.errors import StoreError
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.json_text import read_json
from neodeskpet.memory.facts import fact_rows
from neodeskpet.memory.facts.fact import FACT_TYPE, Fact, format_fact, parse_fact, plain_id
from neodeskpet.memory.facts.fact_extraction import find_quoted_sentence
from neodeskpet.memory.facts.fact_store import FactStore, MemoryScope, shared_memory
from neodeskpet.memory.recall import memory_clearing, memory_index, user_edits
from neodeskpet.memory.recall.item_similarity import (
    ItemTexts,
    SimilarityLookup,
    open_item_vectors,
    start_similarity_lookup,
)
from neodeskpet.memory.recall.memory_index import (
    ITEM_COLUMNS,
    ORIGINAL_ITEM_COLUMNS,
    FoundItem,
    TermFrequencies,
)
from neodeskpet.memory.recall.memory_schema import MEMORY_CONTENT
from neodeskpet.memory.recall.recall_query import build_query
from neodeskpet.memory.recall.recall_types import (
    ItemSide,
    MemoryItem,
    MemoryQuery,
    QuestionVector,
    RecalledItem,
)
from neodeskpet.memory.recall.token_packing import pack_items
from neodeskpet.platform.observers import Observers
from neodeskpet.platform.private_files import TooLarge, copy_mode, open_regular, sync_folder
from neodeskpet.settings.config_files import read_error_reason
from neodeskpet.storage.backups import erase_in_copies
from neodeskpet.storage.database import Database, open_or_in_memory, report_on_loop, transaction
from neodeskpet.storage.database_schema import from_column, to_column
from neodeskpet.storage.sync_log import without_logging
from neodeskpet.storage.visible_messages import count_indexed, read_index_times

EXPORT_FORMAT = "neodeskpet-memory"
EXPORT_VERSION = 1
MIN_RELEVANCE = 0.3
"""Less relevant items are not given to a model."""
_IMPORT_BATCH = 500
"""Entries of an import that are inserted at once."""
_MAX_LINE_BYTES = 64_000_000
"""Highest number of bytes in a line of an import."""
_MAX_QUOTED_MESSAGES = 300
"""User messages that are searched for a quote."""
_MAX_CANDIDATES = 40
"""Found items that are packed into a budget."""
_SEARCH_VECTOR_TIMEOUT = 10.0
"""Seconds that a search waits for similarities; a model request can't wait that long."""

_EXPIRABLE = "time < ? AND pinned = 0 AND corrected = '' AND side <> 'document'"

T = TypeVar("T")


class MemoryStore:
    """Create it with `await MemoryStore.open()`. All coroutines raise only StoreError.

    `fault` is the error while opening, for the user; `facts` are the facts about the user;
    `vectors` are the vectors of the items, if there is an embedding model. `changed` gets the ids
    of new, changed and deleted items. `missed` gets ids of messages to index again, because another
    computer sent an edit of one of their items.
    """

    def __init__(
        self,
        database: Database,
        fault: StoreError | None = None,
        scope: MemoryScope = shared_memory,
    ) -> None:
        self.fault = fault
        self._database = database
        self._frequencies = TermFrequencies()
        self.vectors = open_item_vectors(database)
        self.changed: Observers[[Sequence[str]]] = Observers()
        self.missed: Observers[[Sequence[str]]] = Observers()
        self.facts = FactStore(_FactFile(self), scope)

    @classmethod
    async def open(
        cls,
        path: Path | None,
        *,
        on_fault: Callable[[StoreError], None] | None = None,
        busy: float = 5.0,
        watch: float = 5.0,
        required: bool = False,
        scope: MemoryScope = shared_memory,
    ) -> MemoryStore:
        """Open the memory. `path` is the file, created if it doesn't exist; None, or a file that
        can't be opened, keeps everything in memory. `on_fault` is called on the loop with later
        faults of the file. `busy`, `watch`: see `Database`. `required`: raise StoreError if the
        file can't be opened. `scope`: see `FactStore`.
        """
        database, fault = await open_or_in_memory(
            path, MEMORY_CONTENT, busy=busy, watch=watch, required=required
        )
        report_on_loop(database, on_fault)
        return cls(database, fault, scope)

    async def changed_by_others(self) -> bool:
        """Return whether another process wrote since the last call. Raises StoreError."""
        return await self._database.changed_by_others()

    # Adding

    async def add(self, items: Sequence[MemoryItem]) -> int:
        """Insert or replace `items` by id, without deleted ones; return how many."""
        count = await self._database.change(lambda db: memory_index.add_items(db, items))
        self.changed.notify([item.id for item in items])
        return count

    async def update_messages(
        self, found: Mapping[str, tuple[Sequence[MemoryItem], float]]
    ) -> None:
        """Replace the items of messages: maps the id of a message to its items and its last write
        time.
        """

        def work(connection: sqlite3.Connection) -> list[str]:
            said = [item for items, _ in found.values() for item in items]
            items = memory_clearing.items_after_clearing(connection, said)
            stays = {item.id for item in items}
            by_message = memory_index.item_ids(connection, [*found])
            known = [item for ids in by_message.values() for item in ids]
            memory_index.remove_items(connection, [one for one in known if one not in stays])
            memory_index.add_items(connection, items)
            connection.executemany(
                "INSERT INTO seen VALUES (?, ?) "
                "ON CONFLICT (message) DO UPDATE SET touched = excluded.touched",
                [(message, touched) for message, (_, touched) in found.items()],
            )
            return [*dict.fromkeys([*known, *stays])]

        self.changed.notify(await self._database.change(work))

    def bulk_update(self) -> AbstractAsyncContextManager[None]:
        """Return a block in which many messages are indexed; `merge_index_segments` follows."""
        return self._database.bulk_writes("found")

    async def merge_index_segments(self) -> None:
        """Merge index segments after adding many items, which halves the search time."""
        await self._database.change(memory_index.merge_segments)

    async def last_written(self, ids: Sequence[str] | None = None) -> dict[str, float]:
        """Return the last write time of these indexed messages (None: of all) at indexing time."""
        return await self._database.read(partial(read_index_times, table="seen", ids=ids))

    async def count_indexed(self) -> int:
        """Return how many messages are indexed."""
        return await self._database.read(partial(count_indexed, table="seen"))

    # Deleting

    async def delete_messages(self, ids: Sequence[str], others: Collection[str] = ()) -> None:
        """Erase messages that no longer exist. If another version takes the place of one of them
        (`others`), the user's edits wait for it. A call that was cancelled can be repeated: it
        erases the copies also where the items are gone already.
        """

        def work(connection: sqlite3.Connection) -> list[str]:
            by_message = memory_index.item_ids(connection, ids)
            known = [item for items in by_message.values() for item in items]
            for one in ids:
                connection.execute("DELETE FROM seen WHERE message = ?", (one,))
                connection.execute("DELETE FROM recalled WHERE reply = ?", (one,))
            memory_index.remove_items(connection, known)
            user_edits.delete_edits_of_messages(
                connection, [one for one in ids if one not in others]
            )
            return [*known, *fact_rows.remove_message_sources(connection, ids)]

        await self._wipe(await self._database.change(work), ids)
        self.facts.notify_changed()

    async def delete(self, ids: Sequence[str]) -> list[str]:
        """Delete items permanently and return the existing ones. Items of a message are deleted
        with it, and so are facts with that message as a source.
        """

        def work(connection: sqlite3.Connection) -> list[str]:
            known: list[str] = []
            for one in ids:
                rows = connection.execute(
                    "SELECT id FROM items WHERE id = ?1 OR (message = ?1 AND message <> '')",
                    (to_column(one),),
                )
                known += [from_column(row) for (row,) in rows]
            memory_index.forget_items(connection, [*dict.fromkeys((*ids, *known))], time.time())
            return [*known, *fact_rows.delete_facts_of_messages(connection, ids)]

        known = await self._database.change(work)
        await self._wipe(known)
        self.facts.notify_changed()
        return known

    async def clear(self) -> int:
        """Delete everything; return how many items. Texts said until now are not remembered again,
        also on the user's other computers.
        """

        def work(connection: sqlite3.Connection) -> list[str]:
            known = [from_column(one) for (one,) in connection.execute("SELECT id FROM items")]
            memory_index.remove_items(connection, known)
            memory_clearing.clear_until(connection, time.time())
            connection.execute("DELETE FROM recalled")
            connection.execute("DELETE FROM by_hand")
            return [*known, *fact_rows.clear_facts(connection)]

        known = await self._database.change(work)
        await self._wipe(known)
        await self.vectors.clear()
        self.facts.notify_changed()
        return len(known)

    async def expire(self, before: datetime) -> int:
        """Delete items older than `before`, except those that the user pinned or corrected; return
        how many.
        """
        limit = before.replace(tzinfo=UTC).timestamp()

        def work(connection: sqlite3.Connection) -> list[str]:
            rows = connection.execute(f"SELECT id FROM items WHERE {_EXPIRABLE}", (limit,))
            known = [from_column(one) for (one,) in rows]
            memory_index.remove_items(connection, known)
            with without_logging(connection):  # other computers have their own limits
                user_edits.delete_edits(connection, known)  # of texts that it no longer contains
                return [*known, *fact_rows.expire_facts(connection, limit)]

        known = await self._database.change(work)
        if known:
            await self._wipe(known)
            self.facts.notify_changed()
        return len(known)

    async def count_expired(self, before: datetime) -> int:
        """Return how many items `expire` would delete."""
        limit = before.replace(tzinfo=UTC).timestamp()

        def work(connection: sqlite3.Connection) -> int:
            query = f"SELECT count(*) FROM items WHERE {_EXPIRABLE}"
            (count,) = connection.execute(query, (limit,)).fetchone()
            return int(count)

        return await self._database.read(work)

    async def _wipe(self, ids: Sequence[str], messages: Sequence[str] = ()) -> None:
        """Erase the deleted text of these items from the file and its journal, and that of these
        items and messages from its copies.
        """
        await self._database.run(memory_index.overwrite_deleted_text)
        await self._database.wipe()
        await self.vectors.delete(ids)
        path = self._database.path
        if path is not None and (ids or messages):
            erase = partial(_erase_in_copy, messages=messages)
            await asyncio.to_thread(erase_in_copies, path, [*ids, *messages], erase)

    # Searching

    async def search(
        self,
        text: str,
        now: datetime,
        count: int = 5,
        wanted: Callable[[MemoryItem], bool] | None = None,
        *,
        vector: QuestionVector | None = None,
    ) -> list[FoundItem]:
        """Return up to `count` items, best first, including all earlier additions. `vector` is the
        vector of the text; the search waits for the similarities.
        """
        near = start_similarity_lookup(self.vectors, vector, _SEARCH_VECTOR_TIMEOUT)
        look = self._search_work(text, now, count, wanted, near=near)
        return await self._database.read(look, index=True)

    async def search_within(
        self,
        text: str,
        now: datetime,
        count: int | None,
        budget: int,
        *,
        vector: QuestionVector | None = None,
    ) -> list[RecalledItem]:
        """Return the found items packed into `budget` tokens."""
        near = start_similarity_lookup(self.vectors, vector, _SEARCH_VECTOR_TIMEOUT)
        look = self._search_work(text, now, max(count or 0, _MAX_CANDIDATES * 2), None, near=near)

        def work(connection: sqlite3.Connection) -> list[RecalledItem]:
            found = [(one.item, one.relevance) for one in look(connection)]
            return pack_items(found, build_query(text, now).weights, budget)

        packed = await self._database.read(work, index=True)
        return packed if count is None else packed[:count]

    async def warm_up(self) -> None:
        """Warm up caches, so that the first question is answered as fast as later ones."""
        await self._database.read(
            lambda db: memory_index.warm_up(db, datetime.now(), self._frequencies),
            index=True,
            fresh=False,
        )

    async def recall(self, question: MemoryQuery) -> list[RecalledItem]:
        """Return the items that answer `question`, best first, within its budget. It doesn't wait
        for writes.
        """

        among = question.is_allowed_conversation

        def wanted(item: MemoryItem) -> bool:
            if item.message and item.message in question.visible:
                return False
            if item.side is ItemSide.DOCUMENT:
                return question.documents
            return question.messages and (among is None or among(item.conversation))

        near = start_similarity_lookup(self.vectors, question.vector, question.timeout)
        look = self._search_work(
            question.text,
            question.now,
            _MAX_CANDIDATES,
            wanted,
            picky=among is not None,
            near=near,
        )

        def work(connection: sqlite3.Connection) -> list[RecalledItem]:
            rows = [
                (one.item, one.relevance)
                for one in look(connection)
                if one.relevance >= MIN_RELEVANCE and not one.replaced_by
            ]
            return pack_items(
                rows, build_query(question.text, question.now).weights, question.budget
            )

        return await self._database.read(work, index=True, fresh=False)

    def _search_work(
        self,
        text: str,
        now: datetime,
        count: int,
        wanted: Callable[[MemoryItem], bool] | None,
        *,
        picky: bool = False,
        near: SimilarityLookup | None = None,
    ) -> Callable[[sqlite3.Connection], list[FoundItem]]:
        return lambda db: memory_index.search_items(
            db,
            text,
            now,
            self._frequencies,
            count=count,
            wanted=wanted,
            picky=picky,
            nearness=near,
        )

    async def get(self, ids: Sequence[str]) -> list[MemoryItem]:
        """Return these items in the order of `ids`, without missing ones."""

        def work(connection: sqlite3.Connection) -> list[MemoryItem]:
            query = f"SELECT {ITEM_COLUMNS} FROM items WHERE id = ?"
            rows = [connection.execute(query, (to_column(one),)).fetchone() for one in ids]
            return [memory_index.item_of(row) for row in rows if row is not None]

        return await self._database.read(work)

    async def size(self) -> int:
        """Return the number of items."""
        query = "SELECT rows FROM sums"
        return int(await self._database.read(lambda db: db.execute(query).fetchone()[0]))

    # Single items

    async def set_pinned(self, item_id: str, pinned: bool) -> None:
        """Pin or unpin an item. A pinned item never expires and is never replaced by a
        newer one.
        """
        await self._database.change(lambda db: memory_index.set_pinned(db, item_id, pinned=pinned))

    async def edited_items(self, messages: Sequence[str]) -> set[str]:
        """Return the pinned or corrected items of these messages, even if they don't exist here."""
        return await self._database.read(lambda db: user_edits.edited_items(db, messages))

    async def correct(self, item_id: str, text: str) -> bool:
        """Use `text` instead of the text of an item in recall and search; the original text again
        if it is equal. Return whether the item exists.
        """
        done = await self._database.change(lambda db: memory_index.correct_item(db, item_id, text))
        await self._wipe([item_id])
        self.changed.notify([item_id])
        return done

    async def record_recalled(self, reply: str, recalled: Sequence[RecalledItem]) -> None:
        """Record the items in the context of the message `reply`, by ids only."""
        rows = [
            (reply, place, to_column(one.item.id), one.relevance)
            for place, one in enumerate(recalled)
        ]

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM recalled WHERE reply = ?", (reply,))
            connection.executemany("INSERT INTO recalled VALUES (?, ?, ?, ?)", rows)

        await self._database.change(work)

    async def recalled_for(self, reply: str) -> list[RecalledItem]:
        """Return the items in the context of the message `reply`, with whole texts, without those
        deleted since.
        """

        def work(connection: sqlite3.Connection) -> list[RecalledItem]:
            rows = connection.execute(
                f"SELECT relevance, {ITEM_COLUMNS} FROM recalled "
                "JOIN items ON items.id = recalled.item WHERE reply = ? ORDER BY place",
                (reply,),
            )
            found = [(relevance, memory_index.item_of(row)) for relevance, *row in rows]
            return [RecalledItem(item, item.text, relevance) for relevance, item in found]

        return await self._database.read(work)

    def apply_remote_changes(self, items: Sequence[str], missed: Sequence[str]) -> None:
        """Process changes of other computers: facts, edits of these items, and messages to index
        again.
        """
        self.facts.notify_changed()
        if items:
            self.changed.notify(items)
        if missed:
            self.missed.notify(missed)

    # The user's words

    async def find_quote(
        self, quote: str, wanted: Callable[[MemoryItem], bool]
    ) -> tuple[MemoryItem, str] | None:
        """Return the newest `wanted` message in which the user said this literally, and its
        sentence; None if there is none. Quoted or pasted text doesn't count.
        """

        def work(connection: sqlite3.Connection) -> tuple[MemoryItem, str] | None:
            rows = connection.execute(
                f"SELECT {ITEM_COLUMNS} FROM items WHERE side = 'person' AND message <> '' "
                "ORDER BY time DESC, number DESC LIMIT ?",
                (_MAX_QUOTED_MESSAGES,),
            )
            for row in rows:
                item = memory_index.item_of(row)
                sentence = find_quoted_sentence(quote, item.text) if wanted(item) else None
                if sentence is not None:
                    return item, sentence
            return None

        return await self._database.read(work)

    # Export and import

    async def export_file(self, path: Path) -> int:
        """Write all items to `path` as JSON lines, beginning with a header line; return how many.
        Raises StoreError if the file can't be written.
        """
        return await self._database.read(partial(_write_export, path=path), index=True)

    async def import_file(self, path: Path) -> int:
        """Import a file of `export_file`; return how many items were new or changed. Raises
        StoreError for any other file, and imports nothing of it.
        """

        def work(connection: sqlite3.Connection) -> int:
            known = {fact.id for fact in fact_rows.read_facts(connection)}
            count = 0
            found = _read_export(path)
            while batch := [*islice(found, _IMPORT_BATCH)]:
                facts = [one for one in batch if isinstance(one, Fact)]
                for fact in facts:
                    fact_rows.put_fact(connection, fact)
                items = [one for one in batch if not isinstance(one, Fact)]
                taken.extend(item.id for item, _ in items)
                count += memory_index.add_items(connection, [item for item, _ in items])
                for item, corrected in items:
                    if corrected:
                        memory_index.correct_item(connection, item.id, corrected)
                count += sum(one.id not in known for one in facts)
            return count

        taken: list[str] = []
        count = await self._database.change(work)
        self.changed.notify(taken)
        return count

    # Internal

    async def flush(self) -> None:
        """Return when all earlier operations are done."""
        await self._database.flush()

    async def aclose(self) -> None:
        """Close the memory. Idempotent."""
        await self.vectors.aclose()
        await self._database.aclose()

    def texts(self, wanted: Callable[[str], bool] = lambda conversation: True) -> ItemTexts:
        """Return the items for the vector indexer; `wanted`: see `ItemTexts`."""
        return ItemTexts(self._database, wanted)


class _FactFile:
    """The memory database for `FactStore`."""

    def __init__(self, memory: MemoryStore) -> None:
        self._memory = memory

    async def change(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return await self._memory._database.change(work)

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return await self._memory._database.read(work)

    async def wipe(self, ids: Sequence[str]) -> None:
        await self._memory._wipe(ids)

    def subscribe(self, tell: Callable[[], object]) -> None:
        self._memory._database.subscribe(tell)


def _write_export(connection: sqlite3.Connection, path: Path) -> int:
    part = path.with_name(f"{path.name}.part")
    count = 0
    try:
        with part.open("w", encoding="utf-8", errors="surrogatepass") as file:
            file.write(json.dumps({"format": EXPORT_FORMAT, "version": EXPORT_VERSION}) + "\n")
            query = f"SELECT {ORIGINAL_ITEM_COLUMNS}, corrected FROM items ORDER BY number"
            for *row, corrected in connection.execute(query):
                record = _item_record(memory_index.item_of(row), from_column(corrected))
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
                count += 1
            for fact in fact_rows.read_facts(connection):
                file.write(json.dumps(format_fact(fact), ensure_ascii=False) + "\n")
                count += 1
        copy_mode(part, path)
        part.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise StoreError(str(error)) from error
    return count


def _item_record(item: MemoryItem, corrected: str) -> dict[str, object]:
    """Return the export record of an item. `text` is the corrected text, for programs that don't
    know corrections.
    """
    record: dict[str, object] = {
        "id": item.id,
        "time": item.time.isoformat(),
        "speaker": item.speaker,
        "side": item.side.value,
        "text": corrected or item.text,
        "message": item.message,
        "conversation": item.conversation,
        "pinned": item.pinned,
        "untrusted": item.untrusted,
    }
    return record | {"said": item.text} if corrected else record


def _erase_in_copy(
    connection: sqlite3.Connection, ids: Sequence[str], messages: Sequence[str]
) -> None:
    """Erase these items, and those of these messages, in a copy of the database. The caller removes
    copies with them in other places.
    """
    with transaction(connection):
        for items in (ids, *memory_index.item_ids(connection, messages).values()):
            memory_index.remove_items(connection, items)
        user_edits.delete_edits(connection, ids)
    connection.execute("INSERT INTO found (found) VALUES ('optimize')")


class MemoryFileUnreadable(StoreError):
    """The file isn't an export of a memory; `why` is shown to the user."""

    code = "memory_file"
    what = N_("“{name}” can't be imported.")
    hint = ""

    def __init__(self, path: Path, why: Reason) -> None:
        super().__init__(name=path.name, reason=why.text, **why.params)


def _read_export(path: Path) -> Iterator[tuple[MemoryItem, str] | Fact]:
    """Yield facts, and items with the user's correction ("" for none). Raises StoreError."""
    try:
        with open_regular(path) as file:
            head = read_json(_read_line(file))
            if not isinstance(head, dict) or (head.get("format"), head.get("version")) != (
                EXPORT_FORMAT,
                EXPORT_VERSION,
            ):
                raise MemoryFileUnreadable(path, Reason(N_("It isn't an export of a memory.")))
            while line := _read_line(file):
                if line.strip():
                    record = read_json(line)
                    if not isinstance(record, dict):
                        raise TypeError(line[:40])
                    yield (
                        parse_fact(record)
                        if record.get("side") == FACT_TYPE
                        else _parse_item(record)
                    )
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise MemoryFileUnreadable(path, read_error_reason(error)) from error


def _read_line(file: IO[bytes]) -> str:
    """Return the next line; "" at the end. Raises TooLarge for a line longer than in any export."""
    line = file.readline(_MAX_LINE_BYTES + 1)
    if len(line) > _MAX_LINE_BYTES:
        raise TooLarge(_MAX_LINE_BYTES)
    return line.decode("utf-8", "surrogatepass")


def _parse_item(record: Mapping[str, object]) -> tuple[MemoryItem, str]:
    """Read an item and its correction. Raises KeyError, TypeError and ValueError if it
    isn't one.
    """
    text = str(record["text"])
    said = str(record.get("said", text))
    item = MemoryItem(
        plain_id(record["id"]),
        str(record["speaker"]),
        ItemSide(str(record["side"])),
        datetime.fromisoformat(str(record["time"])).replace(tzinfo=None),
        said,
        plain_id(record.get("message", "")),
        plain_id(record.get("conversation", "")),
        bool(record.get("pinned", False)),
        untrusted=True,  # anybody may have written the file
    )
    return item, "" if said == text else text
