"""Reads times, as phrases or in machine form.

parse_time("每周二周四下午四点", now, zone) returns a rule; parse_time("next Friday at 8", now,
zone) returns several readings, so the user must be asked; parse_time("when I am happy", now, zone)
raises InvalidValue with a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta, tzinfo
from functools import cache
from itertools import islice

from neodeskpet.core.i18n import N_, InvalidValue
from neodeskpet.core.schedule.parsing import clock_times, day_phrases, repetitions
from neodeskpet.core.schedule.parsing.clock_times import ClockTime, SpokenTime
from neodeskpet.core.schedule.parsing.rule_builder import RuleDraft, rule_drafts
from neodeskpet.core.schedule.recurrence import checked_rule, read_cron, read_rrule, rrule_end
from neodeskpet.core.schedule.rule import (
    Calendar,
    Every,
    Lunar,
    Once,
    Rule,
    clock_time,
    next_run,
    runs_after,
    unix_seconds_at,
)
from neodeskpet.core.schedule.vocabulary import (
    LONGEST_DURATION,
    MONTH,
    NUMBER,
    fold_text,
    parse_duration,
    parse_number,
    show_moment,
)

LONGEST_TEXT = 200
"""Highest number of characters, because the length of the input is unlimited."""
_MOST_TIMES = 1000
_SHOWN = 3

Handler = Callable[[SpokenTime, "re.Match[str]"], tuple[SpokenTime, ...]]
_UNIT = r"(?:minutes?|hours?|days?|weeks?|months?|years?|分钟|小时|天|周|个?星期|个月|年)"
_DATE = rf"(?:{MONTH}\s*\d[\w, ]*?|\d\w*\s+(?:of\s+)?{MONTH}[, \d]*?|20\d\d-\d\d?-\d\d?)"
REPETITION_COUNT = (
    rf"[,\s]*(?:\bfor\s+)?(?P<x>{NUMBER})\s+times\b(?!\s+(?:a|per|each|every)\b)"
    rf"|[,\s]*(?:一共|总共|共|重复)\s*(?P<y>{NUMBER})\s*[次遍回]"
)
"""Pattern of a number of repetitions."""


@dataclass(frozen=True, slots=True)
class TimeGrammar:
    """The compiled patterns. `pieces` are those of `clock_times`, `day_phrases` and `repetitions`;
    `glue` is the text allowed between them.
    """

    pieces: tuple[tuple[re.Pattern[str], Handler], ...]
    glue: re.Pattern[str]
    until: re.Pattern[str]
    span: re.Pattern[str]
    start: re.Pattern[str]
    count: re.Pattern[str]
    lasting: re.Pattern[str]


@cache
def time_grammar() -> TimeGrammar:
    """Return the patterns. They are compiled for the first text: that takes 60 ms, too long for the
    start of the app.
    """
    patterns = (
        *clock_times.CLOCK_PATTERNS,
        *day_phrases.DAY_PATTERNS,
        *repetitions.REPETITION_PATTERNS,
    )
    return TimeGrammar(
        # ASCII: between "pm" and 提 is a word boundary.
        tuple((re.compile(pattern, re.ASCII), handler) for pattern, handler in patterns),
        glue=re.compile(
            r"\s+|[,、;]|(?:at|on|in|of|and|the|sharp|around|about)(?![a-z])"
            r"|[的和与及在于请整]|准时|一次|那天|当天|以及|左右|大概|大约"
        ),
        until=re.compile(
            r"[,\s]*(?:(?:\buntil|\btill|\bup to|\bending(?: on)?)\s+|直到|一直到)"
            r"(?P<x>.+?)(?:为止|止)?$"
            r"|[,\s]*[到至](?P<y>[^到至]+?)(?:为止|止|结束)$"
        ),
        span=re.compile(
            rf"[,\s]*\b(?:from\s+)?(?P<a>{_DATE})\s*(?:to|until|till|through|-|–)\s*(?P<b>{_DATE})"
            r"(?=,|\s+(?:every|each|at)\b|\s+daily\b|$)"
            r"|[从自]?(?P<c>[^到至每从自]*?[日号天])(?:开始|起)?[到至](?P<d>[^到至每]+?[日号天])(?:为止|止)?,?(?=每)"
        ),
        start=re.compile(
            r"[,\s]*\b(?:starting|beginning)\s+(?!of\b)(?:on\s+|from\s+)?(?P<x>.+?)(?=,|\s+every\b|$)"
            r"|[,\s]*\bfrom\s+(?P<y>[^,]+?)\s+on(?:wards?)?(?=,|\s+every\b|\s+each\b|$)"
            r"|[从自](?P<z>[^,从]+?)(?:起|开始),?|^(?P<w>[^,从每]+?)(?:起|开始),?(?=每)"
        ),
        count=re.compile(REPETITION_COUNT),
        lasting=re.compile(
            rf"[,\s]*\bfor\s+(?:the\s+next\s+)?(?P<x>{NUMBER}\s*{_UNIT})|[,\s]*(?:持续|连续)\s*(?P<y>{NUMBER}\s*{_UNIT})"
        ),
    )


@dataclass(frozen=True, slots=True)
class ParsedTime:
    """`until` is the last possible time (Unix seconds). `assumed`: no time of day was said; with
    `part` a part of the day was said, which determines the hour.
    """

    rule: Rule
    until: float | None = None
    assumed: bool = False
    part: bool = False


@dataclass(frozen=True, slots=True)
class AmbiguousTime:
    """A time with several `readings` (at least two)."""

    text: str
    readings: tuple[ParsedTime, ...]

    def question(self, now: float, zone: tzinfo) -> InvalidValue:
        """Return the question which one is meant, with the first runs of each."""
        words = N_("“{text}” may mean {readings}. Say which one.")
        shown = "; ".join(
            f"({n}) {show_runs(one, now, zone)}" for n, one in enumerate(self.readings, 1)
        )
        return InvalidValue(words, text=self.text, readings=shown)


TimeReading = ParsedTime | AmbiguousTime


def show_runs(meant: ParsedTime, now: float, zone: tzinfo, count: int = _SHOWN) -> str:
    """Return `2026-11-27 Fri 09:00, 2026-12-11 Fri 09:00, …`, which needs no translation."""
    found = list(islice(runs_after(meant.rule, now, zone, meant.until), count + 1))
    shown = [show_moment(clock_time(one, zone)) for one in found[:count]]
    return ", ".join([*shown, *(["…"] if len(found) > count else [])])


def parse_time(text: str, now: float, zone: tzinfo, *, nearest: bool = False) -> TimeReading:
    """Return what `text` means at `now` in `zone`. `nearest`: an hour without am or pm is the next
    such hour, and on another day 7 to 11 are in the morning. Raises InvalidValue.
    """
    if len(text) > LONGEST_TEXT:
        words = N_("a time can have at most {most} characters, not {count}.")
        raise InvalidValue(words, most=str(LONGEST_TEXT), count=str(len(text)))
    wall = clock_time(now, zone)
    written = _written(text, now, wall, zone)
    readings = [written] if written is not None else _read_phrase(text, now, wall, zone, nearest)
    ahead = [one for one in readings if next_run(one.rule, now, zone, one.until) is not None]
    if not ahead:
        words = N_("“{text}” is in the past; it is {now} now.")
        raise InvalidValue(words, text=text.strip(), now=f"{wall:%Y-%m-%d %H:%M}")
    distinct = tuple(dict.fromkeys(ahead))
    return distinct[0] if len(distinct) == 1 else AmbiguousTime(text.strip(), distinct)


def parse_end(text: str, now: float, zone: tzinfo) -> float:
    """Return the end of the time that `text` names; for a day without a time the end of the day.
    Raises InvalidValue.
    """
    return unix_seconds_at(_edge(text, now, zone, first=False), zone)


def _written(text: str, now: float, wall: datetime, zone: tzinfo) -> ParsedTime | None:
    """Read machine formats and durations."""
    rule = read_rrule(text.strip(), wall)
    if rule is not None:
        return ParsedTime(rule, rrule_end(text, rule, zone))
    rule = read_cron(text, wall)
    if rule is not None:
        return ParsedTime(rule)
    duration = parse_duration(text)
    if duration is not None:
        return ParsedTime(Once(now + duration.total_seconds()))
    plain = fold_text(text).upper()
    if re.fullmatch(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:?\d\d)", plain):
        try:
            return ParsedTime(Once(datetime.fromisoformat(plain).timestamp()))
        except (ValueError, OverflowError):
            return None
    return None


def _read_phrase(
    text: str, now: float, wall: datetime, zone: tzinfo, nearest: bool
) -> list[ParsedTime]:
    plain = fold_text(text)
    plain, start_words, until_words = _from_to(plain)
    forms = time_grammar()
    if not start_words:
        plain, until_words = _cut(forms.until, plain)
        plain, start_words = _cut(forms.start, plain)
    plain, count_words = _cut(forms.count, plain)
    plain, lasting = _cut(forms.lasting, plain)
    start = _edge(start_words, now, zone, first=True) if start_words else None
    until = _edge(until_words, now, zone, first=False) if until_words else None
    try:
        said = _walk(plain, text)
        if lasting:
            said = [one if one.again else one.comes(1, "day") for one in said]
            until = _lasting(lasting, start or wall)
        if start is not None and start.time() != time():
            said = [_with_clock(one, start) for one in said]
        if start is None and until is None and said[0].again and said[0].week is not None:
            said, start, until = _within_week(said, wall)
        found = [draft for one in said for draft in rule_drafts(one, wall, start, nearest=nearest)]
    except InvalidValue as error:
        raise _about(text, error) from None
    last = None if until is None else unix_seconds_at(until, zone)
    readings = [_rule(draft, text, now, zone, last) for draft in found]
    if until is not None and any(isinstance(one.rule, Once) for one in readings):
        raise _about(text, InvalidValue(N_("“{text}” has an end but doesn't repeat.")))
    return [_counted(one, count_words, now, zone) for one in readings]


def _within_week(
    said: list[SpokenTime], wall: datetime
) -> tuple[list[SpokenTime], datetime, datetime]:
    """Read "next Wednesday to Friday": days of one week."""
    weeks = timedelta(weeks=said[0].week or 0)
    monday = datetime.combine(wall.date() - timedelta(days=wall.weekday()), time()) + weeks
    sunday = monday + timedelta(days=7) - timedelta(seconds=1)
    return [replace(one, week=None) for one in said], max(monday, wall), sunday


def parse_moment(text: str, now: float, zone: tzinfo) -> float:
    """Return the single time that `text` means, for a timer. Raises InvalidValue."""
    found = parse_time(text, now, zone, nearest=True)
    if isinstance(found, AmbiguousTime):
        raise found.question(now, zone)
    if not isinstance(found.rule, Once):
        raise InvalidValue(N_("“{text}” repeats; a single time is needed."), text=text)
    if found.rule.at - now > LONGEST_DURATION.total_seconds():
        words = N_("“{text}” is too far ahead: at most {days} days.")
        raise InvalidValue(words, text=text.strip(), days=str(LONGEST_DURATION.days))
    return found.rule.at


def _about(text: str, error: InvalidValue) -> InvalidValue:
    return InvalidValue(error.text, **{"text": text.strip(), **error.params})


def _cut(pattern: re.Pattern[str], plain: str) -> tuple[str, str]:
    """Return `plain` without the match, and the matched words."""
    found = pattern.search(plain)
    if found is None:
        return plain, ""
    rest = f"{plain[: found.start()]} {plain[found.end() :]}".strip()
    return rest, next(one for one in found.groups() if one).strip()


def _from_to(plain: str) -> tuple[str, str, str]:
    """Return the text without a range of days before a repetition, and the two ends of
    the range.
    """
    found = time_grammar().span.search(plain)
    if found is None:
        return plain, "", ""
    first, last = (one.strip(" ,") for one in found.groups() if one)
    return f"{plain[: found.start()]} {plain[found.end() :]}".strip(), first, last


def _walk(plain: str, text: str) -> list[SpokenTime]:
    """Return all readings of the words."""
    found: list[SpokenTime] = [SpokenTime()]
    at = 0
    while at < len(plain):
        at, found = _step(plain, at, found)
    if found == [SpokenTime()]:
        raise InvalidValue(N_("“{text}” has no time."))
    return found


def _step(plain: str, at: int, said: list[SpokenTime]) -> tuple[int, list[SpokenTime]]:
    """Read the longest piece at `at`; return its end and the phrases read so far."""
    for end, read_by in pieces_at(plain, at, said):
        return end, read_by
    glue = time_grammar().glue.match(plain, at)
    if glue is None:
        words = N_(
            "“{text}” isn't a time I understand (“{piece}”). Write “tomorrow 9:00”, "
            "“every Friday at 4pm”, “每周二下午四点”."
        )
        raise InvalidValue(words, piece=plain[at : at + 30])
    return glue.end(), said


def pieces_at(
    plain: str, at: int, said: list[SpokenTime]
) -> Iterator[tuple[int, list[SpokenTime]]]:
    """Yield the pieces that can be read at `at`, the longest first: the end of each, and the
    phrases read so far.
    """
    matches = [(pattern.match(plain, at), handler) for pattern, handler in time_grammar().pieces]
    pieces = [(found, handler) for found, handler in matches if found is not None and found[0]]
    for found, handler in sorted(pieces, key=lambda one: -one[0].end()):
        read_by = [new for one in said for new in handler(one, found)]
        if read_by:
            yield found.end(), read_by


def _edge(words: str, now: float, zone: tzinfo, *, first: bool) -> datetime:
    """Return the beginning or the end; a day without a time counts as a whole."""
    reading = _read_day(words, now, zone)
    found = reading.readings if isinstance(reading, AmbiguousTime) else (reading,)
    once = [one for one in found if isinstance(one.rule, Once)]
    moments = [(clock_time(one.rule.at, zone), one) for one in once if isinstance(one.rule, Once)]
    if not moments or len({moment.date() for moment, _ in moments}) > 1:
        if isinstance(reading, AmbiguousTime):
            raise reading.question(now, zone)
        raise InvalidValue(N_("“{text}” isn't a day."), text=words)
    moment, meant = moments[0]
    if len(moments) == 1 and not meant.assumed:
        return moment
    return datetime.combine(moment.date(), time() if first else time(23, 59, 59))


def _read_day(words: str, now: float, zone: tzinfo) -> TimeReading:
    """Read a day; today counts even if the morning is over."""
    try:
        return parse_time(words, now, zone)
    except InvalidValue as error:
        midnight = datetime.combine(clock_time(now, zone).date(), time())
        try:
            return parse_time(words, unix_seconds_at(midnight, zone), zone)
        except InvalidValue:
            raise error from None


def _lasting(words: str, start: datetime) -> datetime:
    duration = parse_duration(words)
    if duration is not None:
        return start + duration - timedelta(seconds=1)
    found = re.match(NUMBER, words)
    count = parse_number(found[0]) if found else 1.0
    return start + timedelta(days=count * (365 if words[-1] in "年r" or "year" in words else 30))


def _with_clock(said: SpokenTime, start: datetime) -> SpokenTime:
    """Use the time of the start for every run if no other time is said."""
    units = ("second", "minute", "hour")
    if said.clocks or said.midnight or (said.every is not None and said.every[1] in units):
        return said
    return said.at(ClockTime(start.hour, start.minute, exact=True))


def _rule(draft: RuleDraft, text: str, now: float, zone: tzinfo, until: float | None) -> ParsedTime:
    rule: Rule
    if draft.lunar is not None:
        month, day = draft.lunar
        midnight = datetime.combine(draft.moment.date(), time())
        first = clock_time(now, zone)
        rule = Lunar(max(first, midnight), month, day, round((draft.moment - midnight).seconds))
    elif draft.seconds:
        rule = Every(unix_seconds_at(draft.moment, zone), draft.seconds)
    elif not draft.lines:
        rule = Once(unix_seconds_at(draft.moment, zone))
    else:
        rule = checked_rule(_anchored(draft, now, zone), text)
    return ParsedTime(rule, until, draft.assumed, draft.part)


def _anchored(draft: RuleDraft, now: float, zone: tzinfo) -> Calendar:
    """Anchor the rule: "every second Friday" begins with the next Friday."""
    rule = Calendar(draft.moment, draft.lines)
    if draft.step == 1:
        return rule
    each = replace(rule, lines=tuple(re.sub(r"INTERVAL=\d+;", "", one) for one in draft.lines))
    first = next_run(each, max(now, unix_seconds_at(draft.moment, zone) - 1), zone)
    return rule if first is None else replace(rule, first=clock_time(first, zone))


def _counted(meant: ParsedTime, words: str, now: float, zone: tzinfo) -> ParsedTime:
    if not words:
        return meant
    count = int(parse_number(words))
    if not 1 <= count <= _MOST_TIMES or isinstance(meant.rule, Once):
        raise InvalidValue(N_("“{text}” isn't supported here."), text=words)
    found: Sequence[float] = list(islice(runs_after(meant.rule, now, zone, meant.until), count))
    return replace(meant, until=found[-1] if found else meant.until)
