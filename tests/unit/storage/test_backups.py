"""One backup a day, only the newest are kept, and nothing in them that was deleted permanently."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import date, timedelta
from pathlib import Path

import pytest

from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.storage.backups import (
    BACKUPS_KEPT,
    backup_path,
    create_backup,
    erase_in_copies,
    list_backups,
    run_daily_backups,
)
from neodeskpet.storage.database import durable_transaction

DAY = date(2026, 11, 27)


def write(path: Path, text: str, at: int = 0) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE IF NOT EXISTS t (x)")
        connection.execute("INSERT INTO t VALUES (?)", (text,))
        connection.commit()
    os.utime(path, (at, at))


def texts(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [text for (text,) in connection.execute("SELECT x FROM t")]


def test_one_backup_a_day_of_changes_and_seven_stay(tmp_path: Path) -> None:
    path = tmp_path / "pet.db"
    assert not create_backup(path, DAY)
    write(path, "a")
    assert create_backup(path, DAY) and not create_backup(path, DAY)
    copy = backup_path(path, DAY)
    assert texts(copy) == ["a"] and stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert not create_backup(path, DAY + timedelta(days=1)), "nothing changed"
    for number in range(1, 10):
        write(path, "b", at=4_000_000_000)
        assert create_backup(path, DAY + timedelta(days=number))
    assert len(list_backups(path)) == BACKUPS_KEPT
    assert list_backups(path)[-1] == backup_path(path, DAY + timedelta(days=9))


def test_permanently_deleted_data_is_deleted_in_them(tmp_path: Path) -> None:
    path = tmp_path / "pet.db"
    write(path, "keep me")
    write(path, "forget-me-1234")
    create_backup(path, DAY)

    def erase(connection: sqlite3.Connection, ids: object) -> None:
        connection.execute("DELETE FROM t WHERE x = 'forget-me-1234'")

    erase_in_copies(path, ["forget-me-1234"], erase)
    assert texts(backup_path(path, DAY)) == ["keep me"]
    assert b"forget-me-1234" not in backup_path(path, DAY).read_bytes()


async def until(done: Callable[[], bool]) -> None:
    for _ in range(3000):
        if done():
            return
        await asyncio.sleep(0.01)
    raise TimeoutError


def test_they_are_made_while_enabled_and_removed_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "pet.db"
    write(path, "a")
    wanted = True

    async def scene() -> None:
        nonlocal wanted
        work = run_daily_backups([path], lambda: wanted, lambda: DAY, first=0, pause=0.01)
        keeping = spawn_task(work, name="backups")
        await until(lambda: bool(list_backups(path)))
        wanted = False
        await until(lambda: not list_backups(path))
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping

    asyncio.run(scene())


def test_a_finished_turn_is_written_with_full_synchronization(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = NORMAL")
        seen = []
        with durable_transaction(connection):
            seen += connection.execute("PRAGMA synchronous").fetchone()
        with pytest.raises(ValueError), durable_transaction(connection):
            raise ValueError
        assert (seen, connection.execute("PRAGMA synchronous").fetchone()) == ([2], (1,))
