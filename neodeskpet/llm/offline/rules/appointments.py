"""What comes again on days that a timer doesn't know: an appointment. The tool reads the words."""

from __future__ import annotations

import re

from neodeskpet.llm.offline.request import Ask
from neodeskpet.llm.offline.rules.moments import MOMENT
from neodeskpet.llm.offline.rules.rule import pattern, plain
from neodeskpet.llm.offline.rules.timers import label_of
from neodeskpet.llm.offline.scripts import Lead, Say, Script, fail, use

_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_SERIES = pattern(
    rf"\b(?:every|each)\s+(?:other\s+|second\s+|two\s+)?(?:{_DAY}(?:\s*(?:,|and)\s*{_DAY})*"
    r"|weeks?\b|months?\b|years?\b)"
    r"|\b(?:weekly|monthly|yearly)\b",
    r"每?隔一?个?(?:周|星期|礼拜|月|年)[一二三四五六日天]?"
    r"|每(?:[两二三]?个?)(?:周|星期|礼拜|月|年)(?:[一二三四五六日天、和周]{1,12}|\d{1,2}[号日]|最后一天)?",
)
_ASKED = pattern(r"\bremind me\b", r"\bwake me\b", "提醒我", "叫我|叫醒我|喊我|通知我")
_GAP = 4
"""So many characters may stand between how often it comes and at what time."""


def read_add(clause: str, ask: Ask) -> Script | None:
    text = plain(clause)
    series = _SERIES.search(text)
    if series is None or not _ASKED.search(text) or "schedule.add" not in ask.tools:
        return None
    first, last = series.span()
    clocks = [found for found in MOMENT.finditer(text) if not _overlap(found, series)]
    for found in clocks[:1]:
        between = (found.start() - last) if found.start() >= last else first - found.end()
        if between <= _GAP:
            first, last = min(first, found.start()), max(last, found.end())
    return _add(ask, text[first:last].strip(), label_of(text[:first], text[last:]))


def _overlap(one: re.Match[str], other: re.Match[str]) -> bool:
    return one.start() < other.end() and other.start() < one.end()


def _add(ask: Ask, when: str, label: str) -> Script:
    yield Lead(ask.pick("All right. ", "好的。"))
    title = label or ask.pick("Reminder", "提醒")
    result = yield from use("schedule.add", title=title, when=when)
    added = result.data.get("added")
    if not result.ok or not isinstance(added, dict):
        yield fail(ask, result)
        return
    coming = added.get("next")
    first = str(coming[0]) if isinstance(coming, list) and coming else when
    yield Say(
        ask.pick(
            f"I'll remind you {when}: {title}. First on **{first}**.",
            f"我会提醒你（{when}）：{title}。第一次是 **{_in_chinese(first)}**。",
        )
    )


def _in_chinese(moment: str) -> str:
    days = zip(["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"], "一二三四五六日", strict=True)
    for english, chinese in days:
        moment = moment.replace(english, f"周{chinese}")
    return moment
