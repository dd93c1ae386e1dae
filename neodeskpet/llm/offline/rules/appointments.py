"""Helpers of the timer rules for appointments: find them by title, list, move and cancel them."""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeGuard

from neodeskpet.core.schedule.vocabulary import moments_in_words
from neodeskpet.llm.offline.request_reader import OfflineRequest, ToolAnswer
from neodeskpet.llm.offline.rules.rule import render_moment
from neodeskpet.llm.offline.scripts import Say, Script, UseTool, failure_text, use, use_all

Appointment = Mapping[str, Any]

_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d) \w+ (\d\d:\d\d)")


def list_appointments(
    ask: OfflineRequest,
) -> Generator[list[UseTool], list[ToolAnswer], list[Appointment]]:
    """Return all future appointments; none if the tool is off or fails."""
    if "schedule.list" not in ask.tools:
        return []
    result = yield from use("schedule.list")
    found = result.data.get("appointments")
    return [one for one in found if _is_appointment(one)] if isinstance(found, list) else []


def choose_titled(items: Sequence[Mapping[str, Any]], key: str, text: str, about: str) -> list[Any]:
    """Return the items whose `key` (a title or a label) is named in `text`, or contains `about`."""
    words, part = text.lower(), about.lower()
    return [
        one
        for one in items
        if (title := str(one[key]).lower()) and (title in words or (part and part in title))
    ]


def choose_appointments(
    appointments: Sequence[Appointment], text: str, about: str
) -> list[Appointment]:
    """Return the appointments that the user named by id or title; empty if none is."""
    ids = {found.lower() for found in re.findall(r"\ba\d+", text, re.IGNORECASE)}
    if ids:
        return [one for one in appointments if one["id"] in ids]
    return choose_titled(appointments, "title", text, about)


def cancel_appointments(ask: OfflineRequest, chosen: Sequence[Appointment]) -> Script:
    results = yield from use_all("schedule.cancel", [{"id": one["id"]} for one in chosen])
    pairs = zip(chosen, results, strict=True)
    gone = ask.pick(", ", "、").join(str(one["title"]) for one, result in pairs if result.ok)
    if gone:
        yield Say(ask.pick(f"Cancelled: {gone}. ", f"已取消：{gone}。"))
    for result in results:
        if not result.ok:
            yield failure_text(ask, result)
            return


def move_appointment(
    ask: OfflineRequest, one: Appointment, words: str, by: timedelta | None
) -> Script:
    """Move a single appointment to the time `words`, or by a duration. A repeating one stays as it
    is.
    """
    title, due = str(one["title"]), next_time(one)
    if due is None or len(one["next"]) > 1:
        said = _said(ask, one)
        yield Say(
            ask.pick(
                f"“{title}” repeats ({said}), so I can't move it. Cancel it and tell me the "
                "new times, or change it in the calendar.",
                f"“{title}”是重复的提醒（{said}），不能只挪一次。可以先取消它，再告诉我新的"
                "时间，或者在日历里修改。",
            )
        )
        return
    when = words if by is None else f"{due + by:%Y-%m-%d %H:%M}"
    result = yield from use("schedule.update", id=one["id"], when=when)
    changed = result.data.get("changed")
    if not result.ok or not _is_appointment(changed):
        yield failure_text(ask, result)
        return
    moment = next_time(changed)
    shown = render_moment(ask, moment, ask.now) if moment is not None else _said(ask, changed)
    yield Say(ask.pick(f"Moved to **{shown}**: {title}.", f"已改到 **{shown}**：{title}。"))


def appointment_lines(ask: OfflineRequest, appointments: Sequence[Appointment]) -> str:
    lines = []
    for one in appointments:
        moment = next_time(one)
        said = _said(ask, one)
        shown = render_moment(ask, moment, ask.now) if moment is not None else said
        again = "" if len(one["next"]) < 2 else ask.pick(f" ({said})", f"（{said}）")
        lines.append(f"- `{one['id']}` **{shown}** {one['title']}{again}")
    return "\n".join(lines)


def _said(ask: OfflineRequest, one: Appointment) -> str:
    """Return the words in which its time was given."""
    return moments_in_words(str(one["when"]), ask.now.year, chinese=ask.chinese)


def next_time(one: Appointment) -> datetime | None:
    """Return its next time; None if it is paused or over."""
    found = _MOMENT.match(str(one["next"][0])) if one["next"] else None
    return datetime.fromisoformat(" ".join(found.groups())) if found else None


def _is_appointment(value: object) -> TypeGuard[Appointment]:
    return (
        isinstance(value, dict)
        and {"id", "title", "when"} <= value.keys()
        and isinstance(value.get("next"), list)
    )
