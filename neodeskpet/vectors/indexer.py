"""Has vectors made of texts: in the background, a portion at a time, and goes on after any end.

What has been made is kept at once, so that a death costs one portion. The newest texts come first.
Nothing is sent anywhere where the person has chosen nothing that makes vectors.
"""

from __future__ import annotations

import asyncio
import logging
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol

from neodeskpet.core.embedding import Embedder
from neodeskpet.core.errors import KnownError, LlmError, StoreError
from neodeskpet.observers import Observers
from neodeskpet.vectors.book import VectorBook
from neodeskpet.vectors.shelf import Entry

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


class Elsewhere(Protocol):
    """Where vectors of these texts may be already. Nothing of it fails."""

    async def fetch(self, model: str, entries: Sequence[Entry]) -> Mapping[str, array[float]]:
        """Those of these that `model` made and that are there, by id."""
        ...

    async def keep(
        self, model: str, entries: Sequence[Entry], rows: Sequence[array[float]]
    ) -> object:
        """These were made here."""
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
        elsewhere: Elsewhere | None = None,
    ) -> None:
        self.progress = Progress()
        self.changed: Observers[[]] = Observers()
        self._book = book
        self._texts = texts
        self._embedder = embedder
        self._elsewhere = elsewhere
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
        entries = [(one, mark) for one, mark, _ in found]
        known = await self._known(embedder.model, entries)
        rest = [one for one in found if one[0] not in known]
        fetched = [entry for entry in entries if entry[0] in known]
        await self._put(embedder.model, fetched, [known[one] for one, _ in fetched])
        if not rest:
            return
        made = await embedder.embed([text[:LONGEST] for _, _, text in rest])
        new = [(one, mark) for one, mark, _ in rest]
        stay = await self._put(embedder.model, new, made.rows)
        if self._elsewhere is not None and stay:
            kept = [
                (entry, row) for entry, row in zip(new, made.rows, strict=True) if entry in stay
            ]
            await self._elsewhere.keep(
                embedder.model, [entry for entry, _ in kept], [row for _, row in kept]
            )

    async def _known(self, model: str, entries: Sequence[Entry]) -> Mapping[str, array[float]]:
        return {} if self._elsewhere is None else await self._elsewhere.fetch(model, entries)

    async def _put(
        self, model: str, entries: Sequence[Entry], rows: Sequence[array[float]]
    ) -> set[Entry]:
        """Keep them; those that stay: some may have been taken out while the service thought."""
        if not entries:
            return set()
        await self._book.put(model, entries, rows)
        still = {
            (one, mark) for one, mark, _ in await self._texts.texts([one for one, _ in entries])
        }
        await self._book.drop([one for one, mark in entries if (one, mark) not in still])
        return still

    async def _count(self) -> None:
        done = await self._book.size()
        self._tell(done=done, total=done + len(self._waiting))

    def _tell(self, **changes: object) -> None:
        progress = replace(self.progress, **changes)  # type: ignore[arg-type]
        if progress != self.progress:
            self.progress = progress
            self.changed.tell()
