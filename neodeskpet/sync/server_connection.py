"""The connection to the PostgreSQL server, used by one thread. It raises SyncError only.
Encryption (`encryption.py`) is done here: callers pass and get plain records.

Only this file imports `psycopg`, when the first connection is made.
"""

from __future__ import annotations

import contextlib
import hmac
import ipaddress
import logging
import os
import select
import socket
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from neodeskpet.storage.sync_log import USER_EDIT_KINDS, RecordVersion, SyncRecord
from neodeskpet.sync import server_schema as schema
from neodeskpet.sync.conversation_records import record_pictures
from neodeskpet.sync.encryption import SALT_BYTES, Cipher, seal_plain
from neodeskpet.sync.sync_errors import (
    DatabaseMissing,
    DatabaseNotUnicode,
    DriverMissing,
    InvalidAddress,
    PassphraseMissing,
    PassphraseWrong,
    RecordRefused,
    ServerBusy,
    ServerDataDamaged,
    ServerDataTooNew,
    ServerEmptied,
    ServerFull,
    ServerLoginUnsafe,
    ServerNotEncrypted,
    ServerRefused,
    ServerTooOld,
    ServerUnencrypted,
    ServerUnreachable,
    ServerUntrusted,
    ServerWriteForbidden,
    SyncError,
    VectorsNotShared,
    check_address,
)

if TYPE_CHECKING:
    import psycopg

_log = logging.getLogger(__name__)

MIN_SERVER_VERSION = 150000
CONNECT_TIMEOUT = 8
"""Time limit for connecting, in seconds."""
_SILENCE_TIMEOUT_MS = 15_000
"""Milliseconds without an answer after which the connection counts as lost."""
SESSION_LIMITS: Mapping[str, str] = {
    "statement_timeout": "60s",
    "lock_timeout": "10s",
    "idle_in_transaction_session_timeout": "30s",
}
"""The last limit ends the transaction of a computer that went to sleep while it was writing."""
_LATEST_CONVERSATIONS, _MAX_LATEST_RECORDS = 20, 4000
"""Conversations that a new computer gets first, and most records of them."""
_NOTIFY_STATEMENT = f"NOTIFY {schema.NOTIFY_CHANNEL}"
ALIVE_SECONDS = 20
"""Seconds after its last message for which a computer counts as writing."""


@dataclass(frozen=True, slots=True)
class FetchedRecords:
    """Fetched records. `cursor`: the number of the last one; `more`: there are more."""

    records: Sequence[SyncRecord]
    cursor: int
    more: bool


@dataclass(frozen=True, slots=True)
class ServerPosition:
    """The state of the server. `server`: the server's id; `last`: the highest number of a record;
    `token`: that of the last push; `knows_token`: whether it knows the given token; `trusted`: its
    records are encrypted, so only the user can have written them.
    """

    server: str
    last: int
    token: str
    knows_token: bool = True
    trusted: bool = False


@dataclass(frozen=True, slots=True)
class ServerAccess:
    """How to connect. `plain_hosts` may be used without TLS, like this computer. With a
    `passphrase`, everything is encrypted before it is sent. `allow_restart` allows to send again
    after everything on the server was deleted intentionally.
    """

    password: str = ""
    passphrase: str = ""
    plain_hosts: tuple[str, ...] = ()
    allow_restart: bool = False


