"""Finds the days that a text names, in order, with their positions.

The user's words are resolved at the time of writing. A question to the memory looks back: "on
Friday" is the last Friday. A remembered text may also be about a future day, so the nearest day is
taken. Other words are skipped.

Times are local clock times without a zone: a question in London about what was said "on New Year's
Eve" in Shanghai means New Year's Eve in Shanghai.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache
from typing import NamedTuple

from neodeskpet.core.schedule.vocabulary import (
    BEGIN,
    FESTIVAL,
    LUNAR_DATE,
    MONTH,
    MONTH_DAY,
    NUMBER,
    NUMERAL,
    RELATIVE_DAY,
    RELATIVE_DAYS,
    RELATIVE_PART,
    RELATIVE_PARTS,
    RELATIVE_YEAR,
    RELATIVE_YEARS,
    UNITS,
    WEEKDAY_NAME,
    YEAR_AFTER,
    ZH_NUMBER,
    ZH_WEEK,
    ZH_WEEKDAY,
    festival_day,
    festival_of,
    lunar_date_of,
    month_of,
    parse_number,
    solar_day,
    weekday_of,
    zh_weekdays,
)


@dataclass(frozen=True, slots=True)
class NamedDays:
    """Days from `first` to `last` (inclusive). The text names them from `at` to `end`. `festival`
    is the name of a festival, which people also mention on other days.
    """

    first: date
    last: date
    at: int = 0
    end: int = 0
    festival: str = ""

    @property
    def days(self) -> int:
        return (self.last - self.first).days + 1


Days = tuple[date, date]
_Read = Callable[["re.Match[str]", date, bool], Days | None]
"""Returns the days that a match means, relative to a day; True: looking back."""

_YEARS = 9
"""Any nine years contain a leap day, in every century."""
_OLD = 20
"""A two-digit year further ahead belongs to the last century."""
_STEPS = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1}
_COUNTS = {"a couple of": 2, "a few": 3}
_SHORT_FESTIVALS = {"跨年": "跨年夜", "五一": "劳动节"}
"""Names that are too short for the patterns of appointments."""


def named_days_in(text: str, now: datetime, *, looking_back: bool = True) -> list[NamedDays]:
    """Return the days that `text`, written at `now`, names, in order. A day without a year is the
    last one when looking back, otherwise the nearest.
    """
    found: list[NamedDays] = []
    taken = [False] * len(text)
    folded = text.lower()
    for form in _forms(bool(_CHINESE.search(text))):
        if not any(map(folded.__contains__, form.needs)):
            continue
        for match in form.pattern.finditer(text):
            if any(taken[match.start() : match.end()]):
                continue
            try:
                days = form.read(match, now.date(), looking_back)
            except (ValueError, OverflowError):  # the day doesn't exist
                continue
            if days is not None:
                holiday = match.groupdict().get("feast") or ""
                if holiday[:3].lower() == "new":  # "new" and "year" are too common to search for
                    holiday = ""
                found.append(NamedDays(*days, match.start(), match.end(), holiday))
                taken[match.start() : match.end()] = [True] * len(match[0])
    return sorted(found, key=lambda span: span.at)


def _day(day: date) -> Days:
    return day, day


def _days_later(today: date, days: int) -> Days:
    return _day(today + timedelta(days=days))


def _week(today: date, weeks: int) -> Days:
    first = today - timedelta(days=today.weekday()) + timedelta(weeks=weeks)
    return first, first + timedelta(days=6)


def _weekend(today: date, weeks: int) -> Days:
    first, last = _week(today, weeks)
    return first + timedelta(days=5), last


def _month(year: int, month: int) -> Days:
    """Return the days of a month; `month` may be outside 1 to 12 and then belongs to
    another year.
    """
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    return date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])


def _year(year: int) -> Days:
    return date(year, 1, 1), date(year, 12, 31)


def _period(unit: str, step: int, today: date) -> Days:
    match unit:
        case "week":
            return _week(today, step)
        case "weekend":
            return _weekend(today, step)
        case "month":
            return _month(today.year, today.month + step)
        case _:
            return _year(today.year + step)


def _chosen(days: Iterable[date], today: date, back: bool) -> date:
    """Return the last day up to today, or the nearest. Raises ValueError if there is none."""
    if back:
        return max(day for day in days if day <= today)
    return min(days, key=lambda day: abs((day - today).days))


def _yearly(
    day_in: Callable[[int], date | None], year: int | None, today: date, back: bool
) -> Days:
    """Return a yearly day: of `year`, or chosen by the direction of the search. A day of a lunar
    year may be in the next solar year.
    """
    if year is not None:
        made = (day_in(one) for one in (year - 1, year))
        return _day(_chosen((day for day in made if day and day.year == year), date.max, True))
    made = (day_in(today.year + one) for one in range(-_YEARS, _YEARS))
    return _day(_chosen((day for day in made if day), today, back))


def _day_of_year(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _year_said(word: str | None, today: date) -> int | None:
    if not word:
        return None
    if word in RELATIVE_YEARS:
        return today.year + RELATIVE_YEARS[word]
    year = int(parse_number(word.rstrip("年")))
    if year < 100:
        year += 2000 if year + 2000 <= today.year + _OLD else 1900
    return year


def _month_said(word: str) -> int:
    return month_of(word) if word[0].isascii() and word[0].isalpha() else int(parse_number(word))


def _read_date(match: re.Match[str], today: date, back: bool) -> Days:
    month, day = _month_said(match["month"]), int(parse_number(match["day"].rstrip("stndrhSTNDRH")))
    year = _year_said(match["year"], today)
    return _yearly(lambda one: _day_of_year(one, month, day), year, today, back)


def _read_lunar_date(match: re.Match[str], today: date, back: bool) -> Days | None:
    named = lunar_date_of(match)
    if named is None:
        return None
    year = _year_said(match["year"], today)
    return _yearly(lambda one: solar_day(one, *named), year, today, back)


def _read_festival(match: re.Match[str], today: date, back: bool) -> Days:
    """Read a festival with or without a year: "去年的除夕", "New Year's Eve 2024"."""
    name = _SHORT_FESTIVALS.get(match["feast"]) or festival_of(match["feast"])
    year = _year_said(match["year_before"] or match["year_after"], today)
    return _yearly(lambda one: festival_day(name, one), year, today, back)


def _read_month(match: re.Match[str], today: date, back: bool) -> Days | None:
    month, year = _month_said(match["month"]), _year_said(match["year"], today)
    if not 1 <= month <= 12:
        return None
    if year is None and back:
        year = today.year - (month > today.month)
    elif year is None:
        ahead = month - today.month
        year = today.year + (ahead < -6) - (ahead > 6)
    return _month(year or today.year, month)


def _read_month_counted(match: re.Match[str], today: date, back: bool) -> Days:
    """Read 上个月 and 上个月5号."""
    first, last = _month(today.year, today.month + _zh_step(match["which"]))
    return (
        _day(first.replace(day=int(parse_number(match["day"])))) if match["day"] else (first, last)
    )


def _zh_step(word: str) -> int:
    return word.count("下") - word.count("上")


def _read_weekday(match: re.Match[str], today: date, back: bool) -> Days:
    which, weekday = (match["which"] or "").lower(), weekday_of(match["day"])
    if which in ("last", "past", "previous"):  # the last one before today
        return _days_later(today, -((today.weekday() - weekday - 1) % 7 + 1))
    return _weekday(weekday, _STEPS.get(which), today, back)


def _weekday(weekday: int, week: int | None, today: date, back: bool) -> Days:
    """Return a weekday of this week (0) or of a relative one; None: the last such day, or
    the next.
    """
    if week is not None:
        return _days_later(_week(today, week)[0], weekday)
    passed = (today.weekday() - weekday) % 7
    return _days_later(today, -passed if back else (7 - passed) % 7)


def _read_zh_week(match: re.Match[str], today: date, back: bool) -> Days | None:
    which, sign = match["which"], match["day"]
    if not which and not sign:
        return None
    week = _zh_step(which) if which else None
    if not sign:
        return _week(today, week or 0)
    if sign == "末":
        before = back and week is None and today.weekday() < 5
        return _weekend(today, (week or 0) - before)
    return _weekday(zh_weekdays(sign)[0], week, today, back)


def _read_ago(match: re.Match[str], today: date, back: bool) -> Days | None:
    """Read "… ago": the longer ago, the wider the range of days."""
    words, unit = match["count"].lower(), UNITS[match["unit"].lower().removeprefix("个")]
    count = _COUNTS.get(words) or parse_number(words)
    if count % 1:
        return None
    ago = int(count)
    if unit == "week":
        day, slack = today - timedelta(weeks=ago), timedelta(days=1 + ago)
        return day - slack, day + slack
    return _days_later(today, -ago) if unit == "day" else _period(unit, -ago, today)


def _read_period(match: re.Match[str], today: date, back: bool) -> Days:
    if match["before_last"]:
        return _period(match["before_last"].lower(), -2, today)
    return _period(match["unit"].lower(), _STEPS[match["step"].lower()], today)


class DayForm(NamedTuple):
    """A way to name days. A text without one of `needs` (lower case) doesn't match `pattern`: most
    texts name no days, and looking for a word is ten times as fast as matching.
    """

    pattern: re.Pattern[str]
    read: _Read
    needs: tuple[str, ...]


@cache
def _forms(chinese: bool) -> tuple[DayForm, ...]:
    """Return the compiled forms. They are compiled for the first text, not when the app starts."""
    return tuple(day_forms(chinese=chinese))


def day_forms(*, chinese: bool) -> Iterator[DayForm]:
    """Yield all forms; the `chinese` ones at the end."""
    for pattern, read, needs in (*_patterns(), *(_chinese_patterns() if chinese else ())):
        yield DayForm(re.compile(pattern, re.IGNORECASE), read, needs)


_CHINESE = re.compile("[年月周星礼前]")
"""Every text that `_chinese_patterns` match has at least one of these characters."""
_ZH_NUMBER = rf"(?:\d{{1,4}}|{NUMERAL})"
_ZH_DIGIT = "[零〇一二三四五六七八九]"
_ZH_YEAR = rf"(?:{RELATIVE_YEAR}|(?:\d{{2,4}}|{_ZH_DIGIT}{{2,4}})年)"


_CENTURIES = ("19", "20")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("yesterday", "tomorrow", "today", "tmr", "今", "明", "后", "昨", "前")
_PARTS_OF_DAYS = (
    "last night",
    "tonight",
    "this morning",
    "this afternoon",
    "this evening",
    "前晚",
    "昨晚",
    "昨夜",
    "今早",
    "今晚",
    "今夜",
    "明早",
    "明晚",
)
_FESTIVALS = (
    "new year",
    "festival",
    "valentine",
    "christmas",
    "halloween",
    "节",
    "大年",
    "年三十",
    "元旦",
    "国庆",
    "圣诞",
    "平安夜",
    "跨年",
    "双1",
    "双十",
    "除夕",
    "元宵",
    "端午",
    "七夕",
    "中秋",
    "重阳",
    "腊八",
    "五一",
)


_Form = tuple[str, _Read, tuple[str, ...]]


def _patterns() -> Iterator[_Form]:
    """Yield the patterns, longer forms first: a matched text isn't matched again."""
    # \b fails between Chinese and English.
    begin, end = (r"(?<![a-z\d_])", r"(?![a-z\d_])")
    en_year = r"(?P<year>(?:19|20)\d\d)"
    yield (
        r"(?<!\d)(?P<year>(?:19|20)\d\d)[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)",
        _read_date,
        _CENTURIES,
    )
    yield (
        rf"{begin}(?P<month>{MONTH})\s+(?:the\s+)?(?P<day>{MONTH_DAY}){YEAR_AFTER}",
        _read_date,
        _MONTHS,
    )
    yield (
        rf"{begin}(?P<day>{MONTH_DAY})\s+(?:of\s+)?(?P<month>{MONTH}){YEAR_AFTER}",
        _read_date,
        _MONTHS,
    )
    yield rf"{begin}(?P<month>{MONTH})(?:\s+of)?,?\s+{en_year}{end}", _read_month, _CENTURIES
    yield rf"{begin}(?:in|last|since|during)\s+(?P<month>{MONTH})(?P<year>)", _read_month, _MONTHS
    yield (
        rf"{BEGIN}(?P<day>{RELATIVE_DAY})",
        lambda match, today, _: _days_later(today, RELATIVE_DAYS[match["day"].lower()]),
        _DAYS,
    )
    yield (
        rf"{BEGIN}(?P<part>{RELATIVE_PART})",
        lambda match, today, _: _days_later(today, RELATIVE_PARTS[match["part"].lower()]),
        _PARTS_OF_DAYS,
    )
    yield (
        rf"{begin}(?P<count>{NUMBER}|{'|'.join(_COUNTS)})\s+(?P<unit>day|week|month|year)s?\s+"
        rf"(?:ago|earlier|back){end}",
        _read_ago,
        ("ago", "earlier", "back"),
    )
    yield (
        rf"{begin}(?:(?P<before_last>week|weekend|month|year)\s+before\s+last"
        rf"|(?P<step>last|previous|this|next)\s+(?P<unit>week|weekend|month|year)){end}",
        _read_period,
        ("week", "month", "year"),
    )
    yield (
        rf"{begin}(?:(?P<which>last|past|previous|this|next|on)\s+)?(?P<day>{WEEKDAY_NAME}){end}",
        _read_weekday,
        ("day",),
    )
    yield (
        rf"(?:(?P<year_before>{_ZH_YEAR})的?)?(?P<feast>{FESTIVAL}|{'|'.join(_SHORT_FESTIVALS)})"
        rf"(?:,?\s+(?:of\s+|in\s+)?(?P<year_after>(?:19|20)\d\d){end})?",
        _read_festival,
        _FESTIVALS,
    )
    yield (
        rf"{begin}(?:in|of|during|since)\s+{en_year}{end}",
        lambda match, *_: _year(int(match["year"])),
        _CENTURIES,
    )


