from __future__ import annotations

import asyncio
import gc
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from neodeskpet.core.errors import StoreError
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.storage.conversation_migrations import MIGRATIONS
from neodeskpet.storage.database import Database, DatabaseContent, transaction
from neodeskpet.storage.database_schema import migrate
from neodeskpet.storage.storage_errors import (
    StoreDamaged,
    StoreDeleted,
    StoreFull,
    StoreLocked,
    StoreOverwritten,
    StoreReadOnly,
    StoreUnread,
)

TIMEOUT = 30.0  # seconds; no test needs them


def prepare(connection: sqlite3.Connection, path: Path | None) -> None:
    connection.execute("CREATE TABLE IF NOT EXISTS t (x)")


async def opened(path: Path | None, busy: float = 5.0) -> Database:
    database = Database(path, DatabaseContent(prepare), busy=busy)
    await database.open()
    return database


def insert(value: object, log: list[object] | None = None):  # type: ignore[no-untyped-def]
    def work(connection: sqlite3.Connection) -> None:
        with transaction(connection):
            connection.execute("INSERT INTO t VALUES (?)", (value,))
        if log is not None:
            log.append(value)

    return work


def all_rows(connection: sqlite3.Connection) -> list[object]:
    return [x for (x,) in connection.execute("SELECT x FROM t ORDER BY rowid")]


def test_work_runs_in_order_on_one_other_thread(tmp_path: Path) -> None:
    async def scene() -> None:
        database = await opened(tmp_path / "a.db")
        for number in range(20):
            database.post(insert(number))
        assert await database.run(all_rows) == list(range(20))
        threads = {await database.run(lambda _: threading.current_thread()) for _ in range(3)}
        assert len(threads) == 1
        assert threading.current_thread() not in threads
        await database.aclose()
        await database.aclose()

    asyncio.run(scene())


def test_the_file_is_private_and_in_wal_mode(tmp_path: Path) -> None:
    async def scene() -> None:
        path = tmp_path / "folder" / "a.db"
        database = await opened(path)
        await database.run(insert(1))
        for file in path.parent.iterdir():
            assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
        reader = sqlite3.connect(path)
        assert reader.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert all_rows(reader) == [1]
        reader.close()
        await database.aclose()

    asyncio.run(scene())


def test_delayed_work_waits_and_a_flush_does_it_now() -> None:
    async def scene() -> None:
        database = await opened(None)
        done: list[object] = []
        database.post(insert("late", done), 3600)
        database.post(insert("later", done), 7200)
        await database.run(insert("now", done))
        assert done == ["now"]
        await database.flush()
        assert done == ["now", "late", "later"]
        await database.aclose()

    asyncio.run(scene())


def test_delayed_work_needs_no_loop() -> None:
    async def scene() -> None:
        database = await opened(None)
        future = database.post(insert("x"), 0.01)
        future.result(TIMEOUT)  # the loop is blocked here
        assert await database.run(all_rows) == ["x"]
        await database.aclose()

    asyncio.run(scene())


def test_closing_finishes_pending_work(tmp_path: Path) -> None:
    async def scene() -> None:
        database = await opened(tmp_path / "a.db")
        database.post(insert("late"), 3600)
        await database.aclose()
        with pytest.raises(StoreError):
            await database.run(all_rows)
        again = await opened(tmp_path / "a.db")
        assert await again.run(all_rows) == ["late"]
        await again.aclose()

    asyncio.run(scene())


