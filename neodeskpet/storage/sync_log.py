"""The values that sync exchanges (`SyncRecord`, `RecordVersion`), and what this computer knows
about the server: what must be sent, what was received, what is set aside. All functions run on a
connection, inside the caller's transaction.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from neodeskpet.core.json_text import nests_deeper
from neodeskpet.storage.change_log import DAY_MICROSECONDS, LATEST_STAMP, NOW_MICROSECONDS

CONVERSATION_FIELDS = ("title", "pinned", "archived", "folder", "character")
"""The fields of a conversation besides its times."""
STORED_KINDS = ("place", "choice")
USER_EDIT_KINDS = ("pin", "correction")
CLEARED_KIND = "cleared"
NOTEBOOK_KINDS = ("note", "todo", "appointment")
APART_KIND = "apart"
CARD_KINDS = ("card", "portrait", "persona")
RECORD_KINDS = (
    "conversation",
    *CONVERSATION_FIELDS,
    "message",
    *STORED_KINDS,
    "fact",
    "read",
    *USER_EDIT_KINDS,
    CLEARED_KIND,
    *NOTEBOOK_KINDS,
    APART_KIND,
    *CARD_KINDS,
)
"""`place`: the parent of a message; `choice`: which of several versions is shown, by the id of
their parent, or of the conversation; `fact`: a fact about the user; `read`: no more facts are
derived from this message; `pin` and `correction`: the user's edits of a memory item, whose id
begins with that of its message; `cleared`: the time up to which the user cleared the memory;
`character`: the character of a conversation; `apart`: whether a character has a memory of its own;
`card`, `portrait`: parts of a character; `persona`: that of a figure.
"""


@dataclass(frozen=True, slots=True)
class RecordVersion:
    """When (a hybrid logical clock, about unix microseconds) and where a record was last
    changed.
    """

    stamp: int
    device: str
    deleted: bool = False

    def is_newer_than(self, other: RecordVersion) -> bool:
        """Return whether this version wins over `other`."""
        if self.deleted != other.deleted:
            return self.deleted
        return (self.stamp, self.device) > (other.stamp, other.device)


@dataclass(frozen=True, slots=True)
class SyncRecord:
    """A record of sync. `value` is JSON as bytes, which can represent any text; it is empty for a
    deletion. `pictures`: the digests of the pictures in it.
    """

    kind: str
    id: str
    conversation: str
    version: RecordVersion
    value: bytes = b""
    pictures: frozenset[str] = frozenset()


_log = logging.getLogger(__name__)

MAX_RECORDS = 200
"""Most records that are read or written in one transaction, so that other work waits only
briefly.
"""
MAX_CHARACTERS = 2_000_000
"""The limit in bytes of their values, approximately."""
RUNNING_VALUE = b"running"
"""The value of a record that is not sent yet because a reply is being written."""
_MAX_DEPTH = 80
_MAX_ID = 1000
SET_ASIDE_REASON = "set aside"
"""Kind of the local rows that name unreadable records of the server. Never sent."""
UNSETTLED_REASON = "unsettled"
"""Kind of the local rows that name conversations whose tree is to be rebuilt. Never sent."""
REFUSED_STATE = 2
"""The value of `waits` for a record that the server refused."""

ReadRecord = Callable[[sqlite3.Connection, str, str, RecordVersion, str | None], SyncRecord | None]


def start_logging(connection: sqlite3.Connection, device: str) -> None:
    """Start sync as `device`."""
    connection.execute("INSERT OR IGNORE INTO shared_self (one, device) VALUES (1, ?)", (device,))


@contextmanager
def without_logging(connection: sqlite3.Connection) -> Iterator[None]:
    """Don't log the changes inside: they concern only this computer."""
    before = connection.execute("SELECT applying FROM shared_self").fetchone()
    connection.execute("UPDATE shared_self SET applying = 1")
    try:
        yield
    finally:
        connection.execute("UPDATE shared_self SET applying = ?", before or (0,))


def log_all(connection: sqlite3.Connection, kind: str, query: str) -> None:
    """Log all existing rows, so that they are sent. `query` returns their ids and the times of
    their last change (unix seconds), so that later changes of another computer win.
    """
    connection.execute(
        "INSERT INTO shared_known (kind, id, stamp, device, waits) "
        "SELECT ?, a.id, "
        f"min(CAST(a.at * 1000 AS INTEGER) * 1000, {NOW_MICROSECONDS}), s.device, 1 "
        f"FROM ({query}) AS a, shared_self AS s WHERE 1 ON CONFLICT (kind, id) DO NOTHING",
        (kind,),
    )


def log_change(
    connection: sqlite3.Connection, kind: str, one: str, at: int, *, gone: bool = False
) -> None:
    """Log a change at this time (unix microseconds) that no trigger logs. A permanently deleted
    record stays deleted.
    """
    connection.execute(
        "INSERT INTO shared_known (kind, id, stamp, device, gone, waits) "
        f"SELECT ?, ?, max(1, min(?, {NOW_MICROSECONDS})), device, ?, 1 FROM shared_self WHERE 1 "
        "ON CONFLICT (kind, id) DO UPDATE SET stamp = max(excluded.stamp, shared_known.stamp + 1), "
        "device = excluded.device, gone = excluded.gone, waits = 1, value = NULL "
        "WHERE shared_known.gone = 0",
        (kind, one, at, int(gone)),
    )


