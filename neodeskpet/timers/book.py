"""Timers: they ring while the app runs, survive a restart, and those missed are told once."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from neodeskpet.observers import Observers

_log = logging.getLogger(__name__)

MOST = 200
_LONGEST_SLEEP = 30.0
"""Seconds. The loop's clock stands still while the computer sleeps, and another process may set a
timer, so clock and store are looked at again that often.
"""
_GRACE = 60.0
"""Seconds after which a timer counts as missed rather than ringing."""


@dataclass(frozen=True, slots=True)
class Timer:
    """Times are unix seconds. `missed`: its time passed while the app was closed or asleep."""

    id: str
    due: float
    label: str
    set_at: float
    missed: bool = False


class TimerStore(Protocol):
    """Where timers outlive the app. Raises OSError."""

    def load(self) -> Sequence[Timer]: ...

    def save(self, timers: Sequence[Timer]) -> None:
        """They are loaded from now on; `stored` tells whether they outlive the app."""
        ...

    async def stored(self) -> None:
        """Wait for what was saved last. After an error the timers are those of before."""
        ...


class TimersInMemory:
    """The store for tests and for a run that leaves nothing behind."""

    def __init__(self, timers: Sequence[Timer] = ()) -> None:
        self.saved: tuple[Timer, ...] = tuple(timers)

    def load(self) -> Sequence[Timer]:
        return self.saved

    def save(self, timers: Sequence[Timer]) -> None:
        self.saved = tuple(timers)

    async def stored(self) -> None:
        """They never outlive it."""


class Alarm(Protocol):
    def cancel(self) -> None: ...


def _on_loop(delay: float, wake: Callable[[], None]) -> Alarm:
    return asyncio.get_running_loop().call_later(delay, wake)


class TimerBook:
    """All timers; used on the loop's thread. Once started, `ring` is called once for each timer:
    when it is due or, marked as missed, when the app sees that it was.

    The store is the truth and is read anew each time, so that a timer set from a terminal rings in
    the window. A book that isn't started keeps timers and rings none.
    """

    def __init__(
        self,
        store: TimerStore,
        ring: Callable[[Timer], None],
        *,
        clock: Callable[[], float] = time.time,
        call_later: Callable[[float, Callable[[], None]], Alarm] = _on_loop,
    ) -> None:
        self._store = store
        self._ring = ring
        self._clock = clock
        self._call_later = call_later
        self._alarm: Alarm | None = None
        self._started = False
        self._rung: set[Timer] = set()  # for good: whether the store forgets them is told later
        self._changed: Observers[[]] = Observers()
        self._seen: frozenset[Timer] | None = None  # when a change was told last

    @property
    def timers(self) -> list[Timer]:
        """Those that are still to ring, the next first. Raises OSError."""
        kept = [timer for timer in self._store.load() if timer not in self._rung]
        return sorted(kept, key=lambda timer: timer.due)

    def observe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` whenever the timers are others: set, cancelled or rung here, or (once it
        is started, within half a minute) changed by another process. Returns what ends it.
        """
        if self._seen is None:
            self._seen = frozenset(self.timers)
        return self._changed.add(observer)

    def start(self) -> None:
        """Tell what was missed, and ring from now on."""
        self._started = True
        self._wake()

    def stop(self) -> None:
        self._started = False
        self._silence()

    def now(self) -> float:
        return self._clock()

    def set(self, due: float, label: str) -> Timer:
        """Raises OSError if it can't be stored, here or in `stored`; then it isn't set."""
        timers = self.timers
        taken = {int(timer.id[1:]) for timer in timers if timer.id[1:].isdecimal()}
        timer = Timer(f"t{max(taken, default=0) + 1}", due, label, self._clock())
        self._store.save([*timers, timer])
        self._sleep([*timers, timer])
        self._tell([*timers, timer])
        return timer

    def cancel(self, timer_id: str) -> Timer | None:
        """The timer that was cancelled, None if there is none of that id. Raises OSError."""
        timers = self.timers
        timer = next((timer for timer in timers if timer.id == timer_id), None)
        if timer is not None:
            left = [one for one in timers if one is not timer]
            self._store.save(left)
            self._tell(left)
        return timer

    def restore(self, timer: Timer) -> bool:
        """Set a cancelled timer again, under its old id if that is free. False if its time is over
        or it is there. Raises OSError as `set` does.
        """
        timers = self.timers
        if timer.due <= self._clock() or timer in timers:
            return False
        if any(one.id == timer.id for one in timers):
            self.set(timer.due, timer.label)
            return True
        self._store.save([*timers, timer])
        self._sleep([*timers, timer])
        self._tell([*timers, timer])
        return True

    async def stored(self) -> None:
        """Wait until the last change is on disk. Raises OSError: then it wasn't made."""
        try:
            await self._store.stored()
        except OSError:
            self._tell(self.timers)
            raise

    def _tell(self, timers: Sequence[Timer]) -> None:
        """Tell of a change, if these are others than those that were known."""
        known, self._seen = self._seen, frozenset(timers)
        if known is not None and known != self._seen:
            self._changed.tell()

    def _silence(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _sleep(self, timers: Sequence[Timer]) -> None:
        """Wake when the next is due, and now and then in between."""
        self._silence()
        if self._started:
            delay = min((timer.due - self._clock() for timer in timers), default=_LONGEST_SLEEP)
            delay = min(max(delay, 0.0), _LONGEST_SLEEP)
            self._alarm = self._call_later(delay, self._wake)

    def _wake(self) -> None:
        now = self._clock()
        due: list[Timer] = []
        left: list[Timer] = []
        try:
            for timer in self.timers:
                (due if timer.due <= now else left).append(timer)
            self._rung.update(due)
            if due:
                self._store.save(left)
        except OSError:
            _log.exception("The timers can't be stored")
        self._sleep(left)
        self._tell(left)
        for timer in due:
            try:
                self._ring(replace(timer, missed=now - timer.due > _GRACE))
            except Exception:  # noqa: BLE001 - the other timers must ring all the same
                _log.exception("Timer %s rang in vain", timer.id)
