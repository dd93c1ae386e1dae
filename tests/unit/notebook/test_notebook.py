"""The file with the notes and timers: private, shared, repaired, and migrated from older files."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing, suppress
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest

from neodeskpet.core.errors import StoreError
from neodeskpet.language import translate_error
from neodeskpet.notebook.notebook import FILE_NAME, Notebook, purge_daily
from neodeskpet.notebook.notebook_tables import FAULTS, KEPT_SECONDS, OldFileDamaged
from neodeskpet.notebook.notes import Note, SqliteNotes
from neodeskpet.notebook.timers import SqliteTimers, Timer
from neodeskpet.notebook.todos import TodoStore
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.storage.backups import backup_path, create_backup
from neodeskpet.storage.storage_errors import StoreReplaced
from neodeskpet.storage.sync_log import RecordVersion, SyncRecord
from neodeskpet.sync.notebook_replica import NotebookReplica

PAGE = 4096
OLD_TABLE = """
CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL, tags TEXT NOT NULL,
folded TEXT NOT NULL, created REAL NOT NULL, deleted REAL)
"""
OLD_NOTES = [
    (1, "Milk", '["todo"]', "milk\ntodo", 100.5, None),
    (3, "茶", "[]", "茶", 200.0, None),
    (4, "gone", "[]", "gone", 300.0, 4e9),
]
NOTES = [Note(3, "茶", (), 200.0), Note(1, "Milk", ("todo",), 100.5)]
OLD_TIMERS = [
    {"id": "t2", "due": 5e9, "label": "喝水", "set_at": 1.0, "missed": False},
    {"id": "odd", "due": 6e9, "label": "", "set_at": 2.0},
]
TIMERS = [Timer("t2", 5e9, "喝水", 1.0), Timer("t3", 6e9, "", 2.0)]


def write_old(home: Path, rows: list[tuple[object, ...]] | None = None) -> None:
    """Write them as an earlier version did."""
    with closing(sqlite3.connect(home / "notes.db")) as old, old:
        old.execute(OLD_TABLE)
        old.executemany("INSERT INTO notes VALUES (?, ?, ?, ?, ?, ?)", rows or OLD_NOTES)
    (home / "timers.json").write_text(json.dumps(OLD_TIMERS), encoding="utf-8")


async def read(home: Path) -> tuple[list[Note], list[Timer], list[StoreError]]:
    """Return everything in it, and the errors."""
    told: list[StoreError] = []
    notebook = await Notebook.open(home / FILE_NAME, on_fault=told.append)
    notes = await SqliteNotes(notebook).search([], 9999)
    timers = await SqliteTimers(notebook).load()
    await asyncio.sleep(0)
    await notebook.aclose()
    return notes, timers, [*notebook.faults, *told]


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_files_of_earlier_versions_are_migrated_once(tmp_path: Path) -> None:
    async def scene() -> None:
        write_old(tmp_path)
        assert await read(tmp_path) == (NOTES, TIMERS, [])
        assert names_in(tmp_path) == {FILE_NAME, "notes.db.old", "timers.json.old"}
        assert await read(tmp_path) == (NOTES, TIMERS, [])
        notebook = await Notebook.open(tmp_path / FILE_NAME)
        assert await SqliteNotes(notebook).restore(4) is not None
        await notebook.aclose()

    asyncio.run(scene())


def test_a_kill_before_the_old_files_are_moved_duplicates_nothing(tmp_path: Path) -> None:
    async def scene() -> None:
        write_old(tmp_path)
        await read(tmp_path)
        notebook = await Notebook.open(tmp_path / FILE_NAME)
        await SqliteNotes(notebook).delete(3)
        await notebook.aclose()
        for name in ("notes.db", "timers.json"):
            (tmp_path / f"{name}.old").rename(tmp_path / name)
        assert await read(tmp_path) == (NOTES[1:], TIMERS, [])

    asyncio.run(scene())


_KILLED = """
import asyncio, os, pathlib, signal, sys
from neodeskpet.notebook.notebook import Notebook

class Folder(type(pathlib.Path())):
    def replace(self, target):
        os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(Notebook.open(Folder(sys.argv[1])))
