"""This computer's side of the memory: facts about the person, their edits of items, and until when
they cleared it. Each computer makes the items themselves from the messages.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

from neodeskpet.memory.facts.book import File
from neodeskpet.memory.recall import cleared
from neodeskpet.memory.shared import by_hand, facts, ledger
from neodeskpet.memory.shared.record import BY_HAND, CLEARED, Record, Version
from neodeskpet.memory.shared.rows import Applied
from neodeskpet.memory.shared.side import Ledger


class SharedMemory(Ledger):
    """All coroutines raise StoreError and nothing else. `tell` hears on the loop that there are
    other facts, the items with which something else was done, and the messages of those that aren't
    here though the message was looked at.
    """

    kinds = ("fact", "read", *BY_HAND, CLEARED)

    def __init__(self, file: File, tell: Callable[[Sequence[str], Sequence[str]], object]) -> None:
        super().__init__(file, _begin, _read_record)
        self._memory = file
        self._tell = tell
        self._missed: dict[str, None] = {}

    async def gather(self) -> list[Record]:
        """The first of what waits to be sent."""
        return await self._memory.change(lambda db: ledger.gather(db, _read_record))

    async def apply(
        self, records: Sequence[Record], cursor: int, *, more: bool = False, trusted: bool = False
    ) -> Applied:
        """Write records of other computers; how many that were."""
        gone: list[str] = []
        hands = by_hand.Hands()

        def work(connection: sqlite3.Connection) -> int:
            if ledger.read_self(connection) is None:
                return 0

            def take(record: Record) -> None:
                if record.kind == CLEARED:
                    gone.extend(cleared.take(connection, ledger.read_value(record.value)))
                elif record.kind in BY_HAND:
                    by_hand.take(connection, record, hands, trusted=trusted)
                else:
                    facts.take(connection, record, gone, trusted=trusted)

            count = ledger.apply(connection, records, cursor, take)
            ledger.finish(connection)
            return count

        applied = Applied(count=await self._memory.change(work))
        if gone or hands.unsaid:
            await self._memory.wipe([*gone, *hands.unsaid])
        applied.changed |= hands.items
        self._missed |= hands.missed
        return applied

    def tell(self, ids: Sequence[str]) -> None:
        missed, self._missed = [*self._missed], {}
        self._tell(ids, missed)

    async def writing(self) -> list[str]:
        return []

    async def picture(self, digest: str) -> bytes | None:
        return None

    async def keep_picture(self, digest: str, data: bytes) -> None:
        """Nothing here has any."""


def _begin(connection: sqlite3.Connection, device: str) -> None:
    ledger.begin(connection, device)
    for kind, query in (*facts.ALL, *by_hand.ALL, (CLEARED, cleared.ALL)):
        ledger.note_all(connection, kind, query)


def _read_record(
    connection: sqlite3.Connection, kind: str, one: str, version: Version, value: str | None
) -> Record | None:
    if kind == CLEARED:
        until = cleared.read(connection)
        return Record(kind, one, "", version, ledger.written(until)) if until else None
    read = by_hand.read_record if kind in BY_HAND else facts.read_record
    return read(connection, kind, one, version)
