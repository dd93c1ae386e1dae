"""Days that are named in a text, resolved against the time it was said at. Pure.

Times are what the clock on the wall showed, without a zone: who asks in London what was said "on
New Year's Eve" in Shanghai means the evening that was New Year's Eve there.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache

from neodeskpet.core.schedule import lunar
from neodeskpet.core.schedule.numbers import numeral
from neodeskpet.core.schedule.words.days import FEASTS


@dataclass(frozen=True, slots=True)
class Span:
    """Days from `first` to `last`, both within; where it is named: `at` to `end` in the text.
    `feast`: what it is called; people speak of it on other days, too.
    """

    first: date
    last: date
    at: int = 0
    end: int = 0
    feast: str = ""

    @property
    def days(self) -> int:
        return (self.last - self.first).days + 1


_YEAR = 365
"""Days from which a span is a year."""
_FEAST_YEARS = 2
"""So many years back the last feast of the lunar calendar is found."""

_Make = Callable[[re.Match[str], date, bool], tuple[date, date] | None]

_MONTHS = {name.lower(): at for at, name in enumerate(calendar.month_name) if name}
_MONTHS |= {name.lower(): at for at, name in enumerate(calendar.month_abbr) if name}
_MONTHS["sept"] = 9
_WEEKDAYS = {name.lower(): at for at, name in enumerate(calendar.day_name)}
_CHINESE_WEEKDAYS = {**{sign: at for at, sign in enumerate("一二三四五六日")}, "天": 6, "末": 5}
_NUMBERS = ("a", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_WEEKDAY = "|".join(_WEEKDAYS)
_COUNT = rf"(\d{{1,3}}|{'|'.join(_NUMBERS)}|one|an|a couple of|a few)"
_HAN = "[零〇一二两三四五六七八九十\\d]{1,4}"


def spans_in(text: str, now: datetime, *, looking_back: bool = True) -> list[Span]:
    """The days that `text`, said at `now`, names, in their order. A day without a year is the last
    one there was for who looks back, and else the nearest.
    """
    found: list[Span] = []
    taken = [False] * len(text)
    for pattern, make in _FORMS:
        for match in pattern.finditer(text):
            if any(taken[match.start() : match.end()]):
                continue
            try:
                made = make(match, now.date(), looking_back)
            except (ValueError, KeyError, OverflowError):  # there is no such day
                continue
            if made is not None:
                feast = match.groupdict().get("feast") or ""
                if feast[:3].lower() == "new":  # "new" and "year" are no words to look for
                    feast = ""
                found.append(Span(*made, match.start(), match.end(), feast))
                taken[match.start() : match.end()] = [True] * len(match[0])
    return sorted(found, key=lambda span: span.at)


def marks_of(text: str, now: datetime) -> list[str]:
    """Terms for the days and months that `text` names, by which it is found when they are asked
    for.
    """
    marks: dict[str, None] = {}
    for span in spans_in(text, now, looking_back=False):
        if span.days <= 3:
            for number in range(span.days):
                marks[day_mark(span.first + timedelta(days=number))] = None
        elif span.days <= 31:
            marks[month_mark(span.first)] = None
        elif span.days >= _YEAR:
            marks[year_mark(span.first)] = None
    return list(marks)


def day_mark(day: date) -> str:
    return f"dd{day:%Y%m%d}"


def month_mark(day: date) -> str:
    return f"dm{day:%Y%m}"


def year_mark(day: date) -> str:
    return f"dy{day:%Y}0000"


@lru_cache(maxsize=256)
def marks_within(span: Span) -> frozenset[str]:
    """The terms by which texts are found that name a day of `span`; that year, if it is one; none
    where it is something else that is longer than a month.
    """
    if span.days >= _YEAR:
        return frozenset((year_mark(span.first),))
    if span.days > 31:
        return frozenset()
    days = [day_mark(span.first + timedelta(days=at)) for at in range(span.days)]
    return frozenset([*days, month_mark(span.first)] if span.days > 7 else days)


def is_mark(term: str) -> bool:
    """Whether a term is one of these."""
    return len(term) > 7 and term[:2] in ("dd", "dm", "dy") and term[2:].isdigit()


# Making spans


def _day(day: date) -> tuple[date, date]:
    return day, day


def _week(day: date, weeks: int = 0) -> tuple[date, date]:
    first = day - timedelta(days=day.weekday()) + timedelta(weeks=weeks)
    return first, first + timedelta(days=6)


def _month(year: int, month: int) -> tuple[date, date]:
    while month < 1:
        year, month = year - 1, month + 12
    while month > 12:
        year, month = year + 1, month - 12
    return date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])


def _year(year: int) -> tuple[date, date]:
    return date(year, 1, 1), date(year, 12, 31)


def _without_year(month: int, day: int, now: date, looking_back: bool) -> date:
    """The last such day, or the nearest; 29 February is that of a leap year."""
    made = []
    for year in range(now.year - 4, now.year + 3):
        try:
            made.append(date(year, month, day))
        except ValueError:
            continue
    if not made:
        raise ValueError(f"no month {month} has a day {day}")
    if looking_back:
        return max((one for one in made if one <= now), default=made[0])
    return min(made, key=lambda one: abs((one - now).days))


def _month_without_year(month: int, now: date, looking_back: bool) -> tuple[date, date]:
    year = now.year
    if looking_back:
        year -= month > now.month
    elif abs(month - now.month) > 6:
        year += 1 if month < now.month else -1
    return _month(year, month)


def _weekday(weekday: int, now: date, which: int | None, looking_back: bool) -> tuple[date, date]:
    """`which` week: -1 the last, 0 this; None: the last such day, or the next."""
    if which is not None:
        return _day(_week(now, which)[0] + timedelta(days=weekday))
    back = (now.weekday() - weekday) % 7
    if looking_back:
        return _day(now - timedelta(days=back))
    return _day(now + timedelta(days=(7 - back) % 7))


def _last_weekday(weekday: int, now: date) -> tuple[date, date]:
    """ "last Tuesday": the one before today."""
    return _day(now - timedelta(days=(now.weekday() - weekday - 1) % 7 + 1))


def _around(now: date, days: int, slack: int) -> tuple[date, date]:
    day = now + timedelta(days=days)
    return day - timedelta(days=slack), day + timedelta(days=slack)


def _back(now: date, count: int, unit: str) -> tuple[date, date] | None:
    """So many days, weeks, months or years ago; the longer ago, the less exact it is meant."""
    match unit:
        case "day":
            return _day(now - timedelta(days=count))
        case "week":
            return _around(now, -7 * count, 1 + count)
        case "month":
            return _month(now.year, now.month - count)
        case "year":
            return _year(now.year - count)
    return None


def _count(text: str) -> int:
    text = text.strip().lower()
    if text.isdigit():
        return int(text)
    if text in ("a", "an", "one"):
        return 1
    if text == "a couple of":
        return 2
    return 3 if text == "a few" else _NUMBERS.index(text) + 1


def _han(text: str) -> int:
    return int(text) if text.isdecimal() else numeral(text)


def _en_date(match: re.Match[str], now: date, back: bool) -> tuple[date, date] | None:
    month, day = _MONTHS[match["month"].lower()], int(match["day"])
    if match["year"]:
        return _day(date(int(match["year"]), month, day))
    return _day(_without_year(month, day, now, back))


def _en_month(match: re.Match[str], now: date, back: bool) -> tuple[date, date] | None:
    month = _MONTHS[match["month"].lower()]
    if match["year"]:
        return _month(int(match["year"]), month)
    return _month_without_year(month, now, back)


def _en_period(match: re.Match[str], now: date, back: bool) -> tuple[date, date] | None:
    step = {"last": -1, "previous": -1, "this": 0, "next": 1}[match[1].lower()]
    return _period(match[2].lower(), step, now)


def _period(unit: str, step: int, now: date) -> tuple[date, date]:
    match unit:
        case "week":
            return _week(now, step)
        case "weekend":
            first = _week(now, step)[0]
            return first + timedelta(days=5), first + timedelta(days=6)
        case "month":
            return _month(now.year, now.month + step)
        case _:
            return _year(now.year + step)


def _en_weekday(match: re.Match[str], now: date, back: bool) -> tuple[date, date] | None:
    weekday = _WEEKDAYS[match[2].lower()]
    match (match[1] or "").strip().lower():
        case "last" | "past" | "previous":
            return _last_weekday(weekday, now)
        case "this":
            return _weekday(weekday, now, 0, back)
        case "next":
            return _weekday(weekday, now, 1, back)
        case _:
            return _weekday(weekday, now, None, back)


def _zh_year(word: str | None, now: date) -> int | None:
    named = {"去年": -1, "今年": 0, "前年": -2, "明年": 1}
    if not word:
        return None
    if word in named:
        return now.year + named[word]
    digits = _han(word.rstrip("年"))
    return digits + 2000 if digits < 100 else digits


def _zh_date(match: re.Match[str], now: date, back: bool) -> tuple[date, date] | None:
    year, month, day = _zh_year(match["year"], now), _han(match["month"]), _han(match["day"])
    if year is None:
        return _day(_without_year(month, day, now, back))
    return _day(date(year, month, day))


def _zh_month(match: re.Match[str], now: date, back: bool) -> tuple[date, date] | None:
    year, month = _zh_year(match["year"], now), _han(match["month"])
    if not 1 <= month <= 12:
        return None
    return _month_without_year(month, now, back) if year is None else _month(year, month)


def _zh_of_month(match: re.Match[str], now: date, back: bool) -> tuple[date, date] | None:
    step = -1 if match[1][0] == "上" else 1 if match[1][0] == "下" else 0
    first, last = _month(now.year, now.month + step)
    return _day(first.replace(day=_han(match[2]))) if match[2] else (first, last)


def _zh_weekday(match: re.Match[str], now: date, back: bool) -> tuple[date, date] | None:
    which, sign = match[1] or "", match[2] or ""
    step = which.count("下") - which.count("上")
    if not sign:
        return _week(now, step) if which else None
    weekday = _CHINESE_WEEKDAYS[sign]
    if sign == "末":
        first = _week(now, step - (back and not which and now.weekday() < 5))[0]
        return first + timedelta(days=5), first + timedelta(days=6)
    return _weekday(weekday, now, step if which else None, back)


_ALSO = {"new years eve": "new year's eve", "跨年": "跨年夜", "五一": "劳动节"}
"""Further names of feasts, which are too short for the grammar of appointments."""


def _feast(match: re.Match[str], now: date, back: bool) -> tuple[date, date] | None:
    """With or without a year: "去年的除夕", "New Year's Eve 2024"."""
    name = match["feast"].lower().replace("’", "'")
    groups = match.groupdict()
    year = _zh_year(groups.get("before"), now)
    if after := groups.get("after"):
        year = int(after)
    name = _ALSO.get(name, name)
    if name in lunar.FEASTS:
        years = range(now.year - _FEAST_YEARS, now.year + 3) if year is None else (year - 1, year)
        made = [lunar.solar_day(one, *lunar.FEASTS[name]) for one in years]
        return _day(_of_year([day for day in made if day is not None], year, now, back))
    month, day = FEASTS[name]
    if year is not None:
        return _day(date(year, month, day))
    return _day(_without_year(month, day, now, back))


def _of_year(days: list[date], year: int | None, now: date, back: bool) -> date:
    """Of the days of a feast that of this year, the last one, or the nearest."""
    made = [one for one in days if year in (None, one.year) and not (back and one > now)]
    if not made:
        raise ValueError(f"{year} isn't known")
    return made[-1] if back else min(made, key=lambda one: abs((one - now).days))


def _shifted(days: int) -> _Make:
    return lambda match, now, back: _day(now + timedelta(days=days))


def _forms() -> Iterator[tuple[str, _Make]]:
    """Longer forms first: what one has taken no other reads."""
    year = r"(?:,?\s+(?P<year>(?:19|20)\d\d))?"
    zh_years = r"去年|今年|前年|明年|(?:\d{2,4}|[零〇一二三四五六七八九]{2,4})年"
    any_year = rf"(?:(?P<before>{zh_years})的?)?"
    yield (
        r"(?<!\d)((?:19|20)\d\d)[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)",
        lambda m, now, back: _day(date(int(m[1]), int(m[2]), int(m[3]))),
    )
    yield rf"\b(?P<month>{_MONTH})\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:){year}\b", _en_date
    yield (
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month>{_MONTH})\b{year}",
        _en_date,
    )
    yield rf"\b(?P<month>{_MONTH})(?:\s+of)?,?\s+(?P<year>(?:19|20)\d\d)\b", _en_month
    yield rf"\b(?:in|last|since|during)\s+(?P<month>{_MONTH})\b(?P<year>(?!))?", _en_month
    yield r"\bday before yesterday\b", _shifted(-2)
    yield r"\bday after tomorrow\b", _shifted(2)
    yield r"\b(?:yesterday|last night)\b", _shifted(-1)
    yield r"\b(?:today|tonight|this (?:morning|afternoon|evening))\b", _shifted(0)
    yield r"\btomorrow\b", _shifted(1)
    yield (
        rf"\b{_COUNT}\s+(day|week|month|year)s?\s+(?:ago|earlier|back)\b",
        lambda m, now, back: _back(now, _count(m[1]), m[2].lower()),
    )
    yield (
        r"\b(week|weekend|month|year)\s+before\s+last\b",
        lambda m, now, back: _period(m[1].lower(), -2, now),
    )
    yield r"\b(last|previous|this|next)\s+(week|weekend|month|year)\b", _en_period
    yield rf"\b(?:(last|past|previous|this|next|on)\s+)?({_WEEKDAY})\b", _en_weekday
    names = sorted((*FEASTS, *lunar.FEASTS, *_ALSO), key=len, reverse=True)
    feasts = "|".join(re.escape(name).replace("'", "['’]") for name in names)
    yield (
        rf"{any_year}(?P<feast>{feasts})"
        r"(?:,?\s+(?:of\s+|in\s+)?(?P<after>(?:19|20)\d\d)\b)?",
        _feast,
    )
    yield r"\b(?:in|of|during|since)\s+((?:19|20)\d\d)\b", lambda m, now, back: _year(int(m[1]))
    its_year = rf"(?P<year>{zh_years})?的?"
    yield rf"{its_year}(?P<month>{_HAN})月(?:份的?)?(?P<day>{_HAN})[日号]", _zh_date
    yield rf"{its_year}(?P<month>{_HAN})月(?:份|(?!\d))", _zh_month
    yield rf"(上个?月|这个?月|本月|下个?月)(?:的?({_HAN})[日号])?", _zh_of_month
    yield r"大前天", _shifted(-3)
    yield r"前天|前晚", _shifted(-2)
    yield r"昨[天日晚夜]", _shifted(-1)
    yield r"今[天日晚早]", _shifted(0)
    yield r"明[天早晚]", _shifted(1)
    yield r"后天", _shifted(2)
    yield (
        rf"({_HAN})天[之以]?前",
        lambda m, now, back: _back(now, _han(m[1]), "day"),
    )
    yield (
        rf"({_HAN})个?(?:周|星期|礼拜)[之以]?前",
        lambda m, now, back: _back(now, _han(m[1]), "week"),
    )
    yield rf"({_HAN})个月[之以]?前", lambda m, now, back: _back(now, _han(m[1]), "month")
    yield rf"({_HAN})年[之以]?前", lambda m, now, back: _back(now, _han(m[1]), "year")
    yield r"((?:上+|下+|这|本)个?)?(?:周|星期|礼拜)([一二三四五六日天末])?", _zh_weekday
    yield (
        r"去年|今年|前年|明年",
        lambda m, now, back: _year(_zh_year(m[0], now) or now.year),
    )
    yield r"((?:19|20)\d\d)年", lambda m, now, back: _year(int(m[1]))


_FORMS = tuple((re.compile(pattern, re.IGNORECASE), make) for pattern, make in _forms())
