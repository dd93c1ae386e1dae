"""The log of changes for sync. SQLite triggers write it in the transaction of the change, so no
code path can forget to log a change, and a crash cannot separate the two.

`shared_self` has one row while this computer takes part in sync: `applying` is 1 while changes are
written that must not be logged (they came from another computer, or concern this computer alone),
`token` names the last push to the server that this computer knows. `shared_known` has the latest
stamp of each record. `waits` is 0 (in sync), 1 (to be sent) or 2 (the server refused it). A stamp
is a hybrid logical clock: microseconds of the wall clock, and higher than any earlier stamp of the
same record. `value` holds what a row cannot: the parent of a message and the chosen version, by id,
where these messages are not on this computer. It never holds message text.
"""

from __future__ import annotations

from collections.abc import Sequence

NOW_MICROSECONDS = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000"
DAY_MICROSECONDS = 86_400_000_000
"""Microseconds. A stamp further ahead of this computer's clock does not move its logical clock."""
LATEST_STAMP = 1 << 62
"""Higher stamps are not accepted: no later change could have a higher one."""


def create_trigger(name: str, event: str, when: str, *statements: str) -> str:
    """A trigger that logs changes, except those that came from other computers."""
    inside = "; ".join(
        (f"UPDATE shared_self SET clock = max(clock + 1, {NOW_MICROSECONDS})", *statements)
    )
    return (
        f"CREATE TRIGGER shared_{name} AFTER {event} "
        f"WHEN EXISTS (SELECT 1 FROM shared_self WHERE applying = 0) AND {when} "
        f"BEGIN {inside}; END;"
    )


def log_statement(kind: str, named: str, *, gone: int = 0, when: str = "1") -> str:
    """A statement of a trigger: this record has changed. Released migrations contain this text;
    `renewed` is what triggers do now.
    """
    return (
        "INSERT INTO shared_known (kind, id, stamp, device, gone, waits) "
        f"SELECT '{kind}', {named}, clock, device, {gone}, 1 FROM shared_self WHERE {when} "
        "ON CONFLICT (kind, id) DO UPDATE SET stamp = excluded.stamp, device = excluded.device, "
        "gone = excluded.gone, waits = 1, value = NULL"
    )


def renewed_triggers(triggers: Sequence[str]) -> str:
    """The triggers once more, with a stamp that is higher than that of the record's last change.
    A computer whose clock is wrong may have written that; it must not win for ever.
    """
    return "\n".join(f"DROP TRIGGER {one.split()[2]}; {with_higher_stamp(one)}" for one in triggers)


def with_higher_stamp(text: str) -> str:
    """A trigger that gives a record a higher stamp than its last change had."""
    new = "stamp = max(excluded.stamp, shared_known.stamp + 1)"
    return text.replace("stamp = excluded.stamp", new)


REPAIR_STATEMENTS = f"""
        ALTER TABLE shared_self ADD COLUMN token TEXT NOT NULL DEFAULT '';
        UPDATE shared_self SET clock = {NOW_MICROSECONDS}
            WHERE typeof(clock) <> 'integer' OR clock > {NOW_MICROSECONDS} + {DAY_MICROSECONDS};
        DELETE FROM shared_known WHERE typeof(kind) <> 'text' OR typeof(id) <> 'text'
            OR typeof(device) <> 'text' OR typeof(stamp) <> 'integer' OR stamp > {LATEST_STAMP};
        """
"""A server in another encoding than UTF-8, or a broken clock, has left such rows."""


CHANGE_LOG_TABLES = """
        CREATE TABLE shared_self (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            device TEXT NOT NULL,
            server TEXT NOT NULL DEFAULT '',
            cursor INTEGER NOT NULL DEFAULT 0,
            clock INTEGER NOT NULL DEFAULT 0,
            applying INTEGER NOT NULL DEFAULT 0
        );
        CREATE TABLE shared_known (
            kind TEXT NOT NULL,
            id TEXT NOT NULL,
            stamp INTEGER NOT NULL,
            device TEXT NOT NULL,
            gone INTEGER NOT NULL DEFAULT 0,
            waits INTEGER NOT NULL DEFAULT 0,
            value TEXT,
            PRIMARY KEY (kind, id)
        ) WITHOUT ROWID;
        CREATE INDEX shared_waiting ON shared_known (stamp) WHERE waits = 1;
        """


def with_columns(table: str, kind: str, columns: Sequence[str]) -> str:
    """Statements of a migration: these columns of a shared table are exchanged from now on."""
    return renewed_triggers([_changed(table, kind, columns)])


def _changed(table: str, kind: str, columns: Sequence[str]) -> str:
    changed = " OR ".join(f"NEW.{name} IS NOT OLD.{name}" for name in ("uid", *columns))
    return create_trigger(
        f"{kind}_changed",
        f"UPDATE OF uid, {', '.join(columns)} ON {table}",
        f"NEW.uid <> '' AND ({changed})",
        log_statement(kind, "NEW.uid"),
    )


def sync_table_statements(table: str, kind: str, columns: Sequence[str]) -> str:
    """Statements of a migration: the rows of `table` are records of this kind, with an id that is
    the same on all computers (`uid`). `columns` are exchanged; others stay on the computer.
    """
    uid = "lower(hex(randomblob(16)))"
    log = (
        create_trigger(
            f"{kind}_added", f"INSERT ON {table}", "NEW.uid <> ''", log_statement(kind, "NEW.uid")
        ),
        _changed(table, kind, columns),
        create_trigger(
            f"{kind}_deleted", f"DELETE ON {table}", "1", log_statement(kind, "OLD.uid", gone=1)
        ),
    )
    return "\n".join(
        (
            f"ALTER TABLE {table} ADD COLUMN uid TEXT NOT NULL DEFAULT '';",
            f"UPDATE {table} SET uid = {uid};",
            f"CREATE UNIQUE INDEX {table}_uid ON {table} (uid) WHERE uid <> '';",
            f"CREATE TRIGGER {kind}_uid AFTER INSERT ON {table} WHEN NEW.uid = '' "
            f"BEGIN UPDATE {table} SET uid = {uid} WHERE rowid = NEW.rowid; END;",
            *(with_higher_stamp(one) for one in log),
        )
    )