class ServerConnection:
    """One connection. `id` is the server's name for its store, `version` is like "15.4"."""

    def __init__(
        self,
        address: str,
        access: ServerAccess | str = "",
        *,
        timeout: int = CONNECT_TIMEOUT,
        oldest: int = MIN_SERVER_VERSION,
        limits: Mapping[str, str] = SESSION_LIMITS,
    ) -> None:
        """Connect, and create the schema if there is none. Raises SyncError. `access` may be just
        the password. `timeout`: time limit for connecting, in seconds; `oldest`: the lowest
        supported version, in PostgreSQL's numbers; `limits`: settings of the server's session.
        """
        address = check_address(address)
        access = ServerAccess(access) if isinstance(access, str) else access
        self._writing: list[str] = []
        self._cipher: Cipher | None = None
        with _translated_errors():
            self._connection = _connect(address, access, timeout, limits)
        try:
            number = self._connection.info.server_version
            self.version = f"{number // 10000}.{number % 10000}"
            if number < oldest:
                raise ServerTooOld(version=self.version)
            with _translated_errors():
                self.id = self._prepare(access)
        except BaseException:
            self._connection.close()
            raise

    def close(self) -> None:
        self._connection.close()

    def cancel(self) -> None:
        """Cancel a request that another thread waits for. It raises ServerUnreachable there."""
        with contextlib.suppress(Exception):
            end = socket.socket(fileno=os.dup(self._connection.fileno()))
            with contextlib.closing(end):
                end.shutdown(socket.SHUT_RDWR)

    def seal(self, kind: str, name: str, value: bytes) -> bytes:
        """Return the server's form of this value of a record."""
        return (self._cipher.seal if self._cipher is not None else seal_plain)(kind, name, value)

    def push(
        self, records: Sequence[SyncRecord], pictures: Mapping[str, bytes], *, sweep: bool = True
    ) -> str:
        """Write records and their pictures in one transaction; return the token of this push.
        Raises RecordRefused if the server cannot store one of them.
        """
        gone = [one for one in records if one.version.deleted]
        with _translated_errors(), self._connection.transaction():
            run = self._connection.execute
            self._lock()
            with self._connection.cursor() as cursor:
                cursor.executemany(schema.PUT_RECORD, [self._row(one) for one in records])
                cursor.executemany(
                    "INSERT INTO neodeskpet.pictures VALUES (%s, %s) ON CONFLICT DO NOTHING",
                    [
                        (self._picture_name(digest), self.seal("picture", digest, data))
                        for digest, data in pictures.items()
                    ],
                )
                cursor.executemany(
                    "INSERT INTO neodeskpet.shows VALUES (%s, %s) ON CONFLICT DO NOTHING",
                    [
                        (one.id, self._picture_name(digest))
                        for one in records
                        for digest in one.pictures
                    ],
                )
            by_hand = any(one.kind in USER_EDIT_KINDS for one in records)
            buried = run(schema.MARK_DELETED).rowcount if gone or by_hand else 0
            if gone:
                run(schema.DELETE_ORPHANS, {"ids": [one.id for one in gone]})
                run(schema.DELETE_ORPHAN_VECTORS)
                run(schema.DELETE_ORPHAN_REFERENCES)
                run(schema.DELETE_ORPHAN_PICTURES)
                run(schema.DELETE_OLD_PUSHES)
            row = run("INSERT INTO neodeskpet.pushes DEFAULT VALUES RETURNING token").fetchone()
            run(_NOTIFY_STATEMENT)
        if (gone or buried) and sweep:
            with _translated_errors():
                self._vacuum()
        return str(row[0]) if row is not None else ""

    def _lock(self) -> None:
        """Lock the store, because only one computer writes at a time. An older program must not
        write to a newer schema.
        """
        self._connection.execute("SELECT pg_advisory_xact_lock(%s)", (schema.LOCK_NUMBER,))
        if self._itself()[1] > len(schema.SCHEMA_STEPS):
            raise ServerDataTooNew

    def _row(self, record: SyncRecord) -> dict[str, object]:
        value = record.value
        if not record.version.deleted:
            value = self.seal(record.kind, record.id, value)
        return {
            "kind": record.kind,
            "id": record.id,
            "conversation": record.conversation,
            "stamp": record.version.stamp,
            "device": record.version.device,
            "gone": record.version.deleted,
            "value": value,
        }

    def _record(self, row: Sequence[Any]) -> SyncRecord:
        """Return the decrypted record. A value that cannot be decrypted becomes empty, which every
        reader refuses.
        """
        kind, one, conversation, stamp, device, gone, value, _ = row
        record = SyncRecord(
            kind, one, conversation, RecordVersion(stamp, device, gone), bytes(value)
        )
        if gone:
            return record
        if self._cipher is not None:
            try:
                record = replace(record, value=self._cipher.open(kind, one, record.value))
            except ValueError as error:
                _log.warning("The %s %.80r cannot be decrypted: %s", kind, one, error)
                return replace(record, value=b"")
        if kind == "message":
            return replace(record, pictures=record_pictures(record.value))
        return record

    def _picture_name(self, digest: str) -> str:
        return digest if self._cipher is None else self._cipher.picture_name(digest)

    def missing_pictures(self, digests: Sequence[str]) -> list[str]:
        """Return the digests of the pictures that the server does not have."""
        names = {self._picture_name(digest): digest for digest in digests}
        query = (
            "SELECT d FROM unnest(%s::text[]) AS d "
            "WHERE NOT EXISTS (SELECT FROM neodeskpet.pictures WHERE digest = d)"
        )
        with _translated_errors():
            found = self._connection.execute(query, (list(names),)).fetchall()
        return [names[one] for (one,) in found]

    def picture(self, digest: str) -> bytes | None:
        query = "SELECT data FROM neodeskpet.pictures WHERE digest = %s"
        with _translated_errors():
            row = self._connection.execute(query, (self._picture_name(digest),)).fetchone()
        if row is None or self._cipher is None:
            return None if row is None else bytes(row[0])
        try:
            return self._cipher.open("picture", digest, bytes(row[0]))
        except ValueError as error:
            _log.warning("The picture %s cannot be decrypted: %s", digest, error)
            return None

    def pull(self, after: int, most: int, kinds: Sequence[str]) -> FetchedRecords:
        """Return records of these kinds with a higher number than `after`."""
        given = (after, list(kinds), most)
        with _translated_errors():
            rows = self._connection.execute(schema.PULL_RECORDS, given, binary=True).fetchall()
        cursor = rows[-1][7] if rows else after
        return FetchedRecords([self._record(row) for row in rows], cursor, len(rows) == most)

    def pull_latest(self, kinds: Sequence[str]) -> list[SyncRecord]:
        """Return the records of these kinds that belong to no conversation, and those of the last
        changed conversations.
        """
        with _translated_errors():
            given = (_LATEST_CONVERSATIONS, list(kinds), _MAX_LATEST_RECORDS)
            rows = self._connection.execute(schema.LATEST_RECORDS, given, binary=True).fetchall()
        return [self._record(row) for row in rows]

    def position(self, token: str = "") -> ServerPosition:
        """Return the state of the server, and whether it knows the push with this token."""
        with _translated_errors():
            row = self._connection.execute(schema.SERVER_POSITION, {"token": token}).fetchone()
        assert row is not None
        trusted = self._cipher is not None
        return ServerPosition(self.id, int(row[0]), str(row[1]), bool(row[2]), trusted)

    def last_number(self) -> int:
        """Return the highest number of a record."""
        return self.position().last

    def _check_vectors(self) -> None:
        if self._cipher is not None:
            raise VectorsNotShared

    def put_vectors(self, model: str, rows: Sequence[tuple[str, str, bytes]]) -> int:
        """Store vectors of `model` (id, mark, data) for messages that the server has; return how
        many were new.
        """
        self._check_vectors()
        given = [
            {"model": model, "id": one, "mark": mark, "above": one.rpartition("/")[0], "data": data}
            for one, mark, data in rows
        ]
        with _translated_errors(), self._connection.transaction():
            self._lock()
            with self._connection.cursor() as cursor:
                cursor.executemany(schema.PUT_VECTOR, given)
                return cursor.rowcount

    def vectors(self, model: str, entries: Sequence[tuple[str, str]]) -> dict[str, bytes]:
        """Return the vectors of `model` for these (id, mark), by id."""
        self._check_vectors()
        given = ([one for one, _ in entries], [mark for _, mark in entries], model)
        with _translated_errors():
            rows = self._connection.execute(schema.GET_VECTORS, given, binary=True).fetchall()
        return {one: bytes(data) for one, data in rows}

    def vector_checksum(self, model: str) -> tuple[int, int]:
        """Return the number of vectors and their checksum, as `shared_vectors.checksum_of` computes
        it.
        """
        self._check_vectors()
        with _translated_errors():
            row = self._connection.execute(schema.VECTOR_CHECKSUM, (model,)).fetchone()
        return (0, 0) if row is None else (int(row[0]), int(row[1]))

    def vector_marks(self, model: str) -> list[tuple[str, str]]:
        """Return id and mark of each vector."""
        self._check_vectors()
        query = "SELECT id, mark FROM neodeskpet.vectors WHERE model = %s"
        with _translated_errors():
            return [(one, mark) for one, mark in self._connection.execute(query, (model,))]

    def hashes(self) -> dict[tuple[str, str], str]:
        """Return the SHA-256 of each stored value, by kind and id."""
        query = (
            "SELECT kind, id, encode(sha256(value), 'hex') FROM neodeskpet.records WHERE NOT gone"
        )
        with _translated_errors():
            return {(kind, one): digest for kind, one, digest in self._connection.execute(query)}

    def report_active(self, device: str, name: str, writing: Sequence[str]) -> dict[str, str]:
        """Report the conversations with a running reply on this computer; return the names of other
        computers with one, by conversation.
        """
        put = (
            "INSERT INTO neodeskpet.devices VALUES (%s, %s, now(), %s) ON CONFLICT (device) "
            "DO UPDATE SET name = excluded.name, seen = now(), writing = excluded.writing"
        )
        query = (
            "SELECT unnest(writing), name FROM neodeskpet.devices "
            "WHERE device <> %s AND seen > now() - make_interval(secs => %s)"
        )
        with _translated_errors():
            self._connection.execute(put, (device, name, list(writing)))
            if list(writing) != self._writing:
                self._connection.execute(_NOTIFY_STATEMENT)
                self._writing = list(writing)
            return dict(self._connection.execute(query, (device, ALIVE_SECONDS)).fetchall())

    def listen(self) -> None:
        """Subscribe to notifications of writing computers. `wait_for_notification` returns them."""
        with _translated_errors():
            self._connection.execute(f"LISTEN {schema.NOTIFY_CHANNEL}")

    def wait_for_notification(self, ended: socket.socket) -> list[int]:
        """Wait until a computer has written; return the server's connection numbers of the writers,
        none when `ended` becomes readable.
        """
        with _translated_errors():
            end = ended.fileno()
            ready, _, _ = select.select([self._connection.fileno(), end], [], [])
            if end in ready:
                return []
            return [one.pid for one in self._connection.notifies(timeout=0)] or [0]

    @property
    def connection_number(self) -> int:
        """Return the server's number of this connection."""
        return self._connection.info.backend_pid

    def _prepare(self, access: ServerAccess) -> str:
        run = self._connection.execute
        (encoding,) = run("SHOW server_encoding").fetchone() or ("",)
        if encoding != "UTF8":
            raise DatabaseNotUnicode(encoding=str(encoding))
        if self._exists("cleared"):
            if not access.allow_restart:
                raise ServerEmptied
            run("DROP TABLE IF EXISTS neodeskpet.cleared")
        server, version = self._itself() if self._exists("itself") else ("", -1)
        if version < len(schema.SCHEMA_STEPS):
            with self._connection.transaction():
                run("SELECT pg_advisory_xact_lock(%s)", (schema.LOCK_NUMBER,))
                if version < 0:
                    run(schema.CREATE_SCHEMA)
                server, version = self._itself()
                for step in schema.SCHEMA_STEPS[version:]:
                    run(step)
                if version < len(schema.SCHEMA_STEPS):
                    run("UPDATE neodeskpet.itself SET version = %s", (len(schema.SCHEMA_STEPS),))
        if version > len(schema.SCHEMA_STEPS):
            raise ServerDataTooNew
        self._cipher = self._meet_passphrase(access.passphrase)
        return server

    def _exists(self, table: str) -> bool:
        query = "SELECT to_regclass(%s) IS NOT NULL"
        return self._connection.execute(query, (f"neodeskpet.{table}",)).fetchone() == (True,)

    def _itself(self) -> tuple[str, int]:
        row = self._connection.execute("SELECT server, version FROM neodeskpet.itself").fetchone()
        if row is None:
            raise ServerDataDamaged
        return str(row[0]), int(row[1])

    def _meet_passphrase(self, passphrase: str) -> Cipher | None:
        """Return the cipher for this server. An empty server becomes an encrypted one."""
        salt, check = self._read_salt()
        if salt is None and passphrase:
            with self._connection.transaction():
                self._connection.execute("SELECT pg_advisory_xact_lock(%s)", (schema.LOCK_NUMBER,))
                salt, check = self._read_salt()
                if salt is None:
                    salt, check = self._encrypt_from_now(passphrase)
        if salt is None or check is None:
            return None
        if not passphrase:
            raise PassphraseMissing
        cipher = Cipher(passphrase, salt)
        if not hmac.compare_digest(cipher.check_value, check):
            raise PassphraseWrong
        return cipher

    def _read_salt(self) -> tuple[bytes | None, bytes | None]:
        query = "SELECT salt, passphrase_check FROM neodeskpet.itself"
        row = self._connection.execute(query).fetchone()
        if row is None or row[0] is None or row[1] is None:
            return None, None
        return bytes(row[0]), bytes(row[1])

    def _encrypt_from_now(self, passphrase: str) -> tuple[bytes, bytes]:
        query = "SELECT EXISTS (SELECT FROM neodeskpet.records)"
        if self._connection.execute(query).fetchone() == (True,):
            raise ServerNotEncrypted
        salt = os.urandom(SALT_BYTES)
        check = Cipher(passphrase, salt).check_value
        self._connection.execute(
            "UPDATE neodeskpet.itself SET salt = %s, passphrase_check = %s", (salt, check)
        )
        return salt, check

    def _vacuum(self) -> None:
        """Vacuum the table, so that pages of deleted data can be overwritten."""
        self._connection.execute("SET statement_timeout = 0")
        for table in ("records", "pictures", "vectors"):
            self._connection.execute(f"VACUUM neodeskpet.{table}")
        self._connection.execute("SET statement_timeout TO DEFAULT")


