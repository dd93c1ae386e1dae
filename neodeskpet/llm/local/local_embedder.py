"""Computes vectors on this computer in a child process; nothing is sent over the network.

The process starts with the first text and stops when idle. Texts are sent in small batches, so that
a search doesn't wait for all of the background work.
"""

from __future__ import annotations

import importlib.util
import json
from array import array
from collections.abc import Callable, Sequence

from neodeskpet.core.errors import LlmError
from neodeskpet.core.model import Vectors
from neodeskpet.llm.local.embedding_child import E5_MODEL, HEAD_BYTES
from neodeskpet.llm.local.llama_server import EXTRA
from neodeskpet.llm.local.local_errors import (
    EmbeddingExtraMissing,
    LoadFailed,
    LocalModelCrashed,
    LocalModelStopped,
)
from neodeskpet.llm.local.model_file import SCHEME
from neodeskpet.platform.async_frame_worker import IDLE_SECONDS, AsyncFrameWorker

LOCAL_EMBEDDING_MODEL = "multilingual-e5-small"
ADDRESS = f"{SCHEME}{E5_MODEL}"
"""The value used in place of a service's address."""
_SECONDS = 30.0
_PORTION = 4


def is_embedding_installed() -> bool:
    """Return whether the package for embeddings is installed."""
    return importlib.util.find_spec(E5_MODEL) is not None


def is_local_embedder(base_url: str) -> bool:
    """Return whether this address means the local embedding model."""
    return base_url.strip().casefold() == ADDRESS


class LocalEmbedder:
    """`core.model.Embedder`, one per app. `child` is the module that the process runs; `idle`:
    seconds without requests until it stops.
    """

    label = LOCAL_EMBEDDING_MODEL
    model = f"{LOCAL_EMBEDDING_MODEL}-q4"

    def __init__(
        self,
        child: str = E5_MODEL,
        *,
        installed: Callable[[], bool] = is_embedding_installed,
        idle: float = IDLE_SECONDS,
    ) -> None:
        self._installed = installed
        self._child = AsyncFrameWorker("vectors", _SECONDS, child, idle=idle)

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        if not self._installed():
            raise EmbeddingExtraMissing
        rows: list[array[float]] = []
        for start in range(0, len(texts), _PORTION):
            rows += await self._ask(texts[start : start + _PORTION], query=query)
        return Vectors(tuple(rows), self.model)

    async def _ask(self, texts: Sequence[str], *, query: bool) -> list[array[float]]:
        asked = json.dumps({"texts": list(texts), "query": query}).encode()
        answer = await self._child.ask(asked)
        if answer is None:
            raise LocalModelStopped if self._child.closed else LocalModelCrashed
        return _read(answer, len(texts))

    async def aclose(self) -> None:
        """Stop the process without waiting for running work. Idempotent."""
        await self._child.aclose()


def _read(answer: bytes, count: int) -> list[array[float]]:
    """Read the answer of the child. Raises LlmError if it is malformed."""
    if answer.startswith(b"{"):
        raise _failure(json.loads(answer))
    (size,) = HEAD_BYTES.unpack_from(answer)
    numbers = array("f")
    numbers.frombytes(answer[HEAD_BYTES.size :])
    if not size or len(numbers) != size * count:
        raise LocalModelCrashed
    return [numbers[at * size : (at + 1) * size] for at in range(count)]


def _failure(reply: dict[str, str]) -> LlmError:
    if reply["failed"] == EXTRA:
        return EmbeddingExtraMissing(reply["reason"])
    return LoadFailed(reply["reason"], file=LOCAL_EMBEDDING_MODEL)
