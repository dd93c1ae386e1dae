"""The words of dates and times in English and Chinese: numbers, durations, weekdays, months, parts
of the day, festivals and days of the lunar calendar. All readers and writers of dates use this
table.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from functools import cache

ONES = (
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
)
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS: dict[str, float] = {
    **{word: value for value, word in enumerate(ONES, 1)},
    **{word: value * 10 for value, word in enumerate(TENS, 2)},
    **{
        f"{ten}-{one}": tens * 10 + value
        for tens, ten in enumerate(TENS, 2)
        for value, one in enumerate(ONES[:9], 1)
    },
    "a": 1, "an": 1, "half": 0.5, "half a": 0.5, "half an": 0.5,
}  # fmt: skip
DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {
    "两": 2,
    "俩": 2,
    "〇": 0,
}

NUMERAL = "[零〇一二两俩三四五六七八九十百]+"
NUMBER = (
    rf"(?:\d+(?:\.\d+)?|{NUMERAL}|半|"
    + "|".join(sorted(_WORDS, key=len, reverse=True)).replace(" ", r"\s+")
    + ")"
)
"""Patterns for a text that was folded by `fold_text`."""


def fold_text(text: str) -> str:
    """Return the text with folded letters and single blanks; the patterns rely on both."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(folded.split()).rstrip(".!。")


def parse_number(text: str) -> float:
    """Return the value of a match of NUMBER."""
    words = " ".join(text.split())
    if words in _WORDS:
        return _WORDS[words]
    if text == "半":
        return 0.5
    return float(text) if text[0].isdecimal() else parse_numeral(text)


def parse_numeral(text: str) -> int:
    """Return the value of a Chinese numeral up to 999: 十五 → 15, 二十 → 20, 一百零五 → 105."""
    total, digit = 0, 0
    for char in text:
        if char in "十百":
            total += (digit or 1) * (10 if char == "十" else 100)
            digit = 0
        else:
            digit = digit * 10 + DIGITS[char]
    return total + digit


LONGEST_DURATION = timedelta(days=366)
LONGEST_TEXT = 100
"""Highest number of characters of a time; the length of the input is unlimited."""

_UNITS = {
    "seconds?|secs?|s|秒钟?": 1,
    "minutes?|mins?|m|分钟?": 60,
    "hours?|hrs?|h|小时|钟头": 3600,
    "days?|d|天": 86400,
    "weeks?|w|周|星期|礼拜": 604800,
    "fortnights?": 1209600,
    "quarters? (?:of an )?hours?|刻钟?": 900,
}
_UNIT = "(?:" + "|".join(_UNITS) + ")"
_PIECE = (
    rf"(?P<number>{NUMBER})(?P<more>\s*个半|\s+and\s+a\s+half)?[\s-]*个?\s*"
    rf"(?P<unit>{_UNIT})(?![a-z])(?P<half>半|\s+and\s+a\s+half)?"
)
_BETWEEN = r"\s*(?:,|and\b|零|又)?\s*"
_ONE = (
    r"(?!an?[\s-]*[hmsdw](?![a-z]))(?![一二两三四五六七八九]{2})"
    + re.sub(r"\?P<\w+>", "?:", _PIECE)
    + r"(?!(?<=[周期拜])[一二三四五六日天末])"
)
"""One piece among other words: "am" is not a minute, "and" not a day, 一个周二 not a week, and
两三天 means two or three.
"""
DURATION = rf"{_ONE}(?:{_BETWEEN}{_ONE})*"
"""A pattern for a text that was folded by `fold_text`."""


