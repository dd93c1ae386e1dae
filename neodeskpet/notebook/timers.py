"""Timers: they ring while the app runs, survive a restart, and missed ones are reported.

A timer is kept until it is answered. Timers are stored in memory or in the notebook.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from neodeskpet.core.data_labels import DataSource, read_sources, write_sources
from neodeskpet.core.errors import StoreError
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.platform.observers import Observers
from neodeskpet.storage.database_schema import StoredText, from_column, to_column


class Repeat(StrEnum):
    ONCE = ""
    DAILY = "daily"
    WEEKDAYS = "weekdays"
    """Monday to Friday."""
    WEEKLY = "weekly"


def first_due(due: float, repeat: Repeat) -> float:
    """Return `due`, or the next allowed day if `due` isn't on one."""
    weekend = repeat is Repeat.WEEKDAYS and datetime.fromtimestamp(due).weekday() > 4
    return (next_due(due, repeat, due) or due) if weekend else due


def next_due(due: float, repeat: Repeat, now: float) -> float | None:
    """Return the first time after `now` at the local time of `due` on its days; None for ONCE. Unix
    seconds. The local time stays when daylight saving time starts or ends.
    """
    if repeat is Repeat.ONCE:
        return None
    first, today = datetime.fromtimestamp(due), datetime.fromtimestamp(now)
    step = 7 if repeat is Repeat.WEEKLY else 1
    passed = max(0, (today.date() - first.date()).days // step * step)
    moment = first + timedelta(days=passed)
    while moment.timestamp() <= now or (repeat is Repeat.WEEKDAYS and moment.weekday() > 4):
        moment += timedelta(days=step)
    return moment.timestamp()


_log = logging.getLogger(__name__)

MOST_TIMERS = 200
_LONGEST_SLEEP = 30.0
"""Seconds. The loop's clock stops while the computer sleeps, and another process may set a timer,
so clock and store are checked this often.
"""
_GRACE = 60.0
"""Seconds after which a timer counts as missed instead of ringing."""


@dataclass(frozen=True, slots=True)
class Timer:
    """A timer. Times are Unix seconds. `missed`: its time passed while the app was closed or the
    computer slept. `untrusted` are the untrusted sources of its label. `remaining`: the seconds
    that are left while it is paused, None while it runs; `due` has no meaning then.
    """

    id: str
    due: float
    label: str
    set_at: float
    repeat: Repeat = Repeat.ONCE
    missed: bool = False
    untrusted: tuple[DataSource, ...] = ()
    remaining: float | None = None

    @property
    def is_paused(self) -> bool:
        return self.remaining is not None

    def seconds_left(self, now: float) -> float:
        """Return the seconds until it rings, 0 if it rings."""
        return max(0.0, self.due - now) if self.remaining is None else self.remaining

    def share_left(self, now: float) -> float:
        """Return the part of its time that is left, 1 to 0; 0 if it rings."""
        whole = self.due - self.set_at
        return min(1.0, self.seconds_left(now) / whole) if whole > 0 else 0.0

    def rings(self, now: float) -> bool:
        return self.remaining is None and self.due <= now

    def can_be_paused(self, now: float) -> bool:
        """Return whether it counts down: a repeated timer belongs to a time of day."""
        return self.repeat is Repeat.ONCE and not self.is_paused and not self.rings(now)


@dataclass(frozen=True, slots=True)
class RecentTimer:
    """A duration in seconds that the user or the companion set lately, and its label."""

    label: str
    seconds: int


RECENT_TIMERS = 12
"""The number of recent timers that are kept."""
_LONGEST_RECENT = 12 * 3_600


class TimerStore(Protocol):
    """Stores timers. All coroutines raise StoreError."""

    async def load(self) -> list[Timer]: ...

    async def add(self, timer: Timer) -> Timer:
        """Add a timer, under its id if that is free and not "", else under a new one."""
        ...

    async def update(self, timer: Timer) -> bool:
        """Replace the timer with its id; False if there is none."""
        ...

    async def delete(self, timer_id: str) -> bool: ...

    async def remember(self, timer: RecentTimer, at: float) -> None:
        """Add a recent timer; of equal ones the last is kept."""
        ...

    async def recent(self) -> list[RecentTimer]:
        """Return the recent timers, the last one first."""
        ...


class TimersInMemory:
    """The store for tests and for runs that store nothing."""

    def __init__(self, timers: Sequence[Timer] = ()) -> None:
        self.kept = {timer.id: timer for timer in timers}
        self._recent: list[RecentTimer] = []

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

    async def remember(self, timer: RecentTimer, at: float) -> None:
        others = [one for one in self._recent if one != timer]
        self._recent = [timer, *others][:RECENT_TIMERS]

    async def recent(self) -> list[RecentTimer]:
        return list(self._recent)


class TimerService:
    """All timers; used on the loop's thread. While the service runs, `ring` is called once for each
    timer: when it is due or, marked as missed, when the app detects that. A timer rings until
    `answer`, `snooze`, `cancel` or `update`.

    The store is read again each time, so that a timer set in a terminal rings in the window. A
    service that doesn't run stores timers and rings none. Coroutines raise StoreError.

    `before` is awaited before each check of a running service: it adds timers that are due by other
    rules, and returns the time of the next of those (None for none).
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
        """Set while the service runs and all missed timers were reported."""
        self._woken = asyncio.Event()
        self._rung: set[tuple[str, float]] = set()  # ids and times
        self._changed: Observers[[]] = Observers()
        self._answered: Observers[[Timer]] = Observers()
        self._seen: list[Timer] = []  # the timers that `run` read last

    async def timers(self) -> list[Timer]:
        """Return the pending and the unanswered timers, the next one first; paused ones come last,
        the one with the least time first.
        """

        def order(timer: Timer) -> tuple[bool, float, str]:
            return timer.is_paused, timer.remaining or timer.due, timer.id

        return sorted(await self._store.load(), key=order)

    def notify_changed(self) -> None:
        """Notify observers, which read again: another process may have changed the data."""
        self._changed.notify()

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call `observer` whenever the timers change: changed or rung here or (while the service
        runs, within half a minute) by another process. Return the function that ends the
        subscription.
        """
        return self._changed.subscribe(observer)

    def observe_answers(self, observer: Callable[[Timer], object]) -> Callable[[], None]:
        """Call `observer` with each timer that `answer` answers. Return the function that ends the
        subscription.
        """
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
        """Add a timer. For one that repeats on weekdays, a time at a weekend is moved to Monday."""
        timer = await self._add(due, label, repeat, untrusted)
        await self._remember(timer)
        self._tell()
        return timer

    async def recent(self) -> list[RecentTimer]:
        """Return durations that were set lately, the last one first."""
        return await self._store.recent()

    async def _add(
        self, due: float, label: str, repeat: Repeat, untrusted: Sequence[DataSource]
    ) -> Timer:
        due = first_due(due, repeat)
        made = Timer("", due, label, self._clock(), repeat, untrusted=tuple(untrusted))
        return await self._store.add(made)

    async def _remember(self, timer: Timer) -> None:
        """Remember a duration of whole minutes; other timers were set for a time of day."""
        seconds = round(timer.due - timer.set_at)
        whole = 0 < seconds <= _LONGEST_RECENT and seconds % 60 == 0
        if timer.repeat is not Repeat.ONCE or timer.untrusted or not whole:
            return
        try:
            await self._store.remember(RecentTimer(timer.label, seconds), timer.set_at)
        except StoreError:
            _log.exception("A recent timer can't be stored")

    async def update(
        self, timer_id: str, *, due: float, label: str, repeat: Repeat
    ) -> Timer | None:
        """Change a timer, which runs and rings again, and return it; None if the id is unknown."""
        old = await self._find(timer_id)
        if old is None:
            return None
        due = first_due(due, repeat)
        return await self._put(replace(old, due=due, label=label, repeat=repeat, remaining=None))

    async def pause(self, timer_id: str) -> Timer | None:
        """Pause a timer and return it; None if the id is unknown or it can't be paused."""
        timer, now = await self._find(timer_id), self._clock()
        if timer is None or not timer.can_be_paused(now):
            return None
        return await self._put(replace(timer, remaining=timer.seconds_left(now)))

    async def resume(self, timer_id: str) -> Timer | None:
        """Let a paused timer run and return it; None if the id is unknown or it isn't paused."""
        timer, now = await self._find(timer_id), self._clock()
        if timer is None or timer.remaining is None:
            return None
        passed = timer.due - timer.set_at - timer.remaining
        running = replace(timer, due=now + timer.remaining, set_at=now - passed, remaining=None)
        return await self._put(running)

    async def extend(self, timer_id: str, seconds: float) -> Timer | None:
        """Give a timer more time and return it; None if the id is unknown. One that rings is set
        again; a paused one stays paused.
        """
        timer, now = await self._find(timer_id), self._clock()
        if timer is None:
            return None
        if timer.rings(now):
            await self.snooze(timer, seconds)
            return timer
        left = None if timer.remaining is None else timer.remaining + seconds
        return await self._put(replace(timer, due=timer.due + seconds, remaining=left))

    async def _put(self, timer: Timer) -> Timer | None:
        """Store a changed timer, which may ring again; None if it is gone."""
        there = await self._store.update(timer)
        self._rung.discard((timer.id, timer.due))
        self._tell()
        return timer if there else None

    async def cancel(self, timer_id: str) -> Timer | None:
        """Cancel a timer and return it; None if the id is unknown."""
        timer = await self._find(timer_id)
        if timer is None or not await self._store.delete(timer_id):
            return None
        self._tell()
        return timer

    async def restore(self, timer: Timer) -> bool:
        """Restore a cancelled timer, under its old id if that is free. False if its time is over or
        it exists.
        """
        ahead = timer.is_paused or timer.due > self._clock()
        due = timer.due if ahead else self._next(timer)
        if due is None or await self._find(timer.id) == timer:
            return False
        await self._store.add(replace(timer, due=due, missed=False))
        self._tell()
        return True

    async def answer(self, timer: Timer) -> None:
        """Answer a timer: a repeated one waits for its next time, another one is deleted."""
        found = await self._find(timer.id)
        if found is None or found.due != timer.due:
            return  # already answered, or set again meanwhile
        if found.is_paused:
            return
        due = self._next(found)
        if due is None:
            await self._store.delete(found.id)
        else:
            await self._store.update(replace(found, due=due))
        self._answered.notify(found)
        self._tell()

    async def snooze(self, timer: Timer, seconds: float) -> None:
        """Answer a timer, and let it ring again in `seconds`."""
        due = self._clock() + seconds
        if timer.repeat is Repeat.ONCE:
            again = replace(timer, due=due, missed=False)
            if not await self._store.update(again):
                await self._store.add(again)
            self._tell()
            return
        await self.answer(timer)
        await self._add(due, timer.label, Repeat.ONCE, timer.untrusted)
        self._tell()

    def check_due(self) -> None:
        """Check now for due timers."""
        self._woken.set()

    async def run(self) -> None:
        """Report missed timers, and ring due ones until cancelled."""
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
        """Ring due timers; return the seconds until the next check."""
        try:
            other = await self._before() if self._before is not None else None
            timers = await self.timers()
        except StoreError:
            _log.exception("The timers can't be read")
            return _LONGEST_SLEEP
        now = self._clock()
        due = [t for t in timers if t.rings(now) and (t.id, t.due) not in self._rung]
        self._rung.update((timer.id, timer.due) for timer in due)
        if due or timers != self._seen:
            self._seen = timers
            self._changed.notify()
        for timer in due:
            try:
                self._ring(replace(timer, missed=now - timer.due > _GRACE))
            except Exception:  # noqa: BLE001 - the other timers must ring all the same
                _log.exception("Ringing timer %s failed", timer.id)
        ahead = [one.due - now for one in timers if not one.is_paused and one.due > now]
        if other is not None:
            ahead.append(max(0.0, other - now))
        return min(min(ahead, default=_LONGEST_SLEEP), _LONGEST_SLEEP)


_REPEATS = frozenset(Repeat)


class SqliteTimers:
    """A `TimerStore` in the notebook. Ids are `t` and the row's number."""

    def __init__(self, notebook: Notebook) -> None:
        self._notebook = notebook

    async def load(self) -> list[Timer]:
        query = "SELECT id, due, label, set_at, repeat, untrusted, remaining FROM timers"
        rows = await self._notebook.read(lambda db: db.execute(query).fetchall())
        return [_timer(row) for row in rows]

    async def add(self, timer: Timer) -> Timer:
        def work(connection: sqlite3.Connection) -> int:
            number = _number(timer.id)
            there = "SELECT 1 FROM timers WHERE id = ?"
            if connection.execute(there, (number,)).fetchone() is not None:
                number = None
            cursor = connection.execute(
                "INSERT INTO timers (id, due, label, set_at, repeat, untrusted, remaining) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (number, *_values(timer)),
            )
            return int(cursor.lastrowid or 0)

        return replace(timer, id=f"t{await self._notebook.change(work)}", missed=False)

    async def update(self, timer: Timer) -> bool:
        values = (*_values(timer), _number(timer.id))
        return await self._changed(
            "UPDATE timers SET due = ?, label = ?, set_at = ?, repeat = ?, untrusted = ?, "
            "remaining = ? WHERE id = ?",
            values,
        )

    async def delete(self, timer_id: str) -> bool:
        return await self._changed("DELETE FROM timers WHERE id = ?", (_number(timer_id),))

    async def remember(self, timer: RecentTimer, at: float) -> None:
        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT INTO recent_timers (label, seconds, at) VALUES (?, ?, ?) "
                "ON CONFLICT (label, seconds) DO UPDATE SET at = excluded.at",
                (to_column(timer.label), timer.seconds, at),
            )
            connection.execute(
                "DELETE FROM recent_timers WHERE rowid NOT IN "
                "(SELECT rowid FROM recent_timers ORDER BY at DESC, rowid DESC LIMIT ?)",
                (RECENT_TIMERS,),
            )

        await self._notebook.change(work)

    async def recent(self) -> list[RecentTimer]:
        query = "SELECT label, seconds FROM recent_timers ORDER BY at DESC, rowid DESC"
        rows = await self._notebook.read(lambda db: db.execute(query).fetchall())
        return [RecentTimer(from_column(label), int(seconds)) for label, seconds in rows]

    async def _changed(self, statement: str, values: tuple[object, ...]) -> bool:
        def work(connection: sqlite3.Connection) -> bool:
            return connection.execute(statement, values).rowcount > 0

        return await self._notebook.change(work)


def _number(timer_id: str) -> int | None:
    """Return the row's number; None for "" and for an invalid id."""
    digits = timer_id[1:]
    known = timer_id.startswith("t") and digits.isascii() and digits.isdecimal()
    return int(digits) if known and len(digits) < 16 else None


def _values(timer: Timer) -> tuple[float, StoredText, float, str, str, float | None]:
    sources = write_sources(timer.untrusted)
    label = to_column(timer.label)
    return timer.due, label, timer.set_at, timer.repeat, sources, timer.remaining


def _timer(row: tuple[int, float, StoredText, float, str, str, float | None]) -> Timer:
    number, due, label, set_at, repeat, untrusted, remaining = row
    return Timer(
        f"t{number}",
        due,
        from_column(label),
        set_at,
        Repeat(repeat) if repeat in _REPEATS else Repeat.ONCE,
        untrusted=read_sources(untrusted),
        remaining=remaining,
    )
