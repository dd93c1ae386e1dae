"""Durations and clock times as people write them, in English and Chinese. Pure.

`5 min`, `1h30m`, `an hour and a half`, `半小时`, `1小时30分`, `17:30`, `7:15 pm`, `下午5点半`,
`明天早上8点`, `tomorrow at 9`, `2025-11-22 08:00`.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime, timedelta

from neodeskpet.core.wording import N_, InvalidValue

LONGEST = timedelta(days=366)
LONGEST_TEXT = 100
"""Characters. No moment needs more, and what is read is as long as its writer likes."""

_UNITS = {
    "seconds?|secs?|s|秒钟?": 1,
    "minutes?|mins?|m|分钟?": 60,
    "hours?|hrs?|h|小时|钟头": 3600,
    "days?|d|天": 86400,
    "weeks?|w|周|星期|礼拜": 604800,
    "quarters? (?:of an )?hours?|刻钟?": 900,
}
_ONES = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50}
_WORDS: dict[str, float] = {
    **_ONES,
    **_TENS,
    **{f"{ten}-{one}": _TENS[ten] + _ONES[one] for ten in _TENS for one in list(_ONES)[:9]},
    "a": 1, "an": 1, "half": 0.5, "half a": 0.5, "half an": 0.5,
    "fifteen": 15, "sixty": 60, "ninety": 90,
}  # fmt: skip
_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_NUMERAL = "[零〇一二两三四五六七八九十百]+"
_NUMBER = (
    rf"(?:\d+(?:\.\d+)?|{_NUMERAL}|半|"
    + "|".join(sorted(_WORDS, key=len, reverse=True)).replace(" ", r"\s+")
    + ")"
)
_UNIT = "(?:" + "|".join(_UNITS) + ")"
_PIECE = re.compile(
    rf"(?P<number>{_NUMBER})(?P<more>\s*个半|\s+and\s+a\s+half)?\s*个?\s*"
    rf"(?P<unit>{_UNIT})(?![a-z])(?P<half>半|\s+and\s+a\s+half)?"
)
_BETWEEN = re.compile(r"\s*(?:,|and\b|零|又)?\s*")

_DAYS = {
    "today": 0, "tonight": 0, "tomorrow": 1, "今天": 0, "今晚": 0, "今早": 0, "明天": 1,
    "明早": 1, "明晚": 1, "后天": 2,
}  # fmt: skip
_PARTS = {
    "凌晨": "am", "清晨": "am", "早上": "am", "早晨": "am", "上午": "am", "早": "am",
    "今早": "am", "明早": "am", "in the morning": "am", "morning": "am",
    "am": "am", "a.m": "am", "a.m.": "am",
    "中午": "noon", "下午": "pm", "傍晚": "pm", "in the afternoon": "pm", "afternoon": "pm",
    "pm": "pm", "p.m": "pm", "p.m.": "pm", "in the evening": "pm", "evening": "pm",
    "晚上": "night", "夜里": "night", "晚": "night", "今晚": "night", "明晚": "night",
    "at night": "night", "night": "night", "tonight": "night",
}  # fmt: skip
_TIME = re.compile(
    rf"(?P<hour>\d{{1,2}}|{_NUMERAL})"
    rf"(?:\s*:\s*(?P<minute>\d{{2}})(?::(?P<second>\d{{2}}))?"
    rf"|\s*(?:点钟?|时|o'?clock)(?:(?P<half>半)|(?P<quarter>[一三])刻|(?P<rest>\d{{1,2}}|{_NUMERAL})分?)?)?"
)
_NOON = {"noon": 12, "midday": 12, "正午": 12, "midnight": 0, "午夜": 0}


def parse_moment(text: str, now: datetime) -> datetime:
    """The moment meant, after `now` (naive local time). Raises InvalidValue.

    A clock time without a day that has passed today is tomorrow's.
    """
    if len(text) > LONGEST_TEXT:
        words = N_("a time takes at most {most} characters, not {count}.")
        raise InvalidValue(words, most=str(LONGEST_TEXT), count=str(len(text)))
    plain = _plain(text)
    duration = parse_duration(plain)
    moment = now + duration if duration is not None else _parse_clock(plain, now)
    if moment is None:
        words = N_(
            "“{text}” isn't a time I understand. Write a duration (5 min, 1h30m, 半小时) "
            "or a clock time (17:30, tomorrow 9:00, 明天早上8点)."
        )
        raise InvalidValue(words, text=text.strip())
    if moment <= now:
        words = N_("“{text}” is in the past; it is {now} now.")
        raise InvalidValue(words, text=text.strip(), now=f"{now:%Y-%m-%d %H:%M}")
    if moment - now > LONGEST:
        words = N_("“{text}” is too far ahead: at most {days} days.")
        raise InvalidValue(words, text=text.strip(), days=str(LONGEST.days))
    return moment


def parse_duration(text: str) -> timedelta | None:
    """The duration `text` says as a whole, None if it says something else. At most LONGEST."""
    if len(text) > LONGEST_TEXT:
        return None
    plain = re.sub(r"^(?:in|after|过)\s*|\s*(?:later|from now|之后|以后|后)$", "", _plain(text))
    seconds, at = 0.0, 0
    while at < len(plain):
        piece = _PIECE.match(plain, at)
        if piece is None:
            return None
        seconds += _seconds(piece)
        between = _BETWEEN.match(plain, piece.end())
        at = between.end() if between else piece.end()
    if not 0 < seconds <= LONGEST.total_seconds():
        return None
    return timedelta(seconds=seconds)


def render_duration(seconds: float) -> str:
    """`1 h 30 min`, the two largest units."""
    left = max(0, round(seconds))
    parts = []
    for name, size in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count} {name}")
    return " ".join(parts[:2]) or "0 s"


def _plain(text: str) -> str:
    """Its letters as one kind, and single blanks: the patterns rely on both."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(folded.split()).rstrip(".!。")


