"""An appointment as a value, how its rule is stored, and time zones: the computer's own and those
with names.
"""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from enum import StrEnum
from zoneinfo import ZoneInfo

from neodeskpet.core.data_labels import DataSource
from neodeskpet.core.i18n import N_, InvalidValue
from neodeskpet.core.schedule.rule import Calendar, Every, Lunar, Once, Rule


class LocalZone(tzinfo):
    """The computer's time zone, read again each time because it may change."""

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        return self._local_moment(moment).utcoffset()

    def dst(self, moment: datetime | None) -> timedelta | None:
        return timedelta()

    def tzname(self, moment: datetime | None) -> str | None:
        return self._local_moment(moment).tzname()

    def fromutc(self, moment: datetime) -> datetime:
        seconds = (moment.replace(tzinfo=None) - datetime(1970, 1, 1)).total_seconds()
        return datetime.fromtimestamp(seconds).replace(tzinfo=self)

    @staticmethod
    def _local_moment(moment: datetime | None) -> datetime:
        return (moment or datetime.now()).replace(tzinfo=None).astimezone()


LOCAL_ZONE = LocalZone()


def find_zone(name: str) -> tzinfo:
    """Return the time zone of this name (`Asia/Tokyo`), the computer's for "". Raises
    InvalidValue.
    """
    if not name:
        return LOCAL_ZONE
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError):
        words = N_(
            "There is no time zone “{name}”; use a name such as “Asia/Shanghai” or “Europe/Berlin”."
        )
        raise InvalidValue(words, name=name[:60]) from None


def local_zone_signature() -> str:
    """Return a value that changes with the computer's time zone. The zone is read again here;
    otherwise the C library keeps the zone from the start of the process.
    """
    if hasattr(time, "tzset"):  # not on Windows
        time.tzset()
    return f"{time.strftime('%z')} {'/'.join(time.tzname)}"


_LINE = re.compile(r"FREQ=(?:DAILY|WEEKLY|MONTHLY|YEARLY)(?:;[A-Z]+=[-+\w,]+)*", re.ASCII)


class Maker(StrEnum):
    COMPANION = "companion"
    PERSON = "person"


class RunOutcome(StrEnum):
    """The outcome of a run. CALLED: it is being passed to the companion; TOLD: it was passed;
    FAILED: the background prompt that was to do it failed.
    """

    RANG = "rang"
    MISSED = "missed"
    CALLED = "called"
    TOLD = "told"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Appointment:
    """An appointment. Times are Unix seconds. With a `prompt` the companion does it, otherwise the
    appointment rings. `said` is the time as it was written; `zone` a name, "" for the computer's
    current zone; `until` the last moment of a run. `due` is its next run, None if there is none.
    `tools`: the names of the tools that the background prompt may use. `untrusted` are the
    untrusted sources of title and prompt, unless the user allowed them.
    """

    id: str
    title: str
    prompt: str
    said: str
    rule: Rule
    zone: str
    until: float | None
    due: float | None
    paused: bool
    maker: Maker
    made: float
    tools: tuple[str, ...] = ()
    untrusted: tuple[DataSource, ...] = ()


@dataclass(frozen=True, slots=True)
class AppointmentRun:
    """A run of an appointment that was due at `due` and ran `at`."""

    number: int
    appointment: str
    title: str
    due: float
    at: float
    outcome: RunOutcome


def write_rule(rule: Rule) -> str:
    match rule:
        case Once():
            kept: dict[str, object] = {"at": rule.at}
        case Every():
            kept = {"start": rule.start, "seconds": rule.seconds}
        case Calendar():
            kept = {"first": rule.first.isoformat(), "lines": rule.lines}
            if rule.skipped:
                kept["skipped"] = sorted(moment.isoformat() for moment in rule.skipped)
        case Lunar():
            kept = {
                "first": rule.first.isoformat(),
                "lunar": [rule.month, rule.day, rule.seconds],
            }
    return json.dumps(kept)


_FAR = 2e11
"""Seconds: no calendar extends to this time."""


def _near(value: object) -> float:
    moment = float(str(value))
    if not abs(moment) < _FAR:
        raise ValueError(value)
    return moment


def read_rule(text: str) -> Rule:
    """Parse a stored rule. Raises ValueError, TypeError, KeyError and OverflowError."""
    kept = json.loads(text)
    if "at" in kept:
        return Once(_near(kept["at"]))
    if "seconds" in kept:
        return Every(_near(kept["start"]), max(60, int(kept["seconds"])))
    first = datetime.fromisoformat(kept["first"]).replace(tzinfo=None)
    if "lunar" in kept:
        month, day, seconds = (int(one) for one in kept["lunar"])
        return Lunar(first, min(max(month, 1), 12), day, seconds)
    lines = tuple(str(line) for line in kept["lines"])
    if not lines or not all(_LINE.fullmatch(line) for line in lines):
        raise ValueError(text)
    skipped = (datetime.fromisoformat(str(one)) for one in kept.get("skipped", ()))
    return Calendar(first, lines, frozenset(one.replace(tzinfo=None) for one in skipped))