def delete_server_data(address: str, access: ServerAccess) -> None:
    """Delete all sync data, also if it is damaged, newer, or encrypted with another passphrase.
    Nothing is sent there again unless the user requests it (`ServerAccess.allow_restart`). Raises
    SyncError.
    """
    address = check_address(address)
    with (
        _translated_errors(),
        _connect(address, access, CONNECT_TIMEOUT, SESSION_LIMITS) as connection,
        connection.transaction(),
    ):
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (schema.LOCK_NUMBER,))
        connection.execute("DROP SCHEMA IF EXISTS neodeskpet CASCADE")
        connection.execute("CREATE SCHEMA neodeskpet")
        connection.execute(schema.CREATE_CLEARED)


def _connect(
    address: str, access: ServerAccess, timeout: int, limits: Mapping[str, str]
) -> psycopg.Connection[Any]:
    try:
        import psycopg
        from psycopg.conninfo import conninfo_to_dict
    except ImportError as error:
        raise DriverMissing from error
    named = {name: str(value) for name, value in conninfo_to_dict(address).items()}
    session = " ".join(f"-c {name}={limit}" for name, limit in limits.items())
    protection: dict[str, Any] = _encryption_options(named, access.plain_hosts)
    return psycopg.connect(
        address,
        password=access.password or None,
        autocommit=True,
        connect_timeout=timeout,
        application_name="NeoDeskPet",
        client_encoding="UTF8",
        options=f"{named.get('options', '')} {session}".strip(),
        tcp_user_timeout=_SILENCE_TIMEOUT_MS,
        keepalives_idle=_SILENCE_TIMEOUT_MS // 1000,
        keepalives_interval=5,
        keepalives_count=3,
        **protection,
    )


