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
    computer slept. `untrusted` are the untrusted sources of its label.
    """

    id: str
    due: float
    label: str
    set_at: float
    repeat: Repeat = Repeat.ONCE
    missed: bool = False
    untrusted: tuple[DataSource, ...] = ()


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


class TimersInMemory:
    """The store for tests and for runs that store nothing."""

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
        """Return the pending and the unanswered timers, the next one first."""
        return sorted(await self._store.load(), key=lambda timer: (timer.due, timer.id))

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
        due = first_due(due, repeat)
        made = Timer("", due, label, self._clock(), repeat, untrusted=tuple(untrusted))
        timer = await self._store.add(made)
        self._tell()
        return timer

    async def update(
        self, timer_id: str, *, due: float, label: str, repeat: Repeat
    ) -> Timer | None:
        """Change a timer, which rings again, and return it; None if the id is unknown."""
        old = await self._find(timer_id)
        if old is None:
            return None
        timer = replace(old, due=first_due(due, repeat), label=label, repeat=repeat)
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
        due = timer.due if timer.due > self._clock() else self._next(timer)
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
        await self.add(due, timer.label, untrusted=timer.untrusted)

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
        due = [t for t in timers if t.due <= now and (t.id, t.due) not in self._rung]
        self._rung.update((timer.id, timer.due) for timer in due)
        if due or timers != self._seen:
            self._seen = timers
            self._changed.notify()
        for timer in due:
            try:
                self._ring(replace(timer, missed=now - timer.due > _GRACE))
            except Exception:  # noqa: BLE001 - the other timers must ring all the same
                _log.exception("Ringing timer %s failed", timer.id)
        ahead = [timer.due - now for timer in timers if timer.due > now]
        if other is not None:
            ahead.append(max(0.0, other - now))
        return min(min(ahead, default=_LONGEST_SLEEP), _LONGEST_SLEEP)


_REPEATS = frozenset(Repeat)


class SqliteTimers:
    """A `TimerStore` in the notebook. Ids are `t` and the row's number."""

    def __init__(self, notebook: Notebook) -> None:
        self._notebook = notebook

    async def load(self) -> list[Timer]:
        query = "SELECT id, due, label, set_at, repeat, untrusted FROM timers"
        rows = await self._notebook.read(lambda db: db.execute(query).fetchall())
        return [_timer(row) for row in rows]

    async def add(self, timer: Timer) -> Timer:
        def work(connection: sqlite3.Connection) -> int:
            number = _number(timer.id)
            there = "SELECT 1 FROM timers WHERE id = ?"
            if connection.execute(there, (number,)).fetchone() is not None:
                number = None
            cursor = connection.execute(
                "INSERT INTO timers (id, due, label, set_at, repeat, untrusted) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (number, *_values(timer)),
            )
            return int(cursor.lastrowid or 0)

        return replace(timer, id=f"t{await self._notebook.change(work)}", missed=False)

    async def update(self, timer: Timer) -> bool:
        values = (*_values(timer), _number(timer.id))
        return await self._changed(
            "UPDATE timers SET due = ?, label = ?, set_at = ?, repeat = ?, untrusted = ? "
            "WHERE id = ?",
            values,
        )

    async def delete(self, timer_id: str) -> bool:
        return await self._changed("DELETE FROM timers WHERE id = ?", (_number(timer_id),))

    async def _changed(self, statement: str, values: tuple[object, ...]) -> bool:
        def work(connection: sqlite3.Connection) -> bool:
            return connection.execute(statement, values).rowcount > 0

        return await self._notebook.change(work)


def _number(timer_id: str) -> int | None:
    """Return the row's number; None for "" and for an invalid id."""
    digits = timer_id[1:]
    known = timer_id.startswith("t") and digits.isascii() and digits.isdecimal()
    return int(digits) if known and len(digits) < 16 else None


def _values(timer: Timer) -> tuple[float, StoredText, float, str, str]:
    sources = write_sources(timer.untrusted)
    return timer.due, to_column(timer.label), timer.set_at, timer.repeat, sources


def _timer(row: tuple[int, float, StoredText, float, str, str]) -> Timer:
    number, due, label, set_at, repeat, untrusted = row
    known = Repeat(repeat) if repeat in _REPEATS else Repeat.ONCE
    sources = read_sources(untrusted)
    return Timer(f"t{number}", due, from_column(label), set_at, known, untrusted=sources)
