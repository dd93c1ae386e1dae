"""Which model a person chose for which conversation, and which were chosen lately."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from typing import Any, Protocol

from neodeskpet.core.records import ConversationInfo

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
    """Models go by the names they have in the catalogue. What isn't there any more is skipped by
    whoever asks.
    """

    _store: StateStore
    _chosen: dict[str, str] = field(default_factory=dict)
    _recent: list[str] = field(default_factory=list)

    async def load(self) -> None:
        """Recall what was chosen before this start; conversations that are gone are forgotten.
        Raises StoreError.
        """
        kept = _parse_models(await self._store.get_state(_MODELS_KEY))
        known = {info.id for info in await self._store.conversations()} if kept else set()
        chosen = kept.get("conversations", {})
        self._chosen = {key: str(name) for key, name in chosen.items() if key in known}
        self._recent = [str(name) for name in kept.get("recent", [])][:_MAX_RECENT]

    def get(self, conversation_id: str) -> str:
        """The model of this conversation alone; "" where it has the one that all have."""
        return self._chosen.get(conversation_id, "")

    @property
    def recent(self) -> tuple[str, ...]:
        """The latest first."""
        return tuple(self._recent)

    async def choose(self, conversation_id: str, name: str) -> None:
        """`name` answers in this conversation from the next turn on; "" gives it back to the one
        that all have. Raises StoreError when it can't be kept; it counts until the app ends.
        """
        if name:
            self._chosen[conversation_id] = name
            self._meet(name)
        else:
            self._chosen.pop(conversation_id, None)
        await self._keep()

    async def choose_for_all(self, conversation_id: str, name: str) -> None:
        """`name` was made the one that all have: this conversation follows it too."""
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
