"""The PostgreSQL server, asked from one thread. Raises SharingFault, and nothing else of its own.

The law: `psycopg` is loaded here alone, and when the first connection is made.
"""

from __future__ import annotations

import contextlib
import logging
import select
import socket
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from neodeskpet.memory.shared import schema
from neodeskpet.memory.shared.address import check_address
from neodeskpet.memory.shared.faults import (
    AddressUnfit,
    DatabaseMissing,
    DriverMissing,
    SchemaTooNew,
    ServerForbids,
    ServerFull,
    ServerRefused,
    ServerTooOld,
    ServerUnreachable,
    SharingFault,
)
from neodeskpet.memory.shared.record import BY_HAND, Record, Version
from neodeskpet.memory.shared.rows import pictures_in

if TYPE_CHECKING:
    import psycopg

_log = logging.getLogger(__name__)

OLDEST = 150000
PATIENCE = 8
"""Seconds for a connection."""
_SILENT = 15_000
"""Milliseconds after which a server that says nothing counts as gone."""
_LATEST, _LATEST_MOST = 20, 4000
"""Conversations that a new computer gets first, and records of them."""
_TELL = f"NOTIFY {schema.CHANNEL}"
ALIVE = 20
"""Seconds that a computer counts as writing after its last word."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """`cursor`: the number of the last of `records`; `more`: there are further ones."""

    records: Sequence[Record]
    cursor: int
    more: bool


class Server:
    """One connection. `id` is the server's own name for its store, `version` like "15.4"."""

    def __init__(
        self, address: str, password: str = "", *, patience: int = PATIENCE, oldest: int = OLDEST
    ) -> None:
        """Connects, and makes the schema if there is none. Raises SharingFault. `patience`: for a
        connection, in seconds; `oldest`: the least version that will do, as PostgreSQL counts them.
        """
        address = check_address(address)
        self._writing: list[str] = []
        with _translated():
            self._connection = _connect(address, password, patience)
        try:
            number = self._connection.info.server_version
            self.version = f"{number // 10000}.{number % 10000}"
            if number < oldest:
                raise ServerTooOld(version=self.version)
            with _translated():
                self.id = self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def close(self) -> None:
        self._connection.close()

    def push(
        self, records: Sequence[Record], pictures: Mapping[str, bytes], *, sweep: bool = True
    ) -> None:
        """Put records, and the pictures that they name, in one transaction."""
        gone = [one for one in records if one.version.gone]
        with _translated(), self._connection.transaction():
            run = self._connection.execute
            run("SELECT pg_advisory_xact_lock(%s)", (schema.LOCK,))
            with self._connection.cursor() as cursor:
                cursor.executemany(schema.PUT, [_row(one) for one in records])
                cursor.executemany(
                    "INSERT INTO neodeskpet.pictures VALUES (%s, %s) ON CONFLICT DO NOTHING",
                    list(pictures.items()),
                )
                cursor.executemany(
                    "INSERT INTO neodeskpet.shows VALUES (%s, %s) ON CONFLICT DO NOTHING",
                    [(one.id, digest) for one in records for digest in one.pictures],
                )
            by_hand = any(one.kind in BY_HAND for one in records)
            buried = run(schema.BURY).rowcount if gone or by_hand else 0
            if gone:
                run(schema.SWEEP, {"ids": [one.id for one in gone]})
                run(schema.UNMEANT)
                run(schema.UNSHOWN)
                run(schema.UNSEEN)
            run(_TELL)
        if (gone or buried) and sweep:
            with _translated():
                self._vacuum()

    def lacks(self, digests: Sequence[str]) -> list[str]:
        """Those of these pictures that aren't there."""
        query = (
            "SELECT d FROM unnest(%s::text[]) AS d "
            "WHERE NOT EXISTS (SELECT FROM neodeskpet.pictures WHERE digest = d)"
        )
        with _translated():
            return [one for (one,) in self._connection.execute(query, (list(digests),))]

    def picture(self, digest: str) -> bytes | None:
        query = "SELECT data FROM neodeskpet.pictures WHERE digest = %s"
        with _translated():
            row = self._connection.execute(query, (digest,)).fetchone()
        return None if row is None else bytes(row[0])

    def pull(self, after: int, most: int, kinds: Sequence[str]) -> Fetched:
        """What of these kinds was put after the record of that number."""
        given = (after, list(kinds), most)
        with _translated():
            rows = self._connection.execute(schema.PULL, given, binary=True).fetchall()
        cursor = rows[-1][7] if rows else after
        return Fetched([_record(row) for row in rows], cursor, len(rows) == most)

    def latest(self, kinds: Sequence[str]) -> list[Record]:
        """Of these kinds what belongs to no conversation, and the conversations in which something
        happened last.
        """
        with _translated():
            given = (_LATEST, list(kinds), _LATEST_MOST)
            rows = self._connection.execute(schema.LATEST, given, binary=True).fetchall()
        return [_record(row) for row in rows]

    def last(self) -> int:
        """The highest number that was given."""
        query = "SELECT coalesce(max(number), 0) FROM neodeskpet.records"
        with _translated():
            (number,) = self._connection.execute(query).fetchone() or (0,)
        return int(number)

    def put_vectors(self, model: str, rows: Sequence[tuple[str, str, bytes]]) -> int:
        """Hold the vectors that `model` made (id, mark, data), of messages that are there; how many
        that were new.
        """
        given = [
            {"model": model, "id": one, "mark": mark, "above": one.rpartition("/")[0], "data": data}
            for one, mark, data in rows
        ]
        with _translated(), self._connection.transaction():
            self._connection.execute("SELECT pg_advisory_xact_lock(%s)", (schema.LOCK,))
            with self._connection.cursor() as cursor:
                cursor.executemany(schema.PUT_VECTOR, given)
                return cursor.rowcount

    def vectors(self, model: str, entries: Sequence[tuple[str, str]]) -> dict[str, bytes]:
        """Those of these (id, mark) that `model` made, by id."""
        given = ([one for one, _ in entries], [mark for _, mark in entries], model)
        with _translated():
            rows = self._connection.execute(schema.VECTORS, given, binary=True).fetchall()
        return {one: bytes(data) for one, data in rows}

    def vector_sum(self, model: str) -> tuple[int, int]:
        """How many there are, and their sum as `vectors.sum_of` makes it."""
        with _translated():
            row = self._connection.execute(schema.VECTOR_SUM, (model,)).fetchone()
        return (0, 0) if row is None else (int(row[0]), int(row[1]))

    def vector_marks(self, model: str) -> list[tuple[str, str]]:
        """The id and mark of each."""
        query = "SELECT id, mark FROM neodeskpet.vectors WHERE model = %s"
        with _translated():
            return [(one, mark) for one, mark in self._connection.execute(query, (model,))]

    def sums(self) -> dict[tuple[str, str], str]:
        """The SHA-256 of each value that is there, by kind and id."""
        query = (
            "SELECT kind, id, encode(sha256(value), 'hex') FROM neodeskpet.records WHERE NOT gone"
        )
        with _translated():
            return {(kind, one): digest for kind, one, digest in self._connection.execute(query)}

    def say(self, device: str, name: str, writing: Sequence[str]) -> dict[str, str]:
        """Tell what is being answered on this computer; where others answer, by conversation."""
        put = (
            "INSERT INTO neodeskpet.devices VALUES (%s, %s, now(), %s) ON CONFLICT (device) "
            "DO UPDATE SET name = excluded.name, seen = now(), writing = excluded.writing"
        )
        query = (
            "SELECT unnest(writing), name FROM neodeskpet.devices "
            "WHERE device <> %s AND seen > now() - make_interval(secs => %s)"
        )
        with _translated():
            self._connection.execute(put, (device, name, list(writing)))
            if list(writing) != self._writing:
                self._connection.execute(_TELL)
                self._writing = list(writing)
            return dict(self._connection.execute(query, (device, ALIVE)).fetchall())

    def listen(self) -> None:
        """Hear from now on when other computers put something. `hear` waits for it."""
        with _translated():
            self._connection.execute(f"LISTEN {schema.CHANNEL}")

    def hear(self, ended: socket.socket) -> list[int]:
        """Wait until somebody has put something: which connections did, by the server's numbers;
        none when `ended` can be read.
        """
        with _translated():
            end = ended.fileno()
            ready, _, _ = select.select([self._connection.fileno(), end], [], [])
            if end in ready:
                return []
            return [one.pid for one in self._connection.notifies(timeout=0)] or [0]

    @property
    def number(self) -> int:
        """The server's number of this connection."""
        return self._connection.info.backend_pid

    def _prepare(self) -> str:
        run = self._connection.execute
        there = run("SELECT to_regclass('neodeskpet.itself') IS NOT NULL").fetchone()
        server, version = self._itself() if there == (True,) else ("", -1)
        if version < len(schema.STEPS):
            with self._connection.transaction():
                run("SELECT pg_advisory_xact_lock(%s)", (schema.LOCK,))
                run(schema.BEGIN)
                server, version = self._itself()
                for step in schema.STEPS[version:]:
                    run(step)
                if version < len(schema.STEPS):
                    run("UPDATE neodeskpet.itself SET version = %s", (len(schema.STEPS),))
        if version > len(schema.STEPS):
            raise SchemaTooNew
        return server

    def _itself(self) -> tuple[str, int]:
        row = self._connection.execute("SELECT server, version FROM neodeskpet.itself").fetchone()
        assert row is not None
        return str(row[0]), int(row[1])

    def _vacuum(self) -> None:
        """The pages of what was deleted are to be used again, and so written over."""
        for table in ("records", "pictures", "vectors"):
            self._connection.execute(f"VACUUM neodeskpet.{table}")


