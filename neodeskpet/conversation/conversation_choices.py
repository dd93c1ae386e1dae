"""What the user chose for single conversations: the model, and whether memory and knowledge are
used.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from typing import Any, Protocol

from neodeskpet.core.blocks import ConversationInfo
from neodeskpet.platform.observers import Observers

_log = logging.getLogger(__name__)

_MODELS_KEY = "models.chosen"
_MAX_RECENT = 8


class StateStore(Protocol):
    """What is asked of the store."""

    async def conversations(self) -> list[ConversationInfo]: ...

    async def get_state(self, key: str) -> str | None: ...

    async def set_state(self, key: str, value: str | None) -> None: ...


@dataclass(slots=True)
class ModelChoices:
    """The chosen models, by their names in the catalogue. Callers skip names that no
    longer exist.
    """

    _store: StateStore
    _chosen: dict[str, str] = field(default_factory=dict)
    _recent: list[str] = field(default_factory=list)

    async def load(self) -> None:
        """Load the choices of earlier runs; those of deleted conversations are dropped. Raises
        StoreError.
        """
        kept = _parse_models(await self._store.get_state(_MODELS_KEY))
        known = {info.id for info in await self._store.conversations()} if kept else set()
        chosen = kept.get("conversations", {})
        self._chosen = {key: str(name) for key, name in chosen.items() if key in known}
        self._recent = [str(name) for name in kept.get("recent", [])][:_MAX_RECENT]

    def get(self, conversation_id: str) -> str:
        """Return the model chosen for this conversation, "" if it uses the general one."""
        return self._chosen.get(conversation_id, "")

    @property
    def recent(self) -> tuple[str, ...]:
        """Return the recently chosen models, latest first."""
        return tuple(self._recent)

    async def choose(self, conversation_id: str, name: str) -> None:
        """Choose the model for this conversation from the next turn on; "" means the general one.
        Raises StoreError if it can't be stored; then it applies until the app ends.
        """
        if name:
            self._chosen[conversation_id] = name
            self._meet(name)
        else:
            self._chosen.pop(conversation_id, None)
        await self._keep()

    async def choose_for_all(self, conversation_id: str, name: str) -> None:
        """Choose the general model; this conversation follows it too."""
        self._chosen.pop(conversation_id, None)
        self._meet(name)
        await self._keep()

    def _meet(self, name: str) -> None:
        self._recent = [name, *(one for one in self._recent if one != name)][:_MAX_RECENT]

    async def _keep(self) -> None:
        kept = {"conversations": self._chosen, "recent": self._recent}
        await self._store.set_state(_MODELS_KEY, json.dumps(kept, ensure_ascii=False))


def _parse_models(text: str | None) -> dict[str, Any]:
    try:
        kept = json.loads(text or "{}")
        return {"conversations": dict(kept["conversations"]), "recent": list(kept["recent"])}
    except (ValueError, TypeError, KeyError):
        if text is not None:
            _log.warning("What models were chosen can't be read")
        return {}


MEMORY_OFF_KEY, KNOWLEDGE_OFF_KEY = "memory.off", "knowledge.off"
"""The keys for conversations in which memory or the knowledge base is switched off."""


class RecallStateStore(Protocol):
    """What is asked of the store."""

    async def conversations(self) -> list[ConversationInfo]: ...

    async def get_state(self, key: str) -> str | None: ...

    async def set_state(self, key: str, value: str | None) -> None: ...


@dataclass(slots=True)
class RecallChoices:
    """The choices whether to recall. Without a choice the general setting applies. `changed` is
    called after each choice.
    """

    _store: RecallStateStore
    _key: str = MEMORY_OFF_KEY
    _off: set[str] = field(default_factory=set)
    changed: Observers[[]] = field(default_factory=Observers)

    async def load(self) -> None:
        """Load the choices of earlier runs; those of deleted conversations are dropped. Raises
        StoreError.
        """
        kept = _parse_conversations(await self._store.get_state(self._key))
        known = {info.id for info in await self._store.conversations()} if kept else set()
        self._off = kept & known

    def is_on(self, conversation_id: str) -> bool:
        """Return whether recall is on in this conversation."""
        return conversation_id not in self._off

    async def switch(self, conversation_id: str, on: bool) -> None:
        """Switch recall for a conversation, from the next turn on. Raises StoreError if it can't be
        stored; then it applies until the app ends.
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
