"""Free pages are returned to the file system at the right time."""

import sqlite3

from neodeskpet.storage.read_connection import CacheRelease


def test_pages_are_returned_at_the_right_time() -> None:
    connection = sqlite3.connect(":memory:")
    done: list[str] = []
    connection.set_trace_callback(done.append)
    later, always = CacheRelease(), CacheRelease(every=0.0)
    later.release_if_due(connection)
    assert not done
    always.release_if_due(connection)
    always.release_if_due(connection)
    assert done == ["PRAGMA shrink_memory"] * 2


def test_a_closed_database_has_none() -> None:
    connection = sqlite3.connect(":memory:")
    connection.close()
    CacheRelease(every=0.0).release_if_due(connection)
