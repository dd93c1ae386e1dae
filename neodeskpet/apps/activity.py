"""The log of what was done in windows, as an app."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from neodeskpet.apps.app import App, launch_result
from neodeskpet.apps.record import Actor, LogEntry, WindowLog
from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.labels import SourceKind
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.toolspec import Risk
from neodeskpet.core.windows.window import WindowOptions
from neodeskpet.core.wording import N_
from neodeskpet.tools.registry import Tool, tool

_SHOWN = 20


def activity_app(record: WindowLog) -> App:
    """`target` is the window whose acts alone are shown."""

    async def content(target: str) -> str:
        acts = [act for act in await record.list_entries() if target.strip() in ("", act.window)]
        return "\n".join(_line(act) for act in reversed(acts[:_SHOWN])) or "(nothing yet)"

    return App(
        "activity",
        N_("Activity"),
        "What was done in windows, the newest last.",
        content,
        {"show": _show(record)},
        WindowOptions(appended=True),
        reads=SourceKind.PROGRAM,
    )


def _show(record: WindowLog) -> Tool:
    @tool("activity.show", title=N_("Show where it was"), risk=Risk.READ, timeout=10)
    async def show(
        number: Annotated[int, Field(description="The entry's number.")],
    ) -> ToolResult:
        """Open the window in which an entry was done, in the place of this one"""
        act = next((act for act in await record.list_entries() if act.number == number), None)
        if act is None:
            text = N_("there is no entry {number}.")
            raise InvalidArguments.at("number", text, number=str(number))
        return ToolResult("", launch_result(act.window, close_source=True))

    return show


def _line(act: LogEntry) -> str:
    by = {Actor.PERSON: " (by the person)", Actor.PROGRAM: f" (by the program {act.who})"}.get(
        act.actor, ""
    )
    return f"{act.line}{by}: {act.summary}" if act.summary else f"{act.line}{by}"
