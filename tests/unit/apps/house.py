"""All apps over a notebook in memory, and what a model does in them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from neodeskpet.appointments.book import AppointmentBook
from neodeskpet.apps.app import App
from neodeskpet.apps.apps import Apps, set_up
from neodeskpet.apps.caller import Caller
from neodeskpet.apps.files import Asks
from neodeskpet.apps.record import Record
from neodeskpet.apps.shelf import Things, build_apps
from neodeskpet.core.background.task import Begin
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.live2d.stage import PaperStage
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.notes.store import SqliteNotes
from neodeskpet.timers.book import Timer, TimerBook
from neodeskpet.timers.store import SqliteTimers
from neodeskpet.todos.book import TodoBook
from neodeskpet.tools.builtin.clipboard import clipboard_tools
from neodeskpet.tools.builtin.file import file_tools
from neodeskpet.tools.builtin.live2d import live2d_tools
from neodeskpet.tools.files.folders import Folders
from neodeskpet.tools.files.kept import KeptFiles


def call(window: str, action: str, **params: object) -> dict[str, object]:
    return {"window_id": window, "action_id": action, "params": params}


def unheard(fraction: float | None, text: str) -> None:
    """Nobody watches."""


def silent(timer: Timer) -> None:
    """Nobody hears it."""


@dataclass(frozen=True)
class House:
    apps: Apps
    notes: SqliteNotes
    timers: TimerBook
    todos: TodoBook

    async def act(self, *calls: Mapping[str, object], begin: Begin | None = None) -> ToolResult:
        return await self.apps.caller.act({"calls": list(calls)}, unheard, begin)

    async def told(self) -> str:
        steady, changing, *_rest = await self.apps.host.told(10_000)
        return f"{steady}\n{changing}"


@asynccontextmanager
async def house(
    path: Path | None = None,
    more: Iterable[App] = (),
    enabled: Callable[[ToolSpec], bool] = lambda spec: True,
    folders: Sequence[Path] = (),
    asks: Asks = lambda spec, arguments: False,
) -> AsyncIterator[House]:
    """`path` is the notebook's file; another house on it is the next start. `folders` are those
    that the person allowed.
    """
    notebook = await Notebook.open(path)
    notes = SqliteNotes(notebook)
    timers = TimerBook(SqliteTimers(notebook), silent)
    record = Record(notebook)
    todos = TodoBook(notebook)
    with TemporaryDirectory() as kept:
        files = file_tools(Folders(lambda: list(folders), closed=[]), KeptFiles(Path(kept)))
    stage = PaperStage()
    tools = [*files, *clipboard_tools(None), *live2d_tools(stage)]
    things = Things(notes, timers, todos, AppointmentBook(notebook), stage, tools, enabled, asks)
    apps = [*build_apps(record, things), *more]
    host = set_up(apps, record, enabled)
    await host.restore()
    try:
        yield House(Apps(host, Caller(host, record), record), notes, timers, todos)
    finally:
        await notebook.close()