def _chinese_patterns() -> Iterator[_Form]:
    its_year = rf"(?:(?P<year>{_ZH_YEAR})的?)?"
    month = ("月",)
    yield rf"{its_year}{LUNAR_DATE}", _read_lunar_date, month
    yield (
        rf"{its_year}(?P<month>{_ZH_NUMBER})月(?:份的?)?(?P<day>{_ZH_NUMBER})[日号]",
        _read_date,
        month,
    )
    yield rf"{its_year}(?P<month>{_ZH_NUMBER})月(?:份|(?!\d))", _read_month, month
    yield (
        rf"(?P<which>上+|下+|这|本)个?月(?:的?(?P<day>{ZH_NUMBER})[日号])?",
        _read_month_counted,
        month,
    )
    yield (
        rf"(?P<count>{_ZH_NUMBER})(?P<unit>天|个?周|个?星期|个?礼拜|个月|年)[之以]?前",
        _read_ago,
        ("前",),
    )
    yield (
        rf"(?:(?P<which>上+|下+|这|本)个?)?{ZH_WEEK}(?P<day>{ZH_WEEKDAY}|末)?",
        _read_zh_week,
        ("周", "星期", "礼拜"),
    )
    yield (
        rf"(?P<year>{RELATIVE_YEAR}|(?:19|20)\d\d年|(?:一九|二[零〇]){_ZH_DIGIT}{{2}}年)",
        lambda match, today, _: _year(_year_said(match["year"], today) or today.year),
        ("年",),
    )
