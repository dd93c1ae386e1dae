"""A day of every year: somebody's birthday."""

from __future__ import annotations

from datetime import date, timedelta


def parse_month_day(text: str) -> tuple[int, int] | None:
    """Month and day of "5-17", "05-17" or "2001-05-17"; None for what is no day."""
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
    """Who was born on a 29th of February has the 28th in other years."""
    if day == (2, 29) and (today + timedelta(1)).month == 3:
        return today.month == 2
    return (today.month, today.day) == day
