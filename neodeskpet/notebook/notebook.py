"""One private file for what the companion keeps for the person, shared by notes and timers.

It repairs itself as that of the conversations does. All work on it is done on its own thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from neodeskpet.core.errors import StoreError
from neodeskpet.database.copies import erase_in_copies
from neodeskpet.database.database import (
    Database,
    Work,
    open_or_in_memory,
    report_on_loop,
)
from neodeskpet.notebook.old_files import import_old_files
from neodeskpet.notebook.tables import KEPT_SECONDS, NOTEBOOK_CONTENT, erase_in_copy, purge

FILE_NAME = "notebook.db"

_FIRST, _PAUSE = 60.0, 3600.0
"""Seconds until the first purge after a start, and between two purges."""

T = TypeVar("T")


class Notebook:
    """Make one with `await Notebook.open()`. All coroutines raise StoreError and nothing else.

    `faults` is what went wrong while opening, for the person.
    """

    def __init__(self, database: Database, faults: list[StoreError]) -> None:
        self.faults = faults
        self._database = database

    @classmethod
    async def open(
        cls,
        path: Path | None,
        *,
        on_fault: Callable[[StoreError], None] | None = None,
        busy: float = 5.0,
        watch: float = 5.0,
        required: bool = False,
    ) -> Notebook:
        """`path` is the file, made if it isn't there; None keeps all in memory, and so does one
        that can't be opened. What earlier versions left beside it is taken over. `on_fault` hears
        on the loop what happens to the file later. `busy`, `watch`: see `Database`.
        `required`: raise StoreError when the file can't be opened.
        """
        database, fault = await open_or_in_memory(
            path, NOTEBOOK_CONTENT, busy=busy, watch=watch, required=required
        )
        faults = [fault] if fault is not None else []
        if database.path is not None:
            folder = database.path.parent
            try:
                faults += await database.run(
                    lambda connection: import_old_files(connection, folder)
                )
            except StoreError as error:
                faults.append(error)
        report_on_loop(database, on_fault)
        return cls(database, faults)

    async def read(self, work: Work[T]) -> T:
        """What `work(connection)` returns; it sees all that was changed before."""
        return await self._database.read(work)

    async def change(self, work: Work[T]) -> T:
        """The same for work that changes something: all of it is done, or nothing."""
        return await self._database.change(work)

    async def purge(self, now: float) -> None:
        """Delete permanently what was deleted 30 days before `now` (unix seconds) or earlier."""
        await self.erase_copies(await self.change(lambda db: purge(db, now - KEPT_SECONDS)))

    async def erase_copies(self, uids: Sequence[str]) -> None:
        """Leave nothing of these deleted entries in the journal, nor in copies of the file."""
        path = self._database.path
        if uids and path is not None:
            await self._database.wipe()
            await asyncio.to_thread(erase_in_copies, path, uids, erase_in_copy)

    def subscribe(self, tell: Callable[[], object]) -> None:
        """`tell` is called, on another thread, after each change."""
        self._database.subscribe(tell)

    async def changed_by_others(self) -> bool:
        """Whether another process wrote since this was last asked. Raises StoreError."""
        return await self._database.changed_by_others()

    async def aclose(self) -> None:
        """Idempotent."""
        await self._database.aclose()


async def purge_daily(
    notebook: Notebook,
    confirmed: Callable[[datetime], Awaitable[datetime | None]],
    *,
    now: Callable[[], datetime] = datetime.now,
    first: float = _FIRST,
    pause: float = _PAUSE,
) -> None:
    """Purge the notebook now and then, until this is cancelled. `confirmed` returns the moment that
    counts for deletions at the clock's time, None for none: a wrong clock deletes nothing.
    """
    await asyncio.sleep(first)
    while True:
        with suppress(StoreError):
            moment = await confirmed(now())
            if moment is not None:
                await notebook.purge(moment.timestamp())
        await asyncio.sleep(pause)
