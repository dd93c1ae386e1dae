"""The memory: one file of its own beside the conversations, and what can be asked of it.

Whatever is written is done in order on the file's thread; a search has a connection and a thread of
its own. The file can be made anew of the conversations, but for what other programs put in.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
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

EXPORT_FORMAT = "neodeskpet-memory"
EXPORT_VERSION = 1
MIN_RELEVANCE = 0.3
"""What is less relevant isn't told to a model."""
_IMPORT_BATCH = 500
"""Entries of an import that are put in at once."""
_MAX_LINE_BYTES = 64_000_000
"""Bytes of a line of an import."""
_MAX_QUOTED_MESSAGES = 300
"""The person's messages in which their words are looked for."""
_MAX_CANDIDATES = 40
"""So many of what is found are packed into a budget."""
_SEARCH_VECTOR_TIMEOUT = 10.0
"""Seconds that a search waits for what is near in meaning; a request of the model's can't."""

_EXPIRABLE = "time < ? AND pinned = 0 AND corrected = '' AND side <> 'document'"

T = TypeVar("T")


class MemoryStore:
    """Make one with `await MemoryStore.open()`. All coroutines raise StoreError and nothing else.

    `fault` is what went wrong while opening, for the person; `facts` are those about them;
    `vectors` what the items mean, as far as something makes that known. `changed` hears the ids of
    items that are new, are others, or are gone; `missed` those of messages that are to be taken in
    once more, for another computer told what the person did with an item of them.
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
        """`path` is the file, created if it doesn't exist; None keeps everything in memory, and so
        does a file that can't be opened. `on_fault` is called on the loop with later faults of the
        file. `busy`, `watch`: see `Database`. `required`: raise StoreError when the file can't be
        opened. `scope`: see `FactStore`.
        """
        database, fault = await open_or_in_memory(
            path, MEMORY_CONTENT, busy=busy, watch=watch, required=required
        )
        report_on_loop(database, on_fault)
        return cls(database, fault, scope)

    async def changed_by_others(self) -> bool:
        """Whether another process wrote since this was last asked. Raises StoreError."""
        return await self._database.changed_by_others()

    # In

    async def add(self, items: Sequence[MemoryItem]) -> int:
        """Keep `items`, in the place of those of the same ids; how many were taken: what was
        forgotten isn't.
        """
        count = await self._database.change(lambda db: memory_index.add_items(db, items))
        self.changed.notify([item.id for item in items])
        return count

    async def update_messages(
        self, found: Mapping[str, tuple[Sequence[MemoryItem], float]]
    ) -> None:
        """What stands in messages now, in the place of what is known of them: by the message's id
        its items, and when it was last written.
        """

        def work(connection: sqlite3.Connection) -> list[str]:
            changed: list[str] = []
            for message, (said, touched) in found.items():
                items = memory_clearing.items_after_clearing(connection, said)
                stays = {item.id for item in items}
                known = memory_index.item_ids(connection, message)
                changed += [*known, *stays]
                memory_index.remove_items(connection, [one for one in known if one not in stays])
                memory_index.add_items(connection, items)
                connection.execute(
                    "INSERT INTO seen VALUES (?, ?) "
                    "ON CONFLICT (message) DO UPDATE SET touched = excluded.touched",
                    (message, touched),
                )
            return changed

        self.changed.notify(await self._database.change(work))

    async def merge_index_segments(self) -> None:
        """After much was added: what is asked for is found in half the time."""
        await self._database.change(memory_index.merge_segments)

    async def last_written(self) -> dict[str, float]:
        """When each message that was looked at was last written then, by its id."""
        query = "SELECT message, touched FROM seen"
        return await self._database.read(lambda db: dict(db.execute(query)))

    # Out

    async def delete_messages(self, ids: Sequence[str], others: Collection[str] = ()) -> None:
        """Messages of these ids are there no more: nothing of them is left. Where another version
        is shown in the place of one of them (`others`) what was done by hand waits for it.
        """

        def work(connection: sqlite3.Connection) -> list[str]:
            known: list[str] = []
            for one in ids:
                known += memory_index.item_ids(connection, one)
                connection.execute("DELETE FROM seen WHERE message = ?", (one,))
                connection.execute("DELETE FROM recalled WHERE reply = ?", (one,))
            memory_index.remove_items(connection, known)
            user_edits.delete_edits_of_messages(
                connection, [one for one in ids if one not in others]
            )
            return [*known, *fact_rows.remove_message_sources(connection, ids)]

        await self._wipe(await self._database.change(work))
        self.facts.notify_changed()

    async def delete(self, ids: Sequence[str]) -> list[str]:
        """Take items out for ever; what of them was there. Items of a message go with it,
        and facts that it is a source of.
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
        """Remove everything; how many items that were. What was said until now is not remembered
        again, on other computers of the person neither.
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
        """Take out what is older than `before`, but for what the person pinned or corrected; how
        many items.
        """
        limit = before.replace(tzinfo=UTC).timestamp()

        def work(connection: sqlite3.Connection) -> list[str]:
            rows = connection.execute(f"SELECT id FROM items WHERE {_EXPIRABLE}", (limit,))
            known = [from_column(one) for (one,) in rows]
            memory_index.remove_items(connection, known)
            with without_logging(connection):  # other computers keep what they want
                user_edits.delete_edits(connection, known)  # corrections of what it says no more
                return [*known, *fact_rows.expire_facts(connection, limit)]

        known = await self._database.change(work)
        if known:
            await self._wipe(known)
            self.facts.notify_changed()
        return len(known)

    async def count_expired(self, before: datetime) -> int:
        """How many items `expire` would take out."""
        limit = before.replace(tzinfo=UTC).timestamp()

        def work(connection: sqlite3.Connection) -> int:
            query = f"SELECT count(*) FROM items WHERE {_EXPIRABLE}"
            (count,) = connection.execute(query, (limit,)).fetchone()
            return int(count)

        return await self._database.read(work)

    async def _wipe(self, ids: Sequence[str]) -> None:
        """Let nothing of what was taken out lie in the file, its journal or its copies."""
        await self._database.run(memory_index.overwrite_deleted_text)
        await self._database.wipe()
        await self.vectors.delete(ids)
        path = self._database.path
        if path is not None and ids:
            await asyncio.to_thread(erase_in_copies, path, ids, _erase_in_copy)

    # Found again

    async def search(
        self,
        text: str,
        now: datetime,
        count: int = 5,
        wanted: Callable[[MemoryItem], bool] | None = None,
        *,
        vector: QuestionVector | None = None,
    ) -> list[FoundItem]:
        """Up to `count` items, best first, with all that was added before. `vector` is what the
        text means; how near that is to what there is is waited for.
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
        """The same, packed into `budget` tokens."""
        near = start_similarity_lookup(self.vectors, vector, _SEARCH_VECTOR_TIMEOUT)
        look = self._search_work(text, now, max(count or 0, _MAX_CANDIDATES * 2), None, near=near)

        def work(connection: sqlite3.Connection) -> list[RecalledItem]:
            found = [(one.item, one.relevance) for one in look(connection)]
            return pack_items(found, build_query(text, now).weights, budget)

        packed = await self._database.read(work, index=True)
        return packed if count is None else packed[:count]

    async def warm_up(self) -> None:
        """Have the first question after a start answered as quickly as later ones."""
        await self._database.read(
            lambda db: memory_index.warm_up(db, datetime.now(), self._frequencies),
            index=True,
            fresh=False,
        )

    async def recall(self, question: MemoryQuery) -> list[RecalledItem]:
        """What of the past answers `question`, best first, within its budget. It waits for nothing
        that is being written.
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
            told = [
                (one.item, one.relevance)
                for one in look(connection)
                if one.relevance >= MIN_RELEVANCE and not one.replaced_by
            ]
            return pack_items(
                told, build_query(question.text, question.now).weights, question.budget
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
        """These items, in the order of `ids`; those that aren't there are skipped."""

        def work(connection: sqlite3.Connection) -> list[MemoryItem]:
            query = f"SELECT {ITEM_COLUMNS} FROM items WHERE id = ?"
            rows = [connection.execute(query, (to_column(one),)).fetchone() for one in ids]
            return [memory_index.item_of(row) for row in rows if row is not None]

        return await self._database.read(work)

    async def size(self) -> int:
        """How many items there are."""
        query = "SELECT rows FROM sums"
        return int(await self._database.read(lambda db: db.execute(query).fetchone()[0]))

    # Of single items

    async def set_pinned(self, item_id: str, pinned: bool) -> None:
        """A pinned item is kept beyond the time that the person set, and never counts as replaced
        by a newer one.
        """
        await self._database.change(lambda db: memory_index.set_pinned(db, item_id, pinned=pinned))

    async def edited_items(self, messages: Sequence[str]) -> set[str]:
        """The items of these messages that are pinned or corrected, be they here or not."""
        return await self._database.read(lambda db: user_edits.edited_items(db, messages))

    async def correct(self, item_id: str, text: str) -> bool:
        """Have `text` count, in recall and search, in the place of what an item says; its own words
        again if it is the same. Whether it was there.
        """
        done = await self._database.change(lambda db: memory_index.correct_item(db, item_id, text))
        await self._wipe([item_id])
        self.changed.notify([item_id])
        return done

    async def record_recalled(self, reply: str, recalled: Sequence[RecalledItem]) -> None:
        """Remember what the message `reply` was told, by ids alone."""
        rows = [
            (reply, place, to_column(one.item.id), one.relevance)
            for place, one in enumerate(recalled)
        ]

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM recalled WHERE reply = ?", (reply,))
            connection.executemany("INSERT INTO recalled VALUES (?, ?, ?, ?)", rows)

        await self._database.change(work)

    async def recalled_for(self, reply: str) -> list[RecalledItem]:
        """What the message `reply` was told, without what was forgotten since; whole texts."""

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
        """Other computers have changed facts, and what was done by hand with these items; these
        messages are to be taken in once more.
        """
        self.facts.notify_changed()
        if items:
            self.changed.notify(items)
        if missed:
            self.missed.notify(missed)

    # The person's words

    async def find_quote(
        self, quote: str, wanted: Callable[[MemoryItem], bool]
    ) -> tuple[MemoryItem, str] | None:
        """The newest `wanted` message in which the person said this word for word, and the sentence
        of it; None where there is none. What they quoted or pasted isn't said by them.
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
        """Write all items to `path` as JSON lines, the first of which says what they are; how many.
        Raises StoreError when the file can't be written.
        """
        return await self._database.read(partial(_write_export, path=path), index=True)

    async def import_file(self, path: Path) -> int:
        """Take in what `export` wrote; how many items were new or other. Raises StoreError for a
        file that is none, and takes nothing of it then.
        """

        def work(connection: sqlite3.Connection) -> int:
            known = {fact.id for fact in fact_rows.read_facts(connection)}
            count = 0
            found = _read_export(path)
            while batch := [*islice(found, _IMPORT_BATCH)]:
                facts = [one for one in batch if isinstance(one, Fact)]
                for fact in facts:
                    fact_rows.put_fact(connection, fact)
                told = [one for one in batch if not isinstance(one, Fact)]
                taken.extend(item.id for item, _ in told)
                count += memory_index.add_items(connection, [item for item, _ in told])
                for item, corrected in told:
                    if corrected:
                        memory_index.correct_item(connection, item.id, corrected)
                count += sum(one.id not in known for one in facts)
            return count

        taken: list[str] = []
        count = await self._database.change(work)
        self.changed.notify(taken)
        return count

    # Inside

    async def flush(self) -> None:
        """Return when all that was asked for is done."""
        await self._database.flush()

    async def aclose(self) -> None:
        """Idempotent."""
        await self.vectors.aclose()
        await self._database.aclose()

    def texts(self, wanted: Callable[[str], bool] = lambda conversation: True) -> ItemTexts:
        """The items as what makes vectors is shown them; `wanted`: see there."""
        return ItemTexts(self._database, wanted)


class _FactFile:
    """The file, as the facts use it."""

    def __init__(self, book: MemoryStore) -> None:
        self._book = book

    async def change(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return await self._book._database.change(work)

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return await self._book._database.read(work)

    async def wipe(self, ids: Sequence[str]) -> None:
        await self._book._wipe(ids)

    def subscribe(self, tell: Callable[[], object]) -> None:
        self._book._database.subscribe(tell)


def _write_export(connection: sqlite3.Connection, path: Path) -> int:
    part = path.with_name(f"{path.name}.part")
    count = 0
    try:
        with part.open("w", encoding="utf-8", errors="surrogatepass") as file:
            file.write(json.dumps({"format": EXPORT_FORMAT, "version": EXPORT_VERSION}) + "\n")
            query = f"SELECT {ORIGINAL_ITEM_COLUMNS}, corrected FROM items ORDER BY number"
            for *row, corrected in connection.execute(query):
                told = _item_record(memory_index.item_of(row), from_column(corrected))
                file.write(json.dumps(told, ensure_ascii=False) + "\n")
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
    """`text` is what counts: whoever knows no corrections has that."""
    told: dict[str, object] = {
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
    return told | {"said": item.text} if corrected else told


def _erase_in_copy(connection: sqlite3.Connection, ids: Sequence[str]) -> None:
    """A copy that holds these anywhere else is removed by the caller."""
    with transaction(connection):
        memory_index.remove_items(connection, ids)
        user_edits.delete_edits(connection, ids)
    connection.execute("INSERT INTO found (found) VALUES ('optimize')")


class MemoryFileUnreadable(StoreError):
    """A file that isn't an export of a memory; `why` is told to the person."""

    code = "memory_file"
    what = N_("“{name}” can't be imported.")
    hint = ""

    def __init__(self, path: Path, why: Reason) -> None:
        super().__init__(name=path.name, reason=why.text, **why.params)


