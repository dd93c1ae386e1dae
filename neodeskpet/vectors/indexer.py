"""Has vectors made of texts: in the background, a portion at a time, and goes on after any end.

What has been made is kept at once, so that a death costs one portion. The newest texts come first.
Nothing is sent anywhere where the person has chosen nothing that makes vectors.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol

from neodeskpet.core.embedding import Embedder
from neodeskpet.core.errors import KnownError, LlmError, StoreError
from neodeskpet.observers import Observers
from neodeskpet.vectors.book import VectorBook

LONGEST = 2000
"""Characters of a text that its vector is made of: models read no more than a page or so."""
_PORTION = 32
_FIRST_REST, _LONGEST_REST = 30.0, 1800.0
"""Seconds before what has failed is tried again."""
_log = logging.getLogger(__name__)


class Texts(Protocol):
    """What is to be found by its meaning. Coroutines raise StoreError."""

    async def marks(self) -> dict[str, str]:
        """All there are, the newest last: by id a mark that changes when the text does."""
        ...

    async def texts(self, ids: Sequence[str]) -> list[tuple[str, str, str]]:
        """Id, mark and text of these; without those that are there no more."""
        ...


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `total` texts have vectors. `model` is what makes them ("": nothing does);
    `problem` is why it waits.
    """

    done: int = 0
    total: int = 0
    model: str = ""
    problem: KnownError | None = None

    @property
    def whole(self) -> bool:
        return bool(self.model) and self.problem is None and self.done >= self.total


class Indexer:
    """`run` keeps the vectors in `book` as `texts` are, until it is cancelled. `embedder` gives
    what the person has chosen, None for nothing. `changed` tells whoever shows the `progress`.
    """

    def __init__(
        self,
        book: VectorBook,
        texts: Texts,
        embedder: Callable[[], Embedder | None],
    ) -> None:
        self.progress = Progress()
        self.changed: Observers[[]] = Observers()
        self._book = book
        self._texts = texts
        self._embedder = embedder
        self._wake = asyncio.Event()
        self._waiting: dict[str, None] = {}
        self._compared = ""
        self._failed = 0

    def hear(self, ids: Iterable[str]) -> None:
        """These texts are new, have changed, or are there no more."""
        self._waiting |= dict.fromkeys(ids)
        self._wake.set()

    def look_again(self) -> None:
        """Something else may make the vectors now, or all texts be others."""
        self._compared = ""
        self._failed = 0
        self._wake.set()

    async def run(self) -> None:
        """Ends only when it is cancelled."""
        while True:
            self._wake.clear()
            try:
                await self.settle()
            except (LlmError, StoreError) as error:
                self._failed += 1
                seconds = min(_FIRST_REST * 2 ** (self._failed - 1), _LONGEST_REST)
                _log.warning("Vectors wait %.0f s: %s", seconds, error)
                self._tell(problem=error)
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._wake.wait(), seconds)
                continue
            await self._wake.wait()

    async def settle(self) -> None:
        """Make all that is missing. Raises LlmError and StoreError; what was made is kept."""
        embedder = self._embedder()
        if embedder is None and not await self._book.size():
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
            batch = list(self._waiting)[-_PORTION:]
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
        """Find out what is missing, what has changed, and what must go."""
        stands = await self._texts.marks()
        known = await self._book.marks()
        stale = [one for one, mark in known.items() if stands.get(one) != mark]
        if stale:
            await self._book.drop(stale)
        have = await self._book.marks(model) if model else {}
        self._waiting = {one: None for one in stands if one not in have} if model else {}
        self.progress = Progress(len(have), len(stands))

    async def _take(self, ids: Sequence[str], embedder: Embedder | None) -> None:
        found = [one for one in await self._texts.texts(ids) if one[2].strip()]
        there = {one for one, _, _ in found}
        await self._book.drop([one for one in ids if one not in there])
        if embedder is None:
            await self._book.drop(ids)
        elif found:
            await self._make(found, embedder)
        await self._count()

    async def _make(self, found: Sequence[tuple[str, str, str]], embedder: Embedder) -> None:
        made = await embedder.embed([text[:LONGEST] for _, _, text in found])
        entries = [(one, mark) for one, mark, _ in found]
        await self._book.put(embedder.model, entries, made.rows)
        # Some may have been taken out while the service thought.
        still = {
            (one, mark) for one, mark, _ in await self._texts.texts([id_ for id_, _ in entries])
        }
        await self._book.drop([one for one, mark in entries if (one, mark) not in still])

    async def _count(self) -> None:
        done = await self._book.size()
        self._tell(done=done, total=done + len(self._waiting))

    def _tell(self, **changes: object) -> None:
        progress = replace(self.progress, **changes)  # type: ignore[arg-type]
        if progress != self.progress:
            self.progress = progress
            self.changed.tell()
