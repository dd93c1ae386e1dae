from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from neodeskpet.storage.conversation_migrations import MIGRATIONS
from neodeskpet.storage.database_schema import BACKUPS_KEPT, migrate, split_statements
from neodeskpet.storage.storage_errors import StoreTooNew

FIRST = {"001-one": "CREATE TABLE one (x); INSERT INTO one VALUES ('a;b');"}
SECOND = FIRST | {"002-two": "CREATE TABLE two (x);"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "pet.db"


@pytest.fixture
def connection(path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(path, isolation_level=None)
    yield connection
    connection.close()


def tables(connection: sqlite3.Connection) -> set[str]:
    return {
        name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")
    }


def test_all_run_once_in_order(connection: sqlite3.Connection, path: Path) -> None:
    assert migrate(connection, path, SECOND) == ["001-one", "002-two"]
    assert migrate(connection, path, SECOND) == []
    assert {"one", "two"} <= tables(connection)


def in_memory() -> sqlite3.Connection:
    return sqlite3.connect(":memory:", isolation_level=None)


def content(connection: sqlite3.Connection) -> list[tuple[object, ...]]:
    """Return the structure and the rows, without the time of the migrations."""
    names = sorted(tables(connection) - {"migrations"})
    rows = [row for name in names for row in connection.execute(f"SELECT * FROM {name}")]
    return [*connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"), *rows]


def test_a_new_database_in_memory_equals_one_in_a_file(
    connection: sqlite3.Connection, path: Path
) -> None:
    migrate(connection, path, SECOND)
    for _ in range(2):
        with closing(in_memory()) as copy:
            assert migrate(copy, None, SECOND) == ["001-one", "002-two"]
            assert content(copy) == content(connection)
            assert migrate(copy, None, SECOND) == []
            copy.execute("INSERT INTO one VALUES ('only in this copy')")


def test_a_database_in_memory_that_is_not_new_keeps_its_rows() -> None:
    with closing(in_memory()) as old:
        migrate(old, None, FIRST)
        old.execute("INSERT INTO one VALUES ('kept')")
        assert migrate(old, None, SECOND) == ["002-two"]
        assert ("kept",) in old.execute("SELECT x FROM one").fetchall()


def test_a_migration_that_fails_in_memory_fails_each_time() -> None:
    broken = FIRST | {"002-two": "INSERT INTO nowhere VALUES (1);"}
    for _ in range(2):
        with closing(in_memory()) as new, pytest.raises(sqlite3.OperationalError):
            migrate(new, None, broken)


def test_a_new_database_needs_no_backup(connection: sqlite3.Connection, path: Path) -> None:
    migrate(connection, path, SECOND)
    assert list(path.parent.glob("*before*")) == []


def test_an_existing_one_is_copied_before(connection: sqlite3.Connection, path: Path) -> None:
    migrate(connection, path, FIRST)
    connection.execute("INSERT INTO one VALUES ('kept')")
    assert migrate(connection, path, SECOND) == ["002-two"]
    backup = path.with_name("pet.before-002-two.db")
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    copy = sqlite3.connect(backup)
    assert copy.execute("SELECT x FROM one").fetchall() == [("a;b",), ("kept",)]
    assert "two" not in tables(copy)
    copy.close()
    assert list(path.parent.glob("*.part*")) == []


def test_only_the_newest_backups_stay(connection: sqlite3.Connection, path: Path) -> None:
    all_of_them = dict(FIRST)
    migrate(connection, path, all_of_them)
    for number in range(2, 8):
        name = f"00{number}-more"
        all_of_them[name] = f"CREATE TABLE more{number} (x);"
        migrate(connection, path, all_of_them)
        os.utime(path.with_name(f"pet.before-{name}.db"), (number, number))
    names = sorted(found.name for found in path.parent.glob("*before*"))
    assert names == [f"pet.before-00{n}-more.db" for n in (5, 6, 7)]
    assert len(names) == BACKUPS_KEPT


def test_a_failing_migration_changes_nothing(connection: sqlite3.Connection, path: Path) -> None:
    broken = FIRST | {"002-two": "CREATE TABLE two (x); INSERT INTO nowhere VALUES (1);"}
    with pytest.raises(sqlite3.OperationalError):
        migrate(connection, path, broken)
    assert "two" not in tables(connection)
    assert "one" in tables(connection)
    assert migrate(connection, path, SECOND) == ["002-two"]


def test_a_newer_database_is_not_touched(connection: sqlite3.Connection, path: Path) -> None:
    migrate(connection, path, SECOND)
    with pytest.raises(StoreTooNew) as caught:
        migrate(connection, path, FIRST)
    assert "002-two" in str(caught.value)


def test_the_names_are_in_order_and_every_script_is_complete() -> None:
    assert list(MIGRATIONS) == sorted(MIGRATIONS)
    for script in MIGRATIONS.values():
        assert "".join("".join(split_statements(script)).split()) == "".join(script.split())


def test_semicolons_in_strings_end_no_statement() -> None:
    assert split_statements(FIRST["001-one"])[1] == "INSERT INTO one VALUES ('a;b');"
    assert split_statements("CREATE TABLE a (x);  ;") == ["CREATE TABLE a (x);"]
