"""The child process that reads iCalendar files: `python -m neodeskpet.notebook.ics_reader_child
SECONDS`.

A frame is `{"path", "now", "language"}`. The reply is the content of the file
(`ics_entries.write_content`), or `{"refused": text, "params": {}}`, or `{"failed": text}`.

An event without a time rings at 9:00. An exception of a series becomes an appointment of its own.
A prompt for the companion never comes from a file: descriptions are not read.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, tzinfo
from pathlib import Path
from typing import Any

from neodeskpet.core.i18n import N_, InvalidValue, Reason
from neodeskpet.core.schedule.due import Due
from neodeskpet.core.schedule.parsing.time_parser import ParsedTime, parse_time
from neodeskpet.core.schedule.recurrence import DAYS, read_rrule, rrule_end
from neodeskpet.core.schedule.rule import (
    Calendar,
    Every,
    Once,
    clock_time,
    next_run,
    unix_seconds_at,
)
from neodeskpet.core.schedule.vocabulary import SHORT_MONTHS
from neodeskpet.core.unicode_text import cut_graphemes, show_hidden_chars
from neodeskpet.language import language, set_language, tr
from neodeskpet.notebook.appointment import LOCAL_ZONE, find_zone
from neodeskpet.notebook.ics_entries import (
    IcsAppointment,
    IcsContent,
    IcsProblem,
    IcsTodo,
    notebook_uid,
    write_content,
)
from neodeskpet.notebook.todos import MOST_TODO_CHARACTERS
from neodeskpet.platform.child_process import serve_frames
from neodeskpet.platform.private_files import TooLarge, read_regular
from neodeskpet.platform.text_encoding import decode_text

MOST_BYTES = 10_000_000
MOST_COMPONENTS = 5_000
_MOST_TITLE = 200
_MOST_DATES = 200
"""The largest number of dates that are left out of one series, or added to it."""
_MOST_PROBLEMS = 200
_DAY_CLOCK = time(9)
"""The time at which an event without a time rings: the same that the grammar of times assumes."""
_STEPS = {"SECONDLY": 1, "MINUTELY": 60, "HOURLY": 3_600}
_COMPONENT = re.compile(
    r"^BEGIN:(VEVENT|VTODO)\s*?$.*?^END:\1\s*?$", re.MULTILINE | re.DOTALL | re.IGNORECASE
)


class IcsRefused(Exception):
    """The file as a whole can't be read; `text` is marked with N_."""

    def __init__(self, text: str, **params: str) -> None:
        super().__init__(text)
        self.text = text
        self.params = params


def main(arguments: Sequence[str]) -> int:
    """Answer requests until standard input ends; return the exit code."""
    logging.disable()
    warnings.simplefilter("ignore")
    return serve_frames(answer, float(arguments[0]))


