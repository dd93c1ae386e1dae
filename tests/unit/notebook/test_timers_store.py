"""Timers on disk."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from neodeskpet.notebook.notebook import FILE_NAME, Notebook
from neodeskpet.notebook.timers import Repeat, SqliteTimers, Timer


def test_they_are_read_as_they_were_kept(tmp_path: Path) -> None:
    async def scene() -> None:
        notebook = await Notebook.open(tmp_path / FILE_NAME)
        store = SqliteTimers(notebook)
        assert await store.load() == []
        water = await store.add(Timer("", 100.5, "喝水 \ud83d", 1.0))
        daily = await store.add(Timer("t7", 200.0, "", 2.0, Repeat.DAILY))
        other = await store.add(Timer("t7", 300.0, "other", 3.0))
        odd = await store.add(Timer("odd", 400.0, "odd", 3.0))
        assert [timer.id for timer in (water, daily, other, odd)] == ["t1", "t7", "t8", "t9"]
        await notebook.aclose()
        notebook = await Notebook.open(tmp_path / FILE_NAME)
        store = SqliteTimers(notebook)
        assert await store.load() == [water, daily, other, odd]
        later = replace(daily, due=500.0, label="later", repeat=Repeat.ONCE)
        assert await store.update(later)
        assert await store.delete("t1")
        for wrong in ("t1", "t99", "", "x7", "t" + "9" * 40):
            assert not await store.delete(wrong)
            assert not await store.update(replace(later, id=wrong))
        assert await store.load() == [later, other, odd]
        await notebook.aclose()

    asyncio.run(scene())
