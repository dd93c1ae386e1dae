"""All apps over a notebook in memory, and what a model does in them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from neodeskpet.apps.app import App
from neodeskpet.apps.caller import Caller
from neodeskpet.apps.record import Record
from neodeskpet.apps.shelf import Apps, build_apps, set_up
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.live2d.stage import PaperStage
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.notes.store import SqliteNotes
from neodeskpet.timers.book import Timer, TimerBook
from neodeskpet.timers.store import SqliteTimers


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

    async def act(self, *calls: Mapping[str, object]) -> ToolResult:
        return await self.apps.caller.act({"calls": list(calls)}, unheard)

    async def told(self) -> str:
        return "\n".join(await self.apps.host.told(10_000))


@asynccontextmanager
async def house(
    path: Path | None = None,
    more: Iterable[App] = (),
    enabled: Callable[[ToolSpec], bool] = lambda spec: True,
) -> AsyncIterator[House]:
    """`path` is the notebook's file; another house on it is the next start."""
    notebook = await Notebook.open(path)
    notes = SqliteNotes(notebook)
    timers = TimerBook(SqliteTimers(notebook), silent)
    record = Record(notebook)
    apps = [*build_apps(record, notes, timers, PaperStage()), *more]
    host = set_up(apps, record, enabled)
    await host.restore()
    try:
        yield House(Apps(host, Caller(host, record), record), notes, timers)
    finally:
        await notebook.close()
