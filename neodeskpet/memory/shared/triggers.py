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

NOW = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000"
DAY = 86_400_000_000
"""Microseconds. A stamp further ahead of this computer's clock does not move its logical clock."""
LATEST_STAMP = 1 << 62
"""Higher stamps are not accepted: no later change could have a higher one."""


def _trigger(name: str, event: str, when: str, *statements: str) -> str:
    """All but those of what came from others are noted."""
    inside = "; ".join((f"UPDATE shared_self SET clock = max(clock + 1, {NOW})", *statements))
    return (
        f"CREATE TRIGGER shared_{name} AFTER {event} "
        f"WHEN EXISTS (SELECT 1 FROM shared_self WHERE applying = 0) AND {when} "
        f"BEGIN {inside}; END;"
    )


def _note(kind: str, named: str, *, gone: int = 0, when: str = "1") -> str:
    """Migrations that are released contain this text; `_later` is what the triggers do now."""
    return (
        "INSERT INTO shared_known (kind, id, stamp, device, gone, waits) "
        f"SELECT '{kind}', {named}, clock, device, {gone}, 1 FROM shared_self WHERE {when} "
        "ON CONFLICT (kind, id) DO UPDATE SET stamp = excluded.stamp, device = excluded.device, "
        "gone = excluded.gone, waits = 1, value = NULL"
    )


def _replaced(triggers: tuple[str, ...]) -> str:
    """The triggers once more, with a stamp that is higher than that of the record's last change.
    A computer whose clock is wrong may have written that; it must not win for ever.
    """
    old = "stamp = excluded.stamp"
    new = "stamp = max(excluded.stamp, shared_known.stamp + 1)"
    names = (trigger.split()[2] for trigger in triggers)
    return "\n".join(
        f"DROP TRIGGER {name}; {trigger.replace(old, new)}"
        for name, trigger in zip(names, triggers, strict=True)
    )


_REPAIR = f"""
        ALTER TABLE shared_self ADD COLUMN token TEXT NOT NULL DEFAULT '';
        UPDATE shared_self SET clock = {NOW}
            WHERE typeof(clock) <> 'integer' OR clock > {NOW} + {DAY};
        DELETE FROM shared_known WHERE typeof(kind) <> 'text' OR typeof(id) <> 'text'
            OR typeof(device) <> 'text' OR typeof(stamp) <> 'integer' OR stamp > {LATEST_STAMP};
        """
"""A server in another encoding than UTF-8, or a broken clock, has left such rows."""


_PLACE = "coalesce(nullif(NEW.parent, ''), NEW.conversation)"

