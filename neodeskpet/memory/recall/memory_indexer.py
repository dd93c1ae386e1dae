"""Keeps the memory up to date with the conversations, in the background and after a crash.

It compares all at the start and follows changes from then on; it also selects what is worth
keeping, and deletes what is too old or forgotten.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from typing import Protocol

from neodeskpet.core.blocks import Message, Role, Text, ToolStatus, ToolUse
from neodeskpet.core.errors import StoreError
from neodeskpet.core.untrusted import escape_markers
from neodeskpet.memory.recall.memory_store import MemoryStore
from neodeskpet.memory.recall.recall_types import ItemSide, MemoryItem
from neodeskpet.memory.recall.text_terms import MAX_CHARACTERS
from neodeskpet.storage.visible_messages import VisibleMessage

SEEN_DAYS_KEY = "days_seen"
_MAX_DAYS = 4


class StateStore(Protocol):
    """Coroutines raise StoreError."""

    async def get_state(self, key: str) -> str | None: ...

    async def set_state(self, key: str, value: str | None) -> None: ...


class SeenDays:
    def __init__(self, store: StateStore) -> None:
        self._store = store

    async def confirmed_moment(self, now: datetime) -> datetime | None:
        """Note that the clock says `now`; the moment that counts for deletions, None if there was
        only one day so far. Days after `now` were a wrong clock's, or this one is: they don't count
        any more. Raises StoreError.
        """
        today = now.date()
        known = _parse_days(await self._store.get_state(SEEN_DAYS_KEY))
        days = sorted({*(day for day in known if day <= today), today})[-_MAX_DAYS:]
        if days != known:
            await self._store.set_state(
                SEEN_DAYS_KEY, json.dumps([day.isoformat() for day in days])
            )
        return datetime.combine(days[-2], now.time()) if len(days) > 1 else None


def _parse_days(kept: str | None) -> list[date]:
    try:
        read = json.loads(kept) if kept else []
        return [date.fromisoformat(str(one)) for one in read]
    except (ValueError, TypeError):
        return []


class DeletableMessages(Protocol):
    async def delete_messages(self, ids: Sequence[str]) -> list[str]:
        """For good; the ids of all that went. Raises StoreError."""
        ...


async def forget_items(
    book: MemoryStore, messages: DeletableMessages, ids: Sequence[str]
) -> list[str]:
    """Forget the items (or messages) of these ids, and the messages that they are from: one of the
    person's with its answers. The ids of all that went. Raises StoreError.
    """
    named = [item.message or item.id for item in await book.get(ids)]
    gone = await messages.delete_messages([*dict.fromkeys([*ids, *named])])
    known = await book.delete([*dict.fromkeys([*ids, *gone])])
    return [*dict.fromkeys([*gone, *known])]


MAX_RESULT = 6000
"""Characters of a tool's result that are kept; what is longer lies in its source."""
_MIN_RESULT = 40
_SKIPPED_TOOLS = ("live2d.", "time.", "timer.", "note.", "calc.", "tools.", "output.", "memory.")
"""Tools whose results are of the moment, or are kept elsewhere."""
_WORD = re.compile(r"[^\W_]|[\u2600-\u27bf\U0001f300-\U0001faff]")

USER_SPEAKER, ASSISTANT_SPEAKER = "user", "assistant"


def items_from_message(message: Message, conversation: str, said_at: datetime) -> list[MemoryItem]:
    """What of `message`, which was said at `said_at` by the clock on the wall, is kept."""
    items: list[MemoryItem] = []
    said = "\n".join(block.text for block in message.blocks if isinstance(block, Text)).strip()
    if _WORD.search(said, 0, MAX_CHARACTERS):
        person = message.role is Role.USER
        speaker, side = (
            (USER_SPEAKER, ItemSide.PERSON) if person else (ASSISTANT_SPEAKER, ItemSide.COMPANION)
        )
        read = any(block.untrusted for block in message.blocks if isinstance(block, Text))
        items.append(
            MemoryItem(
                message.id,
                speaker,
                side,
                said_at,
                said,
                message.id,
                conversation,
                untrusted=read,
            )
        )
    items.extend(
        MemoryItem(
            f"{message.id}/{block.index}",
            block.name,
            ItemSide.TOOL,
            said_at,
            escape_markers(block.output[:MAX_RESULT]),
            message.id,
            conversation,
            untrusted=True,
        )
        for block in _tool_results(message)
    )
    return items


def _tool_results(message: Message) -> Iterator[ToolUse]:
    for block in message.blocks:
        if not isinstance(block, ToolUse) or block.status is not ToolStatus.SUCCESS:
            continue
        if block.name.startswith(_SKIPPED_TOOLS) or len(block.output) < _MIN_RESULT:
            continue
        if _WORD.search(block.output):
            yield block


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


_HOUR_SECONDS = 3600.0
_ANNOUNCED_COUNT = 20
"""Of fewer items it isn't said that they go: some do every day."""


class MemoryIndexer:
    """`run` keeps the memory up to date until it is cancelled. `days`: how long items are kept, 0
    for no limit. `confirmed` gives, for the time of the clock, the moment that counts for deletions
    (see `SeenDays`); None trusts the clock. `announce_expiry` gets how many items are older than
    that many days and will be deleted next.
    """

    def __init__(
        self,
        book: MemoryStore,
        conversations: MessageSource,
        *,
        days: Callable[[], int] = lambda: 0,
        now: Callable[[], datetime] = datetime.now,
        confirmed: Callable[[datetime], Awaitable[datetime | None]] | None = None,
        announce_expiry: Callable[[int, int], object] = lambda count, days: None,
    ) -> None:
        self._book = book
        self._days = days
        self.clock = now
        self._confirmed = confirmed
        self._counts: datetime | None = None  # the moment that counts for deletions
        self._announce_expiry = announce_expiry
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
            self._announce_expiry(due, days)

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
