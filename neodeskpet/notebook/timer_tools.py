"""Timers and reminders as tools, and as an app window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter
from pydantic_core import to_json

from neodeskpet.core.app_windows.window import WindowOptions
from neodeskpet.core.data_labels import Labels, SourceKind, add_sources
from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.i18n import N_, InvalidValue, Reason
from neodeskpet.core.schedule.parsing.time_parser import LONGEST_TEXT, parse_moment
from neodeskpet.core.schedule.vocabulary import LONGEST_DURATION, render_duration
from neodeskpet.core.tool_result import (
    ApprovalText,
    ShownTable,
    ToolResult,
    count_brief,
    moment_brief,
    name_of,
)
from neodeskpet.core.toolspec import Risk
from neodeskpet.language import moment_words, tr
from neodeskpet.notebook.appointment import LOCAL_ZONE
from neodeskpet.notebook.timers import MOST_TIMERS, Repeat, Timer, TimerService
from neodeskpet.toolkit.app_window import App, AppContent
from neodeskpet.toolkit.executor import current_origin
from neodeskpet.toolkit.registry import Tool, tool

_TIMER = TypeAdapter(Timer)

TimerId = Annotated[
    str, Field(max_length=40, description="The timer's id, as timer.list shows it.")
]


def timer_tools(service: TimerService) -> list[Tool]:
    def ask_set(
        seconds: float | None = None,
        minutes: float | None = None,
        at: str | None = None,
        label: str = "",
        repeat: str = "",
    ) -> ApprovalText:
        when = _due(service.now(), seconds, minutes, at)
        if _is_tomorrow(when, service.now()):
            moment = f"{datetime.fromtimestamp(when):%H:%M}"
            named = N_("Set the timer “{name}” for tomorrow {when}?")
            unnamed = N_("Set a timer for tomorrow {when}?")
        else:
            moment = _short_moment(when, service.now())
            named = N_("Set the timer “{name}” for {when}?")
            unnamed = N_("Set a timer for {when}?")
        title = (
            Reason(named, {"name": name_of(label), "when": moment})
            if label.strip()
            else Reason(unnamed, {"when": moment})
        )
        return ApprovalText(title, verb=N_("Set it"), keep=N_("Don't set it"))

    @tool(
        "timer.set",
        title=N_("Set a timer"),
        risk=Risk.APP_DATA,
        main_argument="label",
        timeout=10,
        ask=ask_set,
    )
    async def set_timer(
        seconds: Annotated[float | None, Field(gt=0, description="Seconds from now.")] = None,
        minutes: Annotated[float | None, Field(gt=0, description="Minutes from now.")] = None,
        at: Annotated[
            str | None,
            Field(
                max_length=LONGEST_TEXT,
                description="A time (17:30, Thursday 9:00, 12月3日早上8点) or a duration "
                "(1h30m, 半小时).",
            ),
        ] = None,
        label: Annotated[
            str, Field(max_length=500, description="What to remind the user of.")
        ] = "",
        repeat: Annotated[
            Literal["", "daily", "weekdays", "weekly"],
            Field(description="Whether it comes again at that time of day."),
        ] = "",
    ) -> ToolResult:
        """Set a timer or a reminder that rings on the user's desktop. Give exactly one of
        seconds, minutes and at.
        """
        if len(await service.timers()) >= MOST_TIMERS:
            text = N_("There are {count} timers already; cancel one first.")
            raise InvalidArguments.at("", text, count=str(MOST_TIMERS))
        due = _due(service.now(), seconds, minutes, at)
        origin = current_origin().untrusted
        timer = await service.add(due, label.strip(), Repeat(repeat), origin)
        record = {"set": _show(timer, service.now())}
        data = {**record, "undo": {"until": due, "id": timer.id}}
        brief = _due_brief(due, service.now())
        return ToolResult(to_json(record).decode(), data, brief=brief)

    @tool(
        "timer.list",
        title=N_("List the timers"),
        risk=Risk.READ,
        timeout=10,
        reads=SourceKind.CALENDAR,
    )
    async def list_timers() -> ToolResult:
        """List the timers and reminders that are still to ring, the next first, then the paused
        ones.
        """
        timers = await service.timers()
        record = {"timers": [_show(timer, service.now()) for timer in timers]}
        rows = tuple((_when_words(timer), timer.label) for timer in timers)
        shown = ShownTable((), rows) if rows else None
        labels = Labels(add_sources((), (one for timer in timers for one in timer.untrusted)))
        brief = count_brief(len(timers), N_("1 timer"), N_("{count} timers"))
        return ToolResult(to_json(record).decode(), record, shown, labels=labels, brief=brief)

    return [set_timer, list_timers, *_pause_tools(service), _cancel_tool(service)]


def _pause_tools(service: TimerService) -> list[Tool]:
    async def ask_pause(id: str) -> ApprovalText:
        words = N_("Pause the timer “{name}”?")
        return await _ask_about(service, id, words, N_("Pause it"), N_("Let it run"))

    async def ask_resume(id: str) -> ApprovalText:
        words = N_("Resume the timer “{name}”?")
        return await _ask_about(service, id, words, N_("Resume it"), N_("Leave it paused"))

    @tool(
        "timer.pause",
        title=N_("Pause a timer"),
        risk=Risk.APP_DATA,
        main_argument="id",
        timeout=10,
        ask=ask_pause,
    )
    async def pause_timer(id: TimerId) -> ToolResult:
        """Pause a timer. It keeps the time that is left, also while the app is closed."""
        timer = await service.pause(id.strip())
        if timer is None:
            known = await _find(service, id)
            if known.is_paused:
                return _unchanged(service, known, "It was paused already.", _ALREADY_PAUSED)
            text = N_("“{name}” can't be paused: it repeats or rings already.")
            raise InvalidArguments.at("id", text, name=name_of(known.label or known.id))
        return _changed(service, "paused", timer, N_("“{name}” paused"))

    @tool(
        "timer.resume",
        title=N_("Resume a timer"),
        risk=Risk.APP_DATA,
        main_argument="id",
        timeout=10,
        ask=ask_resume,
    )
    async def resume_timer(id: TimerId) -> ToolResult:
        """Let a paused timer go on."""
        timer = await service.resume(id.strip())
        if timer is None:
            known = await _find(service, id)
            return _unchanged(service, known, "It wasn't paused: it runs.", _ALREADY_RUNS)
        return _changed(service, "resumed", timer, N_("“{name}” resumed"))

    return [pause_timer, resume_timer]


def _cancel_tool(service: TimerService) -> Tool:
    async def ask_cancel(id: str) -> ApprovalText:
        words = N_("Cancel the timer “{name}”?")
        return await _ask_about(service, id, words, N_("Cancel it"), N_("Keep it"))

    @tool(
        "timer.cancel",
        title=N_("Cancel a timer"),
        risk=Risk.APP_DATA,
        main_argument="id",
        timeout=10,
        ask=ask_cancel,
    )
    async def cancel_timer(id: TimerId) -> ToolResult:
        """Cancel a timer or a reminder."""
        timer = await service.cancel(id.strip())
        if timer is None:
            raise await _unknown(service, id)
        record = {"cancelled": _show(timer, service.now())}
        until = (
            timer.due
            if timer.repeat is Repeat.ONCE and not timer.is_paused
            else service.now() + LONGEST_DURATION.total_seconds()
        )
        undo = {"until": until, "timer": asdict(timer)}
        brief = Reason(N_("“{name}” cancelled"), {"name": _name(timer)})
        return ToolResult(to_json(record).decode(), {**record, "undo": undo}, brief=brief)

    return cancel_timer


_ALREADY_PAUSED = N_("“{name}” already paused")
_ALREADY_RUNS = N_("“{name}” already running")


def _unchanged(service: TimerService, timer: Timer, text: str, words: str) -> ToolResult:
    """Return the result of a call that had nothing to change."""
    record = {"unchanged": _show(timer, service.now()), "why": text}
    brief = Reason(words, {"name": _name(timer)})
    return ToolResult(to_json(record).decode(), record, brief=brief)


def _changed(service: TimerService, key: str, timer: Timer, words: str) -> ToolResult:
    now = service.now()
    record = {key: _show(timer, now)}
    until = now + LONGEST_DURATION.total_seconds() if timer.is_paused else timer.due
    undo = {"until": until, "id": timer.id}
    brief = Reason(words, {"name": _name(timer)})
    return ToolResult(to_json(record).decode(), {**record, "undo": undo}, brief=brief)


async def _ask_about(
    service: TimerService, id: str, words: str, verb: str, keep: str
) -> ApprovalText:
    timer = await _find(service, id)
    when = _short_moment(timer.due, service.now())
    title = Reason(words, {"name": name_of(timer.label or moment_words(when))})
    return ApprovalText(title, "" if timer.is_paused else when, verb=verb, keep=keep)


async def _find(service: TimerService, id: str) -> Timer:
    timer = next((one for one in await service.timers() if one.id == id.strip()), None)
    if timer is None:
        raise await _unknown(service, id)
    return timer


async def _unknown(service: TimerService, id: str) -> InvalidArguments:
    known = ", ".join(timer.id for timer in await service.timers()) or "none"
    fault = Reason(N_("there is no timer {id}."), {"id": id}, "id")
    return InvalidArguments(reasons=[fault], advice=f"Those that exist: {known}")


class TimerUndo:
    """Restores a cancelled timer, or cancels one that was set (`made`)."""

    def __init__(self, service: TimerService, *, made: bool = False) -> None:
        self._service = service
        self._made = made

    async def undo(self, data: Mapping[str, object]) -> bool:
        if self._made:
            return await self._service.cancel(str(data["id"])) is not None
        return await self._service.restore(_TIMER.validate_python(data["timer"]))


class TimerPauseUndo:
    """Resumes a timer that was paused, or pauses one that was resumed (`resumed`)."""

    def __init__(self, service: TimerService, *, resumed: bool = False) -> None:
        self._service = service
        self._resumed = resumed

    async def undo(self, data: Mapping[str, object]) -> bool:
        change = self._service.pause if self._resumed else self._service.resume
        return await change(str(data["id"])) is not None


def _due(now: float, seconds: float | None, minutes: float | None, at: str | None) -> float:
    at = at.strip() if at else None
    given = [value for value in (seconds, minutes, at) if value]
    if len(given) != 1:
        text = N_("Exactly one of seconds, minutes and at is required; {count} were given.")
        raise InvalidArguments.at("", text, count=str(len(given)))
    if at:
        try:
            return parse_moment(at, now, LOCAL_ZONE)
        except InvalidValue as error:
            raise InvalidArguments(reasons=[error.at("at")]) from None
    delay = seconds or (minutes or 0) * 60
    if delay > LONGEST_DURATION.total_seconds():
        text = N_("A timer can be set at most {days} days ahead.")
        raise InvalidArguments.at("", text, days=str(LONGEST_DURATION.days))
    return now + delay


def _short_moment(due: float, now: float) -> str:
    """Return the time, with the date if it isn't today."""
    when, today = datetime.fromtimestamp(due), datetime.fromtimestamp(now).date()
    return f"{when:%H:%M}" if when.date() == today else f"{when:%Y-%m-%d %H:%M}"


