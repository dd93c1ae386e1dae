"""All apps there are; a further one is one line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from neodeskpet.appointments.book import AppointmentBook
from neodeskpet.apps.activity import activity_app
from neodeskpet.apps.app import App
from neodeskpet.apps.body import body_app
from neodeskpet.apps.calendar import calendar_app
from neodeskpet.apps.caller import Caller
from neodeskpet.apps.clipboard import clipboard_app
from neodeskpet.apps.files import Asks, files_app
from neodeskpet.apps.host import AppHost
from neodeskpet.apps.launcher import launcher_app
from neodeskpet.apps.notes import notes_app
from neodeskpet.apps.record import OPEN, UNDO, Act, Actor, Record
from neodeskpet.apps.timers import timers_app
from neodeskpet.apps.todo import todo_app
from neodeskpet.apps.undo import CallsUndo
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.windows.window import CLOSE
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.notes.notes import NoteStore
from neodeskpet.timers.book import TimerBook
from neodeskpet.todos.book import TodoBook
from neodeskpet.tools.builtin.live2d import Body
from neodeskpet.tools.registry import Tool


@dataclass(frozen=True, slots=True)
class Apps:
    """`host` has the windows, `caller` acts in them, `record` keeps what was done."""

    host: AppHost
    caller: Caller
    record: Record

    async def open(self, app_id: str) -> None:
        """The person opens it for the companion."""
        await self.host.open(app_id)
        await self.caller.note(Act(0, 0.0, Actor.PERSON, app_id, OPEN, True, ""))

    async def close(self, app_id: str) -> None:
        """The person closes it: the companion sees it no more."""
        if await self.host.close(app_id):
            await self.caller.note(Act(0, 0.0, Actor.PERSON, app_id, CLOSE, True, ""))

    async def take_back(self, act: Act, undo: CallsUndo) -> bool:
        """Whether `act` was taken back. Raises KnownError."""
        if act.undo is None or not await undo.one(act.undo):
            return False
        await self.record.mark_undone(act.number)
        await self.caller.note(Act(0, 0.0, Actor.PERSON, act.window, UNDO, True, act.summary))
        return True


@dataclass(frozen=True, slots=True)
class Things:
    """What apps show and change. `tools` are those of the toolbox; `enabled` and `asks` are what
    the person's settings say of a tool, and of a call, now.
    """

    notes: NoteStore
    timers: TimerBook
    todos: TodoBook
    appointments: AppointmentBook
    body: Body
    tools: Sequence[Tool]
    enabled: Callable[[ToolSpec], bool]
    asks: Asks


def build_apps(record: Record, things: Things) -> list[App]:
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


async def open_apps(notebook: Notebook, things: Things) -> Apps:
    """With the windows that were left open."""
    record = Record(notebook)
    host = set_up(build_apps(record, things), record, things.enabled)
    await host.restore()
    return Apps(host, Caller(host, record), record)


def set_up(apps: Iterable[App], record: Record, enabled: Callable[[ToolSpec], bool]) -> AppHost:
    """A host of these apps and their launcher."""
    host = AppHost(apps, record, enabled=enabled)
    host.add(launcher_app(lambda: host.apps))
    return host
