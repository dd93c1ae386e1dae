"""The facts about the person, shared: this computer's side of them, in the memory's file."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from neodeskpet.memory.facts import rows as fact_rows
from neodeskpet.memory.facts.book import File
from neodeskpet.memory.facts.fact import Claim, Fact, Source
from neodeskpet.memory.shared import ledger
from neodeskpet.memory.shared.ledger import read_value, written
from neodeskpet.memory.shared.record import Record, Version
from neodeskpet.memory.shared.rows import Applied
from neodeskpet.memory.shared.side import Ledger


class SharedFacts(Ledger):
    """All coroutines raise StoreError and nothing else. `tell` hears on the loop that the facts are
    otherwise.
    """

    kinds = ("fact", "read")

    def __init__(self, file: File, tell: Callable[[], object]) -> None:
        super().__init__(file, _begin, _read_record)
        self._memory = file
        self._tell = tell

    async def gather(self) -> list[Record]:
        """The first of what waits to be sent."""
        return await self._memory.change(lambda db: ledger.gather(db, _read_record))

    async def apply(self, records: Sequence[Record], cursor: int, *, more: bool = False) -> Applied:
        """Write what others said; how much that was."""
        gone: list[str] = []

        def work(connection: sqlite3.Connection) -> int:
            if ledger.read_self(connection) is None:
                return 0
            count = ledger.apply(
                connection, records, cursor, lambda one: _take(connection, one, gone)
            )
            ledger.finish(connection)
            return count

        applied = Applied(count=await self._memory.change(work))
        if gone:
            await self._memory.wipe(gone)
        return applied

    def tell(self, ids: Sequence[str]) -> None:
        self._tell()

    async def writing(self) -> list[str]:
        return []

    async def picture(self, digest: str) -> bytes | None:
        return None

    async def keep_picture(self, digest: str, data: bytes) -> None:
        """Facts have none."""


def _begin(connection: sqlite3.Connection, device: str) -> None:
    ledger.begin(connection, device)
    ledger.note_all(connection, "fact", "SELECT id, time AS at FROM facts")
    ledger.note_all(connection, "read", "SELECT message AS id, 0 AS at FROM read_for_facts")


def _read_record(
    connection: sqlite3.Connection, kind: str, one: str, version: Version, value: str | None
) -> Record | None:
    if kind == "read":
        there = fact_rows.is_read(connection, one)
        return Record(kind, one, "", version, written(True)) if there else None
    fact = fact_rows.read_fact(connection, one)
    if fact is None:
        return None
    plain = [
        *(fact.text, fact.claim.topic, fact.claim.value),
        *(fact.time.replace(tzinfo=UTC).timestamp(), fact.pinned, fact.own, fact.rival),
        sorted([source.message, source.conversation] for source in fact.sources),
    ]
    return Record(kind, one, "", version, written(plain))


def _take(connection: sqlite3.Connection, record: Record, gone: list[str]) -> None:
    if record.version.gone:
        if record.kind == "fact":
            gone += fact_rows.remove(connection, [record.id])
    elif record.kind == "read":
        fact_rows.leave_unread(connection, [record.id])
    elif record.kind == "fact":
        text, topic, value, time, pinned, own, rival, sources = read_value(record.value)
        fact = Fact(
            *(record.id, str(text), datetime.fromtimestamp(time, UTC).replace(tzinfo=None)),
            Claim(str(topic), str(value)),
            tuple(Source(str(message), str(conversation)) for message, conversation in sources),
            *(bool(pinned), bool(own), str(rival)),
        )
        connection.execute("DELETE FROM fact_sources WHERE fact = ?", (record.id,))
        fact_rows.put(connection, fact)
