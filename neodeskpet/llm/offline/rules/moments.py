"""Finds when something is to happen; the timer tool reads the words itself. Words for durations."""

from __future__ import annotations

import re

from neodeskpet.llm.offline.request import Ask

_NUMBER = (
    r"(?:\d+(?:\.\d+)?|half an?|an?|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|"
    r"twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety)(?:-(?:one|two|three|four|five|six|"
    r"seven|eight|nine))?(?:\s+and\s+a\s+half)?)"
)
_UNIT = r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|h|m|s)\b"
_PIECE = rf"{_NUMBER}[\s-]*{_UNIT}(?:\s+and\s+a\s+half)?"
_DURATION = rf"(?:{_PIECE}(?:\s*,?\s*(?:and\s+)?{_PIECE})*|\b\d+h(?:\s?\d+m)?\b)"
_CLOCK = (
    r"(?:(?:today|tomorrow|tonight)\s+(?:(?:morning|afternoon|evening|night)\s+)?)?"
    r"(?:at\s+|by\s+)?(?:\d{1,2}:\d{2}(?:\s*[ap]\.?m\b\.?)?|\d{1,2}\s*[ap]\.?m\b\.?|"
    r"\d{1,2}\s+o'?clock|noon\b|midnight\b)(?:\s+(?:tomorrow|tonight|today)\b)?"
)
_HOUR = (
    r"(?:(?:today|tomorrow|tonight)\s+(?:(?:morning|afternoon|evening)\s+)?at\s+\d{1,2}\b|"
    r"at\s+\d{1,2}\b(?:\s+(?:tomorrow|tonight))?)"
)

_HAN = "[零一二两三四五六七八九十百]"
_ZH_NUMBER = rf"(?:\d+(?:\.\d+)?|{_HAN}+|半)"
_ZH_PIECE = rf"{_ZH_NUMBER}\s*个?半?\s*(?:秒钟?|分钟?|小时|钟头|天|周|星期|刻钟)半?"
_ZH_DURATION = rf"过?(?:{_ZH_PIECE}\s*零?)+(?:之后|以后|后)?"
_ZH_PART = "(?:凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里|早|晚)"
_ZH_DAY = "(?:今天|明天|后天|今晚|今早|明早|明晚)"
_ZH_MINUTE = rf"(?:半|[一三]刻|(?:\d{{1,2}}|{_HAN}+)分?)?"
_ZH_CLOCK = (
    rf"(?:{_ZH_DAY}\s*)?(?:{_ZH_PART}\s*)?(?:(?:\d{{1,2}}|{_HAN}+)\s*(?:点钟?|时)\s*{_ZH_MINUTE}|"
    rf"\d{{1,2}}\s*[:：]\s*\d{{2}})|{_ZH_DAY}中午"
)

MOMENT = re.compile(
    rf"(?P<lead>\b(?:in|for|after|within)\s+)?"
    rf"(?P<moment>{_DURATION}|{_CLOCK}|{_HOUR}|{_ZH_DURATION}|{_ZH_CLOCK})(?P<tail>\s+from now)?",
    re.IGNORECASE,
)
"""A moment or a duration; `moment` is what the timer tool is given."""

_SIZES = (
    (86400, "day", "天"),
    (3600, "hour", "小时"),
    (60, "minute", "分钟"),
    (1, "second", "秒"),
)


def render_seconds(ask: Ask, seconds: float) -> str:
    """`1 hour 5 minutes` / 1小时5分钟, the two largest units."""
    left = max(1, round(seconds))
    parts = []
    for size, english, chinese in _SIZES:
        count, left = divmod(left, size)
        if count:
            ending = "" if count == 1 else "s"
            parts.append(ask.pick(f"{count} {english}{ending}", f"{count}{chinese}"))
    return ask.pick(" ", "").join(parts[:2])
