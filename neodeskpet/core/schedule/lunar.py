"""Days of the Chinese lunar calendar. The library is loaded when the first one is needed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

LAST_DAY = -1
"""As a day of a month: its last."""


def solar_day(year: int, month: int, day: int) -> date | None:
    """The solar date of a day of the lunar year that begins in `year` (1900 to 2100); None where
    that month has no such day. The 30th of the last month is its last day, which may be the 29th.
    """
    from borax.calendars.lunardate import InvalidLunarDateError, LunarDate

    if (month, day) == (12, 30):
        day = LAST_DAY
    for number in (30, 29) if day == LAST_DAY else (day,):
        try:
            found = LunarDate(year, month, number, 0).to_solar_date()
        except (InvalidLunarDateError, ValueError):
            continue
        return date(found.year, found.month, found.day)
    return None


def solar_days(month: int, day: int, since: date) -> Iterator[date]:
    """The solar dates of a lunar day, from `since` on, in order."""
    for year in range(since.year - 1, 2101):
        found = solar_day(year, month, day)
        if found is not None and found >= since:
            yield found