def parse_duration(text: str) -> timedelta | None:
    """Return the duration if the whole `text` is one, otherwise None. At most LONGEST_DURATION."""
    if len(text) > LONGEST_TEXT:
        return None
    plain = re.sub(
        r"^(?:in|after|再?过)\s*|\s*(?:later|from now|之后|以后|后)$", "", fold_text(text)
    )
    piece_of, gap = _patterns()
    seconds, at = 0.0, 0
    while at < len(plain):
        piece = piece_of.match(plain, at)
        if piece is None:
            return None
        seconds += _seconds(piece)
        between = gap.match(plain, piece.end())
        at = between.end() if between else piece.end()
    if not 0 < seconds <= LONGEST_DURATION.total_seconds():
        return None
    return timedelta(seconds=seconds)


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the compiled patterns. They are compiled for the first duration, not when the app
    starts.
    """
    return re.compile(_PIECE), re.compile(_BETWEEN)


def render_duration(seconds: float) -> str:
    """Return `1 h 30 min`: the two largest units."""
    left = max(0, round(seconds))
    parts = []
    for name, size in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count} {name}")
    return " ".join(parts[:2]) or "0 s"


def _seconds(piece: re.Match[str]) -> float:
    unit = next(size for names, size in _UNITS.items() if re.fullmatch(names, piece["unit"]))
    count = parse_number(piece["number"]) + (0.5 if piece["more"] else 0)
    return (count + (0.5 if piece["half"] else 0)) * unit


LAST_DAY = -1
"""The last day of a month."""


def solar_day(year: int, month: int, day: int) -> date | None:
    """Return the solar date of a day of the lunar year that begins in `year` (1900 to 2100); None
    if that month has no such day. The 30th of the last month means its last day, which may be the
    29th.
    """
    from borax.calendars.lunardate import InvalidLunarDateError, LunarDate

    if (month, day) == (12, 30):
        day = LAST_DAY
    for number in (30, 29) if day == LAST_DAY else (day,):
        try:
            found = LunarDate(year, month, number, 0).to_solar_date()
        except (InvalidLunarDateError, ValueError):
            continue
        return date(found.year, found.month, found.day)
    return None


def solar_days(month: int, day: int, since: date) -> Iterator[date]:
    """Yield the solar dates of a lunar day from `since` on, in order."""
    for year in range(since.year - 1, 2101):
        found = solar_day(year, month, day)
        if found is not None and found >= since:
            yield found


WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
SHORT_WEEKDAYS = tuple(name[:3] for name in WEEKDAYS)
SHORT_MONTHS = tuple(name[:3] for name in MONTHS)
ZH_WEEKDAYS = "一二三四五六日"

_MOMENT = (
    r"(?<![\w-])([0-9]{4}-[0-9]{2}-[0-9]{2})"
    rf"(?: [^\W\d]{{1,6}}(?= [0-9]{{2}}:)| (?:{'|'.join(SHORT_WEEKDAYS)})\b)?"
    r"(?: ([0-9]{2}:[0-9]{2})(?::[0-9]{2})?)?(?![\w-])"
)
"""Matches a date, or a date and a time, in numbers. The name of the weekday may follow the date, in
any language.
"""


def show_day(day: date) -> str:
    """Return `2026-12-04 Fri`, which needs no translation. (The `%a` of `strftime` is in the
    language of the system.)
    """
    return f"{day:%Y-%m-%d} {SHORT_WEEKDAYS[day.weekday()]}"


def show_moment(moment: datetime) -> str:
    """Return `2026-12-04 Fri 17:00`, which needs no translation."""
    return f"{show_day(moment)} {moment:%H:%M}"


def moment_in_words(text: str, this_year: int, *, chinese: bool) -> str:
    """Return a day or a moment in numbers (2026-12-04 17:00) in words: "Fri, 4 Dec 17:00",
    "12月4日 周五 17:00"; any other text as it is. Another year than `this_year` is shown.
    """
    found = re.fullmatch(_MOMENT, text)
    return _in_words(found, this_year, chinese=chinese) if found else text


def moments_in_words(text: str, this_year: int, *, chinese: bool) -> str:
    """Return the same for each day and moment in the text."""
    return re.sub(_MOMENT, lambda found: _in_words(found, this_year, chinese=chinese), text)


def _in_words(found: re.Match[str], this_year: int, *, chinese: bool) -> str:
    try:
        day = date.fromisoformat(found[1])
    except ValueError:
        return found[0]
    words = day_in_words(day, this_year, chinese=chinese)
    return f"{words} {found[2]}" if found[2] else words


def day_in_words(day: date, this_year: int, *, chinese: bool) -> str:
    """Return "Fri, 4 Dec" or "12月4日 周五", with the year if it isn't `this_year`."""
    other_year = day.year != this_year
    weekday = day.weekday()
    if chinese:
        year = f"{day.year}年" if other_year else ""
        return f"{year}{day.month}月{day.day}日 周{ZH_WEEKDAYS[weekday]}"
    year = f" {day.year}" if other_year else ""
    return f"{SHORT_WEEKDAYS[weekday]}, {day.day} {SHORT_MONTHS[day.month - 1]}{year}"


