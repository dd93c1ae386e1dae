"""The current time, local or in another time zone."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from difflib import get_close_matches
from functools import cache
from typing import Annotated
from zoneinfo import ZoneInfo, available_timezones

from pydantic import Field
from pydantic_core import to_json

from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.schedule.vocabulary import MONTHS, WEEKDAYS
from neodeskpet.core.tool_result import ToolResult, text_brief
from neodeskpet.core.toolspec import Risk
from neodeskpet.toolkit.registry import Tool, tool

Clock = Callable[[], datetime]
"""Returns the current time as an aware datetime in the user's time zone."""

_OFFSET = re.compile(r"(?:utc|gmt)?\s*([+-])\s*(\d{1,2})(?::?(\d{2}))?", re.IGNORECASE)


def local_now() -> datetime:
    return datetime.now().astimezone()


def time_tools(clock: Clock = local_now) -> list[Tool]:
    @tool(
        "time.now",
        title=N_("Check the time"),
        risk=Risk.READ,
        main_argument="timezone",
        timeout=10,
    )
    def now(
        timezone: Annotated[
            str | None,
            Field(
                max_length=100,
                description="A time zone or city: Asia/Shanghai, Tokyo, UTC+8. Left out: here.",
            ),
        ] = None,
    ) -> ToolResult:
        """Tell the present date, weekday and time."""
        here = clock()
        there = here.astimezone(find_zone(timezone)) if timezone and timezone.strip() else here
        data = {
            "time": there.isoformat(timespec="seconds"),
            "weekday": WEEKDAYS[there.weekday()],
            "timezone": str(there.tzinfo),
            "words": render_moment(there),
        }
        return ToolResult(to_json(data).decode(), data, brief=text_brief(f"{there:%H:%M}"))

    return [now]


def render_moment(moment: datetime) -> str:
    """Format as `Friday, 21 November 2025, 22:23`, whatever the system's language."""
    day = f"{WEEKDAYS[moment.weekday()]}, {moment.day} {MONTHS[moment.month - 1]} {moment.year}"
    return f"{day}, {moment:%H:%M}"


def find_zone(name: str) -> tzinfo:
    """Return the zone for an IANA name, a city or an offset. Raises InvalidArguments."""
    text = name.strip()
    if text.casefold() in {"utc", "gmt", "z"}:
        return UTC
    offset = _OFFSET.fullmatch(text)
    if offset:
        sign = -1 if offset[1] == "-" else 1
        delta = timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0))
        if delta < timedelta(hours=24):
            return timezone(sign * delta)
    zones = _zones()
    key = re.sub(r"[\s_]+", "_", text).casefold()
    if key in zones:
        return ZoneInfo(zones[key])
    near = [zones[found] for found in get_close_matches(key, zones, n=3, cutoff=0.6)]
    reasons = [Reason(N_("there is no “{name}”."), {"name": text}, "timezone")]
    if near:
        reasons.append(Reason(N_("Did you mean {names}?"), {"names": ", ".join(near)}))
    advice = "Use a name like Asia/Shanghai or an offset like UTC+8, or leave it out."
    raise InvalidArguments(reasons=reasons, advice=advice)


@cache
def _zones() -> dict[str, str]:
    """Return a map from casefolded names and cities to IANA names. Empty on a system without zone
    data.
    """
    names = sorted(available_timezones())
    cities = {name.rsplit("/", 1)[-1].casefold(): name for name in names if "/" in name}
    return {**cities, **{name.casefold(): name for name in names}}
