"""This computer's side of the notebook: notes, to-dos and appointments. Timers stay here.

An appointment that came from another computer rings on this one too. What the companion is to do
for it (`prompt`) is done on the computer where it was made, and nowhere else.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from neodeskpet.appointments import rows as appointments
from neodeskpet.appointments.zones import own_face
from neodeskpet.core.labels import Material, Source, add_sources, read_sources, write_sources
from neodeskpet.core.records import LATEST_TIME
from neodeskpet.core.schedule.due import parse_due
from neodeskpet.database.columns import Stored, from_column, to_column
from neodeskpet.memory.shared import ledger
from neodeskpet.memory.shared.record import NOTEBOOK, Record, Version
from neodeskpet.memory.shared.rows import Applied
from neodeskpet.memory.shared.side import Ledger
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.notebook.tables import LATER_COLUMNS, SHARED
from neodeskpet.notes.notes import fold

_TIMES = frozenset(("created", "done", "deleted", "until", "made"))
_SWITCHES = frozenset(("pinned", "paused"))
_WRITTEN = {"note": "created", "todo": "max(created, coalesce(done, 0))", "appointment": "made"}
"""By kind, when an entry was last written at the latest (unix seconds)."""
SYNC = Source(Material.SYNC)


class _NotebookFile:
    def __init__(self, notebook: Notebook) -> None:
        self.change = notebook.change
        self.look = notebook.read
        self.follow = notebook.follow


class SharedNotebook(Ledger):
    """All coroutines raise StoreError and nothing else. `changed` is called on the loop when
    another computer changed something.
    """

    kinds = NOTEBOOK

    def __init__(self, notebook: Notebook, changed: Callable[[], object]) -> None:
        super().__init__(_NotebookFile(notebook), _begin, _read_record)
        self._notebook = notebook
        self._changed = changed

    async def gather(self) -> list[Record]:
        """The first records to be sent."""
        return await self._notebook.change(lambda db: ledger.gather(db, _read_record))

    async def apply(
        self, records: Sequence[Record], cursor: int, *, more: bool = False, trusted: bool = False
    ) -> Applied:
        """Write records of other computers; how many that were."""

        gone: list[str] = []

        def work(connection: sqlite3.Connection) -> int:
            if ledger.read_self(connection) is None:
                return 0

            def take(record: Record) -> None:
                _take(connection, record, trusted=trusted)
                if record.version.gone:
                    gone.append(record.id)

            count = ledger.apply(connection, records, cursor, take)
            ledger.finish(connection)
            return count

        count = await self._notebook.change(work)
        await self._notebook.erase_copies(gone)
        return Applied(count=count)

    def tell(self, ids: Sequence[str]) -> None:
        self._changed()

    async def writing(self) -> list[str]:
        return []

    async def picture(self, digest: str) -> bytes | None:
        return None

    async def keep_picture(self, digest: str, data: bytes) -> None:
        """Nothing here has any."""


def _begin(connection: sqlite3.Connection, device: str) -> None:
    ledger.begin(connection, device)
    for kind, (table, _) in SHARED.items():
        ledger.note_all(connection, kind, f"SELECT uid AS id, {_WRITTEN[kind]} AS at FROM {table}")


def _read_record(
    connection: sqlite3.Connection, kind: str, one: str, version: Version, value: str | None
) -> Record | None:
    """The entry as it is now; None if there is none."""
    table, columns = SHARED[kind]
    query = f"SELECT {', '.join(columns)} FROM {table} WHERE uid = ?"
    row = connection.execute(query, (one,)).fetchone()
    if row is None:
        return None
    plain = {
        name: from_column(stored) if isinstance(stored, bytes) else stored
        for name, stored in zip(columns, row, strict=True)
    }
    sources = [source for source in read_sources(plain["untrusted"]) if source != SYNC]
    plain["untrusted"] = write_sources(sources)
    return Record(kind, one, "", version, ledger.written(plain))


def _take(connection: sqlite3.Connection, record: Record, *, trusted: bool) -> None:
    """Raises ValueError, TypeError, LookupError and ArithmeticError for what no entry could be."""
    table, columns = SHARED[record.kind]
    if record.version.gone:
        connection.execute(f"DELETE FROM {table} WHERE uid = ?", (record.id,))
        return
    given = ledger.read_value(record.value)
    names = [name for name in columns if name in given or name not in LATER_COLUMNS]
    values = {name: _checked(name, given[name]) for name in names}
    sources = read_sources(values["untrusted"])
    if not trusted:
        sources = add_sources(sources, (SYNC,))
    values["untrusted"] = write_sources(sources)
    if record.kind == "note":
        tags = json.loads(str(values["tags"]))
        values["folded"] = fold(str(values["text"]), [str(tag) for tag in tags])
    stored = {
        name: to_column(value) if isinstance(value, str) and name in _TEXTS else value
        for name, value in values.items()
    }
    _put(connection, table, record.id, stored)
    if record.kind == "appointment":
        _plan(connection, record.id)


_TEXTS = frozenset(("text", "tags", "folded", "title", "prompt", "said"))


def _checked(name: str, value: Any) -> str | float | int | None:
    if name in _SWITCHES:
        return int(bool(value))
    if name in _TIMES:
        if value is None and name not in ("created", "made"):
            return None
        moment = float(value)
        if not 0 <= moment <= LATEST_TIME:  # nor is NaN
            raise ValueError("a time is not possible")
        return moment
    if not isinstance(value, str):
        raise TypeError("a text is expected")
    if name == "due" and value and parse_due(value) is None:
        raise ValueError("a day is not possible")
    return value


def _put(
    connection: sqlite3.Connection,
    table: str,
    uid: str,
    stored: Mapping[str, Stored | float | None],
) -> None:
    there = connection.execute(f"SELECT 1 FROM {table} WHERE uid = ?", (uid,)).fetchone()
    if there:
        names = ", ".join(f"{name} = ?" for name in stored)
        connection.execute(f"UPDATE {table} SET {names} WHERE uid = ?", (*stored.values(), uid))
        return
    named = {**stored, "uid": uid, **({"elsewhere": 1} if table == "appointments" else {})}
    marks = ", ".join("?" for _ in named)
    connection.execute(
        f"INSERT INTO {table} ({', '.join(named)}) VALUES ({marks})", (*named.values(),)
    )


def _plan(connection: sqlite3.Connection, uid: str) -> None:
    """When it comes next on this computer. What passed meanwhile came elsewhere. Raises ValueError,
    TypeError, LookupError and ArithmeticError where the rule makes no sense.
    """
    one = appointments.by_uid(connection, uid)
    now = time.time()
    if one is not None:
        due = appointments.next_of(one, now)
        appointments.settle(connection, one, due, now, own_face())
