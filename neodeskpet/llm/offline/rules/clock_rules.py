"""Rules for the time and the date, here and in other places."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time

from neodeskpet.core.schedule.parsing.time_finder import find_time
from neodeskpet.core.schedule.parsing.time_parser import AmbiguousTime
from neodeskpet.core.schedule.rule import clock_time, next_run
from neodeskpet.core.schedule.vocabulary import MONTHS, WEEKDAYS, ZH_WEEKDAYS
from neodeskpet.llm.offline.request_reader import OfflineRequest
from neodeskpet.llm.offline.rules.rule import pattern, render_moment, without_polite_words
from neodeskpet.llm.offline.scripts import Lead, Say, Script, failure_text, use

_DATE = pattern(
    r"\bwhat(?:'s| is) (?:the |today's )?date\b", r"\b(?:today'?s|the|current) date\b",
    r"\bwhat (?:day|year|month)\b", r"^is (?:it"
    r"|today) \w+day\b", "哪一?年", r"\bwhich day\b", r"\bwhat(?:'s| is) today\b",
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
_UNTIL = pattern(
    r"^how (?:many (?:days|weeks|sleeps|months|nights)|long|far(?: away)?)\b(?P<a>.*)$",
    r"^(?:days|weeks|sleeps) (?:until|till|to)\s+(?P<b>.+)$|^count ?down to\s+(?P<c>.+)$",
    r"^(?:距离?|离)(?P<d>.+?)(?:还有|还剩|有)(?:多少天|几天|多久|多少日子)(?:了|呢)?(?P<e>.*)$",
    r"^(?P<f>.*?)还有(?:多少天|几天|多久)(?:到|放|过)?(?P<g>.*)$",
)
_BEFORE_DAY = re.compile(
    r"^.*?\b(?:until|till|to|before|left until|is)\b\s+|^\s*(?:left|there)\s+|^我的?生日"
    r"|^(?:my|the) ",
    re.IGNORECASE,
)


def read_days_until(clause: str, ask: OfflineRequest) -> Script | None:
    found = _UNTIL.search(without_polite_words(clause))
    if found is None:
        return None
    said = " ".join(one for one in found.groups() if one).strip().replace("过年", "春节")
    for words in (said, _BEFORE_DAY.sub("", said)):
        words = "春节" if words == "年" and "过年" in clause else words
        day = _day_named(words.removesuffix("放假"), ask.now)
        if day is not None:
            return _count_days(ask, (day - ask.now.date()).days, day)
    return None


def _day_named(words: str, now: datetime) -> date | None:
    """Return the next such day, today or later."""
    midnight = datetime.combine(now, time()).replace(tzinfo=UTC).timestamp()
    found = find_time(words, midnight, UTC)
    reading = found.reading
    if reading is None or found.unused:
        return None
    meant = reading.readings[0] if isinstance(reading, AmbiguousTime) else reading
    first = next_run(meant.rule, midnight, UTC, meant.until)
    return None if first is None else clock_time(first, UTC).date()


def _count_days(ask: OfflineRequest, count: int, day: date) -> Script:
    moment = render_moment(ask, datetime.combine(day, time()), ask.now).removesuffix(" 00:00")
    if count == 0:
        yield Say(ask.pick("That's today!", "就是今天！"))
        return
    weeks, rest = divmod(count, 7)
    more = f" ({weeks} weeks and {rest} days)" if weeks > 1 else ""
    plural = "" if count == 1 else "s"
    yield Say(
        ask.pick(
            f"**{count} day{plural}**{more}, until {moment}.", f"还有 **{count} 天**，到{moment}。"
        )
    )


def read_clock(clause: str, ask: OfflineRequest) -> Script | None:
    text = without_polite_words(clause)
    date = bool(_DATE.search(text))
    if not date and not _TIME.search(text):
        return None
    if "time.now" not in ask.tools:
        return _unable(ask)
    place, zone = _place(text)
    return _tell(ask, date, place, zone)


def _place(text: str) -> tuple[str, str]:
    """Return the named place and its time zone; "" for here."""
    lowered = text.lower()
    for zone, cities in _ZONES.items():
        for city in cities.split():
            if city in lowered:
                return city.title(), zone
    found = _ELSEWHERE.search(text)
    if found is None or found["place"].lower() in _NOWHERE:
        return "", ""
    return found["place"].title(), found["place"]


def _tell(ask: OfflineRequest, date: bool, place: str, zone: str) -> Script:
    yield Lead(ask.pick("Let me look at the clock. ", "我看看钟。"))
    result = yield from use("time.now", **({"timezone": zone} if zone else {}))
    moment = _moment(str(result.data.get("time", "")))
    if not result.ok or moment is None:
        yield failure_text(ask, result)
        return
    yield Say(_english(moment, place, date) if not ask.chinese else _chinese(moment, place, date))


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _english(moment: datetime, place: str, date: bool) -> str:
    where = f"In {place} it's" if place else "It's"
    day = f"{WEEKDAYS[moment.weekday()]}, {moment.day} {MONTHS[moment.month - 1]} {moment.year}"
    if date:
        return f"{where} **{day}**, {moment:%H:%M}."
    return f"{where} **{moment:%H:%M}** on {day}."


def _chinese(moment: datetime, place: str, date: bool) -> str:
    where = f"{place}现在是" if place else ("今天是" if date else "现在是")
    day = f"{moment.year}年{moment.month}月{moment.day}日，星期{ZH_WEEKDAYS[moment.weekday()]}"
    if date:
        return f"{where} **{day}**，{moment:%H:%M}。"
    return f"{where} **{moment:%H:%M}**（{day}）。"


def _unable(ask: OfflineRequest) -> Script:
    yield Say(ask.pick("My clock is switched off now.", "时钟现在是关闭的。"))
