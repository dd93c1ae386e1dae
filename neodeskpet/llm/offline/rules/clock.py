"""The time and the date, here and elsewhere."""

from __future__ import annotations

import re
from datetime import datetime

from neodeskpet.llm.offline.request import Ask
from neodeskpet.llm.offline.rules.rule import pattern, plain
from neodeskpet.llm.offline.scripts import Lead, Say, Script, fail, use

_DATE = pattern(
    r"\bwhat(?:'s| is) (?:the |today's )?date\b", r"\b(?:today'?s|the|current) date\b",
    r"\bwhat day\b", r"\bwhich day\b", r"\bwhat(?:'s| is) today\b",
    "几月几[号日]", "[今明]天是?(?:几号|多少号|什么日子)", "(?:星期|周|礼拜)几",
    "(?:今天|现在)的?日期", "几号", "日期是",
)  # fmt: skip
_TIME = pattern(
    r"\bwhat time\b", r"\bwhat(?:'s| is) the time\b", r"\b(?:the|current|local) time\b",
    r"\btime (?:is it|now|please)\b", r"^time$", r"\btell me the time\b",
    "几点", "现在.{0,4}时间", "什么时间", "什么时候了", "时间是多少", "^时间$", "报时",
)  # fmt: skip
_ELSEWHERE = re.compile(
    r"\b(?:in|at)\s+(?P<place>[A-Z][\w./+\-]*(?:\s+[A-Z][\w.\-]*)*|[a-z]{3,}(?:\s[a-z]{3,})?)"
    r"(?:\s+(?:now|right now|today))?$"
)
_NOWHERE = frozenset({"the morning", "english", "chinese", "words", "short", "total", "hours"})
_ZONES = {
    "Asia/Shanghai": "北京 上海 中国 beijing china",
    "Asia/Hong_Kong": "香港",
    "Asia/Taipei": "台北",
    "Asia/Tokyo": "东京 日本 japan",
    "Asia/Seoul": "首尔 韩国 korea",
    "Asia/Singapore": "新加坡",
    "Asia/Bangkok": "曼谷",
    "Asia/Dubai": "迪拜",
    "Australia/Sydney": "悉尼",
    "Europe/London": "伦敦 英国",
    "Europe/Paris": "巴黎 法国 france",
    "Europe/Berlin": "柏林 德国 germany",
    "Europe/Moscow": "莫斯科",
    "America/New_York": "纽约",
    "America/Chicago": "芝加哥",
    "America/Toronto": "多伦多",
    "America/Los_Angeles": "洛杉矶 旧金山 california",
}
_WEEKDAYS = "一二三四五六日"


def read_clock(clause: str, ask: Ask) -> Script | None:
    text = plain(clause)
    date = bool(_DATE.search(text))
    if not date and not _TIME.search(text):
        return None
    if "time.now" not in ask.tools:
        return _unable(ask)
    place, zone = _place(text)
    return _tell(ask, date, place, zone)


def _place(text: str) -> tuple[str, str]:
    """The place named and its zone; "" for here."""
    lowered = text.lower()
    for zone, cities in _ZONES.items():
        for city in cities.split():
            if city in lowered:
                return city.title(), zone
    found = _ELSEWHERE.search(text)
    if found is None or found["place"].lower() in _NOWHERE:
        return "", ""
    return found["place"].title(), found["place"]


def _tell(ask: Ask, date: bool, place: str, zone: str) -> Script:
    yield Lead(ask.pick("Let me look at the clock. ", "我看看钟。"))
    result = yield from use("time.now", **({"timezone": zone} if zone else {}))
    moment = _moment(str(result.data.get("time", "")))
    if not result.ok or moment is None:
        yield fail(ask, result)
        return
    yield Say(_english(moment, place, date) if not ask.chinese else _chinese(moment, place, date))


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _english(moment: datetime, place: str, date: bool) -> str:
    where = f"In {place} it's" if place else "It's"
    day = f"{_DAYS[moment.weekday()]}, {moment.day} {_MONTHS[moment.month - 1]} {moment.year}"
    if date:
        return f"{where} **{day}**, {moment:%H:%M}."
    return f"{where} **{moment:%H:%M}** on {day}."


def _chinese(moment: datetime, place: str, date: bool) -> str:
    where = f"{place}现在是" if place else ("今天是" if date else "现在是")
    day = f"{moment.year}年{moment.month}月{moment.day}日，星期{_WEEKDAYS[moment.weekday()]}"
    if date:
        return f"{where} **{day}**，{moment:%H:%M}。"
    return f"{where} **{moment:%H:%M}**（{day}）。"


def _unable(ask: Ask) -> Script:
    yield Say(ask.pick("My clock is switched off now.", "时钟现在是关闭的。"))


_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
