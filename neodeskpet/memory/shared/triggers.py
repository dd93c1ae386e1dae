"""The change log of conversations and of the memory: which changes are logged as which records
(see `database/change_log.py`).
"""

from __future__ import annotations

from neodeskpet.database.change_log import REPAIR, TABLES, note, renewed, replaced, trigger

_PLACE = "coalesce(nullif(NEW.parent, ''), NEW.conversation)"

_CONVERSATION_TRIGGERS = (
    trigger(
        "conversation_begun",
        "INSERT ON conversations",
        "1",
        note("conversation", "NEW.id"),
        note("title", "NEW.id"),
        note("pinned", "NEW.id", when="NEW.pinned <> 0"),
        note("archived", "NEW.id", when="NEW.archived <> 0"),
        note("folder", "NEW.id", when="NEW.folder <> ''"),
    ),
    trigger(
        "conversation_grown",
        "UPDATE OF created, updated ON conversations",
        "(NEW.updated <> OLD.updated OR NEW.created <> OLD.created)",
        note("conversation", "NEW.id"),
    ),
    *(
        trigger(
            f"conversation_{name}",
            f"UPDATE OF {name} ON conversations",
            f"NEW.{name} IS NOT OLD.{name}",
            note(name, "NEW.id"),
        )
        for name in ("title", "pinned", "archived", "folder")
    ),
    trigger(
        "conversation_deleted",
        "DELETE ON conversations",
        "1",
        "DELETE FROM shared_known WHERE id = OLD.id "
        "AND kind IN ('title', 'pinned', 'archived', 'folder', 'choice')",
        note("conversation", "OLD.id", gone=1),
    ),
    trigger(
        "message_begun",
        "INSERT ON messages",
        "1",
        note("message", "NEW.id"),
        note("place", "NEW.id"),
        note("choice", _PLACE, when="NEW.chosen = 1"),
    ),
    trigger(
        "message_written",
        "UPDATE OF state, usage, rounds, model, paused, ended, touched ON messages",
        "NEW.state <> 'running' AND NEW.replaced <> 2",
        note("message", "NEW.id"),
    ),
    trigger(
        "message_moved",
        "UPDATE OF parent ON messages",
        "NEW.parent IS NOT OLD.parent",
        note("place", "NEW.id"),
        note("choice", _PLACE, when="NEW.chosen = 1"),
    ),
    trigger(
        "message_chosen",
        "UPDATE OF chosen ON messages",
        "NEW.chosen = 1 AND OLD.chosen = 0",
        note("choice", _PLACE),
    ),
    trigger(
        "message_deleted",
        "DELETE ON messages",
        "1",
        note("message", "OLD.id", gone=1),
        "UPDATE shared_known SET value = OLD.parent "
        "WHERE kind = 'place' AND id = OLD.id AND value IS NULL",
    ),
)
CONVERSATIONS = "\n".join((TABLES, *_CONVERSATION_TRIGGERS))

_FACT_TRIGGERS = (
    trigger("fact_kept", "INSERT ON facts", "1", note("fact", "NEW.id")),
    trigger("fact_changed", "UPDATE ON facts", "1", note("fact", "NEW.id")),
    trigger("fact_forgotten", "DELETE ON facts", "1", note("fact", "OLD.id", gone=1)),
    *(
        trigger(
            f"source_{name}",
            f"{event} ON fact_sources",
            f"EXISTS (SELECT 1 FROM facts WHERE id = {row}.fact)",
            note("fact", f"{row}.fact"),
        )
        for name, event, row in (("kept", "INSERT", "NEW"), ("dropped", "DELETE", "OLD"))
    ),
    trigger("read", "INSERT ON read_for_facts", "1", note("read", "NEW.message")),
)
FACTS = "\n".join((TABLES, *_FACT_TRIGGERS))

_BY_HAND = (("pin", "{row}.pinned = 1"), ("correction", "{row}.corrected <> ''"))
"""What of it stands for itself: who pins and who corrects don't meet."""

_BY_HAND_TRIGGERS = (
    *(
        trigger(
            f"by_hand_{name}",
            f"{event} ON by_hand",
            f"{row}.message <> ''",
            *(note(kind, f"{row}.item", when=done.format(row=row)) for kind, done in _BY_HAND),
        )
        for name, event, row in (("done", "INSERT", "NEW"), ("undone", "DELETE", "OLD"))
    ),
    *(
        trigger(
            f"{kind}_changed",
            f"UPDATE OF {columns} ON by_hand",
            f"NEW.message <> '' AND ({differ})",
            note(kind, "NEW.item"),
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

CONVERSATION_STAMPS = REPAIR + replaced(_CONVERSATION_TRIGGERS)
MEMORY_STAMPS = REPAIR + replaced((*_FACT_TRIGGERS, *_BY_HAND_TRIGGERS))
CLEARED = "\n".join(
    (
        "CREATE TABLE cleared (one INTEGER PRIMARY KEY CHECK (one = 1), until REAL NOT NULL);",
        *(
            trigger(
                f"memory_cleared_{name}", f"{event} ON cleared", "1", note("cleared", "'memory'")
            )
            for name, event in (("first", "INSERT"), ("again", "UPDATE"))
        ),
    )
)
"""Until when (unix seconds) the memory was cleared."""

_STATE = "CAST(state.value AS TEXT)"
_CHOSEN = f"CASE WHEN json_valid({_STATE}) THEN {_STATE} ELSE '{{}}' END"
_CHARACTER_TRIGGERS = (
    trigger(
        "character_begun",
        "INSERT ON conversations",
        "NEW.character IS NOT NULL",
        note("character", "NEW.id"),
    ),
    trigger(
        "character_chosen",
        "UPDATE OF character ON conversations",
        "NEW.character IS NOT OLD.character",
        note("character", "NEW.id"),
    ),
    trigger(
        "character_dropped",
        "DELETE ON conversations",
        "1",
        "DELETE FROM shared_known WHERE id = OLD.id AND kind = 'character'",
    ),
    *(
        trigger(f"apart_{name}", f"{event} ON apart", "1", note("apart", "NEW.character"))
        for name, event in (("first", "INSERT"), ("again", "UPDATE"))
    ),
)
CHARACTERS = "\n".join(
    (
        "ALTER TABLE conversations ADD COLUMN character TEXT;",
        "CREATE TABLE apart (character TEXT PRIMARY KEY, apart INTEGER NOT NULL);",
        *map(renewed, _CHARACTER_TRIGGERS),
        # Both were in the state of the app before.
        f"""UPDATE conversations SET character = (
            SELECT chosen.value FROM state, json_each({_CHOSEN}, '$.conversations') AS chosen
            WHERE state.key = 'personas.chosen' AND chosen.type = 'text'
            AND chosen.key = conversations.id
        );""",
        f"""INSERT OR IGNORE INTO apart SELECT one.value, 1
            FROM state, json_each({_CHOSEN}, '$.apart') AS one
            WHERE state.key = 'personas.chosen' AND one.type = 'text';
        """,
        # The server may have such records already.
        "UPDATE shared_self SET cursor = 0;",
    )
)
"""Who speaks in a conversation (NULL: nobody was chosen; "": the figure itself), and which
characters have a memory of their own.
"""
