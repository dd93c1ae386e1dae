"""Facts about the person follow them, and what they forgot is forgotten everywhere."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta

from neodeskpet.conversation.recall import read_recalled
from neodeskpet.core import labels
from neodeskpet.memory.facts.fact import Fact, Source
from neodeskpet.memory.facts.reading import claim_of
from neodeskpet.memory.recall.book import MemoryBook
from neodeskpet.memory.recollection import Item, Recalled, Side
from neodeskpet.memory.shared.exchange import Exchange, Link
from neodeskpet.memory.shared.memory import SharedMemory
from neodeskpet.memory.shared.server import Server
from tests.support.postgres import PASSWORD, postgres
from tests.support.shelf import Shelf
from tests.unit.memory.recall.test_book import NOW


class Computer:
    def __init__(self, book: MemoryBook, server: str | Shelf, device: str) -> None:
        self.book = book
        self.server = server
        self.told: list[int] = []
        book.facts.observe(lambda: self.told.append(1))
        self.side = SharedMemory(book.facts.file, book.tell_shared)
        self.link = Link(lambda: Server(server, PASSWORD) if isinstance(server, str) else server)  # type: ignore[arg-type, return-value]
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
    """Without the mark of what came from the server: that concerns one computer."""
    facts = [replace(one, untrusted=()) for one in await computer.book.facts.all()]
    return sorted(facts, key=lambda fact: fact.id)


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
            desk.server,
            "SELECT gone, value FROM neodeskpet.records WHERE kind = 'fact'",
        )
        assert rows == [(True, b"")]

    play(scene)


def test_a_memory_that_was_lost_is_brought_back() -> None:
    async def scene(desk: Computer, laptop: Computer) -> None:
        await desk.keep("I live in Munich", "m1")
        await meet(desk, laptop)
        fresh = Computer(await MemoryBook.open(None), desk.server, "desk")
        await fresh.side.begin()
        await meet(fresh, laptop)
        assert await known(fresh) == await known(laptop) != []
        fresh.link.close()
        await fresh.book.close()

    play(scene)


def test_facts_and_corrections_are_untrusted_unless_nobody_else_can_have_written_them() -> None:
    async def scene(trusted: bool) -> tuple[bool, bool]:
        shelf = Shelf(trusted=trusted)
        desk, laptop = [Computer(await MemoryBook.open(None), shelf, name) for name in "dl"]
        for one in (desk, laptop):
            await one.side.begin()
            await one.book.add([Item("m", "user", Side.PERSON, NOW, "my aunt is Ada", "m", "c")])
        fact = await desk.keep("I live in Ulm", "n")
        await desk.book.correct("m", "my aunt is Ida")
        await meet(desk, laptop)
        (there,) = await laptop.book.facts.all()
        (item,) = await laptop.book.items(["m"])
        assert item.text == "my aunt is Ida" and item.corrected
        assert item.corrected_elsewhere is item.untrusted
        assert bool(read_recalled([Recalled(item, item.text, 1.0)]).labels.untrusted) is (
            item.untrusted
        )
        assert (there.untrusted == (labels.Source(labels.Material.SYNC),)) is item.untrusted
        # A pin of the other computer is no text of others, and the mark stays on this computer.
        await laptop.book.facts.pin(fact, True)
        await meet(laptop, desk)
        (here,) = await desk.book.facts.all()
        assert here.pinned and not here.untrusted
        for one in (desk, laptop):
            assert (await one.exchange.compare()).well
        # What the person writes here themselves is theirs again.
        await laptop.book.correct("m", "my aunt is Eda")
        assert not (await laptop.book.items(["m"]))[0].untrusted
        await laptop.book.correct("m", "my aunt is Ada")
        await meet(laptop, desk)
        assert not (await desk.book.items(["m"]))[0].untrusted  # there is no correction any more
        for one in (desk, laptop):
            one.link.close()
            await one.book.close()
        return item.untrusted, bool(there.untrusted)

    assert asyncio.run(scene(trusted=False)) == (True, True)
    assert asyncio.run(scene(trusted=True)) == (False, False)