def _due_brief(due: float, now: float) -> Reason:
    """Return when a timer rings, for the closed card: the time, with the day if it isn't today."""
    if _is_tomorrow(due, now):
        return Reason(N_("tomorrow {time}"), {"time": f"{datetime.fromtimestamp(due):%H:%M}"})
    return moment_brief(_short_moment(due, now))


def _is_tomorrow(due: float, now: float) -> bool:
    after = datetime.fromtimestamp(now).date() + timedelta(days=1)
    return datetime.fromtimestamp(due).date() == after


def _moment(timer: Timer) -> str:
    return f"{datetime.fromtimestamp(timer.due):%Y-%m-%d %H:%M:%S}"


def _when(timer: Timer) -> str:
    """Return when a timer rings, or how much time a paused one has left."""
    if timer.remaining is None:
        return _moment(timer)
    return f"paused, {render_duration(timer.remaining)} left"


def _when_words(timer: Timer) -> str:
    """Return the same for the user."""
    if timer.remaining is None:
        return moment_words(_moment(timer))
    return tr("paused, {time} left", time=render_duration(timer.remaining))


def _name(timer: Timer) -> str:
    return name_of(timer.label or moment_words(_moment(timer)))


def _show(timer: Timer, now: float) -> dict[str, object]:
    """Return a timer as the model sees it. A paused one rings at that time if it is resumed now."""
    left = timer.seconds_left(now)
    due = datetime.fromtimestamp(now + left if timer.is_paused else timer.due).astimezone()
    shown: dict[str, object] = {
        "id": timer.id,
        "label": timer.label,
        "at": due.isoformat(timespec="seconds"),
        "seconds_left": round(left),
        "in": render_duration(left),
    }
    if timer.is_paused:
        shown["paused"] = True
    if timer.repeat is not Repeat.ONCE:
        shown["repeat"] = timer.repeat.value
    return shown


