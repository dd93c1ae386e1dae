"""Keeps the memory up to date with the conversations, in the background and after a crash.

It compares everything at the start and then follows changes. It selects the texts worth
remembering, and deletes expired or forgotten items.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Sequence,
)
from contextlib import AbstractAsyncContextManager, suppress
from datetime import date, datetime, timedelta
from itertools import islice
from typing import Protocol

from neodeskpet.core.blocks import Message, Role, Text, ToolStatus, ToolUse
from neodeskpet.core.errors import StoreError
from neodeskpet.core.untrusted import escape_markers
from neodeskpet.memory.recall.memory_store import MemoryStore
from neodeskpet.memory.recall.recall_types import ItemSide, MemoryItem
from neodeskpet.memory.recall.text_terms import MAX_CHARACTERS
from neodeskpet.storage.visible_messages import LastWrite, VisibleMessage

SEEN_DAYS_KEY = "days_seen"
_MAX_DAYS = 4


class StateStore(Protocol):
    """Stores the days on which the app ran. Coroutines raise StoreError."""

    async def get_state(self, key: str) -> str | None: ...

    async def set_state(self, key: str, value: str | None) -> None: ...


class SeenDays:
    def __init__(self, store: StateStore) -> None:
        self._store = store

    async def confirmed_moment(self, now: datetime) -> datetime | None:
        """Record the clock's `now`. Return the time that counts for deletions, None if only one day
        was seen so far. Days after `now` came from a wrong clock (or this one is wrong) and are
        ignored. Raises StoreError.
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
        """Delete messages permanently; return the ids of all deleted ones. Raises StoreError."""
        ...


async def forget_items(
    memory: MemoryStore, messages: DeletableMessages, ids: Sequence[str]
) -> list[str]:
    """Forget the items (or messages) of these ids with their messages; a user message goes with its
    replies. Returns the ids of all deleted ones. Raises StoreError.
    """
    named = [item.message or item.id for item in await memory.get(ids)]
    gone = await messages.delete_messages([*dict.fromkeys([*ids, *named])])
    known = await memory.delete([*dict.fromkeys([*ids, *gone])])
    return [*dict.fromkeys([*gone, *known])]


MAX_RESULT = 6000
"""Characters of a tool result that are remembered; the rest remains in its source."""
_MIN_RESULT = 40
_SKIPPED_TOOLS = ("live2d.", "time.", "timer.", "note.", "calc.", "tools.", "output.", "memory.")
"""Tools whose results are temporary, or stored elsewhere."""
_WORD = re.compile(r"[^\W_]|[\u2600-\u27bf\U0001f300-\U0001faff]")

USER_SPEAKER, ASSISTANT_SPEAKER = "user", "assistant"


def items_from_message(message: Message, conversation: str, said_at: datetime) -> list[MemoryItem]:
    """Return the items of `message`, said at `said_at` (local clock time)."""
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
"""Messages in the first batch, when their length isn't known yet."""
_BULK_MESSAGES, _BULK_BATCH = 5_000, 1_000
"""Messages from which on they are indexed in bulk, and messages of a batch then."""
_BATCH_CHARACTERS = 1_000_000
"""Approximate characters of a batch: 200 messages may have 200 megabytes."""


class MessageSource(Protocol):
    """The interface to the conversation store. Coroutines raise StoreError."""

    async def visible_messages(
        self, ids: Sequence[str], *, versions: bool = False
    ) -> list[VisibleMessage]: ...

    async def last_written(
        self, *, after: int = 0, most: int = 1_000, versions: bool = False
    ) -> list[LastWrite]: ...

    def subscribe(self, observer: Callable[[Sequence[str]], object]) -> Callable[[], None]: ...


class MessageIndex(Protocol):
    """An index of messages. Coroutines raise StoreError."""

    async def last_written(self, ids: Sequence[str] | None = None) -> dict[str, float]:
        """Return the last write time of these indexed messages (None: of all) at indexing time, by
        id.
        """
        ...

    async def count_indexed(self) -> int:
        """Return how many messages are indexed."""
        ...

    async def update_messages(self, found: Sequence[VisibleMessage]) -> None:
        """Index these messages in their present form."""
        ...

    async def delete_messages(self, ids: Sequence[str]) -> None:
        """Remove messages that no longer exist."""
        ...

    def bulk_update(self) -> AbstractAsyncContextManager[None]:
        """Return a block in which many messages are indexed."""
        ...