def answer(frame: bytes) -> bytes:
    reply: Mapping[str, object]
    asked = json.loads(frame)
    set_language(asked["language"])
    try:
        data = read_regular(Path(asked["path"]), MOST_BYTES)
        reply = write_content(read_ics(data, float(asked["now"])))
    except TooLarge:
        reply = {"refused": _LARGE, "params": {"size": str(MOST_BYTES // 1_000_000)}}
    except IcsRefused as refused:
        reply = {"refused": refused.text, "params": refused.params}
    except OSError as error:
        reply = {"failed": str(error)}
    return json.dumps(reply).encode()


def read_ics(data: bytes, now: float) -> IcsContent:
    """Return the entries of the file that are not over at `now` (Unix seconds). Raises
    IcsRefused.
    """
    text, _encoding = decode_text(data)
    if "BEGIN:VCALENDAR" not in text[:10_000].upper():
        raise IcsRefused(N_("It is not a calendar file (iCalendar)."))
    content = _Content(now)
    for component in _components(text, content):
        content.add(component)
    return content.finish()


def _components(text: str, content: _Content) -> Iterator[Any]:
    """Yield the events and to-dos. If one line makes the whole file invalid, each entry is parsed
    separately.
    """
    import icalendar

    try:
        found = [
            one
            for calendar in icalendar.Calendar.from_ical(text, multiple=True)
            for one in calendar.walk()
            if one.name in ("VEVENT", "VTODO")
        ]
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError):
        found = list(_single_components(text, content))
    if len(found) > MOST_COMPONENTS:
        raise IcsRefused(N_("It has more than {count} entries."), count=str(MOST_COMPONENTS))
    yield from found


def _single_components(text: str, content: _Content) -> Iterator[Any]:
    import icalendar

    for part in _COMPONENT.finditer(text):
        try:
            yield icalendar.Component.from_ical(part[0])
        except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError):
            title = re.search(r"^SUMMARY[^:\n]*:(.*)$", part[0], re.MULTILINE)
            content.refuse(_line(title[1]) if title else "", Reason(_UNREADABLE))


_LARGE = N_("It is larger than {size} MB.")
_UNREADABLE = N_("It is damaged.")
_NO_START = N_("It has no readable date.")


@dataclass(frozen=True, slots=True)
class _Start:
    """The start of an event: the local time in the zone of this name, and Unix seconds. `known`:
    the zone has a name, or is the computer's own. `whole_day`: no time is given.
    """

    clock: datetime
    at: float
    zone: str
    known: bool = True
    whole_day: bool = False


@dataclass(frozen=True, slots=True)
class _Event:
    """An appointment of the file; `replaces` is the date of its series that it replaces, as in the
    file. Of two entries with the same id the one with the higher `sequence` is used.
    """

    found: IcsAppointment
    start: _Start
    sequence: int
    replaces: object = None


class _Content:
    """Collects the entries of one file."""

    def __init__(self, now: float) -> None:
        self._now = now
        self._over = 0
        self._events: dict[str, _Event] = {}
        self._todos: dict[str, IcsTodo] = {}
        self._problems: list[IcsProblem] = []

    def refuse(self, title: str, reason: Reason) -> None:
        self._problems.append(IcsProblem(title, reason))

    def add(self, component: Any) -> None:
        title = _title(component)
        try:
            if component.name == "VTODO":
                self._add_todo(component, title)
            else:
                self._add_event(component, cut_graphemes(title or tr("Appointment"), _MOST_TITLE))
        except InvalidValue as error:
            self.refuse(title, Reason(error.text, error.params))
        except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError):
            self.refuse(title, Reason(_UNREADABLE))

    def finish(self) -> IcsContent:
        """Return the content without past entries, without the dates of series that exceptions
        replace, and without exceptions for dates that the series leaves out.
        """
        moved: dict[str, set[datetime]] = {}
        dropped = set()
        for uid, event in self._events.items():
            series = self._events.get(event.found.series)
            if event.replaces is None or series is None:
                continue
            rule = series.found.rule
            if isinstance(rule, Calendar):
                clock = _clock_of(event.replaces, series.start)
                moved.setdefault(event.found.series, set()).add(clock)
                if clock in rule.skipped:
                    dropped.add(uid)
        coming = []
        for uid, event in self._events.items():
            one = event.found
            if uid in moved and isinstance(one.rule, Calendar):
                one = replace(one, rule=replace(one.rule, skipped=one.rule.skipped | moved[uid]))
            if next_run(one.rule, self._now, find_zone(one.zone), one.until) is None:
                self._over += 1
            elif uid not in dropped:
                coming.append(one)
        problems = tuple(self._problems[:_MOST_PROBLEMS])
        return IcsContent(tuple(coming), tuple(self._todos.values()), self._over, problems)

    def _add_todo(self, component: Any, title: str) -> None:
        if _status(component) in ("COMPLETED", "CANCELLED") or "COMPLETED" in component:
            self._over += 1
            return
        if not title:
            raise InvalidValue(N_("It has no title."))
        due = _due(component)
        uid = notebook_uid(_uid(component, title, str(due)))
        self._todos[uid] = IcsTodo(uid, cut_graphemes(title, MOST_TODO_CHARACTERS), due)

    def _add_event(self, component: Any, title: str) -> None:
        start = _start(component.get("DTSTART"))
        name = _uid(component, title, start.clock.isoformat())
        series = notebook_uid(name)
        sequence = int(component.get("SEQUENCE", 0))
        date_of_series = component.get("RECURRENCE-ID")
        if date_of_series is not None:
            if "RANGE" in date_of_series.params:
                raise InvalidValue(N_("It changes all later dates of a series."))
            uid = _part(name, _start(date_of_series))
            single = IcsAppointment(
                uid, series, title, _single_time_text(start), Once(start.at), "", None
            )
            if _status(component) == "CANCELLED":
                single = replace(single, until=0.0)
            self._put(_Event(single, start, sequence, date_of_series.dt))
            return
        if _status(component) == "CANCELLED":
            self._over += 1
            return
        rules = _rules(component)
        first = IcsAppointment(
            series, series, title, _single_time_text(start), Once(start.at), "", None
        )
        found = _recurring(component, rules, start, first, name) if rules else [first]
        for one in found:
            self._put(_Event(one, start, sequence))
        left_out = {_start_of(one).at for one in _dates(component, "EXDATE")}
        for extra in _dates(component, "RDATE"):
            at = _start_of(extra, whole_days_at=start)
            uid = _part(name, at)
            if uid not in self._events and at.at not in left_out and not _comes_at(found, at.at):
                said = _single_time_text(at)
                single = replace(first, uid=uid, said=said, rule=Once(at.at))
                self._put(_Event(single, at, -1))

    def _put(self, event: _Event) -> None:
        there = self._events.get(event.found.uid)
        if there is None or there.sequence <= event.sequence:
            self._events[event.found.uid] = event


