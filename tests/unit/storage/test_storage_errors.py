from __future__ import annotations

import errno
import sqlite3
from pathlib import Path

import pytest

from neodeskpet.core.errors import StoreError, content_class
from neodeskpet.language import translate_error
from neodeskpet.storage.storage_errors import (
    StoreDamaged,
    StoreDeleted,
    StoreFull,
    StoreLocked,
    StoreOverwritten,
    StoreReadOnly,
    StoreSalvaged,
    create_faults,
    is_damage,
    to_store_error,
)


def failure(connection: sqlite3.Connection, *statements: str) -> sqlite3.Error:
    with pytest.raises(sqlite3.Error) as caught:
        for statement in statements:
            connection.execute(statement)
    return caught.value


@pytest.fixture
def connection(tmp_path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(tmp_path / "some.db", isolation_level=None, timeout=0)
    connection.execute("CREATE TABLE t (x)")
    yield connection
    connection.close()


def test_a_full_disk(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA max_page_count = 3")
    error = to_store_error(failure(connection, *["INSERT INTO t VALUES (randomblob(3000))"] * 9))
    assert type(error) is StoreFull
    assert translate_error(error)[0].startswith("The disk is full")


def test_a_read_only_database(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA query_only = 1")
    assert type(to_store_error(failure(connection, "INSERT INTO t VALUES (1)"))) is StoreReadOnly


def test_errors_of_the_system_about_a_file() -> None:
    known = {
        errno.EACCES: StoreReadOnly,
        errno.EROFS: StoreReadOnly,
        errno.ENOSPC: StoreFull,
        errno.EDQUOT: StoreFull,
        errno.EIO: StoreError,
    }
    assert {number: type(to_store_error(OSError(number, "no"))) for number in known} == known


def test_a_locked_database(connection: sqlite3.Connection, tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "some.db", isolation_level=None, timeout=0)
    connection.execute("BEGIN IMMEDIATE")
    error = failure(other, "INSERT INTO t VALUES (1)")
    other.close()
    assert type(to_store_error(error)) is StoreLocked
    assert not is_damage(error)


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "letter.db"
    path.write_bytes(b"Dear Sir or Madam, " * 100)
    connection = sqlite3.connect(path)
    error = failure(connection, "SELECT * FROM sqlite_master")
    connection.close()
    assert is_damage(error)


def test_other_failures_keep_their_text(connection: sqlite3.Connection) -> None:
    error = to_store_error(failure(connection, "INSERT INTO nowhere VALUES (1)"))
    assert type(error) is StoreError
    assert "nowhere" in error.detail
    assert type(to_store_error(OSError("no such device"))) is StoreError
    assert type(to_store_error(PermissionError(13, "no"))) is StoreReadOnly


def test_stored_notices_find_their_text() -> None:
    assert content_class("store_damaged") is StoreDamaged
    assert translate_error(StoreDamaged(file="old.db"))[0].endswith("so a new one was created.")


def test_a_file_has_errors_of_its_own() -> None:
    words = {kind: f"The diary was {kind}." for kind in ("damaged", "salvaged", "deleted")}
    faults = create_faults("diary", **words, replaced="Another.", overwritten="No diary.")
    assert content_class("diary_salvaged") is faults.salvaged
    assert issubclass(faults.salvaged, StoreSalvaged)
    assert translate_error(faults.deleted()) == (
        "The diary was deleted.",
        translate_error(StoreDeleted())[1],
    )
    assert faults.overwritten.hint == StoreOverwritten.hint
    assert (StoreDamaged.code, StoreOverwritten.code) == ("store_damaged", "store_overwritten")
