"""The stored costs of requests: summed by SQLite, kept longer than the conversation."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path

from neodeskpet.core.blocks import Message, MessageState, Role, Usage
from neodeskpet.core.costs import CostSum, RequestCost
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE, MIGRATIONS
from neodeskpet.storage.conversation_repair import merge_conversations, salvage_conversations
from neodeskpet.storage.conversation_store import (
    SqliteStore,
    prepare_conversations,
)
from neodeskpet.storage.database_schema import migrate

NOON = datetime(2026, 11, 23, 12).timestamp()
LATE = datetime(2026, 11, 30, 23, 59, 59).timestamp()
NEXT = datetime(2026, 12, 1).timestamp()
PAID = RequestCost("m", "chat", "c", 100, 20, 40, 2.0, 0.25, "USD")
FREE = RequestCost("other", "title", "", 7, 3, 0, 1.0)


def scene(
    path: Path, play: Callable[[SqliteStore, Callable[[float, RequestCost], None]], Awaitable[None]]
) -> None:
    async def run() -> None:
        now = [NOON]
        store = await SqliteStore.open(path / CONVERSATIONS_FILE, clock=lambda: now[0])

        def spend(at: float, spent: RequestCost) -> None:
            now[0] = at
            store.spending.add(spent)

        try:
            await play(store, spend)
        finally:
            await store.aclose()

    asyncio.run(run())


def test_a_month_by_day_by_model_and_by_conversation(tmp_path: Path) -> None:
    async def play(store: SqliteStore, spend: Callable[[float, RequestCost], None]) -> None:
        info = await store.create_conversation("Cats")
        for at, spent in (
            (NOON, RequestCost("m", "chat", info.id, 100, 20, 40, 2.0, 0.25, "USD")),
            (NOON, RequestCost("m", "chat", info.id, 100, 20, 40, 2.0, 1.0, "CNY")),
            (LATE, FREE),
            (NEXT, PAID),
        ):
            spend(at, spent)
        month = await store.spending.get_month(2026, 11)
        assert [part.key for part in month.days] == ["2026-11-23", "2026-11-30"]
        both = CostSum(2, 200, 40, 80, 4.0, 2, {"USD": 0.25, "CNY": 1.0})
        assert month.days[0].sum == both
        assert month.whole == both + CostSum(1, 7, 3, 0, 1.0)
        assert [(part.key, part.sum.priced) for part in month.models] == [("m", 2), ("other", 0)]
        talk, rest = month.conversations
        assert (talk.key, talk.title, talk.sum) == (info.id, "Cats", both)
        assert (rest.key, rest.purpose, rest.title) == ("", "title", None)
        assert (await store.spending.get_month(2026, 10)).whole == CostSum()
        assert await store.spending.get_cost(2026, 11, "usd") == 0.25
        assert await store.spending.get_conversation(info.id) == both
        assert await store.spending.get_conversation("nobody") == CostSum()

    scene(tmp_path, play)


def test_costs_stay_after_their_conversation_and_observers_are_notified(tmp_path: Path) -> None:
    async def play(store: SqliteStore, spend: Callable[[float, RequestCost], None]) -> None:
        told: asyncio.Queue[str] = asyncio.Queue()
        end = store.spending.subscribe(told.put_nowait)
        info = await store.create_conversation("Cats")
        spend(NOON, RequestCost("m", "chat", info.id, 1, 1))
        assert await asyncio.wait_for(told.get(), 60) == info.id
        end()
        await store.delete_conversation(info.id)
        (part,) = (await store.spending.get_month(2026, 11)).conversations
        assert (part.title, part.sum.requests) == (None, 1)

    scene(tmp_path, play)


def test_after_the_end_nothing_is_stored_and_nothing_raised(tmp_path: Path) -> None:
    async def run() -> None:
        store = await SqliteStore.open(tmp_path / CONVERSATIONS_FILE)
        await store.aclose()
        store.spending.add(PAID)

    asyncio.run(run())


def test_costs_in_messages_are_migrated(tmp_path: Path) -> None:
    path = tmp_path / CONVERSATIONS_FILE
    old = sqlite3.connect(path, isolation_level=None)
    migrate(old, None, dict(list(MIGRATIONS.items())[:7]))
    old.execute("INSERT INTO conversations (id, title, created, updated) VALUES ('c', '', 1, 1)")
    rows = [
        ("a", '{"input_tokens": 100, "output_tokens": 20, "cost": 0.5, "currency": "USD"}'),
        ("b", '{"input_tokens": 3, "output_tokens": 4, "cost": null}'),
        ("torn", '{"input_tokens": 3'),
        ("none", None),
        ("zero", '{"input_tokens": 0, "output_tokens": 0}'),
    ]
    old.executemany(
        "INSERT INTO messages (id, conversation, role, state, created, ended, usage, rounds, "
        f"model, touched) VALUES (?, 'c', 'assistant', 'done', {NOON}, {NOON + 2}, ?, 1, 'm', 1)",
        rows,
    )
    old.close()

    async def play(store: SqliteStore, _spend: object) -> None:
        whole = (await store.spending.get_month(2026, 11)).whole
        assert whole == CostSum(2, 103, 24, 0, 4.0, 1, {"USD": 0.5})

    scene(tmp_path, play)


def test_costs_are_saved_from_a_damaged_file_and_merged_once(tmp_path: Path) -> None:
    async def play(store: SqliteStore, spend: Callable[[float, RequestCost], None]) -> None:
        spend(NOON, PAID)
        spend(NOON + 1, PAID)

    scene(tmp_path, play)
    fresh = sqlite3.connect(":memory:", isolation_level=None)
    prepare_conversations(fresh, None)
    salvage_conversations(tmp_path / CONVERSATIONS_FILE, fresh)
    count = "SELECT count(*) FROM spending"
    assert fresh.execute(count).fetchone() == (2,)
    fresh.execute("DELETE FROM spending WHERE number = 1")
    ours = sqlite3.connect(tmp_path / CONVERSATIONS_FILE)
    for _ in range(2):
        merge_conversations(ours, fresh)
        assert fresh.execute(count).fetchone() == (2,)
    ours.close()


def test_an_imported_message_adds_no_costs(tmp_path: Path) -> None:
    async def play(store: SqliteStore, _spend: object) -> None:
        info = await store.create_conversation("Cats")
        told = Usage(10, 10, cost=1.0, currency="USD")
        said = Message("m", Role.ASSISTANT, (), MessageState.DONE, NOON, usage=told)
        await store.add_message(info.id, said)
        assert (await store.spending.get_month(2026, 11)).whole == CostSum()

    scene(tmp_path, play)