def read_self(connection: sqlite3.Connection) -> tuple[str, str, int, str] | None:
    """Return the id of this computer, the id of its server, the number of the last fetched record
    and the token of the last known push; None while sync is off.
    """
    row = connection.execute("SELECT device, server, cursor, token FROM shared_self").fetchone()
    return None if row is None else (str(row[0]), str(row[1]), int(row[2]), str(row[3]))


def use_server(connection: sqlite3.Connection, server: str) -> None:
    """Use this server without known state, so that everything is compared with it."""
    connection.execute("UPDATE shared_self SET server = ?, cursor = 0, token = ''", (server,))
    connection.execute("DELETE FROM shared_known WHERE kind = ?", (SET_ASIDE_REASON,))
    connection.execute("UPDATE shared_known SET waits = 1 WHERE kind <> ?", (UNSETTLED_REASON,))


def set_token(connection: sqlite3.Connection, token: str) -> None:
    """Store the token of the last known push. The logical clock is set back to the wall clock if
    that was set back by more than a day.
    """
    connection.execute(
        "UPDATE shared_self SET token = ?, "
        f"clock = CASE WHEN clock > {NOW_MICROSECONDS} + {DAY_MICROSECONDS} "
        f"THEN {NOW_MICROSECONDS} ELSE clock END",
        (token,),
    )


def count_waiting(connection: sqlite3.Connection) -> int:
    (count,) = connection.execute("SELECT count(*) FROM shared_known WHERE waits = 1").fetchone()
    return int(count)


def count_set_aside(connection: sqlite3.Connection) -> int:
    """Count the records that cannot be read here or were refused by the server."""
    query = "SELECT count(*) FROM shared_known WHERE kind = ? OR waits = ?"
    (count,) = connection.execute(query, (SET_ASIDE_REASON, REFUSED_STATE)).fetchone()
    return int(count)


def mark_refused(connection: sqlite3.Connection, records: Sequence[SyncRecord]) -> None:
    """Mark records as refused by the server. They are sent again when they change."""
    connection.executemany(
        "UPDATE shared_known SET waits = ? WHERE kind = ? AND id = ?",
        [(REFUSED_STATE, one.kind, one.id) for one in records],
    )


def collect_pending(
    connection: sqlite3.Connection,
    read: ReadRecord,
    held: frozenset[str] = frozenset(),
    most: int = MAX_RECORDS,
) -> list[SyncRecord]:
    """Return the first records to send, without those of the conversations `held`. Changes of one
    transaction are sent in one transaction. An unreadable row is set aside.
    """
    found: list[SyncRecord] = []
    stale: list[tuple[str, str]] = []
    broken: list[tuple[str, str]] = []
    letters = last = 0
    # Row by row: reading all pending rows for each batch would take hours at a first sync.
    for kind, one, stamp, device, gone, value in connection.execute(
        "SELECT kind, id, stamp, device, gone, value FROM shared_known WHERE waits = 1 "
        "ORDER BY stamp"
    ):
        if stamp != last and (len(found) >= most or letters >= MAX_CHARACTERS):
            break
        last = stamp
        version = RecordVersion(stamp, device, bool(gone))
        try:
            record = (
                SyncRecord(kind, one, "", version)
                if gone
                else read(connection, kind, one, version, value)
            )
        except RECORD_ERRORS as error:
            _log.warning("The %s %s cannot be sent: %s", kind, one, error)
            broken.append((kind, one))
            continue
        if record is None:
            stale.append((kind, one))
        elif record.conversation not in held and record.value != RUNNING_VALUE:
            found.append(record)
            letters += len(record.value)
    for kind, one in stale:
        _delete_entry(connection, kind, one)
    mark_refused(
        connection, [SyncRecord(kind, one, "", RecordVersion(0, "")) for kind, one in broken]
    )
    return found


def mark_sent(connection: sqlite3.Connection, records: Sequence[SyncRecord]) -> None:
    """Mark records as sent. A record that changed again meanwhile stays pending. The value of a
    record whose kind is in `STORED_KINDS` is stored here, because the rows may not show it later.
    """
    connection.executemany(
        "UPDATE shared_known SET waits = 0, value = coalesce(?, value) "
        "WHERE kind = ? AND id = ? AND stamp = ? AND device = ?",
        [
            (
                str(decode_value(one.value))
                if one.kind in STORED_KINDS and not one.version.deleted
                else None,
                one.kind,
                one.id,
                one.version.stamp,
                one.version.device,
            )
            for one in records
        ],
    )


