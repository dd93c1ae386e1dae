"""Keeps the memory as the conversations are, for as long as the person wants."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta

from neodeskpet.memory.recall.book import MemoryBook
from neodeskpet.memory.recall.follower import Conversations, Follower
from neodeskpet.memory.recall.worth import items_of
from neodeskpet.memory.recollection import Item
from neodeskpet.memory.standing import Standing


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
        self._days = days
        self.now = now
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
        """Take out what is older than the person wants. Raises StoreError."""
        days = self._days()
        if days > 0:
            await self._book.expire(self.now() - timedelta(days=days))

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
        return days > 0 and said_at < self.now() - timedelta(days=days)