def _status(component: Any) -> str:
    return str(component.get("STATUS", "")).upper()


def _part(name: str, start: _Start) -> str:
    """Return the `uid` of one date of the series with this UID."""
    return notebook_uid(name, str(int(start.at)))


def _comes_at(found: Iterable[IcsAppointment], at: float) -> bool:
    return any(next_run(one.rule, at - 1, find_zone(one.zone), one.until) == at for one in found)


def _rules(component: Any) -> list[str]:
    """Return the rules, such as `FREQ=WEEKLY;BYDAY=TU`, each once. A COUNT without effect is left
    out.
    """
    found = component.get("RRULE")
    texts = []
    for rule in found if isinstance(found, list) else [found] if found is not None else []:
        parts = [part for part in rule.to_ical().decode().upper().split(";") if part]
        parts = [part for part in parts if not re.fullmatch(r"COUNT=(?:-\d+|0)", part)]
        texts.append(";".join(sorted(parts, key=lambda part: not part.startswith("FREQ="))))
    return list(dict.fromkeys(filter(None, texts)))


def _recurring(
    component: Any, rules: Sequence[str], start: _Start, first: IcsAppointment, name: str
) -> list[IcsAppointment]:
    """Return one appointment for each rule; rules without an end are merged. Raises
    InvalidValue.
    """
    if not start.known:
        raise InvalidValue(N_("Its time zone is unknown, so its dates can't be repeated."))
    if "EXRULE" in component:
        raise InvalidValue(N_("It has a rule of exceptions (EXRULE)."))
    skipped = frozenset(_clock_of(one, start) for one in _dates(component, "EXDATE"))
    found: list[IcsAppointment] = []
    for number, text in enumerate(rules):
        uid = notebook_uid(name, f"rule {number}") if number else first.uid
        every = _every(text, start)
        if every is not None:
            one = replace(first, uid=uid, said=text, rule=every[0], until=every[1])
            found.append(one)
            continue
        calendar = read_rrule(f"DTSTART:{start.clock:%Y%m%dT%H%M%S} RRULE:{text}", start.clock)
        if calendar is None:
            raise InvalidValue(_UNREADABLE)
        until = rrule_end(text, calendar, find_zone(start.zone))
        rule = replace(calendar, skipped=skipped)
        said = _repeated_time_text(rule, start) or text
        one = replace(first, uid=uid, said=said, rule=rule, zone=start.zone, until=until)
        before = found[-1] if found else None
        endless = until is None and (before is None or before.until is None)
        if before is not None and endless and isinstance(before.rule, Calendar):
            lines = (*before.rule.lines, *rule.lines)
            words = f"{before.said} / {said}"
            found[-1] = replace(before, said=words, rule=replace(before.rule, lines=lines))
        else:
            found.append(one)
    return found


