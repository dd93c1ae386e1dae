"""What is forgotten is gone everywhere: from the memory and from the conversations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from neodeskpet.memory.recall.book import MemoryStore


class DeletableMessages(Protocol):
    async def delete_messages(self, ids: Sequence[str]) -> list[str]:
        """For good; the ids of all that went. Raises StoreError."""
        ...


async def forget_items(
    book: MemoryStore, messages: DeletableMessages, ids: Sequence[str]
) -> list[str]:
    """Forget the items (or messages) of these ids, and the messages that they are from: one of the
    person's with its answers. The ids of all that went. Raises StoreError.
    """
    named = [item.message or item.id for item in await book.get(ids)]
    gone = await messages.delete_messages([*dict.fromkeys([*ids, *named])])
    known = await book.delete([*dict.fromkeys([*ids, *gone])])
    return [*dict.fromkeys([*gone, *known])]
