"""The models that services reported when they were asked, by the address of the service.

The catalogue holds the models that the user set up; a service often has more. They can be chosen in
the chat without being set up first.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from typing import Protocol

from neodeskpet.llm.catalog.model_catalog import Catalog, ModelEntry

_log = logging.getLogger(__name__)
_KEY = "models.reported"
_MOST = 500
"""The largest number of models kept per service."""


class StateStore(Protocol):
    """The part of the store that is used here."""

    async def get_state(self, key: str) -> str | None: ...

    async def set_state(self, key: str, value: str | None) -> None: ...


class ReportedModels:
    """Models reported by services. Call it from the event loop's thread."""

    def __init__(self, store: StateStore) -> None:
        self._store = store
        self._found: dict[str, tuple[str, ...]] = {}

    async def load(self) -> None:
        """Read what was reported before this start. Raises StoreError."""
        try:
            kept = json.loads(await self._store.get_state(_KEY) or "{}")
            self._found = {str(at): tuple(map(str, names)) for at, names in kept.items()}
        except (ValueError, TypeError, AttributeError):
            _log.warning("The list of reported models can't be read")

    async def update(self, address: str, models: Sequence[str]) -> None:
        """Store the models that the service at this address reported. Raises StoreError."""
        self._found[address] = tuple(models)[:_MOST]
        await self._store.set_state(_KEY, json.dumps(self._found, ensure_ascii=False))

    def get(self, address: str) -> Sequence[str]:
        return self._found.get(address, ())


def with_reported_models(catalog: Catalog, models: Callable[[str], Sequence[str]]) -> Catalog:
    """Return `catalog` with the models that its services reported and that are not set up."""
    known = {name for one in catalog.models for name in (one.display_name, one.id)}
    found = (
        ModelEntry(endpoint=one.name, id=model)
        for one in catalog.endpoints
        if one.on
        for model in dict.fromkeys(models(one.base_url))
        if model not in known
    )
    return Catalog(endpoints=catalog.endpoints, models=tuple(found))