class MessageIndexer:
    """`run` keeps the index `keeping` up to date until it is cancelled; with `versions` it includes
    messages of other versions. `batch` is the highest number of messages at once, the latest first;
    fewer if they are long.
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
        self._total = 0
        conversations.subscribe(self.mark_changed)

    @property
    def is_behind(self) -> bool:
        """Whether some messages are not indexed yet."""
        return not self._compared or bool(self._waiting) or self._working.locked()

    @property
    def progress(self) -> tuple[int, int] | None:
        """How many of the messages to index are done; (0, 0) before their number is known, None
        when nothing is left.
        """
        return (self._total - len(self._waiting), self._total) if self.is_behind else None

    async def run(self, catch_up: Callable[[], Awaitable[None]] | None = None) -> None:
        """Catch up (with `catch_up`, if given), then follow changes. Ends only by cancellation."""
        catch_up = catch_up or self.catch_up
        await self._try(catch_up)
        while True:
            await self._wake.wait()
            await self._try(self.catch_up_changes if self._compared else catch_up)

    def compare_all(self) -> None:
        """Make `run` compare everything again: the index may have been lost."""
        self._compared = False
        self._wake.set()

    async def catch_up(self, report: Callable[[int], object] = lambda waiting: None) -> None:
        """Compare everything and index the differences; `report` gets the number of waiting
        messages. Raises StoreError.
        """
        # In parts: the ids and times of 100,000 messages would take 40 MB, which Python's allocator
        # doesn't return afterwards.
        changed, known = [], 0
        async for part in self._last_writes():
            seen = await self._keeping.last_written([one.id for one in part])
            changed += [one.id for one in part if seen.get(one.id) != one.time]
            known += len(seen)
        if known < await self._keeping.count_indexed():
            await self._mark_missing()
        self.mark_changed(changed)
        if len(self._waiting) < _BULK_MESSAGES:
            await self.catch_up_changes(report)
        else:
            async with self._keeping.bulk_update():
                await self.catch_up_changes(report, batch=_BULK_BATCH)
        self._compared = True

    async def _last_writes(self) -> AsyncIterator[list[LastWrite]]:
        """Yield when each message was last written, in parts."""
        after = 0
        while part := await self._conversations.last_written(after=after, versions=self._versions):
            yield part
            after = part[-1].number

    async def _mark_missing(self) -> None:
        """Queue the indexed messages that no longer exist, to remove them."""
        indexed = await self._keeping.last_written()
        async for part in self._last_writes():
            for one in part:
                indexed.pop(one.id, None)
        self.mark_changed(indexed)

    async def catch_up_changes(
        self,
        report: Callable[[int], object] = lambda waiting: None,
        *,
        batch: int | None = None,
    ) -> None:
        """Index changed messages, at most `batch` at once; `report` gets the number of waiting
        messages. Raises StoreError; failed messages wait again, also those of a cancelled call.
        """
        async with self._working:
            self._wake.clear()
            self._total = len(self._waiting)
            while self._waiting:
                self._total = max(self._total, len(self._waiting))
                report(len(self._waiting))
                latest = list(islice(reversed(self._waiting), self._share))[::-1]
                for one in latest:
                    del self._waiting[one]
                try:
                    await self._take(latest, batch or self._batch)
                except (StoreError, asyncio.CancelledError):
                    self._waiting |= dict.fromkeys(latest)
                    raise

    async def _take(self, ids: Sequence[str], most: int) -> None:
        found = await self._conversations.visible_messages(ids, versions=self._versions)
        letters = sum(
            len(block.text)
            for one in found
            for block in one.message.blocks
            if isinstance(block, Text)
        )
        fitting = _BATCH_CHARACTERS * len(ids) // max(letters, 1)
        self._share = max(1, min(most, 2 * self._share, fitting))
        there = {one.message.id for one in found}
        gone = [one for one in ids if one not in there]
        if found:
            await self._keeping.update_messages(found)
        if gone:
            await self._keeping.delete_messages(gone)

    def mark_changed(self, ids: Iterable[str]) -> None:
        """Queue these messages."""
        self._waiting |= dict.fromkeys(ids)
        if self._waiting:
            self._wake.set()

    async def _try(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except StoreError as error:
            _log.warning("Indexing of the conversations failed; retry later: %s", error)
            await asyncio.sleep(5)


_HOUR_SECONDS = 3600.0
_ANNOUNCED_COUNT = 20
"""The expiry of fewer items isn't announced: some expire every day."""