def apply_records(
    connection: sqlite3.Connection,
    records: Sequence[SyncRecord],
    cursor: int,
    take: Callable[[SyncRecord], str | None],
    fits: Callable[[SyncRecord], bool] = lambda record: True,
) -> int:
    """Write newer records with `take`, store the position up to which the server was read, and
    return the number of records written. `take` returns what the log keeps; if it raises one of
    `RECORD_ERRORS`, the record is set aside. Records that don't fit are skipped. Nothing is logged
    as a change of this computer, so call `resume_logging` afterwards.
    """
    connection.execute("UPDATE shared_self SET applying = 1")
    count = 0
    for one in records:
        if not is_acceptable(one):
            set_aside_record(connection, one, "its id, kind or stamp is not valid")
        elif is_newer(connection, one) and fits(one):
            count += _try_apply(connection, one, take)
    top = max((one.version.stamp for one in records if is_acceptable(one)), default=0)
    connection.execute(
        "UPDATE shared_self SET cursor = max(cursor, ?), "
        f"clock = CASE WHEN ? > {NOW_MICROSECONDS} + {DAY_MICROSECONDS} "
        "THEN clock ELSE max(clock, ?) END",
        (cursor, top, top),
    )
    return count


def is_acceptable(record: SyncRecord) -> bool:
    """Return whether the record has a valid kind, id and stamp."""
    return (
        record.kind in RECORD_KINDS
        and 0 < len(record.id) <= _MAX_ID
        and 0 <= record.version.stamp <= LATEST_STAMP
    )


def set_aside_record(connection: sqlite3.Connection, record: SyncRecord, reason: str) -> None:
    """Store that a record cannot be read here. It counts as set aside until a newer one replaces
    it.
    """
    _log.warning("The %s %.80r of the server is set aside: %s", record.kind, record.id, reason)
    connection.execute(
        "INSERT INTO shared_known (kind, id, stamp, device, gone, value) "
        "VALUES (?, ?, 0, '', 1, ?) ON CONFLICT (kind, id) DO UPDATE SET value = excluded.value",
        (SET_ASIDE_REASON, f"{record.kind}/{record.id[:_MAX_ID]}", reason),
    )


def resume_logging(connection: sqlite3.Connection) -> None:
    """Log changes again from now on."""
    connection.execute("UPDATE shared_self SET applying = 0")


def is_newer(connection: sqlite3.Connection, record: SyncRecord) -> bool:
    """Return whether the record is newer than the known one."""
    row = connection.execute(
        "SELECT stamp, device, gone FROM shared_known WHERE kind = ? AND id = ?",
        (record.kind, record.id),
    ).fetchone()
    if row is None or record.version.is_newer_than(RecordVersion(row[0], row[1], bool(row[2]))):
        return True
    # The server was restored from a backup: send it again.
    if row[2] and not record.version.deleted:
        connection.execute(
            "UPDATE shared_known SET waits = 1 WHERE kind = ? AND id = ?", (record.kind, record.id)
        )
    return False


def is_deleted(connection: sqlite3.Connection, kind: str, one: str) -> bool:
    """Return whether the record was deleted permanently, here or on another computer."""
    query = "SELECT gone FROM shared_known WHERE kind = ? AND id = ?"
    row = connection.execute(query, (kind, one)).fetchone()
    return row is not None and bool(row[0])


RECORD_ERRORS = (
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    RecursionError,
    sqlite3.DataError,
    sqlite3.IntegrityError,
    sqlite3.InterfaceError,
)
"""The errors that reading an invalid record or row can raise. (OverflowError is an
ArithmeticError.)
"""


def _try_apply(
    connection: sqlite3.Connection, record: SyncRecord, take: Callable[[SyncRecord], str | None]
) -> bool:
    """Apply a record. If it can't be read, set it aside completely and return False."""
    connection.execute("SAVEPOINT record")
    try:
        kept = take(record)
        connection.execute(
            "INSERT INTO shared_known (kind, id, stamp, device, gone, waits, value) "
            "VALUES (?, ?, ?, ?, ?, 0, ?) ON CONFLICT (kind, id) DO UPDATE SET "
            "stamp = excluded.stamp, device = excluded.device, gone = excluded.gone, waits = 0, "
            "value = excluded.value",
            (
                record.kind,
                record.id,
                record.version.stamp,
                record.version.device,
                int(record.version.deleted),
                kept,
            ),
        )
    except RECORD_ERRORS as error:
        connection.execute("ROLLBACK TO record")
        set_aside_record(connection, record, str(error))
        return False
    finally:
        connection.execute("RELEASE record")
    _delete_entry(connection, SET_ASIDE_REASON, f"{record.kind}/{record.id}")
    return True


def _delete_entry(connection: sqlite3.Connection, kind: str, one: str) -> None:
    connection.execute("DELETE FROM shared_known WHERE kind = ? AND id = ?", (kind, one))


def encode_value(value: object) -> bytes:
    """Return the value as JSON. A lone surrogate (half an emoji, where a gateway may cut a reply)
    is kept.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def decode_value(value: bytes) -> Any:
    """Return the value of the JSON. Raises ValueError."""
    text = value.decode("utf-8", "surrogatepass")
    if nests_deeper(text, _MAX_DEPTH):
        raise ValueError("it is nested too deeply")
    return json.loads(text)