WEEKDAY_NAME = "|".join(WEEKDAYS).lower()
WEEKDAY = (
    r"(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?"
    r"|sat(?:urday)?|sun(?:day)?)s?(?![a-z])"
)
"""Includes short forms, some of which are ordinary words: "I sat in the sun"."""
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![a-z])\.?"
)
MONTH_DAY = r"(?:[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?(?!\d|:|[a-z])"
YEAR_AFTER = r"(?:,?\s*(?P<year>(?:19|20)\d\d)(?!\d))?"
ZH_WEEK = r"(?:周|星期|礼拜)"
ZH_WEEKDAY = f"[{ZH_WEEKDAYS}天]"
ZH_NUMBER = rf"(?:\d{{1,2}}|{NUMERAL})"

UNITS = {
    "second": "second", "sec": "second", "minute": "minute", "min": "minute", "hour": "hour",
    "hr": "hour", "day": "day", "week": "week", "fortnight": "fortnight", "month": "month",
    "year": "year", "秒": "second", "分钟": "minute", "分": "minute", "小时": "hour",
    "钟头": "hour", "天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week",
    "月": "month", "年": "year", "刻钟": "quarter", "刻": "quarter",
}  # fmt: skip
RELATIVE_DAYS = {
    "today": 0, "tomorrow": 1, "tmr": 1, "tmrw": 1, "the day after tomorrow": 2,
    "day after tomorrow": 2, "yesterday": -1, "day before yesterday": -2,
    "the day before yesterday": -2, "今天": 0, "今日": 0, "明天": 1, "明日": 1, "后天": 2,
    "后日": 2, "大后天": 3, "昨天": -1, "昨日": -1, "前天": -2, "大前天": -3, "今儿": 0,
    "明儿": 1, "后儿": 2,
}  # fmt: skip
BEGIN, END = r"(?:(?<![a-z\d_])|(?![a-z]))", r"(?:(?<![a-z])|(?![a-z_]))"
"""Beginning and end of an English word; a Chinese word may begin and end anywhere."""
RELATIVE_DAY = (
    rf"(?:{'|'.join(sorted(RELATIVE_DAYS, key=len, reverse=True))}){END}"
    r"(?:(?<!儿)|(?=个?[早上中下晚凌傍\d一二两三四五六七八九十]))"
)
RELATIVE_PARTS = {
    "last night": -1, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0,
    "前晚": -2, "昨晚": -1, "昨夜": -1, "今早": 0, "今晚": 0, "今夜": 0, "明早": 1, "明晚": 1,
}  # fmt: skip
"""Parts of a day relative to today."""
RELATIVE_PART = rf"(?:{'|'.join(RELATIVE_PARTS)}){END}"
RELATIVE_YEARS = {"前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2}
RELATIVE_YEAR = "|".join(RELATIVE_YEARS)
LUNAR_DATE = (
    rf"(?P<named>(?:农历|阴历|旧历)的?)?(?P<month>正|冬|腊|{ZH_NUMBER})月"
    rf"(?P<day>初[一二三四五六七八九十]|廿[一二三四五六七八九]?|{ZH_NUMBER})日?(?![点个月])"
)
_LUNAR_MONTHS = {"正": 1, "冬": 11, "腊": 12}

DAY_PARTS = {
    "一大早": ("am", 8), "一早": ("am", 8), "清早": ("am", 8), "凌晨": ("am", 5),
    "清晨": ("am", 6), "早上": ("am", 8), "早晨": ("am", 8), "上午": ("am", 9), "早": ("am", 8),
    "前晚": ("night", 20), "昨晚": ("night", 20), "昨夜": ("night", 20), "今早": ("am", 8),
    "明早": ("am", 8), "中午": ("noon", 12), "下午": ("pm", 15),
    "傍晚": ("pm", 18), "晚上": ("night", 20), "晚": ("night", 20), "夜里": ("night", 22),
    "今晚": ("night", 20), "明晚": ("night", 20), "今夜": ("night", 20), "深夜": ("night", 23),
    "半夜": ("night", 24), "in the morning": ("am", 8), "morning": ("am", 8), "am": ("am", 8),
    "a.m": ("am", 8), "in the afternoon": ("pm", 15), "afternoon": ("pm", 15), "pm": ("pm", 15),
    "p.m": ("pm", 15), "in the evening": ("pm", 18), "evening": ("pm", 18),
    "at night": ("night", 21), "night": ("night", 21), "tonight": ("night", 21),
}  # fmt: skip
"""The half of the day for each part, and its default hour."""
ZH_PART = "|".join(sorted((one for one in DAY_PARTS if not one.isascii()), key=len, reverse=True))

FESTIVALS = {
    "new year's eve": (12, 31), "new year's day": (1, 1), "christmas eve": (12, 24),
    "christmas day": (12, 25), "christmas": (12, 25), "halloween": (10, 31),
    "valentine's day": (2, 14), "元旦": (1, 1), "圣诞节": (12, 25), "平安夜": (12, 24),
    "国庆节": (10, 1), "国庆": (10, 1), "劳动节": (5, 1), "情人节": (2, 14), "跨年夜": (12, 31),
    "圣诞": (12, 25), "万圣节": (11, 1), "愚人节": (4, 1), "妇女节": (3, 8), "植树节": (3, 12),
    "双十一": (11, 11), "双11": (11, 11), "双十二": (12, 12), "双12": (12, 12),
    "青年节": (5, 4), "儿童节": (6, 1), "建军节": (8, 1), "教师节": (9, 10),
}  # fmt: skip
"""Festivals with month and day."""
LUNAR_FESTIVALS = {
    "除夕": (12, LAST_DAY), "大年三十": (12, LAST_DAY), "年三十": (12, LAST_DAY), "春节": (1, 1),
    "大年初一": (1, 1), "大年初二": (1, 2), "大年初三": (1, 3), "大年初四": (1, 4),
    "大年初五": (1, 5), "大年初六": (1, 6), "大年初七": (1, 7), "元宵节": (1, 15), "元宵": (1, 15),
    "端午节": (5, 5), "端午": (5, 5), "七夕节": (7, 7), "七夕": (7, 7), "中元节": (7, 15),
    "中秋节": (8, 15), "中秋": (8, 15), "重阳节": (9, 9), "重阳": (9, 9), "腊八节": (12, 8),
    "腊八": (12, 8),
    "chinese new year's eve": (12, LAST_DAY), "lunar new year's eve": (12, LAST_DAY),
    "chinese new year": (1, 1), "lunar new year": (1, 1), "spring festival": (1, 1),
    "lantern festival": (1, 15), "dragon boat festival": (5, 5), "mid-autumn festival": (8, 15),
}  # fmt: skip
"""Festivals with month and day of the Chinese calendar."""
_SPELT = {name.replace("'", ""): name for name in (*FESTIVALS, *LUNAR_FESTIVALS)}
FESTIVAL = rf"(?:{'|'.join(sorted(_SPELT.values(), key=len, reverse=True))}){END}".replace(
    "'", "['’]?"
)


def weekday_of(word: str) -> int:
    """Return the weekday; 0 is Monday. Raises ValueError."""
    return SHORT_WEEKDAYS.index(word.strip()[:3].capitalize())


def zh_weekdays(text: str) -> list[int]:
    """Return the weekdays of these characters, 0 is Monday; other characters are skipped."""
    signs = f"{ZH_WEEKDAYS}天"
    return [min(signs.index(char), 6) for char in text if char in signs]


def month_of(word: str) -> int:
    """Return the number of a month. Raises ValueError."""
    return SHORT_MONTHS.index(word.strip()[:3].capitalize()) + 1


def lunar_date_of(found: re.Match[str]) -> tuple[int, int] | None:
    """Return month and day of a match of LUNAR_DATE; None if it is a solar date or no date."""
    sign, word = found["month"], found["day"]
    if not (found["named"] or sign in _LUNAR_MONTHS or word.startswith("初")):
        return None
    month = _LUNAR_MONTHS.get(sign) or int(parse_number(sign))
    day = int(parse_number(word.replace("初", "").replace("廿", "二十")))
    return (month, day) if 1 <= month <= 12 and 1 <= day <= 30 else None


def festival_of(word: str) -> str:
    """Return the name in FESTIVALS or LUNAR_FESTIVALS for a match of FESTIVAL."""
    return _SPELT[re.sub("['’]", "", word.lower())]


def festival_day(name: str, year: int) -> date | None:
    """Return the day of a festival in a year, or None if the lunar calendar of that year is
    unknown. A festival at the end of a lunar year is in the next solar year.
    """
    if name in LUNAR_FESTIVALS:
        return solar_day(year, *LUNAR_FESTIVALS[name])
    return date(year, *FESTIVALS[name])
