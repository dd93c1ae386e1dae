"""Timers on disk."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from neodeskpet.core.data_labels import DataSource, SourceKind
from neodeskpet.notebook.notebook import FILE_NAME, Notebook
from neodeskpet.notebook.timers import (
    RECENT_TIMERS,
    RecentTimer,
    Repeat,
    SqliteTimers,
    Timer,
    TimerService,
    TimersInMemory,
)
from neodeskpet.platform.async_tasks import spawn_task


def test_they_are_read_as_they_were_stored(tmp_path: Path) -> None:
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


def test_a_paused_timer_is_stored_over_a_restart(tmp_path: Path) -> None:
    now = [1_000.0]

    async def scene() -> None:
        notebook = await Notebook.open(tmp_path / FILE_NAME)
        book = TimerService(SqliteTimers(notebook), lambda _timer: None, clock=lambda: now[0])
        tea = await book.add(1_600.0, "tea")
        now[0] = 1_100.0
        paused = await book.pause(tea.id)
        assert paused is not None and paused.remaining == 500.0
        await notebook.aclose()

        now[0] = 90_000.0
        notebook = await Notebook.open(tmp_path / FILE_NAME)
        rung: list[Timer] = []
        book = TimerService(SqliteTimers(notebook), rung.append, clock=lambda: now[0])
        assert await book.timers() == [paused]
        running = spawn_task(book.run(), name="book")
        await book.looked.wait()
        assert rung == [], "a paused timer doesn't ring and isn't missed"
        running.cancel()
        resumed = await book.resume(tea.id)
        assert resumed is not None and resumed.due == 90_500.0
        await notebook.aclose()

    asyncio.run(scene())


def test_a_file_without_the_column_is_migrated(tmp_path: Path) -> None:
    async def scene() -> None:
        notebook = await Notebook.open(tmp_path / FILE_NAME)
        tea = await SqliteTimers(notebook).add(Timer("", 100.5, "tea", 1.0))
        await notebook.aclose()
        with closing(sqlite3.connect(tmp_path / FILE_NAME)) as old, old:
            old.execute("ALTER TABLE timers DROP COLUMN remaining")
            old.execute("DELETE FROM migrations WHERE name = '009-paused-timers'")
        notebook = await Notebook.open(tmp_path / FILE_NAME)
        assert await SqliteTimers(notebook).load() == [tea]
        await notebook.aclose()

    asyncio.run(scene())


def test_durations_of_whole_minutes_are_remembered(tmp_path: Path) -> None:
    async def scene() -> None:
        notebook = await Notebook.open(tmp_path / FILE_NAME)
        moment = [1_000.0]
        service = TimerService(SqliteTimers(notebook), lambda timer: None, clock=lambda: moment[0])

        async def set_timer(seconds: float, label: str, repeat: Repeat = Repeat.ONCE) -> Timer:
            moment[0] += 1
            return await service.add(moment[0] + seconds, label, repeat)

        tea = await set_timer(300, "Tea")
        await set_timer(480.2, "Eggs \ud83d")
        await set_timer(301, "no whole minutes")
        await set_timer(13 * 3_600, "too long")
        await set_timer(-60, "over")
        await set_timer(300, "each day", Repeat.DAILY)
        await service.snooze(tea, 600)
        assert await service.recent() == [RecentTimer("Eggs \ud83d", 480), RecentTimer("Tea", 300)]
        await set_timer(300, "Tea")
        for minutes in range(1, RECENT_TIMERS):
            await set_timer(60 * minutes, "")
        await notebook.aclose()
        notebook = await Notebook.open(tmp_path / FILE_NAME)
        found = await SqliteTimers(notebook).recent()
        assert found[0] == RecentTimer("", 60 * (RECENT_TIMERS - 1))
        assert found[-1] == RecentTimer("Tea", 300)
        assert len(found) == RECENT_TIMERS
        await notebook.aclose()

    asyncio.run(scene())


def test_a_timer_with_text_of_others_is_not_offered_again() -> None:
    async def scene() -> None:
        service = TimerService(TimersInMemory(), lambda timer: None, clock=lambda: 0.0)
        await service.add(300.0, "Call this number", untrusted=(DataSource(SourceKind.PAGE),))
        assert await service.recent() == []
        await service.add(300.0, "Tea")
        await service.add(600.0, "Rice")
        await service.add(300.0, "Tea")
        assert await service.recent() == [RecentTimer("Tea", 300), RecentTimer("Rice", 600)]

    asyncio.run(scene())
