"""Patterns of repetitions: `every two weeks`, `daily`, `每隔三天`, `工作日`."""

from __future__ import annotations

import re
from dataclasses import replace

from neodeskpet.core.schedule.parsing.clock_times import SpokenTime, part_said
from neodeskpet.core.schedule.parsing.day_phrases import ORDINALS
from neodeskpet.core.schedule.vocabulary import (
    NUMBER,
    UNITS,
    WEEKDAY,
    ZH_PART,
    parse_number,
    weekday_of,
)

Match = re.Match[str]
SpokenTimes = tuple[SpokenTime, ...]

_WORKDAYS = (0, 1, 2, 3, 4)
_WEEKEND = (5, 6)
_ADVERBS = {
    "hourly": "hour", "daily": "day", "nightly": "day", "weekly": "week", "monthly": "month",
    "yearly": "year", "annually": "year", "fortnightly": "fortnight",
}  # fmt: skip
_EN_UNIT = r"quarters?(?: of an)? hour|second|sec|minute|min|hour|hr|day|week|fortnight|month|year"
_ZH_UNIT = "刻钟|刻|秒|分钟|分|小时|钟头|天|日|周|星期|礼拜|月|年"


def _comes(said: SpokenTime, count: float, unit: str) -> SpokenTimes:
    if unit == "fortnight":
        count, unit = count * 2, "week"
    if unit == "quarter":
        count, unit = count * 15, "minute"
    if unit not in ("second", "minute", "hour") and count % 1:
        return ()
    return (said.comes(count, unit),) if count > 0 else ()


def _english(said: SpokenTime, found: Match) -> SpokenTimes:
    word = found["count"]
    count = {"other": 2.0, None: 1.0}.get(word) or ORDINALS.get(word) or _number(word)
    unit = "quarter" if found["unit"].startswith("quarter") else UNITS[found["unit"]]
    return _comes(said, count, unit)


def _number(word: str) -> float:
    return parse_number(re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", word.strip()))


def _adverb(said: SpokenTime, found: Match) -> SpokenTimes:
    return _comes(said, 1, _ADVERBS[found[0]])


def _every_day(said: SpokenTime, found: Match) -> SpokenTimes:
    return _comes(said, 1, "day")


def _times_a_day(said: SpokenTime, found: Match) -> SpokenTimes:
    """Read "twice a day", with the times elsewhere."""
    words = next(one for one in found.groups() if one)
    count = {"once": 1.0, "twice": 2.0}.get(words) or parse_number(words)
    if count % 1 or count < 1:
        return ()
    return (replace(said.comes(1, "day"), times=int(count)),)


def _part_daily(said: SpokenTime, found: Match) -> SpokenTimes:
    if found["part"] == "中午":
        return ()  # needs the hours after it: 每天中午十二点半
    return part_said(said.comes(1, "day"), found)


def _chinese(said: SpokenTime, found: Match) -> SpokenTimes:
    unit = UNITS[found["unit"]]
    count = parse_number(found["count"]) if found["count"] else 1.0
    count += 0.5 if found["more"] else 0
    if not found["apart"] or unit in ("second", "minute", "hour"):
        return _comes(said, count, unit)
    # 隔一天 skips one day; 隔三天 means every fourth day for some people and every third for
    # others.
    wider = _comes(said, count + 1, unit)
    return wider if count == 1 else (*_comes(said, count, unit), *wider)


def _workdays(said: SpokenTime, found: Match) -> SpokenTimes:
    return (replace(said.on(*_WORKDAYS), again=True),)


def _weekend(said: SpokenTime, found: Match) -> SpokenTimes:
    """Read "every weekend" (both days) or one weekend day (Saturday or Sunday)."""
    word = found[0]
    if "every" in word or "each" in word or word.endswith("s") or "每" in word:
        return (replace(said.on(*_WEEKEND), again=True),)
    week = 1 if "next" in word or word.startswith("下") else None
    week = 0 if "this" in word or word.startswith(("这", "本")) else week
    return tuple(replace(said.on(day), week=week) for day in _WEEKEND)


def _other_weekday(said: SpokenTime, found: Match) -> SpokenTimes:
    count = {"other": 2.0}.get(found["count"]) or _number(found["count"])
    days = [weekday_of(one) for one in re.findall(WEEKDAY, found["days"])]
    return (said.on(*days).comes(count, "week"),)


REPETITION_PATTERNS = (
    (
        rf"(?:every|each|once (?:a|an|every))\s*(?:(?P<count>other|second|third|fourth|fifth"
        rf"|{NUMBER}(?:st|nd|rd|th)?)\s+)?(?P<unit>{_EN_UNIT})s?(?![a-z])",
        _english,
    ),
    (
        rf"(?:(?P<word>once|twice)|(?P<english>{NUMBER})\s+times)\s+(?:a|per|each|every)\s+day"
        rf"|每(?:天|日)\s*(?P<chinese>{NUMBER})次",
        _times_a_day,
    ),
    (r"天天", _every_day),
    (r"(?:hourly|daily|nightly|weekly|monthly|yearly|annually|fortnightly)(?![a-z])", _adverb),
    (r"(?:every|each)\s+(?P<part>morning|afternoon|evening|night)(?![a-z])", _part_daily),
    (r"(?:in the )?(?P<part>morning|afternoon|evening|night)s(?![a-z])", _part_daily),
    (rf"每(?:天|日)?(?:的)?(?P<part>{ZH_PART})", _part_daily),
    (
        rf"每?(?P<apart>隔)\s*(?P<count>{NUMBER})?\s*个?(?P<more>半)?(?P<unit>{_ZH_UNIT})的?(?:一次)?",
        _chinese,
    ),
    (
        rf"每(?P<apart>)\s*过?(?P<count>{NUMBER})?\s*个?(?P<more>半)?(?P<unit>{_ZH_UNIT})的?(?:一次)?",
        _chinese,
    ),
    (rf"每\s*(?P<count>{NUMBER})?\s*(?P<unit>{_EN_UNIT})s?(?![a-z])", _english),
    (
        r"(?:every |each |on )?(?:weekdays?|workdays?|work days?|working days?|business days?)"
        r"(?![a-z])|每?个?(?:工作日|上班日)",
        _workdays,
    ),
    (
        r"(?:every |each |next |this )?weekends?(?![a-z])|(?:每个?|这个?|本|下个?)?周末",
        _weekend,
    ),
    (
        rf"every\s+(?P<count>other|two|three|four|\d)\s+(?:weeks?\s+on\s+)?"
        rf"(?P<days>{WEEKDAY}(?:(?:\s*(?:,|and)\s*)+{WEEKDAY})*)",
        _other_weekday,
    ),
)