_TABLES = """
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

_CONVERSATION_TRIGGERS = (
    _trigger(
        "conversation_begun",
        "INSERT ON conversations",
        "1",
        _note("conversation", "NEW.id"),
        _note("title", "NEW.id"),
        _note("pinned", "NEW.id", when="NEW.pinned <> 0"),
        _note("archived", "NEW.id", when="NEW.archived <> 0"),
        _note("folder", "NEW.id", when="NEW.folder <> ''"),
    ),
    _trigger(
        "conversation_grown",
        "UPDATE OF created, updated ON conversations",
        "(NEW.updated <> OLD.updated OR NEW.created <> OLD.created)",
        _note("conversation", "NEW.id"),
    ),
    *(
        _trigger(
            f"conversation_{name}",
            f"UPDATE OF {name} ON conversations",
            f"NEW.{name} IS NOT OLD.{name}",
            _note(name, "NEW.id"),
        )
        for name in ("title", "pinned", "archived", "folder")
    ),
    _trigger(
        "conversation_deleted",
        "DELETE ON conversations",
        "1",
        "DELETE FROM shared_known WHERE id = OLD.id "
        "AND kind IN ('title', 'pinned', 'archived', 'folder', 'choice')",
        _note("conversation", "OLD.id", gone=1),
    ),
    _trigger(
        "message_begun",
        "INSERT ON messages",
        "1",
        _note("message", "NEW.id"),
        _note("place", "NEW.id"),
        _note("choice", _PLACE, when="NEW.chosen = 1"),
    ),
    _trigger(
        "message_written",
        "UPDATE OF state, usage, rounds, model, paused, ended, touched ON messages",
        "NEW.state <> 'running' AND NEW.replaced <> 2",
        _note("message", "NEW.id"),
    ),
    _trigger(
        "message_moved",
        "UPDATE OF parent ON messages",
        "NEW.parent IS NOT OLD.parent",
        _note("place", "NEW.id"),
        _note("choice", _PLACE, when="NEW.chosen = 1"),
    ),
    _trigger(
        "message_chosen",
        "UPDATE OF chosen ON messages",
        "NEW.chosen = 1 AND OLD.chosen = 0",
        _note("choice", _PLACE),
    ),
    _trigger(
        "message_deleted",
        "DELETE ON messages",
        "1",
        _note("message", "OLD.id", gone=1),
        "UPDATE shared_known SET value = OLD.parent "
        "WHERE kind = 'place' AND id = OLD.id AND value IS NULL",
    ),
)
CONVERSATIONS = "\n".join((_TABLES, *_CONVERSATION_TRIGGERS))

_FACT_TRIGGERS = (
    _trigger("fact_kept", "INSERT ON facts", "1", _note("fact", "NEW.id")),
    _trigger("fact_changed", "UPDATE ON facts", "1", _note("fact", "NEW.id")),
    _trigger("fact_forgotten", "DELETE ON facts", "1", _note("fact", "OLD.id", gone=1)),
    *(
        _trigger(
            f"source_{name}",
            f"{event} ON fact_sources",
            f"EXISTS (SELECT 1 FROM facts WHERE id = {row}.fact)",
            _note("fact", f"{row}.fact"),
        )
        for name, event, row in (("kept", "INSERT", "NEW"), ("dropped", "DELETE", "OLD"))
    ),
    _trigger("read", "INSERT ON read_for_facts", "1", _note("read", "NEW.message")),
)
FACTS = "\n".join((_TABLES, *_FACT_TRIGGERS))

_BY_HAND = (("pin", "{row}.pinned = 1"), ("correction", "{row}.corrected <> ''"))
"""What of it stands for itself: who pins and who corrects don't meet."""

_BY_HAND_TRIGGERS = (
    *(
        _trigger(
            f"by_hand_{name}",
            f"{event} ON by_hand",
            f"{row}.message <> ''",
            *(_note(kind, f"{row}.item", when=done.format(row=row)) for kind, done in _BY_HAND),
        )
        for name, event, row in (("done", "INSERT", "NEW"), ("undone", "DELETE", "OLD"))
    ),
    *(
        _trigger(
            f"{kind}_changed",
            f"UPDATE OF {columns} ON by_hand",
            f"NEW.message <> '' AND ({differ})",
            _note(kind, "NEW.item"),
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
BY_HAND = "\n".join(
    (
        # A file that is shared already had no such records: they may be on the server by now.
        "UPDATE shared_self SET cursor = 0;",
        *(
            "INSERT OR IGNORE INTO shared_known (kind, id, stamp, device, waits) "
            f"SELECT '{kind}', NEW.item, CAST(NEW.time * 1000 AS INTEGER) * 1000, device, 1 "
            f"FROM by_hand AS NEW, shared_self WHERE NEW.message <> '' "
            f"AND {done.format(row='NEW')};"
            for kind, done in _BY_HAND
        ),
        *_BY_HAND_TRIGGERS,
    )
)

CONVERSATION_STAMPS = _REPAIR + _replaced(_CONVERSATION_TRIGGERS)
MEMORY_STAMPS = _REPAIR + _replaced((*_FACT_TRIGGERS, *_BY_HAND_TRIGGERS))
CLEARED = "\n".join(
    (
        "CREATE TABLE cleared (one INTEGER PRIMARY KEY CHECK (one = 1), until REAL NOT NULL);",
        *(
            _trigger(
                f"memory_cleared_{name}", f"{event} ON cleared", "1", _note("cleared", "'memory'")
            )
            for name, event in (("first", "INSERT"), ("again", "UPDATE"))
        ),
    )
)
"""Until when (unix seconds) the memory was cleared."""
