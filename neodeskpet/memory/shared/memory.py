"""This computer's side of the memory: facts about the person, their edits of items, and until when
they cleared it. Each computer makes the items themselves from the messages.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

from neodeskpet.memory.facts.book import FactFile
from neodeskpet.memory.recall import cleared
from neodeskpet.memory.shared import by_hand, facts, ledger
from neodeskpet.memory.shared.record import CLEARED_KIND, USER_EDIT_KINDS, RecordVersion, SyncRecord
from neodeskpet.memory.shared.rows import AppliedChanges
from neodeskpet.memory.shared.side import LocalReplica


class MemoryReplica(LocalReplica):
    """All coroutines raise StoreError and nothing else. `tell` hears on the loop that there are
    other facts, the items with which something else was done, and the messages of those that aren't
    here though the message was looked at.
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
        """The first of what waits to be sent."""
        return await self._memory.change(lambda db: ledger.collect_pending(db, _read_memory_record))

    async def apply(
        self,
        records: Sequence[SyncRecord],
        cursor: int,
        *,
        more: bool = False,
        trusted: bool = False,
    ) -> AppliedChanges:
        """Write records of other computers; how many that were."""
        gone: list[str] = []
        hands = by_hand.ManualEdits()

        def work(connection: sqlite3.Connection) -> int:
            if ledger.read_self(connection) is None:
                return 0

            def take(record: SyncRecord) -> None:
                if record.kind == CLEARED_KIND:
                    gone.extend(
                        cleared.apply_remote_clearing(connection, ledger.decode_value(record.value))
                    )
                elif record.kind in USER_EDIT_KINDS:
                    by_hand.apply_user_edit(connection, record, hands, trusted=trusted)
                else:
                    facts.apply_fact(connection, record, gone, trusted=trusted)

            count = ledger.apply_records(connection, records, cursor, take)
            ledger.resume_logging(connection)
            return count

        applied = AppliedChanges(count=await self._memory.change(work))
        if gone or hands.removed:
            await self._memory.wipe([*gone, *hands.removed])
        applied.changed |= hands.items
        self._missed |= hands.missed
        return applied

    def notify(self, ids: Sequence[str]) -> None:
        missed, self._missed = [*self._missed], {}
        self._tell(ids, missed)

    async def active_conversations(self) -> list[str]:
        return []

    async def picture(self, digest: str) -> bytes | None:
        return None

    async def store_picture(self, digest: str, data: bytes) -> None:
        """Nothing here has any."""


def _start(connection: sqlite3.Connection, device: str) -> None:
    ledger.start_logging(connection, device)
    for kind, query in (
        *facts.FACT_RECORDS,
        *by_hand.USER_EDIT_RECORDS,
        (CLEARED_KIND, cleared.CLEARED_RECORDS),
    ):
        ledger.log_all(connection, kind, query)


def _read_memory_record(
    connection: sqlite3.Connection, kind: str, one: str, version: RecordVersion, value: str | None
) -> SyncRecord | None:
    if kind == CLEARED_KIND:
        until = cleared.read_cleared_until(connection)
        return SyncRecord(kind, one, "", version, ledger.encode_value(until)) if until else None
    read = by_hand.read_user_edit_record if kind in USER_EDIT_KINDS else facts.read_fact_record
    return read(connection, kind, one, version)
