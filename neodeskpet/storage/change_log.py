"""The log of changes for sync, written by SQLite triggers in the transaction of the change.

No code path can forget to log a change, and a crash cannot separate the two. The triggers of
conversations, facts and user edits are here; released migrations contain their text.
"""

from __future__ import annotations

from collections.abc import Sequence

NOW_MICROSECONDS = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000"
DAY_MICROSECONDS = 86_400_000_000
"""A stamp that is more than a day ahead of this computer's clock does not move its logical clock.
In microseconds.
"""
LATEST_STAMP = 1 << 62
"""Higher stamps are not accepted: no later change could have a higher one."""


def create_trigger(name: str, event: str, when: str, *statements: str) -> str:
    """Return a trigger that logs changes, except those of other computers."""
    inside = "; ".join(
        (f"UPDATE shared_self SET clock = max(clock + 1, {NOW_MICROSECONDS})", *statements)
    )
    return (
        f"CREATE TRIGGER shared_{name} AFTER {event} "
        f"WHEN EXISTS (SELECT 1 FROM shared_self WHERE applying = 0) AND {when} "
        f"BEGIN {inside}; END;"
    )


def log_statement(kind: str, named: str, *, gone: int = 0, when: str = "1") -> str:
    """Return a trigger's statement that logs a change of this record. Released migrations contain
    this text; `renewed_triggers` is what triggers use now.
    """
    return (
        "INSERT INTO shared_known (kind, id, stamp, device, gone, waits) "
        f"SELECT '{kind}', {named}, clock, device, {gone}, 1 FROM shared_self WHERE {when} "
        "ON CONFLICT (kind, id) DO UPDATE SET stamp = excluded.stamp, device = excluded.device, "
        "gone = excluded.gone, waits = 1, value = NULL"
    )


def renewed_triggers(triggers: Sequence[str]) -> str:
    """Return the triggers with a stamp that is higher than that of the record's last change: a
    computer with a wrong clock may have made that change, and it must not win forever.
    """
    return "\n".join(f"DROP TRIGGER {one.split()[2]}; {with_higher_stamp(one)}" for one in triggers)


def with_higher_stamp(text: str) -> str:
    """Return a trigger with a higher stamp than the record's last change."""
    new = "stamp = max(excluded.stamp, shared_known.stamp + 1)"
    return text.replace("stamp = excluded.stamp", new)


REPAIR_STATEMENTS = f"""
        ALTER TABLE shared_self ADD COLUMN token TEXT NOT NULL DEFAULT '';
        UPDATE shared_self SET clock = {NOW_MICROSECONDS}
            WHERE typeof(clock) <> 'integer' OR clock > {NOW_MICROSECONDS} + {DAY_MICROSECONDS};
        DELETE FROM shared_known WHERE typeof(kind) <> 'text' OR typeof(id) <> 'text'
            OR typeof(device) <> 'text' OR typeof(stamp) <> 'integer' OR stamp > {LATEST_STAMP};
        """
