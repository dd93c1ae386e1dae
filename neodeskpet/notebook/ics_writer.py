"""Writes appointments and to-dos as an iCalendar file (RFC 5545), in a child process: `python -m
neodeskpet.notebook.ics_writer SECONDS`. In a thread of the app, the rules of a large calendar would
hold up the windows.

A frame is made by `write_request`; the reply is the file.
"""

from __future__ import annotations

import json
import logging
import sys
import warnings
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from typing import Any, assert_never
from zoneinfo import ZoneInfo

from neodeskpet import __version__
from neodeskpet.core.i18n import InvalidValue
from neodeskpet.core.schedule.due import Due, parse_due
from neodeskpet.core.schedule.parsing.time_parser import ParsedTime, parse_time
from neodeskpet.core.schedule.rule import (
    Calendar,
    Every,
    Lunar,
    Once,
    clock_time,
    runs_after,
    unix_seconds_at,
)
from neodeskpet.notebook.appointment import (
    LOCAL_ZONE,
    Appointment,
    Maker,
    find_zone,
    read_rule,
    write_rule,
)
from neodeskpet.notebook.ics_entries import file_uid
from neodeskpet.notebook.todos import Todo
from neodeskpet.platform.child_process import serve_frames

_LUNAR_YEARS = 20
"""Years for which dates of the lunar calendar are written out: few programs can compute them."""


def main(arguments: Sequence[str]) -> int:
    """Answer requests until standard input ends; return the exit code."""
    logging.disable()
    warnings.simplefilter("ignore")
    return serve_frames(answer, float(arguments[0]))


def write_request(
    appointments: Mapping[str, Appointment], todos: Mapping[str, Todo], now: float
) -> bytes:
    """Return the frame that asks for the file with these entries, by their `uid`."""

    def moments(one: Appointment) -> tuple[float | None, float]:
        return one.until, one.made

    asked = {
        "now": now,
        "appointments": [
            [uid, one.title, one.prompt, one.said, write_rule(one.rule), one.zone, *moments(one)]
            for uid, one in appointments.items()
        ],
        "todos": [
            [uid, one.text, one.created, one.done, str(one.due or "")] for uid, one in todos.items()
        ],
    }
    return json.dumps(asked).encode()


def answer(frame: bytes) -> bytes:
    asked = json.loads(frame)
    appointments = {
        uid: Appointment(
            uid,
            title,
            prompt,
            said,
            read_rule(rule),
            zone,
            until,
            due=None,
            paused=False,
            maker=Maker.PERSON,
            made=made,
        )
        for uid, title, prompt, said, rule, zone, until, made in asked["appointments"]
    }
    todos = {
        uid: Todo(0, text, created, done, due=parse_due(due))
        for uid, text, created, done, due in asked["todos"]
    }
    return write_ics(appointments, todos, float(asked["now"]))


def write_ics(
    appointments: Mapping[str, Appointment], todos: Mapping[str, Todo], now: float
) -> bytes:
    """Return the file with these entries, by their `uid` in the notebook. A to-do without a due
    date is left out. An appointment without a zone is written in floating local time, its meaning
    here.
    """
    import icalendar  # takes 0.2 s, so it is not imported at the start of the app

    calendar = icalendar.Calendar()
    calendar.add("prodid", f"-//NeoDeskPet//{__version__}//")
    calendar.add("version", "2.0")
    stamp = datetime.fromtimestamp(int(now), UTC)
    for uid, one in appointments.items():
        starts = _starts(one)
        if starts:
            calendar.add_component(_event(icalendar, one, uid, starts, stamp))
    for uid, todo in todos.items():
        if todo.due is not None:
            calendar.add_component(_todo(icalendar, todo, todo.due, uid, stamp))
    calendar.add_missing_timezones()
    return bytes(calendar.to_ical())


