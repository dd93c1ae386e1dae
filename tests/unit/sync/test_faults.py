"""Sync survives broken rows, wrong clocks, restored servers, locked servers and its own bugs,
reports them correctly, and deletes only what a user deleted.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Sequence
from datetime import datetime

import psycopg
import pytest

from neodeskpet.core.blocks import Message, MessageState, Role, ToolStatus, ToolUse
from neodeskpet.core.text_search import SearchQuery
from neodeskpet.memory.facts.fact import FactClaim
from neodeskpet.memory.message_search import MessageSearch
from neodeskpet.memory.recall.memory_indexer import MemoryIndexer
from neodeskpet.memory.recall.memory_schema import MEMORY_MIGRATIONS as MEMORY_MIGRATIONS
from neodeskpet.memory.recall.memory_store import MemoryStore
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.storage.change_log import DAY_MICROSECONDS, LATEST_STAMP
from neodeskpet.storage.conversation_migrations import MIGRATIONS
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.storage.database_schema import migrate
from neodeskpet.storage.sync_log import RecordVersion, SyncRecord
from neodeskpet.storage.visible_messages import VisibleMessage
from neodeskpet.sync.local_replica import ConversationReplica
from neodeskpet.sync.memory_replica import MemoryReplica
from neodeskpet.sync.server_connection import ServerAccess, ServerConnection
from neodeskpet.sync.server_schema import LOCK_NUMBER
from neodeskpet.sync.sync_engine import ConnectionThread, SyncEngine
from neodeskpet.sync.sync_errors import (
    ServerBusy,
    ServerDataDamaged,
    ServerDataTooNew,
    ServerUnreachable,
    SyncError,
    SyncStopped,
)
from neodeskpet.sync.sync_service import MAX_PAUSE, SyncService, retry_pause
from tests.support.computers import Computer, OwnServer, meet
from tests.support.postgres import PASSWORD, postgres
from tests.unit.sync.test_sync_engine import everything, said
from tests.unit.sync.test_sync_service import sharing, until

NOW = datetime(2026, 1, 4, 9)


class Rememberer:
    """A computer with a memory."""

    def __init__(self, store: SqliteStore, book: MemoryStore, address: str) -> None:
        self.store, self.book = store, book
        self.days = 0
        self.keeper = MemoryIndexer(book, store, days=lambda: self.days, now=lambda: NOW)
        self.side = MemoryReplica(book.facts.file, book.apply_remote_changes)
        self.link = ConnectionThread(lambda: OwnServer(address, PASSWORD))
        self.exchange = SyncEngine([ConversationReplica(store), self.side], self.link, "d", "d")

    @classmethod
    async def open(cls, address: str) -> Rememberer:
        made = cls(await SqliteStore.open(None), await MemoryStore.open(None), address)
        await ConversationReplica(made.store).start()
        await made.side.start()
        return made

    async def step(self) -> None:
        await self.exchange.sync()
        await self.keeper.catch_up()

    async def close(self) -> None:
        self.link.close()
        await self.book.aclose()
        await self.store.aclose()


def put_row(address: str, kind: str, one: str, value: object, stamp: int = 5) -> None:
    """As another program would: this row is newer than all others."""
    with psycopg.connect(address, password=PASSWORD, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO neodeskpet.records VALUES (%s, %s, '', %s, 'stranger', false, %s, "
            "nextval('neodeskpet.numbers'))",
            (kind, one, stamp, json.dumps(value).encode()),
        )


def message_of(created: float, rounds: float = 0.0) -> object:
    return [["talk", "user", "done", created, None, None, rounds, "", 0.0, 1.0], []]


def test_the_pause_between_attempts_is_limited_whatever_fails() -> None:
    assert [retry_pause(failures, 2.0) for failures in (0, 1, 3)] == [2.0, 4.0, 16.0]
    assert retry_pause(10, 2.0) == retry_pause(5_000, 2.0) == MAX_PAUSE


def test_an_unreadable_record_is_counted_and_stops_nothing() -> None:
    async def scene() -> None:
        address = postgres().new_database()
        desk, laptop = await Rememberer.open(address), await Rememberer.open(address)
        await desk.step()
        put_row(address, "fact", "far", ["t", "", "", 1e300, False, False, "", []])
        put_row(address, "message", "endless", message_of(1.0, float("inf")))
        put_row(address, "message", "late", message_of(1e18))
        put_row(address, "title", "many", ["one", "two"])
        made = await desk.store.create_conversation("t")
        await desk.store.add_message(made.id, said("a"))
        await desk.book.facts.add("I like tea", FactClaim("", ""), None, NOW)
        for one in (desk, laptop):
            await one.step()
            assert [
                await side.count_set_aside() for side in (ConversationReplica(one.store), one.side)
            ] == [
                3,
                1,
            ]
        assert [m.id for m in await laptop.store.history(made.id)] == ["a"]
        assert [fact.text for fact in await laptop.book.facts.list_facts()] == ["I like tea"]
        put_row(address, "pinned", "many", [1.0])
        postgres().query(
            address,
            "UPDATE neodeskpet.records SET value = '[\"one\"]', stamp = 9, "
            "number = nextval('neodeskpet.numbers') WHERE kind = 'title' AND id = 'many'",
        )
        await laptop.step()
        assert (
            await ConversationReplica(laptop.store).count_set_aside() == 2
        )  # a later version can be read
        for one in (desk, laptop):
            await one.close()

    asyncio.run(scene())


@pytest.mark.parametrize("time", [1e18, -1e300, float("inf")])
def test_a_message_with_an_impossible_time_does_not_stop_the_search(time: float) -> None:
    async def scene() -> None:
        find = await MessageSearch.open(None)
        messages = [said("a", "tea", at=time), said("b", "tea")]
        await find.update_messages([VisibleMessage(one, "talk", 1.0) for one in messages])
        assert {hit.message for hit in await find.search(SearchQuery.of("tea"))} == {"a", "b"}
        await find.aclose()

    asyncio.run(scene())


def test_a_stamp_of_the_far_future_neither_stops_sending_nor_always_wins() -> None:
    async def scene() -> None:
        address = postgres().new_database()
        desk, laptop = [await Computer.open(address, name) for name in ("desk", "laptop")]
        made = await desk.store.create_conversation("t")
        await meet(desk, laptop)
        put_row(address, "title", "x", ["x"], (1 << 63) - 1)
        ahead = f"UPDATE shared_self SET clock = clock + {400 * DAY_MICROSECONDS}"
        await ConversationReplica(laptop.store)._file.change(lambda db: db.execute(ahead))
        await laptop.store.rename_conversation(made.id, "from the future")
        await meet(laptop, desk)
        for name in ("b", "c"):
            await desk.store.add_message(made.id, said(name))
        await desk.store.rename_conversation(made.id, "now")
        await meet(desk, laptop)
        assert await everything(desk.store) == await everything(laptop.store)
        (info,) = await laptop.store.conversations()
        assert info.title == "now"
        assert await ConversationReplica(desk.store).count_pending() == 0
        assert await ConversationReplica(desk.store).count_set_aside() == 1
        query = "SELECT clock FROM shared_self"
        (clock,) = await ConversationReplica(desk.store)._file.read(
            lambda db: db.execute(query).fetchone()
        )
        (wall,) = postgres().query(address, "SELECT extract(epoch FROM now()) * 1000000")[0:1]
        assert clock < int(wall[0]) + DAY_MICROSECONDS  # type: ignore[call-overload]
        for one in (desk, laptop):
            await one.close()

    asyncio.run(scene())


def test_a_record_that_the_server_refuses_does_not_stop_the_next_ones() -> None:
    async def scene() -> None:
        address = postgres().new_database()
        desk, laptop = await Rememberer.open(address), await Rememberer.open(address)
        query = "INSERT INTO facts (id, text, time) VALUES (?, 'bad', 1.0)"
        await desk.side._file.change(lambda db: db.execute(query, ("with \0",)))
        await desk.book.facts.add("I like tea", FactClaim("", ""), None, NOW)
        await desk.step()
        await laptop.step()
        assert [fact.text for fact in await laptop.book.facts.list_facts()] == ["I like tea"]
        assert (await desk.side.count_pending(), await desk.side.count_set_aside()) == (0, 1)
        for one in (desk, laptop):
            await one.close()

    asyncio.run(scene())


def test_a_lock_of_another_computer_is_reported_and_the_counts_are_true() -> None:
    async def scene() -> None:
        address = postgres().new_database()
        ServerConnection(address, PASSWORD).close()
        store = await SqliteStore.open(None)
        made = await store.create_conversation("t")
        await ConversationReplica(store).start()
        link = ConnectionThread(
            lambda: ServerConnection(address, PASSWORD, limits={"lock_timeout": "200ms"})
        )
        exchange = SyncEngine([ConversationReplica(store)], link, "d", "d")
        with psycopg.connect(address, password=PASSWORD) as holder:
            holder.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK_NUMBER,))
            with pytest.raises(ServerBusy):
                await exchange.sync()
        await exchange.sync()
        assert await ConversationReplica(store).count_pending() == 0
        link.close()
        share = sharing(store, lambda: address, "desk")
        task = spawn_task(share.run(), name="sharing")
        await until(lambda: share.state.has_synced)
        with psycopg.connect(address, password=PASSWORD) as holder:
            holder.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK_NUMBER,))
            await store.rename_conversation(made.id, "other")
            await until(lambda: share.state.pending > 0)
        await until(lambda: share.state.pending == 0 and share.state.sent is not None)
        task.cancel()
        await share.aclose()
        await store.aclose()

    asyncio.run(scene())


def test_a_server_that_never_answers_is_given_up() -> None:
    class Silent:
        """Blocks until it is abandoned."""

        id, number = "silent", 1

        def __init__(self) -> None:
            self.ended = asyncio.Event()
            self.abandoned = False

        def position(self, token: str = "") -> None:
            import threading

            self.http_server = threading.Event()
            self.http_server.wait()
            raise ServerUnreachable

        def cancel(self) -> None:
            self.abandoned = True
            self.http_server.set()

        def close(self) -> None: ...

    async def scene() -> None:
        silent = Silent()
        link = ConnectionThread(lambda: silent, deadline=0.1)  # type: ignore[arg-type, return-value]
        with pytest.raises(ServerUnreachable):
            await link.run(lambda server: server.position())
        assert silent.abandoned
        link.close()

    asyncio.run(scene())


def test_an_unexpected_error_is_shown_and_tried_again() -> None:
    async def scene() -> None:
        address = postgres().new_database()
        store = await SqliteStore.open(None)
        errors = [RuntimeError("a bug")]

        async def forget() -> None:
            if errors:
                raise errors.pop()

        times = iter([0.0])
        share = SyncService(
            [ConversationReplica(store)],
            lambda: address,
            lambda address: ServerAccess(PASSWORD),
            name="desk",
            forget_deleted=forget,
            every=0.05,
            now=lambda: next(times, 1000.0),
        )
        seen: list[object] = []
        share.subscribe(lambda: seen.append(share.state.fault))
        task = spawn_task(share.run(), name="sharing")
        await until(lambda: share.state.has_synced and share.state.fault is None)
        assert any(isinstance(fault, SyncStopped) for fault in seen)
        task.cancel()
        await share.aclose()
        await store.aclose()

    asyncio.run(scene())


def test_a_server_restored_from_a_backup_gets_again_what_it_lost() -> None:
    async def scene() -> None:
        address = postgres().new_database()
        desk, laptop = [await Computer.open(address, name) for name in ("desk", "laptop")]
        made = await desk.store.create_conversation("t")
        await desk.store.add_message(made.id, said("a"))
        await meet(desk)
        for table in ("records", "pushes"):
            postgres().query(address, f"CREATE TABLE kept_{table} AS TABLE neodeskpet.{table}")
        await desk.store.add_message(made.id, said("b"))
        await meet(desk)
        for table in ("records", "pushes"):
            postgres().query(address, f"TRUNCATE neodeskpet.{table}")
            overriding = "OVERRIDING SYSTEM VALUE" if table == "pushes" else ""
            postgres().query(
                address, f"INSERT INTO neodeskpet.{table} {overriding} TABLE kept_{table}"
            )
        other = await laptop.store.create_conversation("other")
        for number in range(9):  # the server's numbers are beyond the desk's position again
            await laptop.store.add_message(other.id, said(f"l{number}"))
        await meet(laptop)
        await meet(desk, laptop)
        assert await everything(desk.store) == await everything(laptop.store)
        assert [m.id for m in await laptop.store.history(made.id)] == ["a", "b"]
        for one in (desk, laptop):
            await one.close()

    asyncio.run(scene())


def test_an_older_program_stops_when_the_schema_becomes_newer_while_it_is_connected() -> None:
    address = postgres().new_database()
    server = ServerConnection(address, PASSWORD)
    postgres().query(address, "UPDATE neodeskpet.itself SET version = 999")
    with pytest.raises(ServerDataTooNew):
        server.push([SyncRecord("title", "a", "a", RecordVersion(1, "d"), b'["x"]')], {})
    assert postgres().query(address, "SELECT count(*) FROM neodeskpet.records") == [(0,)]
    server.close()


def test_sync_data_without_its_own_row_is_a_known_error() -> None:
    address = postgres().new_database()
    ServerConnection(address, PASSWORD).close()
    postgres().query(address, "DELETE FROM neodeskpet.itself")
    with pytest.raises(ServerDataDamaged):
        ServerConnection(address, PASSWORD)
    postgres().query(address, "DROP TABLE neodeskpet.itself")
    with pytest.raises(SyncError):
        ServerConnection(address, PASSWORD)


@pytest.mark.parametrize("steps", [MIGRATIONS, MEMORY_MIGRATIONS], ids=["store", "memory"])
def test_rows_that_a_broken_server_left_are_repaired(steps: dict[str, str]) -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    before = [*steps][: [*steps].index(next(name for name in steps if "sync-stamps" in name))]
    migrate(connection, None, {name: steps[name] for name in before})
    connection.execute("INSERT INTO shared_self (one, device, clock) VALUES (1, 'd', ?)", (1e19,))
    rows: Sequence[tuple[object, object, object]] = (
        (b"title", b"x", 1),
        ("title", "y", LATEST_STAMP + 1),
        ("title", "z", 1),
    )
    for row in rows:
        connection.execute(
            "INSERT INTO shared_known (kind, id, stamp, device) VALUES (?, ?, ?, 'd')", row
        )
    migrate(connection, None, steps)
    assert connection.execute("SELECT id FROM shared_known").fetchall() == [("z",)]
    (clock,) = connection.execute("SELECT clock FROM shared_self").fetchone()
    assert isinstance(clock, int)
    connection.close()


# Deletions


def test_a_limit_of_30_days_on_one_computer_does_not_delete_on_others() -> None:
    async def scene() -> None:
        address = postgres().new_database()
        desk, laptop = await Rememberer.open(address), await Rememberer.open(address)
        await desk.book.facts.add("I like tea", FactClaim("", ""), None, datetime(2025, 1, 1))
        await desk.step()
        await laptop.step()
        desk.days = 30
        await desk.step()
        assert await desk.book.facts.list_facts() == []
        await desk.step()
        await laptop.step()
        assert [fact.text for fact in await laptop.book.facts.list_facts()] == ["I like tea"]
        await laptop.book.facts.add("I like coffee", FactClaim("", ""), None, NOW)
        (old,) = [one for one in await laptop.book.facts.list_facts() if "tea" in one.text]
        await laptop.book.facts.delete([old.id])  # a deletion by the user holds for all
        await laptop.step()
        await desk.step()
        assert [fact.text for fact in await desk.book.facts.list_facts()] == ["I like coffee"]
        assert (await desk.exchange.compare()).is_equal
        for one in (desk, laptop):
            await one.close()

    asyncio.run(scene())


def test_a_cleared_memory_is_empty_on_all_computers_and_stays_so() -> None:
    async def scene() -> None:
        address = postgres().new_database()
        desk, laptop = await Rememberer.open(address), await Rememberer.open(address)
        made = await desk.store.create_conversation("t")
        await desk.store.add_message(made.id, said("a", "my locker is number 4711"))
        for one in (desk, laptop, desk):
            await one.step()
        assert await laptop.book.search("locker", NOW)
        await desk.book.clear()
        late = await Rememberer.open(address)
        for one in (desk, laptop, late):
            await one.step()
            assert await one.book.search("locker", NOW) == []
        await laptop.store.add_message(made.id, said("b", "my locker is number 4712", at=4e9))
        for one in (laptop, late):
            await one.step()
            assert [found.item.id for found in await one.book.search("locker", NOW)] == ["b"]
        for one in (desk, laptop, late):
            await one.close()

    asyncio.run(scene())


def test_undo_data_stays_on_its_computer() -> None:
    call = ToolUse(
        0,
        0,
        "c",
        "todo.delete",
        status=ToolStatus.SUCCESS,
        data={"id": 1, "undo": {"until": 4e9, "restore": [1]}},
    )

    async def scene() -> None:
        address = postgres().new_database()
        desk, laptop = [await Computer.open(address, name) for name in ("desk", "laptop")]
        made = await desk.store.create_conversation("t")
        reply = Message("r", Role.ASSISTANT, (call,), MessageState.DONE, 1.0)
        await desk.store.add_message(made.id, reply)
        await meet(desk, laptop)
        ((there,),) = [m.blocks for m in await laptop.store.history(made.id)]
        assert isinstance(there, ToolUse) and there.data == {"id": 1}
        ((here,),) = [m.blocks for m in await desk.store.history(made.id)]
        assert isinstance(here, ToolUse) and here.data == call.data
        fields = json.dumps({"id": "c", "name": "file.move", "data": {"undo": {"to": "/x"}}})
        value = [
            [made.id, "assistant", "done", 2.0, None, None, 0, "", 0.0, 1.0],
            [[0, "tool_use", 0, fields, ""]],
        ]
        put_row(address, "message", "forged", value)
        put_row(address, "place", "forged", "r")
        await meet(desk)
        (forged,) = await desk.store.messages(["forged"])
        assert "undo" not in repr(forged)
        for one in (desk, laptop):
            await one.close()

    asyncio.run(scene())
