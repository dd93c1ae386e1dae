"""The knowledge base: a database of its own beside the memory.

It uses the index and the ranking of the memory. Writes run in order on the database's thread; a
search has its own connection and thread. Passages can be read again from the files, so memory and
knowledge base don't depend on each other's files.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from neodeskpet.core.errors import StoreError
from neodeskpet.memory.knowledge import knowledge_rows
from neodeskpet.memory.knowledge.knowledge_schema import KNOWLEDGE_CONTENT
from neodeskpet.memory.knowledge.knowledge_types import (
    DocumentText,
    KnowledgeHit,
    KnowledgeSource,
    KnownFile,
    KnownPassage,
    SourceKind,
    passage_label,
)
from neodeskpet.memory.knowledge.passage_reader import IndexedPassage
from neodeskpet.memory.recall import memory_index
from neodeskpet.memory.recall.item_similarity import (
    ItemTexts,
    SimilarityLookup,
    open_item_vectors,
    start_similarity_lookup,
)
from neodeskpet.memory.recall.memory_index import FoundItem, TermFrequencies
from neodeskpet.memory.recall.ranking import IndexStatistics, Similarity
from neodeskpet.memory.recall.recall_query import build_query
from neodeskpet.memory.recall.recall_types import (
    MemoryItem,
    MemoryQuery,
    QuestionVector,
    RecalledItem,
)
from neodeskpet.memory.recall.token_packing import pack_items
from neodeskpet.platform.observers import Observers
from neodeskpet.storage.backups import erase_in_copies
from neodeskpet.storage.database import Database, open_or_in_memory, report_on_loop

MAX_PASSAGE_TOKENS = 320
"""Tokens of a passage in the context."""
_MAX_CANDIDATES = 20
_SMALL_INDEX = 200
"""Minimum number of passages for statistics: among three passages a word that occurs in one of them
isn't common.
"""
_MAX_JOINED = 10_000
"""Below this number of passages the index segments are always merged into one."""
_BATCH = 500
_MAX_REFUSED = 200
"""Refused files of a source that are listed."""
_SEARCH_VECTOR_TIMEOUT = 1.0
"""Seconds that a search by the user waits for the vector of the query; a turn doesn't wait."""


@dataclass(frozen=True, slots=True)
class _Thresholds:
    """Thresholds for a passage: a share of the question's words; or a similarity, with a distance
    from other similar passages, and at most `max_similar` of these. Other passages only share some
    words, or the language, with the question.
    """

    keyword_share: float
    similarity: float
    distinctness: float
    max_similar: int

    def is_similar(self, close: Similarity | None) -> bool:
        return (
            close is not None
            and close.absolute >= self.similarity
            and close.distinct >= self.distinctness
        )


_RECALL_THRESHOLDS = _Thresholds(0.25, 0.3, 0.1, 3)
"""For recall in a turn."""
_SEARCH_THRESHOLDS = _Thresholds(0.1, 0.2, 0.05, 10)
"""For a search by the user."""

EmbedQuestion = Callable[[str], Awaitable[QuestionVector | None]]


async def _no_embedding(_text: str) -> QuestionVector | None:
    return None


