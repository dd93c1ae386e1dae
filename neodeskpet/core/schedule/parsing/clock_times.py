"""The parts of a time phrase, and the patterns of times of day: `8:30 pm`, `half past 8`,
`下午四点`, `差一刻九点`, `noon`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import timedelta

from neodeskpet.core.schedule.vocabulary import (
    DAY_PARTS,
    NUMERAL,
    RELATIVE_PART,
    RELATIVE_PARTS,
    ZH_PART,
    parse_number,
)


@dataclass(frozen=True, slots=True)
class ClockTime:
    """A time of day as it was said. `part` is a part of the day as in `vocabulary.DAY_PARTS`, ""
    for none. An `exact` hour was given in 24-hour form.
    """

    hour: int
    minute: int = 0
    second: int = 0
    part: str = ""
    exact: bool = False


@dataclass(frozen=True, slots=True)
class SpokenTime:
    """The parts of a time phrase that were read so far; missing parts are empty.

    `every`: count and unit ("hour", "day", "week", "month", "year"). `again`: it repeats for
    another reason. `weekdays`: 0 is Monday. `vague`: an ambiguous "next Friday". `nth`: which of
    the weekdays in a month, -1 is the last. `monthdays`: -1 is the last day. `days`, `week`,
    `month`: relative to today. `either`: it may refer to one month or to all. `part`, `hour`: a
    part of the day and its default hour. `after`: weeks after the weekday. `times`: number of times
    of day that belong to it, 0 for any number. `lunar`: month and day of the Chinese calendar.
    `workday`: which working day of a month, -1 is the last. `workdays`: number of working days from
    today. `delay`: time from now that isn't a number of whole days. `bare`: the phrase is only a
    duration ("10 minutes").
    """

    every: tuple[float, str] | None = None
    again: bool = False
    either: bool = False
    weekdays: tuple[int, ...] = ()
    vague: bool = False
    nth: tuple[int, ...] = ()
    monthdays: tuple[int, ...] = ()
    months: tuple[int, ...] = ()
    year: int | None = None
    years: int | None = None
    days: int | None = None
    later: timedelta | None = None
    week: int | None = None
    after: int = 0
    times: int = 0
    month: int | None = None
    clocks: tuple[ClockTime, ...] = ()
    part: str = ""
    hour: int | None = None
    hours: tuple[int, int] | None = None
    midnight: bool = False
    lunar: tuple[int, int] | None = None
    workday: int = 0
    workdays: int | None = None
    delay: timedelta | None = None
    bare: bool = False

    def on(self, *weekdays: int) -> SpokenTime:
        return replace(self, weekdays=tuple(sorted({*self.weekdays, *weekdays})))

    def comes(self, count: float, unit: str) -> SpokenTime:
        """Add a repetition every `count` of `unit`. An equal one that was said before
        ("工作日每天") is ignored.
        """
        if self.every is not None and (count, unit) == (1, "day"):
            return self
        return replace(self, every=(count, unit), again=True)

    @property
    def has_clock(self) -> bool:
        """Whether a time or a part of the day was said."""
        return bool(self.clocks or self.part or self.midnight or self.delay)

    def at(self, clock: ClockTime) -> SpokenTime:
        return replace(self, clocks=(*self.clocks, clock))


Match = re.Match[str]
SpokenTimes = tuple[SpokenTime, ...]

_EN_PART = (
    r"a\.?m\b\.?|p\.?m\b\.?|in the morning|in the afternoon|in the evening|at night"
    r"|tonight|this morning|this afternoon|this evening"
)
_EN_WORD_HOUR = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_EN_HOUR = rf"\d{{1,2}}|{_EN_WORD_HOUR}"
_EN_MINUTES = "ten|fifteen|twenty-five|twenty|thirty-five|thirty|forty-five|forty|fifty-five|fifty"
_ZH_HOUR = rf"\d{{1,2}}|{NUMERAL}"


def part_of(word: str | None) -> str:
    """Return the part of the day that `word` means, "" for none."""
    plain = (word or "").replace("this ", "in the ").rstrip(".")
    return DAY_PARTS[plain][0] if plain in DAY_PARTS else ""


def _put(said: SpokenTime, clock: ClockTime, word: str | None) -> SpokenTimes:
    """Add a time of day, and the day that "tonight" and 今晚 mean."""
    if clock.hour > 24 or clock.minute > 59 or clock.second > 59:
        return ()
    days = RELATIVE_PARTS.get(word or "", said.days)
    return (replace(said.at(clock), days=days),)


def _chinese(said: SpokenTime, found: Match) -> SpokenTimes:
    minute = 0.0
    if found["half"]:
        minute = 30
    elif found["quarter"]:
        minute = 15 * parse_number(found["quarter"])
    elif found["rest"]:
        minute = parse_number(found["rest"])
    hour = int(parse_number(found["hour"]))
    return _put(said, _clock(hour, int(minute), found["part"]), found["part"])


def _chinese_to(said: SpokenTime, found: Match) -> SpokenTimes:
    short = 15 * parse_number(found["quarter"]) if found["quarter"] else parse_number(found["rest"])
    hour = int(parse_number(found["hour"]))
    return _put(said, _before(hour, int(short), found["part"]), found["part"])


def _digital(said: SpokenTime, found: Match) -> SpokenTimes:
    word = found["before"] or found["after"]
    clock = replace(
        _clock(int(found["hour"]), int(found["minute"]), word),
        second=int(found["second"] or 0),
        exact=True,
    )
    return _put(said, clock, word)


def _english(said: SpokenTime, found: Match) -> SpokenTimes:
    return _put(said, _clock(int(parse_number(found["hour"])), 0, found["part"]), found["part"])


def _spoken(said: SpokenTime, found: Match) -> SpokenTimes:
    """Read a time in words: "eleven thirty"."""
    hour, minutes = int(parse_number(found["hour"])), int(parse_number(found["minutes"]))
    return _put(said, _clock(hour, minutes, found["part"]), found["part"])


def _past(said: SpokenTime, found: Match) -> SpokenTimes:
    words = {"half": 30.0, "quarter": 15.0, "a quarter": 15.0}
    minutes = int(words.get(found["minutes"]) or parse_number(found["minutes"]))
    hour = int(parse_number(found["hour"]))
    if found["way"] in ("past", "after"):
        return _put(said, _clock(hour, minutes, found["part"]), found["part"])
    return _put(said, _before(hour, minutes, found["part"]), found["part"])


def _clock(hour: int, minute: int, word: str | None) -> ClockTime:
    part = part_of(word)
    return ClockTime(hour, minute, part=part, exact=not part and (hour == 0 or hour > 12))


def _before(hour: int, minutes: int, word: str | None) -> ClockTime:
    earlier = hour - 1 if hour > 1 else 12
    return _clock(earlier, 60 - minutes, word)


def _noon(said: SpokenTime, found: Match) -> SpokenTimes:
    return (said.at(ClockTime(12, part="noon")),)


def _midnight(said: SpokenTime, found: Match) -> SpokenTimes:
    return (replace(said, midnight=True),)


def part_said(said: SpokenTime, found: Match) -> SpokenTimes:
    """Read a part of the day without an hour."""
    word = found["part"].removeprefix("in the ").removeprefix("at ")
    if word == "中午":
        return _noon(said, found)
    if word in RELATIVE_PARTS or said.part not in ("", part_of(word)):
        return ()
    return (replace(said, part=part_of(word), hour=DAY_PARTS[word][1]),)


def _relative_part(said: SpokenTime, found: Match) -> SpokenTimes:
    """Read 今晚, 明早, tonight, this evening: a day and a part of it."""
    word = found["part"]
    part, hour = DAY_PARTS[word.removeprefix("this ").removeprefix("last ")]
    return (replace(said, days=RELATIVE_PARTS[word], part=part, hour=hour),)


def _window(said: SpokenTime, found: Match) -> SpokenTimes:
    """Read the range of hours of an hourly repetition."""
    hours = []
    for name in ("low", "high"):
        clock = _clock(int(parse_number(found[name])), 0, found[f"{name}_part"])
        hours.append(clock.hour + 12 if clock.part in ("pm", "night") else clock.hour)
    low, high = hours
    if low >= high and low < 12:
        high += 12
    return (replace(said, hours=(low, high)),) if 0 <= low < high <= 24 else ()


def _both(said: SpokenTime, found: Match) -> SpokenTimes:
    """Read 早晚八点: twice a day."""
    hour = int(parse_number(found["hour"]))
    if not 1 <= hour <= 11:
        return ()
    said = said.comes(1, "day") if found["daily"] else said
    return (said.at(ClockTime(hour, part="am")).at(ClockTime(hour, part="pm")),)


CLOCK_PATTERNS = (
    (rf"(?P<daily>每[天日])?早晚各?\s*(?P<hour>{_ZH_HOUR})\s*点钟?", _both),
    (
        rf"(?:(?P<part>{ZH_PART})的?\s*)?(?P<hour>{_ZH_HOUR})\s*(?:点钟?|时)\s*"
        rf"(?:整|(?P<half>半)|(?P<quarter>[一二两三123])刻|过?(?P<rest>\d{{1,2}}|{NUMERAL})(?:分(?!钟)|(?!\s*个?(?:分钟|小时|钟头|秒|天)|[\d{NUMERAL[1:-2]}])))?",
        _chinese,
    ),
    (
        rf"(?:(?P<part>{ZH_PART})的?\s*)?差\s*(?:(?P<quarter>一)刻钟?|(?P<rest>{_ZH_HOUR})分钟?)"
        rf"(?:到|就)?\s*(?P<hour>{_ZH_HOUR})\s*点钟?",
        _chinese_to,
    ),
    (
        rf"(?:at\s+)?(?:(?P<before>{ZH_PART})的?\s*)?(?P<hour>\d{{1,2}})\s*[:.]\s*(?P<minute>\d\d)"
        rf"(?::(?P<second>\d\d))?(?!\d)(?:\s*(?P<after>{_EN_PART}))?",
        _digital,
    ),
    (
        rf"(?:at\s+)?(?P<hour>{_EN_HOUR})\s*(?:o'?clock)?\s*(?P<part>{_EN_PART})",
        _english,
    ),
    (
        rf"(?:at\s+)?(?P<hour>{_EN_WORD_HOUR})[\s-](?P<minutes>{_EN_MINUTES})(?![a-z])"
        rf"(?:\s*(?P<part>{_EN_PART}))?",
        _spoken,
    ),
    (rf"at\s+(?P<hour>{_EN_HOUR})(?!\w)(?P<part>)(?:\s*o'?clock)?", _english),
    (rf"(?P<hour>{_EN_HOUR})(?P<part>)\s*o'?clock", _english),
    (
        r"(?:at\s+)?(?P<minutes>half|(?:a\s+)?quarter|five|ten|twenty|twenty-five|\d{1,2})"
        rf"(?:\s+minutes)?\s+(?P<way>past|to|after|before)\s+(?P<hour>{_EN_HOUR})(?!\w)"
        rf"(?:\s*(?P<part>{_EN_PART}))?",
        _past,
    ),
    (r"(?:at\s+)?(?:noon|midday)\b|正午", _noon),
    (r"(?:at\s+)?midnight\b|午夜", _midnight),
    (rf"(?P<part>{ZH_PART}|(?:in the )?(?:morning|afternoon|evening)|(?:at )?night)", part_said),
    (rf"(?P<part>{RELATIVE_PART})", _relative_part),
    (
        rf"(?:between\s+|from\s+|从)?\s*(?:(?P<low_part>{ZH_PART})\s*)?(?P<low>\d{{1,2}}|{NUMERAL})"
        rf"(?::00)?\s*点?(?:到|至|-)\s*(?:(?P<high_part>{ZH_PART})\s*)?"
        rf"(?P<high>\d{{1,2}}|{NUMERAL})(?::00)?\s*点(?:之间)?",
        _window,
    ),
    (
        rf"(?:between|from)\s+(?P<low>{_EN_HOUR})(?::00)?\s*(?P<low_part>am|pm)?\s*(?:and|to|-)\s*"
        rf"(?P<high>{_EN_HOUR})(?::00)?\s*(?P<high_part>am|pm)?(?!\w)",
        _window,
    ),
)
