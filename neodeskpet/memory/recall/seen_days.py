"""On which days the app ran, so that one start with a wrong clock deletes nothing.

Something is deleted for its age only if it was too old on two different days: the second latest day
on which the app ran is the date that counts.
"""

from __future__ import annotations

import json
from datetime import date, datetime
from typing import Protocol

KEY = "days_seen"
_KEPT = 4


class StateStore(Protocol):
    """Coroutines raise StoreError."""

    async def get_state(self, key: str) -> str | None: ...

    async def set_state(self, key: str, value: str | None) -> None: ...


class SeenDays:
    def __init__(self, store: StateStore) -> None:
        self._store = store

    async def confirmed(self, now: datetime) -> datetime | None:
        """Note that the clock says `now`; the moment that counts for deletions, None if there was
        only one day so far. Days after `now` were a wrong clock's, or this one is: they don't count
        any more. Raises StoreError.
        """
        today = now.date()
        known = _read(await self._store.get_state(KEY))
        days = sorted({*(day for day in known if day <= today), today})[-_KEPT:]
        if days != known:
            await self._store.set_state(KEY, json.dumps([day.isoformat() for day in days]))
        return datetime.combine(days[-2], now.time()) if len(days) > 1 else None


def _read(kept: str | None) -> list[date]:
    try:
        read = json.loads(kept) if kept else []
        return [date.fromisoformat(str(one)) for one in read]
    except (ValueError, TypeError):
        return []