def _event(
    icalendar: Any, one: Appointment, uid: str, starts: list[float], stamp: datetime
) -> object:
    event = icalendar.Event()
    event.add("uid", file_uid(uid))
    event.add("dtstamp", stamp)
    event.add("created", datetime.fromtimestamp(int(one.made), UTC))
    event.add("summary", one.title)
    if one.prompt:
        event.add("description", one.prompt)
    whole = _is_whole_day(one)
    start = _moment(starts[0], one, whole=whole)
    event.add("dtstart", start)
    match one.rule:
        case Once():
            pass
        case Every(seconds=seconds):
            rule = {"freq": "MINUTELY", "interval": seconds // 60}
            if seconds % 60:
                rule = {"freq": "SECONDLY", "interval": seconds}
            event.add("rrule", _ending(rule, one, start))
        case Calendar(lines=lines, skipped=skipped):
            for line in lines:
                written = icalendar.vRecur.from_ical(
                    _plain(line, clock_time(starts[0], _zone(one)))
                )
                event.add("rrule", _ending(written, one, start))
            for moment in sorted(skipped):
                event.add("exdate", _moment(unix_seconds_at(moment, _zone(one)), one, whole=whole))
        case Lunar():
            event.add("rdate", [_moment(at, one, whole=whole) for at in starts[1:]])
        case _:
            assert_never(one.rule)
    alarm = icalendar.Alarm()
    alarm.add("action", "DISPLAY")
    alarm.add("description", one.title)
    alarm.add("trigger", timedelta(hours=9) if whole else timedelta())
    event.add_component(alarm)
    return event


def _todo(icalendar: Any, todo: Todo, due: Due, uid: str, stamp: datetime) -> object:
    entry = icalendar.Todo()
    entry.add("uid", file_uid(uid))
    entry.add("dtstamp", stamp)
    entry.add("created", datetime.fromtimestamp(int(todo.created), UTC))
    entry.add("summary", todo.text)
    entry.add("due", due.day if due.clock is None else due.end)
    if todo.done is not None:
        entry.add("status", "COMPLETED")
        entry.add("completed", datetime.fromtimestamp(int(todo.done), UTC))
    return entry


def _zone(one: Appointment) -> Any:
    return find_zone(one.zone)


def _starts(one: Appointment) -> list[float]:
    """Return the first date, and the dates of some years for the lunar calendar."""
    match one.rule:
        case Once(at=at):
            return [at]
        case Every(start=start):
            return [start]
        case Calendar(first=first):
            since = unix_seconds_at(first, _zone(one)) - 1
        case Lunar(first=first):
            since = unix_seconds_at(first, _zone(one)) - 1
    runs = runs_after(one.rule, since, _zone(one), one.until)
    return list(islice(runs, _LUNAR_YEARS if isinstance(one.rule, Lunar) else 1))


def _is_whole_day(one: Appointment) -> bool:
    """Return whether the text of an appointment has a day and no time, as that of an imported
    all-day event.
    """
    if isinstance(one.rule, Every):
        return False
    try:
        found = parse_time(one.said, one.made, LOCAL_ZONE)
    except InvalidValue:
        return False
    return isinstance(found, ParsedTime) and found.assumed and not found.part


def _moment(at: float, one: Appointment, *, whole: bool) -> date | datetime:
    zone = _zone(one)
    if whole:
        return clock_time(at, zone).date()
    if isinstance(zone, ZoneInfo) and not isinstance(one.rule, Every):
        return datetime.fromtimestamp(at, zone)
    if isinstance(one.rule, Once | Every):
        return datetime.fromtimestamp(at, UTC)
    return clock_time(at, zone)  # a floating time: local wherever the file is read


def _plain(line: str, start: datetime) -> str:
    """Return the rule without the time that the start has as well: some programs can't read it."""
    at_start = {f"BYHOUR={start.hour}", f"BYMINUTE={start.minute}", "BYSECOND=0"}
    parts = line.split(";")
    if at_start <= set(parts):
        parts = [part for part in parts if part not in at_start]
    return ";".join(parts)


def _ending(rule: Any, one: Appointment, start: date | datetime) -> Any:
    """Return the rule with its end, in the same form as the start (RFC 5545, 3.3.10)."""
    if one.until is None:
        return rule
    wall = clock_time(one.until, _zone(one))
    until: date | datetime
    if not isinstance(start, datetime):
        until = wall.date()
    elif start.tzinfo is None:
        until = wall
    else:
        until = datetime.fromtimestamp(int(one.until), UTC)
    rule["until"] = [until]
    return rule


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
