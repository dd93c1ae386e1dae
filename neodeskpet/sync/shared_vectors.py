"""Syncs vectors, so that a vector made on one computer is not paid for again on another.

The server stores them as little-endian four-byte floats. Each computer searches its own file: no
search waits for the network, and the server needs no extension.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import sys
import time
from array import array
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from neodeskpet.core.errors import StoreError
from neodeskpet.memory.vectors.vector_file import TextEntry
from neodeskpet.memory.vectors.vector_store import VectorStore
from neodeskpet.sync.server_connection import ServerConnection

T = TypeVar("T")

_BATCH_VECTORS = 100
_RECENT_SECONDS = 60.0
"""Seconds during which the computer that wrote a message may still be making its vector."""
_MAX_WAITS, _WAIT_SECONDS = 4, 1.0
"""Attempts to fetch such a vector, and seconds between two of them."""
_MAX_EMPTY_WAITS = 3
"""Unsuccessful waits until it is assumed that the other computers make no vectors."""
_log = logging.getLogger(__name__)


class RunOnServer(Protocol):
    def __call__(self, what: Callable[[ServerConnection], T]) -> Awaitable[T]:
        """Run `what`. Raises StoreError, at once if there is no connection."""
        ...


class SharedVectors:
    """Implements `memory.vectors.vector_indexer.RemoteVectors` with the server. `lately` returns
    those of the messages that others wrote since a time (unix seconds).
    """

    def __init__(
        self,
        ask: RunOnServer,
        local: VectorStore,
        lately: Callable[[Sequence[str], float], Awaitable[set[str]]],
        *,
        turn: float = _WAIT_SECONDS,
    ) -> None:
        self._ask = ask
        self._local = local
        self._lately = lately
        self._turn = turn
        self._vain = 0
        self._in_step = False
        self._wake = asyncio.Event()

    def set_connected(self, in_step: bool) -> None:
        """Set whether the server is connected. On connection, missing vectors are sent."""
        if in_step and not self._in_step:
            self._wake.set()
        self._in_step = in_step

    async def run(self, model: Callable[[], str]) -> None:
        """Send missing vectors of the model that `model` returns, whenever there may be some; ""
        means that no model is set. Ends only when cancelled.
        """
        while True:
            await self._wake.wait()
            await asyncio.sleep(self._turn)
            self._wake.clear()
            made_by = model()
            try:
                if made_by:
                    await self.catch_up(made_by)
            except StoreError as error:  # retried after the next connection
                _log.debug("Vectors can't be sent: %s", error)

    async def fetch(self, model: str, entries: Sequence[TextEntry]) -> Mapping[str, array[float]]:
        """Return those of the vectors that the server has, by id. If another computer is making
        them now, wait for them.
        """
        try:
            length = await self._local.vector_length(model)
            found = await self._find(model, entries, length)
            for _ in range(_MAX_WAITS):
                missing = [entry for entry in entries if entry[0] not in found]
                if not missing or self._vain >= _MAX_EMPTY_WAITS or not await self._coming(missing):
                    break
                await asyncio.sleep(self._turn)
                more = await self._find(model, missing, length)
                self._vain = 0 if more else self._vain
                found |= more
            else:
                self._vain += 1
        except StoreError as error:
            _log.debug("Vectors can't be fetched: %s", error)
            return {}
        return found

    async def store(
        self, model: str, entries: Sequence[TextEntry], rows: Sequence[array[float]]
    ) -> None:
        """Send new vectors. Those that the server doesn't accept now (it may not have the message
        yet) are sent by `run`.
        """
        try:
            taken = await self._put(model, list(zip(entries, rows, strict=True)))
        except StoreError as error:
            _log.debug("Vectors can't be sent: %s", error)
            return
        if taken < len(entries):
            self._wake.set()

    async def catch_up(self, model: str) -> int:
        """Send the vectors that the server lacks and return their number. Raises StoreError. A
        checksum shows whether it lacks any.
        """
        here = {
            one: mark
            for one, mark in (await self._local.list_marks(model)).items()
            if _is_storable(one)
        }
        if await self._ask(lambda server: server.vector_checksum(model)) == checksum_of(
            here.items()
        ):
            return 0
        there = set(await self._ask(lambda server: server.vector_marks(model)))
        missing = [entry for entry in here.items() if entry not in there]
        for start in range(0, len(missing), _BATCH_VECTORS):
            batch = missing[start : start + _BATCH_VECTORS]
            rows = await self._local.get(model, [one for one, _ in batch])
            await self._put(model, [(entry, rows[entry[0]]) for entry in batch if entry[0] in rows])
        return len(missing)

    async def _find(
        self, model: str, entries: Sequence[TextEntry], length: int
    ) -> dict[str, array[float]]:
        asked = [entry for entry in entries if _is_storable(entry[0])]
        found = await self._ask(lambda server: server.vectors(model, asked))
        rows = {one: _vector_from_bytes(data) for one, data in found.items()}
        length = length or len(next(iter(rows.values()), ()))
        return {one: row for one, row in rows.items() if len(row) == length > 0}

    async def _put(self, model: str, made: Sequence[tuple[TextEntry, array[float]]]) -> int:
        rows = [
            (one, mark, _vector_to_bytes(row)) for (one, mark), row in made if _is_storable(one)
        ]
        return await self._ask(lambda server: server.put_vectors(model, rows)) if rows else 0

    async def _coming(self, entries: Sequence[TextEntry]) -> bool:
        messages = [name for one, _ in entries for name in (one, one.rpartition("/")[0]) if name]
        return bool(await self._lately(messages, time.time() - _RECENT_SECONDS))


def checksum_of(entries: Iterable[TextEntry]) -> tuple[int, int]:
    """Return the number of entries, and a checksum that changes with any of them."""
    count = total = 0
    for one, mark in entries:
        count += 1
        digest = hashlib.md5(f"{one} {mark}".encode(), usedforsecurity=False)
        total += int(digest.hexdigest()[:12], 16)
    return count, total


def _is_storable(one: str) -> bool:
    """Return whether PostgreSQL can store the text: it must not contain NUL."""
    return "\0" not in one


def _vector_from_bytes(data: bytes) -> array[float]:
    row = array("f")
    if len(data) % row.itemsize == 0:
        row.frombytes(data)
    if sys.byteorder == "big":
        row.byteswap()
    return row


def _vector_to_bytes(row: array[float]) -> bytes:
    if sys.byteorder == "big":
        row = array("f", row)
        row.byteswap()
    return row.tobytes()