class MemoryIndexer:
    """`run` keeps the memory up to date until it is cancelled. `days` returns how long items are
    kept, 0 for no limit. `confirmed` returns for a clock time the time that counts for deletions
    (see `SeenDays`); None trusts the clock. `announce_expiry` gets how many items are older than
    that many days and will be deleted next.
    """

    def __init__(
        self,
        memory: MemoryStore,
        conversations: MessageSource,
        *,
        days: Callable[[], int] = lambda: 0,
        now: Callable[[], datetime] = datetime.now,
        confirmed: Callable[[datetime], Awaitable[datetime | None]] | None = None,
        announce_expiry: Callable[[int, int], object] = lambda count, days: None,
    ) -> None:
        self._memory = memory
        self._days = days
        self.clock = now
        self._confirmed = confirmed
        self._counts: datetime | None = None  # the time that counts for deletions
        self._announce_expiry = announce_expiry
        self.last_written = memory.last_written
        self.count_indexed = memory.count_indexed
        self._conversations = conversations
        self._follower = MessageIndexer(self, conversations)
        memory.missed.subscribe(self._follower.mark_changed)
        self.catch_up_changes = self._follower.catch_up_changes
        self.compare_all = self._follower.compare_all

    async def run(self) -> None:
        """Catch up, then follow changes. Ends only by cancellation."""
        await self._follower.run(self.catch_up)

    async def catch_up(self, report: Callable[[int], object] = lambda waiting: None) -> None:
        """Compare everything and index the differences; `report` gets the number of waiting
        messages. Raises StoreError.
        """
        await self._look_at_clock()
        await self._follower.catch_up(report)
        await self.delete_expired()
        await self._memory.merge_index_segments()

    async def update_messages(self, found: Sequence[VisibleMessage]) -> None:
        """Remember the content of these messages. Raises StoreError."""
        old = [one.message.id for one in found if self._is_old(one)]
        kept = await self._memory.edited_items(old) if old else set()

        def read() -> dict[str, tuple[list[MemoryItem], float]]:
            return {one.message.id: (self._items(one, kept), one.last_written) for one in found}

        await self._memory.update_messages(await asyncio.to_thread(read))

    def bulk_update(self) -> AbstractAsyncContextManager[None]:
        """Return a block in which many messages are indexed."""
        return self._memory.bulk_update()

    async def delete_messages(self, ids: Sequence[str]) -> None:
        """Remove messages that no longer exist. Raises StoreError."""
        versions = await self._conversations.visible_messages(ids, versions=True)
        await self._memory.delete_messages(ids, {one.message.id for one in versions})

    async def delete_expired(self) -> None:
        """Delete items that are older than the user's limit, if that was so on two days; items for
        the next day are announced. Raises StoreError.
        """
        await self._look_at_clock()
        days = self._days()
        if days <= 0:
            return
        if self._counts is not None:
            await self._memory.expire(self._counts - timedelta(days=days))
        due = await self._memory.count_expired(self.clock() - timedelta(days=days))
        if due >= _ANNOUNCED_COUNT:
            self._announce_expiry(due, days)

    async def run_expiry(self, pause: float = _HOUR_SECONDS) -> None:
        """Check for expired items once an hour. Ends only by cancellation."""
        while True:
            await asyncio.sleep(pause)
            with suppress(StoreError):
                await self.delete_expired()

    async def _look_at_clock(self) -> None:
        now = self.clock()
        self._counts = now if self._confirmed is None else await self._confirmed(now)

    def _items(self, one: VisibleMessage, kept: Collection[str]) -> list[MemoryItem]:
        """Return the items of a message. Items beyond the user's time limit are left out, except
        pinned or corrected ones.
        """
        said_at = datetime.fromtimestamp(one.message.created)
        items = items_from_message(one.message, one.conversation, said_at)
        return [item for item in items if item.id in kept] if self._is_old(one) else items

    def _is_old(self, one: VisibleMessage) -> bool:
        days = self._days()
        said_at = datetime.fromtimestamp(one.message.created)
        now = self.clock() if self._confirmed is None else self._counts
        return days > 0 and now is not None and said_at < now - timedelta(days=days)
