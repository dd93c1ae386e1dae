"""The list of all apps. Adding an app is one line in `build_apps`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from neodeskpet.appointments.book import AppointmentService
from neodeskpet.apps.activity import activity_app
from neodeskpet.apps.app import App
from neodeskpet.apps.apps import AppWindows, create_apps
from neodeskpet.apps.body import body_app
from neodeskpet.apps.calendar import calendar_app
from neodeskpet.apps.caller import WindowCaller
from neodeskpet.apps.clipboard import clipboard_app
from neodeskpet.apps.files import Asks, files_app
from neodeskpet.apps.notes import notes_app
from neodeskpet.apps.record import WindowLog
from neodeskpet.apps.timers import timers_app
from neodeskpet.apps.todo import todo_app
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.notes.notes import NoteStore
from neodeskpet.timers.book import TimerService
from neodeskpet.todos.book import TodoStore
from neodeskpet.tools.builtin.live2d import FigureControls
from neodeskpet.tools.registry import Tool


@dataclass(frozen=True, slots=True)
class AppDependencies:
    """What apps show and change. `tools` are those of the toolbox; `enabled` and `asks` are what
    the person's settings say of a tool, and of a call, now.
    """

    notes: NoteStore
    timers: TimerService
    todos: TodoStore
    appointments: AppointmentService
    body: FigureControls
    tools: Sequence[Tool]
    enabled: Callable[[ToolSpec], bool]
    asks: Asks


def build_apps(record: WindowLog, things: AppDependencies) -> list[App]:
    """The apps that the launcher opens."""
    notes, timers, body = things.notes, things.timers, things.body
    tools = {one.name: one for one in things.tools}
    return [
        notes_app(notes),
        timers_app(timers),
        todo_app(things.todos),
        calendar_app(things.appointments),
        files_app(tools, things.asks, things.enabled),
        clipboard_app(tools),
        activity_app(record),
        body_app(body, tools),
    ]


async def open_apps(notebook: Notebook, things: AppDependencies) -> AppWindows:
    """With the windows that were left open."""
    record = WindowLog(notebook)
    host = create_apps(build_apps(record, things), record, things.enabled)
    await host.restore()
    return AppWindows(host, WindowCaller(host, record), record)
