"""The log of what changed, written by the database itself in the transaction of the change: no way
of writing can forget it, and no death lies in between.

`shared_self` has its one row while this computer shares its store (`applying` while what came from
others is written), `shared_known` the latest stamp of each record, and whether it waits to be sent.
A stamp is a hybrid logical clock: microseconds of the wall, and always more than any seen before.
`value` holds what a row can't: what a message follows and what was chosen, by id, where that isn't
here. Nothing of a text is in it.
"""

from __future__ import annotations

_NOW = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000"


def _trigger(name: str, event: str, when: str, *statements: str) -> str:
    """All but those of what came from others are noted."""
    inside = "; ".join((f"UPDATE shared_self SET clock = max(clock + 1, {_NOW})", *statements))
    return (
        f"CREATE TRIGGER shared_{name} AFTER {event} "
        f"WHEN EXISTS (SELECT 1 FROM shared_self WHERE applying = 0) AND {when} "
        f"BEGIN {inside}; END;"
    )


def _note(kind: str, named: str, *, gone: int = 0, when: str = "1") -> str:
    return (
        "INSERT INTO shared_known (kind, id, stamp, device, gone, waits) "
        f"SELECT '{kind}', {named}, clock, device, {gone}, 1 FROM shared_self WHERE {when} "
        "ON CONFLICT (kind, id) DO UPDATE SET stamp = excluded.stamp, device = excluded.device, "
        "gone = excluded.gone, waits = 1, value = NULL"
    )


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

CONVERSATIONS = "\n".join(
    (
        _TABLES,
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
)

FACTS = "\n".join(
    (
        _TABLES,
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
)

_BY_HAND = (("pin", "{row}.pinned = 1"), ("correction", "{row}.corrected <> ''"))
"""What of it stands for itself: who pins and who corrects don't meet."""

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
)
