"""What somebody said of a time, piece by piece, before it is known what it amounts to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class ClockTime:
    """A time of day as it was said. `part` is a half of the day as in `vocabulary.PARTS`, "" for
    none. An `exact` hour was said by the 24 hours of the day.
    """

    hour: int
    minute: int = 0
    second: int = 0
    part: str = ""
    exact: bool = False


@dataclass(frozen=True, slots=True)
class SpokenTime:
    """What was said so far; each part is as empty as it was left.

    `every`: how many of which unit ("hour", "day", "week", "month", "year"). `again`: it comes
    again, by whatever else was said. `weekdays`: 0 is Monday. `vague`: "next Friday", as English
    has it. `nth`: which of the weekdays in a month, -1 is the last; `monthdays`, -1 is the last
    day. `days`, `week`, `month`: counted from today's. `either`: it may be said of one month or
    of all. `part`, `hour`: a part of the day and the hour that it stands for. `after`: weeks later
    than the weekday. `times`: so many times of the day belong to it, 0 for any number. `lunar`:
    month and day of the Chinese calendar. `workday`: which working day of a month, -1 is the last;
    `workdays`: so many working days from today. `delay`: a time from now that is not whole days;
    `bare`: only its length was said ("10 minutes").
    """

    every: tuple[float, str] | None = None
    again: bool = False
    either: bool = False
    weekdays: tuple[int, ...] = ()
    vague: bool = False
    nth: tuple[int, ...] = ()
    monthdays: tuple[int, ...] = ()
    months: tuple[int, ...] = ()
    year: int | None = None
    years: int | None = None
    days: int | None = None
    later: timedelta | None = None
    week: int | None = None
    after: int = 0
    times: int = 0
    month: int | None = None
    clocks: tuple[ClockTime, ...] = ()
    part: str = ""
    hour: int | None = None
    hours: tuple[int, int] | None = None
    midnight: bool = False
    lunar: tuple[int, int] | None = None
    workday: int = 0
    workdays: int | None = None
    delay: timedelta | None = None
    bare: bool = False

    def on(self, *weekdays: int) -> SpokenTime:
        return replace(self, weekdays=tuple(sorted({*self.weekdays, *weekdays})))

    def comes(self, count: float, unit: str) -> SpokenTime:
        """Every `count` of `unit`. What was said twice ("工作日每天") counts once."""
        if self.every is not None and (count, unit) == (1, "day"):
            return self
        return replace(self, every=(count, unit), again=True)

    @property
    def has_clock(self) -> bool:
        """Whether a time of the day was said, or a part of it."""
        return bool(self.clocks or self.part or self.midnight or self.delay)

    def at(self, clock: ClockTime) -> SpokenTime:
        return replace(self, clocks=(*self.clocks, clock))
