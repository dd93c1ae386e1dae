"""The local log of changes (`triggers.py` writes it): what is to be sent, what is known of the
server. All functions run on a connection, inside the caller's transaction.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from neodeskpet.core.json_text import nests_deeper
from neodeskpet.database.change_log import DAY, LATEST_STAMP, NOW
from neodeskpet.memory.shared.record import KEPT, KINDS, Record, Version

_log = logging.getLogger(__name__)

MOST = 200
"""Records that are read or written in one transaction, so that other work waits briefly."""
LETTERS = 2_000_000
"""The same limit in bytes of their values, approximately."""
RUNNING = b"running"
"""The value of a record that is not sent yet because a reply is being written."""
_DEPTH = 80
_LONGEST_ID = 1000
SET_ASIDE = "set aside"
"""Kind of the local rows that name unreadable records of the server. Never sent."""
UNSETTLED = "unsettled"
"""Kind of the local rows that name conversations whose tree is to be rebuilt. Never sent."""
REFUSED = 2
"""`waits` of a record that the server does not accept."""

Read = Callable[[sqlite3.Connection, str, str, Version, str | None], Record | None]


def begin(connection: sqlite3.Connection, device: str) -> None:
    """Take part in sync from now on, as `device`."""
    connection.execute("INSERT OR IGNORE INTO shared_self (one, device) VALUES (1, ?)", (device,))


@contextmanager
def unlogged(connection: sqlite3.Connection) -> Iterator[None]:
    """Changes inside concern this computer alone: other computers keep what they have."""
    before = connection.execute("SELECT applying FROM shared_self").fetchone()
    connection.execute("UPDATE shared_self SET applying = 1")
    try:
        yield
    finally:
        connection.execute("UPDATE shared_self SET applying = ?", before or (0,))


def note_all(connection: sqlite3.Connection, kind: str, query: str) -> None:
    """Existing rows are to be sent too. `query` gives their ids, and when each was last written
    (unix seconds), so that later changes of another computer win.
    """
    connection.execute(
        "INSERT INTO shared_known (kind, id, stamp, device, waits) "
        f"SELECT ?, a.id, min(CAST(a.at * 1000 AS INTEGER) * 1000, {NOW}), s.device, 1 "
        f"FROM ({query}) AS a, shared_self AS s WHERE 1 ON CONFLICT (kind, id) DO NOTHING",
        (kind,),
    )


def note(
    connection: sqlite3.Connection, kind: str, one: str, at: int, *, gone: bool = False
) -> None:
    """This record changed at this time (unix microseconds), which no trigger notes. What was
    deleted for good stays so.
    """
    connection.execute(
        "INSERT INTO shared_known (kind, id, stamp, device, gone, waits) "
        f"SELECT ?, ?, max(1, min(?, {NOW})), device, ?, 1 FROM shared_self WHERE 1 "
        "ON CONFLICT (kind, id) DO UPDATE SET stamp = max(excluded.stamp, shared_known.stamp + 1), "
        "device = excluded.device, gone = excluded.gone, waits = 1, value = NULL "
        "WHERE shared_known.gone = 0",
        (kind, one, at, int(gone)),
    )


def read_self(connection: sqlite3.Connection) -> tuple[str, str, int, str] | None:
    """The id of this computer, the id of its server, the number of the last record that was fetched
    there and the token of the last push that is known; None while sync is off.
    """
    row = connection.execute("SELECT device, server, cursor, token FROM shared_self").fetchone()
    return None if row is None else (str(row[0]), str(row[1]), int(row[2]), str(row[3]))


def turn_to(connection: sqlite3.Connection, server: str) -> None:
    """Use this server, of which nothing is known: everything is compared with it."""
    connection.execute("UPDATE shared_self SET server = ?, cursor = 0, token = ''", (server,))
    connection.execute("DELETE FROM shared_known WHERE kind = ?", (SET_ASIDE,))
    connection.execute("UPDATE shared_known SET waits = 1 WHERE kind <> ?", (UNSETTLED,))


def note_token(connection: sqlite3.Connection, token: str) -> None:
    """This is the last push to the server that is known here. The logical clock goes back to the
    wall clock if that was set back by more than a day.
    """
    connection.execute(
        f"UPDATE shared_self SET token = ?, clock = CASE WHEN clock > {NOW} + {DAY} THEN {NOW} "
        "ELSE clock END",
        (token,),
    )


def count_waiting(connection: sqlite3.Connection) -> int:
    (count,) = connection.execute("SELECT count(*) FROM shared_known WHERE waits = 1").fetchone()
    return int(count)


def count_set_aside(connection: sqlite3.Connection) -> int:
    """Records that cannot be read here, and those that the server refused."""
    query = "SELECT count(*) FROM shared_known WHERE kind = ? OR waits = ?"
    (count,) = connection.execute(query, (SET_ASIDE, REFUSED)).fetchone()
    return int(count)


def refuse(connection: sqlite3.Connection, records: Sequence[Record]) -> None:
    """The server does not accept these. They are sent again when they change."""
    connection.executemany(
        "UPDATE shared_known SET waits = ? WHERE kind = ? AND id = ?",
        [(REFUSED, one.kind, one.id) for one in records],
    )


def gather(
    connection: sqlite3.Connection, read: Read, held: frozenset[str] = frozenset(), most: int = MOST
) -> list[Record]:
    """The first records to be sent, without those of the conversations `held`. Changes of one
    transaction are sent in one transaction. A row that cannot be read is set aside.
    """
    found: list[Record] = []
    stale: list[tuple[str, str]] = []
    broken: list[tuple[str, str]] = []
    letters = last = 0
    # Row by row: reading all waiting rows for each batch would take hours on a first sync.
    for kind, one, stamp, device, gone, value in connection.execute(
        "SELECT kind, id, stamp, device, gone, value FROM shared_known WHERE waits = 1 "
        "ORDER BY stamp"
    ):
        if stamp != last and (len(found) >= most or letters >= LETTERS):
            break
        last = stamp
        version = Version(stamp, device, bool(gone))
        try:
            record = (
                Record(kind, one, "", version)
                if gone
                else read(connection, kind, one, version, value)
            )
        except UNREADABLE as error:
            _log.warning("The %s %s cannot be sent: %s", kind, one, error)
            broken.append((kind, one))
            continue
        if record is None:
            stale.append((kind, one))
        elif record.conversation not in held and record.value != RUNNING:
            found.append(record)
            letters += len(record.value)
    for kind, one in stale:
        _drop(connection, kind, one)
    refuse(connection, [Record(kind, one, "", Version(0, "")) for kind, one in broken])
    return found


def sent(connection: sqlite3.Connection, records: Sequence[Record]) -> None:
    """The server has these now. A record that changed again meanwhile is still to be sent. The
    value of a `KEPT` record is stored here, because rows may not show it any more later.
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
    """Have `take` write the records that are later than what is known here, and store the number up
    to which the server was read; how many records were written. `take` returns what the log keeps,
    and may raise what a broken record makes it raise: that record is set aside. Records that don't
    fit are skipped. None of this is logged as a change of this computer, so `finish` has to follow.
    """
    connection.execute("UPDATE shared_self SET applying = 1")
    count = 0
    for one in records:
        if not is_sound(one):
            set_aside(connection, one, "its id, kind or stamp is not valid")
        elif is_news(connection, one) and fits(one):
            count += _try(connection, one, take)
    top = max((one.version.stamp for one in records if is_sound(one)), default=0)
    connection.execute(
        "UPDATE shared_self SET cursor = max(cursor, ?), "
        f"clock = CASE WHEN ? > {NOW} + {DAY} THEN clock ELSE max(clock, ?) END",
        (cursor, top, top),
    )
    return count


