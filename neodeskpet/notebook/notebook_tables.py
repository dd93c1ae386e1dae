"""The tables of the notebook: their migrations, the rescue of damaged ones, and copying rows
between databases. Never change a released migration; add one below it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from neodeskpet.core.errors import StoreError
from neodeskpet.core.i18n import N_
from neodeskpet.storage.change_log import CHANGE_LOG_TABLES, sync_table_statements, with_columns
from neodeskpet.storage.database import DatabaseContent
from neodeskpet.storage.database_salvage import attached_damaged, copy_table
from neodeskpet.storage.database_schema import migrate
from neodeskpet.storage.storage_errors import SalvageCount, create_faults, is_damage


class OldFileDamaged(StoreError):
    """A file of an earlier version was damaged. Params: `file`, its name now."""

    code = "old_file_damaged"
    what = N_(
        "A file with notes or timers of an earlier version was damaged. Its "
        "readable entries were imported."
    )
    hint = N_("The damaged file is kept as {file}.")


FAULTS = create_faults(
    "notebook",
    damaged=N_("The file with the notes and timers was damaged, so a new one was begun."),
    salvaged=N_(
        "The file with the notes and timers was damaged. {saved} of {known} entries could be saved."
    ),
    deleted=N_("The file with the notes and timers was deleted while NeoDeskPet ran."),
    replaced=N_("The file with the notes and timers was replaced by another while NeoDeskPet ran."),
    overwritten=N_("The file with the notes and timers was replaced by something else."),
)


_ORIGINS = "\n".join(
    (
        *(
            f"ALTER TABLE {table} ADD COLUMN untrusted TEXT NOT NULL DEFAULT '';"
            for table in ("notes", "timers", "todos", "appointments")
        ),
        *(
            f"""UPDATE {table} SET untrusted = '[["program", ""]]' WHERE EXISTS (
                SELECT 1 FROM acts WHERE actor LIKE 'program%' AND app = '{app}' AND summary <> ''
                AND instr(replace({column}, char(10), ' '), substr(summary, 1, 60)) = 1
            );"""
            for table, app, column in (
                ("notes", "notes", "notes.text"),
                ("timers", "timers", "timers.label"),
                ("todos", "todo", "todos.text"),
            )
        ),
    )
)

SYNCED_TABLES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "note": ("notes", ("text", "tags", "created", "pinned", "deleted", "untrusted")),
    "todo": ("todos", ("text", "created", "done", "deleted", "untrusted", "due")),
    "appointment": (
        "appointments",
        (
            "title",
            "prompt",
            "said",
            "rule",
            "zone",
            "until",
            "paused",
            "maker",
            "made",
            "deleted",
            "tools",
            "untrusted",
        ),
    ),
}
"""The synced tables and their columns, by the kind of their records."""
LATER_COLUMNS = frozenset(("due",))
"""Columns that computers with an earlier version don't send."""
_FIRST_SHARED = {
    kind: (table, tuple(name for name in columns if name not in LATER_COLUMNS))
    for kind, (table, columns) in SYNCED_TABLES.items()
}

