"""Days of the Chinese lunar calendar. The library is loaded when the first one is needed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

LAST = -1
"""As a day of a month: its last."""
FEASTS = {
    "除夕": (12, LAST), "大年三十": (12, LAST), "年三十": (12, LAST), "春节": (1, 1),
    "大年初一": (1, 1), "大年初二": (1, 2), "大年初三": (1, 3), "大年初四": (1, 4),
    "大年初五": (1, 5), "大年初六": (1, 6), "大年初七": (1, 7), "元宵节": (1, 15), "元宵": (1, 15),
    "端午节": (5, 5), "端午": (5, 5), "七夕节": (7, 7), "七夕": (7, 7), "中元节": (7, 15),
    "中秋节": (8, 15), "中秋": (8, 15), "重阳节": (9, 9), "重阳": (9, 9), "腊八节": (12, 8),
    "腊八": (12, 8), "chinese new year's eve": (12, LAST), "lunar new year's eve": (12, LAST),
    "chinese new year": (1, 1), "lunar new year": (1, 1), "spring festival": (1, 1),
    "lantern festival": (1, 15), "dragon boat festival": (5, 5), "mid-autumn festival": (8, 15),
}  # fmt: skip
"""Month and day of each festival."""


def solar_day(year: int, month: int, day: int) -> date | None:
    """The solar date of a day of the lunar year that begins in `year` (1900 to 2100); None where
    that month has no such day. The 30th of the last month is its last day, which may be the 29th.
    """
    from borax.calendars.lunardate import InvalidLunarDateError, LunarDate

    if (month, day) == (12, 30):
        day = LAST
    for number in (30, 29) if day == LAST else (day,):
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
