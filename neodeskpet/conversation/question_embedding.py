"""The vector of what is asked, if it can be had at once.

A service across the network takes its time, and may fail; a request waits for neither. So a vector
is waited for only as long as the service has lately taken, and never long; one that comes later
serves the next round of the same turn.
"""

from __future__ import annotations

import asyncio
import logging
import time
from array import array
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress

from neodeskpet.core.errors import KnownError, LlmError
from neodeskpet.core.model import Embedder
from neodeskpet.memory.recall.recall_types import QuestionVector
from neodeskpet.platform.async_tasks import spawn_task

MAX_WAIT = 0.2
"""Seconds that a request waits at most, for a service that has lately been quick."""
MIN_WAIT = 0.01
"""… and for one of which that isn't known."""
_MAX_CACHED = 64
_MAX_TEXT = 2000
"""Characters of a question that are sent."""
_log = logging.getLogger(__name__)


class QuestionEmbedder:
    """`embedder` gives what the person has chosen, None for nothing: then nothing is sent.
    `patience`: seconds that are waited always, by somebody who isn't answered before.
    """

    def __init__(
        self,
        embedder: Callable[[], Embedder | None],
        *,
        patience: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.problem: KnownError | None = None
        self._embedder = embedder
        self._patience = patience
        self._clock = clock
        self._took: float | None = None
        self._known: OrderedDict[tuple[str, str], array[float]] = OrderedDict()
        self._task: asyncio.Task[None] | None = None
        self._asked: tuple[str, str] | None = None

    @property
    def is_available(self) -> bool:
        """Whether there is anything that makes vectors."""
        return self._embedder() is not None

    @property
    def current_wait(self) -> float:
        """Seconds that are waited now."""
        if self._patience is not None:
            return self._patience
        return MIN_WAIT if self._took is None else min(MAX_WAIT, 2 * self._took + MIN_WAIT)

    async def vector(self, text: str) -> QuestionVector | None:
        """What `text` means; None where that can't be known at once."""
        embedder = self._embedder()
        text = text.strip()[:_MAX_TEXT]
        if embedder is None or not text:
            return None
        asked = (embedder.model, text)
        if asked not in self._known:
            await self._ask(embedder, asked)
        found = self._known.get(asked)
        return QuestionVector(embedder.model, found) if found is not None else None

    async def _ask(self, embedder: Embedder, asked: tuple[str, str]) -> None:
        """One question is under way at a time: the latest."""
        if self._task is None or self._task.done() or self._asked != asked:
            if self._task is not None:
                self._task.cancel()
            self._asked = asked
            self._task = spawn_task(self._fetch(embedder, asked), name="vector of a question")
        await asyncio.wait({self._task}, timeout=self.current_wait)
        if not self._task.done():
            self._took = None

    async def _fetch(self, embedder: Embedder, asked: tuple[str, str]) -> None:
        begun = self._clock()
        try:
            made = await embedder.embed([asked[1]], query=True)
        except LlmError as error:
            self._took, self.problem = None, error
            _log.warning("There is no vector of what is asked: %s", error)
            return
        self._took, self.problem = self._clock() - begun, None
        self._known[asked] = made.rows[0]
        while len(self._known) > _MAX_CACHED:
            self._known.popitem(last=False)

    async def aclose(self) -> None:
        """Idempotent."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
