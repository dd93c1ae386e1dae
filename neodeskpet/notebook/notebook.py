"""One private file for what the companion keeps for the person, shared by notes and timers.

It repairs itself as that of the conversations does. All work on it is done on its own thread.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from neodeskpet.core.errors import StoreError
from neodeskpet.database.database import (
    Database,
    Work,
    open_or_in_memory,
    tell_on_loop,
)
from neodeskpet.notebook.old_files import take_over
from neodeskpet.notebook.tables import CONTENT

FILE_NAME = "notebook.db"

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
            path, CONTENT, busy=busy, watch=watch, required=required
        )
        faults = [fault] if fault is not None else []
        if database.path is not None:
            folder = database.path.parent
            try:
                faults += await database.run(lambda connection: take_over(connection, folder))
            except StoreError as error:
                faults.append(error)
        tell_on_loop(database, on_fault)
        return cls(database, faults)

    async def read(self, work: Work[T]) -> T:
        """What `work(connection)` returns; it sees all that was changed before."""
        return await self._database.read(work)

    async def change(self, work: Work[T]) -> T:
        """The same for work that changes something: all of it is done, or nothing."""
        return await self._database.change(work)

    def follow(self, tell: Callable[[], object]) -> None:
        """`tell` is called, on another thread, after each change."""
        self._database.follow(tell)

    async def changed_by_others(self) -> bool:
        """Whether another process wrote since this was last asked. Raises StoreError."""
        return await self._database.changed_by_others()

    async def close(self) -> None:
        """Idempotent."""
        await self._database.close()
