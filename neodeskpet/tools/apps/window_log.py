"""The open app windows and the log of actions in them: stored in the notebook's database, and shown
as an app window.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from time import time
from typing import Annotated

from pydantic import Field

from neodeskpet.core.app_windows.window import WindowOptions
from neodeskpet.core.data_labels import SourceKind
from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.toolspec import Risk
from neodeskpet.storage.database import DatabaseFile
from neodeskpet.storage.database_schema import StoredText, from_column, to_column
from neodeskpet.toolkit.app_window import App, launch_result
from neodeskpet.toolkit.registry import Tool, tool

OPEN_ACTION = "open"
"""An action of the user in the logs of earlier versions, as is `CLOSE_ACTION`."""
UNDO_ACTION = "undo"
"""The user's action in the log that undid an earlier one."""
KEPT_ENTRIES = 200
"""Entries that are kept; older ones are deleted."""
_LONGEST = 500
"""Most characters of an entry's summary."""


class Actor(StrEnum):
    COMPANION = "companion"
    PERSON = "person"
    PROGRAM = "program"
    """Another program; the database stores its name after this word."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One action. `number` never starts over, `at` is in unix seconds. `undo` is the undo data
    (`WindowCallsUndo.one`), None if the action can't be undone. `who` is the name of the program
    that acted.
    """

    number: int
    at: float
    actor: Actor
    window: str
    action: str
    success: bool
    summary: str
    undo: Mapping[str, object] | None = None
    who: str = ""

    @property
    def line(self) -> str:
        """`[7] notes.add -> ok`"""
        return f"[{self.number}] {self.window}.{self.action} -> {'ok' if self.success else 'error'}"


class WindowLog:
    """The stored log. All coroutines raise StoreError."""

    def __init__(self, file: DatabaseFile, clock: Callable[[], float] = time) -> None:
        self._file = file
        self._clock = clock

    async def opened(self) -> dict[str, str]:
        """Return the targets of the windows that were open at the last exit, in the order in which
        they were opened.
        """
        query = "SELECT app, target FROM windows ORDER BY place"
        rows = await self._file.read(lambda db: db.execute(query).fetchall())
        return {from_column(app): from_column(target) for app, target in rows}

    async def set_opened(self, opened: Mapping[str, str]) -> None:
        rows = [
            (place, to_column(app), to_column(target))
            for place, (app, target) in enumerate(opened.items())
        ]

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM windows")
            connection.executemany(
                "INSERT INTO windows (place, app, target) VALUES (?, ?, ?)", rows
            )

        await self._file.change(work)

    async def add(self, act: LogEntry) -> LogEntry:
        """Store `act` and return it with its number and time."""
        now = self._clock()
        values = (
            now,
            to_column(f"{act.actor} {act.who}".strip()),
            to_column(act.window),
            to_column(act.action),
            int(act.success),
            to_column(act.summary[:_LONGEST]),
            to_column(json.dumps(act.undo, ensure_ascii=False) if act.undo else ""),
        )

        def work(connection: sqlite3.Connection) -> int:
            cursor = connection.execute(
                "INSERT INTO acts (at, actor, app, action, success, summary, undo) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                values,
            )
            number = int(cursor.lastrowid or 0)
            connection.execute("DELETE FROM acts WHERE id <= ?", (number - KEPT_ENTRIES,))
            return number

        return replace(act, number=await self._file.change(work), at=now)

    async def mark_undone(self, number: int) -> None:
        """Record that an entry was undone and can't be undone again."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("UPDATE acts SET undo = '' WHERE id = ?", (number,))

        await self._file.change(work)

    async def list_entries(self, limit: int = KEPT_ENTRIES) -> list[LogEntry]:
        """Return the last `limit` entries, the newest first."""
        query = (
            "SELECT id, at, actor, app, action, success, summary, undo FROM acts "
            "ORDER BY id DESC LIMIT ?"
        )
        rows = await self._file.read(lambda db: db.execute(query, (limit,)).fetchall())
        return [_act(row) for row in rows]


def _act(
    row: tuple[int, float, StoredText, StoredText, StoredText, int, StoredText, StoredText],
) -> LogEntry:
    number, at, by, window, action, success, summary, undo = row
    name, _, who = from_column(by).partition(" ")
    actor = next((one for one in Actor if one == name), Actor.COMPANION)
    words = from_column(window), from_column(action)
    kept = _undo(from_column(undo))
    return LogEntry(number, at, actor, *words, bool(success), from_column(summary), kept, who)


def _undo(kept: str) -> Mapping[str, object] | None:
    """Read the undo data; damaged data counts as none."""
    try:
        read = json.loads(kept) if kept else None
    except ValueError:
        return None
    return read if isinstance(read, dict) else None


_SHOWN = 20


def activity_app(record: WindowLog, hidden: Callable[[], Iterable[App]] = tuple) -> App:
    """Make the app that shows the log. If its target is a window's id, it shows only that window's
    entries. `hidden` returns the apps whose entries are left out.
    """

    async def content(target: str) -> str:
        apps = tuple(hidden())
        families = {action.spec.family for app in apps for action in app.actions.values()}
        left_out = families | {app.id for app in apps}
        acts = [
            act
            for act in await record.list_entries()
            if target.strip() in ("", act.window) and act.window not in left_out
        ]
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
            text = N_("there is no entry with the number {number}.")
            raise InvalidArguments.at("number", text, number=str(number))
        opened = launch_result(act.window, close_source=True)
        return ToolResult("", opened, brief=Reason(N_("open")))

    return show


def _line(act: LogEntry) -> str:
    by = {Actor.PERSON: " (by the user)", Actor.PROGRAM: f" (by the program {act.who})"}.get(
        act.actor, ""
    )
    return f"{act.line}{by}: {act.summary}" if act.summary else f"{act.line}{by}"
