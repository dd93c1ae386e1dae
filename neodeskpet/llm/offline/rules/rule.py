"""The type of a rule, helpers for its patterns, and times and durations as text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from neodeskpet.core.schedule.vocabulary import day_in_words
from neodeskpet.llm.offline.request_reader import OfflineRequest
from neodeskpet.llm.offline.scripts import Script

ReadClause = Callable[[str, OfflineRequest], Script | None]
"""Returns the script that answers a clause; None if the rule doesn't apply to the clause."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule. With `begins` it is greedy: if a clause satisfies it, the rule gets the whole text
    from that clause on. `once` rules answer only the first of several clauses that they read. Text
    longer than `reach` characters isn't read: nobody writes such a long request, and the patterns
    would take long.
    """

    name: str
    read: ReadClause
    begins: Callable[[str], bool] | None = None
    once: bool = False
    reach: int = 400


def pattern(*alternatives: str) -> re.Pattern[str]:
    """Return one pattern that finds any of `alternatives`, ignoring case and line breaks."""
    # ASCII: 一 counts as the end of a word after "set".
    flags = re.IGNORECASE | re.DOTALL | re.ASCII
    return re.compile("|".join(f"(?:{one})" for one in alternatives), flags)


_POLITE = re.compile(
    r"^(?:(?:please|can you|could you|would you|will you|just|now|ok(?:ay)?|so|hey|neo|"
    r"i(?:'d| would) like you to|i want you to|let'?s|"
    r"尼奥|请问|请|麻烦|你?能不能|可以|你能|帮我|给我|那|好)[\s,，]*)+(?=\S)",
    re.IGNORECASE,
)
_POLITE_END = re.compile(
    r"[\s,，]*(?:please|for me|(?<!from )now|thanks|吧|吗|呢|呀|啊|好吗|好不好|可以吗|谢谢)*"
    r"[\s.!?。！？~～]*$",
    re.IGNORECASE,
)


def without_polite_words(clause: str) -> str:
    """Return the clause without polite words around it."""
    return _POLITE_END.sub("", _POLITE.sub("", clause.replace("\u3000", " ").strip()), count=1)


_SIZES = (
    (86400, "day", "天"),
    (3600, "hour", "小时"),
    (60, "minute", "分钟"),
    (1, "second", "秒"),
)


def render_seconds(ask: OfflineRequest, seconds: float) -> str:
    """Return `1 hour 5 minutes` / 1小时5分钟, the two largest units."""
    left = max(1, round(seconds))
    parts = []
    for size, english, chinese in _SIZES:
        count, left = divmod(left, size)
        if count:
            ending = "" if count == 1 else "s"
            parts.append(ask.pick(f"{count} {english}{ending}", f"{count}{chinese}"))
    return ask.pick(" ", "").join(parts[:2])


def render_moment(ask: OfflineRequest, moment: datetime, now: datetime) -> str:
    """Return `17:30` for today, else `Thu, 3 Dec 08:00` / 12月3日 周四 08:00, with the year if it
    differs.
    """
    if moment.date() == now.date():
        return f"{moment:%H:%M}"
    day = day_in_words(moment.date(), now.year, chinese=ask.chinese)
    return f"{day} {moment:%H:%M}"
