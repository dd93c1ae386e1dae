"""When a timer that comes again rings next. Pure but for the computer's time zone."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum


class Repeat(StrEnum):
    ONCE = ""
    DAILY = "daily"
    WEEKDAYS = "weekdays"
    """Monday to Friday."""
    WEEKLY = "weekly"


def first_due(due: float, repeat: Repeat) -> float:
    """`due`, or the next of its days where it isn't on one."""
    weekend = repeat is Repeat.WEEKDAYS and datetime.fromtimestamp(due).weekday() > 4
    return (next_due(due, repeat, due) or due) if weekend else due


def next_due(due: float, repeat: Repeat, now: float) -> float | None:
    """The first time after `now`, at the clock time of `due` on its days; None for ONCE. Unix
    seconds. The clock time stays when the clocks change.
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