def test_a_full_disk_at_the_end_loses_no_stored_data(tmp_path: Path) -> None:
    def fill(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE words (word INTEGER, text TEXT)")
        connection.execute("CREATE INDEX by_word ON words (word)")
        rows = [(number % 50, "text " * 10) for number in range(3000)]
        connection.executemany("INSERT INTO words VALUES (?, ?)", rows)
        connection.execute("SELECT * FROM words WHERE word = 3").fetchall()
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")

    async def scene() -> None:
        path = tmp_path / "a.db"
        database = await opened(path)
        await database.run(fill)
        with pytest.raises(StoreFull):  # The work at the end finds no room.
            await database.run(lambda connection: connection.execute("PRAGMA optimize").fetchall())
        await database.aclose()
        assert names(tmp_path) == {"a.db"}  # the journal was merged into the file
        again = await opened(path)
        assert await again.run(lambda c: c.execute("SELECT count(*) FROM words").fetchone()) == (
            3000,
        )
        await again.aclose()

    asyncio.run(scene())


def test_a_transaction_is_all_or_nothing() -> None:
    def half(connection: sqlite3.Connection) -> None:
        with transaction(connection):
            connection.execute("INSERT INTO t VALUES (1)")
            connection.execute("INSERT INTO nowhere VALUES (1)")

    async def scene() -> None:
        database = await opened(None)
        with pytest.raises(StoreError, match="nowhere"):
            await database.run(half)
        assert await database.run(all_rows) == []
        await database.aclose()

    asyncio.run(scene())


def test_a_bug_is_raised_to_the_caller_and_the_thread_continues() -> None:
    async def scene() -> None:
        database = await opened(None)
        with pytest.raises(ZeroDivisionError):
            await database.run(lambda _: 1 // 0)
        assert await database.run(all_rows) == []
        await database.aclose()

    asyncio.run(scene())


def test_cancelled_work_is_not_done() -> None:
    async def scene() -> None:
        database = await opened(None)
        gate = threading.Event()
        database.post(lambda _: gate.wait(TIMEOUT))
        future = database.post(insert(1))
        assert future.cancel()
        gate.set()
        assert await database.run(all_rows) == []
        await database.aclose()

    asyncio.run(scene())


@pytest.mark.parametrize("size", [1, 100, 512, 5000])
def test_an_invalid_file_is_moved_aside(tmp_path: Path, size: int) -> None:
    async def scene() -> None:
        path = tmp_path / "a.db"
        path.write_bytes(b"\x07garbage" * size)
        database = await opened(path)
        assert database.moved_to is not None
        assert database.moved_to.name.startswith("a.damaged-")
        assert database.moved_to.read_bytes() == b"\x07garbage" * size
        await database.run(insert("fresh"))
        await database.aclose()

    asyncio.run(scene())


def test_a_damaged_page_is_found_when_it_is_read(tmp_path: Path) -> None:
    async def scene() -> None:
        path = tmp_path / "a.db"
        database = await opened(path)
        for number in range(400):
            await database.run(insert(f"{number} " * 50))
        await database.aclose()
        content = bytearray(path.read_bytes())
        for page in range(2, len(content) // 4096):
            content[page * 4096 : page * 4096 + 200] = b"\xff" * 200
        path.write_bytes(content)

        first = await opened(path)
        assert await first.run(all_rows) == []
        assert first.moved_to is not None
        await first.aclose()
        # A second damaged file within the same second gets a name of its own.
        path.write_bytes(b"broken" * 1000)
        second = await opened(path)
        assert second.moved_to not in (None, first.moved_to)
        assert first.moved_to.exists()
        await second.aclose()

    asyncio.run(scene())


def test_damage_that_only_a_check_finds(tmp_path: Path) -> None:
    async def scene() -> None:
        path = tmp_path / "a.db"
        database = await opened(path)
        for number in range(400):
            await database.run(insert(f"{number} " * 50))
        await database.aclose()
        content = bytearray(path.read_bytes())
        content[10 * 4096 + 8 : 10 * 4096 + 12] = b"\x7f\xff\x12\x34"  # the place of a cell
        path.write_bytes(content)
        again = await opened(path)
        told = heard(again)
        assert isinstance(await told.get(), StoreDamaged)
        assert again.moved_to is not None
        assert again.moved_to.read_bytes() == content
        await again.run(insert("fresh"))
        await again.aclose()

    asyncio.run(scene())


def heard(database: Database) -> asyncio.Queue[StoreError]:
    """The events of the database, on this loop."""
    told: asyncio.Queue[StoreError] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    database.subscribe_faults(
        lambda error: loop.call_soon_threadsafe(told.put_nowait, error) and None
    )
    return told


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


async def erased(database: Database, path: Path, *endings: str) -> asyncio.Queue[StoreError]:
    told = heard(database)
    for ending in endings:
        path.with_name(path.name + ending).unlink()
    return told


@pytest.mark.parametrize("endings", [("", "-wal", "-shm"), ("",), ("-wal",)])
def test_a_deleted_file_is_written_again(tmp_path: Path, endings: tuple[str, ...]) -> None:
    async def scene() -> None:
        path = tmp_path / "a.db"
        database = await opened(path)
        await database.run(insert("before"))
        told = await erased(database, path, *endings)
        await database.run(insert("after"))
        assert isinstance(await told.get(), StoreDeleted)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        other = sqlite3.connect(path)
        assert all_rows(other) == ["before", "after"]
        other.close()
        assert await database.read(all_rows) == ["before", "after"]
        await database.aclose()
        assert names(tmp_path) == {"a.db"}
        assert told.empty()

    asyncio.run(scene())


def test_a_deleted_folder_is_noticed_without_any_work(tmp_path: Path) -> None:
    async def scene() -> None:
        path = tmp_path / "folder" / "a.db"
        database = Database(path, DatabaseContent(prepare), watch=0.02)
        await database.open()
        await database.run(insert("kept"))
        told = heard(database)
        shutil.rmtree(path.parent)
        assert isinstance(await told.get(), StoreDeleted)
        other = sqlite3.connect(path)
        assert all_rows(other) == ["kept"]
        other.close()
        await database.aclose()

    asyncio.run(scene())


def test_if_it_can_not_be_written_again_that_is_reported_once_and_work_continues(
    tmp_path: Path,
) -> None:
    async def scene() -> None:
        path = tmp_path / "folder" / "a.db"
        database = Database(path, DatabaseContent(prepare), watch=0.01)
        await database.open()
        told = heard(database)
        shutil.rmtree(path.parent)
        path.parent.write_text("in the way")
        assert isinstance(await told.get(), StoreError)
        await database.run(insert("kept"))
        assert await database.run(all_rows) == ["kept"]
        await database.aclose()
        assert told.empty()

    asyncio.run(scene())


def test_another_file_in_its_place_is_moved_aside(tmp_path: Path) -> None:
    async def scene() -> None:
        path = tmp_path / "a.db"
        database = await opened(path)
        await database.run(insert("ours"))
        told = heard(database)
        (tmp_path / "other").write_bytes(b"no database " * 1000)
        (tmp_path / "other").replace(path)
        await database.run(insert("more"))
        error = await told.get()
        assert isinstance(error, StoreOverwritten)
        assert (tmp_path / error.params["file"]).read_bytes() == b"no database " * 1000
        other = sqlite3.connect(path)
        assert all_rows(other) == ["ours", "more"]
        other.close()
        await database.aclose()

    asyncio.run(scene())


def test_writing_does_not_wait_for_reading(tmp_path: Path) -> None:
    async def scene() -> None:
        database = await opened(tmp_path / "a.db")
        await database.run(insert("first"))
        reading, gate = threading.Event(), threading.Event()

        def slow(connection: sqlite3.Connection) -> list[object]:
            rows = all_rows(connection)
            reading.set()
            assert gate.wait(TIMEOUT)
            return rows

        read = spawn_task(database.read(slow), name="slow read")
        await asyncio.to_thread(reading.wait, TIMEOUT)
        await database.run(insert("second"))
        gate.set()
        assert await read == ["first"]
        database.post(insert("third"))
        assert await database.read(all_rows) == ["first", "second", "third"]
        await database.aclose()
        with pytest.raises(StoreError):
            await database.read(all_rows)

    asyncio.run(scene())


def test_neither_writing_nor_reading_waits_for_the_index(tmp_path: Path) -> None:
    async def scene() -> None:
        database = await opened(tmp_path / "a.db")
        await database.run(insert("first"))
        reading, gate = threading.Event(), threading.Event()

        def slow(connection: sqlite3.Connection) -> list[object]:
            rows = all_rows(connection)
            reading.set()
            assert gate.wait(TIMEOUT)
            return rows

        indexing = spawn_task(database.read(slow, index=True), name="index")
        await asyncio.to_thread(reading.wait, TIMEOUT)
        await database.run(insert("second"))
        assert await database.read(all_rows) == ["first", "second"]
        gate.set()
        assert await indexing == ["first"]
        with pytest.raises(StoreReadOnly):
            await database.read(insert(1), index=True)
        await database.aclose()
        with pytest.raises(StoreError):
            await database.read(all_rows, index=True)

    asyncio.run(scene())


def test_reading_can_not_write(tmp_path: Path) -> None:
    async def scene() -> None:
        database = await opened(tmp_path / "a.db")
        with pytest.raises(StoreReadOnly):
            await database.read(insert(1))
        await database.aclose()

    asyncio.run(scene())


def test_the_number_of_prepared_statements_is_limited(tmp_path: Path) -> None:
    """There may be very many slightly different texts, and each costs as much as a page."""

    def many(connection: sqlite3.Connection) -> None:
        for number in range(300):
            connection.execute(f"SELECT {number}").fetchall()

    def kept() -> int:
        return sum(f"{type(one)}" == "<class 'sqlite3.Statement'>" for one in gc.get_objects())

    async def scene() -> None:
        database = await opened(tmp_path / "a.db")
        before = kept()
        await database.run(many)
        await database.read(many)
        await database.read(many, index=True)
        assert before < kept() <= before + 3 * 60
        await database.aclose()

    asyncio.run(scene())


def test_an_invalid_byte_in_a_text_loses_one_letter(tmp_path: Path) -> None:
    async def scene() -> None:
        database = await opened(tmp_path / "a.db")
        await database.run(lambda c: c.execute("INSERT INTO t VALUES (CAST(x'61ff62' AS TEXT))"))
        assert await database.run(all_rows) == ["a\ufffdb"]
        assert await database.read(all_rows) == ["a\ufffdb"]
        await database.aclose()

    asyncio.run(scene())


def test_an_empty_file_is_a_new_database(tmp_path: Path) -> None:
    async def scene() -> None:
        (tmp_path / "a.db").touch()
        database = await opened(tmp_path / "a.db")
        assert database.moved_to is None
        await database.aclose()

    asyncio.run(scene())


def test_a_folder_in_its_place_is_a_store_error(tmp_path: Path) -> None:
    async def scene() -> None:
        (tmp_path / "a.db").mkdir()
        with pytest.raises(StoreError):
            await opened(tmp_path / "a.db")
        (tmp_path / "file").touch()
        with pytest.raises(StoreError):
            await opened(tmp_path / "file" / "a.db")

    asyncio.run(scene())


def test_a_bug_while_preparing_is_reported() -> None:
    def broken(connection: sqlite3.Connection, path: Path | None) -> None:
        raise ZeroDivisionError

    async def scene() -> None:
        database = Database(None, DatabaseContent(broken))
        with pytest.raises(ZeroDivisionError):
            await database.open()
        await database.aclose()

    asyncio.run(scene())


def test_another_writer_is_awaited_and_then_reported(tmp_path: Path) -> None:
    async def scene() -> None:
        database = await opened(tmp_path / "a.db", busy=0.05)
        other = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreLocked):
            await database.run(insert(1))
        assert await database.run(all_rows) == []  # reading continues
        other.execute("COMMIT")
        await database.run(insert(1))
        other.close()
        await database.aclose()

    asyncio.run(scene())


def test_an_exclusively_locked_database_can_not_be_opened(tmp_path: Path) -> None:
    async def scene() -> None:
        other = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreLocked):
            await opened(tmp_path / "a.db", busy=0.1)
        other.close()

    asyncio.run(scene())


def test_a_read_only_database_is_reported() -> None:
    async def scene() -> None:
        database = await opened(None)
        await database.run(lambda connection: connection.execute("PRAGMA query_only = 1"))
        with pytest.raises(StoreReadOnly):
            await database.run(insert(1))
        await database.aclose()

    asyncio.run(scene())


_STARTER = """
import asyncio, pathlib, sys
from neodeskpet.storage.database import DatabaseContent, Database
from neodeskpet.storage.conversation_store import prepare_conversations

async def main():
    sys.stdin.readline()
    database = Database(pathlib.Path(sys.argv[1]), DatabaseContent(prepare_conversations))
    await database.open()
    await database.aclose()
asyncio.run(main())
"""


def test_processes_that_start_together_share_one_new_file(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    children = [
        subprocess.Popen(
            [sys.executable, "-c", _STARTER, str(path)], stdin=subprocess.PIPE, text=True
        )
        for _ in range(4)
    ]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    for child in children:
        child.communicate(timeout=60)
    assert [child.returncode for child in children] == [0] * 4
    connection = sqlite3.connect(path, isolation_level=None)
    assert migrate(connection, path, MIGRATIONS) == []
    connection.close()


def test_a_read_sees_one_state_and_its_errors_name_reading(tmp_path: Path) -> None:
    async def scene() -> None:
        path = tmp_path / "a.db"
        database = Database(path, DatabaseContent(lambda db, _path: None))
        await database.open()
        await database.change(lambda db: db.execute("CREATE TABLE t (x)"))

        def twice(connection: sqlite3.Connection) -> tuple[int, int]:
            (first,) = connection.execute("SELECT count(*) FROM t").fetchone()
            with closing(sqlite3.connect(path, isolation_level=None)) as other:
                other.execute("INSERT INTO t VALUES (1)")
            (second,) = connection.execute("SELECT count(*) FROM t").fetchone()
            return first, second

        assert await database.read(twice) == (0, 0)
        assert await database.read(twice, index=True) == (1, 1)
        with pytest.raises(StoreUnread) as failed:
            await database.read(lambda db: db.execute("SELECT nothing FROM nowhere"))
        assert "stored" in str(failed.value) and "can't be stored" not in str(failed.value)
        await database.aclose()
        memory = Database(None, DatabaseContent(lambda db, _path: None))
        await memory.open()
        with pytest.raises(StoreUnread):
            await memory.read(lambda db: db.execute("SELECT nothing FROM nowhere"))
        await memory.aclose()

    asyncio.run(scene())
