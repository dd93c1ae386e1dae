"""Reads the one line in which the user writes a timer, an appointment, a to-do or a note."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta, tzinfo
from enum import StrEnum

from neodeskpet.core.i18n import N_, InvalidValue
from neodeskpet.core.schedule.due import Due, countdown_goal, find_due, text_without_time
from neodeskpet.core.schedule.parsing.time_finder import find_time
from neodeskpet.core.schedule.parsing.time_parser import (
    LONGEST_TEXT,
    AmbiguousTime,
    ParsedTime,
)
from neodeskpet.core.schedule.rule import Once, clock_time
from neodeskpet.core.schedule.vocabulary import parse_duration

_DAY = 86_400


class EntryKind(StrEnum):
    TIMER = "timer"
    APPOINTMENT = "appointment"
    TODO = "todo"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class QuickEntry:
    """The meaning of a line. `text` is the line without its time words. A timer has `seconds`, an
    appointment has `said` (its time words) and `meant`, a to-do may have `due`. An entry with a
    `fault` can't be added as this kind.
    """

    kind: EntryKind
    text: str
    seconds: float = 0.0
    said: str = ""
    meant: ParsedTime | None = None
    due: Due | None = None
    fault: InvalidValue | None = None


def read_entry(line: str, now: float, zone: tzinfo, wanted: EntryKind | None = None) -> QuickEntry:
    """Read a line. A countdown is a to-do with a due date. Else a duration makes a timer; a day
    with an hour, or a repetition, an appointment; a day alone a to-do with a due date; other text a
    to-do. `wanted` is the kind that the user chose.
    """
    line = " ".join(line.split())
    if wanted is EntryKind.NOTE:
        return QuickEntry(EntryKind.NOTE, line)
    if len(line) > LONGEST_TEXT:
        fault = InvalidValue(N_("The text is too long to find a time in it."))
        timed = wanted in (EntryKind.TIMER, EntryKind.APPOINTMENT)
        return QuickEntry(wanted or EntryKind.TODO, line, fault=fault if timed else None)
    line = _with_whole_weekday(line)
    if wanted is EntryKind.TODO or (wanted is None and countdown_goal(line)):
        return _todo(line, now, zone)
    if wanted is EntryKind.TIMER:
        fault = InvalidValue(N_("Write how long: “tea 5 min”."))
        return _timer(line, now, zone) or QuickEntry(wanted, line, fault=fault)
    appointment = _appointment(line, now, zone)
    if wanted is EntryKind.APPOINTMENT:
        fault = InvalidValue(N_("Write when: “dentist Tue 4pm”."))
        return appointment or QuickEntry(wanted, line, fault=fault)
    timer = _timer(line, now, zone)
    if timer is not None:
        return timer
    if appointment is None or (appointment.meant is not None and appointment.meant.assumed):
        return _todo(line, now, zone)
    return appointment


_WEEKDAYS = {
    "mon": "Monday",
    "tue": "Tuesday",
    "tues": "Tuesday",
    "wed": "Wednesday",
    "thu": "Thursday",
    "thur": "Thursday",
    "thurs": "Thursday",
    "fri": "Friday",
}
"""Without "sat" and "sun", which are ordinary words at the end of a sentence."""
_LAST_WEEKDAY = re.compile(rf"(?<=\s)(?:{'|'.join(_WEEKDAYS)})$", re.IGNORECASE | re.ASCII)


def _with_whole_weekday(line: str) -> str:
    """Replace a short weekday by the full name: the grammar accepts short ones only with an hour,
    which "buy film fri" lacks.
    """
    return _LAST_WEEKDAY.sub(lambda found: _WEEKDAYS[found[0].casefold()], line)


def _todo(line: str, now: float, zone: tzinfo) -> QuickEntry:
    task = find_due(line, now, zone)
    if task.due is None and countdown_goal(line):
        # 距离考研还有27天
        timer = _timer(line, now, zone)
        if timer is not None and countdown_goal(timer.text) and not timer.seconds % _DAY:
            return QuickEntry(EntryKind.TODO, timer.text, due=_in_days(timer.seconds, now, zone))
    # "Countdown to Christmas": the words of the day are its name too.
    text = line if countdown_goal(task.text) == "" else task.text
    return QuickEntry(EntryKind.TODO, text, due=task.due)


def _in_days(seconds: float, now: float, zone: tzinfo) -> Due:
    return Due(clock_time(now, zone).date() + timedelta(seconds=seconds))


def _timer(line: str, now: float, zone: tzinfo) -> QuickEntry | None:
    found = find_time(line, now, zone, bare=True)
    length = parse_duration(found.words) if found.words else None
    if length is None:
        return None
    return QuickEntry(EntryKind.TIMER, text_without_time(found.rest), length.total_seconds())


def _appointment(line: str, now: float, zone: tzinfo) -> QuickEntry | None:
    found = find_time(line, now, zone)
    if not found.words:
        return None
    text = text_without_time(found.rest) or line
    match found.reading:
        case ParsedTime() as meant:
            fault = None
        case AmbiguousTime() as doubt:
            meant, fault = doubt.readings[0], doubt.question(now, zone)
        case None:
            return QuickEntry(EntryKind.APPOINTMENT, text, said=found.words, fault=found.refusal)
    if not isinstance(meant.rule, Once):
        meant = _with_time(meant)
    return QuickEntry(EntryKind.APPOINTMENT, text, said=found.words, meant=meant, fault=fault)


def _with_time(meant: ParsedTime) -> ParsedTime:
    """Treat a repetition as having a time, even if no hour was said."""
    return ParsedTime(meant.rule, meant.until)