MIGRATIONS: dict[str, str] = {
    # `folded` has the text and tags for the search; `deleted` is the time of deletion.
    "001-notes-and-timers": """
        CREATE TABLE notes (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            text TEXT NOT NULL,
            tags TEXT NOT NULL,
            folded TEXT NOT NULL,
            created REAL NOT NULL,
            pinned INTEGER NOT NULL DEFAULT 0,
            deleted REAL
        );
        CREATE INDEX note_order ON notes (deleted, pinned, id);
        CREATE TABLE timers (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            due REAL NOT NULL,
            label TEXT NOT NULL,
            set_at REAL NOT NULL,
            repeat TEXT NOT NULL
        );
        CREATE INDEX timer_order ON timers (due, id);
    """,
    # The windows that the companion has open, and its actions in them. Neither is salvaged.
    "002-windows-and-acts": """
        CREATE TABLE windows (
            place INTEGER PRIMARY KEY,
            app TEXT NOT NULL,
            target TEXT NOT NULL
        );
        CREATE TABLE acts (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            at REAL NOT NULL,
            actor TEXT NOT NULL,
            app TEXT NOT NULL,
            action TEXT NOT NULL,
            success INTEGER NOT NULL,
            summary TEXT NOT NULL,
            undo TEXT NOT NULL
        );
    """,
    # `done` and `deleted` are times.
    "003-todos": """
        CREATE TABLE todos (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            text TEXT NOT NULL,
            created REAL NOT NULL,
            done REAL,
            deleted REAL
        );
        CREATE INDEX todo_order ON todos (deleted, done, id);
    """,
    # `settled` is the time at which `due` was computed, `face` the zone at that time; `timer` is
    # the last timer that rang for it. Runs aren't salvaged.
    "004-appointments": """
        CREATE TABLE appointments (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            title TEXT NOT NULL,
            prompt TEXT NOT NULL,
            said TEXT NOT NULL,
            rule TEXT NOT NULL,
            zone TEXT NOT NULL,
            until REAL,
            due REAL,
            paused INTEGER NOT NULL DEFAULT 0,
            maker TEXT NOT NULL,
            made REAL NOT NULL,
            settled REAL NOT NULL DEFAULT 0,
            face TEXT NOT NULL DEFAULT '',
            timer INTEGER,
            deleted REAL
        );
        CREATE INDEX appointment_order ON appointments (due, id);
        CREATE TABLE runs (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            appointment INTEGER NOT NULL,
            title TEXT NOT NULL,
            due REAL NOT NULL,
            at REAL NOT NULL,
            outcome TEXT NOT NULL
        );
        CREATE INDEX run_order ON runs (appointment, id);
    """,
    # The names of the tools that its prompt may use, one a line.
    "005-appointment-tools": "ALTER TABLE appointments ADD COLUMN tools TEXT NOT NULL DEFAULT '';",
    # `untrusted` are the untrusted sources of an entry (`core.data_labels.write_sources`). For
    # entries of other programs the log has the source.
    "006-origins": _ORIGINS,
    # `uid` is the id of an entry on all computers. `elsewhere`: the appointment was created on
    # another computer, which also runs its prompt.
    "007-sync": "\n".join(
        (
            "ALTER TABLE appointments ADD COLUMN elsewhere INTEGER NOT NULL DEFAULT 0;",
            CHANGE_LOG_TABLES,
            "ALTER TABLE shared_self ADD COLUMN token TEXT NOT NULL DEFAULT '';",
            *(
                sync_table_statements(table, kind, names)
                for kind, (table, names) in _FIRST_SHARED.items()
            ),
        )
    ),
    # `due` is the text of a `core.schedule.due.Due`, '' for none.
    "008-todo-due": "\n".join(
        (
            "ALTER TABLE todos ADD COLUMN due TEXT NOT NULL DEFAULT '';",
            with_columns("todos", "todo", SYNCED_TABLES["todo"][1]),
        )
    ),
    # `remaining` are the seconds that are left of a paused timer, NULL while it runs.
    "009-paused-timers": "ALTER TABLE timers ADD COLUMN remaining REAL;",
    # Durations that were set lately, with the time of the last one. They aren't salvaged.
    "010-recent-timers": """
        CREATE TABLE recent_timers (
            label TEXT NOT NULL,
            seconds INTEGER NOT NULL,
            at REAL NOT NULL,
            PRIMARY KEY (label, seconds)
        );
    """,
}

NOTE = "id, text, tags, folded, created, pinned, deleted, untrusted"
TIMER = "id, due, label, set_at, repeat, untrusted, remaining"
TODO = "id, text, created, done, deleted, untrusted, due"
APPOINTMENT = (
    "id, title, prompt, said, rule, zone, until, due, paused, maker, made, deleted, tools, "
    "untrusted"
)

_SAME = {
    "notes": "text = ? AND created = ?",
    "timers": "label = ? AND set_at = ? AND due = ?",
    "todos": "text = ? AND created = ?",
    "appointments": "title = ? AND made = ?",
}
_KEY = {
    "notes": ("text", "created"),
    "timers": ("label", "set_at", "due"),
    "todos": ("text", "created"),
    "appointments": ("title", "made"),
}
_ORDER = {
    "notes": "note_order",
    "timers": "timer_order",
    "todos": "todo_order",
    "appointments": "appointment_order",
}
_MERGED = (
    ("notes", NOTE),
    ("timers", TIMER),
    ("todos", TODO),
    ("appointments", APPOINTMENT),
)

