"""The schema of the memory database.

`items` are the texts that were said, literally, with their terms (and the user's correction, if
any); `found` is their index without a copy of the text. `by_hand` has the user's edits of items,
also of items that don't exist here yet; the columns in `items` are derived from it. `facts` are
facts about the user, `fact_sources` their messages, `read_for_facts` the messages that give no more
facts, `told_facts` the facts in the context of each reply. `seen` has the processed messages and
their write times. `forgotten` has only the ids of deleted texts that must never return; `recalled`
the items in the context of each reply, by ids. Never change a released migration; add a new one
below it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path

from neodeskpet.core.i18n import N_
from neodeskpet.memory.facts.fact_rows import delete_facts_of_messages, put_fact, read_facts
from neodeskpet.memory.recall import user_edits
from neodeskpet.memory.recall.memory_index import (
    INDEX_TABLES,
    ITEM_TABLE_START,
    ORIGINAL_ITEM_COLUMNS,
    add_items,
    item_of,
    prepare_index,
    rebuild_index,
    reindex_item,
    remove_items,
)
from neodeskpet.storage import change_log as triggers
from neodeskpet.storage.database import DatabaseContent
from neodeskpet.storage.database_salvage import attached_damaged, copy_table
from neodeskpet.storage.database_schema import from_column, migrate
from neodeskpet.storage.storage_errors import SalvageCount, create_faults

MEMORY_FILE = "memory.db"

_EDITS_FROM_ITEMS = """
    INSERT OR IGNORE INTO by_hand (item, message, conversation, pinned, said, corrected, time)
    SELECT id, message, conversation, pinned, CASE corrected WHEN '' THEN '' ELSE text END,
        corrected, time
    FROM items WHERE pinned <> 0 OR corrected <> ''
