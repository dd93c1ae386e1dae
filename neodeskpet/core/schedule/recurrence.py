"""Rules in machine form: the five fields of cron, and RRULE (RFC 5545) with limits.

Both are converted to lines of one complete form: a frequency of days or more, with hours and
minutes.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo
from itertools import islice

from neodeskpet.core.i18n import N_, InvalidValue
from neodeskpet.core.schedule.rule import Calendar, Rule, runs_after, unix_seconds_at
from neodeskpet.core.schedule.vocabulary import SHORT_MONTHS, SHORT_WEEKDAYS

_FREQUENCIES = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
_PARTS = frozenset(
    ("FREQ", "INTERVAL", "BYDAY", "BYMONTHDAY", "BYMONTH", "BYHOUR", "BYMINUTE", "BYSECOND")
) | {"BYSETPOS", "WKST", "COUNT", "UNTIL"}
DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_CRON_DAYS = tuple(name.lower() for name in (SHORT_WEEKDAYS[-1], *SHORT_WEEKDAYS[:-1]))
_CRON_MONTHS = tuple(name.lower() for name in SHORT_MONTHS)
_LONGEST_CYCLE_YEARS = 7_600
"""Years after which the calendar repeats. Starting that far ahead leaves few years to search, so a
rule that never occurs is detected sooner.
"""
_MOST_TIMES = 1000
"""The largest accepted COUNT."""
_CRON_NAMED = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_CRON = re.compile(r"[\d*][\d*,/\-]*( +[\d*,/\-]+){2}( +[\w*,/\-]+){2}", re.ASCII)
_FIELD = re.compile(r"(?:\*|(\w+)(?:-(\w+))?)(?:/(\d{1,4}))?", re.ASCII)


def read_rrule(text: str, now: datetime) -> Calendar | None:
    """Return the RRULE in `text` as a rule from `now` (local clock time) or from its DTSTART on;
    None if it isn't one. Raises InvalidValue.
    """
    found = re.fullmatch(r"(?:DTSTART[:=](\d{8}T\d{6})[\s;]+)?(?:RRULE:)?(FREQ=\S+)", text.upper())
    if found is None:
        return None
    start = datetime.strptime(found[1], "%Y%m%dT%H%M%S") if _is_date(found[1]) else now
    parts = _split(found[2])
    for end in ("COUNT", "UNTIL"):
        parts.pop(end, None)
    if parts["FREQ"] not in _FREQUENCIES:
        words = N_("FREQ must be one of {names}; for shorter intervals write “every 20 minutes”.")
        raise InvalidValue(words, names=", ".join(_FREQUENCIES))
    _complete(parts, start)
    line = ";".join(f"{name}={value}" for name, value in parts.items())
    return checked_rule(Calendar(start, (line,)), text)


def rrule_end(text: str, rule: Calendar, zone: tzinfo) -> float | None:
    """Return the end of the RRULE in `text`, from UNTIL or COUNT of `rule`; None if it has no end.
    Raises InvalidValue.
    """
    parts = _split(text.upper()[text.upper().index("FREQ=") :])
    until, count = parts.get("UNTIL"), parts.get("COUNT")
    if until is not None and count is not None:
        raise _wrong(text)
    if until is not None:
        return _until(until, zone)
    if count is None:
        return None
    if not count.isdecimal() or not 1 <= int(count) <= _MOST_TIMES:
        raise _wrong(f"COUNT={count}")
    before = unix_seconds_at(rule.first, zone) - 1
    return max(islice(runs_after(rule, before, zone), int(count)), default=None)


def _until(text: str, zone: tzinfo) -> float:
    """Return the UNTIL time; a day counts as a whole."""
    found = re.fullmatch(r"(\d{8})(?:T(\d{6})(Z?))?", text, re.ASCII)
    if found is None:
        raise _wrong(f"UNTIL={text}")
    try:
        moment = datetime.strptime(found[1] + (found[2] or "235959"), "%Y%m%d%H%M%S")
    except ValueError:
        raise _wrong(f"UNTIL={text}") from None
    return unix_seconds_at(moment, UTC if found[3] else zone)


def short_months_left_out(rule: Rule) -> int | None:
    """Return the day of the month if the rule skips months without that day; otherwise None."""
    if not isinstance(rule, Calendar):
        return None
    days = [
        int(day)
        for line in rule.lines
        if "FREQ=MONTHLY" in line and "BYDAY" not in line
        for found in re.findall(r"BYMONTHDAY=([-\d,]+)", line)
        for day in found.split(",")
    ]
    # With an earlier day in the list, no month is skipped.
    return min(days) if days and min(days) > 28 else None


def read_cron(text: str, now: datetime) -> Calendar | None:
    """Return the rule of the five cron fields in `text` (minute, hour, day, month, weekday); None
    if it isn't cron. Raises InvalidValue.
    """
    plain = _CRON_NAMED.get(text.strip().lower(), text.strip().lower())
    if not _CRON.fullmatch(plain):
        return None
    minute, hour, day, month, weekday = plain.split()
    try:
        clock = f"BYHOUR={_field(hour, 0, 23)};BYMINUTE={_field(minute, 0, 59)};BYSECOND=0"
        months = "" if month == "*" else f";BYMONTH={_field(month, 1, 12, _CRON_MONTHS, 1)}"
        by_date, by_week = f";BYMONTHDAY={_field(day, 1, 31)}", f";BYDAY={_weekdays(weekday)}"
    except (ValueError, IndexError):
        raise _wrong(text) from None
    if _is_any(day) or (by_date == _ANY_DATE and "*" in weekday):
        by_date = ""
    if _is_any(weekday) or (by_week == _ANY_WEEKDAY and "*" in day):
        by_week = ""
    # Cron's rule: if both are given, one match is enough.
    days = [by_date, by_week] if by_date and by_week else [by_date + by_week]
    lines = (f"FREQ={_frequency(one)};{clock}{months}{one}" for one in days)
    return checked_rule(Calendar(now, tuple(lines)), text)


_ANY_DATE = f";BYMONTHDAY={','.join(map(str, range(1, 32)))}"
_ANY_WEEKDAY = ";BYDAY=SU,MO,TU,WE,TH,FR,SA"


def _is_any(field: str) -> bool:
    return field in ("*", "*/1")


def _frequency(days: str) -> str:
    if "BYMONTHDAY" in days:
        return "MONTHLY"
    return "WEEKLY" if days else "DAILY"


def checked_rule(rule: Calendar, text: str) -> Calendar:
    """Return `rule` if its lines are valid and each occurs on some day."""
    from dateutil.rrule import rrulestr  # not at app start

    try:
        later = rule.first.replace(year=rule.first.year + _LONGEST_CYCLE_YEARS)
        comes = all(next(iter(rrulestr(line, dtstart=later)), None) for line in rule.lines)
    except (ValueError, TypeError, KeyError, IndexError, OverflowError):
        raise _wrong(text) from None
    if not comes:
        raise InvalidValue(N_("“{text}” never occurs."), text=text.strip())
    return rule


def _wrong(text: str) -> InvalidValue:
    return InvalidValue(N_("“{text}” can't be read as a rule."), text=text.strip())


def _is_date(text: str | None) -> bool:
    if text is None:
        return False
    try:
        datetime.strptime(text, "%Y%m%dT%H%M%S")
    except ValueError:
        raise _wrong(text) from None
    return True


def _split(line: str) -> dict[str, str]:
    parts: dict[str, str] = {}
    for part in line.strip(";").split(";"):
        name, _, value = part.partition("=")
        if name not in _PARTS or not value or name in parts:
            words = N_("“{part}” can't be used in a rule; these can: {names}.")
            raise InvalidValue(words, part=part, names=", ".join(sorted(_PARTS)))
        parts[name] = value
    if "0" in re.split(r"[,+-]", parts.get("BYMONTHDAY", "")):
        raise _wrong(f"BYMONTHDAY={parts['BYMONTHDAY']}")
    if parts["FREQ"] in ("DAILY", "WEEKLY") and re.search(r"\d", parts.get("BYDAY", "")):
        raise _wrong(f"FREQ={parts['FREQ']};BYDAY={parts['BYDAY']}")
    interval = parts.get("INTERVAL", "1")
    if not interval.isdecimal() or not 1 <= int(interval) <= 999:
        raise _wrong(f"INTERVAL={interval}")
    return parts


def _complete(parts: dict[str, str], start: datetime) -> None:
    """Add the parts that a rule takes from its start."""
    parts.setdefault("BYHOUR", str(start.hour))
    parts.setdefault("BYMINUTE", str(start.minute))
    parts["BYSECOND"] = "0"
    by_day = "BYDAY" in parts or "BYMONTHDAY" in parts
    if parts["FREQ"] == "DAILY" and "BYMONTHDAY" in parts and parts.get("INTERVAL", "1") == "1":
        parts["FREQ"] = "MONTHLY"  # equivalent, with fewer days to search
    if parts["FREQ"] == "WEEKLY" and not by_day:
        parts["BYDAY"] = DAYS[start.weekday()]
    if parts["FREQ"] == "YEARLY" and "BYMONTH" not in parts and not by_day:
        parts["BYMONTH"] = str(start.month)
    if parts["FREQ"] in ("MONTHLY", "YEARLY") and not by_day:
        parts["BYMONTHDAY"] = str(start.day)


def _weekdays(field: str) -> str:
    numbers = {int(one) % 7 for one in _field(field, 0, 7, _CRON_DAYS).split(",")}
    return ",".join(DAYS[(one - 1) % 7] for one in sorted(numbers))


def _field(field: str, low: int, high: int, names: tuple[str, ...] = (), first: int = 0) -> str:
    """Return the numbers of a cron field, separated by commas. Raises ValueError."""
    numbers: set[int] = set()
    for part in field.split(","):
        found = _FIELD.fullmatch(part)
        if found is None:
            raise ValueError(part)
        begin, end, step = found.groups()
        lowest = low if begin is None else _number(begin, names, first)
        if end is not None:
            highest = _number(end, names, first)
        else:
            highest = lowest if begin is not None and step is None else high
        if not (low <= lowest <= highest <= high) or step in ("0", "00"):
            raise ValueError(part)
        numbers.update(range(lowest, highest + 1, int(step or 1)))
    return ",".join(str(one) for one in sorted(numbers))


def _number(text: str, names: tuple[str, ...], first: int) -> int:
    return names.index(text) + first if text in names else int(text)
