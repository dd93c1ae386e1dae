"""Problems with the server: each has a message with advice, and none contains the password."""

from __future__ import annotations

import sys

import psycopg
import pytest

from neodeskpet.core.errors import StoreError
from neodeskpet.language import translate_error
from neodeskpet.storage.sync_log import RecordVersion, SyncRecord
from neodeskpet.sync.server_connection import ServerConnection, to_sync_error
from neodeskpet.sync.sync_errors import (
    AddressHoldsPassword,
    DatabaseMissing,
    DriverMissing,
    InvalidAddress,
    ServerDataTooNew,
    ServerFull,
    ServerRefused,
    ServerTooOld,
    ServerUnreachable,
    ServerWriteForbidden,
    SyncError,
)
from tests.support.postgres import PASSWORD, postgres


def refused(address: str, password: str = PASSWORD, **options: int) -> SyncError:
    with pytest.raises(SyncError) as caught:
        ServerConnection(address, password, **options).close()
    assert PASSWORD not in " ".join(translate_error(caught.value)) + caught.value.detail + repr(
        caught.value
    )
    assert all(translate_error(caught.value))
    return caught.value


def test_problems_are_named() -> None:
    house = postgres()
    address = house.new_database()
    free = address.replace(f":{house.port}/", ":1/")
    assert type(refused(free)) is ServerUnreachable
    assert type(refused("postgresql://me@no.such.host.invalid/x")) is ServerUnreachable
    assert type(refused(address, "wrong")) is ServerRefused
    assert type(refused(address, "")) is ServerRefused
    assert type(refused(house.address("nowhere"))) is DatabaseMissing
    assert type(refused("http://home/x")) is InvalidAddress
    assert type(refused(address.replace("person@", "person:x@"))) is AddressHoldsPassword
    found = refused(address, oldest=990000)
    assert type(found) is ServerTooOld
    assert found.params["version"].startswith("15.") or int(found.params["version"][:2]) > 15


def test_a_missing_permission_to_write_is_reported() -> None:
    house = postgres()
    address = house.new_database()
    house.query(address, f"CREATE ROLE reader LOGIN PASSWORD '{PASSWORD.replace(chr(39), '`')}'")
    reader = address.replace("person@", "reader@")
    assert type(refused(reader, PASSWORD.replace("'", "`"))) is ServerWriteForbidden


def test_a_newer_schema_is_unchanged() -> None:
    address = postgres().new_database()
    ServerConnection(address, PASSWORD).close()
    postgres().query(address, "UPDATE neodeskpet.itself SET version = 999")
    assert type(refused(address)) is ServerDataTooNew
    assert postgres().query(address, "SELECT version FROM neodeskpet.itself") == [(999,)]


def test_a_full_disk_and_a_missing_driver() -> None:
    assert type(to_sync_error(psycopg.errors.DiskFull("no space left"))) is ServerFull
    assert type(to_sync_error(psycopg.errors.ReadOnlySqlTransaction("x"))) is ServerWriteForbidden
    assert type(to_sync_error(psycopg.errors.InternalError_("x"))) is SyncError
    assert to_sync_error(ValueError("a bug")) is None
    kept = sys.modules["psycopg"]
    sys.modules["psycopg"] = None  # type: ignore[assignment]
    try:
        with pytest.raises(DriverMissing):
            ServerConnection("postgresql://me@home/x")
    finally:
        sys.modules["psycopg"] = kept


def test_the_version_is_reported() -> None:
    server = ServerConnection(postgres().new_database(), PASSWORD)
    assert int(server.version.split(".")[0]) >= 15
    server.close()


def test_two_computers_with_an_empty_server_make_one_schema() -> None:
    address = postgres().new_database()
    one, other = ServerConnection(address, PASSWORD), ServerConnection(address, PASSWORD)
    try:
        assert one.id == other.id
    finally:
        one.close()
        other.close()


def record(name: str, stamp: int, value: bytes = b"[1]", *, gone: bool = False) -> SyncRecord:
    return SyncRecord(
        "title", name, "talk", RecordVersion(stamp, "d", gone), b"" if gone else value
    )


def test_the_later_value_wins_and_deleted_data_stays_deleted() -> None:
    server = ServerConnection(postgres().new_database(), PASSWORD)
    try:
        server.push([record("a", 5, b"[5]"), record("b", 5)], {})
        server.push([record("a", 4, b"[4]"), record("b", 6, gone=True)], {})
        server.push([record("a", 5, b"[x]"), record("b", 9)], {})
        found = server.pull(0, 10, ["title"]).records
        assert {one.id: one.value for one in found} == {"a": b"[5]", "b": b""}
        assert server.pull(server.last_number(), 10, ["title"]).records == []
        assert [one.id for one in server.pull(0, 1, ["title"]).records] == ["a"]
    finally:
        server.close()


def test_the_latest_conversation_comes_completely_before_the_others() -> None:
    server = ServerConnection(postgres().new_database(), PASSWORD)
    try:
        said = [("m1", "old"), ("m2", "new"), ("f", ""), ("m3", "old"), ("m4", "new")]
        server.push(
            [SyncRecord("message", one, home, RecordVersion(1, "d"), b"[]") for one, home in said],
            {},
        )
        assert [one.id for one in server.pull_latest(["message"])] == ["f", "m2", "m4", "m1", "m3"]
    finally:
        server.close()


def test_a_server_that_disappears_is_unreachable() -> None:
    address = postgres().new_database()
    server = ServerConnection(address, PASSWORD)
    postgres().query(
        "postgres",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE application_name = 'NeoDeskPet'",
    )
    with pytest.raises(ServerUnreachable):
        server.last_number()
    server.close()


def test_errors_are_store_errors() -> None:
    assert issubclass(SyncError, StoreError)