def _seconds(piece: re.Match[str]) -> float:
    unit = next(size for names, size in _UNITS.items() if re.fullmatch(names, piece["unit"]))
    number = _number(piece["number"]) + (0.5 if piece["more"] else 0)
    return (number + (0.5 if piece["half"] else 0)) * unit


def _number(text: str) -> float:
    words = " ".join(text.split())
    if words in _WORDS:
        return _WORDS[words]
    if text == "半":
        return 0.5
    return float(text) if text[0].isdecimal() and text.isascii() else _numeral(text)


def _numeral(text: str) -> int:
    """A Chinese numeral up to 999: 十五 → 15, 二十 → 20, 一百零五 → 105."""
    total, digit = 0, 0
    for char in text:
        if char in "十百":
            total += (digit or 1) * (10 if char == "十" else 100)
            digit = 0
        else:
            digit = digit * 10 + _DIGITS[char]
    return total + digit


def _parse_clock(plain: str, now: datetime) -> datetime | None:
    iso = _parse_iso(plain)
    if iso is not None:
        return iso
    rest = re.sub(r"^at\s+|\s*的时候$", "", plain)
    days: int | None = None
    part = ""
    for word, offset in _DAYS.items():
        if word in rest:
            days = offset
            part = _PARTS.get(word, part)
            rest = rest.replace(word, " ", 1)
            break
    for word in sorted(_PARTS, key=len, reverse=True):
        if re.search(rf"(?<![a-z]){re.escape(word)}(?![a-z])", rest):
            part = _PARTS[word]
            rest = rest.replace(word, " ", 1)
            break
    rest = re.sub(r"\b(?:at|by|on|this|in|the)\b|[,的]", " ", rest).strip()
    if rest.isdecimal() and not part and days is None and not plain.startswith("at "):
        return None  # "5" alone may be anything
    since_midnight = _read_clock(rest, part)
    if since_midnight is None:
        return None
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if days is not None:
        return midnight + timedelta(days=days) + since_midnight
    return _next(midnight + since_midnight % timedelta(days=1), now, rest, part)


def _next(moment: datetime, now: datetime, said: str, part: str) -> datetime:
    """The next time that is `moment`'s; an hour by name alone ("at 8", 8点) may be in either half
    of the day.
    """
    half_day = not part and ":" not in said and said not in _NOON and 1 <= moment.hour <= 12
    step = timedelta(hours=12 if half_day else 24)
    while moment <= now:
        moment += step
    return moment


def _parse_iso(plain: str) -> datetime | None:
    if not re.match(r"\d{4}-?\d{2}-?\d{2}.", plain):
        return None
    try:
        moment = datetime.fromisoformat(plain.upper())
        return moment.astimezone().replace(tzinfo=None) if moment.tzinfo else moment
    except (ValueError, OverflowError):  # the latter at the first and the last of all years
        return None


def _read_clock(text: str, part: str) -> timedelta | None:
    """The time since midnight; None if `text` isn't a clock time."""
    if text in _NOON:
        return timedelta(hours=_NOON[text])
    if not text and part == "noon":
        return timedelta(hours=12)
    found = _TIME.fullmatch(text)
    if found is None:
        return None
    hour, minute, second = _clock_fields(found)
    if hour > 23 or minute > 59 or second > 59:
        return None
    return timedelta(hours=_hour(hour, part), minutes=minute, seconds=second)


def _hour(hour: int, part: str) -> int:
    """The hour of the day; 24 and more for the small hours of a night that began the day before."""
    match part:
        case "am":
            return hour % 12 if hour == 12 else hour
        case "pm":
            return hour + 12 if hour < 12 else hour
        case "noon":
            return hour + 12 if hour < 10 else hour
        case "night":
            if hour == 12 or hour < 5:
                return hour % 12 + 24
            return hour + 12 if hour < 12 else hour
        case _:
            return hour


def _clock_fields(found: re.Match[str]) -> tuple[int, int, int]:
    if found["half"]:
        minute = 30
    elif found["quarter"]:
        minute = 15 * _numeral(found["quarter"])
    else:
        minute = int(_number(found["minute"] or found["rest"] or "0"))
    return int(_number(found["hour"])), minute, int(found["second"] or 0)