def _connect(address: str, password: str, patience: int) -> psycopg.Connection[Any]:
    try:
        import psycopg
    except ImportError as error:
        raise DriverMissing from error
    return psycopg.connect(
        address,
        password=password or None,
        autocommit=True,
        connect_timeout=patience,
        application_name="NeoDeskPet",
        tcp_user_timeout=_SILENT,
        keepalives_idle=_SILENT // 1000,
    )


def _row(record: Record) -> dict[str, object]:
    return {
        "kind": record.kind,
        "id": record.id,
        "conversation": record.conversation,
        "stamp": record.version.stamp,
        "device": record.version.device,
        "gone": record.version.gone,
        "value": record.value,
    }


def _record(row: Sequence[Any]) -> Record:
    kind, one, conversation, stamp, device, gone, value, _ = row
    shown = pictures_in(bytes(value)) if kind == "message" and not gone else frozenset()
    return Record(kind, one, conversation, Version(stamp, device, gone), bytes(value), shown)


_STATES: Mapping[str, type[SharingFault]] = {
    "28": ServerRefused,
    "3D": DatabaseMissing,
    "42501": ServerForbids,
    "53100": ServerFull,
    "25006": ServerForbids,
}
_SAID: Sequence[tuple[str, type[SharingFault]]] = (
    ("password", ServerRefused),
    ("authentication failed", ServerRefused),
    ("no pg_hba.conf entry", ServerRefused),
    ("role", ServerRefused),
    ("database", DatabaseMissing),
)
"""A connection that fails has no code: only the server's words, which are English or say the name
of what is wrong.
"""


@contextlib.contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except SharingFault:
        raise
    except Exception as error:
        fault = fault_of(error)
        if fault is None:
            raise
        raise fault from None


def fault_of(error: Exception) -> SharingFault | None:
    """The driver's error in our words; None for what isn't one."""
    import psycopg

    if not isinstance(error, psycopg.Error):
        return None
    state = error.sqlstate or ""
    said = str(error).strip()
    kind = _STATES.get(state) or _STATES.get(state[:2])
    if kind is None and isinstance(error, psycopg.ProgrammingError) and not state:
        kind = AddressUnfit
    if kind is None and isinstance(error, psycopg.OperationalError):
        fatal = said.partition("FATAL:")[2]
        named = (made for word, made in _SAID if word in fatal or "fe_sendauth" in said)
        kind = next(named, ServerUnreachable)
    if kind is None:
        return SharingFault(said)
    _log.info("PostgreSQL says: %s", said)  # which says no more than our own words, in English
    return kind()
