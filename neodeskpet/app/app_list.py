"""The list of all apps.

Adding an app is one line in `build_apps`. The figure's own app is here too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from neodeskpet.core.i18n import N_
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.notebook.appointment_tools import calendar_app
from neodeskpet.notebook.appointments import AppointmentService
from neodeskpet.notebook.note_tools import notes_app
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.notebook.notes import NoteStore
from neodeskpet.notebook.timer_tools import timers_app
from neodeskpet.notebook.timers import TimerService
from neodeskpet.notebook.todo_tools import todo_app
from neodeskpet.notebook.todos import TodoStore
from neodeskpet.toolkit.app_window import App
from neodeskpet.toolkit.registry import Tool
from neodeskpet.tools.apps.app_windows import AppWindows, create_apps
from neodeskpet.tools.apps.files_window import Asks, files_app
from neodeskpet.tools.apps.window_caller import WindowCaller
from neodeskpet.tools.apps.window_log import WindowLog
from neodeskpet.tools.builtin.clipboard import clipboard_app
from neodeskpet.tools.builtin.live2d import FigureControls


def body_app(body: FigureControls, tools: Mapping[str, Tool]) -> App:

    async def content(target: str) -> str:
        motions = ", ".join(f"{group} ({count})" for group, count in body.motions().items())
        expressions = ", ".join(body.expressions())
        return f"Expressions: {expressions or '—'}\nMotions: {motions or '—'}"

    return App(
        "body",
        N_("Body"),
        "Your figure on the user's desktop. Actions here run after the reply; "
        "the live2d tools run during it.",
        content,
        {"expression": tools["live2d.expression"], "motion": tools["live2d.motion"]},
    )


@dataclass(frozen=True, slots=True)
class AppDependencies:
    """What apps show and change. `tools` are the tools of the toolbox. `enabled` and `asks` return
    whether the current settings switch a tool on, and whether a call asks. `hidden` returns whether
    a tool belongs to a list that the user hides.
    """

    notes: NoteStore
    timers: TimerService
    todos: TodoStore
    appointments: AppointmentService
    body: FigureControls
    tools: Sequence[Tool]
    enabled: Callable[[ToolSpec], bool]
    asks: Asks
    hidden: Callable[[ToolSpec], bool] = lambda spec: False


def build_apps(things: AppDependencies) -> list[App]:
    """Return the apps that the launcher opens, without the log of actions."""
    notes, timers, body = things.notes, things.timers, things.body
    tools = {one.name: one for one in things.tools}
    return [
        notes_app(notes),
        timers_app(timers),
        todo_app(things.todos),
        calendar_app(things.appointments),
        files_app(tools, things.asks, things.enabled),
        clipboard_app(tools),
        body_app(body, tools),
    ]


async def open_apps(notebook: Notebook, things: AppDependencies) -> AppWindows:
    """Open the apps with the windows that were left open."""
    record = WindowLog(notebook)
    host = create_apps(build_apps(things), record, things.enabled, things.hidden)
    await host.restore()
    return AppWindows(host, WindowCaller(host, record), record)
