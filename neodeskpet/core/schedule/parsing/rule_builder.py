"""Builds rules from a time phrase: none if it is over, several if it is ambiguous."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from itertools import islice

from neodeskpet.core.i18n import N_, InvalidValue
from neodeskpet.core.schedule.parsing.clock_times import ClockTime, SpokenTime
from neodeskpet.core.schedule.recurrence import DAYS
from neodeskpet.core.schedule.vocabulary import solar_day, solar_days

_DAY = timedelta(days=1)
_SECONDS = {"second": 1, "minute": 60, "hour": 3600}
_USUAL = 9
"""The default hour."""
_WORKDAYS = (0, 1, 2, 3, 4)
_YEARS = 9
"""Any nine years contain a leap day, in every century."""

Times = tuple[timedelta, ...]


@dataclass(frozen=True, slots=True)
class RuleDraft:
    """A rule in local clock time: at `moment`; or every `seconds`, first at `moment`; or by
    `lines`, counted from the first run after `moment` if a `step` skips some. `assumed`: the hour
    was not said; with `part` a part of the day was said.
    """

    moment: datetime
    seconds: int = 0
    lines: tuple[str, ...] = ()
    step: int = 1
    assumed: bool = False
    lunar: tuple[int, int] | None = None
    part: bool = False


def rule_drafts(
    said: SpokenTime, now: datetime, start: datetime | None, *, nearest: bool = False
) -> list[RuleDraft]:
    """Return all rules that `said` may mean, the most likely first; `start` is the beginning.
    `nearest`: an hour without am or pm is the next such hour, and on a named day 7 to 11 are in the
    morning. Raises InvalidValue.
    """
    if said.delay is not None:
        return [_delayed(said, now, start)]
    if nearest:
        said = _with_morning_hours(said)
    if said.every is not None and said.every[1] in _SECONDS:
        return [_interval(said, now, start)]
    if said.again or said.every is not None:
        return _again(said, start or now)
    if start is not None:
        raise InvalidValue(N_("“{text}” has a start but doesn't repeat."))
    if said.either:
        return _once(said, now) + _again(said, now)
    found = _once(said, now)
    named = _dates_named(said) and said.days != 0
    return found if named or not nearest else found[:1]


def _delayed(said: SpokenTime, now: datetime, start: datetime | None) -> RuleDraft:
    assert said.delay is not None
    if start is not None or replace(said, delay=None, bare=False) != SpokenTime():
        raise InvalidValue(N_("“{text}” has a delay and another time."))
    return RuleDraft(now + said.delay)


def _with_morning_hours(said: SpokenTime) -> SpokenTime:
    """Return the phrase with 7 to 11 as morning hours if it names a day other than today."""
    if said.days == 0 or not (_dates_named(said) or said.again or said.every is not None):
        return said
    clocks = tuple(
        replace(one, exact=True)
        if not (one.part or said.part or one.exact) and 7 <= one.hour <= 11
        else one
        for one in said.clocks
    )
    return replace(said, clocks=clocks)


def _dates_named(said: SpokenTime) -> bool:
    return bool(
        _names_day(said)
        or said.weekdays
        or said.monthdays
        or said.workday
        or said.workdays is not None
        or said.lunar
    )


# Repetitions


def _interval(said: SpokenTime, now: datetime, start: datetime | None) -> RuleDraft:
    assert said.every is not None
    count, unit = said.every
    seconds = round(count * _SECONDS[unit])
    if seconds < 60:
        raise InvalidValue(N_("“{text}” repeats too often: at most once a minute."))
    if said.hours is not None:
        low, high = said.hours
        days = f"BYDAY={_by_day(said.weekdays)};" if said.weekdays else ""
        clocks = _between(low, high, seconds)
        lines = tuple(f"FREQ=DAILY;{days}{clock};BYSECOND=0" for clock in clocks)
        return RuleDraft(start or now, lines=lines)
    if _names_day(said) or said.clocks or said.weekdays:
        raise InvalidValue(
            N_("“{text}”: a repetition every few minutes or hours can't have a day or a time.")
        )
    return RuleDraft(start or now + timedelta(seconds=seconds), seconds=seconds)


def _between(low: int, high: int, seconds: int) -> tuple[str, ...]:
    """Return the times of the day from one hour to another."""
    if seconds % 3600 == 0:
        hours = ",".join(str(one % 24) for one in range(low, high + 1, seconds // 3600))
        return (f"BYHOUR={hours};BYMINUTE=0",)
    if 3600 % seconds or seconds % 60 or high <= low:
        raise InvalidValue(
            N_(
                "“{text}”: between two hours it can repeat every hour, every few hours or"
                " several times an hour."
            )
        )
    hours = ",".join(str(one % 24) for one in range(low, high))
    minutes = ",".join(str(one) for one in range(0, 60, seconds // 60))
    return f"BYHOUR={hours};BYMINUTE={minutes}", f"BYHOUR={high % 24};BYMINUTE=0"


def _again(said: SpokenTime, start: datetime) -> list[RuleDraft]:
    if _names_day(replace(said, month=None if said.months else said.month)) or (
        said.workdays is not None
    ):
        raise InvalidValue(N_("“{text}” has one day and a repetition: write “starting …”."))
    if said.hours is not None:
        raise InvalidValue(N_("“{text}” has a range of hours, but not how often it repeats."))
    if said.times and said.times != len(said.clocks):
        raise InvalidValue(N_("“{text}” doesn't give all the times of the day."))
    if said.every == (1, "day") and (said.months or said.monthdays or said.nth or said.lunar):
        raise InvalidValue(N_("“{text}” has one day and a repetition: write “starting …”."))
    count, unit = said.every or (1, _unit(said))
    if said.lunar is not None:
        return _lunar_again(said, start, (count, unit))
    days, freq = _days(said, unit, start)
    if count != 1 and freq != unit:
        raise InvalidValue(
            N_("“{text}”: every {count} of these isn't supported."), count=f"{count:g}"
        )
    step = f"INTERVAL={count:g};" if count != 1 else ""
    found = []
    for times in _times(said):
        lines = tuple(
            f"FREQ={_FREQUENCIES[freq]};{step}{_shifted(days, shift)}{clock};BYSECOND=0"
            for shift, clock in _by_clock(times, apart="BYSETPOS" in days)
        )
        assumed = not said.clocks and not said.midnight
        found.append(RuleDraft(start, lines=lines, step=int(count), assumed=assumed))
    return found


def _lunar_again(said: SpokenTime, start: datetime, every: tuple[float, str]) -> list[RuleDraft]:
    if every != (1, "year") or said.weekdays or said.monthdays:
        raise InvalidValue(N_("“{text}”: a lunar date repeats once a year."))
    found = []
    for times in _times(said):
        if len(times) > 1:
            raise InvalidValue(
                N_("“{text}” has several times of one day; create one entry for each.")
            )
        moment = datetime.combine(start.date(), time()) + times[0]
        assumed = not said.clocks and not said.midnight
        found.append(RuleDraft(moment, assumed=assumed, lunar=said.lunar))
    return found


_FREQUENCIES = {"day": "DAILY", "week": "WEEKLY", "month": "MONTHLY", "year": "YEARLY"}


def _unit(said: SpokenTime) -> str:
    if said.months or said.lunar:
        return "year"
    if said.nth or said.monthdays or said.workday:
        return "month"
    return "week" if said.weekdays else "day"


def _days(said: SpokenTime, unit: str, start: datetime) -> tuple[dict[str, str], str]:
    """Return the RRULE parts for the days, and their unit."""
    months = {"BYMONTH": str(said.months[0])} if said.months else {}
    if said.workday:
        if said.weekdays or said.monthdays or unit == "week":
            raise InvalidValue(N_("“{text}” doesn't say which of these weekdays."))
        by_day = {"BYDAY": _by_day(_WORKDAYS), "BYSETPOS": str(said.workday)}
        return {**months, **by_day}, "year" if months else "month"
    if said.nth:
        days = ",".join(f"{n}{DAYS[day]}" for n in said.nth for day in said.weekdays)
        return {**months, "BYDAY": days}, "year" if months else "month"
    if said.monthdays:
        days = ",".join(str(one) for one in said.monthdays)
        wider = "year" if months else "month"
        if unit == "week" or said.weekdays:
            raise InvalidValue(N_("“{text}”: a day of the month and a weekday can't be combined."))
        return {**months, "BYMONTHDAY": days}, wider
    if said.weekdays:
        if unit in ("month", "year"):
            raise InvalidValue(N_("“{text}” doesn't say which of these weekdays."))
        return {"BYDAY": _by_day(said.weekdays)}, "week"
    own = {
        "day": {},
        "week": {"BYDAY": DAYS[start.weekday()]},
        "month": {"BYMONTHDAY": str(start.day)},
        "year": {"BYMONTH": str(start.month), "BYMONTHDAY": str(start.day)},
    }
    return own[unit], unit


def _by_day(weekdays: Sequence[int]) -> str:
    return ",".join(DAYS[day] for day in weekdays)


def _by_clock(times: Times, *, apart: bool) -> Iterator[tuple[int, str]]:
    """Yield the times; those with the same minute share a line unless they must be `apart`, because
    BYSETPOS counts times. A time after midnight belongs to the next day.
    """
    groups: dict[tuple[int, int, int], list[int]] = {}
    for at, one in enumerate(times):
        hours, minutes = divmod(int(one.total_seconds()) // 60, 60)
        key = (hours // 24, minutes, at if apart else 0)
        groups.setdefault(key, []).append(hours % 24)
    for (shift, minute, _), hours_of in groups.items():
        hours_said = ",".join(str(hour) for hour in sorted(set(hours_of)))
        yield shift, f"BYHOUR={hours_said};BYMINUTE={minute}"


def _shifted(days: dict[str, str], shift: int) -> str:
    if shift and set(days) == {"BYDAY"} and len(days["BYDAY"]) % 3 == 2:
        names = [DAYS[(DAYS.index(one) + 1) % 7] for one in days["BYDAY"].split(",")]
        days = {**days, "BYDAY": ",".join(names)}
    elif shift and days:
        raise InvalidValue(N_("“{text}”: write a time after midnight with the day it belongs to."))
    return "".join(f"{name}={value};" for name, value in days.items())


# Single times


def _once(said: SpokenTime, now: datetime) -> list[RuleDraft]:
    assumed = not said.clocks and not said.midnight
    if len(said.clocks) > 1:
        raise InvalidValue(N_("“{text}” has several times of one day; create one entry for each."))
    if said.hours is not None:
        raise InvalidValue(N_("“{text}” has a range of hours, but not how often it repeats."))
    found = []
    for days in _dates(said, now.date()):
        for (since_midnight,) in _times(said, now):
            moments = (datetime.combine(day, time()) + since_midnight for day in days)
            ahead = next((one for one in moments if one > now), None)
            if ahead is not None:
                found.append(RuleDraft(ahead, assumed=assumed, part=assumed and bool(said.part)))
    return sorted(set(found), key=lambda one: one.moment)


def _names_day(said: SpokenTime) -> bool:
    """Return whether the phrase names a day relative to today."""
    counted = (said.days, said.week, said.month, said.later, said.year, said.years)
    return said.vague or any(one is not None for one in counted)


def _dates(said: SpokenTime, today: date) -> list[list[date]]:
    """Return lists of possible days; of each list the first future one counts."""
    if said.lunar is not None:
        days = _lunar_dates(said, today)
    elif said.workdays is not None:
        days = [_working_day(today, said.workdays)]
    elif said.nth or said.monthdays or said.workday:
        days = _agreeing(_days_of_months(said, today), said, today)
    elif said.days is not None:
        days = _agreeing([today + _DAY * said.days], said, today)
    elif said.month is not None:
        if said.later is None:
            raise InvalidValue(N_("“{text}” doesn't say on which day."))
        days = [_months_on(today, said.month)]
    elif said.weekdays:
        return _weekdays(said, today)
    elif said.week is not None:
        raise InvalidValue(N_("“{text}” doesn't say on which day."))
    else:
        days = [today, today + _DAY]
    return [days]


def _lunar_dates(said: SpokenTime, today: date) -> list[date]:
    assert said.lunar is not None
    if said.monthdays or said.weekdays or said.days is not None or said.week is not None:
        raise InvalidValue(N_("“{text}” names two different days."))
    year = said.year if said.year is not None else today.year + (said.years or 0)
    if said.year is not None or said.years is not None:
        found = solar_day(year, *said.lunar)
        return [found] if found is not None else []
    return list(islice(solar_days(*said.lunar, today), 2))


def _working_day(today: date, count: int) -> date:
    day = today
    while count > 0:
        day += _DAY
        count -= day.weekday() in _WORKDAYS
    return day


def _agreeing(days: list[date], said: SpokenTime, today: date) -> list[date]:
    """Check that a weekday and a date agree: "Friday, 27 November"."""
    if said.days is not None and (said.monthdays or said.nth or said.workday):
        raise InvalidValue(N_("“{text}” names two different days."))
    if not said.weekdays or said.nth:
        return days
    ahead = [day for day in days if day >= today]
    if ahead and ahead[0].weekday() not in said.weekdays:
        raise InvalidValue(N_("“{text}”: that date is a different weekday."))
    return ahead[:1]


def _weekdays(said: SpokenTime, today: date) -> list[list[date]]:
    if len(said.weekdays) > 1:
        raise InvalidValue(N_("“{text}” names two different days."))
    (weekday,) = said.weekdays
    monday = today - _DAY * today.weekday()
    if said.week is not None:
        return [[monday + _DAY * (7 * said.week + weekday)]]
    coming = today + _DAY * ((weekday - today.weekday()) % 7)
    if said.after:
        return [[coming + _DAY * 7 * said.after]]
    if not said.vague:
        return [[coming, coming + _DAY * 7]]
    if coming == today:
        return [[today + _DAY * 7]]
    nearer = [[coming]]
    return [*nearer, [coming + _DAY * 7]] if coming < monday + _DAY * 7 else nearer


def _days_of_months(said: SpokenTime, today: date) -> list[date]:
    """Return the days in the meant months, including past ones."""
    if said.months:
        first = said.year if said.year is not None else today.year + (said.years or 0)
        fixed = said.year is not None or said.years is not None
        years = [first] if fixed else range(first, first + _YEARS)
        months = [(year, month) for year in years for month in said.months]
    elif said.month is not None:
        month = _months_on(today.replace(day=1), said.month)
        months = [(month.year, month.month)]
    else:
        ahead = (_months_on(today.replace(day=1), n) for n in range(13))
        months = [(month.year, month.month) for month in ahead]
    days = [day for year, month in months for day in _in_month(said, year, month)]
    if not days:
        raise InvalidValue(N_("“{text}”: there is no such day."))
    return sorted(days)


def _in_month(said: SpokenTime, year: int, month: int) -> Iterator[date]:
    first = date(year, month, 1)
    last = (_months_on(first, 1) - _DAY).day
    if said.workday:
        days = [n for n in range(1, last + 1) if date(year, month, n).weekday() in _WORKDAYS]
        if abs(said.workday) <= len(days):
            at = said.workday - 1 if said.workday > 0 else said.workday
            yield date(year, month, days[at])
        return
    if said.nth:
        days = [n for n in range(1, last + 1) if date(year, month, n).weekday() in said.weekdays]
        for nth in said.nth:
            if nth <= len(days):
                yield date(year, month, days[nth - 1 if nth > 0 else nth])
        return
    for day in said.monthdays:
        number = day if day > 0 else last + 1 + day
        if 1 <= number <= last:
            yield date(year, month, number)


def _months_on(day: date, months: int) -> date:
    """Return the same day `months` later, or the last day of a shorter month."""
    number = day.year * 12 + day.month - 1 + months
    first = date(number // 12, number % 12 + 1, 1)
    after = first.replace(day=28) + 4 * _DAY
    last = after - _DAY * after.day
    return first.replace(day=min(day.day, last.day))


# Times of day


def _times(said: SpokenTime, now: datetime | None = None) -> list[Times]:
    """Return the possible times since midnight."""
    if said.midnight:
        return _midnights(said)
    if said.clocks:
        ways = [_hours(one, said) for one in said.clocks]
        halves = max(len(one) for one in ways)
        found = [tuple(one[min(n, len(one) - 1)] for one in ways) for n in range(halves)]
        return [tuple(sorted(one)) for one in found]
    if said.hour is not None:
        return [(timedelta(hours=said.hour),)]
    if said.later is not None and now is not None:
        return [(now - datetime.combine(now.date(), time()),)]
    return [(timedelta(hours=_USUAL),)]


def _midnights(said: SpokenTime) -> list[Times]:
    begin, end = (timedelta(),), (timedelta(days=1),)
    if said.part == "night":
        return [end]
    daily = said.every == (1, "day") and not said.weekdays
    named = _dates_named(said)
    return [begin, end] if named and not daily else [begin]


def _hours(clock: ClockTime, said: SpokenTime) -> list[timedelta]:
    """Return the possible hours: without am or pm ("at 8", 8点) there are two."""
    part = clock.part or said.part
    minutes = timedelta(minutes=clock.minute, seconds=clock.second)
    hour = clock.hour
    if part:
        return [timedelta(hours=_hour_in(hour, part)) + minutes]
    at_work = said.weekdays == _WORKDAYS and 7 <= hour <= 11
    if clock.exact or hour == 12 or at_work:
        return [timedelta(hours=hour) + minutes]
    return [timedelta(hours=hour) + minutes, timedelta(hours=hour + 12) + minutes]


def _hour_in(hour: int, part: str) -> int:
    """Return the hour of the day; 24 and more for the hours after midnight of a night that began
    the day before. `part` is a part of the day of the vocabulary's DAY_PARTS.
    """
    match part:
        case "am":
            return hour % 12 if hour == 12 else hour
        case "pm":
            return hour + 12 if hour < 12 else hour
        case "noon":
            return hour + 12 if hour < 10 else hour
        case _:
            if hour == 12 or hour < 5:
                return hour % 12 + 24
            return hour + 12 if hour < 12 else hour
