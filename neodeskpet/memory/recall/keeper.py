"""Keeps the memory as the conversations are, for as long as the person wants."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from neodeskpet.core.errors import StoreError
from neodeskpet.memory.recall.book import MemoryStore
from neodeskpet.memory.recall.follower import MessageIndexer, MessageSource
from neodeskpet.memory.recall.worth import items_from_message
from neodeskpet.memory.recollection import MemoryItem
from neodeskpet.memory.standing import VisibleMessage

_HOUR_SECONDS = 3600.0
_ANNOUNCED_COUNT = 20
"""Of fewer items it isn't said that they go: some do every day."""


class MemoryIndexer:
    """`run` keeps the memory up to date until it is cancelled. `days`: how long the person wants
    things remembered, 0 for ever. `confirmed` tells, of the clock's time, the moment that counts
    for deletions (`seen_days`); None trusts the clock. `announce` hears how many items are too old
    (for so many days) and will be taken out next.
    """

    def __init__(
        self,
        book: MemoryStore,
        conversations: MessageSource,
        *,
        days: Callable[[], int] = lambda: 0,
        now: Callable[[], datetime] = datetime.now,
        confirmed: Callable[[datetime], Awaitable[datetime | None]] | None = None,
    ) -> None:
        self._book = book
        self._days = days
        self.clock = now
        self._confirmed = confirmed
        self._counts: datetime | None = None  # the moment that counts for deletions
        self.announce_expiry: Callable[[int, int], object] = lambda count, days: None
        self.last_written = book.last_written
        self._conversations = conversations
        self._follower = MessageIndexer(self, conversations)
        book.missed.subscribe(self._follower.mark_changed)
        self.catch_up_changes = self._follower.catch_up_changes
        self.compare_all = self._follower.compare_all

    async def run(self) -> None:
        """Catch up, then follow. Ends only when it is cancelled."""
        await self._follower.run(self.catch_up)

    async def catch_up(self, told: Callable[[int], object] = lambda waiting: None) -> None:
        """Compare all there is, and take what differs; `told` hears how many messages wait.
        Raises StoreError.
        """
        await self._look_at_clock()
        await self._follower.catch_up(told)
        await self.delete_expired()
        await self._book.merge_index_segments()

    async def update_messages(self, found: Sequence[VisibleMessage]) -> None:
        """Remember what stands in these messages. Raises StoreError."""
        old = [one.message.id for one in found if self._is_old(one)]
        kept = await self._book.edited_items(old) if old else set()

        def read() -> dict[str, tuple[list[MemoryItem], float]]:
            return {one.message.id: (self._items(one, kept), one.last_written) for one in found}

        await self._book.update_messages(await asyncio.to_thread(read))

    async def delete_messages(self, ids: Sequence[str]) -> None:
        """These stand no more. Raises StoreError."""
        versions = await self._conversations.visible_messages(ids, versions=True)
        await self._book.delete_messages(ids, {one.message.id for one in versions})

    async def delete_expired(self) -> None:
        """Take out what is older than the person wants, if it was so on two days; what will be
        taken out on the next day is announced. Raises StoreError.
        """
        await self._look_at_clock()
        days = self._days()
        if days <= 0:
            return
        if self._counts is not None:
            await self._book.expire(self._counts - timedelta(days=days))
        due = await self._book.count_expired(self.clock() - timedelta(days=days))
        if due >= _ANNOUNCED_COUNT:
            self.announce_expiry(due, days)

    async def run_expiry(self, pause: float = _HOUR_SECONDS) -> None:
        """Look once an hour whether something is too old. Ends only when it is cancelled."""
        while True:
            await asyncio.sleep(pause)
            with suppress(StoreError):
                await self.delete_expired()

    async def _look_at_clock(self) -> None:
        now = self.clock()
        self._counts = now if self._confirmed is None else await self._confirmed(now)

    def _items(self, one: VisibleMessage, kept: Collection[str]) -> list[MemoryItem]:
        """What is older than the person wants isn't taken in again, but for what they pinned or
        corrected.
        """
        said_at = datetime.fromtimestamp(one.message.created)
        items = items_from_message(one.message, one.conversation, said_at)
        return [item for item in items if item.id in kept] if self._is_old(one) else items

    def _is_old(self, one: VisibleMessage) -> bool:
        days = self._days()
        said_at = datetime.fromtimestamp(one.message.created)
        now = self.clock() if self._confirmed is None else self._counts
        return days > 0 and now is not None and said_at < now - timedelta(days=days)