_SHOWN = 30


def timers_app(service: TimerService) -> App:
    """The app window of timers. `target` is words that each shown label contains."""
    tools = {one.name: one for one in timer_tools(service)}

    async def content(target: str) -> AppContent:
        words = target.casefold().split()
        timers = [
            timer
            for timer in await service.timers()
            if all(word in timer.label.casefold() for word in words)
        ]
        lines = [_line(timer) for timer in timers[:_SHOWN]]
        more = len(timers) - _SHOWN
        if more > 0:
            lines.append(f"({more} more)")
        sources = (source for timer in timers[:_SHOWN] for source in timer.untrusted)
        return AppContent("\n".join(lines or ["(none)"]), add_sources((), sources))

    return App(
        "timers",
        N_("Timers"),
        "Timers and reminders that ring on the user's desktop, the next first.",
        content,
        {name: tools[f"timer.{name}"] for name in ("set", "pause", "resume", "cancel")},
        WindowOptions(appended=True),
        reads=SourceKind.CALENDAR,
        replaces=frozenset({"timer.list"}),
    )


def _line(timer: Timer) -> str:
    """Return the line of a timer, with the time instead of the remaining time: an unchanged text
    costs nothing.
    """
    again = "" if timer.repeat is Repeat.ONCE else f" ({timer.repeat.value})"
    return f"{timer.id}: {_when(timer)} {timer.label}{again}".rstrip()
