"""Keeps the memory as the conversations are: behind the person's back, and after any crash.

At the start it compares what stands in the conversations with what the memory has seen; from then
on it is told which messages changed. One rule holds for all of them: what stands is in the memory
as it stands, and nothing else is.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from neodeskpet.core.errors import StoreError
from neodeskpet.memory.recall.book import MemoryBook
from neodeskpet.memory.recall.worth import items_of
from neodeskpet.memory.recollection import Item
from neodeskpet.memory.standing import Standing

_log = logging.getLogger(__name__)
_BATCH = 200


class Conversations(Protocol):
    """What is asked of the store of the conversations. Coroutines raise StoreError."""

    async def standing(self, ids: Sequence[str]) -> list[Standing]: ...

    async def marks(self) -> dict[str, float]: ...

    def observe(self, hear: Callable[[Sequence[str]], object]) -> Callable[[], None]: ...


class MemoryKeeper:
    """`run` keeps the memory up to date until it is cancelled. `days`: how long the person wants
    things remembered, 0 for ever.
    """

    def __init__(
        self,
        book: MemoryBook,
        conversations: Conversations,
        *,
        days: Callable[[], int] = lambda: 0,
        now: Callable[[], datetime] = datetime.now,
    ) -> None:
        self._book = book
        self._conversations = conversations
        self._days = days
        self.now = now
        self._waiting: dict[str, None] = {}
        self._wake = asyncio.Event()
        self._working = asyncio.Lock()
        conversations.observe(self._note)

    async def run(self) -> None:
        """Catch up, then follow. Ends only when it is cancelled."""
        await self._try(self.catch_up)
        while True:
            await self._wake.wait()
            await self._try(self.settle)

    async def catch_up(self) -> None:
        """Compare all there is, and take what differs. Raises StoreError."""
        stands, seen = await self._conversations.marks(), await self._book.marks()
        self._note([one for one, touched in stands.items() if seen.get(one) != touched])
        self._note([one for one in seen if one not in stands])
        await self.settle()
        await self.expire()

    async def settle(self) -> None:
        """Take what has changed. Raises StoreError; what couldn't be taken then waits again."""
        async with self._working:
            self._wake.clear()
            while self._waiting:
                batch = list(self._waiting)[:_BATCH]
                for one in batch:
                    del self._waiting[one]
                try:
                    await self._take(batch)
                except StoreError:
                    self._waiting |= dict.fromkeys(batch)
                    raise

    async def expire(self) -> None:
        """Take out what is older than the person wants. Raises StoreError."""
        days = self._days()
        if days > 0:
            await self._book.expire(self.now() - timedelta(days=days))

    async def _take(self, ids: Sequence[str]) -> None:
        found = await self._conversations.standing(ids)
        there = {one.message.id: (self._items(one), one.touched) for one in found}
        gone = [one for one in ids if one not in there]
        if there:
            await self._book.put_messages(there)
        if gone:
            await self._book.drop_messages(gone)

    def _items(self, one: Standing) -> list[Item]:
        """What is older than the person wants isn't taken in again."""
        said_at = datetime.fromtimestamp(one.message.created)
        days = self._days()
        if days > 0 and said_at < self.now() - timedelta(days=days):
            return []
        return items_of(one.message, one.conversation, said_at)

    def _note(self, ids: Iterable[str]) -> None:
        self._waiting |= dict.fromkeys(ids)
        if self._waiting:
            self._wake.set()

    async def _try(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except StoreError as error:
            _log.warning("The memory waits: %s", error)
            await asyncio.sleep(5)
