"""Writes of another process are noticed; those of this one aren't reported."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import pytest

from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.storage.database import Database, DatabaseContent
from neodeskpet.storage.external_changes import WatchedDatabase, watch_other_processes


def write(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("INSERT INTO t VALUES (1)")
        other.commit()


def play(folder: Path, scene: Callable[[Path, Database], Awaitable[None]]) -> None:
    async def run() -> None:
        path = folder / "a.db"
        database = Database(path, DatabaseContent(lambda db, _path: None))
        await database.open()
        await database.change(lambda db: db.execute("CREATE TABLE t (x)"))
        try:
            await scene(path, database)
        finally:
            await database.aclose()

    asyncio.run(run())


def test_only_writes_of_another_process_count(tmp_path: Path) -> None:
    async def scene(path: Path, database: Database) -> None:
        assert not await database.changed_by_others()
        await database.change(lambda db: db.execute("INSERT INTO t VALUES (1)"))
        assert not await database.changed_by_others()
        write(path)
        assert await database.changed_by_others()
        assert not await database.changed_by_others()

    play(tmp_path, scene)


@pytest.mark.parametrize("folder", ["", "nowhere"])
def test_it_is_also_reported_if_the_folder_can_not_be_watched(tmp_path: Path, folder: str) -> None:
    async def scene(path: Path, database: Database) -> None:
        told = asyncio.Event()
        watched = {path.name: WatchedDatabase(database.changed_by_others, told.set)}
        watching = spawn_task(
            watch_other_processes(tmp_path / folder, watched, poll=0.01, first=0), name="watch"
        )
        try:
            async with asyncio.timeout(60):
                while not told.is_set():
                    write(path)
                    await asyncio.sleep(0.1)
        finally:
            watching.cancel()
            await asyncio.wait([watching])

    play(tmp_path, scene)
