"""The password and the contents are protected on the way to the server, and on it."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.blocks import (
    Image,
    Message,
    MessageState,
    Role,
    Text,
    ToolStatus,
    ToolUse,
)
from neodeskpet.core.data_labels import DataSource, SourceKind
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.sync.encryption import Cipher
from neodeskpet.sync.local_replica import ConversationReplica
from neodeskpet.sync.server_connection import ServerAccess, ServerConnection, delete_server_data
from neodeskpet.sync.sync_engine import ConnectionThread, SyncEngine
from neodeskpet.sync.sync_errors import (
    DatabaseNotUnicode,
    PassphraseMissing,
    PassphraseWrong,
    ServerBusy,
    ServerEmptied,
    ServerLoginUnsafe,
    ServerNotEncrypted,
    ServerUnencrypted,
    ServerUntrusted,
    SyncError,
)
from tests.support.pictures import picture as make_picture
from tests.support.postgres import PASSWORD, Postgres, postgres
from tests.unit.sync.test_sync_engine import everything, said

ELSEWHERE = "127.1"
"""It is this computer, but the address doesn't show that."""


class Listener:
    """Answers as a PostgreSQL server without TLS, and records what it was sent."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.heard = b""
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with closing(connection):
                while piece := connection.recv(4096):
                    self.heard += piece
                    # "No TLS", then "send me the password in clear".
                    is_request = len(piece) == 8
                    connection.sendall(b"N" if is_request else b"R\0\0\0\x08\0\0\0\x03")

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def listener() -> Iterator[Listener]:
    made = Listener()
    yield made
    made.close()


@pytest.mark.parametrize("mode", ["", "?sslmode=disable", "?sslmode=prefer", "?sslmode=allow"])
def test_a_listener_without_tls_never_gets_the_password(listener: Listener, mode: str) -> None:
    address = f"postgresql://me@{ELSEWHERE}:{listener.port}/pet{mode}"
    with pytest.raises(ServerUnencrypted):
        ServerConnection(address, PASSWORD)
    assert PASSWORD.encode() not in listener.heard


def test_a_host_that_the_user_allows_may_do_without_tls() -> None:
    address = postgres().new_database().replace("127.0.0.1", ELSEWHERE)
    with pytest.raises(ServerUnencrypted):
        ServerConnection(address, PASSWORD)
    ServerConnection(address, ServerAccess(PASSWORD, plain_hosts=(ELSEWHERE,))).close()


def test_a_host_without_tls_that_the_user_allows_gets_no_clear_password_either(
    listener: Listener,
) -> None:
    address = f"postgresql://me@{ELSEWHERE}:{listener.port}/pet"
    with pytest.raises(SyncError):
        ServerConnection(address, ServerAccess(PASSWORD, plain_hosts=(ELSEWHERE,)))
    assert listener.heard and PASSWORD.encode() not in listener.heard


@pytest.mark.parametrize("name", ["PGHOST", "PGHOSTADDR"])
def test_a_host_of_the_environment_is_no_server_of_this_computer(
    name: str, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"postgresql:///pet?user=me&port={listener.port}"
    monkeypatch.setenv("PGHOST", "localhost")
    monkeypatch.setenv(name, ELSEWHERE)
    with pytest.raises(ServerUnencrypted):
        ServerConnection(address, PASSWORD)
    assert PASSWORD.encode() not in listener.heard


@pytest.fixture(scope="module")
def house() -> Iterator[Postgres]:
    made = Postgres(tls=True, password_method="password")
    yield made
    made.end()


def test_over_tls_the_password_is_only_proven_and_the_certificate_can_be_checked(
    house: Postgres,
) -> None:
    address = house.address("postgres").replace("127.0.0.1", ELSEWHERE)
    with pytest.raises(ServerLoginUnsafe):  # It asks for the password itself.
        ServerConnection(address, PASSWORD)
    with pytest.raises(ServerUntrusted):
        ServerConnection(f"{address}?sslmode=verify-full&sslrootcert=system", PASSWORD)
    hba = house.data / "pg_hba.conf"
    hba.write_text(hba.read_text().replace(" password", " scram-sha-256"))
    house.query("postgres", "SELECT pg_reload_conf()")
    with closing(ServerConnection(f"{address}?channel_binding=require", PASSWORD)) as server:
        assert server.version


def test_a_full_server_is_busy_and_the_password_is_not_blamed() -> None:
    address = postgres().new_database()
    name = address.rpartition("/")[2]
    postgres().query(
        "postgres", f"CREATE ROLE few LOGIN PASSWORD '{PASSWORD.replace(chr(39), '_')}'"
    )
    postgres().query("postgres", f"ALTER DATABASE {name} CONNECTION LIMIT 0")
    with pytest.raises(ServerBusy):
        ServerConnection(address.replace("person@", "few@"), PASSWORD.replace("'", "_"))


def test_a_database_in_another_encoding_is_refused_with_a_message() -> None:
    with pytest.raises(DatabaseNotUnicode) as caught:
        ServerConnection(postgres().new_database(encoding="SQL_ASCII"), PASSWORD)
    assert caught.value.params["encoding"] == "SQL_ASCII"


# Encryption


class Sealed:
    """A computer that encrypts."""

    def __init__(self, store: SqliteStore, address: str, passphrase: str) -> None:
        self.store = store
        self.link = ConnectionThread(
            lambda: ServerConnection(address, ServerAccess(PASSWORD, passphrase))
        )
        self.exchange = SyncEngine([ConversationReplica(store)], self.link, "d", "d")

    @classmethod
    async def open(cls, address: str, passphrase: str = "correct horse") -> Sealed:
        made = cls(await SqliteStore.open(None), address, passphrase)
        await ConversationReplica(made.store).start()
        return made

    async def close(self) -> None:
        self.link.close()
        await self.store.aclose()


def test_two_computers_with_a_passphrase_share_all_and_the_server_reads_nothing() -> None:
    async def scene() -> None:
        address = postgres().new_database()
        desk, laptop = await Sealed.open(address), await Sealed.open(address)
        picture = make_picture()
        data = picture.data
        made = await desk.store.create_conversation("Secret title 秘密")
        await desk.store.add_message(made.id, said("a", "my locker is 4711"))
        image = Image(1, 0, picture.digest, picture.media_type)
        seen = Message("p", Role.USER, (Text(0, 0, "see"), image), MessageState.DONE, 2.0)
        await desk.store.add_message(made.id, seen, [picture])
        await desk.exchange.sync()
        await laptop.exchange.sync()
        assert await everything(laptop.store) == await everything(desk.store)
        assert await laptop.store.picture(picture.digest) == data
        assert (await laptop.exchange.compare()).is_equal
        await laptop.store.rename_conversation(made.id, "Other")
        await laptop.store.delete_messages(["a"])
        await laptop.exchange.sync()
        await desk.exchange.sync()
        assert await everything(laptop.store) == await everything(desk.store)
        for table in ("records", "pictures", "shows"):
            rows = repr(postgres().query(address, f"SELECT * FROM neodeskpet.{table}"))
            for word in ("locker", "Secret", "Other", picture.digest, repr(data[:20])[2:-1]):
                assert word not in rows
        for one in (desk, laptop):
            await one.close()

    asyncio.run(scene())


def test_a_missing_or_wrong_passphrase_is_reported_before_anything_is_sent() -> None:
    async def scene() -> None:
        address = postgres().new_database()
        desk = await Sealed.open(address)
        await desk.store.create_conversation("t")
        await desk.exchange.sync()
        before = postgres().query(address, "SELECT count(*) FROM neodeskpet.records")
        faults: list[tuple[str, type[SyncError]]]
        faults = [("", PassphraseMissing), ("wrong", PassphraseWrong)]
        for passphrase, fault in faults:
            other = await Sealed.open(address, passphrase)
            await other.store.create_conversation("other")
            with pytest.raises(fault):
                await other.exchange.sync()
            await other.close()
        assert postgres().query(address, "SELECT count(*) FROM neodeskpet.records") == before
        await desk.close()

    asyncio.run(scene())


def test_a_server_with_readable_data_is_not_mixed_with_encrypted_data() -> None:
    async def scene() -> None:
        address = postgres().new_database()
        desk = await Sealed.open(address, "")
        await desk.store.create_conversation("t")
        await desk.exchange.sync()
        await desk.close()
        with pytest.raises(ServerNotEncrypted):
            ServerConnection(address, ServerAccess(PASSWORD, "later"))

    asyncio.run(scene())


def test_after_a_deletion_of_everything_nothing_is_sent_again_unless_the_user_agrees() -> None:
    async def scene() -> None:
        address = postgres().new_database()
        desk = await Sealed.open(address)
        await desk.store.create_conversation("t")
        await desk.exchange.sync()
        delete_server_data(address, ServerAccess(PASSWORD))  # without the passphrase, too
        desk.link.close()
        again = Sealed(desk.store, address, "correct horse")
        with pytest.raises(ServerEmptied):
            await again.exchange.sync()
        again.link.close()
        ServerConnection(address, ServerAccess(PASSWORD, allow_restart=True)).close()
        last = Sealed(desk.store, address, "")
        await last.exchange.sync()
        query = "SELECT count(*) FROM neodeskpet.records WHERE kind = 'conversation'"
        assert postgres().query(address, query) == [(1,)]
        await last.close()

    asyncio.run(scene())


@given(st.text(), st.text(max_size=20), st.binary(max_size=200))
def test_a_sealed_value_opens_for_the_same_name_only(kind: str, name: str, plain: bytes) -> None:
    cipher = Cipher("passphrase", b"salt" * 4)
    sealed = cipher.seal(kind, name, plain)
    assert cipher.open(kind, name, sealed) == plain
    assert sealed == cipher.seal(kind, name, plain)
    for broken in (sealed[:-1], sealed[:5], b"", b"\0" + sealed[1:]):
        with pytest.raises(ValueError, match="it "):
            cipher.open(kind, name, broken)
    with pytest.raises(ValueError, match="decrypted"):
        cipher.open(kind, name + "x", sealed)
    with pytest.raises(ValueError, match="decrypted"):
        Cipher("other", b"salt" * 4).open(kind, name, sealed)


def test_messages_are_untrusted_unless_they_came_encrypted() -> None:
    async def scene(passphrase: str) -> list[tuple[DataSource, ...]]:
        address = postgres().new_database()
        desk, laptop = [await Sealed.open(address, passphrase) for _ in range(2)]
        made = await desk.store.create_conversation("t")
        await desk.store.add_message(made.id, said("a"))
        call = ToolUse(1, 0, "c", "web.fetch", status=ToolStatus.SUCCESS, output="page")
        await desk.store.add_message(
            made.id, Message("r", Role.ASSISTANT, (call,), MessageState.DONE, 2.0)
        )
        await desk.exchange.sync()
        await laptop.exchange.sync()
        own, _ = await desk.store.history(made.id)
        text, reply = await laptop.store.history(made.id)
        assert own.blocks == (Text(0, 0, "a"),)
        assert isinstance(text.blocks[0], Text) and isinstance(reply.blocks[0], ToolUse)
        assert (await laptop.exchange.compare()).is_equal
        for one in (desk, laptop):
            await one.close()
        return [text.blocks[0].untrusted, reply.blocks[0].labels.untrusted]

    sync = DataSource(SourceKind.SYNC)
    assert asyncio.run(scene("")) == [(sync,), (sync,)]
    assert asyncio.run(scene("correct horse")) == [(), ()]