class KnowledgeStore:
    """Create it with `await KnowledgeStore.open()`. All coroutines raise only StoreError.

    `fault` is the error while opening, for the user. `is_not_empty`: it has content. `vectors` are
    the vectors of the passages, if there is an embedding model. `changed` gets the ids of new
    passages.
    """

    def __init__(
        self,
        database: Database,
        fault: StoreError | None = None,
        embed_question: EmbedQuestion = _no_embedding,
    ) -> None:
        self.fault = fault
        self.is_not_empty = False
        self._database = database
        self._frequencies = TermFrequencies()
        self.vectors = open_item_vectors(database)
        self.changed: Observers[[Sequence[str]]] = Observers()
        self._embed_question = embed_question
        self._observers: Observers[[]] = Observers()
        self._citation_observers: Observers[[]] = Observers()

    @classmethod
    async def open(
        cls,
        path: Path | None,
        *,
        on_fault: Callable[[StoreError], None] | None = None,
        busy: float = 5.0,
        watch: float = 5.0,
        required: bool = False,
        embed_question: EmbedQuestion = _no_embedding,
    ) -> KnowledgeStore:
        """Open the store. `path` is the file, created if it doesn't exist; None, or a file that
        can't be opened, keeps everything in memory. `on_fault` is called on the loop with later
        faults of the file. `required`: raise StoreError if the file can't be opened.
        `embed_question` makes the vector of a user's search.
        """
        database, fault = await open_or_in_memory(
            path, KNOWLEDGE_CONTENT, busy=busy, watch=watch, required=required
        )
        report_on_loop(database, on_fault)
        store = cls(database, fault, embed_question)
        await store.list_sources()
        return store

    async def notify_changed(self) -> None:
        """Notify observers: another process may have changed the database. Raises StoreError."""
        await self.list_sources()
        self._observers.notify()

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call `observer` when sources or files change; return a function that unsubscribes."""
        return self._observers.subscribe(observer)

    def subscribe_citations(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call `observer` when the recalled passages of messages change; return a function that
        unsubscribes.
        """
        return self._citation_observers.subscribe(observer)

    async def changed_by_others(self) -> bool:
        """Return whether another process wrote since the last call. Raises StoreError."""
        return await self._database.changed_by_others()

    # Sources

    async def list_sources(self) -> list[KnowledgeSource]:
        """Return the sources in the order in which they were added."""
        found = await self._database.read(knowledge_rows.read_sources)
        self.is_not_empty = any(one.passages for one in found)
        return found

    async def list_addresses(self) -> list[str]:
        """Return the web addresses that the user added."""
        return [one.address for one in await self.list_sources() if one.kind is SourceKind.PAGE]

    async def add_source(self, kind: SourceKind, address: str, title: str = "") -> str:
        """Add a source and return its id, or the id of the existing one with this address."""
        source = KnowledgeSource(uuid.uuid4().hex[:12], kind, address, time.time(), title)
        key = await self._database.change(lambda db: knowledge_rows.add_source(db, source))
        self._observers.notify()
        return key

    async def delete_source(self, source: str) -> bool:
        """Delete a source with its content permanently; return whether it existed."""

        there, gone = await self._database.change(
            lambda db: knowledge_rows.delete_source(db, source)
        )
        await self._wipe(gone)
        await self.list_sources()
        self._observers.notify()
        self._citation_observers.notify()
        return there

    async def update_fault(self, source: str, fault: str, title: str = "") -> None:
        """Set why a source can't be read now, "" if it can, and its own title."""

        def work(connection: sqlite3.Connection) -> int:
            return connection.execute(
                "UPDATE sources SET fault = ?1, "
                "title = CASE ?2 WHEN '' THEN title ELSE ?2 END "
                "WHERE id = ?3 AND (fault <> ?1 OR (?2 <> '' AND title <> ?2))",
                (fault, title, source),
            ).rowcount

        if await self._database.change(work):
            self._observers.notify()

    # Files

    async def list_files(self, source: str) -> list[KnownFile]:
        """Return all files of a source by name, including refused ones."""
        return await self._database.read(lambda db: knowledge_rows.read_files(db, source))

    async def list_refused(self, source: str) -> list[KnownFile]:
        """Return the first refused files, with the reasons."""
        return await self._database.read(
            lambda db: knowledge_rows.read_refused_files(db, source, _MAX_REFUSED)
        )

    async def list_incomplete(self, source: str) -> list[KnownFile]:
        """Return the first files with omissions."""
        return await self._database.read(
            lambda db: knowledge_rows.read_incomplete_files(db, source, _MAX_REFUSED)
        )

    async def update_skipped(self, source: str, skipped: Sequence[tuple[str, int]]) -> None:
        """Set the number of files without text in a folder, by file ending."""
        if await self._database.change(
            lambda db: knowledge_rows.update_skipped(db, source, skipped)
        ):
            self._observers.notify()

    async def encoding_of(self, source: str) -> str:
        """Return the encoding of a source with one text file; otherwise ""."""
        files = await self.list_files(source)
        return files[0].encoding if len(files) == 1 else ""

    async def set_encoding(self, source: str, encoding: str) -> bool:
        """Set the encoding of a source, "" to detect it; return whether it changed."""
        changed = await self._database.change(
            lambda db: knowledge_rows.set_encoding(db, source, encoding)
        )
        if changed:
            self._observers.notify()
        return changed

    async def reread_cut_files(self, limit: int) -> None:
        """Mark the files to be read again that a new limit of characters affects."""
        await self._database.change(lambda db: knowledge_rows.mark_cut_files_unread(db, limit))

    async def put_file(self, file: KnownFile, passages: Sequence[IndexedPassage]) -> None:
        """Store a file as read (or refused), replacing its earlier content, in one transaction."""
        put = await self._database.change(lambda db: knowledge_rows.put_file(db, file, passages))
        if put is not None:
            await self.vectors.delete(put.deleted)
            self.changed.notify(put.added)
            self.is_not_empty = self.is_not_empty or bool(passages)
            self._observers.notify()

    async def delete_files(self, keys: Sequence[str]) -> None:
        """Delete files that no longer exist."""
        await self._wipe(
            await self._database.change(lambda db: knowledge_rows.delete_files(db, keys))
        )
        self._observers.notify()

    async def merge_index_segments(self) -> None:
        """Merge index segments after reading files, which halves the search time. Few passages are
        merged completely, which takes a tenth of a second for 4,000; for many, only the number of
        segments is limited.
        """

        def work(connection: sqlite3.Connection) -> None:
            (size,) = connection.execute("SELECT rows FROM sums").fetchone()
            memory_index.merge_segments(
                connection, 1 if size < _MAX_JOINED else memory_index.MAX_SEGMENTS
            )

        await self._database.change(work)

    async def forgotten_lines(self, path: str) -> list[str]:
        """Return the digests of the lines of this file that must not return."""
        return await self._database.read(lambda db: knowledge_rows.read_forgotten(db, path))

    async def read_document(self, file: str) -> DocumentText | None:
        """Return a document as it was read; None if it no longer exists."""

        def work(connection: sqlite3.Connection) -> DocumentText | None:
            known = knowledge_rows.read_file_row(connection, file)
            if known is None:
                return None
            (kind,) = connection.execute(
                "SELECT kind FROM sources WHERE id = ?", (known.source,)
            ).fetchone()
            found = knowledge_rows.read_file_passages(connection, file)
            return DocumentText(known, SourceKind(kind), tuple(found))

        return await self._database.read(work)

    # Searching

    async def search(self, text: str, count: int = 5) -> list[KnowledgeHit]:
        """Return up to `count` passages, best first."""
        vector = await self._embed_question(text) if self.is_not_empty else None
        near = start_similarity_lookup(self.vectors, vector, _SEARCH_VECTOR_TIMEOUT)
        return await self._database.read(lambda db: self._search(db, text, count, near), index=True)

    def _search(
        self, connection: sqlite3.Connection, text: str, count: int, near: SimilarityLookup | None
    ) -> list[KnowledgeHit]:
        found = self._find(connection, text, datetime.now(), count, _SEARCH_THRESHOLDS, near)
        known = knowledge_rows.read_passages(connection, [one.item.id for one in found])
        hits = []
        for one in found:
            if one.item.id in known:
                passage, file = known[one.item.id]
                label = passage_label(file.name, passage)
                hits.append(KnowledgeHit(passage, file.id, label, one.relevance))
        return hits

    def _find(
        self,
        connection: sqlite3.Connection,
        text: str,
        now: datetime,
        count: int,
        least: _Thresholds,
        near: SimilarityLookup | None,
    ) -> list[FoundItem]:
        """Return up to `count` passages above the thresholds."""
        found = memory_index.search_items(
            connection, text, now, self._frequencies, count=count, nearness=near
        )
        if not found:
            return []
        weights = build_query(text, now).weights
        (size,) = connection.execute("SELECT rows FROM sums").fetchone()
        counts = self._frequencies.counts
        statistics = IndexStatistics(max(size, _SMALL_INDEX), 1.0, counts)
        worth = {
            term: weight * statistics.inverse_frequency(term) for term, weight in weights.items()
        }
        whole = sum(worth.values()) or 1.0
        known = near.similarities if near is not None else {}
        terms = knowledge_rows.read_terms(connection, [one.item.id for one in found])
        kept, meant = [], 0
        for one in found:
            has = terms.get(one.item.id, frozenset())
            if sum(worth[term] for term in worth if term in has) >= least.keyword_share * whole:
                kept.append(one)
            elif meant < least.max_similar and least.is_similar(known.get(one.item.id)):
                kept.append(one)
                meant += 1
        return kept

    async def look_up(self, query: str, limit: int) -> Sequence[dict[str, object]]:
        """Return up to `limit` passages in the form for a model."""
        return [
            {
                "id": one.passage.id,
                "source": one.label,
                "text": one.passage.text.strip(),
                "relevance": one.relevance,
            }
            for one in await self.search(query, limit)
        ]

    async def warm_up(self) -> None:
        """Warm up caches, so that the first question is answered as fast as later ones."""
        await self._database.read(
            lambda db: memory_index.warm_up(db, datetime.now(), self._frequencies),
            index=True,
            fresh=False,
        )

    async def recall(self, question: MemoryQuery) -> list[RecalledItem]:
        """Return the passages that answer `question`, best first, within its budget; `speaker` is
        the source. It doesn't wait for writes.
        """
        if not (question.documents and self.is_not_empty):
            return []

        near = start_similarity_lookup(self.vectors, question.vector, question.timeout)

        def work(connection: sqlite3.Connection) -> list[RecalledItem]:
            found = self._find(
                connection, question.text, question.now, _MAX_CANDIDATES, _RECALL_THRESHOLDS, near
            )
            items = self._named(connection, [one.item for one in found])
            relevance = {one.item.id: one.relevance for one in found}
            weights = build_query(question.text, question.now).weights
            pairs = [(item, relevance[item.id]) for item in items]
            return pack_items(pairs, weights, question.budget, longest=MAX_PASSAGE_TOKENS)

        return await self._database.read(work, index=True, fresh=False)

    def _named(
        self, connection: sqlite3.Connection, items: Sequence[MemoryItem]
    ) -> list[MemoryItem]:
        """Return the items with their labels as speakers, without internal fields."""
        known = knowledge_rows.read_passages(connection, [one.id for one in items])
        return [
            replace(one, speaker=_passage_label(known[one.id]), message="", conversation="")
            for one in items
            if one.id in known
        ]

    async def record_recalled(self, reply: str, recalled: Sequence[RecalledItem]) -> None:
        """Record the passages in the context of the message `reply`, by ids only."""
        rows = [(reply, place, one.item.id, one.relevance) for place, one in enumerate(recalled)]

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM recalled WHERE reply = ?", (reply,))
            connection.executemany("INSERT INTO recalled VALUES (?, ?, ?, ?)", rows)

        await self._database.change(work)
        self._citation_observers.notify()

    async def recalled_for(self, reply: str) -> list[KnowledgeHit]:
        """Return the passages in the context of the message `reply`, without those
        deleted since.
        """
        return list((await self.recalled_for_replies([reply])).get(reply, ()))

    async def recalled_for_replies(self, replies: Sequence[str]) -> dict[str, list[KnowledgeHit]]:
        """Return the same for several messages, by id, if they had any."""

        def work(connection: sqlite3.Connection) -> dict[str, list[KnowledgeHit]]:
            found: dict[str, list[KnowledgeHit]] = {}
            for start in range(0, len(replies), _BATCH):
                batch = replies[start : start + _BATCH]
                marks = ", ".join("?" * len(batch))
                rows = connection.execute(
                    f"SELECT reply, item, relevance FROM recalled WHERE reply IN ({marks}) "
                    "ORDER BY reply, place",
                    tuple(batch),
                ).fetchall()
                known = knowledge_rows.read_passages(connection, [str(one) for _, one, _ in rows])
                for reply, one, relevance in rows:
                    if one in known:
                        passage, file = known[one]
                        hit = KnowledgeHit(passage, file.id, _passage_label(known[one]), relevance)
                        found.setdefault(str(reply), []).append(hit)
            return found

        return await self._database.read(work)

    # Deleting

    async def delete_passages(self, ids: Sequence[str]) -> list[str]:
        """Delete passages permanently, even if their files change; return the existing ones."""
        gone = await self._database.change(lambda db: knowledge_rows.forget_passages(db, ids))
        await self._wipe(gone)
        self._observers.notify()
        self._citation_observers.notify()
        return gone

    async def _wipe(self, ids: Sequence[str]) -> None:
        """Erase deleted text from the file, its journal, its vectors and its copies."""
        await self._database.run(memory_index.overwrite_deleted_text)
        await self._database.wipe()
        await self.vectors.delete(ids)
        path = self._database.path
        if path is not None and ids:
            files = [*dict.fromkeys(one.partition(".")[0] for one in ids)]
            await asyncio.to_thread(erase_in_copies, path, files, None)

    async def overwrite_deleted_text(self) -> None:
        """Erase replaced text from the file."""
        await self._wipe(())

    # Other

    async def get_state(self, key: str) -> str | None:
        query = "SELECT value FROM state WHERE key = ?"
        row = await self._database.read(lambda db: db.execute(query, (key,)).fetchone())
        return str(row[0]) if row is not None else None

    async def set_state(self, key: str, value: str) -> None:
        query = "INSERT OR REPLACE INTO state VALUES (?, ?)"
        await self._database.change(lambda db: db.execute(query, (key, value)))

    async def flush(self) -> None:
        """Return when all earlier operations are done."""
        await self._database.flush()

    async def aclose(self) -> None:
        """Close the store. Idempotent."""
        await self.vectors.aclose()
        await self._database.aclose()

    @property
    def texts(self) -> ItemTexts:
        """The passages for the vector indexer."""
        return ItemTexts(self._database)


def _passage_label(known: tuple[KnownPassage, KnownFile]) -> str:
    passage, file = known
    return passage_label(file.name, passage)
