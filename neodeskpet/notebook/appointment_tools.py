"""Appointments as tools, and as an app window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Annotated

from pydantic import Field
from pydantic_core import to_json

from neodeskpet.core.app_windows.window import WindowOptions
from neodeskpet.core.data_labels import (
    DataSource,
    Labels,
    SourceKind,
    add_sources,
    read_sources,
    write_sources,
)
from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.i18n import N_, InvalidValue, Reason
from neodeskpet.core.schedule.parsing.time_parser import LONGEST_TEXT, ParsedTime
from neodeskpet.core.schedule.recurrence import short_months_left_out
from neodeskpet.core.schedule.rule import clock_time, runs_after
from neodeskpet.core.schedule.vocabulary import show_moment
from neodeskpet.core.tool_result import (
    ApprovalText,
    ShownTable,
    ToolResult,
    argument_lines,
    count_brief,
    moment_brief,
    name_of,
)
from neodeskpet.core.toolspec import Risk, ToolNames, ToolSpec
from neodeskpet.language import moment_words, tr
from neodeskpet.notebook.appointment import (
    Appointment,
    AppointmentRun,
    Maker,
    find_zone,
    read_rule,
    write_rule,
)
from neodeskpet.notebook.appointments import MOST_APPOINTMENTS, AppointmentService
from neodeskpet.notebook.notebook_tables import KEPT_SECONDS
from neodeskpet.toolkit.app_window import App, AppContent
from neodeskpet.toolkit.executor import current_origin
from neodeskpet.toolkit.registry import Tool, tool

RUN_TOOL = "schedule.run"
RUN_SPEC = ToolSpec(
    RUN_TOOL,
    "An appointment with a prompt came.",
    {"type": "object", "properties": {}},
    title=N_("Appointment"),
    main_argument="title",
)
"""The specification of the call that is shown for a due prompt; no model calls it."""

_NEXT = 3
_LISTED = 50
_HISTORY = 10

When = Annotated[
    str,
    Field(
        min_length=1,
        max_length=LONGEST_TEXT,
        description="When it comes, as people say it (tomorrow 8:30, every other Friday at 4pm, "
        "每周二周四下午四点, the last day of every month at 18:00, every 2 hours between 9 and "
        "17), or 2026-12-24 18:00, or five fields of cron, or an RRULE. Say am or pm.",
    ),
]
Title = Annotated[str, Field(min_length=1, max_length=200, description="A few words: what it is.")]
Prompt = Annotated[
    str,
    Field(
        max_length=2_000,
        description='What you are to do when it comes ("tell me the weather"), as a message to '
        "yourself. Leave it out where the user only wants to be reminded: it rings then.",
    ),
]
Until = Annotated[
    str, Field(max_length=LONGEST_TEXT, description="The last day or time it comes at.")
]
Zone = Annotated[
    str,
    Field(
        max_length=60,
        description="The time zone that `when` is said in (Asia/Tokyo); without it wherever the "
        "computer is.",
    ),
]
Allowed = Annotated[
    list[str],
    Field(
        max_length=20,
        description="The names of the tools that the prompt needs (web.fetch); without them none "
        "can be used. Nobody can answer questions then, so tools that ask don't run.",
    ),
]
Id = Annotated[str, Field(max_length=40, description="As schedule.list shows it: a3.")]


def schedule_tools(appointments: AppointmentService) -> list[Tool]:
    return [
        _adding(appointments),
        _listing(appointments),
        _changing(appointments),
        _cancelling(appointments),
    ]


def _adding(appointments: AppointmentService) -> Tool:
    def ask(title: str, when: str, prompt: str = "", **_others: object) -> ApprovalText:
        words = N_("Add the appointment “{name}”?")
        thing = "\n".join(filter(None, (when, prompt)))
        return ApprovalText(
            Reason(words, {"name": name_of(title)}), thing, verb=N_("Add"), keep=N_("Don't add")
        )

    @tool(
        "schedule.add",
        title=N_("Make an appointment"),
        risk=Risk.APP_DATA,
        main_argument="title",
        timeout=10,
        ask=ask,
        later=("prompt", "title"),
    )
    async def add(
        title: Title,
        when: When,
        prompt: Prompt = "",
        until: Until = "",
        zone: Zone = "",
        tools: Allowed = [],  # noqa: B006 - it is the schema's default, and read only
    ) -> ToolResult:
        """Make an appointment: it rings on the user's desktop, or has you do something, once or
        again and again. For a single time within hours use timer.set.
        """
        if len(await appointments.appointments()) >= MOST_APPOINTMENTS:
            text = N_("There are {count} appointments already; cancel one first.")
            raise InvalidArguments.at("", text, count=str(MOST_APPOINTMENTS))
        meant = parse_when(appointments, when, zone, until)
        one = await appointments.add(
            _words(title),
            when.strip(),
            meant,
            prompt=prompt.strip(),
            zone=zone,
            maker=_MAKER,
            tools=_known(appointments, tools),
            untrusted=_origin(),
        )
        data = {"added": _show(one, appointments.now()), **_assumed(meant, one)}
        return _result(
            data, {"until": appointments.now() + KEPT_SECONDS, "id": one.id}, one, appointments
        )

    return add


def _listing(appointments: AppointmentService) -> Tool:
    @tool(
        "schedule.list",
        title=N_("List the appointments"),
        risk=Risk.READ,
        timeout=10,
        reads=SourceKind.CALENDAR,
    )
    async def list_appointments(
        id: Annotated[
            str, Field(max_length=40, description="One of them, with how often it came.")
        ] = "",
    ) -> ToolResult:
        """List the appointments, the next first; or tell of one what became of its last runs."""
        if id.strip():
            one = await _find(appointments, id)
            history = await appointments.runs(one.id, _HISTORY)
            data: dict[str, object] = {
                "appointment": _show(one, appointments.now()),
                "history": [_show_run(run, one) for run in history],
            }
            brief = count_brief(len(history), N_("1 run"), N_("{count} runs"))
            return ToolResult(to_json(data).decode(), data, labels=_labels(one), brief=brief)
        found = await appointments.appointments()
        data = {"appointments": [_show(one, appointments.now()) for one in found[:_LISTED]]}
        if len(found) > _LISTED:
            data["more"] = len(found) - _LISTED
        rows = tuple(
            (_next_words(one, appointments.now())[0], one.title) for one in found[:_LISTED]
        )
        shown = ShownTable((), rows) if rows else None
        labels = _labels(*found[:_LISTED])
        brief = count_brief(len(found), N_("1 appointment"), N_("{count} appointments"))
        return ToolResult(to_json(data).decode(), data, shown, labels=labels, brief=brief)

    return list_appointments


def _changing(appointments: AppointmentService) -> Tool:
    async def ask(id: str, **changes: object) -> ApprovalText:
        one = await _find(appointments, id)
        title = Reason(N_("Change the appointment “{name}”?"), {"name": name_of(one.title)})
        return ApprovalText(
            title, argument_lines(changes), verb=N_("Change"), keep=N_("Leave it as it is")
        )

    @tool(
        "schedule.update",
        title=N_("Change an appointment"),
        risk=Risk.APP_DATA,
        main_argument="id",
        timeout=10,
        ask=ask,
        later=("prompt", "title"),
    )
    async def update(
        id: Id,
        title: Annotated[str | None, Field(max_length=200, description="Another title.")] = None,
        when: Annotated[
            str | None, Field(max_length=LONGEST_TEXT, description="Other times.")
        ] = None,
        prompt: Annotated[
            str | None, Field(max_length=2_000, description='Another prompt; "" lets it ring.')
        ] = None,
        until: Until = "",
        zone: Zone = "",
        paused: Annotated[bool | None, Field(description="Whether it is left out for now.")] = None,
        tools: Annotated[
            list[str] | None, Field(max_length=20, description="The tools for the prompt; [] none.")
        ] = None,
    ) -> ToolResult:
        """Change an appointment, pause it or let it go on; what isn't given stays."""
        before = await _find(appointments, id)
        allowed = None if tools is None else _known(appointments, tools)
        times = None
        if when is not None or until or zone:
            times = _read_changed(appointments, before, when, zone, until)
        one = await appointments.update(
            before.id,
            title=None if title is None else _words(title),
            prompt=None if prompt is None else prompt.strip(),
            when=times,
            paused=paused,
            tools=allowed,
            untrusted=() if title is None and prompt is None else _origin(),
        )
        one = one or before
        assumed = _assumed(times[1], one) if times else {}
        data = {"changed": _show(one, appointments.now()), **assumed}
        undo = {
            "until": appointments.now() + KEPT_SECONDS,
            "id": one.id,
            "before": _appointment_record(before),
        }
        return _result(data, undo, one, appointments)

    return update


