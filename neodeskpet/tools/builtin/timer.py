"""Timers: they ring while the app runs, survive a restart, and those missed are told once."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Annotated, Protocol

from pydantic import Field

from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.toolspec import Risk
from neodeskpet.tools.builtin.time_words import LONGEST, LONGEST_TEXT, parse_moment, word_duration
from neodeskpet.tools.registry import Tool, tool

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

    def save(self, timers: Sequence[Timer]) -> None: ...


class TimersInMemory:
    """The store for tests and for a run that leaves nothing behind."""

    def __init__(self, timers: Sequence[Timer] = ()) -> None:
        self.saved: tuple[Timer, ...] = tuple(timers)

    def load(self) -> Sequence[Timer]:
        return self.saved

    def save(self, timers: Sequence[Timer]) -> None:
        self.saved = tuple(timers)


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
        self._rung: set[Timer] = set()

    @property
    def timers(self) -> list[Timer]:
        """Those that are still to ring, the next first. Raises OSError."""
        kept = [timer for timer in self._store.load() if timer not in self._rung]
        return sorted(kept, key=lambda timer: timer.due)

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
        """Raises OSError if it can't be stored; then it isn't set."""
        timers = self.timers
        taken = {int(timer.id[1:]) for timer in timers if timer.id[1:].isdecimal()}
        timer = Timer(f"t{max(taken, default=0) + 1}", due, label, self._clock())
        self._store.save([*timers, timer])
        self._sleep([*timers, timer])
        return timer

    def cancel(self, timer_id: str) -> Timer | None:
        """The timer that was cancelled, None if there is none of that id. Raises OSError."""
        timers = self.timers
        timer = next((timer for timer in timers if timer.id == timer_id), None)
        if timer is not None:
            self._store.save([one for one in timers if one is not timer])
        return timer

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
            if due:
                self._store.save(left)
                self._rung.clear()
        except OSError:
            _log.exception("The timers can't be stored")
            self._rung.update(due)
        self._sleep(left)
        for timer in due:
            try:
                self._ring(replace(timer, missed=now - timer.due > _GRACE))
            except Exception:  # noqa: BLE001 - the other timers must ring all the same
                _log.exception("Timer %s rang in vain", timer.id)


def timer_tools(book: TimerBook) -> list[Tool]:
    @tool("timer.set", risk=Risk.OWN, main_argument="label", timeout=10)
    async def set_timer(
        seconds: Annotated[float | None, Field(gt=0, description="Seconds from now.")] = None,
        minutes: Annotated[float | None, Field(gt=0, description="Minutes from now.")] = None,
        at: Annotated[
            str | None,
            Field(
                max_length=LONGEST_TEXT,
                description="A clock time (17:30, tomorrow 9:00, 明天早上8点) or a duration "
                "(1h30m, 半小时).",
            ),
        ] = None,
        label: Annotated[
            str, Field(max_length=500, description="What to remind the person of.")
        ] = "",
    ) -> dict[str, object]:
        """Set a timer or a reminder that rings on the person's desktop. Give exactly one of
        seconds, minutes and at.
        """
        if len(book.timers) >= MOST:
            raise InvalidArguments(f"There are {MOST} timers already; cancel one first.")
        timer = book.set(_due(book.now(), seconds, minutes, at), label.strip())
        return {"set": _show(timer, book.now())}

    @tool("timer.list", risk=Risk.READ, timeout=10)
    async def list_timers() -> dict[str, object]:
        """List the timers and reminders that are still to ring, the next first."""
        return {"timers": [_show(timer, book.now()) for timer in book.timers]}

    @tool("timer.cancel", risk=Risk.OWN, main_argument="id", timeout=10)
    async def cancel_timer(
        id: Annotated[
            str, Field(max_length=40, description="The timer's id, as timer.list shows it.")
        ],
    ) -> dict[str, object]:
        """Cancel a timer or a reminder."""
        timer = book.cancel(id.strip())
        if timer is None:
            known = ", ".join(timer.id for timer in book.timers) or "none"
            raise InvalidArguments(f"id: there is no timer {id}. Those that exist: {known}")
        return {"cancelled": _show(timer, book.now())}

    return [set_timer, list_timers, cancel_timer]


def _due(now: float, seconds: float | None, minutes: float | None, at: str | None) -> float:
    at = at.strip() if at else None
    given = [value for value in (seconds, minutes, at) if value]
    if len(given) != 1:
        raise InvalidArguments(
            "Exactly one of seconds, minutes and at is needed, "
            + ("none was given." if not given else f"{len(given)} were given.")
        )
    if at:
        try:
            return parse_moment(at, datetime.fromtimestamp(now)).timestamp()
        except ValueError as error:
            raise InvalidArguments(f"at: {error}") from None
    delay = seconds or (minutes or 0) * 60
    if delay > LONGEST.total_seconds():
        raise InvalidArguments(f"A timer can be set at most {LONGEST.days} days ahead.")
    return now + delay


def _show(timer: Timer, now: float) -> dict[str, object]:
    shown = asdict(timer)
    due = datetime.fromtimestamp(timer.due).astimezone()
    return {
        "id": shown["id"],
        "label": shown["label"],
        "at": due.isoformat(timespec="seconds"),
        "seconds_left": max(0, round(timer.due - now)),
        "in": word_duration(timer.due - now),
    }