def _every(text: str, start: _Start) -> tuple[Every, float | None] | None:
    """Return the interval of a rule in seconds, independent of daylight saving time, and its end;
    None for a rule of days. Raises InvalidValue.
    """
    parts = dict(part.partition("=")[::2] for part in text.split(";"))
    unit = _STEPS.get(parts.get("FREQ", ""))
    if unit is None:
        return None
    if set(parts) - {"FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST"}:
        raise InvalidValue(N_("“{text}” can't be read as a rule."), text=text)
    seconds = unit * int(parts.get("INTERVAL", "1"))
    if not 60 <= seconds <= 31_622_400:
        raise InvalidValue(N_("“{text}” can't be read as a rule."), text=text)
    if "COUNT" in parts:
        return Every(start.at, seconds), start.at + (int(parts["COUNT"]) - 1) * seconds
    end = None
    if "UNTIL" in parts:
        daily = Calendar(start.clock, ("FREQ=DAILY",))
        end = rrule_end(f"FREQ=DAILY;UNTIL={parts['UNTIL']}", daily, find_zone(start.zone))
    return Every(start.at, seconds), end


def _start(value: Any) -> _Start:
    """Return the start of an event. Raises InvalidValue."""
    try:
        moment = value.dt
    except (AttributeError, ValueError):
        raise InvalidValue(_NO_START) from None
    return _start_of(moment, str(value.params.get("TZID", "")))


def _start_of(moment: object, named: str = "", *, whole_days_at: _Start | None = None) -> _Start:
    """Return the start at a moment. `whole_days_at`: a date without a time gets the time of this
    start. Raises InvalidValue.
    """
    if isinstance(moment, tuple):  # a period
        moment = moment[0]
    if not isinstance(moment, date):
        raise InvalidValue(_NO_START)
    if not isinstance(moment, datetime):
        hour = _DAY_CLOCK if whole_days_at is None else whole_days_at.clock.time()
        clock = datetime.combine(moment, hour)
        return _Start(clock, unix_seconds_at(clock, LOCAL_ZONE), "", whole_day=True)
    clock = moment.replace(tzinfo=None, second=0, microsecond=0)
    if moment.tzinfo is None:
        if named:
            find_zone(named)  # an unknown name is an error; it must not become the computer's zone
        return _Start(clock, unix_seconds_at(clock, find_zone(named)), named)
    at = moment.replace(second=0, microsecond=0).timestamp()
    zone = getattr(moment.tzinfo, "key", None) or _same_zone(moment.tzinfo, moment.year)
    return _Start(clock, at, zone or "", known=zone is not None)


def _same_zone(own: tzinfo, year: int) -> str | None:
    """Return the named zone with the same local times all year as a zone that the file defines
    itself, as Outlook does; None if no common zone has.
    """
    moments = [datetime(year, month, 15, 12) for month in range(1, 13)]
    wanted = [moment.replace(tzinfo=own).utcoffset() for moment in moments]
    for name in ("", *_USUAL_ZONES):
        zone = find_zone(name)
        if [moment.replace(tzinfo=zone).utcoffset() for moment in moments] == wanted:
            return name
    return None


_USUAL_ZONES = (
    "UTC",
    "Europe/London",
    "Europe/Berlin",
    "Europe/Athens",
    "Europe/Moscow",
    "Asia/Kolkata",
    "Asia/Bangkok",
    "Asia/Shanghai",
    "Asia/Tokyo",
    "Australia/Sydney",
    "Pacific/Auckland",
    "America/New_York",
    "America/Chicago",
    "America/Denver",
    "America/Los_Angeles",
    "America/Sao_Paulo",
)


def _clock_of(moment: object, start: _Start) -> datetime:
    """Return a date of a series as local time in the zone of the series."""
    one = _start_of(moment)
    if one.whole_day or start.whole_day:
        wall = one.clock if one.whole_day else clock_time(one.at, LOCAL_ZONE)
        return datetime.combine(wall, start.clock.time())
    if isinstance(moment, datetime) and moment.tzinfo is not None:
        return clock_time(one.at, find_zone(start.zone))
    return one.clock


def _dates(component: Any, name: str) -> list[object]:
    """Return the dates of a property that may occur several times, with several dates each. Raises
    InvalidValue.
    """
    found = component.get(name)
    lists = found if isinstance(found, list) else [found] if found is not None else []
    dates = [one.dt for each in lists for one in each.dts]
    if len(dates) > _MOST_DATES:
        raise InvalidValue(N_("It has more than {count} single dates."), count=str(_MOST_DATES))
    return dates


