"""The loop of the sync service: on and off, servers that disappear and return, crashes."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from neodeskpet.core.blocks import Message, MessageState, Role
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.sync.local_replica import ConversationReplica
from neodeskpet.sync.server_connection import ServerAccess
from neodeskpet.sync.sync_errors import ServerRefused, ServerUnreachable
from neodeskpet.sync.sync_service import SyncService
from tests.support.computers import Computer, meet
from tests.support.postgres import PASSWORD, Postgres, postgres
from tests.support.unmeasured import unmeasured_children
from tests.unit.sync.test_sync_engine import everything, said


def sharing(
    store: SqliteStore, address: Callable[[], str], name: str, every: float = 0.05
) -> SyncService:
    return SyncService(
        [ConversationReplica(store)],
        address,
        lambda address: ServerAccess(PASSWORD),
        name=name,
        forget_deleted=store.purge_deleted,
        every=every,
    )


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not true():  # noqa: ASYNC110 - what is awaited has no event of its own
            await asyncio.sleep(0.01)


def test_two_running_apps_are_equal_and_report_where_an_answer_is_written() -> None:
    async def scene() -> None:
        address = postgres().new_database()
        stores = [await SqliteStore.open(None) for _ in range(2)]
        desk, laptop = (
            sharing(store, lambda: address, name)
            for store, name in zip(stores, ("desk", "laptop"), strict=True)
        )
        heard: list[str] = []
        laptop.subscribe_changes(lambda applied: heard.extend(applied.changed))
        tasks = [spawn_task(one.run(), name="sharing") for one in (desk, laptop)]
        made = await stores[0].create_conversation("t")
        await stores[0].add_message(made.id, said("a"))
        await until(lambda: "a" in heard and laptop.state.has_synced)
        assert (laptop.state.enabled, laptop.state.has_synced, laptop.state.fault) == (
            True,
            True,
            None,
        )
        assert [one.text for one in await stores[1].history(made.id)] == ["a"]
        await stores[0].add_message(
            made.id, Message("r", Role.ASSISTANT, (), MessageState.RUNNING, 2.0)
        )
        await until(lambda: laptop.remote_computer(made.id) == "desk")
        assert desk.remote_computer(made.id) == ""
        assert [head.id for head in await stores[1].heads(made.id)] == ["a"]
        for task in tasks:
            task.cancel()
        for one, store in zip((desk, laptop), stores, strict=True):
            await one.aclose()
            await store.aclose()

    asyncio.run(scene())


def test_a_message_of_one_reaches_the_other_at_once(tmp_path: Path) -> None:
    """Their timers would check once an hour."""

    async def scene() -> None:
        address = postgres().new_database()
        stores = [await SqliteStore.open(tmp_path / name) for name in ("desk.db", "laptop.db")]
        desk, laptop = (sharing(store, lambda: address, "d", every=3600.0) for store in stores)
        tasks = [spawn_task(one.run(), name="sharing") for one in (desk, laptop)]
        await until(lambda: desk.is_notified and laptop.is_notified)
        made = await stores[0].create_conversation("t")
        for name in "abc":
            heard: list[str] = []
            end = laptop.subscribe_changes(
                lambda applied, heard=heard: heard.extend(applied.changed)
            )  # type: ignore[misc]
            await stores[0].add_message(made.id, said(name))
            await until(lambda heard=heard, name=name: name in heard)  # type: ignore[misc]
            end()
        back: list[str] = []
        desk.subscribe_changes(lambda applied: back.extend(applied.changed))
        await stores[1].add_message(made.id, said("d"))
        await until(lambda: "d" in back)
        running = Message("r", Role.ASSISTANT, (), MessageState.RUNNING, 2.0)
        await stores[1].add_message(made.id, running)
        await until(lambda: desk.remote_computer(made.id) == "d")
        assert [m.id for m in await stores[0].history(made.id)] == ["a", "b", "c", "d"]
        postgres().query(
            "postgres",
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'NeoDeskPet'",
        )
        await until(lambda: desk.state.fault is not None)
        desk.sync_now()
        await until(lambda: desk.state.fault is None and desk.is_notified)
        for task in tasks:
            task.cancel()
        for one, store in zip((desk, laptop), stores, strict=True):
            await one.aclose()
            await store.aclose()

    asyncio.run(scene())


def test_nothing_is_requested_without_a_server_and_a_change_of_it_is_noticed() -> None:
    async def scene() -> None:
        named = [""]
        store = await SqliteStore.open(None)
        share = sharing(store, lambda: named[0], "desk")
        task = spawn_task(share.run(), name="sharing")
        await store.create_conversation("t")
        await asyncio.sleep(0)
        assert not share.state.enabled
        assert await ConversationReplica(store).count_pending() == 0
        named[0] = postgres().new_database()
        share.sync_now()
        await until(lambda: share.state.has_synced and share.state.pending == 0)
        named[0] = postgres().address("nowhere", "nobody")
        share.sync_now()
        await until(lambda: isinstance(share.state.fault, ServerRefused))
        assert share.state.since is not None
        named[0] = ""
        share.sync_now()
        await until(lambda: not share.state.enabled)
        task.cancel()
        await share.aclose()
        await store.aclose()

    asyncio.run(scene())


def test_after_an_outage_of_the_server_the_rest_is_sent() -> None:
    async def scene(house: Postgres) -> None:
        address = house.new_database()
        store = await SqliteStore.open(None)
        share = sharing(store, lambda: address, "desk")
        task = spawn_task(share.run(), name="sharing")
        made = await store.create_conversation("t")
        await until(lambda: share.state.has_synced and share.state.pending == 0)
        await asyncio.to_thread(house.stop)
        await store.add_message(made.id, said("offline"))
        await until(lambda: isinstance(share.state.fault, ServerUnreachable))
        await until(lambda: share.state.pending > 0)
        assert [one.text for one in await store.history(made.id)] == ["offline"]
        await asyncio.to_thread(house.start)
        share.sync_now()
        await until(lambda: share.state.fault is None and share.state.pending == 0)
        other = await Computer.open(address, "laptop")
        await meet(other)
        assert [one.text for one in await other.store.history(made.id)] == ["offline"]
        await other.close()
        task.cancel()
        await share.aclose()
        await store.aclose()

    house = Postgres()
    try:
        asyncio.run(scene(house))
    finally:
        house.end()


SENDS = """
import asyncio, sys
from pathlib import Path
from tests.support.computers import Computer
from tests.unit.sync.test_sync_engine import said