"""

MEMORY_MIGRATIONS: dict[str, str] = {
    "001-memory": f"""
        {ITEM_TABLE_START}
            corrects INTEGER NOT NULL,
            asks INTEGER NOT NULL,
            pinned INTEGER NOT NULL DEFAULT 0
        );
        CREATE INDEX items_by_message ON items (message) WHERE message <> '';
        {INDEX_TABLES}
        CREATE TABLE seen (message TEXT PRIMARY KEY, touched REAL NOT NULL);
    """,
    "002-facts": """
        ALTER TABLE items ADD COLUMN corrected TEXT NOT NULL DEFAULT '';
        CREATE TABLE facts (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            text TEXT NOT NULL,
            topic TEXT NOT NULL DEFAULT '',
            value TEXT NOT NULL DEFAULT '',
            time REAL NOT NULL,
            pinned INTEGER NOT NULL DEFAULT 0,
            own INTEGER NOT NULL DEFAULT 0,
            rival TEXT NOT NULL DEFAULT ''
        );
        CREATE TABLE fact_sources (
            fact TEXT NOT NULL,
            message TEXT NOT NULL,
            conversation TEXT NOT NULL,
            PRIMARY KEY (fact, message)
        );
        CREATE INDEX facts_of_messages ON fact_sources (message);
        CREATE TABLE read_for_facts (message TEXT PRIMARY KEY);
        CREATE TABLE told_facts (
            reply TEXT NOT NULL,
            place INTEGER NOT NULL,
            fact TEXT NOT NULL,
            PRIMARY KEY (reply, place)
        );
        CREATE INDEX told_by_fact ON told_facts (fact);
    """,
    "003-sharing": triggers.FACT_LOG,
    # These letters are now normalized without strokes and accents: their messages are indexed
    # again.
    "004-letters": """
        DELETE FROM seen WHERE message IN (
            SELECT message FROM items WHERE text GLOB '*[øØłŁđĐðÐħĦıæÆœŒþÞḀ-ỿ]*'
        );
    """,
    "005-by-hand": f"""
        CREATE TABLE by_hand (
            item TEXT PRIMARY KEY,
            message TEXT NOT NULL,
            conversation TEXT NOT NULL,
            pinned INTEGER NOT NULL DEFAULT 0,
            said TEXT NOT NULL DEFAULT '',
            corrected TEXT NOT NULL DEFAULT '',
            time REAL NOT NULL
        );
        CREATE INDEX by_hand_of_messages ON by_hand (message);
        {_EDITS_FROM_ITEMS};
        {triggers.USER_EDIT_LOG}
    """,
    # Since this version: questions are separated from statements, years are terms, and so is
    # "e-mail" as one word.
    "006-questions": """
        DELETE FROM seen WHERE message IN (
            SELECT message FROM items WHERE text GLOB '*[?？吗呢]*'
            OR text GLOB '*[A-Za-z]-[A-Za-z]*' OR text GLOB '*year*' OR text GLOB '*年*'
            OR text GLOB '*[12][0-9][0-9][0-9]*'
        );
    """,
    # Since this version lunar festivals are days.
    "007-feasts": """
        DELETE FROM seen WHERE message IN (
            SELECT message FROM items WHERE text GLOB '*除夕*' OR text GLOB '*年三十*'
            OR text GLOB '*春节*' OR text GLOB '*大年初*' OR text GLOB '*元宵*'
            OR text LIKE '%new year%' OR text LIKE '%spring festival%'
        );
    """,
    # `untrusted`: a flag for an item, the untrusted sources for a fact. Messages of
    # archives have version 5 UUIDs; items without a message were imported.
    "008-origins": """
        ALTER TABLE items ADD COLUMN untrusted INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE facts ADD COLUMN untrusted TEXT NOT NULL DEFAULT '';
        UPDATE items SET untrusted = 1
        WHERE side = 'tool' OR message = '' OR substr(message, 15, 1) = '5';
    """,
    "009-sync-stamps": triggers.MEMORY_STAMPS,
    "010-cleared": triggers.CLEARED_LOG,
    # The correction came unencrypted from the sync server: others may have written it.
    "011-synced-corrections": """
        ALTER TABLE by_hand ADD COLUMN synced INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE items ADD COLUMN synced INTEGER NOT NULL DEFAULT 0;
    """,
}

MEMORY_FAULTS = create_faults(
    "memory",
    damaged=N_("The memory file was damaged, so a new one was created."),
    salvaged=N_("The memory file was damaged. {saved} of {known} entries could be recovered."),
    deleted=N_("The memory file was deleted while NeoDeskPet was running."),
    replaced=N_("The memory file was replaced by another one while NeoDeskPet was running."),
    overwritten=N_("The memory file was replaced by something else."),
    rewritten=N_("The memory file was rebuilt; the other file is kept as {file}."),
)


_SALVAGED_TABLES = (
    "seen",
    "forgotten",
    "recalled",
    "by_hand",
    "facts",
    "fact_sources",
    "read_for_facts",
    "told_facts",
)


def prepare_memory(connection: sqlite3.Connection, path: Path | None) -> None:
    migrate(connection, path, MEMORY_MIGRATIONS)
    prepare_index(connection)


def salvage_memory(damaged: Path, fresh: sqlite3.Connection) -> SalvageCount:
    """Copy the readable content of `damaged`; the index is rebuilt from it."""
    with attached_damaged(fresh, damaged) as readable:
        if not readable:
            return SalvageCount()
        whole = [copy_table(fresh, table) for table in ("items", *_SALVAGED_TABLES)]
    fresh.execute("DELETE FROM items WHERE id IN (SELECT id FROM forgotten)")
    fresh.execute(_EDITS_FROM_ITEMS)
    count, last = rebuild_index(fresh)
    (facts,) = fresh.execute("SELECT count(*) FROM facts").fetchone()
    orphan = "fact NOT IN (SELECT id FROM facts)"
    (lost,) = fresh.execute(
        f"SELECT count(DISTINCT fact) FROM fact_sources WHERE {orphan}"
    ).fetchone()
    fresh.execute(f"DELETE FROM fact_sources WHERE {orphan}")
    known = count if whole[0] else max(count, last)
    return SalvageCount(count + facts, known + facts + lost)


def merge_memory(ours: sqlite3.Connection, theirs: sqlite3.Connection) -> int:
    """Add content that only `ours` has to `theirs`, and remove items that were deleted here; return
    the number of added items.
    """
    forgotten = ours.execute("SELECT id, time FROM forgotten").fetchall()
    theirs.executemany("INSERT OR IGNORE INTO forgotten VALUES (?, ?)", forgotten)
    gone = [from_column(one) for one, _ in forgotten]
    remove_items(theirs, gone)
    delete_facts_of_messages(theirs, gone)
    facts = {fact.id for fact in read_facts(theirs)}
    for fact in read_facts(ours):
        if fact.id not in facts:
            put_fact(theirs, fact)
    there = {one for (one,) in theirs.execute("SELECT id FROM items")}
    for one in _merge_user_edits(ours, theirs, gone):
        reindex_item(theirs, one)
    rows = ours.execute(f"SELECT {ORIGINAL_ITEM_COLUMNS} FROM items ORDER BY number")
    return add_items(theirs, [item_of(row) for row in rows if row[1] not in there])


def _merge_user_edits(
    ours: sqlite3.Connection, theirs: sqlite3.Connection, gone: Iterable[str]
) -> list[str]:
    """Merge edits that exist only here; return their items."""
    there = {one for (one,) in theirs.execute("SELECT item FROM by_hand")}
    forgotten = set(gone)
    found = []
    for (one,) in ours.execute("SELECT item FROM by_hand"):
        done, item = user_edits.read_edit(ours, from_column(one)), from_column(one)
        if one not in there and not {item, done.message} & forgotten:
            user_edits.put_edit(theirs, item, done)
            found.append(item)
    return found


MEMORY_CONTENT = DatabaseContent(prepare_memory, salvage_memory, merge_memory, MEMORY_FAULTS)