def _cancelling(appointments: AppointmentService) -> Tool:
    async def ask(id: str) -> ApprovalText:
        one = await _find(appointments, id)
        title = Reason(N_("Cancel the appointment “{name}”?"), {"name": name_of(one.title)})
        when = "\n".join(_next_words(one, appointments.now()))
        return ApprovalText(title, when, verb=N_("Cancel it"), keep=N_("Keep it"))

    @tool(
        "schedule.cancel",
        title=N_("Cancel an appointment"),
        risk=Risk.APP_DATA,
        main_argument="id",
        timeout=10,
        ask=ask,
    )
    async def cancel(id: Id) -> ToolResult:
        """Cancel an appointment for good."""
        one = await _find(appointments, id)
        await appointments.cancel(one.id)
        cancelled = {"cancelled": {"id": one.id, "title": one.title}}
        undo = {"until": appointments.now() + KEPT_SECONDS, "id": one.id}
        brief = Reason(N_("“{name}” cancelled"), {"name": name_of(one.title)})
        data = {**cancelled, "undo": undo}
        return ToolResult(to_json(cancelled).decode(), data, labels=_labels(one), brief=brief)

    return cancel


_MAKER = Maker.COMPANION


def _origin() -> tuple[DataSource, ...]:
    """Return the untrusted sources of the text that is being written; text that the user saw and
    allowed has none.
    """
    origin = current_origin()
    return () if origin.approved else origin.untrusted


