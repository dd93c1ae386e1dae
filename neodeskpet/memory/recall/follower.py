"""Keeps something as the conversations are: behind the person's back, and after any crash.

At the start it compares what stands in the conversations with what was seen of them; from then on
it is told which messages changed. One rule holds for all of them: what stands is kept as it stands,
and nothing else is.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Protocol

from neodeskpet.core.blocks import Text
from neodeskpet.core.errors import StoreError
from neodeskpet.memory.standing import VisibleMessage

_log = logging.getLogger(__name__)
_BATCH_MESSAGES = 200
_FIRST_BATCH = 10
"""Messages that are taken first: nobody knows yet how long they are."""
_BATCH_CHARACTERS = 1_000_000
"""Of the texts that are taken at once, about: 200 messages may be 200 megabytes."""


class MessageSource(Protocol):
    """What is asked of the store of the conversations. Coroutines raise StoreError."""

    async def visible_messages(
        self, ids: Sequence[str], *, versions: bool = False
    ) -> list[VisibleMessage]: ...

    async def last_written(self, *, versions: bool = False) -> dict[str, float]: ...

    def subscribe(self, hear: Callable[[Sequence[str]], object]) -> Callable[[], None]: ...


class MessageIndex(Protocol):
    """What is kept of messages. Coroutines raise StoreError."""

    async def last_written(self) -> dict[str, float]:
        """When each message that was looked at was last written then, by its id."""
        ...

    async def update_messages(self, found: Sequence[VisibleMessage]) -> None:
        """Keep these as they stand now."""
        ...

    async def delete_messages(self, ids: Sequence[str]) -> None:
        """These are there no more."""
        ...


class MessageIndexer:
    """`run` keeps `keeping` up to date until it is cancelled; with `versions` it holds messages of
    other versions too. `batch`: so many are taken at once at most, the latest first; fewer where
    they are long.
    """

    def __init__(
        self,
        keeping: MessageIndex,
        conversations: MessageSource,
        *,
        versions: bool = False,
        batch: int = _BATCH_MESSAGES,
    ) -> None:
        self._keeping = keeping
        self._conversations = conversations
        self._versions = versions
        self._batch = batch
        self._share = min(batch, _FIRST_BATCH)
        self._waiting: dict[str, None] = {}
        self._wake = asyncio.Event()
        self._working = asyncio.Lock()
        self._compared = False
        conversations.subscribe(self.mark_changed)

    @property
    def is_behind(self) -> bool:
        """Whether something that stands isn't kept yet."""
        return not self._compared or bool(self._waiting) or self._working.locked()

    async def run(self, catch_up: Callable[[], Awaitable[None]] | None = None) -> None:
        """Catch up (in this way, if one is given), then follow. Ends only when it is cancelled."""
        catch_up = catch_up or self.catch_up
        await self._try(catch_up)
        while True:
            await self._wake.wait()
            await self._try(self.catch_up_changes if self._compared else catch_up)

    def compare_all(self) -> None:
        """What was kept may be lost: have `run` compare all there is once more."""
        self._compared = False
        self._wake.set()

    async def catch_up(self, told: Callable[[int], object] = lambda waiting: None) -> None:
        """Compare all there is, and take what differs; `told` hears how many messages wait.
        Raises StoreError.
        """
        stands = await self._conversations.last_written(versions=self._versions)
        seen = await self._keeping.last_written()
        self.mark_changed([one for one in seen if one not in stands])
        self.mark_changed([one for one, touched in stands.items() if seen.get(one) != touched])
        await self.catch_up_changes(told)
        self._compared = True

    async def catch_up_changes(self, told: Callable[[int], object] = lambda waiting: None) -> None:
        """Take what has changed; `told` hears how many messages wait. Raises StoreError; what
        couldn't be taken then waits again.
        """
        async with self._working:
            self._wake.clear()
            while self._waiting:
                told(len(self._waiting))
                batch = list(self._waiting)[-self._share :]
                for one in batch:
                    del self._waiting[one]
                try:
                    await self._take(batch)
                except StoreError:
                    self._waiting |= dict.fromkeys(batch)
                    raise

    async def _take(self, ids: Sequence[str]) -> None:
        found = await self._conversations.visible_messages(ids, versions=self._versions)
        letters = sum(
            len(block.text)
            for one in found
            for block in one.message.blocks
            if isinstance(block, Text)
        )
        fitting = _BATCH_CHARACTERS * len(ids) // max(letters, 1)
        self._share = max(1, min(self._batch, 2 * self._share, fitting))
        there = {one.message.id for one in found}
        gone = [one for one in ids if one not in there]
        if found:
            await self._keeping.update_messages(found)
        if gone:
            await self._keeping.delete_messages(gone)

    def mark_changed(self, ids: Iterable[str]) -> None:
        """These messages are to be looked at."""
        self._waiting |= dict.fromkeys(ids)
        if self._waiting:
            self._wake.set()

    async def _try(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except StoreError as error:
            _log.warning("What follows the conversations waits: %s", error)
            await asyncio.sleep(5)
