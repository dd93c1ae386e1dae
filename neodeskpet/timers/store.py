"""Timers in the notebook."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

from neodeskpet.core.labels import read_sources, write_sources
from neodeskpet.database.columns import StoredText, from_column, to_column
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.timers.book import Timer
from neodeskpet.timers.repeat import Repeat

_REPEATS = frozenset(Repeat)


class SqliteTimers:
    """A `TimerStore`. Ids are the rows' numbers with a `t` before."""

    def __init__(self, notebook: Notebook) -> None:
        self._notebook = notebook

    async def load(self) -> list[Timer]:
        query = "SELECT id, due, label, set_at, repeat, untrusted FROM timers"
        rows = await self._notebook.read(lambda db: db.execute(query).fetchall())
        return [_timer(row) for row in rows]

    async def add(self, timer: Timer) -> Timer:
        def work(connection: sqlite3.Connection) -> int:
            number = _number(timer.id)
            there = "SELECT 1 FROM timers WHERE id = ?"
            if connection.execute(there, (number,)).fetchone() is not None:
                number = None
            cursor = connection.execute(
                "INSERT INTO timers (id, due, label, set_at, repeat, untrusted) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (number, *_values(timer)),
            )
            return int(cursor.lastrowid or 0)

        return replace(timer, id=f"t{await self._notebook.change(work)}", missed=False)

    async def update(self, timer: Timer) -> bool:
        values = (*_values(timer), _number(timer.id))
        return await self._changed(
            "UPDATE timers SET due = ?, label = ?, set_at = ?, repeat = ?, untrusted = ? "
            "WHERE id = ?",
            values,
        )

    async def delete(self, timer_id: str) -> bool:
        return await self._changed("DELETE FROM timers WHERE id = ?", (_number(timer_id),))

    async def _changed(self, statement: str, values: tuple[object, ...]) -> bool:
        def work(connection: sqlite3.Connection) -> bool:
            return connection.execute(statement, values).rowcount > 0

        return await self._notebook.change(work)


def _number(timer_id: str) -> int | None:
    """The row's number; None for "" and for what is no id."""
    digits = timer_id[1:]
    known = timer_id.startswith("t") and digits.isascii() and digits.isdecimal()
    return int(digits) if known and len(digits) < 16 else None


def _values(timer: Timer) -> tuple[float, StoredText, float, str, str]:
    sources = write_sources(timer.untrusted)
    return timer.due, to_column(timer.label), timer.set_at, timer.repeat, sources


def _timer(row: tuple[int, float, StoredText, float, str, str]) -> Timer:
    number, due, label, set_at, repeat, untrusted = row
    known = Repeat(repeat) if repeat in _REPEATS else Repeat.ONCE
    sources = read_sources(untrusted)
    return Timer(f"t{number}", due, from_column(label), set_at, known, untrusted=sources)
