"""The check runs in the background: opening a database doesn't wait for it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Event

from neodeskpet.storage.integrity_check import IntegrityCheck

PAGE = 4096


def damaged(path: Path) -> Path:
    """A database that can be opened and has a row with an impossible place."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"PRAGMA page_size = {PAGE}")
        connection.execute("CREATE TABLE t (text TEXT)")
        connection.executemany("INSERT INTO t VALUES (?)", [("word " * 50,)] * 400)
    content = bytearray(path.read_bytes())
    content[10 * PAGE + 8 : 10 * PAGE + 12] = b"\x7f\xff\x12\x34"
    path.write_bytes(content)
    return path


def test_opening_does_not_wait_for_it(tmp_path: Path) -> None:
    begun, told, in_time = Event(), Event(), list[bool]()

    def found() -> None:
        in_time.append(begun.wait(20))
        told.set()

    check = IntegrityCheck(damaged(tmp_path / "a.db"), found)
    begun.set()
    assert told.wait(60)
    check.stop()
    assert in_time == [True]


def test_a_valid_file_passes_silently(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE t (text TEXT)")
    said: list[str] = []
    check = IntegrityCheck(path, lambda: said.append("damaged"))
    check._thread.join(60)
    check.stop()
    assert said == []
