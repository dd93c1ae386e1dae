"""The ledger of what changed, in a file of this computer: `triggers.py` writes it. On a connection,
inside the caller's transaction; what is in the records is others' affair.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

from neodeskpet.core.json_text import nests_deeper
from neodeskpet.memory.shared.record import KEPT, Record, Version

_log = logging.getLogger(__name__)

MOST = 200
"""Records that are read, or written, in one transaction: others wait for no more."""
LETTERS = 2_000_000
"""The same in bytes of their values, about."""
RUNNING = b"running"
"""The value of what isn't sent yet: it is being written."""
_DEPTH = 80

Read = Callable[[sqlite3.Connection, str, str, Version, str | None], Record | None]


def begin(connection: sqlite3.Connection, device: str) -> None:
    """Share from now on, under this name."""
    connection.execute("INSERT OR IGNORE INTO shared_self (one, device) VALUES (1, ?)", (device,))


def note_all(connection: sqlite3.Connection, kind: str, query: str) -> None:
    """What is here already waits too. `query` gives ids, and when each was last written (unix
    seconds), so that what was done since on another computer stands.
    """
    connection.execute(
        "INSERT INTO shared_known (kind, id, stamp, device, waits) "
        "SELECT ?, a.id, CAST(a.at * 1000 AS INTEGER) * 1000, s.device, 1 "
        f"FROM ({query}) AS a, shared_self AS s WHERE 1 ON CONFLICT (kind, id) DO NOTHING",
        (kind,),
    )


def read_self(connection: sqlite3.Connection) -> tuple[str, str, int] | None:
    """The name of this computer, the id of the server that it is in step with, and the number of
    the last record that was fetched there; None while it doesn't share.
    """
    row = connection.execute("SELECT device, server, cursor FROM shared_self").fetchone()
    return None if row is None else (str(row[0]), str(row[1]), int(row[2]))


def turn_to(connection: sqlite3.Connection, server: str) -> None:
    """Be in step with this server, of which nothing is known: all is compared."""
    connection.execute("UPDATE shared_self SET server = ?, cursor = 0", (server,))
    connection.execute("UPDATE shared_known SET waits = 1")


def count_waiting(connection: sqlite3.Connection) -> int:
    (count,) = connection.execute("SELECT count(*) FROM shared_known WHERE waits = 1").fetchone()
    return int(count)


def gather(
    connection: sqlite3.Connection, read: Read, held: frozenset[str] = frozenset(), most: int = MOST
) -> list[Record]:
    """The first of what waits to be sent, without that of the conversations `held`. What was
    changed at once goes at once.
    """
    found: list[Record] = []
    stale: list[tuple[str, str]] = []
    letters = last = 0
    # Row by row: to read all that waits for each portion would take a joining computer hours.
    for kind, one, stamp, device, gone, value in connection.execute(
        "SELECT kind, id, stamp, device, gone, value FROM shared_known WHERE waits = 1 "
        "ORDER BY stamp"
    ):
        if stamp != last and (len(found) >= most or letters >= LETTERS):
            break
        last = stamp
        version = Version(stamp, device, bool(gone))
        record = (
            Record(kind, one, "", version) if gone else read(connection, kind, one, version, value)
        )
        if record is None:
            stale.append((kind, one))
        elif record.conversation not in held and record.value != RUNNING:
            found.append(record)
            letters += len(record.value)
    for kind, one in stale:
        _drop(connection, kind, one)
    return found


def sent(connection: sqlite3.Connection, records: Sequence[Record]) -> None:
    """These are on the server; what changed again meanwhile waits again. What a row may not show
    any more when others have spoken is kept as it was sent.
    """
    connection.executemany(
        "UPDATE shared_known SET waits = 0, value = coalesce(?, value) "
        "WHERE kind = ? AND id = ? AND stamp = ? AND device = ?",
        [
            (
                str(read_value(one.value)) if one.kind in KEPT and not one.version.gone else None,
                *(one.kind, one.id, one.version.stamp, one.version.device),
            )
            for one in records
        ],
    )


def apply(
    connection: sqlite3.Connection,
    records: Sequence[Record],
    cursor: int,
    take: Callable[[Record], str | None],
    fits: Callable[[Record], bool] = lambda record: True,
) -> int:
    """Have `take` write what is later than what is known here, and remember up to which number it
    was read; how many records it took. `take` gives what is to be kept in the ledger, and may raise
    what a broken record makes it raise; what doesn't fit is left. What it does isn't noted as a
    change of ours, and so `finish` has to follow.
    """
    connection.execute("UPDATE shared_self SET applying = 1")
    count = 0
    for one in records:
        if is_news(connection, one) and fits(one):
            count += _try(connection, one, take)
    top = max((one.version.stamp for one in records), default=0)
    connection.execute(
        "UPDATE shared_self SET cursor = max(cursor, ?), clock = max(clock, ?)", (cursor, top)
    )
    return count


def finish(connection: sqlite3.Connection) -> None:
    """What is written from now on is ours."""
    connection.execute("UPDATE shared_self SET applying = 0")


def is_news(connection: sqlite3.Connection, record: Record) -> bool:
    """Whether it is later than what is known here."""
    row = connection.execute(
        "SELECT stamp, device, gone FROM shared_known WHERE kind = ? AND id = ?",
        (record.kind, record.id),
    ).fetchone()
    if row is None or record.version.beats(Version(row[0], row[1], bool(row[2]))):
        return True
    if row[2] and not record.version.gone:  # the server was set back: it is told again
        connection.execute(
            "UPDATE shared_known SET waits = 1 WHERE kind = ? AND id = ?", (record.kind, record.id)
        )
    return False


def is_gone(connection: sqlite3.Connection, kind: str, one: str) -> bool:
    """Whether it was deleted for good, here or elsewhere."""
    query = "SELECT gone FROM shared_known WHERE kind = ? AND id = ?"
    row = connection.execute(query, (kind, one)).fetchone()
    return row is not None and bool(row[0])


def _try(
    connection: sqlite3.Connection, record: Record, take: Callable[[Record], str | None]
) -> bool:
    """What can't be read, whichever program wrote it, is left out as a whole."""
    connection.execute("SAVEPOINT record")
    try:
        kept = take(record)
        connection.execute(
            "INSERT INTO shared_known (kind, id, stamp, device, gone, waits, value) "
            "VALUES (?, ?, ?, ?, ?, 0, ?) ON CONFLICT (kind, id) DO UPDATE SET "
            "stamp = excluded.stamp, device = excluded.device, gone = excluded.gone, waits = 0, "
            "value = excluded.value",
            (
                *(record.kind, record.id, record.version.stamp, record.version.device),
                *(int(record.version.gone), kept),
            ),
        )
    except (ValueError, TypeError, LookupError, *_BROKEN) as error:
        _log.warning("The %s %s of the server can't be read: %s", record.kind, record.id, error)
        connection.execute("ROLLBACK TO record")
        return False
    finally:
        connection.execute("RELEASE record")
    return True


_BROKEN = (sqlite3.DataError, sqlite3.IntegrityError, sqlite3.InterfaceError)


def _drop(connection: sqlite3.Connection, kind: str, one: str) -> None:
    connection.execute("DELETE FROM shared_known WHERE kind = ? AND id = ?", (kind, one))


def written(value: object) -> bytes:
    """Half an emoji, which a gateway may cut a reply at, goes along as it is."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def read_value(value: bytes) -> Any:
    """Raises ValueError."""
    text = value.decode("utf-8", "surrogatepass")
    if nests_deeper(text, _DEPTH):
        raise ValueError("it is nested too deeply")
    return json.loads(text)
