"""Syncs the memory: facts about the user, the user's edits of items, and the time up to which the
user cleared it.

Each computer derives the items itself from the messages.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from neodeskpet.core.blocks import LATEST_TIME
from neodeskpet.core.data_labels import DataSource as Origin
from neodeskpet.core.data_labels import SourceKind, add_sources, read_sources, write_sources
from neodeskpet.memory.facts import fact_rows
from neodeskpet.memory.facts.fact import Fact, FactClaim, FactSource
from neodeskpet.memory.facts.fact_store import FactFile
from neodeskpet.memory.recall import memory_clearing, memory_index, user_edits
from neodeskpet.memory.recall.user_edits import UserEdit
from neodeskpet.storage import sync_log
from neodeskpet.storage.sync_log import (
    CLEARED_KIND,
    USER_EDIT_KINDS,
    RecordVersion,
    SyncRecord,
    decode_value,
    encode_value,
)
from neodeskpet.sync.conversation_records import AppliedChanges
from neodeskpet.sync.local_replica import LocalReplica, apply_to_file

FACT_RECORDS = (
    ("fact", "SELECT id, time AS at FROM facts"),
    ("read", "SELECT message AS id, 0 AS at FROM read_for_facts"),
)
"""The query of each kind for ids and times of the last change (unix seconds)."""
_SYNC = Origin(SourceKind.SYNC)


def read_fact_record(
    connection: sqlite3.Connection, kind: str, one: str, version: RecordVersion
) -> SyncRecord | None:
    """Return the current record of this kind and id; None if there is nothing to send."""
    if kind == "read":
        there = fact_rows.is_read(connection, one)
        return SyncRecord(kind, one, "", version, encode_value(True)) if there else None
    fact = fact_rows.read_fact(connection, one)
    if fact is None:
        return None
    origins = [one for one in fact.untrusted if one != _SYNC]  # concerns only this computer
    plain = [
        fact.text,
        fact.claim.topic,
        fact.claim.value,
        fact.time.replace(tzinfo=UTC).timestamp(),
        fact.pinned,
        fact.by_user,
        fact.conflicting_id,
        sorted([source.message, source.conversation] for source in fact.sources),
        *([write_sources(origins)] if origins else []),
    ]
    return SyncRecord(kind, one, "", version, encode_value(plain))


def apply_fact(
    connection: sqlite3.Connection, record: SyncRecord, gone: list[str], *, trusted: bool = False
) -> None:
    """Apply a record of another computer; ids of deleted facts are added to `gone`. Unless it is
    `trusted`, a text that is new here counts as untrusted.
    """
    if record.version.deleted:
        if record.kind == "fact":
            gone += fact_rows.delete_facts(connection, [record.id])
    elif record.kind == "read":
        fact_rows.mark_read(connection, [record.id])
    elif record.kind == "fact":
        text, topic, value, time, pinned, own, rival, sources, *more = decode_value(record.value)
        if not 0 <= time <= LATEST_TIME:
            raise ValueError("its time is out of range")
        origins = read_sources(more[0]) if more else ()
        if not trusted and not _is_ours(connection, record.id, str(text)):
            origins = add_sources(origins, (_SYNC,))
        fact = Fact(
            record.id,
            str(text),
            datetime.fromtimestamp(time, UTC).replace(tzinfo=None),
            FactClaim(str(topic), str(value)),
            tuple(FactSource(str(message), str(conversation)) for message, conversation in sources),
            bool(pinned),
            bool(own),
            str(rival),
            origins,
        )
        connection.execute("DELETE FROM fact_sources WHERE fact = ?", (record.id,))
        fact_rows.put_fact(connection, fact)


def _is_ours(connection: sqlite3.Connection, fact: str, text: str) -> bool:
    """Return whether this computer wrote this text, and the other one only pinned or
    repeated it.
    """
    known = fact_rows.read_fact(connection, fact)
    return known is not None and known.text == text and _SYNC not in known.untrusted


USER_EDIT_RECORDS = (
    ("pin", "SELECT item AS id, time AS at FROM by_hand WHERE pinned = 1 AND message <> ''"),
    (
        "correction",
        "SELECT item AS id, time AS at FROM by_hand WHERE corrected <> '' AND message <> ''",
    ),
)
"""The query of each kind for ids and times of the last change (unix seconds)."""


@dataclass(slots=True)
class ManualEdits:
    """The effects of applied records: `items` were changed, the old words of `removed` must be
    erased, and `missed` are messages of unknown items that were already processed here.
    """

    items: dict[str, None] = field(default_factory=dict)
    removed: dict[str, None] = field(default_factory=dict)
    missed: dict[str, None] = field(default_factory=dict)


def read_user_edit_record(
    connection: sqlite3.Connection, kind: str, one: str, version: RecordVersion
) -> SyncRecord:
    """Return the current record of this kind and id; its value is None if the item is not pinned,
    or not corrected, any more.
    """
    done = user_edits.read_edit(connection, one)
    home = [done.message, done.conversation]
    value: object = None
    if kind == "pin" and done.pinned:
        value = [*home, True]
    elif kind == "correction" and done.correction:
        value = [*home, done.original, done.correction]
    return SyncRecord(kind, one, done.conversation, version, encode_value(value))


def apply_user_edit(
    connection: sqlite3.Connection, record: SyncRecord, hands: ManualEdits, *, trusted: bool = False
) -> None:
    """Apply a record of another computer, also for an item that isn't known yet. Edits of items
    that were forgotten here are ignored: they are deleted on the server too. Unless it is
    `trusted`, a correction that is new here counts as untrusted. Raises ValueError, TypeError.
    """
    content = None if record.version.deleted else decode_value(record.value)
    before = user_edits.read_edit(connection, record.id)
    now = _edit_after(record.kind, before, content)
    if record.kind == "correction":
        known = now.correction == before.correction
        now = replace(
            now, synced=bool(now.correction) and (before.synced if known else not trusted)
        )
    if now == before or (
        content is not None and _is_item_forgotten(connection, record.id, now.message)
    ):
        return
    user_edits.put_edit(connection, record.id, now)
    here = memory_index.reindex_item(connection, record.id)
    hands.items[record.id] = None
    if before.correction and before.correction != now.correction:
        hands.removed[record.id] = None
    if not here and _mark_unseen(connection, now.message):
        hands.missed[now.message] = None


def _edit_after(kind: str, before: UserEdit, content: Any) -> UserEdit:
    if kind == "pin":
        if content is None:
            return replace(before, pinned=False)
        message, conversation, pinned = content
        home = replace(before, message=str(message), conversation=str(conversation))
        return replace(home, pinned=bool(pinned))
    if content is None:
        return replace(before, original="", correction="")
    message, conversation, said, corrected = content
    home = replace(before, message=str(message), conversation=str(conversation))
    return replace(home, original=str(said), correction=str(corrected))


def _is_item_forgotten(connection: sqlite3.Connection, item: str, message: str) -> bool:
    query = "SELECT 1 FROM forgotten WHERE id IN (?, ?)"
    return connection.execute(query, (item, message)).fetchone() is not None


def _mark_unseen(connection: sqlite3.Connection, message: str) -> bool:
    """Mark a message as not processed; return whether it was processed."""
    return connection.execute("DELETE FROM seen WHERE message = ?", (message,)).rowcount > 0


class MemoryReplica(LocalReplica):
    """The memory in sync. All coroutines raise only StoreError. `tell` is called on the loop with
    the changed items, and with the messages of unknown items that were already processed here.
    """

    kinds = ("fact", "read", *USER_EDIT_KINDS, CLEARED_KIND)

    def __init__(
        self, file: FactFile, tell: Callable[[Sequence[str], Sequence[str]], object]
    ) -> None:
        super().__init__(file, _start, _read_memory_record)
        self._memory = file
        self._tell = tell
        self._missed: dict[str, None] = {}

    async def collect_pending(self) -> list[SyncRecord]:
        """Return the first records to send."""
        return await self._memory.change(
            lambda db: sync_log.collect_pending(db, _read_memory_record)
        )

    async def apply(
        self,
        records: Sequence[SyncRecord],
        cursor: int,
        *,
        more: bool = False,
        trusted: bool = False,
    ) -> AppliedChanges:
        """Write records of other computers and return the effects."""
        gone: list[str] = []
        hands = ManualEdits()

        def work(connection: sqlite3.Connection) -> int:
            def take(record: SyncRecord) -> None:
                if record.kind == CLEARED_KIND:
                    gone.extend(
                        memory_clearing.apply_remote_clearing(
                            connection, sync_log.decode_value(record.value)
                        )
                    )
                elif record.kind in USER_EDIT_KINDS:
                    apply_user_edit(connection, record, hands, trusted=trusted)
                else:
                    apply_fact(connection, record, gone, trusted=trusted)

            return apply_to_file(connection, records, cursor, take)

        applied = AppliedChanges(count=await self._memory.change(work))
        if gone or hands.removed:
            await self._memory.wipe([*gone, *hands.removed])
        applied.changed |= hands.items
        self._missed |= hands.missed
        return applied

    def notify(self, ids: Sequence[str]) -> None:
        missed, self._missed = [*self._missed], {}
        self._tell(ids, missed)


def _start(connection: sqlite3.Connection, device: str) -> None:
    sync_log.start_logging(connection, device)
    for kind, query in (
        *FACT_RECORDS,
        *USER_EDIT_RECORDS,
        (CLEARED_KIND, memory_clearing.CLEARED_RECORDS),
    ):
        sync_log.log_all(connection, kind, query)


def _read_memory_record(
    connection: sqlite3.Connection, kind: str, one: str, version: RecordVersion, value: str | None
) -> SyncRecord | None:
    if kind == CLEARED_KIND:
        until = memory_clearing.read_cleared_until(connection)
        return SyncRecord(kind, one, "", version, sync_log.encode_value(until)) if until else None
    read = read_user_edit_record if kind in USER_EDIT_KINDS else read_fact_record
    return read(connection, kind, one, version)
