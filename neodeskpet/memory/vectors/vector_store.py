"""The store of vectors of texts; each collection of texts has one.

    book = VectorStore(home / "knowledge-vectors.db")
    await book.update(model, [("chunk 1", mark)], rows)       # `VectorIndexer` does this
    near = await book.nearest(model, question, 60)            # NearestTexts, or None
    await book.delete(["chunk 1"])

Everything runs in order on a thread of its own; a search on another thread uses `start_nearest` and
waits only a limited time.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from array import array
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from neodeskpet.core.errors import StoreError
from neodeskpet.core.i18n import N_
from neodeskpet.memory.vectors.vector_file import NearestTexts, TextEntry, VectorFile

T = TypeVar("T")

_log = logging.getLogger(__name__)
_DAMAGE_TEXTS = ("malformed", "not a database", "disk image")


class VectorStore:
    """`path` is its file, created with the first vectors; None keeps everything in memory.
    Coroutines raise only StoreError. A damaged file is deleted: vectors can be made again.
    """

    def __init__(self, path: Path | None) -> None:
        self._file = VectorFile(path)
        self._thread: ThreadPoolExecutor | None = None
        self._closed = False

    async def list_marks(self, model: str | None = None) -> dict[str, str]:
        """Return the marks of all texts with vectors of `model` (None: of any), by id."""
        return await self._do(lambda: self._file.list_marks(model), {})

    async def size(self) -> int:
        """Return how many texts have vectors."""
        return await self._do(self._file.size, 0)

    async def vector_length(self, model: str) -> int:
        """Return the length of a vector of `model`; 0 if there is none."""
        return await self._do(lambda: self._file.vector_length(model), 0)

    async def get(self, model: str, ids: Sequence[str]) -> dict[str, array[float]]:
        """Return the vectors of `model` for these ids, each of length 1."""
        return await self._do(lambda: self._file.get(model, ids), {})

    async def update(
        self, model: str, entries: Sequence[TextEntry], rows: Sequence[array[float]]
    ) -> None:
        """Store the vectors (`rows`, all of one length) of `model`, with the id of each text and a
        mark that changes with the text. Vectors of another model are deleted.
        """
        await self._do(lambda: self._file.update(model, entries, rows), None, always=True)

    async def delete(self, ids: Sequence[str]) -> None:
        """Erase these vectors from the file."""
        await self._do(lambda: self._file.delete(ids), None)

    async def clear(self) -> None:
        """Erase everything."""
        await self._do(self._file.clear, None)

    async def nearest(self, model: str, vector: Sequence[float], count: int) -> NearestTexts | None:
        """Return the `count` nearest texts; None if there are none of this model."""
        return await self._do(lambda: self._file.nearest(model, vector, count), None)

    async def cosines(
        self, model: str, vector: Sequence[float], ids: Sequence[str]
    ) -> dict[str, float]:
        """Return the cosines of these texts, without those that have no vector yet."""
        return await self._do(lambda: self._file.cosines(model, vector, ids), {})

    # For searches on another thread

    def start_nearest(
        self, model: str, vector: Sequence[float], count: int
    ) -> Future[NearestTexts | None]:
        """Start `nearest` from any thread."""
        return self._post(lambda: self._file.nearest(model, vector, count), None)

    def start_cosines(
        self, model: str, vector: Sequence[float], ids: Sequence[str]
    ) -> Future[dict[str, float]]:
        """Start `cosines` from any thread."""
        return self._post(lambda: self._file.cosines(model, vector, ids), {})

    async def aclose(self) -> None:
        """Close the store. Idempotent."""
        self._closed = True
        if self._thread is not None:
            thread, self._thread = self._thread, None
            await asyncio.wrap_future(thread.submit(self._file.close))
            thread.shutdown()

    # Internal

    async def _do(self, work: Callable[[], T], nothing: T, *, always: bool = False) -> T:
        return await asyncio.wrap_future(self._post(work, nothing, always=always))

    def _post(self, work: Callable[[], T], nothing: T, *, always: bool = False) -> Future[T]:
        """Queue work on the thread. Without a file no thread is started, as in most cases."""
        done: Future[T] = Future()
        if self._closed:
            done.set_exception(StoreError(reason=N_("The file is already closed.")))
            return done
        if self._thread is None:
            if not always and not self._file.exists:
                done.set_result(nothing)
                return done
            self._thread = ThreadPoolExecutor(1, "vectors")
        return self._thread.submit(self._try, work)

    def _try(self, work: Callable[[], T]) -> T:
        try:
            try:
                return work()
            except sqlite3.DatabaseError as error:
                if not any(word in str(error) for word in _DAMAGE_TEXTS):
                    raise
                _log.error("The vector file is damaged (%s) and is rebuilt", error)
                self._file.delete_files()
                return work()
        except (sqlite3.Error, OSError) as error:
            raise StoreError(str(error)) from error
