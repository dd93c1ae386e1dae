"""Facts as rows in the memory database. All functions run inside the caller's transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from neodeskpet.core.data_labels import read_sources, write_sources
from neodeskpet.memory.facts.fact import Fact, FactClaim, FactSource
from neodeskpet.storage.database_schema import from_column, to_column
from neodeskpet.storage.sync_log import without_logging

MAX_FACTS = 2000
"""Highest number of facts. Beyond it the oldest one that is neither pinned nor written by the user
is deleted.
"""
_FACT_COLUMNS = "id, text, topic, value, time, pinned, own, rival, untrusted"
_EPOCH = datetime(1970, 1, 1)


def read_facts(connection: sqlite3.Connection) -> list[Fact]:
    """Return all facts: pinned ones first, then the most recently said."""
    rows = connection.execute(
        f"SELECT {_FACT_COLUMNS} FROM facts ORDER BY pinned DESC, time DESC, number"
    )
    sources: dict[str, list[FactSource]] = {}
    for fact, message, conversation in connection.execute(
        "SELECT fact, message, conversation FROM fact_sources ORDER BY rowid"
    ):
        sources.setdefault(fact, []).append(FactSource(message, conversation))
    return [_to_fact(row, sources.get(row[0], ())) for row in rows.fetchall()]


def read_fact(connection: sqlite3.Connection, fact: str) -> Fact | None:
    """Return the fact with this id."""
    row = connection.execute(f"SELECT {_FACT_COLUMNS} FROM facts WHERE id = ?", (fact,)).fetchone()
    query = "SELECT message, conversation FROM fact_sources WHERE fact = ? ORDER BY rowid"
    sources = (FactSource(*one) for one in connection.execute(query, (fact,)))
    return None if row is None else _to_fact(row, sources)


def _to_fact(row: Sequence[object], sources: Iterable[FactSource]) -> Fact:
    one, text, topic, value, time, pinned, own, rival, untrusted = row
    return Fact(
        str(one),
        from_column(text),  # type: ignore[arg-type]
        datetime.fromtimestamp(float(time), UTC).replace(tzinfo=None),  # type: ignore[arg-type]
        FactClaim(str(topic), str(value)),
        tuple(sources),
        bool(pinned),
        bool(own),
        str(rival),
        read_sources(untrusted),
    )


def put_fact(connection: sqlite3.Connection, fact: Fact) -> None:
    """Insert or replace a fact."""
    connection.execute(
        f"INSERT INTO facts ({_FACT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (id) DO UPDATE SET text = excluded.text, topic = excluded.topic, "
        "value = excluded.value, time = excluded.time, pinned = excluded.pinned, "
        "own = excluded.own, rival = excluded.rival, untrusted = excluded.untrusted",
        (
            fact.id,
            to_column(fact.text),
            fact.claim.topic,
            fact.claim.value,
            fact.time.replace(tzinfo=UTC).timestamp(),
            int(fact.pinned),
            int(fact.by_user),
            fact.conflicting_id,
            write_sources(fact.untrusted),
        ),
    )
    connection.executemany(
        "INSERT OR IGNORE INTO fact_sources VALUES (?, ?, ?)",
        [(fact.id, one.message, one.conversation) for one in fact.sources],
    )


def delete_oldest_facts(connection: sqlite3.Connection, most: int = MAX_FACTS) -> list[str]:
    """Delete the oldest facts beyond the limit and return their ids. Sync doesn't treat this as a
    deletion.
    """
    rows = connection.execute(
        "SELECT id FROM facts WHERE pinned = 0 AND own = 0 ORDER BY time DESC LIMIT -1 OFFSET ?",
        (most,),
    )
    with without_logging(connection):
        return delete_facts(connection, [one for (one,) in rows.fetchall()])


def delete_facts(connection: sqlite3.Connection, ids: Sequence[str]) -> list[str]:
    """Delete facts; return the ids of those that existed."""
    gone = []
    for one in ids:
        found = connection.execute("DELETE FROM facts WHERE id = ?", (one,))
        if found.rowcount:
            gone.append(one)
        connection.execute("DELETE FROM fact_sources WHERE fact = ?", (one,))
        connection.execute("DELETE FROM told_facts WHERE fact = ?", (one,))
        connection.execute("UPDATE facts SET rival = '' WHERE rival = ?", (one,))
    return gone


def mark_read(connection: sqlite3.Connection, messages: Iterable[str]) -> None:
    """Mark messages as processed, so that they give no more facts."""
    connection.executemany(
        "INSERT OR IGNORE INTO read_for_facts VALUES (?)", [(one,) for one in messages]
    )


def is_read(connection: sqlite3.Connection, message: str) -> bool:
    query = "SELECT 1 FROM read_for_facts WHERE message = ?"
    return connection.execute(query, (message,)).fetchone() is not None


def read_fact_sources(connection: sqlite3.Connection, fact: str) -> list[str]:
    """Return the messages that are the sources of a fact."""
    query = "SELECT message FROM fact_sources WHERE fact = ?"
    return [message for (message,) in connection.execute(query, (fact,))]


def delete_facts_of_messages(connection: sqlite3.Connection, messages: Sequence[str]) -> list[str]:
    """Delete every fact with any of these forgotten messages as a source, even if it has others.
    Returns the ids of the facts.
    """
    found: dict[str, None] = {}
    for one in messages:
        rows = connection.execute("SELECT fact FROM fact_sources WHERE message = ?", (one,))
        found |= dict.fromkeys(fact for (fact,) in rows.fetchall())
    return delete_facts(connection, [*found])


def remove_message_sources(connection: sqlite3.Connection, messages: Sequence[str]) -> list[str]:
    """Remove messages that no longer exist as sources. Facts without sources are deleted, unless
    the user pinned or wrote them. Returns the ids of the deleted facts.
    """
    touched: dict[str, None] = {}
    for one in messages:
        rows = connection.execute("SELECT fact FROM fact_sources WHERE message = ?", (one,))
        touched |= dict.fromkeys(fact for (fact,) in rows.fetchall())
        connection.execute("DELETE FROM fact_sources WHERE message = ?", (one,))
        connection.execute("DELETE FROM told_facts WHERE reply = ?", (one,))
        connection.execute("DELETE FROM read_for_facts WHERE message = ?", (one,))
    groundless = [
        fact
        for fact in touched
        if connection.execute(
            "SELECT 1 FROM facts WHERE id = ? AND pinned = 0 AND own = 0 AND NOT EXISTS "
            "(SELECT 1 FROM fact_sources WHERE fact = facts.id)",
            (fact,),
        ).fetchone()
    ]
    return delete_facts(connection, groundless)


def expire_facts(connection: sqlite3.Connection, before: float) -> list[str]:
    """Delete facts that were last said before this time, except those that the user pinned or
    wrote. The caller does this in `without_logging`.
    """
    query = "SELECT id FROM facts WHERE time < ? AND pinned = 0 AND own = 0"
    return delete_facts(
        connection, [one for (one,) in connection.execute(query, (before,)).fetchall()]
    )


def clear_facts(connection: sqlite3.Connection) -> list[str]:
    """Delete all facts; their messages are not read again."""
    rows = connection.execute("SELECT DISTINCT message FROM fact_sources").fetchall()
    mark_read(connection, [message for (message,) in rows])
    rows = connection.execute("SELECT id FROM facts").fetchall()
    return delete_facts(connection, [one for (one,) in rows])


def record_recalled(connection: sqlite3.Connection, reply: str, facts: Sequence[str]) -> None:
    connection.execute("DELETE FROM told_facts WHERE reply = ?", (reply,))
    connection.executemany(
        "INSERT INTO told_facts VALUES (?, ?, ?)",
        [(reply, place, one) for place, one in enumerate(facts)],
    )


def read_recalled(connection: sqlite3.Connection, reply: str) -> list[str]:
    query = "SELECT fact FROM told_facts WHERE reply = ? ORDER BY place"
    return [fact for (fact,) in connection.execute(query, (reply,))]