"""


def test_a_kill_during_the_migration(tmp_path: Path) -> None:
    """The process is killed where the first old file would be moved."""
    write_old(tmp_path)
    done = subprocess.run([sys.executable, "-c", _KILLED, str(tmp_path / FILE_NAME)], timeout=60)
    assert done.returncode == -signal.SIGKILL
    assert (tmp_path / "notes.db").exists()
    assert (tmp_path / "timers.json").exists()
    assert asyncio.run(read(tmp_path)) == (NOTES, TIMERS, [])


def test_an_older_version_was_used_in_between(tmp_path: Path) -> None:
    """Its entries are added, with new ids if theirs are taken."""

    async def scene() -> None:
        write_old(tmp_path)
        await read(tmp_path)
        write_old(tmp_path, [(1, "Later", "[]", "later", 400.0, None)])
        notes, timers, faults = await read(tmp_path)
        assert [note.text for note in notes] == ["Later", "茶", "Milk"]
        assert (timers, faults) == (TIMERS, [])

    asyncio.run(scene())


def test_an_incomplete_transaction_of_the_old_file_is_rolled_back(tmp_path: Path) -> None:
    write_old(tmp_path)
    writer = (
        "import os, signal, sqlite3, sys\n"
        "old = sqlite3.connect(sys.argv[1])\n"
        "old.execute('PRAGMA cache_size = 1')\n"
        "old.execute('PRAGMA cache_spill = 1')\n"
        "old.execute('DELETE FROM notes')\n"
        "old.executemany(\"INSERT INTO notes (text, tags, folded, created) VALUES (?, '', '', 0)\","
        " [('x' * 3000,)] * 500)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", writer, str(tmp_path / "notes.db")], timeout=60)
    assert (tmp_path / "notes.db-journal").exists()
    assert asyncio.run(read(tmp_path)) == (NOTES, TIMERS, [])


def torn(path: Path, *pages: int) -> None:
    content = bytearray(path.read_bytes())
    for page in pages:
        content[page * PAGE : (page + 1) * PAGE] = b"\xff" * PAGE
    path.write_bytes(content)


def test_of_old_notes_with_a_damaged_page_the_readable_ones_are_migrated(
    tmp_path: Path,
) -> None:
    rows = [(n, f"{n} ".ljust(600, "x"), "[]", f"{n}", float(n), None) for n in range(1, 201)]
    write_old(tmp_path, list(rows))
    torn(tmp_path / "notes.db", 20)
    whole = (tmp_path / "notes.db").read_bytes()
    notes, timers, (fault,) = asyncio.run(read(tmp_path))
    assert 180 <= len(notes) < 200
    assert {note.text for note in notes} < {row[1] for row in rows}
    assert timers == TIMERS
    assert isinstance(fault, OldFileDamaged)
    assert (tmp_path / fault.params["file"]).read_bytes() == whole
    assert not (tmp_path / "notes.db").exists()


@pytest.mark.parametrize("content", [b"", b"{", b'[{"id": 1}]', b"\xff\xfe", b"[" * 5000])
def test_empty_old_files_are_kept_beside_it(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "timers.json").write_bytes(content)
    (tmp_path / "notes.db").write_bytes(b"Dear Sir or Madam, " * 100)
    notes, timers, faults = asyncio.run(read(tmp_path))
    assert (notes, timers) == ([], [])
    assert [type(fault) for fault in faults] == [OldFileDamaged, OldFileDamaged]
    kept = sorted((tmp_path / fault.params["file"]).read_bytes() for fault in faults)
    assert kept == sorted([content, b"Dear Sir or Madam, " * 100])


def test_valid_timers_beside_invalid_ones(tmp_path: Path) -> None:
    wrong = [{"id": "t9", "due": "late"}, 5, {"id": "t8", "due": 1e999, "label": "", "set_at": 1}]
    text = json.dumps([*OLD_TIMERS[:1], *wrong])
    (tmp_path / "timers.json").write_text(text, encoding="utf-8")
    _, timers, faults = asyncio.run(read(tmp_path))
    assert timers == TIMERS[:1]
    assert [type(fault) for fault in faults] == [OldFileDamaged]


def test_only_the_user_can_read_it_and_writers_do_not_block_readers(tmp_path: Path) -> None:
    async def scene() -> None:
        home = tmp_path / "home"
        write_home = await Notebook.open(home / FILE_NAME)
        await SqliteNotes(write_home).add("secret")
        for path in home.iterdir():
            assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
        with closing(sqlite3.connect(home / FILE_NAME)) as other:
            assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        await write_home.aclose()

    asyncio.run(scene())


async def fill(home: Path, count: int) -> None:
    notebook = await Notebook.open(home / FILE_NAME)
    notes, timers = SqliteNotes(notebook), SqliteTimers(notebook)
    for number in range(count):
        await notes.add(f"{number} ".ljust(600, "x"))
        await timers.add(Timer("", 5e9 + number, "tea", 1.0))
    await notebook.aclose()


def pages_of(path: Path, table: str) -> list[int]:
    """Return the pages that hold rows of `table`, from 0, recognised by their content."""
    content = path.read_bytes()
    with closing(sqlite3.connect(path)) as database:
        (root,) = database.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)
        ).fetchone()
    start = (root - 1) * PAGE
    if content[start] == 13:
        return [root - 1]
    cells = int.from_bytes(content[start + 3 : start + 5], "big")
    spots = [start + 12 + 2 * cell for cell in range(cells)]
    offsets = [int.from_bytes(content[spot : spot + 2], "big") for spot in spots]
    return [int.from_bytes(content[start + at : start + at + 4], "big") - 1 for at in offsets]


def test_a_damaged_page_loses_only_its_rows(tmp_path: Path) -> None:
    asyncio.run(fill(tmp_path, 100))
    path = tmp_path / FILE_NAME
    torn(path, pages_of(path, "notes")[3])
    notes, timers, (fault,) = asyncio.run(read(tmp_path))
    assert 90 <= len(notes) < 100
    assert len(timers) == 100
    assert isinstance(fault, FAULTS.salvaged)
    assert fault.params["known"] == "200"
    assert fault.params["saved"] == str(100 + len(notes))
    assert (tmp_path / fault.params["file"]).exists()
    assert "entries could be saved" in translate_error(fault)[0]
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_file_that_is_no_database_is_moved_aside(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"Dear Sir or Madam, " * 1000)
    notes, _, (fault,) = asyncio.run(read(tmp_path))
    assert notes == []
    assert isinstance(fault, FAULTS.damaged)
    assert (tmp_path / fault.params["file"]).read_bytes().startswith(b"Dear Sir")


def test_a_file_that_replaces_it_gets_the_missing_entries(tmp_path: Path) -> None:
    async def scene() -> None:
        (tmp_path / "other").mkdir()
        await fill(tmp_path / "other", 2)
        told: asyncio.Queue[StoreError] = asyncio.Queue()
        notebook = await Notebook.open(tmp_path / FILE_NAME, on_fault=told.put_nowait)
        notes = SqliteNotes(notebook)
        await notes.add("mine")
        (tmp_path / "other" / FILE_NAME).replace(tmp_path / FILE_NAME)
        assert {note.text.strip("x ") for note in await notes.search([], 9)} == {"0", "1", "mine"}
        fault = await asyncio.wait_for(told.get(), 20)
        assert isinstance(fault, FAULTS.replaced)
        assert isinstance(fault, StoreReplaced)
        await notebook.aclose()

    asyncio.run(scene())


def test_without_a_folder_it_is_kept_in_memory(tmp_path: Path) -> None:
    async def scene() -> None:
        (tmp_path / "file").write_text("x")
        notebook = await Notebook.open(tmp_path / "file" / FILE_NAME)
        assert [type(fault) for fault in notebook.faults] == [StoreError]
        assert (await SqliteNotes(notebook).add("works")).id == 1
        await notebook.aclose()
        with pytest.raises(StoreError):
            await SqliteNotes(notebook).add("closed")

    asyncio.run(scene())


def test_old_files_wait_while_the_notebook_is_locked(tmp_path: Path) -> None:
    async def scene() -> None:
        await fill(tmp_path, 1)
        write_old(tmp_path)
        with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            notebook = await Notebook.open(tmp_path / FILE_NAME, busy=0.05)
            assert [fault.code for fault in notebook.faults] == ["store_locked"]
            await notebook.aclose()
        assert (tmp_path / "notes.db").exists()
        notes, timers, faults = await read(tmp_path)
        assert (len(notes), len(timers), faults) == (3, 3, [])

    asyncio.run(scene())


def test_two_processes_migrate_once(tmp_path: Path) -> None:
    async def scene() -> None:
        write_old(tmp_path)
        both = await asyncio.gather(*(Notebook.open(tmp_path / FILE_NAME) for _ in range(2)))
        for notebook in both:
            assert await SqliteNotes(notebook).search([], 9) == NOTES
            assert notebook.faults == []
            await notebook.aclose()

    asyncio.run(scene())


DAY = date(2026, 11, 27)
NOON = datetime(2026, 11, 27, 12)


async def deleted_and_backed_up(path: Path) -> Notebook:
    """A notebook with a note to keep and deleted entries, which are in its daily backup too."""
    notebook = await Notebook.open(path)
    notes = SqliteNotes(notebook, NOON.timestamp)
    todos = TodoStore(notebook, NOON.timestamp)
    await notes.add("keep-this-note")
    await notes.delete((await notes.add("secret-note")).id)
    await todos.delete((await todos.add("secret-todo")).id)
    await notebook.change(
        lambda db: db.execute(
            "INSERT INTO appointments (title, prompt, said, rule, zone, maker, made, deleted) "
            "VALUES ('secret-appointment', '', '', '', '', '', 1, ?)",
            (NOON.timestamp(),),
        )
    )
    await asyncio.to_thread(create_backup, path, DAY)
    return notebook


def secrets_in(folder: Path) -> list[str]:
    """The files that contain a word of the deleted entries."""
    return sorted(one.name for one in folder.iterdir() if b"secret-" in one.read_bytes())


@pytest.mark.parametrize("synced", [False, True])
def test_purged_entries_are_erased_in_the_backups_too(tmp_path: Path, synced: bool) -> None:
    path = tmp_path / FILE_NAME

    async def scene() -> None:
        if synced:
            first = await Notebook.open(path)
            await NotebookReplica(first, lambda: None).start()
            await first.aclose()
        notebook = await deleted_and_backed_up(path)
        copy = backup_path(path, DAY)
        await notebook.purge(NOON.timestamp() + KEPT_SECONDS - 1)
        assert copy.name in secrets_in(tmp_path)
        await notebook.purge(NOON.timestamp() + KEPT_SECONDS + 1)
        assert secrets_in(tmp_path) == []
        assert b"keep-this-note" in copy.read_bytes()
        await notebook.aclose()

    asyncio.run(scene())


def test_entries_deleted_by_another_computer_are_erased_in_the_backups_too(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME

    async def scene() -> None:
        notebook = await deleted_and_backed_up(path)
        shared = NotebookReplica(notebook, lambda: None)
        await shared.start()
        query = "SELECT uid FROM notes WHERE deleted IS NOT NULL"
        uid = (await notebook.read(lambda db: db.execute(query).fetchone()))[0]
        gone = SyncRecord("note", uid, "", RecordVersion(1 << 61, "other", True), b"")
        assert (await shared.apply([gone], 1)).count == 1
        assert b"secret-note" not in backup_path(path, DAY).read_bytes()
        assert b"keep-this-note" in backup_path(path, DAY).read_bytes()
        await notebook.aclose()

    asyncio.run(scene())


def test_one_day_with_a_wrong_clock_purges_nothing(tmp_path: Path) -> None:
    async def scene() -> None:
        notebook = await deleted_and_backed_up(tmp_path / FILE_NAME)
        answers = [None, NOON + timedelta(days=31)]
        kept: list[bool] = []
        done = asyncio.Event()

        async def confirmed(now: datetime) -> datetime | None:
            kept.append(bool(secrets_in(tmp_path)))
            if answers:
                return answers.pop(0)
            done.set()
            return None

        purging = spawn_task(purge_daily(notebook, confirmed, first=0, pause=0), name="purge")
        await done.wait()
        purging.cancel()
        with suppress(asyncio.CancelledError):
            await purging
        assert kept[:3] == [True, True, False]
        await notebook.aclose()

    asyncio.run(scene())