def _labels(*shown: Appointment) -> Labels:
    return Labels(add_sources((), (source for one in shown for source in one.untrusted)))


class AppointmentUndo:
    """Undoes that an appointment was created (`made`), changed or cancelled."""

    def __init__(self, appointments: AppointmentService, *, made: bool = False) -> None:
        self._appointments = appointments
        self._made = made

    async def undo(self, data: Mapping[str, object]) -> bool:
        if self._made:
            return await self._appointments.cancel(str(data["id"])) is not None
        before = data.get("before")
        if not isinstance(before, Mapping):
            return await self._appointments.restore(str(data["id"]))
        one = await self._appointments.find(str(data["id"]))
        return one is not None and await self._appointments.restore_previous(_former(one, before))


def parse_when(
    appointments: AppointmentService,
    when: str,
    zone: str,
    until: str,
    before: ParsedTime | None = None,
) -> ParsedTime:
    """Parse a time, with the rule and the end of `before` if the text has none. Raises
    InvalidArguments, with the question if it is ambiguous.
    """
    try:
        return appointments.read(when, zone.strip(), until, before)
    except InvalidValue as error:
        advice = (
            "Ask the user if you don't know which one; else call again with the date and the "
            "time written out."
            if "Say which one" in error.text
            else ""
        )
        raise InvalidArguments(reasons=[error.at("when")], advice=advice) from None


def _read_changed(
    appointments: AppointmentService, before: Appointment, when: str | None, zone: str, until: str
) -> tuple[str, ParsedTime, str]:
    """Return the changed times of `before`, as `AppointmentService.update` takes them."""
    said, there = when or before.said, zone.strip() or before.zone
    # A duration would start again if it were parsed again.
    text = said if when is not None or zone else ""
    meant = parse_when(appointments, text, there, until, ParsedTime(before.rule, before.until))
    return said.strip(), meant, there


def _known(appointments: AppointmentService, names: Sequence[str]) -> tuple[str, ...]:
    """Check that tools of these names exist. Raises InvalidArguments otherwise."""
    there = ToolNames(tuple(appointments.tools()))
    found = tuple(dict.fromkeys(there.own_name(name.strip()) for name in names))
    for place, name in enumerate(found):
        if name not in appointments.tools():
            text = N_("there is no tool {name}.")
            raise InvalidArguments.at(f"tools[{place}]", text, name=name)
    return found


async def _find(appointments: AppointmentService, id: str) -> Appointment:
    one = await appointments.find(id)
    if one is None:
        known = ", ".join(one.id for one in (await appointments.appointments())[:_LISTED]) or "none"
        text = N_("there is no appointment {id}; there are: {known}.")
        raise InvalidArguments.at("id", text, id=id, known=known)
    return one


def _words(title: str) -> str:
    plain = " ".join(title.split())
    if not plain:
        raise InvalidArguments.at("title", N_("an appointment needs a title."))
    return plain


_PAUSED, _OVER = N_("paused"), N_("over")
"""Why an appointment has no next run."""


def _next(one: Appointment, now: float) -> list[str]:
    """Return its next runs as local times of its zone, or why there are none."""
    zone = find_zone(one.zone)
    if one.due is None or one.paused:
        return [_PAUSED if one.paused else _OVER]
    first = [one.due] if one.due <= now else []
    found = [*first, *islice(runs_after(one.rule, max(now, one.due - 1), zone, one.until), _NEXT)]
    return [show_moment(clock_time(run, zone)) for run in found[:_NEXT]]


def _next_words(one: Appointment, now: float) -> list[str]:
    """Return the same for the user."""
    return [tr(run) if run in (_PAUSED, _OVER) else moment_words(run) for run in _next(one, now)]


def _brief(one: Appointment, now: float) -> Reason:
    run = _next(one, now)[0]
    return Reason(run) if run in (_PAUSED, _OVER) else moment_brief(run)


