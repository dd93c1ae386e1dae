"""Facts about the person follow them, and what they forgot is forgotten everywhere."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

from neodeskpet.memory.facts.fact import Fact, Source
from neodeskpet.memory.facts.reading import claim_of
from neodeskpet.memory.recall.book import MemoryBook
from neodeskpet.memory.shared.exchange import Exchange, Link
from neodeskpet.memory.shared.memory import SharedMemory
from neodeskpet.memory.shared.server import Server
from tests.support.postgres import PASSWORD, postgres
from tests.unit.memory.recall.test_book import NOW


class Computer:
    def __init__(self, book: MemoryBook, address: str, device: str) -> None:
        self.book = book
        self.address = address
        self.told: list[int] = []
        book.facts.observe(lambda: self.told.append(1))
        self.side = SharedMemory(book.facts.file, book.tell_shared)
        self.link = Link(lambda: Server(address, PASSWORD))
        self.exchange = Exchange([self.side], self.link, device, "d")

    async def keep(self, text: str, message: str, **more: int) -> str:
        source = Source(message, "c")
        kept = await self.book.facts.keep(text, claim_of(text), source, NOW + timedelta(**more))
        return kept.fact.id


def play(scene: Callable[[Computer, Computer], Awaitable[None]]) -> None:
    async def whole() -> None:
        address = postgres().new_database()
        computers = []
        for name in ("desk", "laptop"):
            computer = Computer(await MemoryBook.open(None), address, name)
            await computer.side.begin()
            computers.append(computer)
        try:
            await scene(*computers)
        finally:
            for computer in computers:
                computer.link.close()
                await computer.book.close()

    asyncio.run(whole())


async def known(computer: Computer) -> list[Fact]:
    return sorted(await computer.book.facts.all(), key=lambda fact: fact.id)


async def meet(*computers: Computer) -> None:
    for _ in range(2):
        for one in computers:
            await one.exchange.step()


def test_facts_follow_the_person() -> None:
    async def scene(desk: Computer, laptop: Computer) -> None:
        await desk.keep("I live in Munich", "m1")
        await desk.keep("I have two kids \ud83d", "m2", days=1)
        await laptop.keep("I love coffee", "m3")
        await meet(desk, laptop)
        assert await known(laptop) == await known(desk)
        assert len(await desk.book.facts.all()) == 3
        assert desk.told and laptop.told
        (first, *_) = await laptop.book.facts.all("coffee")
        await laptop.book.facts.pin(first.id, True)
        changed = await desk.book.facts.all("Munich")
        await desk.book.facts.change(changed[0].id, "I live in Berlin", NOW)
        await meet(desk, laptop)
        assert await known(laptop) == await known(desk)
        assert [fact.text for fact in await laptop.book.facts.all("berlin")] == ["I live in Berlin"]
        assert (await desk.exchange.compare()).well

    play(scene)


def test_what_is_forgotten_stays_so() -> None:
    async def scene(desk: Computer, laptop: Computer) -> None:
        fact = await desk.keep("I live in Munich", "m1")
        await meet(desk, laptop)
        await laptop.book.facts.pin(fact, True)
        await desk.book.facts.forget([fact])
        await meet(laptop, desk)
        assert await laptop.book.facts.all() == await desk.book.facts.all() == []
        assert await laptop.book.facts.unread(["m1", "m2"]) == ["m2"]
        rows = postgres().query(
            desk.address,
            "SELECT gone, value FROM neodeskpet.records WHERE kind = 'fact'",
        )
        assert rows == [(True, b"")]

    play(scene)


def test_a_memory_that_was_lost_is_brought_back() -> None:
    async def scene(desk: Computer, laptop: Computer) -> None:
        await desk.keep("I live in Munich", "m1")
        await meet(desk, laptop)
        fresh = Computer(await MemoryBook.open(None), desk.address, "desk")
        await fresh.side.begin()
        await meet(fresh, laptop)
        assert await fresh.book.facts.all() == await laptop.book.facts.all() != []
        fresh.link.close()
        await fresh.book.close()

    play(scene)
