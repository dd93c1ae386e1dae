"""Makes vectors of texts in the background, in batches, and continues after a restart.

Each batch is stored at once, so a crash loses at most one batch. The newest texts come first.
Without an embedding model nothing is sent anywhere.
"""

from __future__ import annotations

import asyncio
import logging
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol

from neodeskpet.core.errors import KnownError, LlmError, StoreError
from neodeskpet.core.model import Embedder
from neodeskpet.memory.vectors.vector_file import TextEntry
from neodeskpet.memory.vectors.vector_store import VectorStore
from neodeskpet.platform.observers import Observers

MAX_TEXT = 2000
"""Characters of a text that are embedded: models read about a page."""
_BATCH_TEXTS = 32
_FIRST_RETRY, _MAX_RETRY = 30.0, 1800.0
"""Seconds before a retry after a failure."""
_log = logging.getLogger(__name__)


class TextSource(Protocol):
    """The texts to embed. Coroutines raise StoreError."""

    async def text_marks(self) -> dict[str, str]:
        """Return marks of all texts by id, the newest last; a mark changes with its text."""
        ...

    async def texts(self, ids: Sequence[str]) -> list[tuple[str, str, str]]:
        """Return id, mark and text of these; deleted ones are left out."""
        ...


class RemoteVectors(Protocol):
    """A store on another computer that may already have these vectors. Its methods never fail."""

    async def fetch(self, model: str, entries: Sequence[TextEntry]) -> Mapping[str, array[float]]:
        """Return the available vectors of `model`, by id."""
        ...

    async def store(
        self, model: str, entries: Sequence[TextEntry], rows: Sequence[array[float]]
    ) -> object:
        """Store vectors that were made here."""
        ...


@dataclass(frozen=True, slots=True)
class EmbeddingProgress:
    """`done` of `total` texts have vectors. `model` is the embedding model ("" for none); `problem`
    is the reason for waiting.
    """

    done: int = 0
    total: int = 0
    model: str = ""
    problem: KnownError | None = None

    @property
    def is_complete(self) -> bool:
        return bool(self.model) and self.problem is None and self.done >= self.total


class VectorIndexer:
    """`run` keeps the vectors in `vectors` up to date with `texts` until it is cancelled.
    `embedder` returns the user's embedding model, None for none. `changed` notifies of new
    `progress`.
    """

    def __init__(
        self,
        vectors: VectorStore,
        texts: TextSource,
        embedder: Callable[[], Embedder | None],
        remote: RemoteVectors | None = None,
    ) -> None:
        self.progress = EmbeddingProgress()
        self.changed: Observers[[]] = Observers()
        self._store = vectors
        self._texts = texts
        self._embedder = embedder
        self._remote = remote
        self._wake = asyncio.Event()
        self._waiting: dict[str, None] = {}
        self._compared = ""
        self._failed = 0

    def mark_changed(self, ids: Iterable[str]) -> None:
        """Record that these texts are new, changed or deleted."""
        self._waiting |= dict.fromkeys(ids)
        self._wake.set()

    def check_all(self) -> None:
        """Compare everything again: the model or all texts may have changed."""
        self._compared = ""
        self._failed = 0
        self._wake.set()

    async def run(self) -> None:
        """Make missing vectors whenever texts change. Ends only by cancellation."""
        while True:
            self._wake.clear()
            try:
                await self.index_missing()
            except (LlmError, StoreError) as error:
                self._failed += 1
                seconds = min(_FIRST_RETRY * 2 ** (self._failed - 1), _MAX_RETRY)
                _log.warning("Making vectors failed; retry in %.0f s: %s", seconds, error)
                self._tell(problem=error)
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._wake.wait(), seconds)
                continue
            await self._wake.wait()

    async def index_missing(self) -> None:
        """Make all missing vectors. Raises LlmError and StoreError; completed batches are kept."""
        embedder = self._embedder()
        if embedder is None and not await self._store.size():
            self._waiting.clear()
            self._compared = ""
            self._tell(done=0, total=0, model="", problem=None)
            return
        model = "" if embedder is None else embedder.model
        if self._compared != (model or "-"):
            await self._compare(model)
            self._compared = model or "-"
        self._tell(model="" if embedder is None else embedder.label, problem=None)
        while self._waiting:
            batch = list(self._waiting)[-_BATCH_TEXTS:]
            for one in batch:
                del self._waiting[one]
            try:
                await self._take(batch, embedder)
            except BaseException:
                self._waiting |= dict.fromkeys(batch)
                raise
            self._failed = 0
            await asyncio.sleep(0)

    async def _compare(self, model: str) -> None:
        """Compare texts and vectors; delete outdated vectors and queue missing ones."""
        stands = await self._texts.text_marks()
        known = await self._store.list_marks()
        stale = [one for one, mark in known.items() if stands.get(one) != mark]
        if stale:
            await self._store.delete(stale)
        have = await self._store.list_marks(model) if model else {}
        self._waiting = {one: None for one in stands if one not in have} if model else {}
        self.progress = EmbeddingProgress(len(have), len(stands))

    async def _take(self, ids: Sequence[str], embedder: Embedder | None) -> None:
        found = [one for one in await self._texts.texts(ids) if one[2].strip()]
        there = {one for one, _, _ in found}
        await self._store.delete([one for one in ids if one not in there])
        if embedder is None:
            await self._store.delete(ids)
        elif found:
            await self._make(found, embedder)
        await self._count()

    async def _make(self, found: Sequence[tuple[str, str, str]], embedder: Embedder) -> None:
        entries = [(one, mark) for one, mark, _ in found]
        known = await self._known(embedder.model, entries)
        rest = [one for one in found if one[0] not in known]
        fetched = [entry for entry in entries if entry[0] in known]
        await self._put(embedder.model, fetched, [known[one] for one, _ in fetched])
        if not rest:
            return
        made = await embedder.embed([text[:MAX_TEXT] for _, _, text in rest])
        new = [(one, mark) for one, mark, _ in rest]
        stay = await self._put(embedder.model, new, made.rows)
        if self._remote is not None and stay:
            kept = [
                (entry, row) for entry, row in zip(new, made.rows, strict=True) if entry in stay
            ]
            await self._remote.store(
                embedder.model, [entry for entry, _ in kept], [row for _, row in kept]
            )

    async def _known(self, model: str, entries: Sequence[TextEntry]) -> Mapping[str, array[float]]:
        return {} if self._remote is None else await self._remote.fetch(model, entries)

    async def _put(
        self, model: str, entries: Sequence[TextEntry], rows: Sequence[array[float]]
    ) -> set[TextEntry]:
        """Store vectors and return the entries that still exist; some texts may have been deleted
        in the meantime.
        """
        if not entries:
            return set()
        await self._store.update(model, entries, rows)
        still = {
            (one, mark) for one, mark, _ in await self._texts.texts([one for one, _ in entries])
        }
        await self._store.delete([one for one, mark in entries if (one, mark) not in still])
        return still

    async def _count(self) -> None:
        done = await self._store.size()
        self._tell(done=done, total=done + len(self._waiting))

    def _tell(self, **changes: object) -> None:
        progress = replace(self.progress, **changes)  # type: ignore[arg-type]
        if progress != self.progress:
            self.progress = progress
            self.changed.notify()