def _read_export(path: Path) -> Iterator[tuple[MemoryItem, str] | Fact]:
    """Facts, and items with what the person says in the place of their words ("" if nothing).
    Raises StoreError.
    """
    try:
        with open_regular(path) as file:
            head = read_json(_read_line(file))
            if not isinstance(head, dict) or (head.get("format"), head.get("version")) != (
                EXPORT_FORMAT,
                EXPORT_VERSION,
            ):
                raise MemoryFileUnreadable(path, Reason(N_("It is no export of a memory.")))
            while line := _read_line(file):
                if line.strip():
                    told = read_json(line)
                    if not isinstance(told, dict):
                        raise TypeError(line[:40])
                    yield parse_fact(told) if told.get("side") == FACT_TYPE else _parse_item(told)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise MemoryFileUnreadable(path, read_error_reason(error)) from error


def _read_line(file: IO[bytes]) -> str:
    """The next line; "" at the end. Raises TooLarge for one that no export holds."""
    line = file.readline(_MAX_LINE_BYTES + 1)
    if len(line) > _MAX_LINE_BYTES:
        raise TooLarge(_MAX_LINE_BYTES)
    return line.decode("utf-8", "surrogatepass")


def _parse_item(told: Mapping[str, object]) -> tuple[MemoryItem, str]:
    """Raises KeyError, TypeError and ValueError for what is no item."""
    text = str(told["text"])
    said = str(told.get("said", text))
    item = MemoryItem(
        plain_id(told["id"]),
        str(told["speaker"]),
        ItemSide(str(told["side"])),
        datetime.fromisoformat(str(told["time"])).replace(tzinfo=None),
        said,
        plain_id(told.get("message", "")),
        plain_id(told.get("conversation", "")),
        bool(told.get("pinned", False)),
        untrusted=True,  # whatever the file says, anybody may have written it
    )
    return item, "" if said == text else text
