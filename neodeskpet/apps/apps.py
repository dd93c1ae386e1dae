"""The apps of a running program: their windows, the calls in them and the log of what was done."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from neodeskpet.apps.app import App
from neodeskpet.apps.caller import WindowCaller
from neodeskpet.apps.host import AppHost
from neodeskpet.apps.launcher import launcher_app
from neodeskpet.apps.record import OPEN_ACTION, UNDO_ACTION, Actor, LogEntry, WindowLog
from neodeskpet.apps.undo import WindowCallsUndo
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.windows.window import CLOSE_ACTION


@dataclass(frozen=True, slots=True)
class AppWindows:
    """`host` has the windows, `caller` acts in them, `record` keeps what was done."""

    host: AppHost
    caller: WindowCaller
    record: WindowLog

    async def open(self, app_id: str) -> None:
        """The person opens it for the companion."""
        await self.host.open(app_id)
        await self.caller.log_entry(LogEntry(0, 0.0, Actor.PERSON, app_id, OPEN_ACTION, True, ""))

    async def close(self, app_id: str) -> None:
        """The person closes it: the companion sees it no more."""
        if await self.host.close(app_id):
            await self.caller.log_entry(
                LogEntry(0, 0.0, Actor.PERSON, app_id, CLOSE_ACTION, True, "")
            )

    async def undo(self, act: LogEntry, undo: WindowCallsUndo) -> bool:
        """Whether `act` was taken back. Raises KnownError."""
        if act.undo is None or not await undo.one(act.undo):
            return False
        await self.record.mark_undone(act.number)
        await self.caller.log_entry(
            LogEntry(0, 0.0, Actor.PERSON, act.window, UNDO_ACTION, True, act.summary)
        )
        return True


def create_apps(
    apps: Iterable[App], record: WindowLog, enabled: Callable[[ToolSpec], bool]
) -> AppHost:
    """A host of these apps and their launcher."""
    host = AppHost(apps, record, enabled=enabled)
    host.add(launcher_app(lambda: host.apps))
    return host
