"""On which days the app ran, so that one start with a wrong clock deletes nothing.

Something is deleted for its age only if it was too old on two different days: the second latest day
on which the app ran is the date that counts.
"""

from __future__ import annotations

import json
from datetime import date, datetime
from typing import Protocol

SEEN_DAYS_KEY = "days_seen"
_MAX_DAYS = 4


class StateStore(Protocol):
    """Coroutines raise StoreError."""

    async def get_state(self, key: str) -> str | None: ...

    async def set_state(self, key: str, value: str | None) -> None: ...


class SeenDays:
    def __init__(self, store: StateStore) -> None:
        self._store = store

    async def confirmed_moment(self, now: datetime) -> datetime | None:
        """Note that the clock says `now`; the moment that counts for deletions, None if there was
        only one day so far. Days after `now` were a wrong clock's, or this one is: they don't count
        any more. Raises StoreError.
        """
        today = now.date()
        known = _parse_days(await self._store.get_state(SEEN_DAYS_KEY))
        days = sorted({*(day for day in known if day <= today), today})[-_MAX_DAYS:]
        if days != known:
            await self._store.set_state(
                SEEN_DAYS_KEY, json.dumps([day.isoformat() for day in days])
            )
        return datetime.combine(days[-2], now.time()) if len(days) > 1 else None


def _parse_days(kept: str | None) -> list[date]:
    try:
        read = json.loads(kept) if kept else []
        return [date.fromisoformat(str(one)) for one in read]
    except (ValueError, TypeError):
        return []
