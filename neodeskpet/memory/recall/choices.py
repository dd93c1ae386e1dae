"""In which conversations nothing is recalled, because the person said so."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from typing import Protocol

from neodeskpet.core.records import ConversationInfo
from neodeskpet.observers import Observers

_log = logging.getLogger(__name__)
MEMORY_OFF_KEY, KNOWLEDGE_OFF_KEY = "memory.off", "knowledge.off"
"""What is switched off somewhere: what was said, or the person's documents."""


class RecallStateStore(Protocol):
    """What is asked of the store."""

    async def conversations(self) -> list[ConversationInfo]: ...

    async def get_state(self, key: str) -> str | None: ...

    async def set_state(self, key: str, value: str | None) -> None: ...


@dataclass(slots=True)
class RecallChoices:
    """Where nobody chose anything, what is set for all holds. `changed` hears of each choice."""

    _store: RecallStateStore
    _key: str = MEMORY_OFF_KEY
    _off: set[str] = field(default_factory=set)
    changed: Observers[[]] = field(default_factory=Observers)

    async def load(self) -> None:
        """Read what was chosen before this start; conversations that are gone are forgotten.
        Raises StoreError.
        """
        kept = _parse_conversations(await self._store.get_state(self._key))
        known = {info.id for info in await self._store.conversations()} if kept else set()
        self._off = kept & known

    def is_on(self, conversation_id: str) -> bool:
        """Whether it may be recalled in this conversation."""
        return conversation_id not in self._off

    async def switch(self, conversation_id: str, on: bool) -> None:
        """It counts from the next turn on. Raises StoreError when it can't be kept; then it counts
        until the app ends.
        """
        if on:
            self._off.discard(conversation_id)
        else:
            self._off.add(conversation_id)
        self.changed.notify()
        kept = json.dumps(sorted(self._off)) if self._off else None
        await self._store.set_state(self._key, kept)


def _parse_conversations(text: str | None) -> set[str]:
    try:
        kept = json.loads(text or "[]")
        return {one for one in kept if isinstance(one, str)}
    except (ValueError, TypeError):
        _log.warning("Where nothing is to be recalled can't be read")
        return set()
