"""Vectors that one computer paid for are shared with the others."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Callable, Sequence
from typing import TypeVar

from neodeskpet.core.model import Vectors
from neodeskpet.memory.recall.memory_indexer import MemoryIndexer
from neodeskpet.memory.recall.memory_store import MemoryStore
from neodeskpet.memory.vectors.vector_indexer import VectorIndexer
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.sync.local_replica import ConversationReplica
from neodeskpet.sync.server_connection import ServerConnection
from neodeskpet.sync.shared_vectors import SharedVectors
from neodeskpet.sync.sync_errors import SyncError
from tests.support.computers import Computer, meet
from tests.support.postgres import postgres
from tests.unit.sync.test_sync_engine import said

T = TypeVar("T")


class Counting:
    """An embedder that counts the paid requests."""

    label = model = "counts"

    def __init__(self, length: int = 3) -> None:
        self.paid: list[str] = []
        self.length = length

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        self.paid += texts
        rows = [[float(len(text)), *map(float, range(1, self.length))] for text in texts]
        return Vectors(tuple(array("f", row) for row in rows), self.model)


class Mind:
    """A computer's memory with its vector indexer."""

    def __init__(self, computer: Computer, book: MemoryStore, length: int = 3) -> None:
        self.computer = computer
        self.book = book
        self.keeper = MemoryIndexer(book, computer.store)
        self.embedder = Counting(length)
        self.online = True
        self.shared = SharedVectors(
            self.ask, book.vectors, ConversationReplica(computer.store).written_by_others, turn=0.0
        )
        self.indexer = VectorIndexer(
            book.vectors, book.texts(lambda one: True), lambda: self.embedder, self.shared
        )

    async def ask(self, what: Callable[[ServerConnection], T]) -> T:
        if not self.online:
            raise SyncError
        return await self.computer.link.run(what)

    async def catch_up_changes(self) -> list[str]:
        """Return the number of paid requests."""
        await self.keeper.catch_up()
        self.embedder.paid.clear()
        self.indexer.check_all()
        await self.indexer.index_missing()
        return sorted(self.embedder.paid)

    async def marks(self) -> dict[str, str]:
        return await self.book.vectors.list_marks("counts")


def play(scene: Callable[[Mind, Mind], object], length: int = 3) -> None:
    async def whole() -> None:
        address = postgres().new_database()
        minds = []
        for name, size in (("desk", 3), ("laptop", length)):
            computer = await Computer.open(address, name)
            minds.append(Mind(computer, await MemoryStore.open(None), size))
        try:
            await scene(*minds)  # type: ignore[misc]
        finally:
            for mind in minds:
                await mind.book.aclose()
                await mind.computer.close()

    asyncio.run(whole())


def on_server(mind: Mind) -> object:
    query = "SELECT count(*) FROM neodeskpet.vectors"
    return postgres().query(mind.computer.address, query)[0][0]


def test_each_vector_is_paid_for_once_and_deleted_everywhere() -> None:
    async def scene(desk: Mind, laptop: Mind) -> None:
        made = await desk.computer.store.create_conversation("t")
        for name in ("kettle", "teapot"):
            await desk.computer.store.add_message(made.id, said(name))
        await meet(desk.computer)
        assert await desk.catch_up_changes() == ["kettle", "teapot"]
        await meet(laptop.computer)
        assert await laptop.catch_up_changes() == []
        assert await laptop.marks() == await desk.marks() != {}
        rows = await laptop.book.vectors.get("counts", ["kettle"])
        assert rows == await desk.book.vectors.get("counts", ["kettle"])
        assert await laptop.book.vectors.vector_length("other") == 0

        await laptop.computer.store.delete_messages(["kettle"])
        await meet(laptop.computer, desk.computer)
        for mind in (desk, laptop):
            await mind.catch_up_changes()
            assert list(await mind.marks()) == ["teapot"]
        assert on_server(desk) == 1
        # Vectors that another computer was making at the same time come too late.
        await desk.shared.store("counts", [("kettle", "m")], [array("f", [1.0, 2.0, 3.0])])
        assert on_server(desk) == 1

    play(scene)


def test_vectors_made_offline_are_sent_later_and_nothing_twice() -> None:
    async def scene(desk: Mind, laptop: Mind) -> None:
        made = await desk.computer.store.create_conversation("t")
        await desk.computer.store.add_message(made.id, said("kettle"))
        desk.online = False
        assert await desk.catch_up_changes() == ["kettle"]
        desk.online = True
        await meet(desk.computer, laptop.computer)
        assert await desk.shared.catch_up("counts") == 1
        assert await desk.shared.catch_up("counts") == 0
        assert on_server(desk) == 1
        assert await laptop.catch_up_changes() == []
        assert await laptop.shared.catch_up("counts") == 0

    play(scene)


def test_if_the_others_have_none_the_wait_ends() -> None:
    async def scene(desk: Mind, laptop: Mind) -> None:
        made = await desk.computer.store.create_conversation("t")
        await desk.computer.store.add_message(made.id, said("kettle"))
        await meet(desk.computer, laptop.computer)
        for _ in range(4):
            assert await laptop.shared.fetch("counts", [("kettle", "m")]) == {}
        assert await laptop.catch_up_changes() == ["kettle"]

    play(scene)


def test_vectors_of_another_length_are_ignored() -> None:
    """Two services may use one name for different models."""

    async def scene(desk: Mind, laptop: Mind) -> None:
        made = await desk.computer.store.create_conversation("t")
        await laptop.computer.store.add_message(
            (await laptop.computer.store.create_conversation("u")).id, said("own")
        )
        assert await laptop.catch_up_changes() == ["own"]
        await desk.computer.store.add_message(made.id, said("kettle"))
        await meet(desk.computer)
        await desk.catch_up_changes()
        await meet(laptop.computer)
        assert await laptop.catch_up_changes() == ["kettle"]
        assert sorted(await laptop.marks()) == ["kettle", "own"]

    play(scene, length=5)


def test_a_server_that_comes_later_gets_the_vectors() -> None:
    async def scene(desk: Mind, laptop: Mind) -> None:
        made = await desk.computer.store.create_conversation("t")
        await desk.computer.store.add_message(made.id, said("kettle"))
        desk.online = False
        await desk.catch_up_changes()
        await meet(desk.computer)
        running = spawn_task(desk.shared.run(lambda: "counts"), name="vectors")
        desk.shared.set_connected(True)  # not yet: it is asked, and fails
        desk.shared.set_connected(False)
        desk.online = True
        desk.shared.set_connected(True)
        async with asyncio.timeout(30):
            while on_server(desk) != 1:  # noqa: ASYNC110 - the server tells nobody of it
                await asyncio.sleep(0.01)
        running.cancel()

    play(scene)
