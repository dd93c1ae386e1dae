"""The due time of a to-do: a day, or a time of a day, in local clock time.

It has no time zone: after a flight from Shanghai to London, “Friday” means Friday in London.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta, tzinfo

from neodeskpet.core.i18n import N_, InvalidValue
from neodeskpet.core.schedule.parsing.time_finder import find_time
from neodeskpet.core.schedule.parsing.time_parser import (
    LONGEST_TEXT,
    AmbiguousTime,
    ParsedTime,
    parse_time,
)
from neodeskpet.core.schedule.rule import Once, clock_time, unix_seconds_at
from neodeskpet.core.schedule.vocabulary import parse_duration, show_day

_STORED = re.compile(r"(\d{4}-\d\d-\d\d)(?: (\d\d:\d\d))?", re.ASCII)
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Due:
    """`clock` is hour and minute; None means any time of the day."""

    day: date
    clock: time | None = None

    @property
    def end(self) -> datetime:
        """The time from which it is overdue."""
        if self.clock is None:
            return datetime.combine(self.day, time(23, 59, 59))
        return datetime.combine(self.day, self.clock)

    def is_over(self, now: datetime) -> bool:
        return self.end < now.replace(tzinfo=None)

    def __str__(self) -> str:
        """Return the stored form: `2026-12-04 17:00`."""
        return f"{self.day}" + (f" {self.clock:%H:%M}" if self.clock else "")

    def show(self) -> str:
        """Return `2026-12-04 Fri 17:00`, which needs no translation."""
        return show_day(self.day) + (f" {self.clock:%H:%M}" if self.clock else "")


def parse_due(text: str) -> Due | None:
    """Read the form that `str(due)` writes. Returns None for any other text."""
    found = _STORED.fullmatch(text)
    if found is None:
        return None
    try:
        day = date.fromisoformat(found[1])
        return Due(day, time.fromisoformat(found[2]) if found[2] else None)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Task:
    """The text of a to-do and its due time. With a `fault`, words in it look like a time but can't
    be used, and `text` is the whole input.
    """

    text: str
    due: Due | None = None
    fault: InvalidValue | None = None


def read_due(words: str, now: float, zone: tzinfo) -> Due:
    """Read a due time, as a phrase ("Friday", 周五下午五点前) or in numbers (2026-12-04). Raises
    InvalidValue.
    """
    plain = _LEAD.sub("", _TAIL.sub("", words.strip()))
    wall = clock_time(now, zone)
    duration = parse_duration(plain)
    if duration is not None and not duration % _DAY:
        return Due(wall.date() + duration)
    # A to-do can be due today even if the morning is over.
    midnight = unix_seconds_at(datetime.combine(wall.date(), time()), zone)
    try:
        early = _once(plain, midnight, zone)
    except InvalidValue:
        early = None
    try:
        found = _once(plain, now, zone)
    except InvalidValue:
        if early is None or not early.assumed:
            raise
        found = replace(early, part=False)
    if early is not None and early.assumed and not early.part:
        found = early
    assert isinstance(found.rule, Once)
    moment = clock_time(found.rule.at, zone)
    if found.assumed and not found.part:
        return Due(moment.date())
    return Due(moment.date(), time(moment.hour, moment.minute))


_COUNTDOWN = re.compile(
    r"count\s?down(?:\s(?:to|until|for)\b)?\s*[:：]?\s*(?P<after>.*)"
    r"|(?P<before>.+)\scountdown"
    r"|(?:距离|倒计时)\s*[:：]?\s*(?P<later>.*?)\s*(?:还[有剩]?)?"
    r"|(?P<earlier>.+?)\s*倒计时",
    re.IGNORECASE,
)


def countdown_goal(text: str) -> str | None:
    """Return the name of the day to which a to-do counts down ("Countdown to the exam", 距离考研,
    考研倒计时), None for another to-do. The name is "" if the text has none.
    """
    found = _COUNTDOWN.fullmatch(" ".join(text.split()))
    return None if found is None else next(one for one in found.groups() if one is not None)


_LEAD = re.compile(r"^(?:due|by|before|until|till|within)\s+(?:on\s+|by\s+)?", re.IGNORECASE)
_TAIL = re.compile(r"\s*(?:[之以]?[前内]|截止|到期)$")


def _once(words: str, now: float, zone: tzinfo) -> ParsedTime:
    """Return the reading that doesn't repeat. Raises InvalidValue."""
    reading = parse_time(words, now, zone, nearest=True)
    readings = reading.readings if isinstance(reading, AmbiguousTime) else (reading,)
    found = tuple(one for one in readings if isinstance(one.rule, Once))
    if not found:
        raise InvalidValue(N_("A to-do is due only once; an appointment can repeat."))
    if len(found) > 1:
        raise AmbiguousTime(words, found).question(now, zone)
    return found[0]


def find_due(text: str, now: float, zone: tzinfo) -> Task:
    """Split a sentence into the text of a to-do and its due time. Texts longer than LONGEST_TEXT
    are not searched for a time.
    """
    text = " ".join(text.split())
    if len(text) > LONGEST_TEXT:
        return Task(text)
    found = find_time(text, now, zone, deadline=True)
    if found.unused:
        words = N_("It is not clear whether “{words}” says when it is due.")
        return Task(text, fault=InvalidValue(words, words="”, “".join(found.unused)))
    if not found.words:
        return Task(text)
    try:
        due = read_due(found.words, now, zone)
    except InvalidValue as error:
        return Task(text, fault=error)
    return Task(text_without_time(found.rest) or text, due)


def text_without_time(pieces: tuple[str, ...]) -> str:
    """Return the text without its time."""
    left = " ".join(piece.strip() for piece in pieces if piece.strip())
    left = re.sub(r"(?<=[一-鿿，。、]) (?=[一-鿿，。、])", "", left)
    left = re.sub(r"[（(]\s*[)）]", "", left)
    left = re.sub(r"^[\s,，;；:：.。、-]+|[\s,，;；:：、(（-]+$", "", left)
    return re.sub(
        r"^(?:(?:我)?(?:要|得|必须|需要|记得)(?=[一-鿿])|(?:to|and)\s+)", "", left
    ).strip()