Row = tuple[Any, ...]

KEPT_SECONDS = 30 * 86_400
"""How long a deleted entry can be restored, in seconds."""

_EXPIRED = {
    "notes": "deleted < :before",
    "todos": "deleted < :before",
    "appointments": "deleted < :before OR (due IS NULL AND NOT paused AND settled < :before)",
}


def purge(connection: sqlite3.Connection, before: float) -> list[str]:
    """Delete permanently what was deleted before this time (Unix seconds), and appointments that
    were over before it. Return the `uid` of each deleted entry.
    """
    gone = []
    for table, where in _EXPIRED.items():
        query = f"DELETE FROM {table} WHERE {where} RETURNING uid"
        gone += [uid for (uid,) in connection.execute(query, {"before": before}).fetchall()]
    return gone


def erase_in_copy(connection: sqlite3.Connection, uids: Sequence[str]) -> None:
    """Delete these entries in a copy of the file. The log of changes for sync must not name them
    either: a copy that still contains a `uid` is removed.
    """
    ids = [(uid,) for uid in uids]
    for table in _EXPIRED:
        connection.executemany(f"DELETE FROM {table} WHERE uid = ?", ids)
    connection.executemany("DELETE FROM shared_known WHERE id = ?", ids)


def put_missing(connection: sqlite3.Connection, table: str, names: str, rows: Iterable[Row]) -> int:
    """Add the missing ones of `rows` (columns `names`, the id first) to `table`, in the caller's
    transaction, with their ids if those are free. Return how many were added. A second call adds
    nothing.
    """
    columns = names.split(", ")
    marks = ", ".join("?" for _ in columns)
    added = 0
    for row in rows:
        key = tuple(row[columns.index(name)] for name in _KEY[table])
        there = f"SELECT 1 FROM {table} WHERE {_SAME[table]}"
        if connection.execute(there, key).fetchone() is not None:
            continue
        taken = connection.execute(f"SELECT 1 FROM {table} WHERE id = ?", row[:1]).fetchone()
        values = (None, *row[1:]) if taken else row
        connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", values)
        added += 1
    return added


def _prepare(connection: sqlite3.Connection, path: Path | None) -> None:
    migrate(connection, path, MIGRATIONS)


def _salvage(damaged: Path, fresh: sqlite3.Connection) -> SalvageCount:
    with attached_damaged(fresh, damaged) as readable:
        if not readable:
            return SalvageCount()
        for table in _ORDER:
            copy_table(fresh, table)
        whole = known = 0
        for table, index in _ORDER.items():
            saved = _count(fresh, f"main.{table}")
            whole += saved
            there = _is_there(fresh, table)
            listed = f"damaged.{table} INDEXED BY {index}"
            known += max(saved, _count(fresh, listed) if there else 0)
        return SalvageCount(whole, known)


def _is_there(connection: sqlite3.Connection, table: str) -> bool:
    """Return whether the damaged file has a table: an earlier version has fewer."""
    query = "SELECT 1 FROM pragma_table_info(?, 'damaged')"
    return connection.execute(query, (table,)).fetchone() is not None


def _count(connection: sqlite3.Connection, source: str) -> int:
    """Return the number of rows that can be counted."""
    try:
        (number,) = connection.execute(f"SELECT count(*) FROM {source}").fetchone()
    except sqlite3.Error as error:
        if not is_damage(error):
            raise
        return 0
    return int(number)


def _merge(ours: sqlite3.Connection, theirs: sqlite3.Connection) -> int:
    return sum(
        put_missing(theirs, table, names, ours.execute(f"SELECT {names} FROM {table}").fetchall())
        for table, names in _MERGED
    )


NOTEBOOK_CONTENT = DatabaseContent(_prepare, _salvage, _merge, FAULTS)
