"""Schedule rules: once, every N seconds, on days of the calendar, or on a day of the lunar
calendar. Times are Unix seconds. A calendar rule is in local clock time, so the time zone is passed
in. A time that is skipped when clocks go forward happens later (02:30 becomes 03:30); a time that
occurs twice happens at the first one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta, tzinfo
from typing import assert_never

from neodeskpet.core.schedule.vocabulary import solar_days


def parse_month_day(text: str) -> tuple[int, int] | None:
    """Return month and day of "5-17", "05-17" or "2001-05-17"; None if it isn't a day."""
    parts = text.strip().split("-")
    if len(parts) not in (2, 3) or not all(part.isascii() and part.isdecimal() for part in parts):
        return None
    month, day = int(parts[-2]), int(parts[-1])
    try:
        date(2000, month, day)  # a leap year
    except (ValueError, OverflowError):
        return None
    return month, day


def is_anniversary(today: date, day: tuple[int, int]) -> bool:
    """Return whether `today` is the anniversary of `day`. A 29th of February is celebrated on the
    28th in other years.
    """
    if day == (2, 29) and (today + timedelta(1)).month == 3:
        return today.month == 2
    return (today.month, today.day) == day


_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_EVERY_HOUR = f"BYHOUR={','.join(map(str, range(24)))};"
_SHIFT = timedelta(hours=3)
"""More than the largest change of clocks."""


@dataclass(frozen=True, slots=True)
class Once:
    at: float


@dataclass(frozen=True, slots=True)
class Every:
    """Every `seconds` (at least 60) after `start`, independent of clock changes."""

    start: float
    seconds: int


@dataclass(frozen=True, slots=True)
class Calendar:
    """At the times of any of `lines` (RRULEs made by `core.schedule.recurrence`) from `first` on,
    in local clock time; intervals such as "every second" are counted from it. The times `skipped`
    are left out.
    """

    first: datetime
    lines: tuple[str, ...]
    skipped: frozenset[datetime] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True)
class Lunar:
    """Once in each year of the Chinese calendar, on its `month` and `day` (-1 is the last of the
    month), `seconds` after midnight. It begins after `first`.
    """

    first: datetime
    month: int
    day: int
    seconds: int


Rule = Once | Every | Calendar | Lunar


def next_run(rule: Rule, after: float, zone: tzinfo, until: float | None = None) -> float | None:
    """Return the first run after `after` and not later than `until`; None if there is none."""
    return next(runs_after(rule, after, zone, until), None)


def runs_after(
    rule: Rule, after: float, zone: tzinfo, until: float | None = None
) -> Iterator[float]:
    """Yield the runs after `after` in order."""
    for run in _runs(rule, after, zone):
        if until is not None and run > until:
            return
        yield run


def _runs(rule: Rule, after: float, zone: tzinfo) -> Iterator[float]:
    match rule:
        case Once():
            if rule.at > after:
                yield rule.at
        case Every():
            passed = max(0.0, (after - rule.start) // rule.seconds + 1)
            run = rule.start + passed * rule.seconds
            while True:
                yield run
                run += rule.seconds
        case Calendar():
            run_at = _next_day(rule, after, zone)
            while run_at is not None:
                yield run_at
                run_at = _next_day(rule, run_at, zone)
        case Lunar():
            since = max(clock_time(after, zone), rule.first).date() - timedelta(days=2)
            for day in solar_days(rule.month, rule.day, since):
                moment = datetime.combine(day, time()) + timedelta(seconds=rule.seconds)
                if moment >= rule.first and unix_seconds_at(moment, zone) > after:
                    yield unix_seconds_at(moment, zone)
        case _:
            assert_never(rule)


def _next_day(rule: Calendar, after: float, zone: tzinfo) -> float | None:
    since = clock_time(after, zone) - _shift(after, zone)
    found: float | None = None
    last = datetime.max  # later candidates can't be earlier
    for line in rule.lines:
        hourly = _EVERY_HOUR in line
        for moment in _occurrences(line, rule.first, since):
            if moment > last:
                break
            if moment in rule.skipped:
                continue
            for run in _instants(moment, zone, both=hourly):
                if run > after and (found is None or run < found):
                    found, last = run, clock_time(run, zone) + _shift(run, zone)
    return found


def _shift(at: float, zone: tzinfo) -> timedelta:
    """Return how far around `at` clock times may be out of order: zero on most days."""
    around = (at - _SHIFT.total_seconds(), at, at + _SHIFT.total_seconds())
    offsets = {datetime.fromtimestamp(one, zone).utcoffset() for one in around}
    return _SHIFT if len(offsets) > 1 else timedelta()


def _occurrences(line: str, first: datetime, since: datetime) -> Iterator[datetime]:
    from dateutil.rrule import rrulestr  # takes 20 ms, so not at app start

    start = max(first, since)
    return iter(rrulestr(line, dtstart=_near(line, first, start)).xafter(start, inc=True))


def _near(line: str, first: datetime, since: datetime) -> datetime:
    """Return a day, not after `since`, from which `line` has the same runs as from `first`, so that
    the years between need not be searched.
    """
    parts = dict(part.split("=") for part in line.split(";"))
    step = int(parts.get("INTERVAL", "1"))
    passed = (since.date() - first.date()).days
    match parts["FREQ"]:
        case "DAILY":
            day = first.date() + timedelta(days=passed // step * step)
        case "WEEKLY":
            day = first.date() + timedelta(days=passed // (7 * step) * 7 * step)
            week_begins = _WEEKDAYS.index(parts.get("WKST", "MO"))
            day -= timedelta(days=(day.weekday() - week_begins) % 7)
        case "MONTHLY":
            months = (since.year - first.year) * 12 + since.month - first.month
            month = first.year * 12 + first.month - 1 + months // step * step
            day = first.date().replace(year=month // 12, month=month % 12 + 1, day=1)
        case _:
            years = (since.year - first.year) // step * step
            day = first.date().replace(year=first.year + years, month=1, day=1)
    return datetime.combine(day, time())


def _instants(moment: datetime, zone: tzinfo, *, both: bool) -> list[float]:
    """Return the times at which clocks show `moment`. An hourly rule runs in both hours (`both`)
    when clocks go back.
    """
    first = unix_seconds_at(moment, zone)
    second = moment.replace(tzinfo=zone, fold=1).timestamp() if both else first
    return [first, second] if second > first else [first]


def unix_seconds_at(moment: datetime, zone: tzinfo) -> float:
    """Return the Unix seconds at which the clocks of `zone` show `moment`."""
    return moment.replace(tzinfo=zone, fold=0).timestamp()


def clock_time(at: float, zone: tzinfo) -> datetime:
    """Return the local clock time in `zone`, without the zone."""
    return datetime.fromtimestamp(at, zone).replace(tzinfo=None, fold=0)
