"""Patterns of days: weekdays, dates, days of the month, and days relative to today."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

from neodeskpet.core.schedule.parsing.clock_times import SpokenTime
from neodeskpet.core.schedule.vocabulary import (
    DURATION,
    FESTIVAL,
    FESTIVALS,
    LUNAR_DATE,
    LUNAR_FESTIVALS,
    MONTH,
    MONTH_DAY,
    NUMBER,
    RELATIVE_DAY,
    RELATIVE_DAYS,
    RELATIVE_YEAR,
    RELATIVE_YEARS,
    WEEKDAY,
    YEAR_AFTER,
    ZH_NUMBER,
    ZH_WEEK,
    ZH_WEEKDAY,
    festival_of,
    lunar_date_of,
    month_of,
    parse_duration,
    parse_number,
    parse_numeral,
    weekday_of,
    zh_weekdays,
)

Match = re.Match[str]
SpokenTimes = tuple[SpokenTime, ...]

ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1,
    "1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "5th": 5,
}  # fmt: skip

_WEEKDAY_LIST = rf"{WEEKDAY}(?:(?:\s*(?:,|/|&|\band\b)\s*)+{WEEKDAY})*"
_TO = r"\s*(?:to|through|thru|-|–|~)\s*"
_ORDINAL = "|".join(ORDINALS)
_TENS = r"十(?![一二三四五六七八九]?(?:点|时))"
_NOT_CLOCK = rf"(?!\s*(?:点|时|刻|个|月|号|{_TENS}|分|次))"
"""周二十点 is ten o'clock on Tuesday. In 周一二十点 the character 二 isn't a second weekday: it is
twenty o'clock on Monday.
"""
_ZH_DAYS = (
    rf"{ZH_WEEKDAY}{_NOT_CLOCK}"
    rf"(?:\s*(?:[、,和与及]\s*{ZH_WEEK}?|{ZH_WEEK}){ZH_WEEKDAY}{_NOT_CLOCK}"
    rf"|{ZH_WEEKDAY}(?!十){_NOT_CLOCK})*"
)
_ZH_THIS_MONTH = r"(?:每个?月|每逢|下+个?月|这个?月|本月)"
_EN_OF = r"(?:\s+(?:of|in)\s+(?P<of>the|every|each|any|this|next|a)\s+months?)"


def _days_in(text: str) -> list[int]:
    return [weekday_of(one) for one in re.findall(WEEKDAY, text)]


def weekday_span(first: int, last: int) -> list[int]:
    return [(first + n) % 7 for n in range((last - first) % 7 + 1)]


def _english_weekdays(said: SpokenTime, found: Match) -> SpokenTimes:
    names = found["days"]
    days = _days_in(names)
    prefix = (found["prefix"] or "").removesuffix("on ").strip()
    plural = any(one.endswith("s") and len(one) > 4 for one in re.findall(WEEKDAY, names))
    said = said.on(*days)
    if prefix in ("every", "each") or plural or (len(days) > 1 and not prefix):
        return (replace(said, again=True),)
    if prefix == "next":
        return (replace(said, vague=True),)
    return (replace(said, week=0),) if prefix == "this" else (said,)


def _weekday_span(said: SpokenTime, found: Match) -> SpokenTimes:
    days = weekday_span(weekday_of(found["low"]), weekday_of(found["high"]))
    return (replace(said.on(*days), again=True),)


def _chinese_weekdays(said: SpokenTime, found: Match) -> SpokenTimes:
    days = zh_weekdays(found["days"])
    said = said.on(*days)
    if found["every"] or len(days) > 1:
        said = replace(said, again=True)
    return _week_said(said, found)


def _week_said(said: SpokenTime, found: Match) -> SpokenTimes:
    if found["nexts"]:
        said = replace(said, week=found["nexts"].count("下") - found["nexts"].count("上"))
    elif found["this"]:
        said = replace(said, week=0)
    return (said,)


def _chinese_span(said: SpokenTime, found: Match) -> SpokenTimes:
    days = weekday_span(zh_weekdays(found["low"])[0], zh_weekdays(found["high"])[0])
    return _week_said(replace(said.on(*days), again=True), found)


def _week(said: SpokenTime, found: Match) -> SpokenTimes:
    words = {"this week": 0, "next week": 1, "the week after next": 2, "week after next": 2}
    return (replace(said, week=words[found[0].strip()]),)


def _relative(said: SpokenTime, found: Match) -> SpokenTimes:
    return (replace(said, days=RELATIVE_DAYS[found[0]]),) if said.days is None else ()


def _later(said: SpokenTime, found: Match) -> SpokenTimes:
    """Read "in three days", with a time of the day elsewhere."""
    duration = parse_duration(found["duration"])
    if duration is None or duration % timedelta(days=1):
        return ()
    days = duration.days + RELATIVE_DAYS.get((found["day"] or "").strip(), 0)
    return (replace(said, days=(said.days or 0) + days, later=duration),)


def _later_months(said: SpokenTime, found: Match) -> SpokenTimes:
    count = parse_number(found["count"])
    months = round(count * (12 if found["unit"] in ("year", "年") else 1))
    return (replace(said, month=months, later=timedelta()),) if count % 1 == 0 else ()


def _iso(said: SpokenTime, found: Match) -> SpokenTimes:
    return _date(said, int(found["year"]), int(found["month"]), int(found["day"]))


def _slashes(said: SpokenTime, found: Match) -> SpokenTimes:
    """Read 3/4, which may be the third of April or the fourth of March."""
    one, other = int(found["one"]), int(found["other"])
    either = [*_date(said, None, one, other), *_date(said, None, other, one)]
    return tuple(dict.fromkeys(either))


def _chinese_date(said: SpokenTime, found: Match) -> SpokenTimes:
    year = None
    if found["year"]:
        year = int("".join(str(parse_numeral(char)) for char in _digits(found["year"])))
        year += 2000 if year < 100 else 0
    again = bool(found["every"])
    years = RELATIVE_YEARS.get(found["which"] or "")
    days = re.findall(ZH_NUMBER, found["days"])
    numbers = tuple(int(parse_number(one)) for one in days)
    said = replace(said, years=years, again=said.again or again)
    if again:
        said = replace(said, every=(1, "year"))
    return _date(said, year, int(parse_number(found["month"])), *numbers)


def _digits(text: str) -> str:
    return text.translate(str.maketrans("0123456789", "〇一二三四五六七八九"))


def _english_date(said: SpokenTime, found: Match) -> SpokenTimes:
    day = int(re.sub(r"\D", "", found["day"]))
    year = int(found["year"]) if found["year"] else None
    if found["every"]:
        said = replace(said, again=True, every=(1, "year"))
    return _date(said, year, month_of(found["month"]), day)


def _holiday(said: SpokenTime, found: Match) -> SpokenTimes:
    if found["every"]:
        said = replace(said, again=True, every=(1, "year"))
    years = RELATIVE_YEARS.get(found["which"] or "")
    name = festival_of(found["feast"])
    if name in LUNAR_FESTIVALS:
        return _lunar_day(replace(said, years=years), *LUNAR_FESTIVALS[name])
    month, day = FESTIVALS[name]
    return _date(replace(said, years=years), None, month, day)


def _lunar_date(said: SpokenTime, found: Match) -> SpokenTimes:
    if found["every"]:
        said = replace(said, again=True, every=(1, "year"))
    years = RELATIVE_YEARS.get(found["which"] or "")
    day = lunar_date_of(found)
    return () if day is None else _lunar_day(replace(said, years=years), *day)


def _lunar_day(said: SpokenTime, month: int, day: int) -> SpokenTimes:
    return (replace(said, lunar=(month, day)),) if said.lunar is None else ()


def _delay(said: SpokenTime, found: Match) -> SpokenTimes:
    """Read "in ten minutes"; `bare` if it is only a duration."""
    duration = parse_duration(found["duration"])
    if duration is None or said.delay is not None:
        return ()
    bare = not found["before"] and not found["after"]
    if not bare and duration % timedelta(days=1) == timedelta():
        return ()  # `_later` reads whole days
    return (replace(said, delay=duration, bare=bare),)


def _workday_of_month(said: SpokenTime, found: Match) -> SpokenTimes:
    """Read "the last working day of the month"."""
    if found["last"]:
        which = -1
    else:
        words = found["nth"] or "1"
        which = ORDINALS.get(words) or int(parse_number(words))
    if not (-1 <= which <= 23) or which == 0:
        return ()
    groups = found.groupdict()
    if groups.get("month"):
        return (replace(said, workday=which, months=(month_of(groups["month"]),)),)
    return (replace(_month_said(said, found["of"] or "the"), workday=which),)


def _workdays_later(said: SpokenTime, found: Match) -> SpokenTimes:
    count = parse_number(found["count"])
    if count % 1 or not 1 <= count <= 260 or said.workdays is not None:
        return ()
    return (replace(said, workdays=int(count)),)


def _weeks_from(said: SpokenTime, found: Match) -> SpokenTimes:
    """Read "a week from Friday": the next Friday, and one week more."""
    weeks = parse_number(found["count"])
    if weeks % 1 or not 1 <= weeks <= 53:
        return ()
    return (replace(said.on(weekday_of(found["day"])), after=int(weeks)),)


def _end_of_year(said: SpokenTime, found: Match) -> SpokenTimes:
    words = found["which"] or found["which2"] or found["of"] or ""
    years = {"明": 1, "后": 2, "next": 1, "今": 0, "this": 0}.get(words)
    if found["every"] or found["every2"]:
        said = replace(said, again=True, every=(1, "year"))
    return _date(replace(said, years=years), None, 12, 31)


def _date(said: SpokenTime, year: int | None, month: int, *days: int) -> SpokenTimes:
    if said.months or said.monthdays or not 1 <= month <= 12:
        return ()
    if not all(1 <= day <= 31 for day in days):
        return ()
    return (replace(said, year=year, months=(month,), monthdays=days),)


def _month_said(said: SpokenTime, word: str | None) -> SpokenTime:
    """Set the month: every month, this or the next one, or "of the month", which may mean
    either.
    """
    if word is None or word in ("the", "a"):
        return replace(said, either=word is not None)
    if word in ("every", "each", "any") or word.startswith("每"):
        return replace(said, again=True)
    return replace(said, month=1 if word == "next" else word.count("下"))


def _monthdays(said: SpokenTime, found: Match) -> SpokenTimes:
    days = [int(re.sub(r"\D", "", one)) for one in re.findall(r"\d+", found["days"])]
    if found["every"]:
        said = replace(said, again=True)
    of = found["of"] if "of" in found.re.groupindex else None
    return (replace(_month_said(said, of), monthdays=tuple(days)),)


def _edge_of_month(said: SpokenTime, found: Match) -> SpokenTimes:
    """Read the last, the first, or the last but one day of the month."""
    ends = {"last": -1, "end": -1, "first": 1, "beginning": 1, "start": 1, "second to last": -2}
    day = ends[found["edge"]]
    if found["month"]:
        return (replace(said, months=(month_of(found["month"]),), monthdays=(day,)),)
    return (replace(_month_said(said, found["of"] or "the"), monthdays=(day,)),)


def _chinese_monthdays(said: SpokenTime, found: Match) -> SpokenTimes:
    days = tuple(int(parse_number(one)) for one in re.findall(ZH_NUMBER, found["days"]))
    if not all(1 <= day <= 31 for day in days):
        return ()
    return (replace(_month_said(said, found["which"]), monthdays=days),)


def _chinese_edge(said: SpokenTime, found: Match) -> SpokenTimes:
    day = 1 if found["first"] else -1
    if found["back"]:
        day = -int(parse_number(found["back"]))
    which = found["which"]
    if which is None and found[0] in ("最后一天", "倒数第一天", "第一天"):
        return ()  # the unit is missing
    return (replace(_month_said(said, which or "the"), monthdays=(day,)),)


def _nth(said: SpokenTime, found: Match) -> SpokenTimes:
    """Read "the first Monday of the month"."""
    every = bool(found["every"] or found["yearly"])
    which = tuple(ORDINALS[one] for one in re.findall(_ORDINAL, found["nth"]))
    said = replace(said.on(weekday_of(found["day"])), nth=which)
    if found["month"]:
        return (replace(said, months=(month_of(found["month"]),), again=said.again or every),)
    nth = replace(_month_said(said, "every" if every else found["of"] or "the"))
    if every and not found["of"] and which[0] > 1:
        other = replace(said, nth=(), every=(which[0], "week"), again=True)
        return (nth, other) if which[0] == 2 else (nth,)
    return (nth,)


def _chinese_nth(said: SpokenTime, found: Match) -> SpokenTimes:
    which = -1 if found["last"] else int(parse_number(found["nth"]))
    if not -1 <= which <= 5 or which == 0:
        return ()
    said = replace(said.on(zh_weekdays(found["day"])[0]), nth=(which,))
    if found["month"]:
        again = replace(said, again=True) if found["yearly"] else said
        return (replace(again, months=(int(parse_number(found["month"])),)),)
    return (_month_said(said, found["which"] or "the"),)


def _month(said: SpokenTime, found: Match) -> SpokenTimes:
    """Read "next month", with the day elsewhere."""
    word = found[0]
    return (replace(said, month=1 if "next" in word else word.count("下")),)


_EN_WORKDAY = r"(?:business|working|work)\s*days?"
_YEAR_SAID = rf"(?:(?P<every>every\s+|each\s+|每年的?)|(?P<which>{RELATIVE_YEAR})的?)?"

DAY_PATTERNS = (
    (
        rf"(?P<before>in\s+|after\s+|再?过\s*)?(?P<duration>{DURATION})"
        r"(?P<after>\s*(?:from now|later|之后|以后|后)(?![a-z天年]))?",
        _delay,
    ),
    (
        rf"{_YEAR_SAID}{LUNAR_DATE}",
        _lunar_date,
    ),
    (
        rf"(?:the\s+)?(?:(?P<last>last)|(?P<nth>{_ORDINAL}))\s+{_EN_WORKDAY}"
        rf"(?:{_EN_OF}|\s+(?:of|in)\s+(?P<month>{MONTH}))",
        _workday_of_month,
    ),
    (
        r"(?P<of>every|each)\s+month\s+on\s+the\s+"
        rf"(?:(?P<last>last)|(?P<nth>{_ORDINAL}))\s+{_EN_WORKDAY}",
        _workday_of_month,
    ),
    (
        rf"(?P<of>{_ZH_THIS_MONTH})?的?(?:(?P<last>最后一?个?)|第(?P<nth>{ZH_NUMBER})个?|首个)"
        r"工作日",
        _workday_of_month,
    ),
    (rf"(?:in|after)\s+(?P<count>{NUMBER})\s+{_EN_WORKDAY}", _workdays_later),
    (rf"(?P<count>{NUMBER})\s+{_EN_WORKDAY}\s+(?:from now|later)", _workdays_later),
    (rf"(?:再?过\s*)?(?P<count>{NUMBER})\s*个?工作日(?:之后|以后|后)", _workdays_later),
    (
        r"(?P<prefix>(?:every|each|next|this|this coming|coming)\s+(?:on\s+)?)?"
        rf"(?P<days>{_WEEKDAY_LIST})",
        _english_weekdays,
    ),
    (rf"(?:every\s+|each\s+)?(?P<low>{WEEKDAY}){_TO}(?P<high>{WEEKDAY})", _weekday_span),
    (
        rf"(?:(?P<every>每(?:个|逢)?|逢)|(?P<nexts>下+|上+)个?|(?P<this>这个?|本))?{ZH_WEEK}的?"
        rf"(?P<days>{_ZH_DAYS})",
        _chinese_weekdays,
    ),
    (
        rf"(?:(?P<every>每个?)|(?P<nexts>下+|上+)个?|(?P<this>这个?|本))?{ZH_WEEK}"
        rf"(?P<low>{ZH_WEEKDAY})\s*(?:到|至|-|~)\s*{ZH_WEEK}?(?P<high>{ZH_WEEKDAY})"
        rf"{_NOT_CLOCK}",
        _chinese_span,
    ),
    (rf"(?:(?P<nexts>下+|上+)个?|(?P<this>这个?|本)){ZH_WEEK}", _week_said),
    (r"this week\b|next week\b|(?:the )?week after next\b", _week),
    (RELATIVE_DAY, _relative),
    (
        rf"(?:in|after|再?过)\s*(?P<duration>{NUMBER}\s*(?:days?|weeks?|fortnights?|天|周|个?星期))(?P<day>)",
        _later,
    ),
    (
        rf"(?P<duration>{NUMBER}\s*(?:days?|weeks?|天|周|个?星期))\s*"
        r"(?:from (?:now|(?P<day>today|tomorrow))|later|之后|以后|后)",
        _later,
    ),
    (rf"(?:in|after)\s+(?P<count>{NUMBER})\s*(?P<unit>month|year)s?\b", _later_months),
    (rf"(?P<count>{NUMBER})\s*(?P<unit>month|year)s?\s+(?:from now|later)", _later_months),
    (
        rf"(?:过\s*)?(?P<count>{NUMBER})\s*个?(?P<unit>月|年)(?:之后|以后|后)",
        _later_months,
    ),
    (r"(?P<year>20\d\d)[-/.](?P<month>\d\d?)[-/.](?P<day>\d\d?)(?:t(?=\d))?", _iso),
    (r"(?P<one>\d\d?)/(?P<other>\d\d?)(?![\d/])", _slashes),
    (
        rf"(?:(?:(?P<every>每年的?)|(?P<which>{RELATIVE_YEAR})的?"
        rf"|(?P<year>\d{{4}}|[零〇一二三四五六七八九]{{4}})年)\s*)?"
        rf"(?P<month>{ZH_NUMBER})月(?:份的?)?\s*"
        rf"(?P<days>{ZH_NUMBER}(?:号|日)?(?:\s*[、,和]\s*{ZH_NUMBER}(?:号|日))*)(?!\s*[点个])",
        _chinese_date,
    ),
    (
        rf"(?P<every>(?:every|each)\s+)?(?P<month>{MONTH})\s*(?:the\s+)?(?P<day>{MONTH_DAY})"
        rf"{YEAR_AFTER}",
        _english_date,
    ),
    (
        rf"(?:the\s+)?(?P<day>{MONTH_DAY})\s+(?:of\s+)?(?P<every>(?:every|each)\s+)?(?P<month>{MONTH})"
        rf"{YEAR_AFTER}",
        _english_date,
    ),
    (
        rf"{_YEAR_SAID}(?P<feast>{FESTIVAL})",
        _holiday,
    ),
    (
        r"(?:(?P<which>[今明后])年的?|(?P<every>每年的?))?年[底末]"
        r"|(?:(?P<which2>[今明后])年|(?P<every2>每年))的?最后一天"
        r"|(?:the\s+)?end\s+of\s+(?P<of>the|this|next)\s+year\b",
        _end_of_year,
    ),
    (
        rf"(?P<count>{NUMBER})\s*weeks?\s+(?:from|after|on)\s+(?P<day>{WEEKDAY})",
        _weeks_from,
    ),
    (
        r"(?P<every>(?:every|each)\s+)?(?:the\s+)?(?P<days>(?:[12]?\d|3[01])(?:st|nd|rd|th)"
        r"(?:(?:\s*(?:,|and)\s*)+(?:the\s+)?(?:[12]?\d|3[01])(?:st|nd|rd|th))*)(?![a-z])"
        rf"{_EN_OF}?(?!\s+(?:{WEEKDAY}|day))",
        _monthdays,
    ),
    (rf"(?P<every>)(?:the\s+)?day\s+(?P<days>[12]?\d|3[01])(?!\d){_EN_OF}", _monthdays),
    (
        r"(?:the\s+)?(?P<edge>last|first|second to last)\s+day"
        rf"(?:{_EN_OF}|\s+of\s+(?P<month>{MONTH}))",
        _edge_of_month,
    ),
    (
        rf"(?:the\s+)?(?P<edge>end|beginning|start)(?:{_EN_OF}|\s+of\s+(?P<month>{MONTH}))",
        _edge_of_month,
    ),
    (
        r"(?P<of>every|each)\s+month\s+on\s+the\s+(?P<edge>last|first)\s+day(?P<month>)",
        _edge_of_month,
    ),
    (
        rf"(?P<which>{_ZH_THIS_MONTH})?的?(?P<days>(?:{ZH_NUMBER}(?:号|日)?\s*[、,和与]\s*)*"
        rf"{ZH_NUMBER}(?:号|日)(?:\s*{ZH_NUMBER}(?:号|日))*)",
        _chinese_monthdays,
    ),
    (
        rf"(?P<which>{_ZH_THIS_MONTH})?(?:的)?(?:(?P<first>初|第一天)|底|末|最后一天"
        rf"|倒数第(?P<back>{ZH_NUMBER})天)",
        _chinese_edge,
    ),
    (r"月(?:(?P<first>初)|底|末)(?P<back>)(?P<which>)", _chinese_edge),
    (
        rf"(?P<every>(?:every|each)\s+)?(?:the\s+)?(?P<nth>(?:{_ORDINAL})"
        rf"(?:(?:\s*(?:,|and)\s*)+(?:the\s+)?(?:{_ORDINAL}))*)\s+(?P<day>{WEEKDAY})"
        rf"(?:{_EN_OF}|\s+(?:of|in)\s+(?P<yearly>every\s+|each\s+)?(?P<month>{MONTH}))?",
        _nth,
    ),
    (
        rf"(?:(?P<which>{_ZH_THIS_MONTH})|(?P<yearly>每年的?)?(?P<month>{ZH_NUMBER})月)?份?的?"
        rf"(?:第(?P<nth>{ZH_NUMBER})|(?P<last>最后一?|倒数第一))个?{ZH_WEEK}"
        rf"(?P<day>{ZH_WEEKDAY}){_NOT_CLOCK}",
        _chinese_nth,
    ),
    (r"(?:this|next) month\b|下+个?月|这个?月|本月", _month),
)
