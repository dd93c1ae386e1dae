"""The moments timers are set for, in English and Chinese. Pure.

A duration (`core.schedule.durations`), `17:30`, `7:15 pm`, `下午5点半`,
`明天早上8点`, `tomorrow at 9`, `2025-11-22 08:00`.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from neodeskpet.core.schedule.durations import LONGEST, LONGEST_TEXT, parse_duration
from neodeskpet.core.schedule.numbers import NUMERAL, fold, number, numeral
from neodeskpet.core.schedule.parts import PARTS, hour_in
from neodeskpet.core.wording import N_, InvalidValue

_DAYS = {
    "today": 0, "tonight": 0, "tomorrow": 1, "今天": 0, "今晚": 0, "今早": 0, "明天": 1,
    "明早": 1, "明晚": 1, "后天": 2,
}  # fmt: skip
_TIME = re.compile(
    rf"(?P<hour>\d{{1,2}}|{NUMERAL})"
    rf"(?:\s*:\s*(?P<minute>\d{{2}})(?::(?P<second>\d{{2}}))?"
    rf"|\s*(?:点钟?|时|o'?clock)(?:(?P<half>半)|(?P<quarter>[一三])刻|(?P<rest>\d{{1,2}}|{NUMERAL})分?)?)?"
)
_NOON = {"noon": 12, "midday": 12, "正午": 12, "midnight": 0, "午夜": 0}


def parse_moment(text: str, now: datetime) -> datetime:
    """The moment meant, after `now` (naive local time). Raises InvalidValue.

    A clock time without a day that has passed today is tomorrow's.
    """
    if len(text) > LONGEST_TEXT:
        words = N_("a time takes at most {most} characters, not {count}.")
        raise InvalidValue(words, most=str(LONGEST_TEXT), count=str(len(text)))
    plain = fold(text)
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
            part = PARTS.get(word, part)
            rest = rest.replace(word, " ", 1)
            break
    for word in sorted(PARTS, key=len, reverse=True):
        if re.search(rf"(?<![a-z]){re.escape(word)}(?![a-z])", rest):
            part = PARTS[word]
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
    return timedelta(hours=hour_in(hour, part), minutes=minute, seconds=second)


def _clock_fields(found: re.Match[str]) -> tuple[int, int, int]:
    if found["half"]:
        minute = 30
    elif found["quarter"]:
        minute = 15 * numeral(found["quarter"])
    else:
        minute = int(number(found["minute"] or found["rest"] or "0"))
    return int(number(found["hour"])), minute, int(found["second"] or 0)
