"""Timers: they ring while the app runs, survive a restart, and those missed are told.

A timer stays in the book until somebody answered it: what rang when nobody was there, or when the
app died, is told again at the next start.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol

from neodeskpet.core.errors import StoreError
from neodeskpet.core.labels import DataSource
from neodeskpet.observers import Observers
from neodeskpet.timers.repeat import Repeat, first_due, next_due

_log = logging.getLogger(__name__)

MOST_TIMERS = 200
_LONGEST_SLEEP = 30.0
"""Seconds. The loop's clock stands still while the computer sleeps, and another process may set a
timer, so clock and store are looked at again that often.
"""
_GRACE = 60.0
"""Seconds after which a timer counts as missed rather than ringing."""


@dataclass(frozen=True, slots=True)
class Timer:
    """Times are unix seconds. `missed`: its time passed while the app was closed or asleep.
    `untrusted` are the untrusted sources of its label.
    """

    id: str
    due: float
    label: str
    set_at: float
    repeat: Repeat = Repeat.ONCE
    missed: bool = False
    untrusted: tuple[DataSource, ...] = ()


class TimerStore(Protocol):
    """Where timers outlive the app. All coroutines raise StoreError."""

    async def load(self) -> list[Timer]: ...

    async def add(self, timer: Timer) -> Timer:
        """Keep it, under its id if that is free and not "", else under a new one."""
        ...

    async def update(self, timer: Timer) -> bool:
        """Put it in place of the one of its id; False if there is none."""
        ...

    async def delete(self, timer_id: str) -> bool: ...


class TimersInMemory:
    """The store for tests and for a run that leaves nothing behind."""

    def __init__(self, timers: Sequence[Timer] = ()) -> None:
        self.kept = {timer.id: timer for timer in timers}

    async def load(self) -> list[Timer]:
        return list(self.kept.values())

    async def add(self, timer: Timer) -> Timer:
        if not timer.id or timer.id in self.kept:
            taken = (int(one[1:]) for one in self.kept if one[1:].isdecimal())
            timer = replace(timer, id=f"t{max(taken, default=0) + 1}")
        self.kept[timer.id] = timer
        return timer

    async def update(self, timer: Timer) -> bool:
        there = timer.id in self.kept
        if there:
            self.kept[timer.id] = timer
        return there

    async def delete(self, timer_id: str) -> bool:
        return self.kept.pop(timer_id, None) is not None


class TimerService:
    """All timers; used on the loop's thread. While it runs, `ring` is called once for each timer:
    when it is due or, marked as missed, when the app sees that it was. It rings until `finish`,
    `snooze`, `cancel` or `change`.

    The store is the truth and is read anew each time, so that a timer set from a terminal rings in
    the window. A book that doesn't run keeps timers and rings none. Coroutines raise StoreError.

    `before` is awaited before each look of a book that runs: it puts into the store what is due by
    other rules, and gives the moment of the next of those (None for none).
    """

    def __init__(
        self,
        store: TimerStore,
        ring: Callable[[Timer], None],
        *,
        clock: Callable[[], float] = time.time,
        before: Callable[[], Awaitable[float | None]] | None = None,
    ) -> None:
        self._store = store
        self._before = before
        self._ring = ring
        self._clock = clock
        self.looked = asyncio.Event()
        """Set when it runs and all that was missed has been told."""
        self._woken = asyncio.Event()
        self._rung: set[tuple[str, float]] = set()  # by id and time
        self._changed: Observers[[]] = Observers()
        self._answered: Observers[[Timer]] = Observers()
        self._seen: list[Timer] = []  # as `run` saw them last

    async def timers(self) -> list[Timer]:
        """Those that are to ring and those that nobody has answered yet, the next first."""
        return sorted(await self._store.load(), key=lambda timer: (timer.due, timer.id))

    def notify_changed(self) -> None:
        """Another process may have changed what is kept: observers read it anew."""
        self._changed.notify()

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call `observer` whenever the timers are others: changed or rung here or (while it runs,
        within half a minute) by another process. Returns what ends it.
        """
        return self._changed.subscribe(observer)

    def observe_answers(self, observer: Callable[[Timer], object]) -> Callable[[], None]:
        """Call `observer` with each timer that `finish` answers. Returns what ends it."""
        return self._answered.subscribe(observer)

    def now(self) -> float:
        return self._clock()

    async def add(
        self,
        due: float,
        label: str,
        repeat: Repeat = Repeat.ONCE,
        untrusted: Sequence[DataSource] = (),
    ) -> Timer:
        """A time at a weekend is moved to Monday for one that comes on weekdays alone."""
        due = first_due(due, repeat)
        made = Timer("", due, label, self._clock(), repeat, untrusted=tuple(untrusted))
        timer = await self._store.add(made)
        self._tell()
        return timer

    async def update(
        self, timer_id: str, *, due: float, label: str, repeat: Repeat
    ) -> Timer | None:
        """The timer as it is then, which rings anew; None if there is none of that id."""
        old = await self._find(timer_id)
        if old is None:
            return None
        timer = replace(old, due=first_due(due, repeat), label=label, repeat=repeat)
        there = await self._store.update(timer)
        self._rung.discard((timer.id, timer.due))
        self._tell()
        return timer if there else None

    async def cancel(self, timer_id: str) -> Timer | None:
        """The timer that was cancelled, None if there is none of that id."""
        timer = await self._find(timer_id)
        if timer is None or not await self._store.delete(timer_id):
            return None
        self._tell()
        return timer

    async def restore(self, timer: Timer) -> bool:
        """Set a cancelled timer again, under its old id if that is free. False if its time is over
        or it is there.
        """
        due = timer.due if timer.due > self._clock() else self._next(timer)
        if due is None or await self._find(timer.id) == timer:
            return False
        await self._store.add(replace(timer, due=due, missed=False))
        self._tell()
        return True

    async def answer(self, timer: Timer) -> None:
        """It was answered: one that comes again waits for its next time, another is gone."""
        found = await self._find(timer.id)
        if found is None or found.due != timer.due:
            return  # answered already, or set anew meanwhile
        due = self._next(found)
        if due is None:
            await self._store.delete(found.id)
        else:
            await self._store.update(replace(found, due=due))
        self._answered.notify(found)
        self._tell()

    async def snooze(self, timer: Timer, seconds: float) -> None:
        """Answer it, and have it ring again in `seconds`."""
        due = self._clock() + seconds
        if timer.repeat is Repeat.ONCE:
            again = replace(timer, due=due, missed=False)
            if not await self._store.update(again):
                await self._store.add(again)
            self._tell()
            return
        await self.answer(timer)
        await self.add(due, timer.label, untrusted=timer.untrusted)

    def check_due(self) -> None:
        """Look now at what is due."""
        self._woken.set()

    async def run(self) -> None:
        """Tell what was missed, and ring until this is cancelled."""
        while True:
            self._woken.clear()
            delay = await self._ring_due()
            self.looked.set()
            with suppress(TimeoutError):
                async with asyncio.timeout(delay):
                    await self._woken.wait()

    def _next(self, timer: Timer) -> float | None:
        return next_due(timer.due, timer.repeat, self._clock())

    async def _find(self, timer_id: str) -> Timer | None:
        kept = await self._store.load()
        return next((timer for timer in kept if timer.id == timer_id), None)

    def _tell(self) -> None:
        self._woken.set()
        self._changed.notify()

    async def _ring_due(self) -> float:
        """Ring what is due; in how many seconds to look again."""
        try:
            other = await self._before() if self._before is not None else None
            timers = await self.timers()
        except StoreError:
            _log.exception("The timers can't be read")
            return _LONGEST_SLEEP
        now = self._clock()
        due = [t for t in timers if t.due <= now and (t.id, t.due) not in self._rung]
        self._rung.update((timer.id, timer.due) for timer in due)
        if due or timers != self._seen:
            self._seen = timers
            self._changed.notify()
        for timer in due:
            try:
                self._ring(replace(timer, missed=now - timer.due > _GRACE))
            except Exception:  # noqa: BLE001 - the other timers must ring all the same
                _log.exception("Timer %s rang in vain", timer.id)
        ahead = [timer.due - now for timer in timers if timer.due > now]
        if other is not None:
            ahead.append(max(0.0, other - now))
        return min(min(ahead, default=_LONGEST_SLEEP), _LONGEST_SLEEP)