def _show(one: Appointment, now: float) -> dict[str, object]:
    shown: dict[str, object] = {
        "id": one.id,
        "title": one.title,
        "when": one.said,
        "next": _next(one, now),
    }
    if one.prompt:
        shown["prompt"] = one.prompt
    if one.tools:
        shown["tools"] = one.tools
    if one.zone:
        shown["zone"] = one.zone
    if one.until is not None:
        shown["until"] = f"{clock_time(one.until, find_zone(one.zone)):%Y-%m-%d %H:%M}"
    if one.maker is Maker.PERSON:
        shown["made_by"] = "the user"
    return shown


def _show_run(run: AppointmentRun, one: Appointment) -> str:
    due = clock_time(run.due, find_zone(one.zone))
    return f"{show_moment(due)}: {run.outcome.value}"


def _assumed(meant: ParsedTime, one: Appointment) -> dict[str, object]:
    """Return the assumed values that the user did not give and must be told."""
    data: dict[str, object] = {}
    if meant.assumed and one.due is not None:
        clock = f"{clock_time(one.due, find_zone(one.zone)):%H:%M}"
        data["assumed"] = f"No time was given: {clock} was assumed. Tell the user."
    day = short_months_left_out(meant.rule)
    if day is not None:
        data["left_out"] = f"Months without a day {day} are left out. Tell the user."
    return data


def _result(
    record: dict[str, object],
    undo: dict[str, object],
    one: Appointment,
    appointments: AppointmentService,
) -> ToolResult:
    rows = tuple((run, one.title) for run in _next_words(one, appointments.now()))
    data, brief = {**record, "undo": undo}, _brief(one, appointments.now())
    return ToolResult(to_json(record).decode(), data, ShownTable((), rows), brief=brief)


def _appointment_record(one: Appointment) -> dict[str, object]:
    return {
        "title": one.title,
        "prompt": one.prompt,
        "said": one.said,
        "rule": write_rule(one.rule),
        "zone": one.zone,
        "until": one.until,
        "paused": one.paused,
        "tools": list(one.tools),
        "untrusted": write_sources(one.untrusted),
    }


def _former(one: Appointment, kept: Mapping[str, object]) -> Appointment:
    """Restore an earlier appointment from stored values. Raises KeyError, TypeError and
    ValueError.
    """
    until, tools = kept["until"], kept.get("tools")
    return Appointment(
        id=one.id,
        title=str(kept["title"]),
        prompt=str(kept["prompt"]),
        said=str(kept["said"]),
        rule=read_rule(str(kept["rule"])),
        zone=str(kept["zone"]),
        until=None if until is None else float(str(until)),
        due=one.due,
        paused=bool(kept["paused"]),
        maker=one.maker,
        made=one.made,
        tools=tuple(str(name) for name in tools) if isinstance(tools, list | tuple) else (),
        untrusted=read_sources(kept.get("untrusted")),
    )


_SHOWN = 30
_LINE = 120


def calendar_app(appointments: AppointmentService) -> App:
    """The app window of appointments. `target` is words that each shown appointment contains."""
    tools = {one.name: one for one in schedule_tools(appointments)}

    async def content(target: str) -> AppContent:
        words = target.casefold().split()
        found = [
            one
            for one in await appointments.appointments()
            if all(word in f"{one.title} {one.prompt}".casefold() for word in words)
        ]
        lines = [_line(one) for one in found[:_SHOWN]]
        if len(found) > _SHOWN:
            lines.append(f"({len(found) - _SHOWN} more)")
        sources = (source for one in found[:_SHOWN] for source in one.untrusted)
        return AppContent("\n".join(lines or ["(none)"]), add_sources((), sources))

    return App(
        "calendar",
        N_("Calendar"),
        "Appointments that ring on the user's desktop or have you do something, once or again "
        "and again, the next first.",
        content,
        {
            "add": tools["schedule.add"],
            "update": tools["schedule.update"],
            "cancel": tools["schedule.cancel"],
            "look": tools["schedule.list"],
        },
        WindowOptions(appended=True),
        reads=SourceKind.CALENDAR,
        private=True,  # the companion would run a prompt that another program writes
    )


def _line(one: Appointment) -> str:
    if one.paused or one.due is None:
        when = "paused"
    else:
        when = show_moment(clock_time(one.due, find_zone(one.zone)))
    title = one.title if len(one.title) <= _LINE else one.title[: _LINE - 1] + "…"
    zone = f" {one.zone}" if one.zone else ""
    does = " → you act" if one.prompt else ""
    return f"{one.id}: {when} {title} ({one.said}{zone}){does}"
