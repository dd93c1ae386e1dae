"""The change log of conversations and of the memory: which changes are logged as which records
(see `database/change_log.py`).
"""

from __future__ import annotations

from neodeskpet.database.change_log import (
    CHANGE_LOG_TABLES,
    REPAIR_STATEMENTS,
    create_trigger,
    log_statement,
    renewed_triggers,
    with_higher_stamp,
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
"""What of it stands for itself: who pins and who corrects don't meet."""

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
        # A file that is shared already had no such records: they may be on the server by now.
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
"""Until when (unix seconds) the memory was cleared."""

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
"""Who speaks in a conversation (NULL: nobody was chosen; "": the figure itself), and which
characters have a memory of their own.
"""