async def main():
    computer = await Computer.open(sys.argv[1], "desk", Path(sys.argv[2]))
    (made,) = await computer.store.conversations()
    for number in range(10_000):
        await computer.store.add_message(made.id, said(f"m{number}", at=float(number)))
        if number % 20 == 19:
            print(number, flush=True)
            await computer.step()

asyncio.run(main())
"""


@pytest.mark.parametrize("pause", [0.0, 0.02, 0.1])
def test_a_crash_during_a_sync_loses_nothing(tmp_path: Path, pause: float) -> None:
    address = postgres().new_database()
    path = tmp_path / CONVERSATIONS_FILE

    async def begin() -> None:
        store = await SqliteStore.open(path)
        await store.create_conversation("t")
        await store.aclose()

    async def look() -> None:
        desk = await Computer.open(address, "desk", path)
        laptop = await Computer.open(address, "laptop")
        async with asyncio.timeout(60):
            await meet(desk, laptop)
            # The server may still process what the crashed one had sent.
            while await everything(laptop.store) != await everything(desk.store):
                await meet(desk, laptop)
        ((_, nodes, *_),) = await everything(desk.store)  # type: ignore[misc]
        assert [node.id for node in nodes] == [f"m{at}" for at in range(len(nodes))]
        assert len(nodes) >= 20
        await desk.close()
        await laptop.close()

    asyncio.run(begin())
    with unmeasured_children():
        child = subprocess.Popen(
            [sys.executable, "-c", SENDS, address, str(path)],
            stdout=subprocess.PIPE,
            cwd=Path(__file__).resolve().parents[3],
        )
    assert child.stdout is not None
    child.stdout.readline()
    time.sleep(pause)
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    asyncio.run(look())