def _due(component: Any) -> Due | None:
    """Return the due date of a to-do in this computer's local time. Raises InvalidValue."""
    value = component.get("DUE")
    if value is None and "DTSTART" in component and "DURATION" in component:
        moment: object = component["DTSTART"].dt + component["DURATION"].dt
    elif value is None:
        return None
    else:
        moment = value.dt
    one = _start_of(moment, str(value.params.get("TZID", "")) if value is not None else "")
    if one.whole_day:
        return Due(one.clock.date())
    wall = clock_time(one.at, LOCAL_ZONE)
    return Due(wall.date(), wall.time())


# Texts


def _uid(component: Any, title: str, when: str) -> str:
    """Return the UID; if it is missing, one made from the entry's content."""
    return str(component.get("UID") or f"{title}\n{when}")


def _title(component: Any) -> str:
    """Return title and place in one line."""
    title, place = _line(component.get("SUMMARY")), _line(component.get("LOCATION"))
    if not title or not place or place in title:
        return title or place
    return tr("{title} ({place})", title=title, place=place)


def _line(text: object) -> str:
    if isinstance(text, list):
        text = text[0] if text else ""
    return " ".join(show_hidden_chars(" ".join(str(text or "").split())).split())


def _single_time_text(start: _Start) -> str:
    """Return the time of a single event as a user would write it."""
    clock = clock_time(start.at, LOCAL_ZONE)
    return f"{clock:%Y-%m-%d}" if start.whole_day else f"{clock:%Y-%m-%d %H:%M}"


def _repeated_time_text(rule: Calendar, start: _Start) -> str:
    """Return the time in words that the grammar of times reads as this rule; "" if there
    are none.
    """
    words = _words_for(rule)
    if not words:
        return ""
    if not start.whole_day:
        words = tr("{days} at {time}", days=words, time=f"{start.clock:%H:%M}")
    try:
        found = parse_time(words, start.at, find_zone(start.zone))
    except InvalidValue:
        return ""
    read = found.rule if isinstance(found, ParsedTime) else None
    same = isinstance(read, Calendar) and _same_lines(read.lines, rule.lines)
    return words if same else ""


def _same_lines(read: Sequence[str], wanted: Sequence[str]) -> bool:
    return [set(_parts(line)) for line in read] == [set(_parts(line)) for line in wanted]


def _parts(line: str) -> Iterable[tuple[str, str]]:
    for part in line.split(";"):
        name, _, value = part.partition("=")
        if (name, value) != ("INTERVAL", "1") and name != "WKST":
            yield name, ",".join(sorted(value.split(",")))


def _words_for(rule: Calendar) -> str:
    if len(rule.lines) != 1:
        return ""
    parts = dict(_parts(rule.lines[0]))
    if not set(parts) <= {
        "FREQ",
        "BYDAY",
        "BYMONTHDAY",
        "BYMONTH",
        "BYHOUR",
        "BYMINUTE",
        "BYSECOND",
    }:
        return ""
    match parts["FREQ"]:
        case "DAILY":
            return tr("every day")
        case "WEEKLY":
            days = [tr(_DAY_NAMES[DAYS.index(day)]) for day in DAYS if day in parts["BYDAY"]]
            return tr("every {days}", days=tr(", ").join(days))
        case "MONTHLY" if parts.get("BYMONTHDAY", "").isdecimal():
            return tr("every month on the {day}", day=_ordinal(int(parts["BYMONTHDAY"])))
        case "YEARLY" if _is_one_day(parts):
            number = parts["BYMONTH"]
            month = SHORT_MONTHS[int(number) - 1] if language() == "en" else number
            return tr("every year on {month} {day}", month=month, day=parts["BYMONTHDAY"])
        case _:
            return ""


def _is_one_day(parts: Mapping[str, str]) -> bool:
    return parts.get("BYMONTH", "").isdecimal() and parts.get("BYMONTHDAY", "").isdecimal()


def _ordinal(day: int) -> str:
    """Return "5th" in English, "5" in Chinese."""
    if language() != "en":
        return str(day)
    ending = {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}th" if day in (11, 12, 13) else f"{day}{ending}"


_DAY_NAMES = (
    N_("Monday"),
    N_("Tuesday"),
    N_("Wednesday"),
    N_("Thursday"),
    N_("Friday"),
    N_("Saturday"),
    N_("Sunday"),
)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
