"""The appointments as an app: the panel for the person and the tools work on the same ones."""

from __future__ import annotations

from neodeskpet.appointments.appointment import Appointment
from neodeskpet.appointments.book import AppointmentService
from neodeskpet.appointments.zones import find_zone
from neodeskpet.apps.app import App, AppContent
from neodeskpet.core.labels import SourceKind, add_sources
from neodeskpet.core.schedule.rule import clock_time
from neodeskpet.core.windows.window import WindowOptions
from neodeskpet.core.wording import N_
from neodeskpet.tools.builtin.schedule import schedule_tools

_SHOWN = 30
_LINE = 120


def calendar_app(book: AppointmentService) -> App:
    """`target` is words that each appointment shown holds."""
    tools = {one.name: one for one in schedule_tools(book)}

    async def content(target: str) -> AppContent:
        words = target.casefold().split()
        found = [
            one
            for one in await book.appointments()
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
        "Appointments that ring on the person's desktop or have you do something, once or again "
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
        private=True,  # what another program puts into a prompt the companion would do
    )


def _line(one: Appointment) -> str:
    if one.paused or one.due is None:
        when = "paused"
    else:
        when = f"{clock_time(one.due, find_zone(one.zone)):%Y-%m-%d %a %H:%M}"
    title = one.title if len(one.title) <= _LINE else one.title[: _LINE - 1] + "…"
    zone = f" {one.zone}" if one.zone else ""
    does = " → you act" if one.prompt else ""
    return f"{one.id}: {when} {title} ({one.said}{zone}){does}"
