"""The vectors of many texts: kept, found, and taken out for good. Whoever has texts has one.

    book = VectorStore(home / "knowledge-vectors.db")
    await book.put(model, [("chunk 1", mark)], rows)          # `indexer.VectorIndexer` does this
    near = await book.nearest(model, question, 60)            # Near, or None
    await book.drop(["chunk 1"])

All is done in order on a thread of its own; who searches on another thread asks with `begin` and
waits no longer than it can.
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
    """`path` is its file, made when the first vectors come; None keeps all in memory. Coroutines
    raise StoreError and nothing else. A damaged file is thrown away: vectors can be made anew.
    """

    def __init__(self, path: Path | None) -> None:
        self._shelf = VectorFile(path)
        self._thread: ThreadPoolExecutor | None = None
        self._closed = False

    async def list_marks(self, model: str | None = None) -> dict[str, str]:
        """By id the marks of all texts whose vectors are here: those that `model` made, or any."""
        return await self._do(lambda: self._shelf.list_marks(model), {})

    async def size(self) -> int:
        """How many texts have vectors here."""
        return await self._do(self._shelf.size, 0)

    async def vector_length(self, model: str) -> int:
        """How many numbers a vector of `model` has here; 0 where there are none."""
        return await self._do(lambda: self._shelf.vector_length(model), 0)

    async def get(self, model: str, ids: Sequence[str]) -> dict[str, array[float]]:
        """The vectors that `model` made of these, by id, each of length 1."""
        return await self._do(lambda: self._shelf.get(model, ids), {})

    async def update(
        self, model: str, entries: Sequence[TextEntry], rows: Sequence[array[float]]
    ) -> None:
        """Keep the vectors (`rows`, all of one length) that `model` made of texts: for each its id
        and its mark, which changes when the text does. The vectors of another model go.
        """
        await self._do(lambda: self._shelf.update(model, entries, rows), None, always=True)

    async def delete(self, ids: Sequence[str]) -> None:
        """Let nothing of these be left in the file."""
        await self._do(lambda: self._shelf.delete(ids), None)

    async def clear(self) -> None:
        """Let nothing be left in it."""
        await self._do(self._shelf.clear, None)

    async def nearest(self, model: str, vector: Sequence[float], count: int) -> NearestTexts | None:
        """The `count` nearest texts; None where there are none of this model."""
        return await self._do(lambda: self._shelf.nearest(model, vector, count), None)

    async def cosines(
        self, model: str, vector: Sequence[float], ids: Sequence[str]
    ) -> dict[str, float]:
        """How near these texts are, without those that have no vector yet."""
        return await self._do(lambda: self._shelf.cosines(model, vector, ids), {})

    # For who searches on another thread

    def start_nearest(
        self, model: str, vector: Sequence[float], count: int
    ) -> Future[NearestTexts | None]:
        """`nearest` for any thread."""
        return self._post(lambda: self._shelf.nearest(model, vector, count), None)

    def start_cosines(
        self, model: str, vector: Sequence[float], ids: Sequence[str]
    ) -> Future[dict[str, float]]:
        """`cosines` for any thread."""
        return self._post(lambda: self._shelf.cosines(model, vector, ids), {})

    async def aclose(self) -> None:
        """Idempotent."""
        self._closed = True
        if self._thread is not None:
            thread, self._thread = self._thread, None
            await asyncio.wrap_future(thread.submit(self._shelf.close))
            thread.shutdown()

    # Inside

    async def _do(self, work: Callable[[], T], nothing: T, *, always: bool = False) -> T:
        return await asyncio.wrap_future(self._post(work, nothing, always=always))

    def _post(self, work: Callable[[], T], nothing: T, *, always: bool = False) -> Future[T]:
        """Most have nothing here: then no thread is begun for it."""
        done: Future[T] = Future()
        if self._closed:
            done.set_exception(StoreError(reason=N_("The file is closed already.")))
            return done
        if self._thread is None:
            if not always and not self._shelf.exists:
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
                _log.error("The file of the vectors is damaged (%s), and is made anew", error)
                self._shelf.delete_files()
                return work()
        except (sqlite3.Error, OSError) as error:
            raise StoreError(str(error)) from error