"""Repairs rows from a server with another encoding than UTF-8, or from a computer with a wrong
clock.
"""


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
    """Return the statements of a migration that makes these columns of a shared table synced."""
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
    """Return the statements of a migration that makes the rows of `table` records of this kind,
    with an id that is the same on all computers (`uid`). `columns` are synced; others stay on the
    computer.
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


_PLACE_KEY = "coalesce(nullif(NEW.parent, ''), NEW.conversation)"

_CONVERSATION_TRIGGERS = (
    create_trigger(
        "conversation_begun",
        "INSERT ON conversations",
        "1",
        log_statement("conversation", "NEW.id"),
        log_statement("title", "NEW.id"),
        log_statement("pinned", "NEW.id", when="NEW.pinned <> 0"),
        log_statement("archived", "NEW.id", when="NEW.archived <> 0"),
        log_statement("folder", "NEW.id", when="NEW.folder <> ''"),
    ),
    create_trigger(
        "conversation_grown",
        "UPDATE OF created, updated ON conversations",
        "(NEW.updated <> OLD.updated OR NEW.created <> OLD.created)",
        log_statement("conversation", "NEW.id"),
    ),
    *(
        create_trigger(
            f"conversation_{name}",
            f"UPDATE OF {name} ON conversations",
            f"NEW.{name} IS NOT OLD.{name}",
            log_statement(name, "NEW.id"),
        )
        for name in ("title", "pinned", "archived", "folder")
    ),
    create_trigger(
        "conversation_deleted",
        "DELETE ON conversations",
        "1",
        "DELETE FROM shared_known WHERE id = OLD.id "
        "AND kind IN ('title', 'pinned', 'archived', 'folder', 'choice')",
        log_statement("conversation", "OLD.id", gone=1),
    ),
    create_trigger(
        "message_begun",
        "INSERT ON messages",
        "1",
        log_statement("message", "NEW.id"),
        log_statement("place", "NEW.id"),
        log_statement("choice", _PLACE_KEY, when="NEW.chosen = 1"),
    ),
    create_trigger(
        "message_written",
        "UPDATE OF state, usage, rounds, model, paused, ended, touched ON messages",
        "NEW.state <> 'running' AND NEW.replaced <> 2",
        log_statement("message", "NEW.id"),
    ),
    create_trigger(
        "message_moved",
        "UPDATE OF parent ON messages",
        "NEW.parent IS NOT OLD.parent",
        log_statement("place", "NEW.id"),
        log_statement("choice", _PLACE_KEY, when="NEW.chosen = 1"),
    ),
    create_trigger(
        "message_chosen",
        "UPDATE OF chosen ON messages",
        "NEW.chosen = 1 AND OLD.chosen = 0",
        log_statement("choice", _PLACE_KEY),
    ),
    create_trigger(
        "message_deleted",
        "DELETE ON messages",
        "1",
        log_statement("message", "OLD.id", gone=1),
        "UPDATE shared_known SET value = OLD.parent "
        "WHERE kind = 'place' AND id = OLD.id AND value IS NULL",
    ),
)
CONVERSATION_LOG = "\n".join((CHANGE_LOG_TABLES, *_CONVERSATION_TRIGGERS))

_FACT_TRIGGERS = (
    create_trigger("fact_kept", "INSERT ON facts", "1", log_statement("fact", "NEW.id")),
    create_trigger("fact_changed", "UPDATE ON facts", "1", log_statement("fact", "NEW.id")),
    create_trigger(
        "fact_forgotten", "DELETE ON facts", "1", log_statement("fact", "OLD.id", gone=1)
    ),
    *(
        create_trigger(
            f"source_{name}",
            f"{event} ON fact_sources",
            f"EXISTS (SELECT 1 FROM facts WHERE id = {row}.fact)",
            log_statement("fact", f"{row}.fact"),
        )
        for name, event, row in (("kept", "INSERT", "NEW"), ("dropped", "DELETE", "OLD"))
    ),
    create_trigger("read", "INSERT ON read_for_facts", "1", log_statement("read", "NEW.message")),
)
FACT_LOG = "\n".join((CHANGE_LOG_TABLES, *_FACT_TRIGGERS))

_USER_EDIT_KINDS = (("pin", "{row}.pinned = 1"), ("correction", "{row}.corrected <> ''"))
"""The user edits that are separate records, so that a pin and a correction don't conflict."""

