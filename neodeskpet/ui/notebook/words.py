"""Times, in words."""

from __future__ import annotations

from datetime import datetime, time, timedelta

from neodeskpet.core.schedule.due import Due
from neodeskpet.language import tr
from neodeskpet.timers.repeat import Repeat
from neodeskpet.ui.chat.items.wording import format_day


def format_due_time(due: float, now: float) -> str:
    """When it rings: "17:30", "tomorrow 09:00", "Fri, Nov 28 09:00"."""
    then, today = datetime.fromtimestamp(due), datetime.fromtimestamp(now).date()
    if then.date() == today:
        return f"{then:%H:%M}"
    if then.date() == today + timedelta(days=1):
        return tr("tomorrow {time}", time=f"{then:%H:%M}")
    return f"{format_day(due, now)} {then:%H:%M}"


def due_words(due: Due, now: float) -> str:
    """When a to-do is due: "Today 17:00", "Tomorrow", "Fri, Dec 4"."""
    clock = f" {due.clock:%H:%M}" if due.clock else ""
    if due.day == datetime.fromtimestamp(now).date() + timedelta(days=1):
        return tr("Tomorrow") + clock
    return format_day(datetime.combine(due.day, time()).timestamp(), now) + clock


def format_remaining(seconds: float) -> str:
    """How long still, in two units: "in 2 d 3 h", "in 5 min 20 s"; "now" when it is over."""
    whole = max(0, round(seconds))
    minutes, rest = divmod(whole, 60)
    hours, minutes_left = divmod(minutes, 60)
    days, hours_left = divmod(hours, 24)
    if days:
        return tr("in {days} d {hours} h", days=str(days), hours=str(hours_left))
    if hours:
        return tr("in {hours} h {minutes} min", hours=str(hours), minutes=str(minutes_left))
    if minutes:
        return tr("in {minutes} min {seconds} s", minutes=str(minutes), seconds=str(rest))
    return tr("in {seconds} s", seconds=str(rest)) if rest else tr("now")


def format_repeat(repeat: Repeat) -> str:
    return {
        Repeat.ONCE: tr("Once"),
        Repeat.DAILY: tr("Every day"),
        Repeat.WEEKDAYS: tr("Monday to Friday"),
        Repeat.WEEKLY: tr("Every week"),
    }[repeat]
