"""Moments and durations in words."""

from __future__ import annotations

from datetime import datetime

from neodeskpet.core.schedule.vocabulary import SHORT_MONTHS, SHORT_WEEKDAYS, ZH_WEEKDAYS
from neodeskpet.llm.offline.request import OfflineRequest

_SIZES = (
    (86400, "day", "天"),
    (3600, "hour", "小时"),
    (60, "minute", "分钟"),
    (1, "second", "秒"),
)


def render_seconds(ask: OfflineRequest, seconds: float) -> str:
    """`1 hour 5 minutes` / 1小时5分钟, the two largest units."""
    left = max(1, round(seconds))
    parts = []
    for size, english, chinese in _SIZES:
        count, left = divmod(left, size)
        if count:
            ending = "" if count == 1 else "s"
            parts.append(ask.pick(f"{count} {english}{ending}", f"{count}{chinese}"))
    return ask.pick(" ", "").join(parts[:2])


def render_moment(ask: OfflineRequest, moment: datetime, now: datetime) -> str:
    """`17:30` today, else `Thu 3 Dec 08:00` / 12月3日 周四 08:00; the year if it is another."""
    if moment.date() == now.date():
        return f"{moment:%H:%M}"
    weekday = moment.weekday()
    other_year = moment.year != now.year
    month = SHORT_MONTHS[moment.month - 1]
    en_year = f" {moment.year}" if other_year else ""
    english = f"{SHORT_WEEKDAYS[weekday]} {moment.day} {month}{en_year}"
    year = f"{moment.year}年" if other_year else ""
    chinese = f"{year}{moment.month}月{moment.day}日 周{ZH_WEEKDAYS[weekday]}"
    return f"{ask.pick(english, chinese)} {moment:%H:%M}"
