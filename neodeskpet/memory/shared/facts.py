"""Rows of the facts about the person ↔ records. All on a connection, inside the caller's
transaction.
"""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime

from neodeskpet.core.labels import DataSource as Origin
from neodeskpet.core.labels import SourceKind, add_sources, read_sources, write_sources
from neodeskpet.core.records import LATEST_TIME
from neodeskpet.memory.facts import rows as fact_rows
from neodeskpet.memory.facts.fact import Fact, FactClaim, FactSource
from neodeskpet.memory.shared.ledger import decode_value, encode_value
from neodeskpet.memory.shared.record import RecordVersion, SyncRecord

FACT_RECORDS = (
    ("fact", "SELECT id, time AS at FROM facts"),
    ("read", "SELECT message AS id, 0 AS at FROM read_for_facts"),
)
"""By their kinds the ids, and when each was last written (unix seconds)."""
_SYNC = Origin(SourceKind.SYNC)


def read_fact_record(
    connection: sqlite3.Connection, kind: str, one: str, version: RecordVersion
) -> SyncRecord | None:
    """The latest of this kind and id; None where there is nothing to be said of it."""
    if kind == "read":
        there = fact_rows.is_read(connection, one)
        return SyncRecord(kind, one, "", version, encode_value(True)) if there else None
    fact = fact_rows.read_fact(connection, one)
    if fact is None:
        return None
    origins = [one for one in fact.untrusted if one != _SYNC]  # it concerns this computer alone
    plain = [
        *(fact.text, fact.claim.topic, fact.claim.value),
        *(
            fact.time.replace(tzinfo=UTC).timestamp(),
            fact.pinned,
            fact.by_user,
            fact.conflicting_id,
        ),
        sorted([source.message, source.conversation] for source in fact.sources),
        *([write_sources(origins)] if origins else []),
    ]
    return SyncRecord(kind, one, "", version, encode_value(plain))


def apply_fact(
    connection: sqlite3.Connection, record: SyncRecord, gone: list[str], *, trusted: bool = False
) -> None:
    """Write what another computer said; `gone` gets the ids of facts that went. Unless it is
    `trusted`, a text that was not here before counts as untrusted.
    """
    if record.version.deleted:
        if record.kind == "fact":
            gone += fact_rows.delete_facts(connection, [record.id])
    elif record.kind == "read":
        fact_rows.mark_read(connection, [record.id])
    elif record.kind == "fact":
        text, topic, value, time, pinned, own, rival, sources, *more = decode_value(record.value)
        if not 0 <= time <= LATEST_TIME:
            raise ValueError("its time is not possible")
        origins = read_sources(more[0]) if more else ()
        if not trusted and not _is_ours(connection, record.id, str(text)):
            origins = add_sources(origins, (_SYNC,))
        fact = Fact(
            *(record.id, str(text), datetime.fromtimestamp(time, UTC).replace(tzinfo=None)),
            FactClaim(str(topic), str(value)),
            tuple(FactSource(str(message), str(conversation)) for message, conversation in sources),
            *(bool(pinned), bool(own), str(rival)),
            origins,
        )
        connection.execute("DELETE FROM fact_sources WHERE fact = ?", (record.id,))
        fact_rows.put_fact(connection, fact)


def _is_ours(connection: sqlite3.Connection, fact: str, text: str) -> bool:
    """Whether this computer wrote this text: another one has pinned it, or said it again."""
    known = fact_rows.read_fact(connection, fact)
    return known is not None and known.text == text and _SYNC not in known.untrusted
