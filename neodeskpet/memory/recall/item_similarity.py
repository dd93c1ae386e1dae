"""Similarity of items to a question: the texts for the vectors, and the nearness lookup.

Between the word lookup and the result a search asks how near its rows are. It waits only a limited
time; missing values are left out, and the question records it (`late`).
"""

from __future__ import annotations

import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTime
from typing import TypeVar

from neodeskpet.core.errors import StoreError
from neodeskpet.memory.recall.ranking import Similarity
from neodeskpet.memory.recall.recall_types import VECTOR_TIMEOUT, QuestionVector
from neodeskpet.memory.vectors.vector_file import NearestTexts
from neodeskpet.memory.vectors.vector_store import VectorStore
from neodeskpet.storage.database import Database
from neodeskpet.storage.database_schema import StoredText, from_column, to_column

MAX_NEAREST = 40
"""Texts that are considered for their similarity alone."""
_BATCH = 500
T = TypeVar("T")

_COLUMNS = "id, conversation, CASE corrected WHEN '' THEN text ELSE corrected END"


def open_item_vectors(database: Database) -> VectorStore:
    """Open the vectors of the items in this database, in a file beside it."""
    path = database.path
    return VectorStore(None if path is None else path.with_name(f"{path.stem}-vectors.db"))


class SimilarityLookup:
    """A `memory_index.FindSimilar` for one question: the search for the nearest texts starts at
    once, in parallel to the search by words. `similarities` is its result.
    """

    def __init__(
        self, vectors: VectorStore, question: QuestionVector, timeout: float = VECTOR_TIMEOUT
    ) -> None:
        self._vectors = vectors
        self._question = question
        self._timeout = timeout
        self.similarities: Mapping[str, Similarity] = {}
        self._near = vectors.start_nearest(question.model, question.vector, MAX_NEAREST)

    def __call__(self, ids: Sequence[str]) -> Mapping[str, Similarity]:
        until = time.monotonic() + self._timeout
        question = self._question
        cosines = self._vectors.start_cosines(question.model, question.vector, ids)
        try:
            near = _result_until(self._near, until)
            if near is None:
                return {}
            found = dict(near.best) | _result_until(cosines, until)
        except (NotInTime, StoreError):
            question.late = True
            return {}
        self.similarities = {one: _to_similarity(near, cosine) for one, cosine in found.items()}
        return self.similarities


def start_similarity_lookup(
    vectors: VectorStore, question: QuestionVector | None, timeout: float
) -> SimilarityLookup | None:
    """Start the lookup; return None without a vector of the question."""
    return None if question is None else SimilarityLookup(vectors, question, timeout)


def _result_until(future: Future[T], until: float) -> T:
    return future.result(max(until - time.monotonic(), 0.0))


def _to_similarity(near: NearestTexts, cosine: float) -> Similarity:
    return Similarity(near.relative(cosine), near.absolute(cosine), near.distinct(cosine))


class ItemTexts:
    """The items of a memory as `memory.vectors.vector_indexer.TextSource`. `wanted` returns whether
    the texts of a conversation may be sent to the embedding model.
    """

    def __init__(
        self, database: Database, wanted: Callable[[str], bool] = lambda conversation: True
    ) -> None:
        self._database = database
        self._wanted = wanted

    async def text_marks(self) -> dict[str, str]:
        query = f"SELECT {_COLUMNS} FROM items ORDER BY time, number"

        def work(connection: sqlite3.Connection) -> dict[str, str]:
            return {one: mark for one, mark, _ in self._read(connection.execute(query))}

        return await self._database.read(work, index=True)

    async def texts(self, ids: Sequence[str]) -> list[tuple[str, str, str]]:
        def work(connection: sqlite3.Connection) -> list[tuple[str, str, str]]:
            found: list[tuple[str, str, str]] = []
            for start in range(0, len(ids), _BATCH):
                batch = [to_column(one) for one in ids[start : start + _BATCH]]
                marks = ", ".join("?" * len(batch))
                query = f"SELECT {_COLUMNS} FROM items WHERE id IN ({marks})"
                found += self._read(connection.execute(query, batch))
            return found

        return await self._database.read(work)

    def _read(
        self, rows: Iterable[tuple[StoredText, str, StoredText]]
    ) -> Iterable[tuple[str, str, str]]:
        """Read id, mark and text of items. An id that the vector file can't store (a lone
        surrogate) is left out.
        """
        for stored, conversation, said in rows:
            if isinstance(stored, str) and self._wanted(conversation):
                text = from_column(said)
                content = text.encode("utf-8", "surrogatepass")
                yield stored, f"{len(content):x}-{zlib.crc32(content):x}", text