_ENCRYPTED = ("require", "verify-ca", "verify-full")


def _encryption_options(named: Mapping[str, str], plain_hosts: Sequence[str]) -> dict[str, Any]:
    """Return the libpq options that protect the password and the data on the connection. Only
    servers on this computer and hosts that the user allowed may be used without encryption. The
    password itself is never sent to another computer unencrypted.
    """
    # libpq uses these variables if the address has no host, and also together with one.
    named_hosts = named.get("host") or os.environ.get("PGHOST", "")
    hosts = [
        one.strip().casefold()
        for one in (named_hosts + "," + os.environ.get("PGHOSTADDR", "")).split(",")
    ]
    if all(_is_local_host(one) for one in hosts):
        return {}
    proof = {"require_auth": "scram-sha-256"}
    if all(_is_local_host(one) or one in plain_hosts for one in hosts):
        return proof
    given = named.get("sslmode", "")
    return proof | {"sslmode": given if given in _ENCRYPTED else "require"}


def _is_local_host(host: str) -> bool:
    """Return whether a host of an address is this computer. Without one, libpq uses a
    local socket.
    """
    if host in ("", "localhost") or host.startswith(("/", "@")):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


_SQLSTATE_ERRORS: Mapping[str, type[SyncError]] = {
    "22": RecordRefused,
    "28": ServerRefused,
    "3D": DatabaseMissing,
    "3F000": ServerDataDamaged,
    "42P01": ServerDataDamaged,
    "42703": ServerDataDamaged,
    "53300": ServerBusy,
    "55P03": ServerBusy,
    "57014": ServerBusy,
    "54": RecordRefused,
    "42501": ServerWriteForbidden,
    "53100": ServerFull,
    "25006": ServerWriteForbidden,
}
_MESSAGE_ERRORS: Sequence[tuple[str, type[SyncError]]] = (
    ("server does not support SSL", ServerUnencrypted),
    ("certificate", ServerUntrusted),
    ("channel binding", ServerUntrusted),
    ("authentication method requirement", ServerLoginUnsafe),
    ("too many clients", ServerBusy),
    ("too many connections", ServerBusy),
    ("connection slots", ServerBusy),
    ("the database system is", ServerUnreachable),
    ("fe_sendauth", ServerRefused),
)
_SERVER_MESSAGE_ERRORS: Sequence[tuple[str, type[SyncError]]] = (
    ("password", ServerRefused),
    ("authentication failed", ServerRefused),
    ("no pg_hba.conf entry", ServerRefused),
    ("role", ServerRefused),
    ("database", DatabaseMissing),
)
"""A failed connection has no error code, only a message, which is English or contains the name of
the cause. The second list is for the server's messages, after "FATAL:".
"""


@contextlib.contextmanager
def _translated_errors() -> Iterator[None]:
    try:
        yield
    except SyncError:
        raise
    except Exception as error:
        fault = to_sync_error(error)
        if fault is None:
            raise
        raise fault from None


def to_sync_error(error: Exception) -> SyncError | None:
    """Convert an error of the driver; return None for other errors."""
    import psycopg

    if not isinstance(error, psycopg.Error):
        return None
    state = error.sqlstate or ""
    said = str(error).strip()
    kind = _SQLSTATE_ERRORS.get(state) or _SQLSTATE_ERRORS.get(state[:2])
    if kind is None and isinstance(error, psycopg.DataError):  # the driver's: a NUL in a text
        kind = RecordRefused
    if kind is None and isinstance(error, psycopg.ProgrammingError) and not state:
        kind = InvalidAddress
    if kind is None and isinstance(error, psycopg.OperationalError):
        fatal = said.partition("FATAL:")[2]
        named = [made for word, made in _MESSAGE_ERRORS if word in said]
        named += [made for word, made in _SERVER_MESSAGE_ERRORS if word in fatal]
        kind = next(iter(named), ServerUnreachable)
    if kind is None:
        return SyncError(said)
    _log.info("PostgreSQL error: %s", said)
    return kind()