_USER_EDIT_TRIGGERS = (
    *(
        create_trigger(
            f"by_hand_{name}",
            f"{event} ON by_hand",
            f"{row}.message <> ''",
            *(
                log_statement(kind, f"{row}.item", when=done.format(row=row))
                for kind, done in _USER_EDIT_KINDS
            ),
        )
        for name, event, row in (("done", "INSERT", "NEW"), ("undone", "DELETE", "OLD"))
    ),
    *(
        create_trigger(
            f"{kind}_changed",
            f"UPDATE OF {columns} ON by_hand",
            f"NEW.message <> '' AND ({differ})",
            log_statement(kind, "NEW.item"),
        )
        for kind, columns, differ in (
            ("pin", "pinned", "NEW.pinned <> OLD.pinned"),
            (
                "correction",
                "said, corrected",
                "NEW.corrected <> OLD.corrected OR NEW.said <> OLD.said",
            ),
        )
    ),
)
USER_EDIT_LOG = "\n".join(
    (
        # A file that was already synced had no such records; the server may have them by now.
        "UPDATE shared_self SET cursor = 0;",
        *(
            "INSERT OR IGNORE INTO shared_known (kind, id, stamp, device, waits) "
            f"SELECT '{kind}', NEW.item, CAST(NEW.time * 1000 AS INTEGER) * 1000, device, 1 "
            f"FROM by_hand AS NEW, shared_self WHERE NEW.message <> '' "
            f"AND {done.format(row='NEW')};"
            for kind, done in _USER_EDIT_KINDS
        ),
        *_USER_EDIT_TRIGGERS,
    )
)

CONVERSATION_STAMPS = REPAIR_STATEMENTS + renewed_triggers(_CONVERSATION_TRIGGERS)
MEMORY_STAMPS = REPAIR_STATEMENTS + renewed_triggers((*_FACT_TRIGGERS, *_USER_EDIT_TRIGGERS))
CLEARED_LOG = "\n".join(
    (
        "CREATE TABLE cleared (one INTEGER PRIMARY KEY CHECK (one = 1), until REAL NOT NULL);",
        *(
            create_trigger(
                f"memory_cleared_{name}",
                f"{event} ON cleared",
                "1",
                log_statement("cleared", "'memory'"),
            )
            for name, event in (("first", "INSERT"), ("again", "UPDATE"))
        ),
    )
)
"""Logs until when (unix seconds) the memory was cleared."""

_STATE_TEXT = "CAST(state.value AS TEXT)"
_CHOICES_JSON = f"CASE WHEN json_valid({_STATE_TEXT}) THEN {_STATE_TEXT} ELSE '{{}}' END"
_CHARACTER_TRIGGERS = (
    create_trigger(
        "character_begun",
        "INSERT ON conversations",
        "NEW.character IS NOT NULL",
        log_statement("character", "NEW.id"),
    ),
    create_trigger(
        "character_chosen",
        "UPDATE OF character ON conversations",
        "NEW.character IS NOT OLD.character",
        log_statement("character", "NEW.id"),
    ),
    create_trigger(
        "character_dropped",
        "DELETE ON conversations",
        "1",
        "DELETE FROM shared_known WHERE id = OLD.id AND kind = 'character'",
    ),
    *(
        create_trigger(
            f"apart_{name}", f"{event} ON apart", "1", log_statement("apart", "NEW.character")
        )
        for name, event in (("first", "INSERT"), ("again", "UPDATE"))
    ),
)
CHARACTER_LOG = "\n".join(
    (
        "ALTER TABLE conversations ADD COLUMN character TEXT;",
        "CREATE TABLE apart (character TEXT PRIMARY KEY, apart INTEGER NOT NULL);",
        *map(with_higher_stamp, _CHARACTER_TRIGGERS),
        # Both were in the state of the app before.
        f"""UPDATE conversations SET character = (
            SELECT chosen.value FROM state, json_each({_CHOICES_JSON}, '$.conversations') AS chosen
            WHERE state.key = 'personas.chosen' AND chosen.type = 'text'
            AND chosen.key = conversations.id
        );""",
        f"""INSERT OR IGNORE INTO apart SELECT one.value, 1
            FROM state, json_each({_CHOICES_JSON}, '$.apart') AS one
            WHERE state.key = 'personas.chosen' AND one.type = 'text';
        """,
        # The server may have such records already.
        "UPDATE shared_self SET cursor = 0;",
    )
)
"""Logs the character of a conversation (NULL: none was chosen; "": the figure itself), and the
characters with a memory of their own.
"""
