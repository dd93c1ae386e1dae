"""The apps of a running program: their windows, the calls in them and the log of what was done."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from neodeskpet.apps.app import App
from neodeskpet.apps.caller import Caller
from neodeskpet.apps.host import AppHost
from neodeskpet.apps.launcher import launcher_app
from neodeskpet.apps.record import OPEN, UNDO, Act, Actor, Record
from neodeskpet.apps.undo import CallsUndo
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.windows.window import CLOSE


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


def set_up(apps: Iterable[App], record: Record, enabled: Callable[[ToolSpec], bool]) -> AppHost:
    """A host of these apps and their launcher."""
    host = AppHost(apps, record, enabled=enabled)
    host.add(launcher_app(lambda: host.apps))
    return host
