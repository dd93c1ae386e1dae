"""What was said in all conversations, to be found by its words: a file of its own beside them.

Whatever is written is done in order on the file's thread; a search waits for nothing that is being
written.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from neodeskpet.core.errors import StoreError
from neodeskpet.core.find.needle import SearchPattern
from neodeskpet.core.find.terms import SearchQuery
from neodeskpet.database.copies import erase_in_copies
from neodeskpet.database.database import Database, open_or_in_memory, report_on_loop
from neodeskpet.memory.find import index
from neodeskpet.memory.find.index import SearchHit
from neodeskpet.memory.find.tables import SEARCH_CONTENT
from neodeskpet.memory.standing import VisibleMessage

T = TypeVar("T")


class MessageSearch:
    """Make one with `await MessageSearch.open()`. All coroutines raise StoreError and nothing
    else."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    async def open(
        cls,
        path: Path | None,
        *,
        busy: float = 5.0,
        watch: float = 5.0,
        required: bool = False,
    ) -> MessageSearch:
        """`path` is the file, made if it isn't there; None keeps all in memory, and so does one
        that can't be opened: it is made of the conversations again. `busy`, `watch`: see
        `Database`. `required`: raise StoreError when the file can't be opened.
        """
        database, _ = await open_or_in_memory(
            path, SEARCH_CONTENT, busy=busy, watch=watch, required=required
        )
        return cls(database)

    def subscribe_faults(self, on_fault: Callable[[StoreError], None]) -> None:
        """`on_fault` hears on the loop what happens to the file: it may be an empty one then."""
        report_on_loop(self._database, on_fault)

    # What is kept (`recall.follower.MessageIndex`)

    async def last_written(self) -> dict[str, float]:
        """When each message that was looked at was last written then, by its id."""
        query = "SELECT message, touched FROM texts"
        return await self._database.read(lambda db: dict(db.execute(query)))

    async def update_messages(self, found: Sequence[VisibleMessage]) -> None:
        """Keep these as they stand now."""
        await self._database.change(partial(index.index_messages, found=found))

    async def delete_messages(self, ids: Sequence[str]) -> None:
        """Messages of these ids are there no more: nothing of them is left."""
        if not await self._database.change(partial(index.remove_messages, ids=ids)):
            return
        await self._database.run(index.overwrite_deleted_text)
        await self._database.wipe()
        if self._database.path is not None:
            await asyncio.to_thread(erase_in_copies, self._database.path, ids, None)

    # Found again

    async def search(
        self, question: SearchQuery, *, limit: int = 50, before: int | None = None
    ) -> list[SearchHit]:
        """The latest messages that hold all words; with `before` (a hit's number) earlier ones."""
        look = partial(index.search_messages, question=question, limit=limit, before=before)
        return await self._database.read(look, fresh=False)

    async def count_matches(self, conversation_id: str, needle: SearchPattern) -> dict[str, int]:
        """How often the words stand in each message of a conversation, of all versions; only
        those where they do.
        """
        look = partial(index.count_matches, conversation=conversation_id, needle=needle)
        return await self._database.read(look, index=True, fresh=False)

    async def aclose(self) -> None:
        """Idempotent."""
        await self._database.aclose()
