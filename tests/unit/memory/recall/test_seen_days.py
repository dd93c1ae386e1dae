"""One start with a wrong clock deletes nothing."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

from neodeskpet.memory.recall.memory_indexer import SEEN_DAYS_KEY, SeenDays

NOW = datetime(2026, 11, 27, 9)


class State:
    def __init__(self) -> None:
        self.kept: dict[str, str | None] = {}

    async def get_state(self, key: str) -> str | None:
        return self.kept.get(key)

    async def set_state(self, key: str, value: str | None) -> None:
        self.kept[key] = value


def seen(*moments: datetime, state: State | None = None) -> list[datetime | None]:
    days = SeenDays(state or State())

    async def scene() -> list[datetime | None]:
        return [await days.confirmed_moment(one) for one in moments]

    return asyncio.run(scene())


def test_the_second_latest_day_counts() -> None:
    day = timedelta(days=1)
    later = NOW + timedelta(hours=3)
    assert seen(NOW, later, NOW + day, NOW + 9 * day) == [None, None, NOW, NOW + day]


def test_a_single_start_in_the_future_does_not_count() -> None:
    future = datetime(2028, 1, 1, 9)
    moments = (NOW, NOW + timedelta(days=1), future, NOW + timedelta(days=2))
    assert seen(*moments)[2] == NOW + timedelta(days=1)
    assert seen(*moments)[3] == NOW + timedelta(days=1)


def test_a_damaged_list_starts_again() -> None:
    state = State()
    state.kept[SEEN_DAYS_KEY] = "[1, {"
    assert seen(NOW, NOW + timedelta(days=1), state=state) == [None, NOW]
