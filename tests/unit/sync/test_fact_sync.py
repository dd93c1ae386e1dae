"""Facts about the user are synced, and deleted ones are deleted on every computer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta

from neodeskpet.conversation.memory_context import recalled_reading
from neodeskpet.core import data_labels
from neodeskpet.memory.facts.fact import Fact, FactSource
from neodeskpet.memory.facts.fact_extraction import find_claim
from neodeskpet.memory.recall.memory_store import MemoryStore
from neodeskpet.memory.recall.recall_types import ItemSide, MemoryItem, RecalledItem
from neodeskpet.sync.memory_replica import MemoryReplica
from neodeskpet.sync.server_connection import ServerConnection
from neodeskpet.sync.sync_engine import ConnectionThread, SyncEngine
from tests.support.fake_sync_server import FakeSyncServer
from tests.support.postgres import PASSWORD, postgres
from tests.unit.memory.recall.test_memory_store import NOW


class Computer:
    def __init__(self, book: MemoryStore, server: str | FakeSyncServer, device: str) -> None:
        self.book = book
        self.server = server
        self.render: list[int] = []
        book.facts.subscribe(lambda: self.render.append(1))
        self.side = MemoryReplica(book.facts.file, book.apply_remote_changes)
        self.link = ConnectionThread(
            lambda: ServerConnection(server, PASSWORD) if isinstance(server, str) else server
        )  # type: ignore[arg-type, return-value]
        self.exchange = SyncEngine([self.side], self.link, device, "d")

    async def keep(self, text: str, message: str, **more: int) -> str:
        source = FactSource(message, "c")
        kept = await self.book.facts.add(text, find_claim(text), source, NOW + timedelta(**more))
        return kept.fact.id


def play(scene: Callable[[Computer, Computer], Awaitable[None]]) -> None:
    async def whole() -> None:
        address = postgres().new_database()
        computers = []
        for name in ("desk", "laptop"):
            computer = Computer(await MemoryStore.open(None), address, name)
            await computer.side.start()
            computers.append(computer)
        try:
            await scene(*computers)
        finally:
            for computer in computers:
                computer.link.close()
                await computer.book.aclose()

    asyncio.run(whole())


async def known(computer: Computer) -> list[Fact]:
    """Without the mark of data from the server: it concerns one computer."""
    facts = [replace(one, untrusted=()) for one in await computer.book.facts.list_facts()]
    return sorted(facts, key=lambda fact: fact.id)


async def meet(*computers: Computer) -> None:
    for _ in range(2):
        for one in computers:
            await one.exchange.sync()


def test_facts_are_synced() -> None:
    async def scene(desk: Computer, laptop: Computer) -> None:
        await desk.keep("I live in Munich", "m1")
        await desk.keep("I have two kids \ud83d", "m2", days=1)
        await laptop.keep("I love coffee", "m3")
        await meet(desk, laptop)
        assert await known(laptop) == await known(desk)
        assert len(await desk.book.facts.list_facts()) == 3
        assert desk.render and laptop.render
        (first, *_) = await laptop.book.facts.list_facts("coffee")
        await laptop.book.facts.set_pinned(first.id, True)
        changed = await desk.book.facts.list_facts("Munich")
        await desk.book.facts.update(changed[0].id, "I live in Berlin", NOW)
        await meet(desk, laptop)
        assert await known(laptop) == await known(desk)
        assert [fact.text for fact in await laptop.book.facts.list_facts("berlin")] == [
            "I live in Berlin"
        ]
        assert (await desk.exchange.compare()).is_equal

    play(scene)


def test_deleted_facts_stay_deleted() -> None:
    async def scene(desk: Computer, laptop: Computer) -> None:
        fact = await desk.keep("I live in Munich", "m1")
        await meet(desk, laptop)
        await laptop.book.facts.set_pinned(fact, True)
        await desk.book.facts.delete([fact])
        await meet(laptop, desk)
        assert await laptop.book.facts.list_facts() == await desk.book.facts.list_facts() == []
        assert await laptop.book.facts.unread_messages(["m1", "m2"]) == ["m2"]
        rows = postgres().query(
            desk.server,
            "SELECT gone, value FROM neodeskpet.records WHERE kind = 'fact'",
        )
        assert rows == [(True, b"")]

    play(scene)


def test_a_lost_memory_is_restored() -> None:
    async def scene(desk: Computer, laptop: Computer) -> None:
        await desk.keep("I live in Munich", "m1")
        await meet(desk, laptop)
        fresh = Computer(await MemoryStore.open(None), desk.server, "desk")
        await fresh.side.start()
        await meet(fresh, laptop)
        assert await known(fresh) == await known(laptop) != []
        fresh.link.close()
        await fresh.book.aclose()

    play(scene)


def test_facts_and_corrections_are_untrusted_unless_only_the_user_can_have_written_them() -> None:
    async def scene(trusted: bool) -> tuple[bool, bool]:
        fake = FakeSyncServer(trusted=trusted)
        desk, laptop = [Computer(await MemoryStore.open(None), fake, name) for name in "dl"]
        for one in (desk, laptop):
            await one.side.start()
            await one.book.add(
                [MemoryItem("m", "user", ItemSide.PERSON, NOW, "my aunt is Ada", "m", "c")]
            )
        fact = await desk.keep("I live in Ulm", "n")
        await desk.book.correct("m", "my aunt is Ida")
        await meet(desk, laptop)
        (there,) = await laptop.book.facts.list_facts()
        (item,) = await laptop.book.get(["m"])
        assert item.text == "my aunt is Ida" and item.corrected
        assert item.corrected_elsewhere is item.untrusted
        assert bool(recalled_reading([RecalledItem(item, item.text, 1.0)]).labels.untrusted) is (
            item.untrusted
        )
        assert (
            there.untrusted == (data_labels.DataSource(data_labels.SourceKind.SYNC),)
        ) is item.untrusted
        # A pin of the other computer is no foreign text, and the mark stays on this computer.
        await laptop.book.facts.set_pinned(fact, True)
        await meet(laptop, desk)
        (here,) = await desk.book.facts.list_facts()
        assert here.pinned and not here.untrusted
        for one in (desk, laptop):
            assert (await one.exchange.compare()).is_equal
        # Text that the user writes here is theirs again.
        await laptop.book.correct("m", "my aunt is Eda")
        assert not (await laptop.book.get(["m"]))[0].untrusted
        await laptop.book.correct("m", "my aunt is Ada")
        await meet(laptop, desk)
        assert not (await desk.book.get(["m"]))[0].untrusted  # there is no correction any more
        for one in (desk, laptop):
            one.link.close()
            await one.book.aclose()
        return item.untrusted, bool(there.untrusted)

    assert asyncio.run(scene(trusted=False)) == (True, True)
    assert asyncio.run(scene(trusted=True)) == (False, False)
