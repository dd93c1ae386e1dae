"""This computer's side of syncing the notebook: notes, to-dos and appointments. Timers are not
synced.

An appointment of another computer rings on this one too. The companion's task for it (`prompt`) is
done only on the computer where the appointment was made.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from neodeskpet.core.blocks import LATEST_TIME
from neodeskpet.core.data_labels import (
    DataSource,
    SourceKind,
    add_sources,
    read_sources,
    write_sources,
)
from neodeskpet.core.schedule.due import parse_due
from neodeskpet.notebook import appointment_table as appointments
from neodeskpet.notebook.appointment import local_zone_signature
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.notebook.notebook_tables import LATER_COLUMNS, SYNCED_TABLES
from neodeskpet.notebook.notes import folded_note
from neodeskpet.storage import sync_log
from neodeskpet.storage.database_schema import StoredText, from_column, to_column
from neodeskpet.storage.sync_log import NOTEBOOK_KINDS, RecordVersion, SyncRecord
from neodeskpet.sync.conversation_records import AppliedChanges
from neodeskpet.sync.local_replica import LocalReplica, apply_to_file

_TIME_COLUMNS = frozenset(("created", "done", "deleted", "until", "made"))
_BOOLEAN_COLUMNS = frozenset(("pinned", "paused"))
_LAST_WRITTEN = {
    "note": "created",
    "todo": "max(created, coalesce(done, 0))",
    "appointment": "made",
}
"""The latest possible time of an entry's last change, by kind (unix seconds)."""
SYNC_SOURCE = DataSource(SourceKind.SYNC)


class _NotebookFile:
    def __init__(self, notebook: Notebook) -> None:
        self.change = notebook.change
        self.read = notebook.read
        self.subscribe = notebook.subscribe


class NotebookReplica(LocalReplica):
    """The notebook in sync. All coroutines raise only StoreError. `changed` is called on the loop
    when another computer changed something.
    """

    kinds = NOTEBOOK_KINDS

    def __init__(self, notebook: Notebook, changed: Callable[[], object]) -> None:
        super().__init__(_NotebookFile(notebook), _start, _read_record)
        self._notebook = notebook
        self._changed = changed

    async def collect_pending(self) -> list[SyncRecord]:
        """Return the first records to send."""
        return await self._notebook.change(lambda db: sync_log.collect_pending(db, _read_record))

    async def apply(
        self,
        records: Sequence[SyncRecord],
        cursor: int,
        *,
        more: bool = False,
        trusted: bool = False,
    ) -> AppliedChanges:
        """Write records of other computers and return the effects."""

        gone: list[str] = []

        def work(connection: sqlite3.Connection) -> int:
            def take(record: SyncRecord) -> None:
                _apply_record(connection, record, trusted=trusted)
                if record.version.deleted:
                    gone.append(record.id)

            return apply_to_file(connection, records, cursor, take)

        count = await self._notebook.change(work)
        await self._notebook.erase_copies(gone)
        return AppliedChanges(count=count)

    def notify(self, ids: Sequence[str]) -> None:
        self._changed()


def _start(connection: sqlite3.Connection, device: str) -> None:
    sync_log.start_logging(connection, device)
    for kind, (table, _) in SYNCED_TABLES.items():
        sync_log.log_all(
            connection, kind, f"SELECT uid AS id, {_LAST_WRITTEN[kind]} AS at FROM {table}"
        )


def _read_record(
    connection: sqlite3.Connection, kind: str, one: str, version: RecordVersion, value: str | None
) -> SyncRecord | None:
    """Return the record of the current entry; None if there is none."""
    table, columns = SYNCED_TABLES[kind]
    query = f"SELECT {', '.join(columns)} FROM {table} WHERE uid = ?"
    row = connection.execute(query, (one,)).fetchone()
    if row is None:
        return None
    plain = {
        name: from_column(stored) if isinstance(stored, bytes) else stored
        for name, stored in zip(columns, row, strict=True)
    }
    sources = [source for source in read_sources(plain["untrusted"]) if source != SYNC_SOURCE]
    plain["untrusted"] = write_sources(sources)
    return SyncRecord(kind, one, "", version, sync_log.encode_value(plain))


def _apply_record(connection: sqlite3.Connection, record: SyncRecord, *, trusted: bool) -> None:
    """Write a record. Raises ValueError, TypeError, LookupError and ArithmeticError for impossible
    values.
    """
    table, columns = SYNCED_TABLES[record.kind]
    if record.version.deleted:
        connection.execute(f"DELETE FROM {table} WHERE uid = ?", (record.id,))
        return
    given = sync_log.decode_value(record.value)
    names = [name for name in columns if name in given or name not in LATER_COLUMNS]
    values = {name: _check_value(name, given[name]) for name in names}
    sources = read_sources(values["untrusted"])
    if not trusted:
        sources = add_sources(sources, (SYNC_SOURCE,))
    values["untrusted"] = write_sources(sources)
    if record.kind == "note":
        tags = json.loads(str(values["tags"]))
        values["folded"] = folded_note(str(values["text"]), [str(tag) for tag in tags])
    stored = {
        name: to_column(value) if isinstance(value, str) and name in _TEXT_COLUMNS else value
        for name, value in values.items()
    }
    _put(connection, table, record.id, stored)
    if record.kind == "appointment":
        _next_due(connection, record.id)


_TEXT_COLUMNS = frozenset(("text", "tags", "folded", "title", "prompt", "said"))


def _check_value(name: str, value: Any) -> str | float | int | None:
    if name in _BOOLEAN_COLUMNS:
        return int(bool(value))
    if name in _TIME_COLUMNS:
        if value is None and name not in ("created", "made"):
            return None
        moment = float(value)
        if not 0 <= moment <= LATEST_TIME:  # NaN fails too
            raise ValueError("a time is out of range")
        return moment
    if not isinstance(value, str):
        raise TypeError("a text is expected")
    if name == "due" and value and parse_due(value) is None:
        raise ValueError("a day is not valid")
    return value


def _put(
    connection: sqlite3.Connection,
    table: str,
    uid: str,
    stored: Mapping[str, StoredText | float | None],
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


def _next_due(connection: sqlite3.Connection, uid: str) -> None:
    """Compute the next time on this computer. Past times were handled on the other one. Raises
    ValueError, TypeError, LookupError and ArithmeticError for an invalid rule.
    """
    one = appointments.by_uid(connection, uid)
    now = time.time()
    if one is not None:
        due = appointments.next_of(one, now)
        appointments.set_next_run(connection, one, due, now, local_zone_signature())
