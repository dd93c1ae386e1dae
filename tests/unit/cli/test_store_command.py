"""`neodeskpet store move`: to a server and back, without a loss."""

from __future__ import annotations

import asyncio
import os
import pty
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from pathlib import Path

import psycopg
import pytest

from neodeskpet.cli import memory_command, store_command
from neodeskpet.memory.recall.memory_indexer import MemoryIndexer, forget_items
from neodeskpet.memory.recall.memory_schema import MEMORY_FILE as MEMORY_FILE
from neodeskpet.memory.recall.memory_store import MemoryStore
from neodeskpet.memory.recall.recall_types import MemoryItem
from neodeskpet.settings.secrets import ENVIRONMENT, PASSPHRASE_ENVIRONMENT
from neodeskpet.settings.store import FILE_NAME as SETTINGS_FILE
from neodeskpet.settings.store import SettingsStore
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from neodeskpet.storage.conversation_store import SqliteStore
from tests.support.postgres import PASSWORD, postgres
from tests.support.unmeasured import unmeasured_children
from tests.unit.sync.test_sync_engine import everything, said

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def passphrase(monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes from the server is exactly what was sent: nobody else can have written it."""
    monkeypatch.setenv(PASSPHRASE_ENVIRONMENT, "correct horse")


def fill(home: Path, *names: str) -> None:
    async def scene() -> None:
        store = await SqliteStore.open(home / CONVERSATIONS_FILE)
        made = await store.create_conversation("t")
        for at, name in enumerate(names):
            await store.add_message(made.id, said(name, at=float(at)))
        await store.aclose()

    asyncio.run(scene())


def look(home: Path) -> object:
    async def scene() -> object:
        store = await SqliteStore.open(home / CONVERSATIONS_FILE)
        found = await everything(store)
        await store.aclose()
        return found

    return asyncio.run(scene())


def address_in(home: Path) -> str:
    return SettingsStore(home / SETTINGS_FILE).settings.sharing.address


def run(home: Path, to: str) -> int:
    return store_command.run(["move", "--to", to, "--data-dir", str(home)])


def test_to_the_server_and_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(ENVIRONMENT, PASSWORD)
    address = postgres().new_database()
    one, other = tmp_path / "one", tmp_path / "other"
    for home in (one, other):
        home.mkdir()
    fill(one, *(f"m{at}" for at in range(60)))
    before = look(one)
    assert run(one, address) == 0
    assert run(one, address) == 0  # now it has read what it sent
    with closing(
        sqlite3.connect(one / CONVERSATIONS_FILE)
    ) as ours:  # It was lost: the server knows it.
        lost = ours.execute("DELETE FROM shared_known WHERE kind = 'choice'")
        assert lost.rowcount > 0
        ours.commit()
    assert run(one, address) == 0
    told = capsys.readouterr()
    assert address in told.out and "before-move" in told.out and PASSWORD not in told.out
    assert address_in(one) == address
    assert list(one.glob("neodeskpet.before-move-*.db"))
    assert run(other, address) == 0
    assert look(other) == look(one) == before
    assert run(other, "sqlite") == 0
    assert address_in(other) == ""
    assert look(other) == before
    assert run(other, "sqlite") == 1
    assert "Sync is off" in capsys.readouterr().err


def by_hand(
    home: Path, *deeds: Callable[[MemoryStore], Awaitable[object]]
) -> dict[str, MemoryItem]:
    """The content of the memory after these changes."""

    async def scene() -> dict[str, MemoryItem]:
        store = await SqliteStore.open(home / CONVERSATIONS_FILE)
        book = await MemoryStore.open(home / MEMORY_FILE)
        try:
            await MemoryIndexer(book, store).catch_up()
            for deed in deeds:
                await deed(book)
            return {one.id: one for one in await book.get(["m0", "m1"])}
        finally:
            await book.aclose()
            await store.aclose()

    return asyncio.run(scene())


def test_manual_changes_of_the_memory_are_moved_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(ENVIRONMENT, PASSWORD)
    address = postgres().new_database()
    one, other = tmp_path / "one", tmp_path / "other"
    for home in (one, other):
        home.mkdir()
    fill(one, "m0", "m1")
    before = by_hand(
        one,
        lambda book: book.set_pinned("m0", True),
        lambda book: book.correct("m0", "other words"),
    )
    assert (before["m0"].pinned, before["m0"].text) == (True, "other words")
    assert run(one, address) == run(other, address) == 0
    assert by_hand(other) == before
    after = by_hand(
        other, lambda book: book.set_pinned("m0", False), lambda book: book.set_pinned("m1", True)
    )
    assert run(other, "sqlite") == run(one, "sqlite") == 0
    assert by_hand(one) == after != before
    assert run(one, address) == 0
    spoil = "UPDATE neodeskpet.records SET value = 'null' WHERE kind = 'correction'"
    postgres().query(address, spoil)
    assert run(one, "sqlite") == 1
    assert "differ" in capsys.readouterr().err
    # An item that was deleted here is pinned there meanwhile: it is deleted, and both can leave.
    by_hand(one, lambda book: book.correct("m0", "again other words"))
    asyncio.run(forget_on(one, "m0"))
    by_hand(
        other, lambda book: book.set_pinned("m0", True), lambda book: book.correct("m0", "mine")
    )
    for home in (one, other, one):
        assert run(home, address) == 0
    assert "m0" not in by_hand(other).keys() | by_hand(one).keys()


async def forget_on(home: Path, message: str) -> None:
    store = await SqliteStore.open(home / CONVERSATIONS_FILE)
    book = await MemoryStore.open(home / MEMORY_FILE)
    await forget_items(book, store, [message])
    await book.aclose()
    await store.aclose()


def test_data_that_can_not_be_moved_is_reported_and_nothing_is_switched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(tmp_path, "a")
    address = postgres().new_database()
    assert run(tmp_path, address.replace("person@", "person:x@")) == 1
    assert "contains a password" in capsys.readouterr().err
    monkeypatch.setenv(ENVIRONMENT, "wrong")
    assert run(tmp_path, address) == 1
    assert "name or the password" in capsys.readouterr().err
    assert address_in(tmp_path) == ""
    assert store_command.run(["move"]) == 2


def test_a_copy_that_differs_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(ENVIRONMENT, PASSWORD)
    address = postgres().new_database()
    fill(tmp_path, "a")
    assert run(tmp_path, address) == 0
    assert run(tmp_path, address) == 0  # again: it continues where it was
    spoil = "UPDATE neodeskpet.records SET value = '[]' WHERE kind = 'title'"
    postgres().query(address, spoil)
    assert run(tmp_path, "sqlite") == 1
    assert address_in(tmp_path) == address
    assert "differ" in capsys.readouterr().err


def test_a_stopped_or_killed_move_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ENVIRONMENT, PASSWORD)
    address = postgres().new_database()
    one, other = tmp_path / "one", tmp_path / "other"
    for home in (one, other):
        home.mkdir()
    fill_fast(one, 1000)
    before = look(one)

    def there() -> int:
        with suppress(psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
            ((count,),) = postgres().query(address, "SELECT count(*) FROM neodeskpet.records")
            return int(str(count))
        return 0

    def fetched() -> int:
        with (
            suppress(sqlite3.Error),
            closing(sqlite3.connect(other / CONVERSATIONS_FILE)) as connection,
        ):
            return int(connection.execute("SELECT count(*) FROM messages").fetchone()[0])
        return 0

    code, read = end_when(one, address, lambda: there() > 600, signal.SIGINT)
    assert code == 130 and re.search("\r\x1b\\[K[0-9]+/[0-9]{4} ", read), read
    assert "to continue" in read and "Traceback" not in read
    assert address_in(one) == ""
    sent = there()
    assert look(one) == before
    assert run(one, address) == 0
    assert there() > sent
    end_when(other, address, lambda: fetched() > 0)
    assert address_in(other) == ""
    assert run(other, address) == 0
    assert look(other) == look(one) == before
    assert (address_in(one), address_in(other)) == (address, address)


def fill_fast(home: Path, count: int) -> None:
    """Fill a conversation with that many messages."""

    async def scene() -> None:
        store = await SqliteStore.open(home / CONVERSATIONS_FILE)
        made = await store.create_conversation("t")
        await asyncio.gather(
            *(store.add_message(made.id, said(f"m{at}", at=float(at))) for at in range(count))
        )
        await store.aclose()

    asyncio.run(scene())


def end_when(
    home: Path, to: str, far: Callable[[], bool], how: signal.Signals = signal.SIGKILL
) -> tuple[int, str]:
    """Start to move in a process of its own, and end it when it is so `far`; return its exit code,
    and the output on its terminal.
    """
    command = [sys.executable, "-m", "neodeskpet", "store", "move", "--to", to]
    ours, theirs = pty.openpty()
    # Tests that run in the background ignore it, and child processes inherit that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with unmeasured_children():
            child = subprocess.Popen(
                [*command, "--data-dir", str(home)],
                stdout=subprocess.DEVNULL,
                stderr=theirs,
                cwd=ROOT,
            )
    finally:
        signal.signal(signal.SIGINT, before)
        os.close(theirs)
    while not far() and child.poll() is None:
        time.sleep(0.005)
    assert child.poll() is None, "it was done before it was ended"
    child.send_signal(how)
    code = child.wait()
    read = b""
    with suppress(OSError):  # The other side of the terminal is closed.
        while piece := os.read(ours, 4096):
            read += piece
    os.close(ours)
    return code, read.decode()


def test_a_server_that_does_not_answer_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(ENVIRONMENT, PASSWORD)
    fill(tmp_path, "a")
    before = sorted(one.name for one in tmp_path.iterdir())
    assert run(tmp_path, "postgresql://me@127.0.0.1:1/none") == 1
    told = capsys.readouterr()
    assert "does not answer" in told.err and "Nothing was changed." in told.err
    assert "sent" not in told.err  # a command sends nothing later
    assert not told.out
    assert sorted(one.name for one in tmp_path.iterdir()) == before


def test_what_the_terminal_deletes_is_sent_within_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(ENVIRONMENT, PASSWORD)
    address = postgres().new_database()
    fill(tmp_path, "m0", "m1", "m2")
    assert run(tmp_path, address) == 0

    def there() -> set[object]:
        query = "SELECT id FROM neodeskpet.records WHERE kind = 'message' AND NOT gone"
        return {one for (one,) in postgres().query(address, query)}

    data = ["--data-dir", str(tmp_path)]
    assert memory_command.run(["forget", "m0", *data]) == 0
    assert there() == {"m1", "m2"}
    assert "to be sent" not in capsys.readouterr().err
    monkeypatch.setenv(ENVIRONMENT, "wrong")
    assert memory_command.run(["forget", "m1", *data]) == 0
    told = capsys.readouterr().err
    assert "to be sent" in told and "password" in told
    assert there() == {"m1", "m2"}
    monkeypatch.setenv(ENVIRONMENT, PASSWORD)
    assert memory_command.run(["clear", "--yes", *data]) == 0
    assert there() == {"m2"}


def test_delete_on_the_server_ends_sync_here_and_everywhere_until_it_is_switched_on_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(ENVIRONMENT, PASSWORD)
    address = postgres().new_database()
    fill(tmp_path, "m0")
    data = ["--data-dir", str(tmp_path)]
    assert store_command.run(["delete", "--yes", *data]) == 1
    assert "Sync is off" in capsys.readouterr().err
    assert run(tmp_path, address) == 0
    before = look(tmp_path)
    assert store_command.run(["delete", "--yes", *data]) == 0
    assert address_in(tmp_path) == ""
    assert look(tmp_path) == before
    assert postgres().query(address, "SELECT to_regclass('neodeskpet.records')") == [(None,)]
    assert run(tmp_path, address) == 0
    assert store_command.run(["delete", "--yes", "--address", address, *data]) == 0
    assert store_command.run(["delete", *data]) == 2
