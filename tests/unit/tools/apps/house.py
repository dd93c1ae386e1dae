"""All apps on a notebook in memory, and the actions of a model in them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from neodeskpet.app.app_list import AppDependencies, build_apps
from neodeskpet.core.background_tasks import StartTask
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.figure.stage import NullStage
from neodeskpet.notebook.appointments import AppointmentService
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.notebook.notes import SqliteNotes
from neodeskpet.notebook.timers import SqliteTimers, Timer, TimerService
from neodeskpet.notebook.todos import TodoStore
from neodeskpet.toolkit.app_window import App
from neodeskpet.tools.apps.app_windows import AppWindows, create_apps
from neodeskpet.tools.apps.files_window import Asks
from neodeskpet.tools.apps.window_caller import WindowCaller
from neodeskpet.tools.apps.window_log import WindowLog
from neodeskpet.tools.builtin.clipboard import clipboard_tools
from neodeskpet.tools.builtin.file_tools import file_tools
from neodeskpet.tools.builtin.live2d import live2d_tools
from neodeskpet.tools.files.allowed_folders import AllowedFolders
from neodeskpet.tools.files.text_files import FileBackups


def call(window: str, action: str, **params: object) -> dict[str, object]:
    return {"window_id": window, "action_id": action, "params": params}


def unheard(fraction: float | None, text: str) -> None:
    """Ignore progress."""


def silent(timer: Timer) -> None:
    """There is no listener."""


@dataclass(frozen=True)
class House:
    apps: AppWindows
    notes: SqliteNotes
    timers: TimerService
    todos: TodoStore
    appointments: AppointmentService

    async def act(self, *calls: Mapping[str, object], begin: StartTask | None = None) -> ToolResult:
        return await self.apps.caller.run_calls({"calls": list(calls)}, unheard, begin)

    async def render(self) -> str:
        steady, changing, *_rest = await self.apps.host.render(10_000)
        return f"{steady}\n{changing}"


@asynccontextmanager
async def house(
    path: Path | None = None,
    more: Iterable[App] = (),
    enabled: Callable[[ToolSpec], bool] = lambda spec: True,
    folders: Sequence[Path] = (),
    asks: Asks = lambda spec, arguments: False,
    hidden: Callable[[ToolSpec], bool] = lambda spec: False,
) -> AsyncIterator[House]:
    """`path` is the notebook's file; another house on it is the next start. `folders` are those
    that the user allowed. `hidden` returns whether a tool belongs to a hidden list.
    """
    notebook = await Notebook.open(path)
    notes = SqliteNotes(notebook)
    timers = TimerService(SqliteTimers(notebook), silent)
    record = WindowLog(notebook)
    todos = TodoStore(notebook)
    appointments = AppointmentService(notebook)
    with TemporaryDirectory() as kept:
        files = file_tools(
            AllowedFolders(lambda: list(folders), closed=[]), FileBackups(Path(kept))
        )
    stage = NullStage()
    tools = [*files, *clipboard_tools(None), *live2d_tools(stage)]
    things = AppDependencies(notes, timers, todos, appointments, stage, tools, enabled, asks)
    apps = [*build_apps(things), *more]
    host = create_apps(apps, record, enabled, hidden)
    await host.restore()
    try:
        windows = AppWindows(host, WindowCaller(host, record), record)
        yield House(windows, notes, timers, todos, appointments)
    finally:
        await notebook.aclose()