def is_sound(record: Record) -> bool:
    """Whether another computer may have written this."""
    return (
        record.kind in KINDS
        and 0 < len(record.id) <= _LONGEST_ID
        and 0 <= record.version.stamp <= LATEST_STAMP
    )


def set_aside(connection: sqlite3.Connection, record: Record, reason: str) -> None:
    """This record of the server cannot be read here. It counts until a later one replaces it."""
    _log.warning("The %s %.80r of the server is set aside: %s", record.kind, record.id, reason)
    connection.execute(
        "INSERT INTO shared_known (kind, id, stamp, device, gone, value) "
        "VALUES (?, ?, 0, '', 1, ?) ON CONFLICT (kind, id) DO UPDATE SET value = excluded.value",
        (SET_ASIDE, f"{record.kind}/{record.id[:_LONGEST_ID]}", reason),
    )


def finish(connection: sqlite3.Connection) -> None:
    """Changes are logged again from now on."""
    connection.execute("UPDATE shared_self SET applying = 0")


def is_news(connection: sqlite3.Connection, record: Record) -> bool:
    """Whether it is later than what is known here."""
    row = connection.execute(
        "SELECT stamp, device, gone FROM shared_known WHERE kind = ? AND id = ?",
        (record.kind, record.id),
    ).fetchone()
    if row is None or record.version.beats(Version(row[0], row[1], bool(row[2]))):
        return True
    if row[2] and not record.version.gone:  # the server was restored from a backup: send it again
        connection.execute(
            "UPDATE shared_known SET waits = 1 WHERE kind = ? AND id = ?", (record.kind, record.id)
        )
    return False


def is_gone(connection: sqlite3.Connection, kind: str, one: str) -> bool:
    """Whether it was deleted for good, here or elsewhere."""
    query = "SELECT gone FROM shared_known WHERE kind = ? AND id = ?"
    row = connection.execute(query, (kind, one)).fetchone()
    return row is not None and bool(row[0])


UNREADABLE = (
    *(ValueError, TypeError, LookupError, ArithmeticError, RecursionError),
    *(sqlite3.DataError, sqlite3.IntegrityError, sqlite3.InterfaceError),
)
"""What a broken record or row makes its reader raise. (OverflowError is an ArithmeticError.)"""


def _try(
    connection: sqlite3.Connection, record: Record, take: Callable[[Record], str | None]
) -> bool:
    """False if it can't be read: it is set aside as a whole, whichever program wrote it."""
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
    except UNREADABLE as error:
        connection.execute("ROLLBACK TO record")
        set_aside(connection, record, str(error))
        return False
    finally:
        connection.execute("RELEASE record")
    _drop(connection, SET_ASIDE, f"{record.kind}/{record.id}")
    return True


def _drop(connection: sqlite3.Connection, kind: str, one: str) -> None:
    connection.execute("DELETE FROM shared_known WHERE kind = ? AND id = ?", (kind, one))


def written(value: object) -> bytes:
    """As JSON. Half an emoji, where a gateway may cut a reply, is kept."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def read_value(value: bytes) -> Any:
    """Raises ValueError."""
    text = value.decode("utf-8", "surrogatepass")
    if nests_deeper(text, _DEPTH):
        raise ValueError("it is nested too deeply")
    return json.loads(text)
