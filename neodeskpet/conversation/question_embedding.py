"""The vector of the question, if it is available quickly.

A remote service may be slow or fail, and a request must not wait for it. So the wait is limited by
how long the service has taken lately, and by a short maximum. A vector that arrives later is used
in the next round of the same turn.
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
"""The longest wait in seconds, for a service that was quick lately."""
MIN_WAIT = 0.01
"""… and for a service of unknown speed."""
_MAX_CACHED = 64
_MAX_TEXT = 2000
"""The largest number of characters of a question that are sent."""
_log = logging.getLogger(__name__)


class QuestionEmbedder:
    """`embedder` returns the chosen embedder, None for none (then nothing is sent). `timeout`: a
    fixed wait in seconds, for callers that need the vector.
    """

    def __init__(
        self,
        embedder: Callable[[], Embedder | None],
        *,
        timeout: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.problem: KnownError | None = None
        self._embedder = embedder
        self._timeout = timeout
        self._clock = clock
        self._took: float | None = None
        self._known: OrderedDict[tuple[str, str], array[float]] = OrderedDict()
        self._task: asyncio.Task[None] | None = None
        self._asked: tuple[str, str] | None = None

    @property
    def is_available(self) -> bool:
        """Return whether there is an embedder."""
        return self._embedder() is not None

    @property
    def current_wait(self) -> float:
        """Return the present wait in seconds."""
        if self._timeout is not None:
            return self._timeout
        return MIN_WAIT if self._took is None else min(MAX_WAIT, 2 * self._took + MIN_WAIT)

    async def vector(self, text: str) -> QuestionVector | None:
        """Return the vector of `text`, None if it isn't available quickly."""
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
        """Request a vector; only the latest question is requested at a time."""
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
