"""Keeps the memory as the conversations are, for as long as the person wants."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from neodeskpet.core.errors import StoreError
from neodeskpet.memory.recall.book import MemoryBook
from neodeskpet.memory.recall.follower import Conversations, Follower
from neodeskpet.memory.recall.worth import items_of
from neodeskpet.memory.recollection import Item
from neodeskpet.memory.standing import Standing

_HOUR = 3600.0
_MANY = 20
"""Of fewer items it isn't said that they go: some do every day."""


class MemoryKeeper:
    """`run` keeps the memory up to date until it is cancelled. `days`: how long the person wants
    things remembered, 0 for ever. `confirmed` tells, of the clock's time, the moment that counts
    for deletions (`seen_days`); None trusts the clock. `announce` hears how many items are too old
    (for so many days) and will be taken out next.
    """

    def __init__(
        self,
        book: MemoryBook,
        conversations: Conversations,
        *,
        days: Callable[[], int] = lambda: 0,
        now: Callable[[], datetime] = datetime.now,
        confirmed: Callable[[datetime], Awaitable[datetime | None]] | None = None,
    ) -> None:
        self._book = book
        self._days = days
        self.now = now
        self._confirmed = confirmed
        self._counts: datetime | None = None  # the moment that counts for deletions
        self.announce: Callable[[int, int], object] = lambda count, days: None
        self.marks = book.marks
        self._conversations = conversations
        self._follower = Follower(self, conversations)
        book.missed.add(self._follower.note)
        self.settle = self._follower.settle
        self.look_again = self._follower.look_again

    async def run(self) -> None:
        """Catch up, then follow. Ends only when it is cancelled."""
        await self._follower.run(self.catch_up)

    async def catch_up(self, told: Callable[[int], object] = lambda waiting: None) -> None:
        """Compare all there is, and take what differs; `told` hears how many messages wait.
        Raises StoreError.
        """
        await self._look_at_clock()
        await self._follower.catch_up(told)
        await self.expire()
        await self._book.join_parts()

    async def take(self, found: Sequence[Standing]) -> None:
        """Remember what stands in these messages. Raises StoreError."""
        old = [one.message.id for one in found if self._is_old(one)]
        kept = await self._book.kept_in(old) if old else set()

        def read() -> dict[str, tuple[list[Item], float]]:
            return {one.message.id: (self._items(one, kept), one.touched) for one in found}

        await self._book.put_messages(await asyncio.to_thread(read))

    async def drop_messages(self, ids: Sequence[str]) -> None:
        """These stand no more. Raises StoreError."""
        versions = await self._conversations.standing(ids, versions=True)
        await self._book.drop_messages(ids, {one.message.id for one in versions})

    async def expire(self) -> None:
        """Take out what is older than the person wants, if it was so on two days; what will be
        taken out on the next day is announced. Raises StoreError.
        """
        await self._look_at_clock()
        days = self._days()
        if days <= 0:
            return
        if self._counts is not None:
            await self._book.expire(self._counts - timedelta(days=days))
        due = await self._book.count_before(self.now() - timedelta(days=days))
        if due >= _MANY:
            self.announce(due, days)

    async def run_daily(self, pause: float = _HOUR) -> None:
        """Look once an hour whether something is too old. Ends only when it is cancelled."""
        while True:
            await asyncio.sleep(pause)
            with suppress(StoreError):
                await self.expire()

    async def _look_at_clock(self) -> None:
        now = self.now()
        self._counts = now if self._confirmed is None else await self._confirmed(now)

    def _items(self, one: Standing, kept: Collection[str]) -> list[Item]:
        """What is older than the person wants isn't taken in again, but for what they pinned or
        corrected.
        """
        said_at = datetime.fromtimestamp(one.message.created)
        items = items_of(one.message, one.conversation, said_at)
        return [item for item in items if item.id in kept] if self._is_old(one) else items

    def _is_old(self, one: Standing) -> bool:
        days = self._days()
        said_at = datetime.fromtimestamp(one.message.created)
        now = self.now() if self._confirmed is None else self._counts
        return days > 0 and now is not None and said_at < now - timedelta(days=days)
